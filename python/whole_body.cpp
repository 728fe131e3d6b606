#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "amble/control/tasks/clearance_task.hpp"
#include "amble/control/tasks/com_task.hpp"
#include "amble/control/tasks/contact_force_task.hpp"
#include "amble/control/tasks/momentum_task.hpp"
#include "amble/control/tasks/orientation_task.hpp"
#include "amble/control/tasks/point_task.hpp"
#include "amble/control/tasks/pose_task.hpp"
#include "amble/control/tasks/posture_task.hpp"
#include "amble/control/whole_body_controller.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "element_handles.hpp"
#include "ground_handles.hpp"

namespace amble::python {

namespace {

using namespace pybind11::literals;

constexpr const char* kController = R"(Whole-body control: accelerations and contact forces that serve tasks best within limits.

tasks: any of PointTask, OrientationTask, PoseTask, ComTask, MomentumTask, PostureTask, ContactForceTask, ClearanceTask.
contacts: dicts with
name, place (a body or frame), pose (4x4, the contact frame on it, z of a face the way the support pushes), points (n x 3),
support ("world" or a body), friction, facets, least_force, largest_force, normal (of one point or a line, in the support's
axes; up in the world unless given). They are held and released at will; none is held at first. formulation: "lie_algebra", "chart_projected" or "chart_multiplier" (BK (36), (37), (38)). Give it to sampled() to
run it in a simulation.)";

template <class T>
void bind_gains(py::class_<T, Task, std::shared_ptr<T>>& c) {
  c.def_property(
      "stiffness", [](const T& t) { return t.gains.stiffness; }, [](T& t, double x) { t.gains.stiffness = x; }, "1/s^2");
  c.def_property(
      "damping", [](const T& t) { return t.gains.damping; }, [](T& t, double x) { t.gains.damping = x; }, "1/s");
}

template <class T, class C>
void bind_vector(C& c, const char* name, Vector3<double> T::*member, const char* text) {
  c.def_property(
      name, [member](const T& t) { return array(t.*member); },
      [member, name](T& t, const py::object& x) { t.*member = vector3(x, name); }, text);
}

template <class T, int N, class C>
void bind_axes(C& c) {
  c.def_property(
      "axes", [](const T& t) { return std::vector<bool>(t.axes, t.axes + N); },
      [](T& t, const std::vector<bool>& x) {
        if (x.size() != N) throw Error(fmt::format("axes has {} entries, expected {}", x.size(), N));
        std::copy(x.begin(), x.end(), t.axes);
      },
      "Which components count.");
}

Twist<double> twist_from(const py::object& x, const char* what) { return Twist<double>(vector6(x, what)); }

void bind_task(py::module_& m) {
  py::class_<Task, std::shared_ptr<Task>>(m, "ControlTask", "Something that a whole-body controller is to achieve.")
      .def_property_readonly("name", &Task::name, "As reports have it.")
      .def_property_readonly("rows", &Task::rows, "How much it asks for, at most.")
      .def_property_readonly("error", &Task::error, "Of the last tick, in its own unit.")
      .def_readwrite("weight", &Task::weight, "Relative to others of its level.")
      .def_readwrite("level", &Task::level, "Strict priority: 1 before 2, ...; 0 is a constraint.")
      .def_readwrite("enabled", &Task::enabled, "Whether it counts.");
}

void bind_clearance(py::module_& m) {
  py::class_<ClearanceTask, Task, std::shared_ptr<ClearanceTask>>(
      m, "ClearanceTask", "Bodies keep apart, by their collision shapes: a constraint (level 0) unless told otherwise.")
      .def(py::init([](const Mechanism& robot, const std::optional<std::vector<BodyPair>>& pairs, double clearance,
                       const py::object& ground, const std::string& name) {
             auto task = std::make_shared<ClearanceTask>(
                 name, robot, BodyDistanceOptions{pairs.value_or(std::vector<BodyPair>{}),
                                           ground.is_none() ? nullptr : ground.cast<GroundHandle>()});
             task->clearance = clearance;
             return task;
           }),
           "m"_a, "pairs"_a = py::none(), "clearance"_a = 0.02, "ground"_a = py::none(), "name"_a = "clearance",
           "pairs: of names of bodies, \"world\" being the scenery and ground; none: all that may meet.")
      .def_readwrite("clearance", &ClearanceTask::clearance, "That is kept (m).")
      .def_readwrite("range", &ClearanceTask::range, "Pairs farther apart are left alone (m).")
      .def_property_readonly(
          "nearest",
          [](const ClearanceTask& t) { return std::pair(t.nearest().bodies, t.nearest().at.distance); },
          "The nearest pair of the last tick and its distance (m).");
}

void bind_places(py::module_& m) {
  py::class_<PointTask, Task, std::shared_ptr<PointTask>> point(
      m, "PointTask", "A point of a body goes where it is told, in the world or in the frame of another body.");
  point.def(py::init([](const Mechanism& robot, const std::string& place, const py::object& p,
                        const std::string& reference, const std::string& name) {
              return std::make_shared<PointTask>(name, robot, place, vector3(p, "point"), reference);
            }),
            "m"_a, "place"_a, "point"_a = std::vector<double>{0.0, 0.0, 0.0}, "reference"_a = "world",
            "name"_a = "point", "point: in the coordinates of the place.");
  bind_vector(point, "position", &PointTask::position, "Target (m).");
  bind_vector(point, "velocity", &PointTask::velocity, "Of the target (m/s).");
  bind_vector(point, "acceleration", &PointTask::acceleration, "Of the target (m/s^2).");
  bind_gains(point), bind_axes<PointTask, 3>(point);

  py::class_<ComTask, Task, std::shared_ptr<ComTask>> com(m, "ComTask", "The centre of mass goes where it is told.");
  com.def(py::init([](const Mechanism& robot, const std::string& name) { return std::make_shared<ComTask>(name, robot); }),
          "m"_a, "name"_a = "com");
  bind_vector(com, "position", &ComTask::position, "Target (m).");
  bind_vector(com, "velocity", &ComTask::velocity, "Of the target (m/s).");
  bind_vector(com, "acceleration", &ComTask::acceleration, "Of the target (m/s^2).");
  bind_gains(com), bind_axes<ComTask, 3>(com);

  py::class_<OrientationTask, Task, std::shared_ptr<OrientationTask>> turn(
      m, "OrientationTask", "A body turns as it is told; the error is the rotation still to be made.");
  turn.def(py::init([](const Mechanism& robot, const std::string& place, const std::string& name) {
             return std::make_shared<OrientationTask>(name, robot, place);
           }),
           "m"_a, "place"_a, "name"_a = "orientation");
  turn.def_property(
      "rotation", [](const OrientationTask& t) { return array(Eigen::MatrixXd(t.rotation.matrix())); },
      [](OrientationTask& t, const py::object& x) { t.rotation = check_rotation(matrix3(x, "rotation"), "rotation"); },
      "Target, 3x3, body to world.");
  bind_vector(turn, "velocity", &OrientationTask::velocity, "Of the target, in its axes (rad/s).");
  bind_vector(turn, "acceleration", &OrientationTask::acceleration, "Of the target, in its axes (rad/s^2).");
  bind_gains(turn);

  py::class_<PoseTask, Task, std::shared_ptr<PoseTask>> pose(
      m, "PoseTask", "A body comes to a pose along the screw that leads there: the error is log(X^-1 X_target).");
  pose.def(py::init([](const Mechanism& robot, const std::string& place, const std::string& reference,
                       const std::string& name) { return std::make_shared<PoseTask>(name, robot, place, reference); }),
           "m"_a, "place"_a, "reference"_a = "world", "name"_a = "pose");
  pose.def_property(
      "pose", [](const PoseTask& t) { return array(Eigen::MatrixXd(t.pose.matrix())); },
      [](PoseTask& t, const py::object& x) { t.pose = pose_from(x, "pose"); }, "Target, 4x4, in the reference.");
  pose.def_property(
      "velocity", [](const PoseTask& t) { return array(t.velocity.vector()); },
      [](PoseTask& t, const py::object& x) { t.velocity = twist_from(x, "velocity"); },
      "Twist of the target in its axes, linear first.");
  pose.def_property(
      "acceleration", [](const PoseTask& t) { return array(t.acceleration.vector()); },
      [](PoseTask& t, const py::object& x) { t.acceleration = twist_from(x, "acceleration"); }, "Its rate.");
  bind_gains(pose);
}

void bind_others(py::module_& m) {
  py::class_<MomentumTask, Task, std::shared_ptr<MomentumTask>> momentum(
      m, "MomentumTask", "Momentum about the centre of mass: dh/dt = rate + damping (momentum - h).");
  momentum.def(py::init([](const Mechanism& robot, const std::string& name) {
                 return std::make_shared<MomentumTask>(name, robot);
               }),
               "m"_a, "name"_a = "momentum");
  momentum.def_property(
      "momentum", [](const MomentumTask& t) { return array(t.momentum); },
      [](MomentumTask& t, const py::object& x) { t.momentum = vector6(x, "momentum"); }, "Target, linear first.");
  momentum.def_property(
      "rate", [](const MomentumTask& t) { return array(t.rate); },
      [](MomentumTask& t, const py::object& x) { t.rate = vector6(x, "rate"); }, "Of the target.");
  momentum.def_readwrite("damping", &MomentumTask::damping, "1/s");
  bind_axes<MomentumTask, 6>(momentum);

  py::class_<PostureTask, Task, std::shared_ptr<PostureTask>> posture(
      m, "PostureTask", "Joints come to a configuration: all but free ones, or those named.");
  posture.def(py::init([](const Mechanism& robot, const std::vector<std::string>& joints, const std::string& name) {
                return std::make_shared<PostureTask>(name, robot, joints);
              }),
              "m"_a, "joints"_a = std::vector<std::string>{}, "name"_a = "posture");
  const auto bind = [&](const char* name, OwnedVector PostureTask::*member, const char* text) {
    posture.def_property(
        name, [member](const PostureTask& t) { return array(t.*member); },
        [member, name](PostureTask& t, const py::object& x) {
          t.*member = OwnedVector(vector(numbers(x, {(t.*member).size()}, name)));
        },
        text);
  };
  bind("q", &PostureTask::q, "Target, nq numbers."), bind("v", &PostureTask::v, "Of the target, nv numbers.");
  bind("a", &PostureTask::a, "Of the target, nv numbers.");
  bind("importance", &PostureTask::importance, "Of each velocity, beside weight.");
  bind_gains(posture);

  py::class_<ContactForceTask, Task, std::shared_ptr<ContactForceTask>> force(
      m, "ContactForceTask", "The force of a contact, all its points together, in contact axes.");
  force.def(py::init([](const std::string& contact, const std::string& name) {
              return std::make_shared<ContactForceTask>(name, contact);
            }),
            "contact"_a, "name"_a = "force");
  bind_vector(force, "force", &ContactForceTask::force, "On the supported body (N).");
  bind_axes<ContactForceTask, 3>(force);
}

ContactPatch patch_from(const py::object& given) {
  ContactPatch patch;
  for (const auto& [key, value] : named_values(given, "a contact")) {
    if (key == "name") patch.name = value.cast<std::string>();
    else if (key == "place" || key == "body") patch.place = value.cast<std::string>();
    else if (key == "support") patch.support = value.cast<std::string>();
    else if (key == "pose" || key == "frame") patch.X_PC = pose_from(value, key);
    else if (key == "normal") patch.normal = vector3(value, "normal");
    else if (key == "friction") patch.friction = number(value, "friction");
    else if (key == "facets") patch.facets = value.cast<int>();
    else if (key == "least_force") patch.least_force = number(value, "least_force");
    else if (key == "largest_force") patch.largest_force = number(value, "largest_force");
    else if (key == "points") {
      const Stack points = stack(value, {3}, "points");
      patch.points.clear();
      for (py::ssize_t i = 0; i < points.count; ++i) patch.points.emplace_back(Vector3<double>(points.item(i)));
    } else throw Error(fmt::format("a contact has no '{}'", key));
  }
  if (patch.name.empty()) patch.name = patch.place;
  return patch;
}

Formulation formulation_of(const std::string& name) {
  if (name == "lie_algebra") return Formulation::lie_algebra;
  if (name == "chart_projected") return Formulation::chart_projected;
  if (name == "chart_multiplier") return Formulation::chart_multiplier;
  throw Error(fmt::format("unknown formulation '{}', expected 'lie_algebra', 'chart_projected' or 'chart_multiplier'", name));
}

std::shared_ptr<WholeBodyController> make_controller(
    const Mechanism& m, std::vector<std::shared_ptr<Task>> tasks, const std::vector<py::object>& contacts,
    double acceleration_weight, double force_weight, bool torque_limits, bool position_limits, bool velocity_limits,
    const std::vector<std::string>& passive_joints, const std::string& formulation, const std::string& chart, double limit_margin) {
  std::vector<ContactPatch> patches;
  for (const py::object& c : contacts) patches.push_back(patch_from(c));
  WholeBodySettings s;
  s.acceleration_weight = acceleration_weight, s.force_weight = force_weight;
  s.torque_limits = torque_limits, s.position_limits = position_limits, s.velocity_limits = velocity_limits;
  s.passive_joints = passive_joints, s.formulation = formulation_of(formulation), s.chart = chart, s.limit_margin = limit_margin;
  return std::make_shared<WholeBodyController>(m, std::move(tasks), std::move(patches), s);
}

void bind_result(py::module_& m) {
  py::class_<WholeBodyResult>(m, "WholeBodyResult", "What a tick of whole-body control found.")
      .def_property_readonly("status", [](const WholeBodyResult& r) { return name_of(r.status); },
                             "\"solved\", \"degraded\" or \"failed\".")
      .def_property_readonly("solved", &WholeBodyResult::solved, "Whether all constraints hold.")
      .def_property_readonly("a", [](const WholeBodyResult& r) { return array(r.a); }, "Accelerations (nv).")
      .def_property_readonly("tau", [](const WholeBodyResult& r) { return array(r.tau); }, "Torques (nv).")
      .def_property_readonly("forces", [](const WholeBodyResult& r) { return array(r.forces); },
                             "Of all points of all contacts, three numbers each, contact axes (N).")
      .def_readonly("task_residuals", &WholeBodyResult::task_residuals, "The largest |J a - wanted| of each task.")
      .def_readonly("certificate", &WholeBodyResult::certificate, "The worst of all levels.")
      .def_readonly("iterations", &WholeBodyResult::iterations, "Constraints added or dropped.")
      .def_readonly("levels", &WholeBodyResult::levels, "Of priority.")
      .def_readonly("fallbacks", &WholeBodyResult::fallbacks, "Programs that were given to the dense solver.");
}

int contact_index(const WholeBodyController& c, const std::string& name) { return c.contact(name); }

void bind_controller(py::module_& m) {
  using C = WholeBodyController;
  py::class_<C, std::shared_ptr<C>>(m, "WholeBodyController", kController)
      .def(py::init(&make_controller), "m"_a, "tasks"_a, "contacts"_a = std::vector<py::object>{},
           "acceleration_weight"_a = WholeBodySettings{}.acceleration_weight,
           "force_weight"_a = WholeBodySettings{}.force_weight, "torque_limits"_a = true, "position_limits"_a = true,
           "velocity_limits"_a = true, "passive_joints"_a = std::vector<std::string>{},
           "formulation"_a = "lie_algebra", "chart"_a = "quaternion", "limit_margin"_a = WholeBodySettings{}.limit_margin)
      .def("hold", [](C& c, const std::string& name, const py::object& pose) {
             if (pose.is_none()) c.hold(contact_index(c, name));
             else c.hold_at(contact_index(c, name), pose_from(pose, "pose"));
           },
           "contact"_a, "pose"_a = py::none(), "From the next tick on, where it is or at a pose on its support.")
      .def("release", [](C& c, const std::string& name) { c.release(contact_index(c, name)); }, "contact"_a,
           "It no longer holds.")
      .def("is_held", [](const C& c, const std::string& name) { return c.is_held(contact_index(c, name)); }, "contact"_a,
           "Whether it holds.")
      .def("set_force_limits",
           [](C& c, const std::string& name, double least, double largest) {
             c.set_force_limits(contact_index(c, name), least, largest);
           },
           "contact"_a, "least"_a, "largest"_a, "Normal force of all its points (N).")
      .def("set_friction", [](C& c, const std::string& name, double friction) { c.set_friction(contact_index(c, name), friction); }, "contact"_a,
           "friction"_a, "Coulomb's coefficient that is counted on.")
      .def("contact_force",
           [](const C& c, const std::string& name) { return array(c.contact_wrench(contact_index(c, name)).vector()); },
           "contact"_a, "Force and moment at the contact frame's origin, contact axes.")
      .def("solve",
           [](C& c, const py::object& q, const py::object& v, double t) -> const WholeBodyResult& {
             const OwnedVector at(vector(numbers(q, {c.mechanism().nq()}, "q"))),
                 moving(vector(numbers(v, {c.mechanism().nv()}, "v")));
             return c.solve(at, moving, t);
           },
           "q"_a, "v"_a, "t"_a = 0.0, py::return_value_policy::copy, "One tick.")
      .def_property_readonly("result", &C::result, py::return_value_policy::copy, "Of the last tick.")
      .def("report", &C::report, "In words: what gave way.")
      .def("on_tick",
           [](C& c, const std::function<void(double)>& f) {
             c.before_tick = [f](const MotionState& at) {
               py::gil_scoped_acquire locked;
               f(at.t());
             };
           },
           "f"_a, "f(t) is called before each tick, to move targets and contacts.");
  m.def("sampled",
        [](const Mechanism& robot, const std::shared_ptr<C>& controller, double period, double delay, double offset,
           const std::string& name) { return writable(sampled(name, controller, robot, {period, delay, offset})); },
        "m"_a, "controller"_a, "period"_a = 1e-3, "delay"_a = 0.0, "offset"_a = 0.0, "name"_a = "controller",
        py::prepend(), "A whole-body controller that is asked at start + offset + k period (s).");
}

}  // namespace

void bind_whole_body(py::module_& m) {
  bind_task(m);
  bind_places(m);
  bind_clearance(m);
  bind_others(m);
  bind_result(m);
  bind_controller(m);
}

}  // namespace amble::python
