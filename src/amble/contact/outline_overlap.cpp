#include <algorithm>

#include "amble/contact/nearest_shapes.hpp"

// What two outlines that look at each other have in common.
namespace amble::detail {

namespace {

/// What of the polyline `in` (closed when it has three points or more) is on the inner side of the line
/// through p with this outward normal.
void clip(const std::vector<Vector3<double>>& in, const Vector3<double>& p, const Vector3<double>& outward,
          std::vector<Vector3<double>>& out) {
  out.clear();
  const std::size_t count = in.size(), last = count > 2 ? count : count - 1;
  const double seam = 1e-9 * (in[0] - p).norm() + 1e-12;
  for (std::size_t i = 0; i < count; ++i) {
    const double beyond = outward.dot(in[i] - p);
    if (beyond <= seam) out.push_back(in[i]);
    if (i >= last) continue;
    const Vector3<double>& next = in[(i + 1) % count];
    const double beyond_next = outward.dot(next - p);
    if ((beyond <= seam) == (beyond_next <= seam) || std::min(beyond, beyond_next) >= -seam) continue;
    out.push_back(in[i] + beyond / (beyond - beyond_next) * (next - in[i]));
  }
}

}  // namespace

void overlap(const std::vector<Vector3<double>>& a, const std::vector<Vector3<double>>& b,
             const Vector3<double>& n, std::vector<std::pair<Vector3<double>, Vector3<double>>>& out) {
  out.clear();
  const bool a_cuts = a.size() >= b.size();  // the face cuts the edge
  const std::vector<Vector3<double>>& knife = a_cuts ? a : b;
  thread_local std::vector<Vector3<double>> now, next;  // kept, so that steps do not allocate
  now = a_cuts ? b : a;
  const Vector3<double> outside = a_cuts ? n : Vector3<double>(-n);
  const std::size_t sides = knife.size() > 2 ? knife.size() : 2;
  for (std::size_t i = 0; i < sides && !now.empty(); ++i) {
    const Vector3<double> along = knife[(i + 1) % knife.size()] - knife[i];
    // an edge cuts at its ends, a face along its sides
    const Vector3<double> outward =
        knife.size() > 2 ? Vector3<double>(cross<double>(along, outside)) : Vector3<double>(-along);
    clip(now, knife[i], outward.normalized(), next);
    now.swap(next);
  }
  // straight across, onto the plane of the other
  const Vector3<double>& p0 = knife[0];
  Vector3<double> m = n;
  if (knife.size() > 2) {
    m = Vector3<double>::Zero();
    for (std::size_t i = 2; i < knife.size(); ++i) m += cross<double>(knife[i - 1] - p0, knife[i] - p0);
    m.normalize();
  }
  for (const Vector3<double>& x : now) {
    const Vector3<double> across = x - m.dot(x - p0) / m.dot(n) * n;
    out.emplace_back(a_cuts ? across : x, a_cuts ? x : across);
  }
}

}  // namespace amble::detail
