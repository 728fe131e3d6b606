#pragma once

#include "amble/control/legged/legged_walk.hpp"

namespace amble::detail {

/// Judges a walk step by step from the state of the plant and its contact forces.
class WalkJudge {
 public:
  WalkJudge(const LeggedRobot& robot, double friction);

  /// The state that the walk starts in.
  void start(const VectorRef& q, const VectorRef& v);
  /// After a step of `h` (s) to `t` in which `tau` acted.
  void step(double t, double h, const VectorRef& q, const VectorRef& v, const VectorRef& tau,
            std::span<const ContactForce> touching, LeggedWalk& out);
  /// Whether the robot has fallen, and how.
  bool fallen(const VectorRef& q, double height, std::string& reason);
  void finish(LeggedWalk& out) const;

 private:
  void judge_joints(double t, double h, const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                    LeggedWalk& out);
  void judge_feet(const VectorRef& q, std::span<const ContactForce> touching, LeggedWalk& out);

  struct SeenFoot {
    LinkFrame frame;  // of the sole
    bool bears = false;
    Pose X_WS;                // of the last step
    std::vector<double> way;  // on the floor in this stance (m)
  };
  const LeggedRobot& robot_;
  double friction_, weight_;
  Workspace work_;
  OwnedVector v_;
  std::vector<SeenFoot> feet_;
  std::vector<int> joint_of_;  // by velocity
  std::vector<char> of_leg_;   // likewise
  std::vector<double> positive_, net_;
  Vector3<double> start_ = Vector3<double>::Zero(), now_ = Vector3<double>::Zero();
};

}  // namespace amble::detail
