#include "amble/contact/contact_rows.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/constraints/pair_constraints.hpp"

namespace amble {

Matrix3<double> contact_axes(const Vector3<double>& n) {
  // Under a ceiling with -z instead, where that way is short.
  const double side = n.z() < -0.5 ? -1.0 : 1.0, y = side * n.y(), z = side * n.z();
  const double a = -n.x() / (1.0 + z), b = -y / (1.0 + z);
  Matrix3<double> out;
  out.col(0) = n;
  out.col(1) = Vector3<double>(1.0 + a * n.x(), side * a * y, side * -n.x());
  out.col(2) = Vector3<double>(b * n.x(), side * (1.0 + b * y), side * -y);
  return out;
}

void put_contact_rows(const ConstraintKinematics& at, const ContactPoint& contact, double* rows) {
  const Matrix3<double> axes = contact_axes(contact.normal);
  double bias = 0.0;
  for (int k = 0; k < 3; ++k)
    at.put_row({.force = axes.col(k), .point = contact.p_b}, contact.link_a, contact.link_b,
               rows + k * at.mechanism().nv(), bias);
}

Vector3<double> checked_normal(const ContactSpec& spec) {
  const double length = spec.normal.norm();
  if (!(length > 0.0) || !std::isfinite(length))
    throw Error(fmt::format("a contact of '{}' has the normal ({}, {}, {}): expected a direction", spec.body,
                            spec.normal[0], spec.normal[1], spec.normal[2]));
  if (!spec.point.allFinite() || !std::isfinite(spec.offset))
    throw Error(fmt::format("a contact of '{}' is at a place that is not a number", spec.body));
  if (!(spec.radius >= 0.0) || !std::isfinite(spec.radius))
    throw Error(
        fmt::format("a contact of '{}' has the radius {} m: expected 0 or more", spec.body, spec.radius));
  if (!(spec.friction >= 0.0))
    throw Error(
        fmt::format("a contact of '{}' has a friction of {}: expected 0 or more", spec.body, spec.friction));
  if (!(spec.restitution >= 0.0 && spec.restitution <= 1.0))
    throw Error(fmt::format("a contact of '{}' has a restitution of {}: expected 0 to 1", spec.body,
                            spec.restitution));
  return spec.normal / length;
}

ContactPoint contact_point(const ConstraintKinematics& at, const ContactSpec& spec) {
  const Vector3<double> n = checked_normal(spec);
  const LinkFrame frame = link_frame(at.mechanism(), spec.body, Pose(SO3<double>(), spec.point));
  const Vector3<double> centre = at.frame(frame).p;
  ContactPoint out{
      .link_a = 0, .link_b = frame.link, .normal = n, .distance = n.dot(centre) - spec.offset - spec.radius};
  out.p_b = centre - spec.radius * n;
  out.p_a = out.p_b - out.distance * n;
  return out;
}

}  // namespace amble
