#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "amble/base/names.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "parts.hpp"

namespace amble::python {

namespace {

std::string body_name(const Mechanism& m, int body) { return body < 0 ? kWorld : m.bodies()[body].name; }

/// The body itself or, of a frame between stacked joints, the nearest body towards the world that a user gave.
int listed_above(const Mechanism& m, int body) {
  while (body >= 0 && m.bodies()[body].auxiliary) body = m.bodies()[body].parent;
  return body;
}

/// The body itself or, of a frame between stacked joints, the body that those joints hold: such a frame has one child
/// only, so it is the next one depth first.
int listed_below(const Mechanism& m, int body) {
  const int count = static_cast<int>(m.bodies().size());
  int found = body;
  while (found >= 0 && found < count && m.bodies()[found].auxiliary) ++found;
  return found < count ? found : body;
}

std::string parent_name(const Mechanism& m, int body) { return body_name(m, listed_above(m, body)); }
std::string child_name(const Mechanism& m, int body) { return body_name(m, listed_below(m, body)); }

template <class Records>
auto& find(const Records& records, const char* what, const std::string& name) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const auto& r) { return r.name == name; });
  if (found == records.end())
    throw Error(fmt::format("there is no {} '{}'{}", what, name, suggestion(name, names_of(records))));
  return *found;
}

/// The pose of a place on its body, given it on the link that carries both.
Pose on_body(const Mechanism& m, int body, const Pose& X_L) {
  return body < 0 ? X_L : m.bodies()[body].X_LB.inverse() * X_L;
}

/// None where the joint's type has no such axis.
py::object axis_of(const JointPart& j, int which) {
  const int axes = visit_joint_type(j.record->kind, []<class Type>() { return Type::kAxes; });
  if (axes <= which) return py::none();
  const SO3<double>& R = j.record->R_FN;
  const double angle = j.record->parameters.angle;
  // A universal joint's second axis lies in the normalised xz-plane.
  const Vector3<double> in_N =
      which == 0 ? Vector3<double>(0, 0, 1) : Vector3<double>(std::sin(angle), 0, std::cos(angle));
  return array(R * in_N);
}

py::object mimic_of(const JointPart& j) {
  if (j.record->leader < 0) return py::none();
  return py::make_tuple(j.mechanism->joints()[j.record->leader].name, j.record->ratio, j.record->offset);
}

void bind_body(py::module_& m) {
  const auto inertia = [](const BodyPart& b) -> const Inertia<double>& { return b.record->inertia; };
  py::class_<BodyPart>(m, "Body", "A body of a mechanism, in its own frame; from Mechanism.body(name).")
      .def_property_readonly(
          "name", [](const BodyPart& b) { return b.record->name; }, "Its name.")
      .def_property_readonly(
          "mass", [=](const BodyPart& b) { return inertia(b).mass(); }, "Mass (kg).")
      .def_property_readonly(
          "com", [=](const BodyPart& b) { return array(inertia(b).com()); },
          "Centre of mass (3, m), in the body's frame.")
      .def_property_readonly(
          "inertia", [=](const BodyPart& b) { return array(inertia(b).about_com()); },
          "Inertia about the centre of mass (3 x 3, kg m^2), in the body's axes.")
      .def_property_readonly(
          "parent", [](const BodyPart& b) { return parent_name(*b.mechanism, b.record->parent); },
          "Name of the body that its joint, or the first of several stacked joints, starts from.")
      .def_property_readonly(
          "joint",
          [](const BodyPart& b) -> std::optional<std::string> {
            if (b.record->joint < 0) return std::nullopt;
            return b.mechanism->joints()[b.record->joint].name;
          },
          "Name of the joint that holds it; None for a root that stands in the world.")
      .def("__repr__", [](const BodyPart& b) {
        return fmt::format("<amble.Body '{}': {:.6g} kg>", b.record->name, b.record->inertia.mass());
      });
}

void bind_joint(py::module_& m) {
  py::class_<JointPart>(m, "Joint",
                        "A joint of a mechanism's tree, fixed ones included; from Mechanism.joint(name).")
      .def_property_readonly(
          "name", [](const JointPart& j) { return j.record->name; }, "Its name.")
      .def_property_readonly(
          "type", [](const JointPart& j) { return j.record->type; }, "Its type, such as 'revolute'.")
      .def_property_readonly(
          "parent", [](const JointPart& j) { return parent_name(*j.mechanism, j.record->parent); },
          "Name of the body it starts from; of a stack of joints on one body, that below the whole stack.")
      .def_property_readonly(
          "child", [](const JointPart& j) { return child_name(*j.mechanism, j.record->child); },
          "Name of the body it moves; of a stack of joints on one body, that body.")
      .def_property_readonly(
          "frame_parent", [](const JointPart& j) { return body_name(*j.mechanism, j.record->parent); },
          "Name of what `pose` is given in: the parent or, within a stack of joints, the massless frame between two.")
      .def_property_readonly(
          "frame_child", [](const JointPart& j) { return body_name(*j.mechanism, j.record->child); },
          "Name of what `child_pose` is given in: the child or, within a stack of joints, the massless frame between "
          "two.")
      .def_property_readonly(
          "pose", [](const JointPart& j) { return array(j.record->X_PF); },
          "Pose of the joint's frame F in frame_parent (4 x 4).")
      .def_property_readonly(
          "child_pose", [](const JointPart& j) { return array(j.record->X_CM); },
          "Pose of the joint's moving frame M in frame_child (4 x 4).")
      .def_property_readonly(
          "axis", [](const JointPart& j) { return axis_of(j, 0); },
          "Unit axis in F (3); None for types without one.")
      .def_property_readonly(
          "axis2", [](const JointPart& j) { return axis_of(j, 1); },
          "Second unit axis in F of a universal joint (3), else None.")
      .def_property_readonly(
          "pitch", [](const JointPart& j) { return j.record->parameters.pitch; },
          "Of a helical joint (m/rad), else 0.")
      .def_property_readonly(
          "q_slice", [](const JointPart& j) { return slice_of(j.record->q); },
          "Where its coordinates stand in q; its leader's when it follows another joint.")
      .def_property_readonly(
          "v_slice", [](const JointPart& j) { return slice_of(j.record->v); },
          "Where its velocities stand in v; its leader's when it follows another joint.")
      .def_property_readonly("mimic", &mimic_of,
                             "(leader, ratio, offset) when it follows another joint, else None.")
      .def("__repr__", [](const JointPart& j) {
        return fmt::format("<amble.Joint '{}': {}, {} -> {}>", j.record->name, j.record->type,
                           parent_name(*j.mechanism, j.record->parent),
                           child_name(*j.mechanism, j.record->child));
      });
}

void bind_loop(py::module_& m) {
  py::class_<LoopPart>(m, "Loop", "A joint that closes a loop of a mechanism; from Mechanism.loop(name).")
      .def_property_readonly(
          "name", [](const LoopPart& l) { return l.record->name; }, "Its name.")
      .def_property_readonly(
          "type", [](const LoopPart& l) { return l.record->type; }, "Type of the closing joint.")
      .def_property_readonly(
          "body_a", [](const LoopPart& l) { return body_name(*l.mechanism, l.record->body_a); },
          "Name of the first body.")
      .def_property_readonly(
          "body_b", [](const LoopPart& l) { return body_name(*l.mechanism, l.record->body_b); },
          "Name of the second body.")
      .def_property_readonly(
          "constrains", [](const LoopPart& l) { return 6 - l.record->freedoms; },
          "How many equations it adds.")
      .def("__repr__", [](const LoopPart& l) {
        return fmt::format("<amble.Loop '{}': {}, {} - {}>", l.record->name, l.record->type,
                           body_name(*l.mechanism, l.record->body_a),
                           body_name(*l.mechanism, l.record->body_b));
      });
}

void bind_spring(py::module_& m) {
  const auto end = [](const SpringPart& s, int body, const Vector3<double>& p) {
    return array(on_body(*s.mechanism, body, Pose(p)).translation());
  };
  py::class_<SpringPart>(m, "Spring", "A spring and damper between two bodies; from Mechanism.spring(name).")
      .def_property_readonly(
          "name", [](const SpringPart& s) { return s.record->name; }, "Its name.")
      .def_property_readonly(
          "body_a", [](const SpringPart& s) { return body_name(*s.mechanism, s.record->body_a); },
          "Name of the first body.")
      .def_property_readonly(
          "body_b", [](const SpringPart& s) { return body_name(*s.mechanism, s.record->body_b); },
          "Name of the second body.")
      .def_property_readonly(
          "point_a", [=](const SpringPart& s) { return end(s, s.record->body_a, s.record->p_A); },
          "Its end on the first body, in that body's frame (3, m).")
      .def_property_readonly(
          "point_b", [=](const SpringPart& s) { return end(s, s.record->body_b, s.record->p_B); },
          "Its end on the second body, in that body's frame (3, m).")
      .def_property_readonly(
          "stiffness", [](const SpringPart& s) { return s.record->stiffness; }, "Stiffness (N/m).")
      .def_property_readonly(
          "length", [](const SpringPart& s) { return s.record->length; }, "Length at rest (m).")
      .def_property_readonly(
          "damping", [](const SpringPart& s) { return s.record->damping; }, "Damping along it (N s/m).")
      .def("__repr__", [](const SpringPart& s) {
        return fmt::format("<amble.Spring '{}': {} - {}, {:.6g} N/m>", s.record->name,
                           body_name(*s.mechanism, s.record->body_a), body_name(*s.mechanism, s.record->body_b),
                           s.record->stiffness);
      });
}

void bind_rolling(py::module_& m) {
  const auto wheel = [](const RollingPart& r) { return on_body(*r.mechanism, r.record->body, r.record->X_LW); };
  py::class_<RollingPart>(m, "Rolling", "A wheel that rolls on the ground; from Mechanism.rolling(name).")
      .def_property_readonly(
          "name", [](const RollingPart& r) { return r.record->name; }, "Its name.")
      .def_property_readonly(
          "body", [](const RollingPart& r) { return body_name(*r.mechanism, r.record->body); },
          "Name of the body that it is part of.")
      .def_property_readonly(
          "radius", [](const RollingPart& r) { return r.record->radius; }, "Radius (m).")
      .def_property_readonly(
          "axis",
          [=](const RollingPart& r) { return array(Vector3<double>(wheel(r).rotation().matrix().col(2))); },
          "Its axis, in the body's frame (3, unit).")
      .def_property_readonly(
          "center", [=](const RollingPart& r) { return array(wheel(r).translation()); },
          "Its centre, in the body's frame (3, m).")
      .def_property_readonly(
          "constrains", [](const RollingPart&) { return kRollingRows; }, "How many equations it adds.")
      .def("__repr__", [](const RollingPart& r) {
        return fmt::format("<amble.Rolling '{}': {}, radius {:.6g} m>", r.record->name,
                           body_name(*r.mechanism, r.record->body), r.record->radius);
      });
}

void bind_frame(py::module_& m) {
  py::class_<FramePart>(m, "Frame", "A named place on a body; from Mechanism.frame(name).")
      .def_property_readonly(
          "name", [](const FramePart& f) { return f.record->name; }, "Its name.")
      .def_property_readonly(
          "body", [](const FramePart& f) { return body_name(*f.mechanism, f.record->body); },
          "Name of the body that carries it.")
      .def_property_readonly(
          "pose",
          [](const FramePart& f) { return array(on_body(*f.mechanism, f.record->body, f.record->X_LF)); },
          "Its pose on that body (4 x 4).")
      .def("__repr__", [](const FramePart& f) {
        return fmt::format("<amble.Frame '{}' on '{}'>", f.record->name,
                           body_name(*f.mechanism, f.record->body));
      });
}

void bind_keyframe(py::module_& m) {
  py::class_<KeyframePart>(m, "Keyframe",
                           "A state that the model file names; from Mechanism.keyframe(name). Stands for its "
                           "q where a configuration is expected.")
      .def_property_readonly(
          "name", [](const KeyframePart& k) { return k.record->name; }, "Its name; may be empty.")
      .def_property_readonly(
          "time", [](const KeyframePart& k) { return k.record->time; }, "Its time (s).")
      .def_property_readonly(
          "q", [](const KeyframePart& k) { return array(k.record->q); },
          "Its configuration (nq), in Amble's order.")
      .def(
          "__array__",
          [](const KeyframePart& k, const py::args&, const py::kwargs&) { return array(k.record->q); },
          "q, so that a keyframe can stand wherever a configuration can.")
      .def_property_readonly(
          "v", [](const KeyframePart& k) { return array(k.record->v); }, "Its velocity (nv).")
      .def_property_readonly(
          "ctrl",
          [](const KeyframePart& k) {
            const auto& ctrl = k.record->ctrl;
            return array(Eigen::Map<const Eigen::VectorXd>(ctrl.data(), static_cast<Eigen::Index>(ctrl.size())));
          },
          "What it sets the drives to, in the order of Mechanism.drives; empty when the file gives none.")
      .def_property_readonly(
          "act",
          [](const KeyframePart& k) {
            const auto& act = k.record->activation;
            return array(
                Eigen::Map<const Eigen::VectorXd>(act.data(), static_cast<Eigen::Index>(act.size())));
          },
          "Activations, in the order of Mechanism.activations; empty when the file gives none.")
      .def("__repr__",
           [](const KeyframePart& k) { return fmt::format("<amble.Keyframe '{}'>", k.record->name); });
}

}  // namespace

BodyPart body_part(const MechanismPtr& m, const std::string& name) {
  return {m, &find(m->bodies(), "body", name)};
}
JointPart joint_part(const MechanismPtr& m, const std::string& name) {
  return {m, &find(m->joints(), "joint", name)};
}
LoopPart loop_part(const MechanismPtr& m, const std::string& name) {
  return {m, &find(m->loops(), "loop", name)};
}
SpringPart spring_part(const MechanismPtr& m, const std::string& name) {
  return {m, &find(m->springs(), "spring", name)};
}
RollingPart rolling_part(const MechanismPtr& m, const std::string& name) {
  return {m, &find(m->rollings(), "rolling", name)};
}
FramePart frame_part(const MechanismPtr& m, const std::string& name) {
  return {m, &find(m->frames(), "frame", name)};
}

KeyframePart keyframe_part(const MechanismPtr& m, const std::string& name) { return {m, &m->keyframe(name)}; }

void bind_parts(py::module_& m) {
  bind_body(m);
  bind_joint(m);
  bind_loop(m);
  bind_spring(m);
  bind_rolling(m);
  bind_frame(m);
  bind_keyframe(m);
}

}  // namespace amble::python
