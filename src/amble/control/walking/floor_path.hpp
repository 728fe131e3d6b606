#pragma once

#include <functional>
#include <vector>

namespace amble {

/// A path on the floor that a walker may follow.
class FloorPath {
 public:
  struct Point {
    double x = 0.0, y = 0.0, heading = 0.0;  ///< m, rad from the x axis
  };
  /// Straight lines between points, with headings in between; closed ones lead from the last to the first. Throws an
  /// Error for fewer than two points, or two in the same place.
  explicit FloorPath(const std::vector<std::pair<double, double>>& points, bool closed = false);

  /// The point of the path that is nearest; an open one goes on before its start and behind its end.
  Point nearest(double x, double y) const;
  /// The point of the path beside (x, y) along the y axis, the nearest one if there are several: the reference y(x) of
  /// DS (5.41). Throws an Error when the path does not come by.
  Point beside(double x, double y) const;
  const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;  // each with the heading of the line after it
  bool closed_;
};

/// Fine enough that it counts as smooth.
FloorPath straight_path(double y = 0.0, double heading = 0.0);
/// y = amplitude sin(2 pi x / wavelength) from x = 0 to `length`.
FloorPath sine_path(double amplitude, double wavelength, double length);
/// Round the centre (0, radius), counter-clockwise, from the origin; a negative radius turns right.
FloorPath circle_path(double radius);

}  // namespace amble
