#pragma once

#include <Eigen/Dense>

#include "amble/contact/contact_spec.hpp"
#include "amble/mechanism/builder.hpp"

namespace amble {

/// A flat body of mass m and inertia J about its centre, free in the plane x-y, with gravity along -y: q =
/// (x, y, angle).
inline Mechanism flat_body(double m, double J, double g = 9.81) {
  Builder b("flat body");
  b.gravity({0.0, -g, 0.0});
  b.body({.name = "body",
          .inertia =
              Inertia<double>::from_com(m, Vector3<double>::Zero(), Vector3<double>(J, J, J).asDiagonal())});
  b.joint({.name = "plane", .type = "planar", .parent = "world", .child = "body"});
  return b.build();
}

/// A body that floats, gravity along -z: q = (position, quaternion).
inline Mechanism free_body(double m, const Vector3<double>& inertia,
                           const Vector3<double>& gravity = {0.0, 0.0, -9.81}) {
  Builder b("free body");
  b.gravity(gravity);
  b.body({.name = "body",
          .inertia = Inertia<double>::from_com(m, Vector3<double>::Zero(), inertia.asDiagonal())});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "body"});
  return b.build();
}

/// Points at the corners of a box's bottom, over the plane z = 0.
inline std::vector<ContactSpec> box_corners(double a, double b, double h, double friction,
                                            double restitution = 0.0) {
  std::vector<ContactSpec> out;
  for (const double x : {-a, a})
    for (const double y : {-b, b})
      out.push_back({.body = "body", .point = {x, y, -h}, .friction = friction, .restitution = restitution});
  return out;
}

/// The two-link robot of DS Example 3.13: point masses of 1 kg half way along links of 1 m that point along y
/// at zero.
inline Mechanism two_links(double g = 0.0) {
  Builder b("two links");
  b.gravity({0.0, -g, 0.0});
  for (const char* name : {"first", "second"})
    b.body(
        {.name = name, .inertia = Inertia<double>::from_com(1.0, {0.0, 0.5, 0.0}, Matrix3<double>::Zero())});
  b.joint({.name = "shoulder", .type = "revolute", .parent = "world", .child = "first"});
  b.joint({.name = "elbow",
           .type = "revolute",
           .parent = "first",
           .child = "second",
           .X_PF = Pose(SO3<double>(), {0.0, 1.0, 0.0})});
  return b.build();
}

}  // namespace amble
