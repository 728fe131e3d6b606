#include "amble/contact/collision_shape.hpp"
#include "amble/io/mesh/load_mesh.hpp"
#include "amble/mechanism/builder.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "convert.hpp"
#include "properties.hpp"

namespace amble::python {

namespace {

Pose pose_or_identity(const py::object& x, const std::string& what) {
  return x.is_none() ? Pose() : pose_from(x, what);
}

/// ("leader",), ("leader", ratio) or ("leader", ratio, offset), or the leader's name alone.
std::optional<Mimic> mimic_from(const py::object& x, const std::string& owner) {
  if (x.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(x)) return Mimic{x.cast<std::string>()};
  const py::list given = py::isinstance<py::sequence>(x) ? py::list(x) : py::list();
  if (given.size() < 1 || given.size() > 3 || !py::isinstance<py::str>(given[0]))
    throw Error(fmt::format("mimic of {} is {}: expected (leader, ratio, offset)", owner,
                            py::repr(x).cast<std::string>()));
  Mimic mimic{given[0].cast<std::string>()};
  if (given.size() > 1) mimic.ratio = number(given[1], "mimic ratio of " + owner);
  if (given.size() > 2) mimic.offset = number(given[2], "mimic offset of " + owner);
  return mimic;
}

/// dict(shape="cylinder", size=[radius, length], pose=X, file=, friction=, name=).
PlacedShape collision_from(const py::handle& x, const std::string& owner) {
  if (!py::isinstance<py::dict>(x))
    throw Error(fmt::format("a collision of {} is {}: expected dict(shape=, size=)", owner,
                            py::repr(x).cast<std::string>()));
  const py::dict given = py::reinterpret_borrow<py::dict>(x);
  PlacedShape out;
  bool sized = false;
  for (const auto& [key, value] : given) {
    const std::string name = py::str(key), what = fmt::format("{} of a collision of {}", name, owner);
    if (name == "shape") {
      const std::string kind = py::str(value);
      const std::optional<Shape::Kind> known = shape_kind(kind);
      if (!known)
        throw Error(fmt::format("{} is '{}': expected box, sphere, cylinder, capsule, ellipsoid, plane or mesh", what, kind));
      out.shape.kind = *known;
    } else if (name == "size") {
      const std::vector<double> size = py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value)
                                           ? std::vector<double>{value.cast<double>()}
                                           : value.cast<std::vector<double>>();
      if (size.empty() || size.size() > 3) throw Error(fmt::format("{} has {} numbers: expected 1 to 3", what, size.size()));
      std::copy(size.begin(), size.end(), out.shape.size.data());
      sized = true;
    } else if (name == "pose") {
      out.X_BS = pose_from(py::reinterpret_borrow<py::object>(value), what);
    } else if (name == "file") {
      const Shape mesh = mesh_file_shape(py::str(value));
      out.shape.file = mesh.file, out.shape.path = mesh.path;
    } else if (name == "friction") {
      constexpr int kAllBits = -1;
      out.surface = ContactSurface{.friction = number(value, what), .type = kAllBits, .affinity = kAllBits};
    } else if (name == "name") {
      out.name = py::str(value);
    } else {
      throw Error(fmt::format("a collision of {} has '{}': expected shape, size, pose, file, friction or name", owner, name));
    }
  }
  if (!given.contains("shape")) throw Error(fmt::format("a collision of {} has no shape: expected dict(shape=, size=)", owner));
  if (out.shape.kind == Shape::Kind::mesh && !sized) out.shape.size.setOnes();
  if (out.name.empty()) out.name = shape_name(out.shape.kind);
  (void)collision_shape(out.shape);  // refuses sizes that cannot be
  return out;
}

Builder& add_body(Builder& b, const std::string& name, const py::object& mass, const py::object& com,
                  const py::object& inertia, const py::list& collisions) {
  const std::string owner = fmt::format("body '{}'", name);
  BodyDescription body{.name = name, .inertia = inertia_from(mass, com, inertia, owner)};
  for (const py::handle& x : collisions) body.collisions.push_back(collision_from(x, owner));
  return b.body(std::move(body));
}

Builder& add_joint(Builder& b, const std::string& name, const std::string& type, const std::string& parent,
                   const std::string& child, const py::object& pose, const py::object& axis,
                   const py::object& child_pose, const py::object& axis2, const py::object& pitch,
                   const py::object& mimic, const py::kwargs& properties) {
  const std::string owner = fmt::format("joint '{}'", name);
  JointDescription j{.name = name, .type = type, .parent = parent, .child = child};
  j.X_PF = pose_or_identity(pose, "pose of " + owner);
  j.X_CM = pose_or_identity(child_pose, "child_pose of " + owner);
  if (!axis.is_none()) j.axis = vector3(axis, "axis of " + owner);
  if (!axis2.is_none()) j.axis2 = vector3(axis2, "axis2 of " + owner);
  j.pitch = number(pitch, "pitch of " + owner);
  j.mimic = mimic_from(mimic, owner);
  change_properties(j.properties, properties, owner);
  return b.joint(std::move(j));
}

Builder& add_loop(Builder& b, const std::string& name, const std::string& type, const std::string& body_a,
                  const std::string& body_b, const py::object& pose_a, const py::object& pose_b,
                  const py::object& axis, const py::object& axis2, const py::object& pitch) {
  const std::string owner = fmt::format("loop '{}'", name);
  LoopDescription l{.name = name, .type = type, .body_a = body_a, .body_b = body_b};
  l.X_AF = pose_or_identity(pose_a, "pose_a of " + owner);
  l.X_BM = pose_or_identity(pose_b, "pose_b of " + owner);
  if (!axis.is_none()) l.axis = vector3(axis, "axis of " + owner);
  if (!axis2.is_none()) l.axis2 = vector3(axis2, "axis2 of " + owner);
  l.pitch = number(pitch, "pitch of " + owner);
  return b.loop(std::move(l));
}

Builder& add_spring(Builder& b, const std::string& name, const std::string& body_a, const std::string& body_b,
                    const py::object& point_a, const py::object& point_b, const py::object& stiffness,
                    const py::object& length, const py::object& damping) {
  const std::string owner = fmt::format("spring '{}'", name);
  SpringDescription s{.name = name, .body_a = body_a, .body_b = body_b};
  if (!point_a.is_none()) s.point_a = vector3(point_a, "point_a of " + owner);
  if (!point_b.is_none()) s.point_b = vector3(point_b, "point_b of " + owner);
  s.stiffness = number(stiffness, "stiffness of " + owner);
  s.length = number(length, "length of " + owner);
  s.damping = number(damping, "damping of " + owner);
  return b.spring(std::move(s));
}

Builder& add_rolling(Builder& b, const std::string& name, const std::string& body, const py::object& radius,
                     const py::object& axis, const py::object& center) {
  const std::string owner = fmt::format("rolling '{}'", name);
  RollingDescription r{.name = name, .body = body, .radius = number(radius, "radius of " + owner)};
  if (!axis.is_none()) r.axis = vector3(axis, "axis of " + owner);
  if (!center.is_none()) r.center = vector3(center, "center of " + owner);
  return b.rolling(std::move(r));
}

Builder& add_frame(Builder& b, const std::string& name, const std::string& body, const py::object& pose) {
  return b.frame(
      {.name = name, .body = body, .X_BF = pose_or_identity(pose, fmt::format("pose of frame '{}'", name))});
}

constexpr const char* kBuilder = R"(Builds a mechanism in code; the pieces may come in any order.

    b = amble.Builder("pendulum")
    b.body("rod", mass=1.0, com=[0, 0, -0.5], inertia=np.diag([0.1, 0.1, 0.001]))
    b.joint("pin", "revolute", parent="world", child="rod", axis=[0, 1, 0])
    pendulum = b.build())";

constexpr const char* kBody =
    "Add a body: mass (kg), com (3, m) in its frame, inertia about the com (3 x 3, kg m^2). collisions: what it touches others\n"
    "with, a list of dict(shape=, size=, pose=, file=, friction=, name=): box (full edges), sphere (radius), cylinder and capsule (radius,\n"
    "length along z, a capsule's without its caps), ellipsoid (semi-axes), plane, mesh (scale; its file).";

constexpr const char* kJoint = R"(Add a joint.

type: revolute, continuous, prismatic, helical, cylindrical, universal, planar, spherical, free or fixed.
parent, child: names of bodies; the parent may be "world". A child that is held already closes a loop.
pose, child_pose: the joint's frame in the parent and in the child (4 x 4; None: the body's own frame).
axis, axis2: unit vectors in the joint's frame (default z and x); axis2 is the second of a universal joint.
A planar joint's axis is the plane's normal n; its coordinates x and y run along the images of the joint frame's x and
y under the shortest rotation that takes z to n. Where n points more than 30 degrees below the horizontal (n_z < -0.5)
a half turn about x comes first, then the shortest rotation that takes -z to n.
pitch: of a helical joint (m/rad). mimic: (leader, ratio, offset), q = ratio q_leader + offset.
Further: lower, upper, velocity, effort, damping, friction, armature, stiffness, reference (each a number, or a list
with one per degree of freedom).)";

constexpr const char* kSpring = R"(Add a spring, and a damper beside it, between points of two bodies.

It pulls them together by stiffness (d - length) + damping d', where d is the distance of the points.
point_a, point_b: where it ends, each in its body's frame (3, m; None: the origin); a body may be "world".
stiffness (N/m), length at rest (m), damping (N s/m). Springs act in simulation and in spring_forces(), not in
forward_dynamics().)";

constexpr const char* kRolling = R"(Let a wheel roll without slip on the ground plane z = 0.

The wheel is a thin disc fixed to the body: radius (m), axis (unit, in the body's frame; default z) and center (3, m,
in the body's frame; None: the origin). Its lowest point stays on the ground and does not slide there: three
conditions, which constrained_dynamics() and simulation hold and forward_dynamics() ignores. Conditions that repeat
others, as for a wheel held upright at its height by a planar joint, or the fourth wheel of a cart, do no harm.)";

constexpr const char* kLoop = R"(Close a loop: relate a frame on body_a and one on body_b by a joint type.

pose_a, pose_b: the two frames on their bodies (4 x 4; None: the body's own frame).
axis, axis2, pitch: as in joint().)";

}  // namespace

void bind_builder(py::module_& m) {
  constexpr auto same = py::return_value_policy::reference_internal;
  const py::none none;
  py::class_<Builder>(m, "Builder", kBuilder)
      .def(py::init<std::string>(), py::arg("name"), "An empty model.")
      .def(py::init([](const Mechanism& m) { return Builder(m.description()); }), py::arg("mechanism"),
           "Goes on from what a mechanism has.")
      .def(
          "gravity",
          [](Builder& b, const py::object& g) -> Builder& { return b.gravity(vector3(g, "gravity")); }, same,
          py::arg("gravity"), "Set gravity (3, m/s^2, world axes); (0, 0, -9.81) when never set.")
      .def("body", &add_body, same, py::arg("name"), py::arg("mass") = 0.0, py::arg("com") = none,
           py::arg("inertia") = none, py::arg("collisions") = py::list(), kBody)
      .def("joint", &add_joint, same, py::arg("name"), py::arg("type"), py::arg("parent"), py::arg("child"),
           py::arg("pose") = none, py::arg("axis") = none, py::arg("child_pose") = none,
           py::arg("axis2") = none, py::arg("pitch") = 0.0, py::arg("mimic") = none, kJoint)
      .def("loop", &add_loop, same, py::arg("name"), py::arg("type"), py::arg("body_a"), py::arg("body_b"),
           py::arg("pose_a") = none, py::arg("pose_b") = none, py::arg("axis") = none,
           py::arg("axis2") = none, py::arg("pitch") = 0.0, kLoop)
      .def("spring", &add_spring, same, py::arg("name"), py::arg("body_a"), py::arg("body_b"),
           py::arg("point_a") = none, py::arg("point_b") = none, py::arg("stiffness") = 0.0,
           py::arg("length") = 0.0, py::arg("damping") = 0.0, kSpring)
      .def("rolling", &add_rolling, same, py::arg("name"), py::arg("body"), py::arg("radius"), py::arg("axis") = none,
           py::arg("center") = none, kRolling)
      .def("frame", &add_frame, same, py::arg("name"), py::arg("body"), py::arg("pose") = none,
           "Name a place on a body by its pose there (4 x 4).")
      .def("build", &Builder::build, py::call_guard<py::gil_scoped_release>(),
           "The mechanism; an Error listing every problem when it cannot be built.");
}

}  // namespace amble::python
