#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/christoffel.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/mechanism/edit.hpp"

namespace amble {
namespace {

double scale(const Eigen::MatrixXd& x) { return 1.0 + (x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff()); }

void expect_close(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& expected, double tolerance, std::uint64_t seed) {
  ASSERT_EQ(ours.rows(), expected.rows());
  ASSERT_EQ(ours.cols(), expected.cols());
  EXPECT_LT((ours - expected).cwiseAbs().maxCoeff(), tolerance * scale(expected)) << "seed " << seed;
}

/// d/dt of f(q) along v.
template <class F>
auto rate(const RandomState& s, F f) {
  return slope_at_zero([&](double t) { return f(s.m.integrate(s.q, t * s.v)); });
}

TEST(CoriolisMatrix, TimesVelocityAndGravityIsTheBias) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Eigen::VectorXd ours = coriolis_matrix(s.m, work, s.q, s.v) * s.v + gravity_forces(s.m, work, s.q);
    expect_close(ours, bias_forces(s.m, work, s.q, s.v), 1e-11, seed);
  }
}

TEST(CoriolisMatrix, AndItsTransposeAreTheRateOfTheMassMatrix) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Eigen::MatrixXd C = coriolis_matrix(s.m, work, s.q, s.v);
    const Eigen::MatrixXd M_dot =
        rate(s, [&](const OwnedVector& q) { return Eigen::MatrixXd(mass_matrix(s.m, work, q)); });
    expect_close(C + C.transpose(), M_dot, 1e-9, seed);
  }
}

/// Structure constants of the velocity frame: [e_j, e_k] = c e, from the brackets of so(3) and se(3).
class Frame {
 public:
  explicit Frame(const Mechanism& m) : m_(m) {}
  Eigen::VectorXd bracket(int j, int k) const {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(m_.nv());
    for (const Link& link : m_.links()) {
      const int start = link.v.start, size = link.v.size;
      if (size < 3 || j < start || k < start || j >= start + size || k >= start + size) continue;
      if (link.q.size == 4) out.segment<3>(start) = unit3(j - start).cross(unit3(k - start));
      if (link.q.size == 7) {
        const Twist<double> V(Vector6<double>::Unit(j - start)), W(Vector6<double>::Unit(k - start));
        out.segment<6>(start) = cross(V, W).vector();
      }
    }
    return out;
  }

 private:
  static Vector3<double> unit3(int k) { return Vector3<double>::Unit(k); }
  const Mechanism& m_;
};

TEST(Christoffel, IsTheLeviCivitaConnectionByKoszulsFormula) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const RandomState s = random_state(seed, {.bodies = 1 + static_cast<int>(seed) % 6, .mimic = seed % 3 == 0 ? 0.4 : 0.0});
    const int nv = s.m.nv();
    Workspace work(s.m);
    Christoffel gamma(nv);
    christoffel(s.m, work, s.q, gamma);
    const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
    const Frame frame(s.m);
    std::vector<Eigen::MatrixXd> dM;
    for (int k = 0; k < nv; ++k)
      dM.push_back(slope_at_zero([&](double t) {
        return Eigen::MatrixXd(mass_matrix(s.m, work, s.m.integrate(s.q, t * Eigen::VectorXd::Unit(nv, k))));
      }));
    for (int i = 0; i < nv; ++i)
      for (int j = 0; j < nv; ++j)
        for (int k = 0; k < nv; ++k) {
          const double koszul = dM[k](j, i) + dM[j](i, k) - dM[i](k, j) + M.row(i).dot(frame.bracket(k, j)) -
                                M.row(k).dot(frame.bracket(j, i)) + M.row(j).dot(frame.bracket(i, k));
          EXPECT_NEAR(gamma(i, j, k), 0.5 * koszul, 1e-9 * scale(M)) << "seed " << seed;
        }
  }
}

TEST(Christoffel, GivesTheCoriolisMatrixAndTheGeodesicAcceleration) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomState s = any_state(seed);
    const int nv = s.m.nv();
    Workspace work(s.m);
    Christoffel first(nv), second(nv);
    christoffel(s.m, work, s.q, first);
    christoffel(s.m, work, s.q, second, ChristoffelKind::second);
    Eigen::MatrixXd C = Eigen::MatrixXd::Zero(nv, nv);
    Eigen::VectorXd a = Eigen::VectorXd::Zero(nv);
    for (int i = 0; i < nv; ++i)
      for (int j = 0; j < nv; ++j)
        for (int k = 0; k < nv; ++k) {
          C(i, j) += first(i, j, k) * s.v[k];
          a[i] -= second(i, j, k) * s.v[j] * s.v[k];
        }
    expect_close(coriolis_matrix(s.m, work, s.q, s.v), C, 1e-12, seed);
    const Mechanism weightless = with_gravity(s.m, Vector3<double>::Zero());
    Workspace other(weightless);
    const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
    const Eigen::VectorXd expected = forward_dynamics(weightless, other, s.q, s.v, Eigen::VectorXd::Zero(nv));
    EXPECT_LT((M * (a - expected)).norm(), 1e-10 * (M.norm() * expected.norm() + 1.0)) << "seed " << seed;
  }
}

TEST(Christoffel, WantsMemoryOfTheRightSize) {
  const RandomState s = random_state(5);
  Workspace work(s.m);
  Christoffel wrong(s.m.nv() + 1);
  EXPECT_NE(message_of([&] { christoffel(s.m, work, s.q, wrong); }).find("need nv = "), std::string::npos);
}

TEST(InverseMassMatrix, TimesTheMassMatrixIsTheIdentity) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RandomState s = seed % 4 == 3 ? custom_state(seed) : random_state(seed, 60);
    Workspace work(s.m);
    const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q), inverse = inverse_mass_matrix(s.m, work, s.q);
    EXPECT_LT((M * inverse - Eigen::MatrixXd::Identity(M.rows(), M.cols())).norm(), 1e-13 * M.norm() * inverse.norm())
        << "seed " << seed;
    expect_close(inverse, inverse.transpose(), 1e-12, seed);
  }
}

TEST(Energy, IsThatOfTheMassMatrixAndItsSlopeTheGravityForces) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
    const double T = 0.5 * s.v.dot(M * s.v);
    EXPECT_NEAR(kinetic_energy(s.m, work, s.q, s.v), T, 1e-12 * (1.0 + T)) << "seed " << seed;
    const Eigen::VectorXd g = gravity_forces(s.m, work, s.q);
    const double slope = rate(s, [&](const OwnedVector& q) { return potential_energy(s.m, work, q); });
    EXPECT_NEAR(slope, g.dot(s.v), 1e-9 * (1.0 + g.norm() * s.v.norm())) << "seed " << seed;
    EXPECT_NEAR(potential_energy(s.m, work, s.q),
                -s.m.mass() * s.m.gravity().dot(center_of_mass(s.m, work, s.q)), 1e-10 * (1.0 + g.norm()));
  }
}

TEST(Energy, GrowsByThePowerOfTheForces) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Eigen::VectorXd tau = inverse_dynamics(s.m, work, s.q, s.v, s.a);
    const double power = slope_at_zero([&](double t) {  // a path through the state with acceleration a
      const OwnedVector q = s.m.integrate(s.q, t * s.v + 0.5 * t * t * s.a);
      return kinetic_energy(s.m, work, q, s.v + t * s.a) + potential_energy(s.m, work, q);
    });
    EXPECT_NEAR(power, tau.dot(s.v), 1e-8 * (1.0 + tau.norm() * s.v.norm())) << "seed " << seed;
  }
}

/// Momentum about the centre of mass, body by body.
Vector6<double> summed_momentum(const RandomState& s, Workspace& work, const OwnedVector& q) {
  const Vector3<double> c = center_of_mass(s.m, work, q);
  Vector6<double> sum = Vector6<double>::Zero();
  for (const Body& body : s.m.bodies()) {
    const Pose X_WB = pose(s.m, work, q, body.name);
    const Vector6<double> V = jacobian(s.m, work, q, body.name) * s.v;
    const Wrench<double> P = X_WB * (body.inertia * Twist<double>(V));
    sum.head<3>() += P.vector().head<3>();
    sum.tail<3>() += P.vector().tail<3>() - c.cross(Vector3<double>(P.vector().head<3>()));
  }
  return sum;
}

TEST(Momentum, IsTheSumOverBodiesAndItsMatrixChangesAsItsRateSays) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Vector6<double> sum = summed_momentum(s, work, s.q);
    expect_close(momentum(s.m, work, s.q, s.v), sum, 1e-12, seed);
    const Eigen::MatrixXd rate_by_difference =
        rate(s, [&](const OwnedVector& q) { return Eigen::MatrixXd(momentum_matrix(s.m, work, q)); });
    expect_close(momentum_matrix_dot(s.m, work, s.q, s.v), rate_by_difference, 1e-9, seed);
    const Vector3<double> velocity =
        rate(s, [&](const OwnedVector& q) { return Eigen::VectorXd(center_of_mass(s.m, work, q)); });
    expect_close(center_of_mass_velocity(s.m, work, s.q, s.v), velocity, 1e-9, seed);
  }
}

TEST(Momentum, OfAFloatingMechanismGrowsByGravityAndOutsideWrenches) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Builder b("floating");
    Random random(seed);
    const auto inertia = [&] {
      const double m = random.uniform(0.5, 2);
      return Inertia<double>(m, Vector3<double>(0.1 * m, 0.2 * m, -0.1 * m), Matrix3<double>::Identity() * m);
    };
    b.body({.name = "base", .inertia = inertia()});
    b.joint({.name = "free", .type = "free", .parent = "world", .child = "base"});
    std::string parent = "base";
    for (int i = 0; i < 6; ++i) {
      const std::string name = "b" + std::to_string(i);
      b.body({.name = name, .inertia = inertia()});
      b.joint({.name = "j" + name, .type = i % 2 == 0 ? "revolute" : "spherical", .parent = parent, .child = name,
               .X_PF = Pose(Vector3<double>(0.3, 0.1 * i, 0.2)), .axis = Vector3<double>(1, 0, 0)});
      if (i % 3 != 2) parent = name;
    }
    const Mechanism m = b.build();
    const RandomState s = in_motion(m, m.random(seed), seed);
    Workspace work(m);
    const int body = m.body_index("b3");
    Vector6<double> F;
    F << 1, -2, 3, 0.5, 0.2, -0.7;
    const std::vector<ExternalWrench> outside{{body, Wrench<double>(F)}};
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(m.nv());
    for (int k = 6; k < m.nv(); ++k) tau[k] = random.uniform(-1, 1);
    const Eigen::VectorXd a = forward_dynamics(m, work, s.q, s.v, tau, outside);
    const Vector6<double> rate = momentum_matrix(m, work, s.q) * a + momentum_matrix_dot(m, work, s.q, s.v) * s.v;
    const Vector6<double> F_W = (pose(m, work, s.q, "b3") * Wrench<double>(F)).vector();
    const Vector3<double> c = center_of_mass(m, work, s.q);
    Vector6<double> expected = F_W;
    expected.head<3>() += m.mass() * m.gravity();
    expected.tail<3>() -= c.cross(Vector3<double>(F_W.head<3>()));
    expect_close(rate, expected, 1e-11, seed);
  }
}

TEST(Jacobian, ChangesAsItsRateSaysInEveryFrame) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const std::string& body = s.m.bodies()[seed % s.m.bodies().size()].name;
    for (JacobianFrame frame : {JacobianFrame::local, JacobianFrame::world, JacobianFrame::aligned}) {
      const JacobianOptions options{.point = {0.1, -0.3, 0.2}, .frame = frame};
      const Eigen::MatrixXd expected = rate(
          s, [&](const OwnedVector& q) { return Eigen::MatrixXd(jacobian(s.m, work, q, body, options)); });
      expect_close(jacobian_dot(s.m, work, s.q, s.v, body, options), expected, 1e-9, seed);
    }
  }
}

TEST(Momentum, OfAMechanismWithoutMassIsRefused) {
  Builder b("ghost");
  b.body({.name = "body"});
  b.joint({.name = "pin", .type = "revolute", .parent = "world", .child = "body", .axis = Vector3<double>(0, 0, 1)});
  const Mechanism m = b.build();
  Workspace work(m);
  const OwnedVector q = m.neutral();
  EXPECT_NE(message_of([&] { center_of_mass(m, work, q); }).find("'ghost' has no mass"), std::string::npos);
  EXPECT_NE(message_of([&] { inverse_mass_matrix(m, work, q); }).find("joint 'pin'"), std::string::npos);
  EXPECT_EQ(potential_energy(m, work, q), 0.0);
}

TEST(View, ReadAfterTheStateChangedIsAnError) {
  const RandomState s = random_state(8);
  Workspace work(s.m);
  const Eigen::VectorXd other = s.v * 2.0;
  const MatrixView M = mass_matrix(s.m, work, s.q);
  const VectorView bias = bias_forces(s.m, work, s.q, s.v);
  EXPECT_TRUE(M.fresh() && bias.fresh());
  EXPECT_EQ(M(0, 0), Eigen::MatrixXd(M)(0, 0));
  const VectorView again = bias_forces(s.m, work, s.q, other);  // another velocity: M still holds
  EXPECT_TRUE(M.fresh() && again.fresh());
  EXPECT_FALSE(bias.fresh());
  EXPECT_NE(message_of([&] { (void)bias[0]; }).find("stale result of bias_forces()"), std::string::npos);
  EXPECT_NE(message_of([&] { Eigen::VectorXd copy = bias; }).find("stale"), std::string::npos);
  EXPECT_NE(message_of([&] { (void)(2.0 * bias).norm(); }).find("stale"), std::string::npos);
  gravity_forces(s.m, work, s.m.integrate(s.q, s.v));
  EXPECT_FALSE(M.fresh() || again.fresh());
  EXPECT_NE(message_of([&] { (void)M(0, 0); }).find("stale result of mass_matrix()"), std::string::npos);
}

TEST(View, OfTheSameFunctionIsOverwritten) {
  const RandomState s = random_state(8);
  Workspace work(s.m);
  const VectorView tau = inverse_dynamics(s.m, work, s.q, s.v, s.a);
  const VectorView other = inverse_dynamics(s.m, work, s.q, s.v, s.v);
  EXPECT_FALSE(tau.fresh());
  EXPECT_TRUE(other.fresh());
}

}  // namespace
}  // namespace amble
