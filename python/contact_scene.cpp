#include "amble/contact/contact_scene.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/contact/joint_blocks.hpp"
#include "amble/simulation/time_stepping.hpp"
#include "bindings.hpp"
#include "contact_specs.hpp"
#include "element_handles.hpp"
#include "ground_handles.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

/// None: as the scene has it by itself; False: none; else a Ground.
std::optional<GroundPtr> ground_from(const py::object& x) {
  if (x.is_none()) return {};
  if (py::isinstance<py::bool_>(x) && !x.cast<bool>()) return GroundPtr();
  return GroundPtr(x.cast<GroundHandle>());
}

/// A coefficient of friction, or {"friction": ..., "restitution": ...}.
ContactMaterial material_from(const py::object& x, const ContactMaterial& others) {
  if (!py::isinstance<py::dict>(x)) return ContactMaterial{x.cast<double>(), others.restitution};
  ContactMaterial out = others;
  for (const auto& [key, value] : x.cast<py::dict>()) {
    const std::string name = py::cast<std::string>(key);
    if (name != "friction" && name != "restitution")
      throw Error("a material has no '" + name + "': expected 'friction' or 'restitution'");
    if (name == "friction")
      out.friction = py::cast<double>(value);
    else
      out.restitution = py::cast<double>(value);
  }
  return out;
}

using SceneHandle = std::shared_ptr<ContactScene>;

/// As Python warns of its own: once for each place in the user's program.
void warn(const std::string& text) {
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 2) != 0) throw py::error_already_set();
}

void warn_of_skipped(const ContactScene& scene) {
  const std::vector<SkippedShape>& skipped = scene.skipped();
  if (skipped.empty()) return;
  const SkippedShape& first = skipped.front();
  const bool alone = skipped.size() == 1;
  warn(fmt::format("{} collision {} left out since {} cannot be used, the first of body '{}': {} (scene.skipped has all)", skipped.size(),
                   alone ? "shape is" : "shapes are", alone ? "it" : "they", first.shape.body, first.reason));
}

py::dict pair_dict(const TouchingPair& pair) {
  py::dict out;
  out["body_a"] = pair.a.body, out["shape_a"] = pair.a.shape, out["body_b"] = pair.b.body, out["shape_b"] = pair.b.shape;
  out["friction"] = pair.law.friction, out["restitution"] = pair.law.restitution, out["margin"] = pair.law.margin;
  return out;
}

py::dict skipped_dict(const SkippedShape& skipped) {
  py::dict out;
  out["body"] = skipped.shape.body, out["shape"] = skipped.shape.shape, out["reason"] = text(skipped.reason);
  return out;
}

template <class List, class F>
py::list list_of(const List& all, F f) {
  py::list out;
  for (const auto& x : all) out.append(f(x));
  return out;
}

SceneHandle make_scene(const Mechanism& m, std::optional<double> friction, double restitution, const py::object& ground,
                         const py::dict& materials, const py::object& contacts, bool shapes, bool between_bodies,
                         double margin, const std::string& name) {
  ContactSceneOptions o{.ground = ground_from(ground), .material = {friction, restitution}, .shapes = shapes,
                        .between_bodies = between_bodies, .contacts = contact_specs_from(contacts), .margin = margin};
  for (const auto& [body, material] : materials)
    o.materials[py::cast<std::string>(body)] = material_from(py::reinterpret_borrow<py::object>(material), o.material);
  const SceneHandle scene = std::const_pointer_cast<ContactScene>(contact_scene(name, m, o));
  warn_of_skipped(*scene);
  return scene;
}

void bind_scene(py::module_& m) {
  py::class_<ContactScene, Element, SceneHandle>(m, "ContactScene", "An element: all that can touch. Made by contact_scene().")
      .def_property_readonly("shapes", &ContactScene::shapes, "How many shapes there are, the ground included.")
      .def_property_readonly(
          "pairs", [](const ContactScene& s) { return list_of(s.pairs(), pair_dict); },
          "Pairs of shapes that may touch, by body and shape, with their friction, restitution and margin (m).")
      .def_property_readonly(
          "overlapping", &ContactScene::overlapping,
          "Pairs of bodies of one robot that are left out since shapes of theirs overlap in the neutral configuration.")
      .def_property_readonly(
          "skipped", [](const ContactScene& s) { return list_of(s.skipped(), skipped_dict); },
          "Shapes that cannot be used, by body and shape, each with the reason.");
}

}  // namespace

py::list contacts_list(const Mechanism& m, std::span<const SteppedContact> contacts) {
  const auto name = [&](int link) {
    for (const Body& b : m.bodies())
      if (b.link == link && link > 0) return b.name;
    return std::string(kWorld);
  };
  py::list out;
  for (const SteppedContact& c : contacts) {
    if (c.block.kind != StepBlock::Kind::contact) continue;
    py::dict one;
    one["body_a"] = name(c.block.at.link_a), one["body_b"] = name(c.block.at.link_b);
    one["point"] = array(Vector3<double>(0.5 * (c.block.at.p_a + c.block.at.p_b))), one["normal"] = array(c.block.at.normal);
    one["distance"] = c.block.at.distance, one["force"] = array(c.force), one["friction"] = c.block.friction;
    out.append(one);
  }
  return out;
}

py::object contact_report_dict(const ContactReport* report) {
  if (report == nullptr) return py::none();
  py::dict out;
  out["residual"] = report->certificate.residual, out["worst_residual"] = report->worst_residual;
  out["unsolved_steps"] = report->unsolved_steps, out["eased_steps"] = report->eased_steps, out["deepest"] = report->deepest;
  return out;
}

void bind_contact_scene(py::module_& m) {
  bind_scene(m);
  m.def("contact_scene", &make_scene, "m"_a, "friction"_a = py::none(), "restitution"_a = 0.0, "ground"_a = py::none(),
        "materials"_a = py::dict(), "contacts"_a = py::list(), "shapes"_a = true, "between_bodies"_a = true,
        "margin"_a = 2e-4, "name"_a = "contacts",
        R"(All that can touch, for integrator="time_stepping": collision shapes of the bodies, the ground, given points.

friction: of everything; None: as the model's file says it of each shape, or 0.8 where it says nothing. ground: a Ground, None for
the plane z = 0 (unless the model's scenery has a plane), False for none. materials: by body, a coefficient of friction or
{"friction", "restitution"}; "world" is the ground and the scenery. contacts: points and balls as in simulate(contacts=...). Shapes
that cannot be used, such as meshes that are not found, are left out with a warning.)");
  m.def("joint_limits",
        [](const Mechanism& mechanism, double restitution, const std::string& name) {
          return writable(stepped_joint_limits(name, mechanism, restitution));
        },
        "m"_a, "restitution"_a = 0.0, "name"_a = "joint limits",
        "The limits of all joints, met without giving way, for integrator=\"time_stepping\".");
}

}  // namespace amble::python
