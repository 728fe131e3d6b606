#include <gtest/gtest.h>

#include "amble/base/slope.hpp"
#include "amble/mechanism/joints/list.hpp"

// Laws that every joint type obeys, run over the whole list: a new type is tested before its author writes a test.
namespace amble {
namespace {

using Along = Dual<double, 1>;  // derivative along one direction

/// A screw that slides as it turns, by its motion alone: stands for a user's joint.
struct Corkscrew : CustomJointOf<Corkscrew, 2> {
  std::string name() const override { return "corkscrew"; }
  template <class T>
  SE3<T> motion(const T* q) const {
    using std::cos, std::sin;
    const SE3<T> turn(SO3<T>::about(1, q[0]), Vector3<T>(sin(q[0]), q[1] * q[0], T(0.2) * q[1]));
    return turn * SE3<T>(SO3<T>::about(0, q[1]));
  }
};

const Corkscrew kCorkscrew;

JointParameters sample_parameters() { return {.pitch = 0.17, .angle = 1.2, .custom = &kCorkscrew}; }

/// Calls f(joint, q, v, w) for every kind at many states; v and w are velocities.
template <class F>
void at_many_states(F f) {
  Random random(42);
  const std::array<double, 7> lower{-2, -2, -2, -2, -2, -2, -2}, upper{2, 2, 2, 2, 2, 2, 2};
  for (int kind = 0; kind < kJointKinds; ++kind)
    for (int sample = 0; sample < 50; ++sample)
      visit_joint(kind, sample_parameters(), [&](const auto& joint) {
        SCOPED_TRACE(testing::Message() << "joint " << joint.kName << ", sample " << sample);
        std::array<double, 7> q{}, v{}, w{};
        joint.random(random, lower.data(), upper.data(), q.data());
        for (int i = 0; i < 7; ++i) v[i] = random.uniform(-1, 1), w[i] = random.uniform(-1, 1);
        f(joint, q, v, w);
      });
}

template <class J>
constexpr bool kIsCustom = std::is_same_v<std::decay_t<J>, Custom>;

Twist<double> times(const std::array<Twist<double>, 6>& S, const std::array<double, 7>& v, int nv) {
  Twist<double> sum;
  for (int k = 0; k < nv; ++k) sum += v[k] * S[k];
  return sum;
}

/// X^-1 dX/dt as a twist, for a pose that carries its derivative.
Twist<double> body_twist(const SE3<Along>& X) {
  const auto value = [](const Along& a) { return a.value; };
  const auto slope = [](const Along& a) { return a.grad[0]; };
  const Matrix3<double> Rt = X.rotation().matrix().unaryExpr(value).transpose();
  const Matrix3<double> dR = X.rotation().matrix().unaryExpr(slope);
  return {Rt * X.translation().unaryExpr(slope), unskew<double>(Rt * dR)};
}

double distance(const Twist<double>& a, const Twist<double>& b) { return (a.vector() - b.vector()).cwiseAbs().maxCoeff(); }

TEST(JointLaws, SubspaceIsTheDerivativeOfThePoseAlongIntegrate) {
  at_many_states([](const auto& joint, const auto& q, const auto& v, const auto&) {
    std::array<Twist<double>, 6> S;
    joint.subspace(q.data(), S.data());
    const Twist<double> claimed = times(S, v, joint.nv());
    if constexpr (kIsCustom<decltype(joint)>) {  // plain numbers only: central differences
      constexpr double h = 1e-6;
      std::array<double, 7> step{}, ahead{}, behind{};
      for (int i = 0; i < joint.nv(); ++i) step[i] = h * v[i];
      joint.integrate(q.data(), step.data(), ahead.data());
      for (double& s : step) s = -s;
      joint.integrate(q.data(), step.data(), behind.data());
      const Pose relative = joint.pose(behind.data()).inverse() * joint.pose(ahead.data());
      EXPECT_LT(distance(claimed, (0.5 / h) * relative.log()), 1e-8);
    } else {
      std::array<Along, 7> x, d, moved;
      for (int i = 0; i < 7; ++i) x[i] = q[i], d[i].grad[0] = v[i];
      joint.integrate(x.data(), d.data(), moved.data());
      EXPECT_LT(distance(claimed, body_twist(joint.pose(moved.data()))), 1e-14);
    }
  });
}

TEST(JointLaws, BiasIsTheDerivativeOfTheSubspaceTimesTheVelocity) {
  at_many_states([](const auto& joint, const auto& q, const auto& v, const auto&) {
    const Twist<double> claimed = joint.bias(q.data(), v.data());
    const auto velocity_at = [&](double t) {
      std::array<double, 7> step{}, moved{};
      for (int i = 0; i < joint.nv(); ++i) step[i] = t * v[i];
      joint.integrate(q.data(), step.data(), moved.data());
      std::array<Twist<double>, 6> S;
      joint.subspace(moved.data(), S.data());
      return times(S, v, joint.nv());
    };
    constexpr double h = 1e-5;
    EXPECT_LT(distance(claimed, (0.5 / h) * (velocity_at(h) - velocity_at(-h))), 1e-8);
  });
}

TEST(JointLaws, DifferenceUndoesIntegrate) {
  at_many_states([](const auto& joint, const auto& q, const auto& v, const auto&) {
    std::array<double, 7> moved{}, back{};
    joint.integrate(q.data(), v.data(), moved.data());
    joint.difference(q.data(), moved.data(), back.data());
    for (int i = 0; i < joint.nv(); ++i) EXPECT_NEAR(back[i], v[i], 1e-14);
  });
}

TEST(JointLaws, IntegrateUndoesDifferenceUpToTheSignOfAQuaternion) {
  at_many_states([](const auto& joint, const auto& q, const auto& v, const auto& w) {
    std::array<double, 7> other{}, d{}, reached{};
    joint.integrate(q.data(), w.data(), other.data());
    joint.integrate(other.data(), v.data(), other.data());
    joint.difference(q.data(), other.data(), d.data());
    joint.integrate(q.data(), d.data(), reached.data());
    const Matrix4<double> gap = joint.pose(reached.data()).matrix() - joint.pose(other.data()).matrix();
    EXPECT_LT(gap.cwiseAbs().maxCoeff(), 1e-14);
  });
}

TEST(JointLaws, IntegrateIsALocalChartAroundEveryPoint) {
  at_many_states([](const auto& joint, const auto& q, const auto&, const auto&) {
    // The derivative of difference(q, F_q(phi)) at phi = 0 is the identity: F_q has full rank.
    constexpr double h = 1e-6;
    for (int k = 0; k < joint.nv(); ++k) {
      std::array<double, 7> phi{}, moved{}, back{};
      phi[k] = h;
      joint.integrate(q.data(), phi.data(), moved.data());
      joint.difference(q.data(), moved.data(), back.data());
      for (int i = 0; i < joint.nv(); ++i) EXPECT_NEAR(back[i] / h, i == k ? 1.0 : 0.0, 1e-9);
    }
  });
}

TEST(JointLaws, LocalJacobianIsTheVelocityOfTheLocalChartAndLocalRatesUndoIt) {
  at_many_states([](const auto& joint, const auto& q, const auto& d, const auto& w) {
    const auto moved_by = [&](double t) {
      std::array<double, 7> there{}, step = d;
      for (int i = 0; i < 7; ++i) step[i] += t * w[i];
      joint.integrate(q.data(), step.data(), there.data());
      return there;
    };
    const std::array<double, 7> here = moved_by(0.0);
    const Matrix<double, 7, 1> slope = slope_at_zero([&](double t) {
      Matrix<double, 7, 1> v = Matrix<double, 7, 1>::Zero();
      joint.difference(here.data(), moved_by(t).data(), v.data());
      return v;
    });
    Matrix6<double> S = Matrix6<double>::Identity();
    joint.local_jacobian(q.data(), d.data(), S);
    const int n = joint.nv();
    const Eigen::VectorXd v = S.topLeftCorner(n, n) * Vector6<double>(w.data()).head(n);
    EXPECT_LT((v - slope.head(n)).norm(), 1e-11);
    std::array<double, 7> rates{};
    joint.local_rates(q.data(), d.data(), v.data(), rates.data());
    for (int i = 0; i < n; ++i) EXPECT_NEAR(rates[i], w[i], 1e-11);
  });
}

TEST(JointLaws, NeutralIsTheIdentityPoseAndValid) {
  for (int kind = 0; kind < kJointKinds; ++kind)
    visit_joint(kind, sample_parameters(), [](const auto& joint) {
      std::array<double, 7> q{}, projected{};
      joint.neutral(q.data());
      EXPECT_EQ(joint.pose(q.data()).matrix(), Matrix4<double>::Identity()) << joint.kName;
      EXPECT_EQ(joint.project(q.data(), projected.data()), 0.0) << joint.kName;
      EXPECT_EQ(q, projected) << joint.kName;
    });
}

TEST(JointLaws, PosesAreRotationsToRounding) {
  at_many_states([](const auto& joint, const auto& q, const auto&, const auto&) {
    const Matrix3<double> R = joint.pose(q.data()).rotation().matrix();
    EXPECT_LT((R * R.transpose() - Matrix3<double>::Identity()).cwiseAbs().maxCoeff(), 1e-14);
  });
}

/// An elementary motion by its own type.
template <class J>
Pose step_pose(Elementary motion, const J& joint, const double* q) {
  switch (motion) {
    case Elementary::turn: return Revolute({}).pose(q);
    case Elementary::slide: return Prismatic({}).pose(q);
    case Elementary::helix: return Helical(sample_parameters()).pose(q);
    case Elementary::ball: return Spherical({}).pose(q);
    case Elementary::free: return Free({}).pose(q);
    case Elementary::custom: return joint.pose(q);
  }
  return {};
}

TEST(JointLaws, AJointIsTheChainOfItsElementarySteps) {
  at_many_states([](const auto& joint, const auto& q, const auto&, const auto&) {
    const JointSteps chain = joint.steps();
    Pose X;
    for (int i = 0; i < chain.count; ++i)
      X = X * Pose(chain.steps[i].R) * step_pose(chain.steps[i].motion, joint, q.data() + i);
    X = X * Pose(chain.after);
    EXPECT_LT((X.matrix() - joint.pose(q.data()).matrix()).cwiseAbs().maxCoeff(), 1e-15);
  });
}

TEST(JointLaws, LanesGiveWhatSingleStatesGive) {
  constexpr int W = 4;
  using B = Batch<W>;
  Random random(7);
  for (int kind = 0; kind < kJointKinds; ++kind)
    visit_joint(kind, sample_parameters(), [&](const auto& joint) {
      SCOPED_TRACE(joint.kName);
      const std::array<double, 7> lower{-2, -2, -2, -2, -2, -2, -2}, upper{2, 2, 2, 2, 2, 2, 2};
      std::array<std::array<double, 7>, W> q{}, v{};
      std::array<B, 7> qb, vb, moved;
      for (int i = 0; i < 7; ++i) qb[i] = vb[i] = moved[i] = B(0.0);
      for (int l = 0; l < W; ++l) {
        joint.random(random, lower.data(), upper.data(), q[l].data());
        for (int i = 0; i < 7; ++i) v[l][i] = random.uniform(-1, 1), qb[i].lane[l] = q[l][i], vb[i].lane[l] = v[l][i];
      }
      std::array<Twist<B>, 6> Sb;
      std::array<Twist<double>, 6> S;
      joint.subspace(qb.data(), Sb.data());
      const SE3<B> Xb = joint.pose(qb.data());
      const Twist<B> bias = joint.bias(qb.data(), vb.data());
      joint.integrate(qb.data(), vb.data(), moved.data());
      for (int l = 0; l < W; ++l) {
        const auto lane = [l](const B& x) { return x.lane[l]; };
        joint.subspace(q[l].data(), S.data());
        for (int k = 0; k < joint.nv(); ++k)
          EXPECT_LT((Sb[k].vector().unaryExpr(lane) - S[k].vector()).cwiseAbs().maxCoeff(), 1e-15);
        EXPECT_LT((Xb.matrix().unaryExpr(lane) - joint.pose(q[l].data()).matrix()).cwiseAbs().maxCoeff(), 1e-15);
        EXPECT_LT((bias.vector().unaryExpr(lane) - joint.bias(q[l].data(), v[l].data()).vector()).cwiseAbs().maxCoeff(), 1e-15);
        std::array<double, 7> single{};
        joint.integrate(q[l].data(), v[l].data(), single.data());
        for (int i = 0; i < joint.nq(); ++i) EXPECT_NEAR(moved[i].lane[l], single[i], 1e-15);
      }
    });
}

TEST(JointLaws, RandomStaysWithinLimits) {
  Random random(3);
  const std::array<double, 7> lower{-0.2, 0.1, 1, 1, 1, 1, 1}, upper{0.3, 0.2, 2, 2, 2, 2, 2};
  for (int kind = 0; kind < kJointKinds; ++kind)
    visit_joint(kind, sample_parameters(), [&](const auto& joint) {
      if (joint.nq() != joint.nv()) return;
      for (int sample = 0; sample < 100; ++sample) {
        std::array<double, 7> q{};
        joint.random(random, lower.data(), upper.data(), q.data());
        for (int i = 0; i < joint.nq(); ++i) EXPECT_TRUE(q[i] >= lower[i] && q[i] <= upper[i]) << joint.kName;
      }
    });
}

TEST(JointLaws, RandomRotationsAreUniform) {
  // For uniform unit quaternions E[q q^T] = 1/4 and the angle has mean pi/2 + 2/pi; 20000 samples are within 1 %.
  Random random(11);
  const Spherical joint({});
  constexpr int kSamples = 20000;
  Eigen::Matrix4d moments = Eigen::Matrix4d::Zero();
  double angle = 0.0;
  for (int i = 0; i < kSamples; ++i) {
    Eigen::Vector4d q;
    joint.random(random, nullptr, nullptr, q.data());
    moments += q * q.transpose() / kSamples;
    angle += 2.0 * std::acos(std::min(1.0, std::abs(q[3]))) / kSamples;
  }
  EXPECT_LT((moments - 0.25 * Eigen::Matrix4d::Identity()).cwiseAbs().maxCoeff(), 0.006);
  EXPECT_NEAR(angle, std::numbers::pi / 2 + 2 / std::numbers::pi, 0.02);
}

// Each compound type against the chain of simple ones that it stands for.
TEST(JointChains, CylindricalIsASliderAndAPin) {
  const double q[] = {0.3, -1.1};
  const Matrix4<double> chain = (Prismatic({}).pose(q) * Revolute({}).pose(q + 1)).matrix();
  EXPECT_LT((Cylindrical({}).pose(q).matrix() - chain).norm(), 1e-15);
}
TEST(JointChains, HelicalIsASliderGearedToAPin) {
  const double q = 0.8, slide = 0.17 * q;
  const Matrix4<double> chain = (Prismatic({}).pose(&slide) * Revolute({}).pose(&q)).matrix();
  EXPECT_LT((Helical({.pitch = 0.17}).pose(&q).matrix() - chain).norm(), 1e-15);
}
TEST(JointChains, UniversalIsTwoPins) {
  const double q[] = {0.4, -0.9}, tilt = 1.2;
  const Pose Y(SO3<double>::about(1, tilt));
  const Pose chain = Revolute({}).pose(q) * Y * Revolute({}).pose(q + 1) * Y.inverse();
  EXPECT_LT((Universal({.angle = tilt}).pose(q).matrix() - chain.matrix()).norm(), 1e-15);
}
TEST(JointChains, PlanarIsTwoSlidersAndAPin) {
  const double q[] = {0.4, -0.9, 2.0};
  const Pose chain = Pose(Vector3<double>(q[0], 0, 0)) * Pose(Vector3<double>(0, q[1], 0)) * Revolute({}).pose(q + 2);
  EXPECT_LT((Planar({}).pose(q).matrix() - chain.matrix()).norm(), 1e-15);
}
TEST(JointChains, SphericalIsThreePins) {
  const double q[] = {0.4, -0.9, 2.0};
  const Pose chain(SO3<double>::about(2, q[0]) * SO3<double>::about(1, q[1]) * SO3<double>::about(0, q[2]));
  double quaternion[4];
  chain.rotation().quaternion().to_xyzw(quaternion);
  EXPECT_LT((Spherical({}).pose(quaternion).matrix() - chain.matrix()).norm(), 1e-15);
}

TEST(RotationFromZ, TakesZToAnyAxisAndIsExactOnCoordinateAxes) {
  Random random(5);
  for (int sample = 0; sample < 1000; ++sample) {
    const Vector3<double> axis = Vector3<double>(random.normal(), random.normal(), random.normal()).normalized();
    const Matrix3<double> R = rotation_from_z(axis).matrix();
    EXPECT_LT((R.col(2) - axis).norm(), 1e-15);
    EXPECT_LT((R.transpose() * R - Matrix3<double>::Identity()).norm(), 2e-15);
    EXPECT_NEAR(R.col(0).dot(cross<double>(R.col(1), R.col(2))), 1.0, 1e-14);
  }
  for (int i = 0; i < 3; ++i)
    for (double sign : {1.0, -1.0}) {
      const Matrix3<double> R = rotation_from_z(sign * Vector3<double>::Unit(i)).matrix();
      for (double entry : R.reshaped()) EXPECT_TRUE(entry == 0.0 || std::abs(entry) == 1.0) << entry;
    }
}

}  // namespace
}  // namespace amble
