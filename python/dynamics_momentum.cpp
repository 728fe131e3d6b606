#include "amble/dynamics/momentum.hpp"

#include "bindings.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

py::object kinetic_energies(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](auto& work, auto&&... x) { return kinetic_energy(m, work, x...); };
  return unboxed(map_stack(m, {}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v")));
}

py::object potential_energies(const Mechanism& m, const py::object& q) {
  const auto f = [&](auto& work, auto&&... x) { return potential_energy(m, work, x...); };
  return unboxed(map_stack(m, {}, f, Input(q, m.nq(), "q")));
}

Array centers(const Mechanism& m, const py::object& q) {
  const auto f = [&](auto& work, auto&&... x) { return center_of_mass(m, work, x...); };
  return map_stack(m, {3}, f, Input(q, m.nq(), "q"));
}

Array center_velocities(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](auto& work, auto&&... x) { return center_of_mass_velocity(m, work, x...); };
  return map_stack(m, {3}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

Array momentum_matrices(const Mechanism& m, const py::object& q) {
  const auto f = [&](auto& work, auto&&... x) { return momentum_matrix(m, work, x...); };
  return map_stack(m, {6, m.nv()}, f, Input(q, m.nq(), "q"));
}

Array momentum_matrix_rates(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](auto& work, auto&&... x) { return momentum_matrix_dot(m, work, x...); };
  return map_stack(m, {6, m.nv()}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

Array momenta(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](auto& work, auto&&... x) { return momentum(m, work, x...); };
  return map_stack(m, {6}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

constexpr const char* kMomentumMatrix =
    R"(A (6 x nv) with momentum = A v, about the centre of mass in world axes.

Linear part first: the first three rows over m.mass are the Jacobian of the centre of mass. Takes stacks.)";

}  // namespace

void bind_dynamics_momentum(py::module_& m) {
  m.def("kinetic_energy", &kinetic_energies, py::arg("m"), py::arg("q"), py::arg("v"),
        "v^T M v / 2 (J), armature included: a float, or (...) for stacks.");
  m.def("potential_energy", &potential_energies, py::arg("m"), py::arg("q"),
        "-mass gravity . center_of_mass (J), zero with all mass at the world's origin: a float, or (...) for a "
        "stack of q (..., nq).");
  m.def("center_of_mass", &centers, py::arg("m"), py::arg("q"),
        "Where the centre of mass of all bodies is in the world, in m (3). Takes stacks.");
  m.def("center_of_mass_velocity", &center_velocities, py::arg("m"), py::arg("q"), py::arg("v"),
        "How the centre of mass moves, in world axes and m/s (3). Takes stacks.");
  m.def("momentum_matrix", &momentum_matrices, py::arg("m"), py::arg("q"), kMomentumMatrix);
  m.def("momentum_matrix_dot", &momentum_matrix_rates, py::arg("m"), py::arg("q"), py::arg("v"),
        "dA/dt (6 x nv) along v of A = momentum_matrix: momentum changes by A a + dA/dt v. Takes stacks.");
  m.def("momentum", &momenta, py::arg("m"), py::arg("q"), py::arg("v"),
        "Linear momentum (kg m/s) and angular momentum about the centre of mass (kg m^2/s), in world axes (6). "
        "Takes stacks.");
}

}  // namespace amble::python
