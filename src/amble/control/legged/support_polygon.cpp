#include "amble/control/legged/support_polygon.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"

namespace amble {

namespace {

double turn(const Vector2<double>& a, const Vector2<double>& b, const Vector2<double>& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

Vector2<double> nearest_on(const Vector2<double>& a, const Vector2<double>& b, const Vector2<double>& p) {
  const Vector2<double> along = b - a;
  const double length = along.squaredNorm();
  if (!(length > 0.0)) return a;
  return a + std::clamp((p - a).dot(along) / length, 0.0, 1.0) * along;
}

}  // namespace

void SupportPolygon::add(const Vector2<double>& point) {
  if (given_ == kMost) throw Error("a support polygon has too many corners: expected 32 or fewer");
  points_[given_++] = point, count_ = 0;
}

/// Andrew's monotone chain.
void SupportPolygon::build() const {
  if (count_ > 0 || given_ == 0) return;
  std::sort(points_.begin(), points_.begin() + given_,
            [](const Vector2<double>& a, const Vector2<double>& b) {
              return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
            });
  std::array<Vector2<double>, 2 * kMost> chain;
  int size = 0;
  const auto take = [&](const Vector2<double>& p, int least) {
    while (size > least && turn(chain[size - 2], chain[size - 1], p) <= 0.0) --size;
    chain[size++] = p;
  };
  for (int i = 0; i < given_; ++i) take(points_[i], 1);
  for (int i = given_ - 1, least = size; i-- > 0;) take(points_[i], least);
  count_ = std::max(size - 1, 1);
  std::copy_n(chain.begin(), count_, hull_.begin());
}

Vector2<double> SupportPolygon::clip(const Vector2<double>& point) const {
  build();
  if (count_ == 0) return point;
  if (count_ == 1) return hull_[0];
  bool inside = count_ > 2;
  Vector2<double> best = hull_[0];
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count_; ++i) {
    const Vector2<double>&a = hull_[i], &b = hull_[(i + 1) % count_];
    inside = inside && turn(a, b, point) >= 0.0;
    const Vector2<double> on = nearest_on(a, b, point);
    if (const double distance = (on - point).squaredNorm(); distance < least) least = distance, best = on;
  }
  return inside ? point : best;
}

}  // namespace amble
