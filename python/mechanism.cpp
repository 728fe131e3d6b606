#include "amble/mechanism/mechanism.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "amble/io/load.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/serialize.hpp"
#include "amble/ports/drive_forces.hpp"
#include "amble/report/notebook_view.hpp"
#include "bindings.hpp"
#include "parts.hpp"
#include "properties.hpp"
#include "rows.hpp"

namespace amble::python {

namespace {

using Class = py::class_<Mechanism, std::shared_ptr<Mechanism>>;
using Getter = const OwnedVector& (Mechanism::*)() const;

template <class Names>
std::vector<std::string> list(const Names& names) {
  return {names.begin(), names.end()};
}

std::vector<py::str> findings(const Mechanism& m, bool notes) {
  std::vector<py::str> out;
  for (const Problem& p : m.findings())
    if ((p.severity == Severity::note) == notes) out.push_back(text(p.text()));
  return out;
}

/// As os.fsdecode() would say it: a file's name need not be UTF-8.
py::str file_of(const Mechanism& m) {
  const std::string& file = m.description().file;
  PyObject* decoded = PyUnicode_DecodeFSDefaultAndSize(file.data(), static_cast<py::ssize_t>(file.size()));
  if (!decoded) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

auto copy_of(Getter get) {
  return [get](const Mechanism& m) { return array((m.*get)()); };
}

Array random_configurations(const Mechanism& m, const py::object& seed,
                            const std::optional<py::ssize_t>& count) {
  if (count && *count < 0)
    throw Error(fmt::format("count is {}: expected how many configurations to draw", *count));
  Array out = new_array(count ? Extents{*count} : Extents{}, {m.nq()});
  Random random(seed_from(seed));
  for (py::ssize_t i = 0; i < count.value_or(1); ++i) put(m.random(random), out.mutable_data() + i * m.nq());
  return out;
}

/// f(a, b) -> OwnedVector for two stacks, row by row.
template <class F>
Array map_pairs(const Stack& a, const char* name_a, const Stack& b, const char* name_b, int size, F f) {
  const Extents leading = common_leading(a, name_a, b, name_b);
  Array out = new_array(leading, {size});
  double* to = out.mutable_data();
  using Row = Eigen::Map<const Eigen::VectorXd>;
  py::gil_scoped_release unlocked;
  for_each_row(leading, [&]() -> Worker {
    return [&](std::ptrdiff_t i) { put(f(Row(a.item(i), a.size), Row(b.item(i), b.size)), to + i * size); };
  });
  return out;
}

Array integrate(const Mechanism& m, const py::object& q, const py::object& dv) {
  return map_pairs(stack(q, {m.nq()}, "q"), "q", stack(dv, {m.nv()}, "dv"), "dv", m.nq(),
                   [&](const auto& x, const auto& d) { return m.integrate(x, d); });
}

Array difference(const Mechanism& m, const py::object& q0, const py::object& q1) {
  return map_pairs(stack(q0, {m.nq()}, "q0"), "q0", stack(q1, {m.nq()}, "q1"), "q1", m.nv(),
                   [&](const auto& from, const auto& to) { return m.difference(from, to); });
}

Mechanism locked(const Mechanism& m, const py::object& joints) {
  std::map<std::string, std::vector<double>> values;
  for (const auto& [name, value] : named_values(joints, "joints"))
    values[name] = number_list(value, fmt::format("the value of joint '{}'", name));
  py::gil_scoped_release unlocked;
  return with_locked(m, values);
}

Mechanism loaded(const Mechanism& m, const std::string& body, const py::object& mass, const py::object& com,
                 const py::object& inertia) {
  const Inertia<double> payload = inertia_from(mass, com, inertia, "the payload");
  py::gil_scoped_release unlocked;
  return with_payload(m, body, payload);
}

Mechanism reweighed(const Mechanism& m, const std::string& body, const py::object& mass,
                    const py::object& com, const py::object& inertia) {
  const Inertia<double> changed = inertia_from(mass, com, inertia, fmt::format("body '{}'", body));
  py::gil_scoped_release unlocked;
  return with_inertia(m, body, changed);
}

Mechanism adjusted(const Mechanism& m, const std::string& joint, const py::kwargs& given) {
  m.joint_index(joint);
  JointProperties properties;
  for (const JointDescription& j : m.description().joints)
    if (j.name == joint) properties = j.properties;
  change_properties(properties, given, fmt::format("joint '{}'", joint));
  py::gil_scoped_release unlocked;
  return with_properties(m, joint, properties);
}

/// What a file was forgiven stays forgiven.
Mechanism restored(const std::string& text) {
  py::gil_scoped_release unlocked;
  ModelDescription description = deserialize(text);
  const bool forgiven = any_at_least(description.findings, Severity::physics);
  return compile(std::move(description), forgiven ? Physics::warn : Physics::refuse);
}

std::string text_of(const Mechanism& m) { return serialize(m.description()); }

std::string repr(const Mechanism& m) {
  std::string carried;
  for (const auto& [what, count] : {std::pair{"loops", m.loops().size()},
                                    {"springs", m.springs().size()},
                                    {"tendons", m.tendons().size()},
                                    {"drives", m.description().drives.size()},
                                    {"rollings", m.rollings().size()}})
    if (count > 0) carried += fmt::format(", {} {}", count, what);
  return fmt::format("<amble.Mechanism '{}': {} bodies, {} joints, nq {}, nv {}{}, {:.6g} kg>", m.name(),
                     m.body_names().size(), m.joint_names().size(), m.nq(), m.nv(), carried, m.mass());
}

void bind_facts(Class& c) {
  c.def_property_readonly("name", &Mechanism::name, "The model's name.")
      .def_property_readonly("nq", &Mechanism::nq, "Length of a configuration q.")
      .def_property_readonly("nv", &Mechanism::nv, "Length of a velocity v.")
      .def_property_readonly("mass", &Mechanism::mass,
                             "Mass of every body, also those that cannot move (kg).")
      .def_property_readonly(
          "gravity", [](const Mechanism& m) { return array(m.gravity()); },
          "Acceleration of gravity in world axes (3, m/s^2).")
      .def_property_readonly("file", &file_of, "Where it was read from; empty when built in code.")
      .def_property_readonly("mobility", &Mechanism::counted_mobility,
                             "Degrees of freedom by counting: nv minus what loops and rolling wheels take "
                             "(redundant ones counted too). "
                             "amble.mobility() finds the true ones.")
      .def_property_readonly(
          "bodies", [](const Mechanism& m) { return list(m.body_names()); },
          "Names of the bodies, depth first.")
      .def_property_readonly(
          "joints", [](const Mechanism& m) { return list(m.joint_names()); },
          "Names of the joints that have coordinates, in the order of v.")
      .def_property_readonly(
          "loops", [](const Mechanism& m) { return names_of(m.loops()); },
          "Names of the joints that close loops.")
      .def_property_readonly(
          "springs", [](const Mechanism& m) { return names_of(m.springs()); },
          "Names of the springs between bodies.")
      .def_property_readonly(
          "tendons", [](const Mechanism& m) { return names_of(m.tendons()); },
          "Names of the tendons, in the order of tendon_lengths().")
      .def_property_readonly(
          "couplings", [](const Mechanism& m) { return names_of(m.description().couplings); },
          "Names of the couplings of joints and tendons that act as constraints.")
      .def_property_readonly(
          "rollings", [](const Mechanism& m) { return names_of(m.rollings()); },
          "Names of the wheels that roll on the ground.")
      .def_property_readonly(
          "frames", [](const Mechanism& m) { return names_of(m.frames()); },
          "Names of the places on bodies: sites, sensors, tools.")
      .def_property_readonly(
          "keyframes", [](const Mechanism& m) { return names_of(m.keyframes()); },
          "Names of the states that the file gives, in its order.")
      .def_property_readonly(
          "drives", [](const Mechanism& m) { return names_of(m.description().drives); },
          "Names of the drives of the file (actuators of MJCF), in its order: what Keyframe.ctrl has numbers "
          "for.")
      .def_property_readonly(
          "activations", &activation_names,
          "Names of the drives with a state of their own, in its order: what Keyframe.act has numbers for.")
      .def_property_readonly(
          "warnings", [](const Mechanism& m) { return findings(m, false); },
          "What is doubtful in the file, one line each, with file and line.")
      .def_property_readonly(
          "notes", [](const Mechanism& m) { return findings(m, true); },
          "What the file says that Amble does not use, one line each.")
      .def("body", &body_part, py::arg("name"), "Facts about a body.")
      .def("joint", &joint_part, py::arg("name"),
           "Facts about a joint, also one that is fixed or follows another.")
      .def("loop", &loop_part, py::arg("name"), "Facts about a loop.")
      .def("spring", &spring_part, py::arg("name"), "Facts about a spring.")
      .def("rolling", &rolling_part, py::arg("name"), "Facts about a wheel that rolls.")
      .def("frame", &frame_part, py::arg("name"), "Facts about a frame.")
      .def("keyframe", &keyframe_part, py::arg("name"),
           "A state of the file by name, with q, v and ctrl: robot.keyframe('home').q.")
      .def(
          "q_slice", [](const Mechanism& m, const std::string& name) { return slice_of(m.q_slice(name)); },
          py::arg("name"), "Where a joint's coordinates stand: q[m.q_slice('knee')].")
      .def(
          "v_slice", [](const Mechanism& m, const std::string& name) { return slice_of(m.v_slice(name)); },
          py::arg("name"), "Where a joint's velocities stand: v[m.v_slice('knee')].");
}

void bind_arrays(Class& c) {
  c.def_property_readonly("lower", copy_of(&Mechanism::lower),
                          "Lower limits of q (nq; m, rad), -inf where there is none.")
      .def_property_readonly("upper", copy_of(&Mechanism::upper),
                             "Upper limits of q (nq; m, rad), inf where there is none.")
      .def_property_readonly("velocity_limit", copy_of(&Mechanism::velocity_limit),
                             "Largest speeds (nv; m/s, rad/s), inf where there is none.")
      .def_property_readonly("effort_limit", copy_of(&Mechanism::effort_limit),
                             "Largest joint forces (nv; N, N m), inf where there is none.")
      .def_property_readonly("damping", copy_of(&Mechanism::damping),
                             "Viscous friction (nv; N s/m, N m s/rad).")
      .def_property_readonly("friction", copy_of(&Mechanism::friction), "Dry friction (nv; N, N m).")
      .def_property_readonly("armature", copy_of(&Mechanism::armature),
                             "Inertia of the drives as seen at the joints (nv; kg, kg m^2).")
      .def_property_readonly("stiffness", copy_of(&Mechanism::stiffness), "Joint springs (nv; N/m, N m/rad).")
      .def_property_readonly("spring_reference", copy_of(&Mechanism::spring_reference),
                             "Where the joint springs are at rest (m, rad).");
}

void bind_configurations(Class& c) {
  c.def(
       "neutral", [](const Mechanism& m) { return array(m.neutral()); },
       "The configuration in which every joint is at its zero (nq).")
      .def("random", &random_configurations, py::arg("seed"), py::arg("count") = py::none(),
           "A configuration within the limits, uniform, the same for the same seed (nq); with `count` a "
           "stack of them.")
      .def("integrate", &integrate, py::arg("q"), py::arg("dv"),
           "Where q is after the velocity dv for unit time, joint by joint along its group (nq). Takes "
           "stacks.")
      .def("difference", &difference, py::arg("q0"), py::arg("q1"),
           "The dv with integrate(q0, dv) = q1 (nv). Takes stacks.");
}

void bind_changes(Class& c) {
  c.def("with_locked", &locked, py::arg("joints"),
        "A new mechanism with joints held: a mapping {name: coordinate or list of them}.")
      .def("with_payload", &loaded, py::arg("body"), py::arg("mass"), py::arg("com") = py::none(),
           py::arg("inertia") = py::none(),
           "A new mechanism with mass (kg) added to a body or at a frame; com (3, m) in its coordinates, "
           "inertia (3 x 3, "
           "kg m^2) about the payload's centre of mass.")
      .def(
          "with_object",
          [](const Mechanism& m, const Mechanism& object, const std::string& name, const py::object& pose) {
            return with_object(m, object, name, pose.is_none() ? Pose() : pose_from(pose, "pose"));
          },
          py::arg("object"), py::arg("name"), py::arg("pose") = py::none(),
          "A new mechanism with another one beside it in the same world, an object that it handles: control "
          "and simulation then have both in "
          "one equation of motion. Names that are taken already get name and an underscore before them; pose "
          "(4 x 4): where the object's "
          "world stands.")
      .def(
          "with_gravity",
          [](const Mechanism& m, const py::object& gravity) {
            return with_gravity(m, vector3(gravity, "gravity"));
          },
          py::arg("gravity"), "A new mechanism under another gravity (3, m/s^2, world axes).")
      .def("with_inertia", &reweighed, py::arg("body"), py::arg("mass"), py::arg("com") = py::none(),
           py::arg("inertia") = py::none(),
           "A new mechanism with a body's mass (kg), com (3, m) and inertia about it (3 x 3, kg m^2) "
           "replaced.")
      .def("with_properties", &adjusted, py::arg("joint"), kWithProperties)
      .def(
          "save",
          [](const Mechanism& m, const std::filesystem::path& path) {
            py::gil_scoped_release unlocked;
            std::vector<std::string> left_out;
            for (const Problem& p : save(m, path.string())) left_out.push_back(p.text());
            return left_out;
          },
          py::arg("path"),
          "Write a model file, URDF or MJCF by the ending (.urdf, .xml or .mjcf). Returns what the format "
          "cannot say, one "
          "line each: left out, or said in another way. Raises for joints that it has no words for.");
}

void bind_copies(Class& c) {
  // Nothing in a mechanism can change, so a copy may be the same object.
  c.def("__copy__", [](const py::object& self) { return self; })
      .def(
          "__deepcopy__", [](const py::object& self, const py::object&) { return self; }, py::arg("memo"))
      .def("__repr__", &repr)
      .def("_repr_html_", &notebook_view, "For notebooks: the model's page, bounded in size.")
      .def(py::pickle(&text_of, &restored));
}

}  // namespace

void bind_mechanism(py::module_& m) {
  Class c(m, "Mechanism",
          "A checked, immutable mechanism. Made by load(), Builder.build() or the with_... methods.");
  bind_facts(c);
  bind_arrays(c);
  bind_configurations(c);
  bind_changes(c);
  bind_copies(c);
  m.def("serialize", &text_of, py::arg("m"),
        "A mechanism as one line of JSON that gives it back bit for bit.");
  m.def("deserialize", &restored, py::arg("text"), "The mechanism that serialize() wrote.");
}

}  // namespace amble::python
