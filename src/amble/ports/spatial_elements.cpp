#include "amble/ports/spatial_elements.hpp"

#include <Eigen/Eigenvalues>

#include "amble/base/slope.hpp"
#include "amble/dynamics/joint_forces.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/link_motion.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

/// Throws an Error for what no passive spring or damper has.
void check_matrix(const std::string& name, const char* what, const Matrix3<double>& K) {
  if (!K.allFinite() || (K - K.transpose()).norm() > 1e-12 * K.norm())
    throw Error(fmt::format("'{}' has a {} matrix that is not finite and symmetric", name, what));
  const Eigen::Matrix3d symmetric = K;
  const double least =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(symmetric, Eigen::EigenvaluesOnly).eigenvalues()[0];
  if (least < -1e-12 * K.norm())
    throw Error(fmt::format("'{}' has a {} matrix with the eigenvalue {}: expected none below 0", name, what, least));
}

Twist<double> twist_at(const MovingPose& moving, double t) {
  if (moving.twist) return moving.twist(t);
  const Pose X_inverse = moving.pose(t).inverse();
  return Twist<double>(slope_at_zero([&](double h) { return (X_inverse * moving.pose(t + h)).log().vector(); }));
}

Place placed(const Mechanism& m, const std::string& name, const Pose& X) {
  Place place = m.place(name);
  place.X_LP = place.X_LP * X;
  return place;
}

/// A spring and a damper side by side between a and b, about a rest that may move.
class SpatialElement : public Element {
 public:
  SpatialElement(std::string name, const Mechanism& m, const SpatialEnds& ends, const SpatialStiffness& stiffness,
                 const SpatialDamping& damping, MovingPose rest)
      : Element(std::move(name)),
        a_(placed(m, ends.body_a, ends.X_Aa)),
        b_(placed(m, ends.body_b, ends.X_Bb)),
        stiffness_(stiffness),
        damping_(damping),
        rest_(std::move(rest)),
        damped_(!damping.translation.isZero(0.0) || !damping.rotation.isZero(0.0)) {
    check_matrix(this->name(), "translational stiffness", stiffness.translation);
    check_matrix(this->name(), "rotational stiffness", stiffness.rotation);
    check_matrix(this->name(), "translational damping", damping.translation);
    check_matrix(this->name(), "rotational damping", damping.rotation);
    if (a_.link == b_.link)
      throw Error(fmt::format("'{}' is between '{}' and '{}', which cannot move against each other", this->name(),
                              ends.body_a, ends.body_b));
  }

  /// With c = b rest^-1, a frame on b that meets a at rest, V_ac_c = Ad_rest (V_ab_b - V_rest): so dU/dt = <F,
  /// V_ab_b> - <F, V_rest> for the slope F in b, and the second part comes from outside. Likewise for the damper.
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    const LinkPoses poses = forward_kinematics(at.mechanism, at.work, at.q);
    const Pose X_Wb = poses[b_.link] * b_.X_LP, X_ab = (poses[a_.link] * a_.X_LP).inverse() * X_Wb;
    const Pose rest = rest_.pose(at.t);
    const Twist<double> V_rest = twist_at(rest_, at.t);
    const SpatialPotential potential = spatial_potential(stiffness_, X_ab * rest.inverse());
    Wrench<double> pull = rest.inverse() * potential.slope;
    if (damped_) pull += damping_pull(at, X_Wb, V_rest, out);
    out.stored = potential.energy;
    out.supplied = -power(V_rest, pull);
    const ActuatorBetween actuator{a_, b_, -pull};
    out.tau = actuator_forces(at.mechanism, at.work, at.q, {&actuator, 1});
  }

 private:
  Wrench<double> damping_pull(const PortState& at, const Pose& X_Wb, const Twist<double>& V_rest,
                              PortFlows& out) const {
    const std::span<const LinkMotion> links = link_velocities(at.mechanism, at.work, at.q, at.v);
    const LinkPoses poses = forward_kinematics(at.mechanism, at.work, at.q);
    const Pose X_bW = X_Wb.inverse();
    const auto twist = [&](int link) { return (X_bW * poses[link]) * links[link].V; };
    const Twist<double> V = twist(b_.link) - twist(a_.link) - V_rest;
    const Wrench<double> pull(damping_.translation * V.linear(), damping_.rotation * V.angular());
    out.dissipated = power(V, pull);
    return pull;
  }

  Place a_, b_;
  SpatialStiffness stiffness_;
  SpatialDamping damping_;
  MovingPose rest_;
  bool damped_;
};

}  // namespace

MovingPose resting_pose(const Pose& pose) {
  return {[pose](double) { return pose; }, [](double) { return Twist<double>(); }};
}

ElementPtr spatial_spring(std::string name, const Mechanism& m, const SpatialEnds& ends,
                          const SpatialStiffness& stiffness, const MovingPose& rest) {
  return std::make_shared<SpatialElement>(std::move(name), m, ends, stiffness, SpatialDamping(), rest);
}

ElementPtr spatial_damper(std::string name, const Mechanism& m, const SpatialEnds& ends,
                          const SpatialDamping& damping) {
  return std::make_shared<SpatialElement>(std::move(name), m, ends, SpatialStiffness(), damping,
                                          resting_pose(Pose()));
}

ElementPtr spatial_impedance(std::string name, const Mechanism& m, const SpatialEnds& ends,
                             const SpatialStiffness& stiffness, const SpatialDamping& damping,
                             const MovingPose& target) {
  return std::make_shared<SpatialElement>(std::move(name), m, ends, stiffness, damping, target);
}

}  // namespace amble
