#pragma once

#include "amble/simulation/simulator.hpp"
#include "constraint_handles.hpp"

// What simulate() and its relatives share.
namespace amble::python {

/// tau of `simulate`: none, numbers for the whole motion, or a function of (t, q, v).
std::vector<ElementPtr> drives_from(const Mechanism& m, const py::object& tau);

/// As interfaces name its parts.
py::dict ledger_dict(const Ledger& books);

void reset(Simulator& s, const py::object& q, const py::object& v, double t);

/// Ctrl-C ends a run; looked for now and then, because it takes the lock.
bool go_on(double t);

}  // namespace amble::python
