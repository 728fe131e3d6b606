#include "amble/control/walking/floor_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/base/infinity.hpp"

namespace amble {

namespace {

constexpr int kNodes = 2000;        // of paths that are curved
constexpr double kFar = 1e6;        // m: further than anyone walks
constexpr double kRound = 2.0 * std::numbers::pi;

double between(double from, double to, double share) { return from + share * std::remainder(to - from, kRound); }

/// y(s) over [0, 1], or any curve, as straight lines.
FloorPath sampled(const std::function<std::pair<double, double>(double)>& at, bool closed) {
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < kNodes + (closed ? 0 : 1); ++i) points.push_back(at(static_cast<double>(i) / kNodes));
  return FloorPath(points, closed);
}

}  // namespace

FloorPath::FloorPath(const std::vector<std::pair<double, double>>& points, bool closed) : closed_(closed) {
  if (points.size() < 2) throw Error(fmt::format("a path through {} points: expected two or more", points.size()));
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) throw Error("a path goes through a point that is not finite");
    points_.push_back({x, y});
  }
  if (closed) points_.push_back(points_.front());
  for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
    const double dx = points_[i + 1].x - points_[i].x, dy = points_[i + 1].y - points_[i].y;
    if (dx == 0.0 && dy == 0.0) throw Error(fmt::format("points {} and {} of a path are in one place", i + 1, i + 2));
    points_[i].heading = std::atan2(dy, dx);
  }
  points_.back().heading = closed ? points_.front().heading : points_[points_.size() - 2].heading;
}

FloorPath::Point FloorPath::nearest(double x, double y) const {
  Point best;
  double least = kInfinity;
  for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
    const Point &a = points_[i], &b = points_[i + 1];
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double share = ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy);
    const double low = !closed_ && i == 0 ? -kInfinity : 0.0,
                 high = !closed_ && i + 2 == points_.size() ? kInfinity : 1.0;
    const double s = std::clamp(share, low, high);
    const double distance = std::hypot(a.x + s * dx - x, a.y + s * dy - y);
    // A node's heading is the mean of the lines that meet there; halfway along a line it is the line's own.
    const std::size_t other = s < 0.5 ? (i == 0 ? i : i - 1) : i + 1;
    const double share_of_other = std::abs(std::clamp(s, 0.0, 1.0) - 0.5);
    if (distance < least)
      least = distance,
      best = {a.x + s * dx, a.y + s * dy, between(a.heading, points_[other].heading, share_of_other)};
  }
  return best;
}

FloorPath::Point FloorPath::beside(double x, double y) const {
  Point best;
  double least = kInfinity;
  for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
    const Point &a = points_[i], &b = points_[i + 1];
    if (a.x == b.x || x < std::min(a.x, b.x) || x > std::max(a.x, b.x)) continue;
    const double at = a.y + (x - a.x) / (b.x - a.x) * (b.y - a.y);
    if (std::abs(at - y) < least) least = std::abs(at - y), best = {x, at, a.heading};
  }
  if (least == kInfinity) throw Error(fmt::format("the path does not come by x = {} m", x));
  return best;
}

FloorPath straight_path(double y, double heading) {
  const double c = kFar * std::cos(heading), s = kFar * std::sin(heading);
  return FloorPath({{-c, y - s}, {c, y + s}});
}

FloorPath sine_path(double amplitude, double wavelength, double length) {
  if (!(wavelength > 0.0) || !(length > 0.0))
    throw Error(fmt::format("a path with waves of {} m over {} m: expected more than 0", wavelength, length));
  const auto y = [=](double x) { return x <= 0.0 ? 0.0 : amplitude * std::sin(kRound * x / wavelength); };
  return sampled(
      [=](double s) {
        const double x = (1.1 * s - 0.05) * length;  // it is known a little before its start and behind its end
        return std::pair{x, y(x)};
      },
      false);
}

FloorPath circle_path(double radius) {
  if (radius == 0.0 || !std::isfinite(radius)) throw Error(fmt::format("a circle of radius {} m is no path", radius));
  const double side = radius > 0.0 ? 1.0 : -1.0, r = std::abs(radius);
  return sampled(
      [=](double s) { return std::pair{r * std::sin(kRound * s), side * r * (1.0 - std::cos(kRound * s))}; }, true);
}

}  // namespace amble
