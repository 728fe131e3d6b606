#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "amble/mechanism/description.hpp"

namespace amble::python {

inline constexpr const char* kWithProperties =
    "A new mechanism with some numbers of a joint replaced, the others kept: lower, upper, velocity, effort, "
    "damping, "
    "friction, armature, stiffness, reference (each a number, or a list with one per degree of freedom).";

/// Sets the properties named by `given`, each a number or a list (None: left as it is); an Error for a name
/// that is none of them. `owner` as in "joint 'knee'" goes into messages.
void change_properties(JointProperties& properties, const pybind11::kwargs& given, const std::string& owner);

}  // namespace amble::python
