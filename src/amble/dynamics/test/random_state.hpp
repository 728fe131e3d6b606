#pragma once

#include "amble/base/slope.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/joints/custom.hpp"
#include "amble/mechanism/joints/spherical.hpp"
#include "amble/mechanism/random_mechanism.hpp"

namespace amble {

/// A mechanism in motion.
struct RandomState {
  Mechanism m;
  OwnedVector q;
  Eigen::VectorXd v, a;
};

inline RandomState in_motion(const Mechanism& m, const OwnedVector& q, std::uint64_t seed) {
  RandomState s{m, q, Eigen::VectorXd(m.nv()), Eigen::VectorXd(m.nv())};
  Random random(seed + 1000);
  for (double& x : s.v) x = random.uniform(-2, 2);
  for (double& x : s.a) x = random.uniform(-5, 5);
  return s;
}

/// Every joint type but custom, several roots, followers.
inline RandomState random_state(std::uint64_t seed, const RandomMechanismOptions& options) {
  const RandomMechanism r = random_mechanism(seed, options);
  return in_motion(r.mechanism, r.q, seed);
}
inline RandomState random_state(std::uint64_t seed, int most_bodies = 30) {
  const int bodies = 1 + static_cast<int>(seed % most_bodies);
  return random_state(seed, {.bodies = bodies, .roots = bodies > 5 ? 2 : 1, .mimic = seed % 3 == 0 ? 0.3 : 0.0});
}

/// What armature adds to the forces: Lagrange's equation for T = v^T A v / 2 in the velocity frame, which on spherical
/// and free joints is that of a rigid body (Euler-Poincare).
inline Eigen::VectorXd armature_forces(const Mechanism& m, const Eigen::VectorXd& v, const Eigen::VectorXd& a) {
  Eigen::VectorXd tau = m.armature().cwiseProduct(a);
  const Eigen::VectorXd p = m.armature().cwiseProduct(v);
  for (const Link& link : m.links()) {
    const int i = link.v.start;
    const auto part = [&](const Eigen::VectorXd& x, int k) { return Vector3<double>(x.segment<3>(i + k)); };
    if (link.q.size == 4 && link.parameters.custom == nullptr) tau.segment<3>(i) += cross<double>(part(v, 0), part(p, 0));
    if (link.q.size == 7 && link.parameters.custom == nullptr) {
      tau.segment<3>(i) += cross<double>(part(v, 3), part(p, 0));
      tau.segment<3>(i + 3) += cross<double>(part(v, 3), part(p, 3)) + cross<double>(part(v, 0), part(p, 0));
    }
  }
  return tau;
}

/// A user's joint whose subspace depends on q.
struct Cam : CustomJointOf<Cam, 2> {
  std::string name() const override { return "cam"; }
  template <class T>
  SE3<T> motion(const T* q) const {
    using std::sin;
    return SE3<T>(SO3<T>::about(2, q[0]) * SO3<T>::about(0, q[1]), Vector3<T>(sin(q[1]), T(0.1) * q[0] * q[1], q[0]));
  }
};

/// A ball that lifts as it tilts, X = (R, 0.3 R_zz z): a user's joint whose coordinates do not add.
struct LiftingBall : CustomJoint {
  static constexpr double kLift = 0.3;
  Spherical ball{{}};
  std::string name() const override { return "lifting ball"; }
  int nq() const override { return 4; }
  int nv() const override { return 3; }
  Pose pose(const double* q) const override {
    const SO3<double> R = ball.pose(q).rotation();
    return Pose(R, {0.0, 0.0, kLift * R.matrix()(2, 2)});
  }
  void subspace(const double* q, Twist<double>* S) const override {
    const Matrix3<double> R = ball.pose(q).rotation().matrix();
    for (int k = 0; k < 3; ++k) {
      const Vector3<double> e = Vector3<double>::Unit(k);
      S[k] = Twist<double>(kLift * (R * skew<double>(e))(2, 2) * R.row(2).transpose(), e);
    }
  }
  Twist<double> bias(const double* q, const double* v) const override {
    const Matrix3<double> R = ball.pose(q).rotation().matrix(), W = skew<double>({v[0], v[1], v[2]}), RW = R * W;
    const Vector3<double> z = R.row(2).transpose();
    return {kLift * ((RW * W)(2, 2) * z - RW(2, 2) * (W * z)), Vector3<double>::Zero()};
  }
  void integrate(const double* q, const double* d, double* out) const override { ball.integrate(q, d, out); }
  void difference(const double* q0, const double* q1, double* d) const override { ball.difference(q0, q1, d); }
  void neutral(double* q) const override { ball.neutral(q); }
  double project(const double* q, double* out) const override { return ball.project(q, out); }
  void random(Random& r, const double* lower, const double* upper, double* q) const override {
    ball.random(r, lower, upper, q);
  }
};

/// A chain of cams, lifting balls and ordinary joints.
inline RandomState custom_state(std::uint64_t seed) {
  Builder b("custom");
  Random random(seed);
  std::string parent = kWorld;
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i), body = "body" + n;
    b.body({.name = body, .inertia = random_inertia(random)});
    JointDescription j{.name = "joint" + n,
                       .type = i % 3 == 2 ? "universal" : "custom",
                       .parent = parent,
                       .child = body,
                       .X_PF = random_pose(random),
                       .X_CM = random_pose(random)};
    if (i % 3 == 0) j.custom = std::make_shared<Cam>();
    if (i % 3 == 1) j.custom = std::make_shared<LiftingBall>();
    b.joint(j);
    parent = body;
  }
  const Mechanism m = b.build();
  return in_motion(m, m.random(seed), seed);
}

/// A random mechanism, every fourth time one with custom joints.
inline RandomState any_state(std::uint64_t seed) { return seed % 4 == 3 ? custom_state(seed) : random_state(seed); }

}  // namespace amble
