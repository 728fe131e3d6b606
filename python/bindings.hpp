#pragma once

#include <pybind11/pybind11.h>

// What files of bindings call of each other. Each has one function that module.cpp calls, which declares it.
namespace amble::python {

namespace py = pybind11;

void bind_surfaces(py::module_& m);
void bind_surface_constraints(py::module_& m);
void bind_user_elements(py::module_& m);
void bind_spatial_elements(py::module_& m);

}  // namespace amble::python
