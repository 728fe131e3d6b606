#pragma once

#include <span>

#include "amble/contact/contact_spec.hpp"
#include "amble/simulation/time_stepping.hpp"
#include "convert.hpp"

namespace amble::python {

/// Contacts as a list of dicts has them: body, point, radius, normal, offset (or height), friction,
/// restitution, name, all but the first of which may be left out.
std::vector<ContactSpec> contact_specs_from(const py::object& contacts, double restitution = 0.0);

/// What was solved for in a step; see Simulator.contacts.
py::list contacts_list(const Mechanism& m, std::span<const SteppedContact> contacts);
/// None when there is no report.
py::object contact_report_dict(const ContactReport* report);

}  // namespace amble::python
