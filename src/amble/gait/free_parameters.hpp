#pragma once

#include <string>
#include <vector>

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// Numbers of a mechanism that are free to change, by name:
///     BODY.mass (kg), BODY.com (x, y, z in the body's frame, m), BODY.inertia (six numbers about the centre
///     of mass, kg m^2); JOINT.stiffness, JOINT.reference, JOINT.damping, JOINT.friction, JOINT.armature, one
///     for each velocity of the joint.
/// `*` in place of a name stands for every body that has mass, or every joint that moves.
///
/// They are kept in coordinates theta in which every point is a body that can exist: the logarithm of the
/// mass, and the Cholesky factor, its diagonal by logarithms, of S = tr(I) / 2 - I, which is positive exactly
/// when I obeys the triangle inequality. Stiffness, damping, friction and armature are not below zero.
class FreeParameters {
 public:
  /// Throws an Error for a name that is not there, given twice, or a body without mass.
  FreeParameters(const Mechanism& mechanism, const std::vector<std::string>& names);

  int size() const { return static_cast<int>(names_.size()); }
  /// Of the values: "leg.mass", "leg.com.x", "leg.inertia.xx", "hip.damping", "ball.damping[1]".
  const std::vector<std::string>& names() const { return names_; }

  /// The mechanism's own. A body whose inertia is that of a rod or a point begins with a little more.
  const OwnedVector& start() const { return start_; }
  /// Where theta may not go below.
  const OwnedVector& lower() const { return lower_; }
  Mechanism mechanism(const VectorRef& theta) const;
  /// In the units of names().
  OwnedVector values(const VectorRef& theta) const;
  /// Their derivative in theta.
  OwnedMatrix values_derivative(const VectorRef& theta) const;

 private:
  enum class Kind { mass, com, inertia, property };
  /// Some neighbouring numbers of theta: of one body or one joint.
  struct Group {
    Kind kind;
    std::size_t owner;  // in the description's bodies or joints
    std::string property;
    int first, size;
  };
  void add(std::string_view owner, std::string_view what);
  void add_body(std::size_t body, Kind kind, std::string_view what);
  void add_joint(std::size_t joint, std::string_view property);
  void append(const Group& group, const std::string& name, const std::vector<std::string>& endings);
  void read_start();

  Mechanism mechanism_;
  std::vector<Group> groups_;
  std::vector<std::string> names_;
  OwnedVector start_, lower_;
};

}  // namespace amble
