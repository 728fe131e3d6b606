#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "amble/base/error.hpp"
#include "amble/contact/collision_shape.hpp"
#include "amble/io/mesh/load_mesh.hpp"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace amble {

namespace {

/// Qhull's memory, freed on the way out.
class Hull {
 public:
  explicit Hull(const std::vector<Vector3<double>>& points) {
    for (const Vector3<double>& p : points)
      for (int i = 0; i < 3; ++i) coordinates_.push_back(p[i]);
    qh_zero(&qh_, nullptr);
    char command[] = "qhull";  // flat faces stay whole
    failed_ = qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), coordinates_.data(), False, command,
                           nullptr, silent_) != 0;
  }
  Hull(const Hull&) = delete;
  ~Hull() {
    qh_freeqhull(&qh_, !qh_ALL);
    int kept, total;
    qh_memfreeshort(&qh_, &kept, &total);
    if (silent_) fclose(silent_);
  }
  bool failed() const { return failed_; }

  /// Calls `put(corners, normal)` for each face, corners as indices of the points, turning left seen from
  /// outside.
  template <class Put>
  void each_face(Put put) {
    facetT* facet;
    for (facet = qh_.facet_list; facet && facet->next; facet = facet->next) {
      setT* loop = qh_facet3vertex(&qh_, facet);
      std::vector<int> corners;
      vertexT *vertex, **vertexp;
      FOREACHvertex_(loop) corners.push_back(qh_pointid(&qh_, vertex->point));
      qh_settempfree(&qh_, &loop);
      put(std::move(corners), Vector3<double>(facet->normal[0], facet->normal[1], facet->normal[2]));
    }
  }

 private:
  FILE* silent_ = fopen("/dev/null", "w");  // Qhull explains itself at length; our Error is enough
  qhT qh_;
  std::vector<coordT> coordinates_;
  bool failed_ = false;
};

void check_points(const std::vector<Vector3<double>>& points) {
  if (points.size() < 4)
    throw Error(fmt::format("a convex mesh of {} points: expected four or more", points.size()));
  for (const Vector3<double>& p : points)
    if (!p.allFinite())
      throw Error(
          fmt::format("a convex mesh has the point ({}, {}, {}): expected numbers", p[0], p[1], p[2]));
}

/// The vertices that triangles have, or all of a cloud of points; each place once, in the order of the file.
std::vector<Vector3<double>> corners_of(const TriangleMesh& mesh) {
  const std::vector<int> first = first_equal(mesh.vertices);
  std::vector<char> taken(mesh.vertices.size(), 0);
  std::vector<Vector3<double>> out;
  const auto take = [&](int i) {
    if (!std::exchange(taken[first[i]], 1)) out.push_back(mesh.vertices[i]);
  };
  for (const std::array<int, 3>& triangle : mesh.triangles)
    for (const int i : triangle) take(i);
  for (int i = 0; mesh.triangles.empty() && i < static_cast<int>(mesh.vertices.size()); ++i) take(i);
  return out;
}

}  // namespace

ConvexMesh::ConvexMesh(const std::vector<Vector3<double>>& points) {
  check_points(points);
  Hull hull(points);
  if (hull.failed())
    throw Error(
        "the points of a convex mesh have no hull: expected four or more that do not lie in one plane");
  std::vector<int> number(points.size(), -1);
  hull.each_face([&](std::vector<int> corners, const Vector3<double>& normal) {
    for (int& corner : corners) {
      if (number[corner] < 0) {
        number[corner] = static_cast<int>(vertices_.size());
        vertices_.push_back(points[corner]);
      }
      corner = number[corner];
    }
    Vector3<double> turn = Vector3<double>::Zero();
    for (std::size_t i = 2; i < corners.size(); ++i)
      turn += cross<double>(vertices_[corners[i - 1]] - vertices_[corners[0]],
                            vertices_[corners[i]] - vertices_[corners[0]]);
    if (turn.dot(normal) < 0.0) std::reverse(corners.begin(), corners.end());
    faces_.push_back({std::move(corners), normal});
  });
  std::vector<std::vector<int>> neighbours(vertices_.size()), faces_at(vertices_.size());
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    const std::vector<int>& corners = faces_[f].corners;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      neighbours[corners[i]].push_back(corners[(i + 1) % corners.size()]);
      faces_at[corners[i]].push_back(static_cast<int>(f));
    }
  }
  neighbours_.collect(neighbours);
  faces_at_.collect(faces_at);
  Vector3<double> lower = vertices_[0], upper = vertices_[0];
  for (const Vector3<double>& v : vertices_) lower = lower.cwiseMin(v), upper = upper.cwiseMax(v);
  middle_ = 0.5 * (lower + upper);
  for (const Vector3<double>& v : vertices_) radius_ = std::max(radius_, (v - middle_).norm());
}

void ConvexMesh::Lists::collect(const std::vector<std::vector<int>>& lists) {
  start.assign(1, 0);
  for (const std::vector<int>& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
    start.push_back(static_cast<int>(all.size()));
  }
}

int ConvexMesh::farthest(const Vector3<double>& direction, int from) const {
  int best = from;
  double most = vertices_[from].dot(direction);
  for (int last = -1; best != last;) {  // uphill along edges: on a convex body that ends at the top
    last = best;
    for (const int next : neighbours(last)) {
      const double height = vertices_[next].dot(direction);
      if (height > most) most = height, best = next;
    }
  }
  return best;
}

namespace {

namespace fs = std::filesystem;

/// A file as it is now.
struct HullKey {
  std::string path;
  fs::file_time_type written;
  std::uintmax_t bytes = 0;
  std::array<double, 3> scale{};
  auto operator<=>(const HullKey&) const = default;
};

/// Hulls of this process, which many scenes may share.
class HullCache {
 public:
  std::shared_ptr<const ConvexMesh> find(const HullKey& key) {
    const std::lock_guard lock(mutex_);
    const auto found = hulls_.find(key);
    return found == hulls_.end() ? nullptr : found->second;
  }
  void keep(const HullKey& key, std::shared_ptr<const ConvexMesh> hull) {
    constexpr std::size_t kMostCorners = 2'000'000;
    const std::lock_guard lock(mutex_);
    if ((corners_ += hull->vertices().size()) > kMostCorners)
      hulls_.clear(), corners_ = hull->vertices().size();
    hulls_.insert_or_assign(key, std::move(hull));
  }

 private:
  std::mutex mutex_;
  std::map<HullKey, std::shared_ptr<const ConvexMesh>> hulls_;
  std::size_t corners_ = 0;
};

std::optional<HullKey> key_of(const Shape& shape) {
  HullKey key{fs::path(shape.path).is_absolute() ? shape.path : shape.file,
              {},
              0,
              {shape.size[0], shape.size[1], shape.size[2]}};
  std::error_code problem;
  key.written = fs::last_write_time(key.path, problem);
  if (!problem) key.bytes = fs::file_size(key.path, problem);
  return problem ? std::nullopt : std::optional(std::move(key));
}

}  // namespace

std::shared_ptr<const ConvexMesh> load_convex_mesh(const Shape& shape) {
  static HullCache cache;
  const std::optional<HullKey> key = key_of(shape);
  if (key)
    if (std::shared_ptr<const ConvexMesh> known = cache.find(*key)) return known;
  auto hull = std::make_shared<const ConvexMesh>(corners_of(load_mesh(shape)));
  if (key) cache.keep(*key, hull);
  return hull;
}

std::shared_ptr<const ConvexMesh> load_convex_mesh(const std::string& file, const Vector3<double>& scale) {
  return load_convex_mesh(mesh_file_shape(file, scale));
}

}  // namespace amble
