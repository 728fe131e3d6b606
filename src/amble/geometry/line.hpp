#pragma once

#include "amble/geometry/se3.hpp"

namespace amble {

/// A directed line in Pluecker coordinates: a unit direction d and the moment m = p x d of any of its points
/// p. The default is the z axis.
class Line {
 public:
  Line() : direction_(0.0, 0.0, 1.0), moment_(Vector3<double>::Zero()) {}
  /// From a point on it and a direction of any length; a zero or non-finite direction is an Error.
  static Line through(const Vector3<double>& point, const Vector3<double>& direction);
  /// From a to b; an Error when they coincide.
  static Line through_points(const Vector3<double>& a, const Vector3<double>& b);
  /// From Pluecker coordinates of any scale; an Error unless direction . moment = 0 to 1e-9 of |direction|
  /// |moment|.
  static Line from_pluecker(const Vector3<double>& direction, const Vector3<double>& moment);

  const Vector3<double>& direction() const { return direction_; }
  const Vector3<double>& moment() const { return moment_; }
  /// The point nearest to the origin.
  Vector3<double> point() const { return cross<double>(direction_, moment_); }
  /// The point of the line nearest to `p`, and how far it is.
  Vector3<double> nearest(const Vector3<double>& p) const { return point() + direction_.dot(p) * direction_; }
  double distance(const Vector3<double>& p) const { return (cross<double>(p, direction_) - moment_).norm(); }
  Line reversed() const { return Line(-direction_, -moment_); }

 private:
  Line(const Vector3<double>& direction, const Vector3<double>& moment)
      : direction_(direction), moment_(moment) {}
  friend Line operator*(const Pose& X_AB, const Line& line);

  Vector3<double> direction_, moment_;
};

/// The same line seen from A, given it in B.
Line operator*(const Pose& X_AB, const Line& line);

/// d_a . m_b + d_b . m_a: zero exactly when the lines meet or are parallel. With the distance and angle of
/// common_perpendicular() it is -distance sin(angle).
double reciprocal_product(const Line& a, const Line& b);

/// The shortest way from line a to line b.
struct CommonPerpendicular {
  Vector3<double> point_a, point_b;  ///< its ends, on a and on b
  Vector3<double> normal;  ///< unit; turning by `angle` about it takes the direction of a to that of b
  double distance;         ///< (point_b - point_a) . normal; negative when b lies on the other side of a
  double angle;            ///< between the directions, in [0, pi]
  bool parallel;           ///< directions equal or opposite to 1e-12
};

/// For parallel lines, which have many, the one through the point of a nearest to the origin, its normal
/// towards b; for two copies of one line the normal is any perpendicular.
CommonPerpendicular common_perpendicular(const Line& a, const Line& b);

}  // namespace amble
