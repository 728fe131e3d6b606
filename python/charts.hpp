#pragma once

#include <pybind11/pybind11.h>

#include "amble/geometry/chart.hpp"

namespace amble::python {

/// A chart from its name, from an object with rho(theta), or as it is.
std::shared_ptr<Chart> chart_from(const pybind11::object& x);

}  // namespace amble::python
