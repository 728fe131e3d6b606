#include "amble/dynamics/tendons.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/ports/carried_elements.hpp"
#include "amble/ports/drive_forces.hpp"
#include "amble/ports/tendon_elements.hpp"
#include "bindings.hpp"
#include "element_handles.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

py::ssize_t tendon_count(const Mechanism& m) { return static_cast<py::ssize_t>(m.tendons().size()); }
py::ssize_t drive_count(const Mechanism& m) {
  return static_cast<py::ssize_t>(m.description().drives.size());
}

void bind_lengths(py::module_& m) {
  m.def(
      "tendon_lengths",
      [](const Mechanism& robot, const py::object& q) {
        const auto f = [&](Workspace& work, Row q) { return tendon_lengths(robot, work, q); };
        return map_states(robot, {tendon_count(robot)}, f, Input(q, robot.nq(), "q"));
      },
      "m"_a, "q"_a,
      "Lengths of the tendons, in the order of Mechanism.tendons (m; of tendons over joints, in their "
      "units). Takes stacks.");
  m.def(
      "tendon_jacobian",
      [](const Mechanism& robot, const py::object& q) {
        const auto f = [&](Workspace& work, Row q) { return tendon_jacobian(robot, work, q); };
        return map_states(robot, {tendon_count(robot), robot.nv()}, f, Input(q, robot.nq(), "q"));
      },
      "m"_a, "q"_a,
      "Moment arms of the tendons (tendons x nv): the rates of their lengths are tendon_jacobian @ v, and "
      "tensions f "
      "act on the joints as -tendon_jacobian.T @ f. Takes stacks.");
  m.def(
      "drive_lengths",
      [](const Mechanism& robot, const py::object& q) {
        const auto f = [&](Workspace& work, Row q) { return drive_lengths(robot, work, q); };
        return map_states(robot, {drive_count(robot)}, f, Input(q, robot.nq(), "q"));
      },
      "m"_a, "q"_a,
      "Lengths that the drives see, in the order of Mechanism.drives: gear times that of the joint or "
      "tendon. Takes stacks.");
  m.def(
      "drive_moments",
      [](const Mechanism& robot, const py::object& q) {
        const auto f = [&](Workspace& work, Row q) { return drive_moments(robot, work, q); };
        return map_states(robot, {drive_count(robot), robot.nv()}, f, Input(q, robot.nq(), "q"));
      },
      "m"_a, "q"_a,
      "Moment arms of the drives (drives x nv): forces f of drives act on the joints as drive_moments.T @ f. "
      "Takes stacks.");
}

std::vector<double> one_each(const py::object& x, py::ssize_t count, const char* what) {
  const Eigen::VectorXd values = vector(numbers(x, {count}, what));
  return {values.begin(), values.end()};
}

DriveForces forces(const Mechanism& m, const py::object& q, const py::object& v, const py::object& ctrl,
                   const py::object& act) {
  const Eigen::VectorXd at = vector(numbers(q, {m.nq()}, "q")), rate = vector(numbers(v, {m.nv()}, "v"));
  const auto dynamic = static_cast<py::ssize_t>(activation_names(m).size());
  const std::vector<double> u = one_each(ctrl, drive_count(m), "ctrl");
  const std::vector<double> a = act.is_none() ? std::vector<double>(static_cast<std::size_t>(dynamic), 0.0)
                                              : one_each(act, dynamic, "act");
  return drive_forces(m, thread_workspace(m), at, rate, u, a);
}

void bind_drive_forces(py::module_& m) {
  const auto part = [](OwnedVector DriveForces::*member) {
    return [member](const DriveForces& x) { return array(x.*member); };
  };
  py::class_<DriveForces>(m, "DriveForces", "What the drives do at a state; from drive_forces().")
      .def_property_readonly("length", part(&DriveForces::length), "Of each drive.")
      .def_property_readonly("rate", part(&DriveForces::rate), "Of its length.")
      .def_property_readonly("force", part(&DriveForces::force), "Along its length, within its bounds.")
      .def_property_readonly("activation_rate", part(&DriveForces::activation_rate),
                             "Of each drive with dynamics.")
      .def_property_readonly("tau", part(&DriveForces::tau),
                             "Of all on the joints (nv), within the bounds of joints.")
      .def("__repr__", [](const DriveForces& x) {
        return fmt::format("<amble.DriveForces of {} drives>", x.force.size());
      });
  m.def("drive_forces", &forces, "m"_a, "q"_a, "v"_a, "ctrl"_a, "act"_a = py::none(),
        "Forces of the drives of a model file for their controls (one each) and activations (one for each of "
        "Mechanism.activations; zero unless given).");
  m.def(
      "passive_forces",
      [](const Mechanism& robot, const py::object& q, const py::object& v) {
        const auto f = [&](Workspace& work, Row q, Row v) { return carried_forces(robot, work, q, v); };
        return map_states(robot, {robot.nv()}, f, Input(q, robot.nq(), "q"), Input(v, robot.nv(), "v"));
      },
      "m"_a, "q"_a, "v"_a,
      "What a mechanism carries does at the joints (nv): springs, dampers and friction of joints and "
      "tendons, springs between "
      "bodies, gravity compensation. Takes stacks.");
}

std::vector<TendonLimit> limits_from(const Mechanism& m, const std::string& name,
                                     const std::optional<std::string>& tendon, std::optional<double> lower,
                                     std::optional<double> upper) {
  if (!tendon && (lower || upper)) throw Error(fmt::format("'{}' has limits, but no tendon", name));
  const int index = tendon ? m.tendon_index(*tendon) : -1;
  std::vector<TendonLimit> out;
  if (lower) out.push_back({index, *tendon, *lower, false});
  if (upper) out.push_back({index, *tendon, *upper, true});
  if (lower || upper) return out;
  for (TendonLimit& limit : tendon_limits(m))
    if (!tendon || limit.tendon == index) out.push_back(std::move(limit));
  if (tendon && out.empty())
    throw Error(fmt::format("'{}' stops tendon '{}' at its limits, but it has none", name, *tendon));
  return out;
}

}  // namespace

void bind_tendons(py::module_& m) {
  bind_lengths(m);
  bind_drive_forces(m);
  m.def(
      "tendon_stops",
      [](const Mechanism& robot, const std::optional<std::string>& tendon, std::optional<double> lower,
         std::optional<double> upper, double stiffness, double damping, double exponent,
         const std::string& name) {
        return writable(tendon_stops(name, limits_from(robot, name, tendon, lower, upper),
                                     {stiffness, damping, exponent}));
      },
      "m"_a, "tendon"_a = py::none(), "lower"_a = py::none(), "upper"_a = py::none(), "stiffness"_a = 1e4,
      "damping"_a = 0.1, "exponent"_a = 1.0, "name"_a = "tendon stops",
      "Stops that give way at limits of the lengths of tendons, as end_stops: of all tendons, of one, or "
      "given for it.");
}

}  // namespace amble::python
