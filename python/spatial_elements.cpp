#include "amble/ports/spatial_elements.hpp"

#include <fmt/format.h>

#include "bindings.hpp"
#include "element_handles.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

/// A number for all directions, three along the axes, or the matrix.
Matrix3<double> strength(const py::object& x, const std::string& what) {
  const Array given = numbers(x, what);
  if (given.ndim() == 0) return *given.data() * Matrix3<double>::Identity();
  if (given.ndim() == 1) return vector3(x, what).asDiagonal();
  return matrix3(x, what);
}

Pose pose_or_none(const py::object& x, const char* what) { return x.is_none() ? Pose() : pose_from(x, what); }

/// None, a pose, or a function of t that gives a pose or (pose, twist).
MovingPose moving_from(const py::object& x, const std::string& what) {
  if (!PyCallable_Check(x.ptr())) return resting_pose(pose_or_none(x, what.c_str()));
  const auto f = kept(x);
  const auto is_pair = [](const py::object& said) { return py::isinstance<py::tuple>(said) && py::len(said) == 2; };
  MovingPose out{[f, what, is_pair](double t) {
    py::gil_scoped_acquire locked;
    const py::object said = (*f)(t);
    return pose_from(is_pair(said) ? said[py::int_(0)] : said, what);
  }};
  if (is_pair(x(0.0)))
    out.twist = [f, what](double t) {
      py::gil_scoped_acquire locked;
      return Twist<double>(vector6((*f)(t)[py::int_(1)], "the twist of " + what));
    };
  return out;
}

SpatialEnds ends_from(const std::string& body_a, const std::string& body_b, const py::object& pose_a,
                      const py::object& pose_b) {
  return {body_a, body_b, pose_or_none(pose_a, "pose_a"), pose_or_none(pose_b, "pose_b")};
}

ElementHandle make_spring(const Mechanism& m, const std::string& body_b, const py::object& stiffness,
                          const py::object& rotational, const py::object& rest, const std::string& body_a,
                          const py::object& pose_a, const py::object& pose_b, const std::string& name) {
  return writable(spatial_spring(name, m, ends_from(body_a, body_b, pose_a, pose_b),
                                 {strength(stiffness, "stiffness"), strength(rotational, "rotational_stiffness")},
                                 moving_from(rest, "rest")));
}

ElementHandle make_damper(const Mechanism& m, const std::string& body_b, const py::object& damping,
                          const py::object& rotational, const std::string& body_a, const py::object& pose_a,
                          const py::object& pose_b, const std::string& name) {
  return writable(spatial_damper(name, m, ends_from(body_a, body_b, pose_a, pose_b),
                                 {strength(damping, "damping"), strength(rotational, "rotational_damping")}));
}

ElementHandle make_impedance(const Mechanism& m, const std::string& body_b, const py::object& target,
                             const py::object& stiffness, const py::object& rotational_stiffness,
                             const py::object& damping, const py::object& rotational_damping,
                             const std::string& body_a, const py::object& pose_a, const py::object& pose_b,
                             const std::string& name) {
  return writable(
      spatial_impedance(name, m, ends_from(body_a, body_b, pose_a, pose_b),
                        {strength(stiffness, "stiffness"), strength(rotational_stiffness, "rotational_stiffness")},
                        {strength(damping, "damping"), strength(rotational_damping, "rotational_damping")},
                        moving_from(target, "target")));
}

constexpr const char* kSpring = R"(A spring between frames on two bodies, in all six directions.

At rest when b is at `rest` (4 x 4, or a function of t) in a. Stiffness: a number, three along the axes of a, or a
matrix (N/m, N m/rad). Smooth on all poses: a turn by an angle about u stores (1 - cos angle) u . K u.)";

}  // namespace

void bind_spatial_elements(py::module_& m) {
  const auto ends = std::make_tuple("body_a"_a = "world", "pose_a"_a = py::none(), "pose_b"_a = py::none());
  const auto& [body_a, pose_a, pose_b] = ends;
  m.def("spatial_spring", &make_spring, "m"_a, "body_b"_a, "stiffness"_a, "rotational_stiffness"_a = 0.0,
        "rest"_a = py::none(), body_a, pose_a, pose_b, "name"_a = "spring", kSpring);
  m.def("spatial_damper", &make_damper, "m"_a, "body_b"_a, "damping"_a, "rotational_damping"_a = 0.0, body_a, pose_a,
        pose_b, "name"_a = "damper",
        "The wrench -damping V on b, V the velocity of b relative to a at and along b's frame.");
  m.def("spatial_impedance", &make_impedance, "m"_a, "body_b"_a, "target"_a, "stiffness"_a,
        "rotational_stiffness"_a = 0.0, "damping"_a = 0.0, "rotational_damping"_a = 0.0, body_a, pose_a, pose_b,
        "name"_a = "impedance",
        "A controller like a spring and a damper about a target: a pose (4 x 4) in a, or a function of t that gives "
        "one, or (pose, "
        "twist) with the twist in the target's own axes. What moving it takes is supplied.");
}

}  // namespace amble::python
