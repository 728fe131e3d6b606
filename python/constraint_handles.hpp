#pragma once

#include <optional>

#include "amble/constraints/carried_constraints.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "convert.hpp"

// Constraints as Python holds them.
namespace amble::python {

/// Python has no constant objects; a constraint has no method that changes it.
using ConstraintHandle = std::shared_ptr<Constraint>;
using ConstraintHandles = std::vector<ConstraintHandle>;
inline ConstraintHandle writable(const ConstraintPtr& c) { return std::const_pointer_cast<Constraint>(c); }

inline ConstraintHandles all_writable(const std::vector<ConstraintPtr>& constraints) {
  ConstraintHandles out;
  for (const ConstraintPtr& c : constraints) out.push_back(writable(c));
  return out;
}

/// Those given, or those that the mechanism carries.
inline std::vector<ConstraintPtr> constraints_from(const Mechanism& m, const std::optional<ConstraintHandles>& given) {
  if (!given) return constraints_of(m);
  return {given->begin(), given->end()};
}

/// The frame on a body or frame by name ("world" for the world), at a pose on it.
inline LinkFrame frame_from(const Mechanism& m, const std::string& place, const py::object& pose, const std::string& what) {
  return link_frame(m, place, pose.is_none() ? Pose() : pose_from(pose, what));
}

inline Eigen::Map<const Eigen::VectorXd> vector(const Array& x) { return {x.data(), x.size()}; }

/// A function of Python's that C++ may keep and let go of without the interpreter's lock.
inline std::shared_ptr<py::object> kept(const py::object& f) {
  return {new py::object(f), [](py::object* p) {
            py::gil_scoped_acquire locked;
            delete p;
          }};
}

/// The mechanism that is a part of `owner`, which lives as long as Python has either. A plain reference would do for
/// calls, but bodies and joints keep their mechanism alive, and can only do so with one that is shared.
inline std::shared_ptr<Mechanism> mechanism_in(const py::object& owner, const Mechanism& mechanism) {
  return {kept(owner), const_cast<Mechanism*>(&mechanism)};
}

}  // namespace amble::python
