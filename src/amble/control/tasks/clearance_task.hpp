#pragma once

#include "amble/contact/body_distance.hpp"
#include "amble/control/braking.hpp"
#include "amble/control/tasks/task.hpp"

namespace amble {

/// Bodies keep apart: of each pair nearer than `range`, -d'' <= most_acceleration(d - clearance, -d') where d is the
/// distance of their collision shapes, so that they come to rest at `clearance` at the nearest. A constraint (level 0)
/// unless told otherwise. Bodies that are nearer than that part again.
///
/// d' is exact. d'' is, beside J a, the change of d' along the motion, by a difference over `ahead`; where the nearest
/// points jump from face to face it is none, and no more of it is believed than braking can do.
class ClearanceTask : public Task {
 public:
  /// An Error as BodyDistances has it, and when there is no pair.
  ClearanceTask(std::string name, const Mechanism& mechanism, const BodyDistanceOptions& options = {});

  double clearance = 0.02;  ///< m
  double range = 0.15;      ///< m
  double ahead = 1e-3;      ///< s
  Braking braking;

  void validate() const override;
  int evaluate(const TaskSight& at, const TaskRows& out) override;
  /// The nearest two of the last evaluation, and all of them.
  const BodyDistance& nearest() const;
  const std::vector<BodyDistance>& distances() const { return *found_; }

 private:
  double speed(const BodyDistances& distances, std::size_t pair, const OwnedVector& v);

  BodyDistances now_, next_;
  const std::vector<BodyDistance>* found_;
  OwnedVector q_, step_, row_;
};

}  // namespace amble
