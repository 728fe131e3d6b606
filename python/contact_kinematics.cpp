#include <fmt/format.h>

#include "amble/contact/collide.hpp"
#include "amble/contact/contact_tracker.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/contact/fitted_surface.hpp"
#include "amble/contact/shape_pair.hpp"
#include "amble/geometry/user_chart.hpp"
#include "bindings.hpp"
#include "constraint_handles.hpp"
#include "ground_handles.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

/// Python has no constant objects; a pair has no method that changes it.
using PairHandle = std::shared_ptr<ContactPair>;
PairHandle writable(const ContactPairPtr& pair) { return std::const_pointer_cast<ContactPair>(pair); }

py::dict point_dict(const ContactPoint& at) {
  py::dict out;
  out["p_a"] = array(at.p_a), out["p_b"] = array(at.p_b), out["normal"] = array(at.normal),
  out["distance"] = at.distance;
  return out;
}

py::dict curvature_dict(const SurfaceCurvature& c) {
  py::dict out;
  out["principal"] = array(c.principal), out["directions"] = array(c.directions);
  return out;
}

// ---- pairs

FrameMotion frame_at(const py::object& pose, const std::string& what) {
  const Pose X = pose_from(pose, what);
  FrameMotion out;
  out.R = X.rotation().matrix();
  out.p = X.translation();
  return out;
}

/// The velocity of the frame's origin and its angular velocity, in world axes.
FrameMotion moving_at(const py::object& pose, const py::object& velocity, const std::string& of) {
  FrameMotion out = frame_at(pose, "pose_" + of);
  const Vector6<double> v = vector6(velocity, "velocity_" + of);
  out.p_dot = v.head<3>();
  out.omega = v.tail<3>();
  return out;
}

py::dict nearest(const PairHandle& pair, const py::object& pose_a, const py::object& pose_b) {
  return point_dict(pair->nearest(frame_at(pose_a, "pose_a"), frame_at(pose_b, "pose_b")));
}

py::dict motion(const PairHandle& pair, const py::object& pose_a, const py::object& velocity_a,
                const py::object& pose_b, const py::object& velocity_b) {
  const FrameMotion a = moving_at(pose_a, velocity_a, "a"), b = moving_at(pose_b, velocity_b, "b");
  const ContactMotion m = pair->motion(pair->nearest(a, b), a, b);
  py::dict out;
  out["p_a"] = array(m.p_a_dot), out["p_b"] = array(m.p_b_dot), out["normal"] = array(m.normal_dot);
  out["distance"] = m.distance_rate;
  return out;
}

py::object curvatures_of(const PairHandle& pair, const py::object& pose_a, const py::object& pose_b) {
  const FrameMotion a = frame_at(pose_a, "pose_a"), b = frame_at(pose_b, "pose_b");
  const auto found = curvatures(*pair, pair->nearest(a, b), a, b);
  if (!found) return py::none();
  return py::make_tuple(curvature_dict(found->a), curvature_dict(found->b));
}

PairHandle tip_pair(const Mechanism& m, const std::string& name, const std::string& body, const Tip& tip,
                    const py::object& over, const py::object& pose, const std::string& base,
                    const py::object& base_pose) {
  const LinkFrame a = frame_from(m, base, base_pose, "base_pose"), b = frame_from(m, body, pose, "pose");
  if (over.is_none()) return writable(tip_on_plane_pair(name, a, b, tip));
  if (py::isinstance<Surface>(over))
    return writable(tip_on_surface_pair(name, a, over.cast<Surface>(), b, tip));
  if (py::isinstance<Ground>(over))
    return writable(tip_on_ground_pair(name, a, over.cast<GroundHandle>(), b, tip));
  throw Error(
      fmt::format("tip_pair '{}' is over something else: expected None, a Ground or a Surface", name));
}

PairHandle pair_of_shapes(const Mechanism& m, const std::string& name, const std::string& body_a,
                          const CollisionShape& shape_a, const std::string& body_b,
                          const CollisionShape& shape_b, const py::object& pose_a, const py::object& pose_b) {
  return writable(shape_pair(name, frame_from(m, body_a, pose_a, "pose_a"), shape_a,
                             frame_from(m, body_b, pose_b, "pose_b"), shape_b));
}

PairHandle pair_of_surfaces(const Mechanism& m, const std::string& name, const std::string& body_a,
                            const ParametricSurface& surface_a, const std::string& body_b,
                            const ParametricSurface& surface_b, const py::object& pose_a,
                            const py::object& pose_b) {
  return writable(parametric_pair(name, frame_from(m, body_a, pose_a, "pose_a"), surface_a,
                                  frame_from(m, body_b, pose_b, "pose_b"), surface_b));
}

// ---- shapes

std::vector<Vector3<double>> point_list(const py::object& points) {
  const Array given = numbers(points, "points");
  if (given.ndim() != 2 || given.shape(1) != 3) throw Error("points has another shape than (count, 3)");
  std::vector<Vector3<double>> out;
  for (py::ssize_t i = 0; i < given.shape(0); ++i)
    out.emplace_back(given.at(i, 0), given.at(i, 1), given.at(i, 2));
  return out;
}

CollisionShape mesh_of(const py::object& points, const py::object& scale) {
  const Vector3<double> by = vector3(scale, "scale");
  if (py::isinstance<py::str>(points)) return mesh_shape(load_convex_mesh(points.cast<std::string>(), by));
  std::vector<Vector3<double>> corners = point_list(points);
  for (Vector3<double>& p : corners) p = by.cwiseProduct(p);
  return mesh_shape(std::make_shared<ConvexMesh>(corners));
}

py::list touching(const CollisionShape& a, const py::object& pose_a, const CollisionShape& b,
                  const py::object& pose_b, double margin) {
  ContactManifold manifold;
  collide(a, pose_from(pose_a, "pose_a"), b, pose_from(pose_b, "pose_b"), margin, manifold);
  py::list out;
  for (int i = 0; i < manifold.count; ++i) out.append(point_dict(manifold.points[i]));
  return out;
}

// ---- surfaces given by f(u)

SecondOrder second_order(const py::handle& x) {
  return py::isinstance<SecondOrder>(x) ? x.cast<SecondOrder>() : SecondOrder(number(x, "f of a surface"));
}

/// f at u with directions i and j: three numbers with derivatives.
std::array<SecondOrder, 3> along(const py::object& f, const Vector2<double>& u, int i, int j) {
  std::array<SecondOrder, 2> x{SecondOrder(u[0]), SecondOrder(u[1])};
  x[i].value.grad[0] = 1.0;
  x[j].grad[0].value = 1.0;
  const py::object given = f(x[0], x[1]);
  if (!py::isinstance<py::sequence>(given) || py::len(given) != 3)
    throw Error("f of a surface must give three numbers");
  const auto y = given.cast<py::sequence>();
  return {second_order(y[0]), second_order(y[1]), second_order(y[2])};
}

ParametricSurface surface_of(const py::function& f, const py::object& lower, const py::object& upper,
                             bool turned) {
  const Array from = numbers(lower, {2}, "lower"), to = numbers(upper, {2}, "upper");
  const auto jet = [own = kept(f), turned](const Vector2<double>& u) {
    py::gil_scoped_acquire locked;
    const auto y11 = along(*own, u, 0, 0), y12 = along(*own, u, 0, 1), y22 = along(*own, u, 1, 1);
    Vector3<double> value, second[3];
    Matrix<double, 3, 2> first;
    for (int k = 0; k < 3; ++k) {
      value[k] = y11[k].value.value;
      first(k, 0) = y11[k].value.grad[0], first(k, 1) = y22[k].value.grad[0];
      second[0][k] = y11[k].grad[0].grad[0], second[1][k] = y12[k].grad[0].grad[0],
      second[2][k] = y22[k].grad[0].grad[0];
    }
    return surface_jet(value, first, second[0], second[1], second[2], turned);
  };
  return ParametricSurface({{jet, {from.at(0), from.at(1)}, {to.at(0), to.at(1)}}});
}

py::dict surface_at(const ParametricSurface& surface, const py::object& u, int chart) {
  if (chart < 0 || chart >= static_cast<int>(surface.charts().size()))
    throw Error(
        fmt::format("chart {} of a surface of {}: expected one of them", chart, surface.charts().size()));
  const Array at = numbers(u, {2}, "u");
  const SurfaceJet jet = surface.at({chart, {at.at(0), at.at(1)}});
  py::dict out;
  out["f"] = array(jet.f), out["f_u"] = array(jet.f_u), out["g"] = array(jet.g), out["g_u"] = array(jet.g_u);
  out["curvature"] = curvature_dict(curvature(jet));
  return out;
}

py::tuple fitted(const FittedSurface& fit) { return py::make_tuple(fit.surface, fit.rms, fit.largest); }

/// (4 x 4, six numbers) of the user's at t.
ContactTracker::Motion motion_from(const py::function& f) {
  return [f](double t) {
    const py::object given = f(t);
    if (!py::isinstance<py::sequence>(given) || py::len(given) != 2)
      throw Error("the motion of a tracker must give (pose, twist)");
    const auto both = given.cast<py::sequence>();
    const Vector6<double> v = vector6(both[1], "twist");
    return RelativeMotion{pose_from(both[0], "pose"), Twist<double>(v.head<3>(), v.tail<3>())};
  };
}

constexpr const char* kPair =
    R"(Two surfaces, each fixed to a frame on a body, and where they are nearest to each other.

For compliant_contact(pair=...), and by itself with poses of the two frames in the world. The normal is unit, out of a towards b; the
distance is negative where they penetrate.)";

constexpr const char* kTip =
    R"(A point, sphere, rim or ellipsoid of a body over a plane, a ground or a surface: contact kinematics without a search.

tip: point_tip(), sphere_tip(), disc_tip(), ellipse_tip(), ellipsoid_tip(), in the frame `pose` (4 x 4) on `body`. over: None for the x-y plane
of the frame `base_pose` on `base`, or a Ground or a Surface in its axes. Positions and velocities are exact.)";

constexpr const char* kShapes =
    R"(Two solid shapes, each on a frame of a body: nearest points by FCL, settled by Newton's method to rounding.)";

constexpr const char* kCollide =
    R"(Up to eight points where two bodies touch or are nearer than `margin`, for time stepping.

Shapes by sphere_shape() and the like, poses (4 x 4) in the world. Each point is a dict with p_a, p_b, normal (out of a towards b) and distance.)";

constexpr const char* kTracker =
    R"(Follows the nearest points of two ParametricSurfaces along a motion, by the differential equation of DS Theorem 3.7.

step: of Runge and Kutta's method (s). reseat: residual above which Newton's method seats the points again.)";

void bind_pairs(py::module_& m) {
  py::class_<ContactPair, PairHandle>(m, "ContactPair", kPair)
      .def_property_readonly("name", [](const PairHandle& p) { return p->name(); }, "Its name.")
      .def("nearest", &nearest, "pose_a"_a, "pose_b"_a,
           "{'p_a', 'p_b', 'normal', 'distance'} with the frames at these poses (4 x 4).")
      .def("motion", &motion, "pose_a"_a, "velocity_a"_a, "pose_b"_a, "velocity_b"_a,
           "How they move: rates of the same four. Velocities: of the frame's origin, then angular, in world "
           "axes.")
      .def("curvatures", &curvatures_of, "pose_a"_a, "pose_b"_a,
           "({'principal', 'directions'} of a, of b) at the nearest points (1/m); None where they are not "
           "known.");
  py::class_<Tip>(m, "Tip", "What of a body may touch; made by point_tip() and the like.");
  m.def("point_tip", &point_tip, "The origin of the frame.");
  m.def("sphere_tip", &sphere_tip, "radius"_a, "A ball about the origin.");
  m.def("disc_tip", &disc_tip, "radius"_a,
        "The rim of a flat round plate in the x-y plane; an Error where it lies flat.");
  m.def("ellipse_tip", &ellipse_tip, "radius_x"_a, "radius_y"_a,
        "The rim of a flat elliptic plate, likewise.");
  m.def(
      "ellipsoid_tip", [](const py::object& axes) { return ellipsoid_tip(vector3(axes, "semi_axes")); },
      "semi_axes"_a, "An ellipsoid about the origin.");
  m.def("tip_pair", &tip_pair, "m"_a, "name"_a, "body"_a, "tip"_a, "over"_a = py::none(),
        "pose"_a = py::none(), "base"_a = "world", "base_pose"_a = py::none(), kTip);
  m.def("shape_pair", &pair_of_shapes, "m"_a, "name"_a, "body_a"_a, "shape_a"_a, "body_b"_a, "shape_b"_a,
        "pose_a"_a = py::none(), "pose_b"_a = py::none(), kShapes);
  m.def("parametric_pair", &pair_of_surfaces, "m"_a, "name"_a, "body_a"_a, "surface_a"_a, "body_b"_a,
        "surface_b"_a, "pose_a"_a = py::none(), "pose_b"_a = py::none(),
        "Two ParametricSurfaces, each on a frame of a body; searched all over each time.");
}

void bind_shapes(py::module_& m) {
  py::class_<CollisionShape>(m, "CollisionShape",
                             "What a body collides as; made by sphere_shape() and the like.");
  m.def("sphere_shape", &sphere_shape, "radius"_a, "A ball about its frame's origin.");
  m.def("capsule_shape", &capsule_shape, "radius"_a, "length"_a, "Along z; the length is without the caps.");
  m.def(
      "box_shape", [](const py::object& edges) { return box_shape(vector3(edges, "edges")); }, "edges"_a,
      "Full edge lengths.");
  m.def("cylinder_shape", &cylinder_shape, "radius"_a, "length"_a, "Along z.");
  m.def(
      "ellipsoid_shape", [](const py::object& axes) { return ellipsoid_shape(vector3(axes, "semi_axes")); },
      "semi_axes"_a, "Along the axes of its frame.");
  m.def("mesh_shape", &mesh_of, "points"_a, "scale"_a = py::make_tuple(1.0, 1.0, 1.0),
        "The hull of points (count x 3), or of what a mesh file holds.");
  m.def("plane_shape", &plane_shape, "The x-y plane of its frame; what stands on it is on the side of +z.");
  m.def(
      "ground_shape", [](const GroundHandle& ground) { return ground_shape(ground); }, "ground"_a,
      "A Ground over the x-y plane of its frame.");
  m.def("collide", &touching, "a"_a, "pose_a"_a, "b"_a, "pose_b"_a, "margin"_a = 0.0, kCollide);
}

void bind_parametric(py::module_& m) {
  py::class_<ParametricSurface>(m, "ParametricSurface",
                                "A smooth surface given by f(u); made by parametric_surface() and the like.")
      .def("at", &surface_at, "u"_a, "chart"_a = 0,
           "{'f', 'f_u', 'g', 'g_u', 'curvature'}: point, tangent map, outward normal and its tangent map.");
  m.def("parametric_surface", &surface_of, "f"_a, "lower"_a, "upper"_a, "turned"_a = false,
        "From f(u1, u2) -> (x, y, z), written with arithmetic and NumPy functions of Dual numbers; looked "
        "for between `lower` and `upper`. Outward is "
        "f_1 x f_2, or against it when turned.");
  m.def(
      "ellipsoid_surface",
      [](const py::object& axes) { return ellipsoid_surface(vector3(axes, "semi_axes")); }, "semi_axes"_a,
      "In two charts.");
  m.def("sine_surface", &sine_surface, "amplitude"_a, "frequency"_a, "reach"_a,
        "z = amplitude sin(2 pi frequency y), DS Example 3.5.");
  m.def("torus_surface", &torus_surface, "ring"_a, "tube"_a, "About z.");
  m.def("plane_surface", &plane_surface, "reach"_a, "The x-y plane.");
  m.def(
      "fit_height",
      [](const py::object& points, const py::object& frame, int cells_x, int cells_y, double smoothing) {
        const std::vector<Vector3<double>> list = point_list(points);
        return fitted(fit_height(list, {frame.is_none() ? plane_through(list) : pose_from(frame, "frame"),
                                        cells_x, cells_y, smoothing}));
      },
      "points"_a, "frame"_a = py::none(), "cells_x"_a = 8, "cells_y"_a = 8, "smoothing"_a = 1e-6,
      "(ParametricSurface, rms miss, largest miss): a smooth height over the x-y plane of `frame` (4 x 4; "
      "None: the plane through the points).");
  m.def(
      "fit_star",
      [](const py::object& points, const py::object& centre, int degree) {
        return fitted(fit_star(point_list(points), {vector3(centre, "centre"), degree}));
      },
      "points"_a, "centre"_a = py::make_tuple(0.0, 0.0, 0.0), "degree"_a = 8,
      "(ParametricSurface, rms miss, largest miss): a closed surface that every ray from `centre` meets "
      "once.");
  py::class_<ContactTracker>(m, "ContactTracker", kTracker)
      .def(py::init([](const ParametricSurface& a, const ParametricSurface& b, double step, double reseat,
                       int grid) {
             return ContactTracker(a, b, {step, reseat, grid});
           }),
           "a"_a, "b"_a, "step"_a = 1e-3, "reseat"_a = 1e-10, "grid"_a = 16)
      .def(
          "start", [](ContactTracker& t, const py::object& pose) { t.start(pose_from(pose, "pose")); },
          "pose"_a, "Searches all over both surfaces, b at this pose (4 x 4) in the axes of a.")
      .def(
          "follow",
          [](ContactTracker& t, const py::function& f, double from, double to) {
            t.follow(motion_from(f), from, to);
          },
          "motion"_a, "start"_a, "end"_a,
          "Along motion(t) -> (pose of b in a, its twist in the axes of a with pose' = twist~ pose, linear "
          "part first).")
      .def(
          "seat", [](ContactTracker& t, const py::object& pose) { t.seat(pose_from(pose, "pose")); },
          "pose"_a, "Newton's method from where the points are.")
      .def(
          "point",
          [](const ContactTracker& t, const py::object& pose) {
            return point_dict(t.point(pose_from(pose, "pose")));
          },
          "pose"_a, "{'p_a', 'p_b', 'normal', 'distance'} in the axes of a.")
      .def(
          "residual",
          [](const ContactTracker& t, const py::object& pose) { return t.residual(pose_from(pose, "pose")); },
          "pose"_a, "How far the points are from being nearest, DS (3.16).")
      .def_property_readonly("drift", &ContactTracker::drift, "The largest residual before any seating.")
      .def_property_readonly("reseated", &ContactTracker::reseated, "How often Newton's method was called.");
}

}  // namespace

void bind_contact_kinematics(py::module_& m) {
  bind_pairs(m);
  bind_shapes(m);
  bind_parametric(m);
}

}  // namespace amble::python
