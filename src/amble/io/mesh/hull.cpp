#include "amble/io/mesh/hull.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "amble/base/error.hpp"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace amble {

namespace {

constexpr std::size_t kMostPoints = 1'000'000;  // which takes seconds

/// Qhull's memory, freed on the way out.
class Qhull {
 public:
  explicit Qhull(const std::vector<Vector3<double>>& points) {
    for (const Vector3<double>& p : points) coordinates_.insert(coordinates_.end(), {p[0], p[1], p[2]});
    qh_zero(&qh_, nullptr);
    char command[] = "qhull Qt";  // triangles only
    failed_ = qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), coordinates_.data(), False, command,
                           nullptr, silent_) != 0;
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;
  ~Qhull() {
    qh_freeqhull(&qh_, !qh_ALL);
    int kept = 0, total = 0;
    qh_memfreeshort(&qh_, &kept, &total);
    if (silent_ != nullptr) std::fclose(silent_);
  }
  bool failed() const { return failed_; }

  /// Each triangle turns left seen from outside.
  void add_triangles(TriangleMesh& out) {
    for (facetT* facet = qh_.facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next) {
      setT* loop = qh_facet3vertex(&qh_, facet);
      std::vector<int> corners;
      vertexT *vertex, **vertexp;
      FOREACHvertex_(loop) corners.push_back(qh_pointid(&qh_, vertex->point));
      qh_settempfree(&qh_, &loop);
      if (corners.size() == 3)
        out.triangles.push_back(turned({corners[0], corners[1], corners[2]}, *facet, out));
    }
  }

 private:
  static std::array<int, 3> turned(std::array<int, 3> t, const facetT& facet, const TriangleMesh& mesh) {
    const Vector3<double> normal(facet.normal[0], facet.normal[1], facet.normal[2]);
    const Vector3<double> turn =
        cross<double>(mesh.vertices[t[1]] - mesh.vertices[t[0]], mesh.vertices[t[2]] - mesh.vertices[t[0]]);
    if (turn.dot(normal) < 0.0) std::swap(t[1], t[2]);
    return t;
  }

  FILE* silent_ = std::fopen("/dev/null", "w");  // Qhull explains itself at length; our Error is enough
  qhT qh_;
  std::vector<coordT> coordinates_;
  bool failed_ = false;
};

}  // namespace

TriangleMesh convex_hull(const TriangleMesh& points) {
  if (points.vertices.size() < 4)
    throw Error("the convex hull of fewer than four points: expected four or more");
  if (points.vertices.size() > kMostPoints)
    throw Error(fmt::format("the convex hull of {} points: expected at most {}", points.vertices.size(),
                            kMostPoints));
  Qhull hull(points.vertices);
  if (hull.failed())
    throw Error("the points have no convex hull: expected four or more that do not lie in one plane");
  TriangleMesh out{points.vertices, {}, {}};
  hull.add_triangles(out);
  return out;
}

}  // namespace amble
