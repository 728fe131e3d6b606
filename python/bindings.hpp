#pragma once

#include <pybind11/pybind11.h>

// One function per file of bindings; module.cpp calls them all.
namespace amble::python {

namespace py = pybind11;

void bind_dual(py::module_& geometry);
void bind_groups(py::module_& geometry);
void bind_lines_and_screws(py::module_& geometry);
void bind_inertia(py::module_& geometry);
void bind_charts(py::module_& geometry);
void bind_mechanism(py::module_& m);
void bind_parts(py::module_& m);
void bind_builder(py::module_& m);
void bind_mechanism_functions(py::module_& m);
void bind_io(py::module_& m);
void bind_dynamics(py::module_& m);
void bind_dynamics_derivatives(py::module_& m);
void bind_dynamics_momentum(py::module_& m);
void bind_dynamics_parameters(py::module_& m);
void bind_chart_form(py::module_& m);
void bind_momentum_form(py::module_& m);
void bind_gauss(py::module_& m);
void bind_constraints_of_mechanisms(py::module_& m);
void bind_surfaces(py::module_& m);
void bind_surface_constraints(py::module_& m);
void bind_springs(py::module_& m);
void bind_contact_dynamics(py::module_& m);
void bind_user_elements(py::module_& m);
void bind_spatial_elements(py::module_& m);
void bind_compliant_contact(py::module_& m);
void bind_contact_kinematics(py::module_& m);
void bind_contact(py::module_& m);
void bind_contact_scene(py::module_& m);
void bind_grounds(py::module_& m);
void bind_friction(py::module_& m);
void bind_elements(py::module_& m);
void bind_sensors(py::module_& m);
void bind_simulation(py::module_& m);
void bind_reduced_motion(py::module_& m);
void bind_port_hamiltonian(py::module_& m);
void bind_scenario(py::module_& m);
void bind_bonds(py::module_& m);
void bind_gaits(py::module_& m);
void bind_curve_tracking(py::module_& m);

}  // namespace amble::python
