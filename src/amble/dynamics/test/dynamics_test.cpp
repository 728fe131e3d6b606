#include "amble/dynamics/dynamics.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/mechanism/random_mechanism.hpp"

namespace amble {
namespace {

struct Sample {
  RandomMechanism made;
  Eigen::VectorXd v, a;
  const Mechanism& m() const { return made.mechanism; }
  const OwnedVector& q() const { return made.q; }
};

Sample sample(std::uint64_t seed, double mimic = 0.0) {
  const int bodies = 1 + static_cast<int>(seed % 60);
  Sample s{random_mechanism(seed, {.bodies = bodies, .roots = bodies > 5 ? 2 : 1, .mimic = mimic}), {}, {}};
  Random random(seed + 1000);
  s.v.resize(s.m().nv()), s.a.resize(s.m().nv());
  for (double& x : s.v) x = random.uniform(-2, 2);
  for (double& x : s.a) x = random.uniform(-5, 5);
  return s;
}

/// The forces of the equation of motion by Lagrange's way through Jacobians: no recursion, no link frames. For every
/// body the twist and its rate of change by central differences along the motion q(t) with velocity v + a t.
Eigen::VectorXd by_jacobians(const Sample& s) {
  const Mechanism& m = s.m();
  Workspace work(m);
  constexpr double h = 1e-4;
  Eigen::VectorXd tau = armature_forces(m, s.v, s.a);
  for (const Body& b : m.bodies()) {
    const auto momentum_at = [&](double t) {  // in world axes at the world's origin, where it only changes by forces
      const Eigen::VectorXd step = t * s.v + 0.5 * t * t * s.a;
      const OwnedVector q = m.integrate(s.q(), step);
      const Pose X = pose(m, work, q, b.name);
      const Twist<double> V(Vector6<double>(jacobian(m, work, q, b.name) * (s.v + t * s.a)));
      return Vector6<double>((X * (b.inertia * V)).vector());
    };
    Vector6<double> rate = (8.0 * (momentum_at(h) - momentum_at(-h)) - (momentum_at(2 * h) - momentum_at(-2 * h))) / (12.0 * h);
    const Vector3<double> com = pose(m, work, s.q(), b.name) * b.inertia.com(), weight = b.inertia.mass() * m.gravity();
    rate -= Wrench<double>(weight, cross<double>(com, weight)).vector();
    tau += jacobian(m, work, s.q(), b.name, {.frame = JacobianFrame::world}).transpose() * rate;
  }
  return tau;
}

TEST(Dynamics, InverseDynamicsIsTheMomentumBalanceOfEveryBody) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Sample s = sample(seed, 0.2);
    Workspace work(s.m());
    const Eigen::VectorXd tau = inverse_dynamics(s.m(), work, s.q(), s.v, s.a), expected = by_jacobians(s);
    EXPECT_LT((tau - expected).norm(), 1e-7 * (1.0 + expected.norm())) << "seed " << seed;
  }
}

TEST(Dynamics, MassMatrixIsTheSumOverBodiesByJacobians) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Sample s = sample(seed, 0.2);
    const Mechanism& m = s.m();
    Workspace work(m);
    Eigen::MatrixXd expected = m.armature().asDiagonal();
    for (const Body& b : m.bodies()) {
      const Eigen::MatrixXd J = jacobian(m, work, s.q(), b.name);
      expected += J.transpose() * b.inertia.matrix() * J;
    }
    const Eigen::MatrixXd M = mass_matrix(m, work, s.q());
    EXPECT_LT((M - expected).norm(), 1e-12 * expected.norm()) << "seed " << seed;
    EXPECT_EQ(M, M.transpose()) << "seed " << seed;
  }
}

TEST(Dynamics, MassMatrixIsWhatInverseDynamicsSaysOfUnitAccelerations) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Sample s = sample(seed, 0.2);
    const Mechanism& m = s.m();
    Workspace work(m);
    const Eigen::MatrixXd M = mass_matrix(m, work, s.q());
    const Eigen::VectorXd bias = bias_forces(m, work, s.q(), s.v);
    const double size = M.cwiseAbs().maxCoeff() + bias.cwiseAbs().maxCoeff();
    for (int k = 0; k < m.nv(); ++k) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(m.nv(), k);
      const Eigen::VectorXd column = inverse_dynamics(m, work, s.q(), s.v, unit) - bias;
      ASSERT_LT((column - M.col(k)).cwiseAbs().maxCoeff(), 1e-12 * size) << "seed " << seed << " column " << k;
    }
  }
}

TEST(Dynamics, ForwardDynamicsUndoesInverseDynamics) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (double mimic : {0.0, 0.3}) {
      const Sample s = sample(seed, mimic);
      const Mechanism& m = s.m();
      Workspace work(m);
      const Eigen::VectorXd tau = 10.0 * s.a;
      const Eigen::VectorXd a = forward_dynamics(m, work, s.q(), s.v, tau);
      const Eigen::VectorXd back = inverse_dynamics(m, work, s.q(), s.v, a);
      const Eigen::MatrixXd M = mass_matrix(m, work, s.q());
      const Eigen::VectorXd bias = bias_forces(m, work, s.q(), s.v);
      const double size = M.norm() * a.norm() + bias.norm() + tau.norm();
      ASSERT_LT((back - tau).norm(), 1e-11 * size) << "seed " << seed;
    }
  }
}

TEST(Dynamics, ExternalWrenchesActThroughTheirJacobians) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Sample s = sample(seed, seed % 2 == 0 ? 0.0 : 0.2);
    const Mechanism& m = s.m();
    Workspace work(m);
    Random random(seed);
    Eigen::VectorXd expected = inverse_dynamics(m, work, s.q(), s.v, s.a);
    std::vector<ExternalWrench> external;
    for (int body = 0; body < static_cast<int>(m.bodies().size()); body += 2) {
      Vector6<double> F;
      for (double& x : F.reshaped()) x = random.uniform(-10, 10);
      external.push_back({body, Wrench<double>(F)});
      expected -= jacobian(m, work, s.q(), m.bodies()[body].name).transpose() * F;
    }
    const Eigen::VectorXd tau = inverse_dynamics(m, work, s.q(), s.v, s.a, external);
    ASSERT_LT((tau - expected).norm(), 1e-11 * (1.0 + expected.norm())) << "seed " << seed;
    const Eigen::VectorXd a = forward_dynamics(m, work, s.q(), s.v, tau, external);
    ASSERT_LT((mass_matrix(m, work, s.q()) * (a - s.a)).norm(), 1e-10 * (1.0 + tau.norm())) << "seed " << seed;
  }
}

TEST(Dynamics, PowerIsTheRateOfKineticAndPotentialEnergy) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Sample s = sample(seed);
    const Mechanism& m = s.m();
    Workspace work(m);
    const auto energy_at = [&](double t) {
      const Eigen::VectorXd v = s.v + t * s.a;
      const OwnedVector q = m.integrate(s.q(), t * s.v + 0.5 * t * t * s.a);
      double energy = 0.5 * v.dot(mass_matrix(m, work, q) * v);
      for (const Body& b : m.bodies())
        energy -= b.inertia.mass() * m.gravity().dot(pose(m, work, q, b.name) * b.inertia.com());
      return energy;
    };
    constexpr double h = 1e-4;
    const double rate = (8 * (energy_at(h) - energy_at(-h)) - (energy_at(2 * h) - energy_at(-2 * h))) / (12 * h);
    const double power = inverse_dynamics(m, work, s.q(), s.v, s.a).dot(s.v);
    EXPECT_NEAR(power, rate, 1e-7 * (1.0 + std::abs(power))) << "seed " << seed;
  }
}

struct Cam : CustomJointOf<Cam, 2> {
  std::string name() const override { return "cam"; }
  template <class T>
  SE3<T> motion(const T* q) const {
    using std::cos, std::sin;
    return SE3<T>(SO3<T>::about(2, q[0]) * SO3<T>::about(0, q[1]), Vector3<T>(sin(q[1]), T(0.1) * q[0] * q[1], q[0]));
  }
};

TEST(Dynamics, CustomJointsObeyTheSameLaws) {
  Builder b("cam");
  Random random(1);
  std::string parent = kWorld;
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    b.body({.name = "body" + n, .inertia = random_inertia(random)});
    JointDescription j{.name = "joint" + n, .type = i % 2 == 0 ? "custom" : "revolute", .parent = parent,
                       .child = "body" + n, .X_PF = random_pose(random), .X_CM = random_pose(random)};
    if (i % 2 == 0) j.custom = std::make_shared<Cam>();
    b.joint(j);
    parent = "body" + n;
  }
  Sample s{{b.build(), OwnedVector()}, {}, {}};
  s.made.q = s.m().random(3);
  s.v = Eigen::VectorXd::LinSpaced(s.m().nv(), -1, 2);
  s.a = Eigen::VectorXd::LinSpaced(s.m().nv(), 3, -2);
  Workspace work(s.m());
  const Eigen::VectorXd tau = inverse_dynamics(s.m(), work, s.q(), s.v, s.a);
  EXPECT_LT((tau - by_jacobians(s)).norm(), 1e-7 * tau.norm());
  EXPECT_LT((forward_dynamics(s.m(), work, s.q(), s.v, tau) - s.a).norm(), 1e-10);
}

TEST(Dynamics, AnglesOfAnySizeAreTurned) {
  Sample s = sample(12);
  Workspace work(s.m());
  Random random(5);
  for (double size : {1.0, 1e3, 9e4, 2e5, 1e9}) {
    OwnedVector q = s.q();
    for (const Joint& j : s.m().joints())
      for (int k = 0; k < j.q.size && j.q.size == j.v.size; ++k) q[j.q.start + k] = random.uniform(-size, size);
    // The kernels' own sines against the library's, through poses: gravity forces are weights times arms.
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(s.m().nv());
    for (const Body& b : s.m().bodies()) {
      const Vector3<double> com = pose(s.m(), work, q, b.name) * b.inertia.com(), weight = b.inertia.mass() * s.m().gravity();
      expected -= jacobian(s.m(), work, q, b.name, {.frame = JacobianFrame::world}).transpose() *
                  Wrench<double>(weight, cross<double>(com, weight)).vector();
    }
    const Eigen::VectorXd gravity = gravity_forces(s.m(), work, q);
    EXPECT_LT((gravity - expected).norm(), 1e-12 * (1.0 + size) * (1.0 + expected.norm())) << "size " << size;
  }
}

TEST(Dynamics, AMasslessMovingPartIsNamed) {
  Builder b("arm");
  b.body({.name = "upper", .inertia = Inertia<double>::from_com(1, {0.5, 0, 0}, Matrix3<double>::Identity())});
  b.body({.name = "ghost"});
  b.joint({.name = "shoulder", .type = "revolute", .parent = "world", .child = "upper"});
  b.joint({.name = "elbow", .type = "revolute", .parent = "upper", .child = "ghost", .X_PF = Pose(Vector3<double>(1, 0, 0))});
  const Mechanism m = b.build();
  Workspace work(m);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  try {
    forward_dynamics(m, work, zero, zero, zero);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("joint 'elbow'"), std::string::npos) << e.what();
  }
  EXPECT_NO_THROW(inverse_dynamics(m, work, zero, zero, zero));
}

TEST(Dynamics, WrongStatesAreRefusedByName) {
  const Sample s = sample(7);
  Workspace work(s.m());
  Eigen::VectorXd bad = s.v;
  bad[0] = std::nan("");
  EXPECT_THROW(inverse_dynamics(s.m(), work, s.q(), bad, s.a), Error);
  EXPECT_THROW(inverse_dynamics(s.m(), work, s.q(), s.v, bad), Error);
  EXPECT_THROW(forward_dynamics(s.m(), work, s.q(), s.v, bad), Error);
  EXPECT_THROW(mass_matrix(s.m(), work, s.q().head(1)), Error);
  const std::vector<ExternalWrench> wrong{{1000, {}}};
  EXPECT_THROW(inverse_dynamics(s.m(), work, s.q(), s.v, s.a, wrong), Error);
}

}  // namespace
}  // namespace amble
