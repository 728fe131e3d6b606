#include "amble/geometry/triangle_mesh.hpp"

#include <algorithm>
#include <numeric>

namespace amble {

std::vector<int> first_equal(const std::vector<Vector3<double>>& points) {
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::lexicographical_compare(points[a].begin(), points[a].end(), points[b].begin(),
                                        points[b].end());
  });
  std::vector<int> out(points.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    out[order[i]] = i > 0 && points[order[i]] == points[order[i - 1]] ? out[order[i - 1]] : order[i];
  return out;
}

}  // namespace amble
