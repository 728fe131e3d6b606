#include <algorithm>
#include <cmath>

#include "amble/walkers/legged/foot_support.hpp"

namespace amble {

namespace {

struct Corner {
  double x, y;
  int point;
};

double turn(const Corner& a, const Corner& b, const Corner& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Andrew's monotone chain.
std::vector<Corner> hull(std::vector<Corner> points) {
  std::sort(points.begin(), points.end(),
            [](const Corner& a, const Corner& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  points.erase(
      std::unique(points.begin(), points.end(),
                  [](const Corner& a, const Corner& b) { return std::hypot(a.x - b.x, a.y - b.y) < 1e-9; }),
      points.end());
  if (points.size() < 3) return points;
  std::vector<Corner> out;
  const auto add = [&](const Corner& p, std::size_t least) {
    while (out.size() > least && turn(out[out.size() - 2], out.back(), p) <= 1e-12) out.pop_back();
    out.push_back(p);
  };
  for (const Corner& p : points) add(p, 1);
  const std::size_t lower = out.size();
  for (auto p = points.rbegin() + 1; p != points.rend(); ++p) add(*p, lower);
  out.pop_back();
  return out;
}

}  // namespace

std::vector<Vector3<double>> support_hull(std::vector<Vector3<double>> points, const Vector3<double>& up,
                                          int most) {
  const SO3<double> R = rotation_from_z(up);
  const Vector3<double> x = R * Vector3<double>::UnitX(), y = R * Vector3<double>::UnitY();
  std::vector<Corner> corners;
  for (int i = 0; i < static_cast<int>(points.size()); ++i)
    corners.push_back({x.dot(points[i]), y.dot(points[i]), i});
  corners = hull(std::move(corners));
  while (static_cast<int>(corners.size()) > most) {
    const int n = static_cast<int>(corners.size());
    int least = 0;
    double loss = kUnlimited;
    for (int i = 0; i < n; ++i)
      if (const double area = turn(corners[(i + n - 1) % n], corners[i], corners[(i + 1) % n]); area < loss)
        loss = area, least = i;
    corners.erase(corners.begin() + least);
  }
  std::vector<Vector3<double>> out;
  for (const Corner& c : corners) out.push_back(points[c.point]);
  return out;
}

Vector3<double> FootSupport::center() const {
  if (shape == Foot::Shape::ball) return corners[0] - radius * up;
  Vector3<double> mean = Vector3<double>::Zero();
  for (const Vector3<double>& c : corners) mean += c / static_cast<double>(corners.size());
  if (corners.size() < 3) return mean;
  Vector3<double> sum = Vector3<double>::Zero();  // of triangles about the mean
  double area = 0.0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vector3<double> a = corners[i] - mean, b = corners[(i + 1) % corners.size()] - mean;
    const double twice = cross<double>(a, b).dot(up);
    area += twice, sum += twice * (a + b) / 3.0;
  }
  return area > 0.0 ? Vector3<double>(mean + sum / area) : mean;
}

}  // namespace amble
