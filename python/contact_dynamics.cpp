#include "amble/constraints/contact_dynamics.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <variant>

#include "amble/base/error.hpp"
#include "bindings.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

using X = ContactDynamics;
using Change = ContactDerivatives;

constexpr const char* kContact =
    R"(A frame on a body that is held against the world: six rows, or three for a point that may turn.

place: a body or frame by name; pose (4 x 4): the contact frame on it. axes: "body" (of the contact frame) or "world", in which
its rows and forces are given.)";

constexpr const char* kDynamics =
    R"(A mechanism that stands on contacts, which can pull and do not slip: M a + bias = tau + J^T f.

contacts: a list of BodyContact, or of names of bodies held in all six directions. damping (1/s): J a + (dJ/dt) v = -damping J v.
redundancy: rows whose share not explained by others is smaller count as redundant; their forces are the smallest that do.)";

constexpr const char* kDerivatives =
    R"(Derivatives of accelerations and forces in q (along integrate), v and tau, by solve() at the same state.

An Error where redundant rows come apart in some direction of q.)";

ContactAxes axes_from(const std::string& name) {
  if (name == "body") return ContactAxes::body;
  if (name == "world") return ContactAxes::world;
  throw Error(fmt::format("axes is '{}': expected body or world", name));
}

BodyContact contact(const std::string& place, const py::object& pose, bool point, const std::string& axes) {
  return {place, pose.is_none() ? Pose() : pose_from(pose, "pose"), point, axes_from(axes)};
}

std::vector<BodyContact> contacts_from(const std::vector<std::variant<std::string, BodyContact>>& given) {
  std::vector<BodyContact> out;
  for (const auto& c : given) out.push_back(c.index() == 0 ? BodyContact{.place = std::get<0>(c)} : std::get<1>(c));
  return out;
}

struct Arguments {
  Array q, v, tau;
  std::vector<ExternalWrench> external;

  Arguments(const X& x, const py::object& given_q, const py::object& given_v, const py::object& given_tau,
            const py::object& given_external)
      : q(numbers(given_q, {x.mechanism().nq()}, "q")),
        v(numbers(given_v, {x.mechanism().nv()}, "v")),
        tau(numbers(given_tau, {x.mechanism().nv()}, "tau")),
        external(wrenches(x.mechanism(), given_external, "external")) {}
};

Eigen::Map<const Eigen::VectorXd> vector(const Array& x) { return {x.data(), x.size()}; }

Array solve(X& x, const py::object& q, const py::object& v, const py::object& tau, const py::object& external) {
  const Arguments at(x, q, v, tau, external);
  return array(x.solve(vector(at.q), vector(at.v), vector(at.tau), at.external));
}

Change derivatives(X& x, const py::object& q, const py::object& v, const py::object& tau,
                   const py::object& external) {
  const Arguments at(x, q, v, tau, external);
  return x.derivatives(vector(at.q), vector(at.v), vector(at.tau), at.external);
}

py::tuple linearization_on(X& x, const py::object& q, const py::object& v, const py::object& tau,
                           const py::object& external) {
  const Arguments at(x, q, v, tau, external);
  const Linearization l = linearize(x, vector(at.q), vector(at.v), vector(at.tau), at.external);
  return py::make_tuple(array(l.A), array(l.B));
}

Array impact(X& x, const py::object& q, const py::object& v, double restitution) {
  const Array at_q = numbers(q, {x.mechanism().nq()}, "q"), at_v = numbers(v, {x.mechanism().nv()}, "v");
  return array(x.impact(vector(at_q), vector(at_v), restitution));
}

void bind_records(py::module_& m) {
  py::class_<BodyContact>(m, "BodyContact", kContact)
      .def(py::init(&contact), py::arg("place"), py::arg("pose") = py::none(), py::arg("point") = false,
           py::arg("axes") = "body")
      .def_readonly("place", &BodyContact::place, "The body or frame.")
      .def_property_readonly(
          "pose", [](const BodyContact& c) { return array(c.X_PC); }, "The contact frame on it (4 x 4).")
      .def_readonly("point", &BodyContact::point, "Whether only its origin is held.")
      .def_property_readonly(
          "axes", [](const BodyContact& c) { return c.axes == ContactAxes::body ? "body" : "world"; },
          "In which axes its rows are: body or world.");
  py::class_<Change> change(m, "ContactDerivatives",
                            "Derivatives of ContactDynamics.solve(); made by derivatives().");
  const auto add = [&](const char* name, OwnedRowMatrix Change::*member, const char* text) {
    change.def_property_readonly(
        name, [member](const Change& d) { return array(d.*member); }, text);
  };
  add("a_dq", &Change::a_dq, "Accelerations in q (nv x nv).");
  add("a_dv", &Change::a_dv, "Accelerations in v (nv x nv).");
  add("a_dtau", &Change::a_dtau, "Accelerations in tau (nv x nv).");
  add("f_dq", &Change::f_dq, "Forces in q (rows x nv).");
  add("f_dv", &Change::f_dv, "Forces in v (rows x nv).");
  add("f_dtau", &Change::f_dtau, "Forces in tau (rows x nv).");
}

}  // namespace

void bind_contact_dynamics(py::module_& m) {
  bind_records(m);
  const ContactOptions standard;
  const py::object none = py::none();
  py::class_<X>(m, "ContactDynamics", kDynamics)
      .def(py::init([](const Mechanism& m, const std::vector<std::variant<std::string, BodyContact>>& contacts,
                       double damping, double redundancy) {
             return X(m, contacts_from(contacts), {.damping = damping, .redundancy = redundancy});
           }),
           py::arg("m"), py::arg("contacts"), py::arg("damping") = standard.damping,
           py::arg("redundancy") = standard.redundancy)
      .def_property_readonly("rows", &X::rows, "How many rows the contacts have.")
      .def("row", &X::row, py::arg("contact"), "Where the rows of a contact start.")
      .def("solve", &solve, py::arg("q"), py::arg("v"), py::arg("tau"), py::arg("external") = none,
           "Accelerations (nv) under tau and wrenches from outside {body: wrench}; then forces, rank.")
      .def("derivatives", &derivatives, py::arg("q"), py::arg("v"), py::arg("tau"), py::arg("external") = none,
           kDerivatives)
      .def("linearize", &linearization_on, py::arg("q"), py::arg("v"), py::arg("tau"), py::arg("external") = none,
           "(A, B) as amble.linearize() gives them, of the motion on the contacts.")
      .def("impact", &impact, py::arg("q"), py::arg("v"), py::arg("restitution") = 0.0,
           "Velocities (nv) after an impact on all contacts at once, J v+ = -restitution J v; forces are then the "
           "impulses.")
      .def_property_readonly(
          "accelerations", [](const X& x) { return array(x.accelerations()); }, "What the last call gave (nv).")
      .def_property_readonly(
          "forces", [](const X& x) { return array(x.forces()); },
          "What the contacts do on the mechanism (rows): each force before moment, in its axes.")
      .def(
          "force", [](const X& x, int contact) { return array(x.force(contact).vector()); }, py::arg("contact"),
          "The force and moment of one contact at its origin (6).")
      .def_property_readonly("rank", &X::rank, "How many rows were independent at the last call.");
}

}  // namespace amble::python
