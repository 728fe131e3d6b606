#include <fmt/format.h>

#include "amble/dynamics/joint_forces.hpp"
#include "amble/dynamics/line_coordinates.hpp"
#include "amble/dynamics/placement_derivatives.hpp"
#include "amble/dynamics/regressor.hpp"
#include "bindings.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

/// The columns of the bodies that a user knows, Mechanism.bodies; those left out have no inertia.
std::vector<Eigen::Index> known_columns(const Mechanism& m) {
  std::vector<Eigen::Index> columns;
  for (std::size_t b = 0; b < m.bodies().size(); ++b)
    for (int p = 0; p < kInertialParameters && !m.bodies()[b].auxiliary; ++p)
      columns.push_back(kInertialParameters * static_cast<Eigen::Index>(b) + p);
  return columns;
}

py::ssize_t count(const std::vector<Eigen::Index>& columns) { return static_cast<py::ssize_t>(columns.size()); }

Array parameters(const Mechanism& m) { return array(Eigen::VectorXd(inertial_parameters(m)(known_columns(m)))); }

Array gradients(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](Workspace& work, const VectorRef& q, const VectorRef& v) {
    return kinetic_energy_gradient(m, work, q, v);
  };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

Array regressors(const Mechanism& m, const py::object& q, const py::object& v, const py::object& a) {
  const std::vector<Eigen::Index> columns = known_columns(m);
  const auto f = [&](Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a) {
    return Eigen::MatrixXd(inverse_dynamics_regressor(m, work, q, v, a)(Eigen::all, columns));
  };
  return map_states(m, {m.nv(), count(columns)}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"),
                    Input(a, m.nv(), "a"));
}

Array kinetic_rows(const Mechanism& m, const py::object& q, const py::object& v) {
  const std::vector<Eigen::Index> columns = known_columns(m);
  const auto f = [&](Workspace& work, const VectorRef& q, const VectorRef& v) {
    return Eigen::VectorXd(kinetic_energy_regressor(m, work, q, v)(columns));
  };
  return map_states(m, {count(columns)}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

Array potential_rows(const Mechanism& m, const py::object& q) {
  const std::vector<Eigen::Index> columns = known_columns(m);
  const auto f = [&](Workspace& work, const VectorRef& q) {
    return Eigen::VectorXd(potential_energy_regressor(m, work, q)(columns));
  };
  return map_states(m, {count(columns)}, f, Input(q, m.nq(), "q"));
}

Array placements(const Mechanism& m, const py::object& q, const py::object& v, const py::object& a,
                 const std::string& joint) {
  m.joint_index(joint);
  const auto f = [&](Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a) {
    return inverse_dynamics_placement_derivatives(m, work, q, v, a, joint);
  };
  return map_states(m, {m.nv(), 6}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"), Input(a, m.nv(), "a"));
}

Array pulled_back(const Mechanism& m, const py::object& q, const py::object& given) {
  const std::vector<ExternalWrench> F = wrenches(m, given, "wrenches");
  const auto f = [&](Workspace& work, const VectorRef& q) { return generalized_forces(m, work, q, F); };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"));
}

[[noreturn]] void refuse_actuator(const std::string& what, py::handle x, const char* expected) {
  throw Error(fmt::format("{} is {}: expected {}", what, py::repr(x).cast<std::string>(), expected));
}

ActuatorBetween actuator(const Mechanism& m, py::handle x, const std::string& what) {
  constexpr const char* kForm = "(place_a, place_b, wrench)";
  if (!py::isinstance<py::sequence>(x) || py::len(x) != 3) refuse_actuator(what, x, kForm);
  const auto parts = py::reinterpret_borrow<py::sequence>(x);
  for (int end : {0, 1})
    if (!py::isinstance<py::str>(parts[end])) refuse_actuator(what, x, kForm);
  return {m.place(parts[0].cast<std::string>()), m.place(parts[1].cast<std::string>()),
          Wrench<double>(vector6(parts[2], "the wrench of " + what))};
}

Array actuated(const Mechanism& m, const py::object& q, const py::object& given) {
  if (!py::isinstance<py::sequence>(given) || py::isinstance<py::str>(given))
    refuse_actuator("actuators", given, "a sequence of (place_a, place_b, wrench)");
  std::vector<ActuatorBetween> actuators;
  for (py::handle x : given) actuators.push_back(actuator(m, x, fmt::format("actuator {}", actuators.size())));
  const auto f = [&](Workspace& work, const VectorRef& q) { return actuator_forces(m, work, q, actuators); };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"));
}

constexpr const char* kParameters = R"(pi (10 per body of m.bodies, one after another), each in its own body frame.

Ten are: mass (kg); first moment m c (kg m) x, y, z; inertia about the frame's origin (kg m^2) xx, xy, xz, yy, yz, zz.
inertial_parameters(m).reshape(-1, 10) has a row for each body.)";

constexpr const char* kPlacement =
    R"(The derivative (nv x 6) of inverse_dynamics when a joint's frame in its parent moves.

pose -> pose exp(d) with a small twist d in the joint's frame, linear part first; all that hangs on the joint moves
along. Any joint of the tree, fixed ones too. Takes stacks.)";

constexpr const char* kActuators = R"(What actuators between two bodies do at the joints (nv).

actuators: a sequence of (place_a, place_b, wrench (6)), the same for every row. The wrench, linear part first, acts
on b in the axes and at the origin of b, and its opposite on a; a place is a body, a frame or "world". Takes stacks
of q.)";

}  // namespace

void bind_dynamics_parameters(py::module_& m) {
  m.def("kinetic_energy_gradient", &gradients, py::arg("m"), py::arg("q"), py::arg("v"),
        "dT/dq (nv) of T = v^T M v / 2 along integrate(q, .) with v held, in closed form. Takes stacks.");
  m.def("inertial_parameters", &parameters, py::arg("m"), kParameters);
  m.def("inverse_dynamics_regressor", &regressors, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("a"),
        "Y (nv x 10 bodies) with inverse_dynamics = Y inertial_parameters + what armature adds: armature a, and at "
        "spherical and free joints the forces of a spinning body with that inertia. Takes stacks.");
  m.def("kinetic_energy_regressor", &kinetic_rows, py::arg("m"), py::arg("q"), py::arg("v"),
        "The row (10 bodies) with T = row . inertial_parameters + v^T armature v / 2. Takes stacks.");
  m.def("potential_energy_regressor", &potential_rows, py::arg("m"), py::arg("q"),
        "The row (10 bodies) with V = row . inertial_parameters, zero at the world's origin. Takes stacks.");
  m.def("inverse_dynamics_placement_derivatives", &placements, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("a"),
        py::arg("joint"), kPlacement);
  m.def("generalized_forces", &pulled_back, py::arg("m"), py::arg("q"), py::arg("wrenches"),
        "sum J^T F (nv). wrenches: a mapping {body: wrench (6), linear part first, in body axes at the body's "
        "origin}, the same for every row. Takes stacks of q.");
  m.def("actuator_forces", &actuated, py::arg("m"), py::arg("q"), py::arg("actuators"), kActuators);
}

}  // namespace amble::python
