#pragma once

#include <memory>
#include <string>

#include "amble/constraints/constraint.hpp"
#include "amble/contact/contact_point.hpp"

namespace amble {

/// How the nearest points of two surfaces move, in world axes: over the surfaces and with them.
struct ContactMotion {
  Vector3<double> p_a_dot = Vector3<double>::Zero(), p_b_dot = Vector3<double>::Zero();  ///< m/s
  Vector3<double> normal_dot = Vector3<double>::Zero();                                  ///< 1/s
  double distance_rate = 0.0;                                                            ///< m/s
};

/// Two surfaces, each fixed to a frame on a link, and where they are nearest to each other (DS 3.1). Immutable.
class ContactPair {
 public:
  ContactPair(std::string name, const LinkFrame& a, const LinkFrame& b) : name_(std::move(name)), a_(a), b_(b) {}
  virtual ~ContactPair() = default;
  const std::string& name() const { return name_; }
  const LinkFrame& a() const { return a_; }
  const LinkFrame& b() const { return b_; }

  /// `a` and `b` are where the frames of the surfaces are; velocities are not read. Throws an Error where no pair of points
  /// can be told to be nearest.
  virtual ContactPoint nearest(const FrameMotion& a, const FrameMotion& b) const = 0;
  /// The same where an answer nearby is known, which may be quicker.
  virtual ContactPoint nearest_after(const ContactPoint& before, const FrameMotion& a, const FrameMotion& b) const {
    return (void)before, nearest(a, b);
  }
  /// How what nearest() gave moves.
  virtual ContactMotion motion(const ContactPoint& at, const FrameMotion& a, const FrameMotion& b) const = 0;

 private:
  std::string name_;
  LinkFrame a_, b_;
};

using ContactPairPtr = std::shared_ptr<const ContactPair>;

}  // namespace amble
