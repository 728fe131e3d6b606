#pragma once

#include <span>
#include <vector>

#include "amble/mechanism/mechanism.hpp"
#include "amble/simulation/stepped_contact.hpp"

namespace amble {

/// Joints that dry friction holds still, as far as the steps before tell. A step may leave their velocities out and find
/// the forces afterwards: a robot that stands is then one rigid body. It is a guess that every step checks, and gives up
/// where a joint would need more than its friction.
class HeldJoints {
 public:
  explicit HeldJoints(const Mechanism& mechanism);

  /// By velocity.
  std::span<const char> flags() const { return held_; }
  bool any() const;
  void forget();
  /// All of them, and none for some steps to come.
  void give_up();

  /// Before a step: releases what its conditions may have to move.
  void meet(std::span<const SteppedContact> contacts);
  /// Whether a condition is met by what is held: the friction itself, a joint that is off its limit.
  bool meets(const StepBlock& block) const;
  /// After a step: takes what did not slip.
  void learn(std::span<const SteppedContact> contacts);

 private:
  void release_between(int link_a, int link_b);
  bool moves_between(int link_a, int link_b) const;

  std::vector<Link> links_;  // of the mechanism
  std::vector<char> held_;
  std::vector<int> loads_;  // how many frictions and limits act along each velocity
  int rest_ = 0;            // steps to go without any
};

}  // namespace amble
