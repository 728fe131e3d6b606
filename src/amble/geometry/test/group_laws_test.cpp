#include "amble/geometry/test/groups.hpp"

namespace amble::test {

TYPED_TEST_SUITE(GroupLaws, Groups);

TYPED_TEST(GroupLaws, CompositionIsAGroup) {
  for (int k = 0; k < this->kCases; ++k) {
    const auto a = this->element(), b = this->element(), c = this->element();
    const decltype(a) identity;
    this->expect_near(((a * b) * c).matrix(), (a * (b * c)).matrix(), 1e-14, "associative");
    this->expect_near((a * identity).matrix(), a.matrix(), 0.0, "right identity");
    this->expect_near((identity * a).matrix(), a.matrix(), 0.0, "left identity");
    this->expect_near((a * a.inverse()).matrix(), identity.matrix(), 1e-14, "right inverse");
    this->expect_near((a.inverse() * a).matrix(), identity.matrix(), 1e-14, "left inverse");
    this->expect_near((a * b).matrix(), (a.matrix() * b.matrix()).eval(), 1e-14, "matrices compose alike");
  }
}

TYPED_TEST(GroupLaws, ActsOnPoints) {
  for (int k = 0; k < this->kCases; ++k) {
    const auto a = this->element(), b = this->element();
    const auto p = this->point();
    this->expect_near((a * b) * p, a * (b * p), 1e-14, "action");
    this->expect_near(decltype(a)() * p, p, 0.0, "identity");
  }
}

TYPED_TEST(GroupLaws, LogInvertsExp) {
  using Tangent = typename TestFixture::Tangent;
  for (int k = 0; k < this->kCases; ++k) {
    const auto v = this->tangent();
    const auto X = TestFixture::G::exp(Tangent(v));
    this->expect_near(numbers(X.log()), v, 1e-14, "log exp");
    this->expect_near(TestFixture::G::exp(X.log()).matrix(), X.matrix(), 1e-14, "exp log");
    this->expect_near(TestFixture::G::exp(Tangent(-v)).matrix(), X.inverse().matrix(), 1e-14, "exp of minus");
    this->expect_near(
        (TestFixture::G::exp(Tangent(0.5 * v)) * TestFixture::G::exp(Tangent(0.5 * v))).matrix(), X.matrix(),
        1e-14, "one-parameter subgroup");
  }
}

TYPED_TEST(GroupLaws, AdjointIsAHomomorphismAndConjugates) {
  using G = typename TestFixture::G;
  using Tangent = typename TestFixture::Tangent;
  for (int k = 0; k < this->kCases; ++k) {
    const auto a = this->element(), b = this->element();
    const auto v = this->tangent();
    this->expect_near((a * b).adjoint(), (a.adjoint() * b.adjoint()).eval(), 1e-14, "homomorphism");
    this->expect_near((a * G::exp(Tangent(v)) * a.inverse()).matrix(),
                      G::exp(Tangent((a.adjoint() * v).eval())).matrix(), 1e-13, "conjugation");
    this->expect_near((a.adjoint() * G::ad(Tangent(v)) * a.inverse().adjoint()).eval(),
                      G::ad(Tangent((a.adjoint() * v).eval())), 1e-13,
                      "Ad is an automorphism of the algebra");
  }
}

TYPED_TEST(GroupLaws, CoadjointKeepsThePairing) {
  using G = typename TestFixture::G;
  using Tangent = typename TestFixture::Tangent;
  for (int k = 0; k < this->kCases; ++k) {
    const auto a = this->element();
    const auto v = this->tangent(), u = this->tangent(), f = this->tangent();
    EXPECT_NEAR((a.coadjoint() * f).dot(a.adjoint() * v), f.dot(v), 1e-13 * (1.0 + f.norm() * v.norm()));
    EXPECT_NEAR((G::coad(Tangent(v)) * f).dot(u), -f.dot(G::ad(Tangent(v)) * u),
                1e-13 * (1.0 + f.norm() * u.norm()));
    this->expect_near((a.coadjoint() * a.adjoint().transpose()).eval(), TestFixture::Square::Identity(),
                      1e-13, "Ad^-T");
  }
}

TYPED_TEST(GroupLaws, AdIsAntisymmetricAndObeysJacobi) {
  using G = typename TestFixture::G;
  using Tangent = typename TestFixture::Tangent;
  for (int k = 0; k < this->kCases; ++k) {
    const auto u = this->tangent(), v = this->tangent(), w = this->tangent();
    const auto ad = [](const auto& a) { return G::ad(Tangent(a)); };
    this->expect_near((ad(u) * v).eval(), (-ad(v) * u).eval(), 1e-14, "antisymmetric");
    const auto jacobi = (ad(u) * ad(v) * w + ad(v) * ad(w) * u + ad(w) * ad(u) * v).eval();
    this->expect_near(jacobi, (0.0 * u).eval(), 1e-13 * (1.0 + u.norm() * v.norm() * w.norm()), "Jacobi");
  }
}

TYPED_TEST(GroupLaws, AdIsTheDerivativeOfTheAdjoint) {
  using G = typename TestFixture::G;
  using Tangent = typename TestFixture::Tangent;
  using Line = Dual<double, 1>;
  constexpr int kDim = TestFixture::kDim;
  for (int k = 0; k < this->kCases; ++k) {
    const auto v = this->tangent();
    Matrix<Line, kDim, 1> tv;
    for (int i = 0; i < kDim; ++i) tv[i] = Line::variable(0.0, 0) * Line(v[i]);
    using GL = typename TestFixture::template Of<Line>;
    const auto X = GL::exp(typename GL::Tangent(tv));
    const auto rate = [](const Line& x) { return x.grad[0]; };
    this->expect_near(X.adjoint().unaryExpr(rate).eval(), G::ad(Tangent(v)), 1e-15, "ad");
    this->expect_near(X.coadjoint().unaryExpr(rate).eval(), G::coad(Tangent(v)), 1e-15, "coad");
  }
}

// By definition: log(exp(v + dv) exp(v)^-1) and log(exp(v)^-1 exp(v + dv)), differentiated.
TYPED_TEST(GroupLaws, JacobiansAreTheDerivativesOfExp) {
  using G = typename TestFixture::G;
  using Tangent = typename TestFixture::Tangent;
  for (int k = 0; k < this->kCases; ++k) {
    const auto v = this->tangent(6.0);
    const auto moved = decltype(this->constant(v))::exp(this->lifted_tangent(v)),
               back = this->constant(v).inverse();
    const Tangent V(v);
    this->expect_near(G::left_jacobian(V), this->gradient(numbers((moved * back).log())), 1e-13, "left");
    this->expect_near(G::right_jacobian(V), this->gradient(numbers((back * moved).log())), 1e-13, "right");
  }
}

TYPED_TEST(GroupLaws, InverseJacobiansAreTheDerivativesOfLog) {
  using G = typename TestFixture::G;
  using Tangent = typename TestFixture::Tangent;
  const auto zero = (0.0 * this->tangent()).eval();
  for (int k = 0; k < this->kCases; ++k) {
    const auto v = this->tangent();
    const auto X = this->constant(v), small = decltype(X)::exp(this->lifted_tangent(zero));
    const Tangent V(v);
    this->expect_near(G::left_jacobian_inverse(V), this->gradient(numbers((small * X).log())), 1e-13, "left");
    this->expect_near(G::right_jacobian_inverse(V), this->gradient(numbers((X * small).log())), 1e-13,
                      "right");
  }
}

TYPED_TEST(GroupLaws, JacobiansAgreeWithFiniteDifferences) {
  using G = typename TestFixture::G;
  using Tangent = typename TestFixture::Tangent;
  constexpr double h = 1e-5;
  for (int k = 0; k < 10; ++k) {
    const auto v = this->tangent();
    const auto back = G::exp(Tangent(v)).inverse();
    typename TestFixture::Square left, right;
    for (int i = 0; i < TestFixture::kDim; ++i) {
      auto plus = v, minus = v;
      plus[i] += h;
      minus[i] -= h;
      const auto Xp = G::exp(Tangent(plus)), Xm = G::exp(Tangent(minus));
      left.col(i) = (numbers((Xp * back).log()) - numbers((Xm * back).log())) / (2.0 * h);
      right.col(i) = (numbers((back * Xp).log()) - numbers((back * Xm).log())) / (2.0 * h);
    }
    this->expect_near(G::left_jacobian(Tangent(v)), left, 1e-9, "left");
    this->expect_near(G::right_jacobian(Tangent(v)), right, 1e-9, "right");
  }
}

TYPED_TEST(GroupLaws, JacobiansAreRelatedByTheAdjoint) {
  using G = typename TestFixture::G;
  using Tangent = typename TestFixture::Tangent;
  const auto identity = TestFixture::Square::Identity();
  for (int k = 0; k < this->kCases; ++k) {
    const auto v = this->tangent(5.0);
    const Tangent V(v), minus((-v).eval());
    this->expect_near((G::exp(V).adjoint() * G::right_jacobian(V)).eval(), G::left_jacobian(V), 1e-13,
                      "Ad Jr = Jl");
    this->expect_near(G::right_jacobian(V), G::left_jacobian(minus), 1e-14, "Jr(v) = Jl(-v)");
    this->expect_near((G::left_jacobian(V) * G::left_jacobian_inverse(V)).eval(), identity, 1e-12,
                      "left inverse");
    this->expect_near((G::right_jacobian(V) * G::right_jacobian_inverse(V)).eval(), identity, 1e-12,
                      "right inverse");
    this->expect_near((G::left_jacobian(V) * v).eval(), v, 1e-13, "Jl(v) v = v");
  }
}

}  // namespace amble::test
