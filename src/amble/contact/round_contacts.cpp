#include <algorithm>
#include <cmath>

#include "amble/contact/collide_parts.hpp"

namespace amble::detail {

double nearest_on_stick(const Vector3<double>& middle, const Vector3<double>& u, double half,
                        const Vector3<double>& p) {
  return std::clamp(u.dot(p - middle), -half, half);
}

void put_balls(const Vector3<double>& a, double radius_a, const Vector3<double>& b, double radius_b,
               double margin, std::uint32_t key, ContactManifold& out) {
  const Vector3<double> d = b - a;
  const double reach = radius_a + radius_b + margin, square = d.squaredNorm();
  if (!(square < reach * reach)) return;
  const double apart = std::sqrt(square);
  // with one centre in the other, no direction is better than another
  const Vector3<double> normal = apart > 0.0 ? Vector3<double>(d / apart) : Vector3<double>::UnitZ();
  put_on_b(b - radius_b * normal, normal, apart - radius_a - radius_b, key, out);
}

namespace {

/// Where two sticks that are not parallel are nearest, as coordinates along them.
std::pair<double, double> nearest_on_sticks(const Vector3<double>& u, double half_u, const Vector3<double>& w,
                                            double half_w, const Vector3<double>& between, double cosine) {
  const double along_u = u.dot(between), along_w = w.dot(between), sine = 1.0 - cosine * cosine;
  double s = std::clamp((along_u - cosine * along_w) / sine, -half_u, half_u);
  const double t = std::clamp(cosine * s - along_w, -half_w, half_w);
  s = std::clamp(cosine * t + along_u, -half_u, half_u);
  return {s, t};
}

}  // namespace

void capsule_and_capsule(const Placed& a, const Placed& b, double margin, ContactManifold& out) {
  const Vector3<double> u = a.R.col(2), w = b.R.col(2), between = b.p - a.p;
  const double ra = a.shape.size[0], rb = b.shape.size[0], half_a = a.shape.size[1], half_b = b.shape.size[1];
  const double reach = ra + rb + half_a + half_b + margin;
  if (!(between.squaredNorm() < reach * reach)) return;
  const auto put = [&](double s, double t, std::uint32_t key) {
    put_balls(a.p + s * u, ra, b.p + t * w, rb, margin, key, out);
  };
  const auto beside_a = [&](double s) { return nearest_on_stick(b.p, w, half_b, a.p + s * u); };
  if (half_b == 0.0) return put(nearest_on_stick(a.p, u, half_a, b.p), 0.0, 0);  // a sphere
  if (half_a == 0.0) return put(0.0, beside_a(0.0), 0);

  const double cosine = u.dot(w), centre = u.dot(between), run = half_b * std::abs(cosine);
  const double from = std::max(-half_a, centre - run), to = std::min(half_a, centre + run);
  const bool parallel = 1.0 - cosine * cosine < 1e-12;
  const auto [s, t] =
      parallel ? std::pair(std::clamp(centre, -half_a, half_a), beside_a(std::clamp(centre, -half_a, half_a)))
               : nearest_on_sticks(u, half_a, w, half_b, between, cosine);
  // Nearly side by side (2.6 degrees): they rest on the two ends of where they run along each other, and on
  // where they cross.
  const double seam = 1e-6 * (half_a + half_b);
  const bool beside = std::abs(cosine) > 0.999 && to - from > seam;
  if (beside) {
    put(from, beside_a(from), 1);
    put(to, beside_a(to), 2);
  }
  if (!beside || (!parallel && s > from + seam && s < to - seam)) put(s, t, 0);
}

}  // namespace amble::detail
