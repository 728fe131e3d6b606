#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/base/error.hpp"
#include "amble/control/legged/find_legged_robot.hpp"
#include "amble/scenario/legged_file.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "posture_specs.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

constexpr const char* kLeggedRobot = R"(The legs of a robot, found from the model alone, never from names.

m: with a floating base. overrides: a TOML file for what the model lacks (docs/legged-robots.md); keywords replace what it
says. feet: a list of dicts with body (a body or frame) and corners (rows, in its axes), or length and width, or radius, and
center; all feet or none. forward, up: directions in base axes. torso: a body. posture: {joint: angle} of the nominal posture.
hip_height (m, over the soles), stance_width (m, of a biped). unmirrored_limits: accept limits of left and right that are no
mirror images. partial: return what was found also where the robot cannot walk; refusal says why. Returns a LeggedRobot.)";

constexpr const char* kRobot = R"(A legged robot as walking controllers see it. See legged_robot.

mechanism; base, torso: bodies; forward, up: unit vectors in base axes; legs: left before right, front before hind; mirror:
{joint: (joint of the other side, sign)}; actuated: joints; nominal: q, standing over z = 0 and looking along world x;
hip_height (m); effort, speed (nv): limits, defaults where the model has none; evidence, warnings: sentences; refusal: why it
cannot walk, or empty.)";

constexpr const char* kLeg = R"(A chain of joints from the base to a foot.

name: by side; joints: from the hip to the foot; length: hip to sole, stretched (m); hip: in base axes (m); mirror: name of the
leg on the other side, or None; knee: joint, or None, which bends to sign knee_sense; foot.)";

constexpr const char* kFoot = R"(Where a leg touches the ground.

body; pose (4x4): of the sole frame on it, z up and x ahead; shape: "sole", "line", "point" or "ball"; corners (rows, in the
sole frame, m), counterclockwise from above; of a ball its center; radius (m).)";

/// Shared with its legs and feet.
struct LegRef {
  std::shared_ptr<const LeggedRobot> robot;
  std::size_t index;
  const Leg& operator*() const { return robot->legs[index]; }
  const Leg* operator->() const { return &robot->legs[index]; }
};
struct FootRef {
  LegRef leg;
  const Foot* operator->() const { return &leg->foot; }
};
using Robot = std::shared_ptr<const LeggedRobot>;

Array corner_rows(const Foot& foot) {
  Array out = new_array({static_cast<py::ssize_t>(foot.corners.size())}, {3});
  for (std::size_t i = 0; i < foot.corners.size(); ++i)
    std::copy_n(foot.corners[i].data(), 3, out.mutable_data() + 3 * i);
  return out;
}

FootSettings foot_from(const py::handle& x) {
  Keys keys(x, "a foot");
  FootSettings foot;
  if_given(keys, "body", [&](const py::object& v) { foot.body = v.cast<std::string>(); });
  if_given(keys, "corners", [&](const py::object& v) {
    const Stack rows = stack(v, {3}, "corners");
    for (py::ssize_t i = 0; i < rows.count; ++i) foot.corners.push_back(Vector3<double>(rows.item(i)));
  });
  if_given(keys, "length", [&](const py::object& v) { foot.length = number(v, "length"); });
  if_given(keys, "width", [&](const py::object& v) { foot.width = number(v, "width"); });
  if_given(keys, "radius", [&](const py::object& v) { foot.radius = number(v, "radius"); });
  if_given(keys, "center", [&](const py::object& v) { foot.center = vector3(v, "center"); });
  keys.finish();
  return foot;
}

Robot find(const Mechanism& m, const std::string& overrides, const py::object& feet,
           const py::object& forward, const py::object& up, const std::string& torso,
           const py::object& posture, const py::object& hip_height, const py::object& stance_width,
           bool unmirrored_limits, bool partial) {
  LeggedRobotSettings s = overrides.empty() ? LeggedRobotSettings() : load_legged_settings(overrides);
  if (!feet.is_none()) {
    s.feet.clear();
    for (const py::handle& foot : feet) s.feet.push_back(foot_from(foot));
  }
  if (!forward.is_none()) s.forward = vector3(forward, "forward");
  if (!up.is_none()) s.up = vector3(up, "up");
  if (!torso.empty()) s.torso = torso;
  if (!posture.is_none())
    for (const auto& [joint, angle] : named_values(posture, "posture"))
      s.posture[joint] = number(angle, joint);
  if (!hip_height.is_none()) s.hip_height = number(hip_height, "hip_height");
  if (!stance_width.is_none()) s.stance_width = number(stance_width, "stance_width");
  s.unmirrored_limits = s.unmirrored_limits || unmirrored_limits;
  const py::gil_scoped_release unlocked;
  return std::make_shared<const LeggedRobot>(partial ? inspect_legs(m, s) : legged_robot(m, s));
}

const char* shape_word(Foot::Shape shape) {
  constexpr const char* words[] = {"sole", "line", "point", "ball"};
  return words[static_cast<int>(shape)];
}

std::string joint_name(const LeggedRobot& robot, int joint) { return robot.mechanism.joints()[joint].name; }

std::vector<std::string> joint_names(const LeggedRobot& robot, const std::vector<int>& joints) {
  std::vector<std::string> out;
  for (const int j : joints) out.push_back(joint_name(robot, j));
  return out;
}

py::dict mirror_dict(const LeggedRobot& robot) {
  py::dict out;
  for (std::size_t i = 0; i < robot.mirror.joint.size(); ++i) {
    const Joint& j = robot.mechanism.joints()[i];
    if (j.link >= 0 && j.leader < 0 && j.v.size == 1)
      out[py::str(j.name)] =
          py::make_tuple(joint_name(robot, robot.mirror.joint[i]), robot.mirror.sign[j.v.start]);
  }
  return out;
}

std::string robot_text(const LeggedRobot& robot) {
  std::vector<std::string> legs;
  for (const Leg& leg : robot.legs) legs.push_back(fmt::format("{} on '{}'", leg.name, leg.foot.body));
  return fmt::format(
      "LeggedRobot('{}', base '{}', forward ({:.3g}, {:.3g}, {:.3g}), hips at {:.3g} m, legs: {}{})",
      robot.mechanism.name(), robot.base, robot.forward_Base[0] + 0.0, robot.forward_Base[1] + 0.0,
      robot.forward_Base[2] + 0.0, robot.hip_height, fmt::join(legs, ", "),
      robot.refusal.empty() ? "" : ", cannot walk: " + robot.refusal);
}

void bind_feet(py::module_& m) {
  py::class_<FootRef>(m, "Foot", kFoot)
      .def_property_readonly(
          "body", [](const FootRef& f) { return f->body; }, "the body that carries it")
      .def_property_readonly(
          "pose", [](const FootRef& f) { return array(f->X_BS); },
          "4x4: the sole frame on the body, z up and x ahead")
      .def_property_readonly(
          "shape", [](const FootRef& f) { return shape_word(f->shape); },
          "\"sole\", \"line\", \"point\" or \"ball\"")
      .def_property_readonly(
          "corners", [](const FootRef& f) { return corner_rows(*f.operator->()); },
          "rows in the sole frame (m), counterclockwise from above; of a ball its center")
      .def_property_readonly(
          "radius", [](const FootRef& f) { return f->radius; }, "of a ball (m), else 0")
      .def("__repr__", [](const FootRef& f) {
        return fmt::format("Foot({} of {} corners on '{}')", shape_word(f->shape), f->corners.size(),
                           f->body);
      });
  py::class_<LegRef>(m, "Leg", kLeg)
      .def_property_readonly(
          "name", [](const LegRef& l) { return l->name; },
          "by side: \"left\", \"right\"; \"left_front\", ... of four legs and more")
      .def_property_readonly(
          "joints", [](const LegRef& l) { return joint_names(*l.robot, l->joints); },
          "names, from the hip to the foot")
      .def_property_readonly(
          "length", [](const LegRef& l) { return l->length; }, "hip to sole, leg stretched (m)")
      .def_property_readonly(
          "hip", [](const LegRef& l) { return array(l->p_BaseHip); }, "center of the hip, base axes (m)")
      .def_property_readonly(
          "mirror",
          [](const LegRef& l) -> py::object {
            return l->mirror < 0 ? py::object(py::none()) : py::str(l.robot->legs[l->mirror].name);
          },
          "name of the leg on the other side, or None")
      .def_property_readonly(
          "knee",
          [](const LegRef& l) -> py::object {
            return l->knee < 0 ? py::object(py::none()) : py::str(joint_name(*l.robot, l->knee));
          },
          "name of the joint that bends the leg, or None")
      .def_property_readonly(
          "knee_sense", [](const LegRef& l) { return l->knee_sense; }, "1 or -1: the way the knee bends")
      .def_property_readonly(
          "foot", [](const LegRef& l) { return FootRef{l}; }, "where it touches the ground")
      .def("__repr__", [](const LegRef& l) {
        return fmt::format("Leg('{}', {} joints, {:.4g} m, foot on '{}')", l->name, l->joints.size(),
                           l->length, l->foot.body);
      });
}

}  // namespace

void bind_legged_robots(py::module_& m) {
  bind_feet(m);
  py::class_<LeggedRobot, std::shared_ptr<LeggedRobot>>(m, "LeggedRobot", kRobot)
      .def_property_readonly(
          "mechanism", [](const LeggedRobot& r) { return r.mechanism; }, "the model")
      .def_property_readonly(
          "base", [](const LeggedRobot& r) { return r.base; }, "body with the free joint")
      .def_property_readonly(
          "torso", [](const LeggedRobot& r) { return r.torso; },
          "heaviest body above the hips; empty: the base")
      .def_property_readonly(
          "forward", [](const LeggedRobot& r) { return array(r.forward_Base); }, "unit vector in base axes")
      .def_property_readonly(
          "up", [](const LeggedRobot& r) { return array(r.up_Base); }, "unit vector in base axes")
      .def_property_readonly(
          "legs",
          [](const std::shared_ptr<LeggedRobot>& r) {
            std::vector<LegRef> out;
            for (std::size_t i = 0; i < r->legs.size(); ++i) out.push_back({r, i});
            return out;
          },
          "left before right, front before hind")
      .def_property_readonly(
          "mirror", [](const LeggedRobot& r) { return mirror_dict(r); },
          "{joint: (joint of the other side, sign)}; empty without symmetry")
      .def_property_readonly(
          "actuated", [](const LeggedRobot& r) { return joint_names(r, r.actuated); },
          "names of joints that a drive moves")
      .def_property_readonly(
          "nominal", [](const LeggedRobot& r) { return array(r.nominal); },
          "q: standing at rest over z = 0, looking along world x")
      .def_property_readonly(
          "hip_height", [](const LeggedRobot& r) { return r.hip_height; },
          "of the nominal posture, over the soles (m)")
      .def_property_readonly(
          "effort", [](const LeggedRobot& r) { return array(r.effort); },
          "limits (nv), defaults where the model has none (N m, N)")
      .def_property_readonly(
          "speed", [](const LeggedRobot& r) { return array(r.speed); },
          "limits (nv), infinite where the model has none (rad/s, m/s)")
      .def_property_readonly(
          "evidence", [](const LeggedRobot& r) { return r.evidence; },
          "what was found and why, a sentence each")
      .def_property_readonly(
          "warnings", [](const LeggedRobot& r) { return r.warnings; }, "what is doubtful, a sentence each")
      .def_property_readonly(
          "refusal", [](const LeggedRobot& r) { return r.refusal; }, "why it cannot walk; empty: it can")
      .def("__repr__", robot_text);
  m.def(
      "legged_robot",
      [](const Mechanism& mechanism, const std::string& overrides, const py::object& feet,
         const py::object& forward, const py::object& up, const std::string& torso, const py::object& posture,
         const py::object& hip_height, const py::object& stance_width, bool unmirrored_limits, bool partial) {
        return std::const_pointer_cast<LeggedRobot>(find(mechanism, overrides, feet, forward, up, torso,
                                                         posture, hip_height, stance_width, unmirrored_limits,
                                                         partial));
      },
      kLeggedRobot, "m"_a, "overrides"_a = "", "feet"_a = py::none(), "forward"_a = py::none(),
      "up"_a = py::none(), "torso"_a = "", "posture"_a = py::none(), "hip_height"_a = py::none(),
      "stance_width"_a = py::none(), "unmirrored_limits"_a = false, "partial"_a = false);
}

}  // namespace amble::python
