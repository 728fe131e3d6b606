#include "amble/control/contact_patch.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>

#include "amble/base/error.hpp"

namespace amble {

namespace {

/// 0 for points in one place, 1 on a line, 2 or 3 otherwise.
int spread(const std::vector<Vector3<double>>& points) {
  Eigen::MatrixXd from_first(3, points.size());
  for (std::size_t i = 0; i < points.size(); ++i) from_first.col(i) = points[i] - points[0];
  return static_cast<int>(Eigen::JacobiSVD<Eigen::MatrixXd>(from_first).setThreshold(1e-9).rank());
}

}  // namespace

void ContactPatch::validate(const Mechanism& m) const {
  const auto fail = [&](const std::string& text) { throw Error(fmt::format("contact '{}': {}", name, text)); };
  if (name.empty()) throw Error(fmt::format("a contact on '{}' has no name", place));
  const Place on = m.place(place);
  if (support != "world" && m.place(support).link == on.link)
    fail(fmt::format("'{}' and its support '{}' are parts of one body", place, support));
  if (on.link == 0) fail(fmt::format("'{}' does not move", place));
  if (points.empty()) fail("it has no points");
  for (const Vector3<double>& p : points)
    if (!p.allFinite()) fail("a point is not finite");
  if (!(radius >= 0.0) || !std::isfinite(radius)) fail(fmt::format("its radius is {}, expected 0 or more", radius));
  if (radius > 0.0 && points.size() != 1) fail("it has a radius and several points: expected one point, the center of the ball");
  if (!X_PC.matrix().allFinite()) fail("its frame is not finite");
  if (normal && !(normal->allFinite() && normal->norm() > 0.0)) fail("its normal is not finite, or zero");
  if (normal && rows() == 6) fail("it has a face, whose normal is the z of its frame: expected no normal");
  if (!(friction >= 0.0) || !std::isfinite(friction))
    fail(fmt::format("friction is {}, expected 0 or more", friction));
  if (facets < 3) fail(fmt::format("the pyramid of friction has {} facets, expected 3 or more", facets));
  if (!(least_force >= 0.0) || !(least_force <= largest_force))
    fail(fmt::format("forces are {} to {} N, expected 0 <= least <= largest", least_force, largest_force));
}

int ContactPatch::rows() const {
  constexpr int kRows[] = {3, 5, 6, 6};
  return kRows[spread(points)];
}

std::vector<Vector3<double>> rectangle(double length, double width) {
  std::vector<Vector3<double>> corners;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5}) corners.emplace_back(x * length, y * width, 0.0);
  return corners;
}

}  // namespace amble
