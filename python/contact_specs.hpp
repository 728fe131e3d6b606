#pragma once

#include "amble/contact/contact_spec.hpp"
#include "convert.hpp"

namespace amble::python {

/// Contacts as a list of dicts has them: body, point, radius, normal, offset (or height), friction,
/// restitution, name, all but the first of which may be left out.
std::vector<ContactSpec> contact_specs_from(const py::object& contacts, double restitution = 0.0);

}  // namespace amble::python
