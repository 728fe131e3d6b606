#include <vector>

#include "amble/geometry/test/groups.hpp"

namespace amble::test {

template <class Group>
class GroupScalars : public GroupLaws<Group> {};
TYPED_TEST_SUITE(GroupScalars, Groups);

/// Every function of a group at two tangents, flattened: what scalars are compared by.
template <class G, class T, int N>
std::vector<T> everything(const Matrix<T, N, 1>& v, const Matrix<T, N, 1>& u) {
  using Tangent = typename G::Tangent;
  std::vector<T> out;
  const auto add = [&](const auto& m) {
    for (Eigen::Index j = 0; j < m.cols(); ++j)
      for (Eigen::Index i = 0; i < m.rows(); ++i) out.push_back(m(i, j));
  };
  const Tangent V(v), U(u);
  const G X = G::exp(V), Y = G::exp(U);
  add(X.matrix()), add((X * Y).matrix()), add(X.inverse().matrix()), add(numbers(X.log()));
  add(G::left_jacobian(V)), add(G::left_jacobian_inverse(V));
  add(G::right_jacobian(V)), add(G::right_jacobian_inverse(V));
  add(X.adjoint()), add(X.coadjoint()), add(G::ad(V)), add(G::coad(V));
  return out;
}

TYPED_TEST(GroupScalars, EveryLaneOfABatchIsTheResultOfItsOwnNumbers) {
  constexpr int kDim = TestFixture::kDim, kLanes = 8;
  using B = Batch<kLanes>;
  // Lanes on both sides of every switch, side by side.
  const double angles[kLanes] = {0.0, 1e-300, 1e-9, 0.1, 1.9999999, 2.0000001, 3.14159265, 3.0};
  for (int k = 0; k < 20; ++k) {
    Matrix<double, kDim, 1> v[kLanes], u[kLanes];
    Matrix<B, kDim, 1> vs, us;
    for (int l = 0; l < kLanes; ++l) {
      v[l] = this->tangent();
      u[l] = this->tangent();
      constexpr int kTurns = kDim - TypeParam::kAngle;
      if constexpr (kTurns > 0) {
        v[l].template tail<kTurns>().normalize();
        v[l].template tail<kTurns>() *= angles[l];
      }
      for (int i = 0; i < kDim; ++i) vs[i][l] = v[l][i], us[i][l] = u[l][i];
    }
    const auto batch = everything<typename TestFixture::template Of<B>, B, kDim>(vs, us);
    for (int l = 0; l < kLanes; ++l) {
      const auto one = everything<typename TestFixture::G, double, kDim>(v[l], u[l]);
      for (std::size_t i = 0; i < one.size(); ++i)
        ASSERT_NEAR(batch[i][l], one[i], 4 * 2.3e-16 * std::max(1.0, std::abs(one[i])))
            << "lane " << l << " entry " << i;
    }
  }
}

TYPED_TEST(GroupScalars, DualNumbersCarryTheSameValuesAndTheirDerivatives) {
  constexpr int kDim = TestFixture::kDim;
  using Variable = typename TestFixture::Variable;
  constexpr double h = 1e-5;
  const auto at = [](const auto& a, const auto& b) {
    return everything<typename TestFixture::G, double, kDim>(a, b);
  };
  for (int k = 0; k < 10; ++k) {
    const auto v = this->tangent(), u = this->tangent();
    const auto dual = everything<typename TestFixture::template Of<Variable>, Variable, kDim>(
        this->lifted(v), u.template cast<Variable>());
    const auto plain = at(v, u);
    for (std::size_t i = 0; i < plain.size(); ++i)
      ASSERT_NEAR(dual[i].value, plain[i], 1e-14 * (1 + std::abs(plain[i])));
    for (int d = 0; d < kDim; ++d) {
      auto plus = v, minus = v;
      plus[d] += h, minus[d] -= h;
      const auto p = at(plus, u), m = at(minus, u);
      for (std::size_t i = 0; i < plain.size(); ++i)
        ASSERT_NEAR(dual[i].grad[d], (p[i] - m[i]) / (2 * h), 1e-7 * (1 + std::abs(dual[i].grad[d])))
            << "entry " << i << " direction " << d;
    }
  }
}

}  // namespace amble::test
