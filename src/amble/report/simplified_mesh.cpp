#include "amble/report/simplified_mesh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace amble {

namespace {

/// The cell of a point as one number: 21 bits for each axis, more than simplify() needs.
std::uint64_t key_of(const Vector3<double>& p, double cell) {
  constexpr double kReach = 1 << 20;
  std::uint64_t key = 0;
  for (int k = 0; k < 3; ++k)
    key = key << 21 |
          static_cast<std::uint64_t>(std::clamp(std::floor(p[k] / cell), -kReach, kReach - 1.0) + kReach);
  return key;
}

/// Numbers keys in the order of their first use: a hash table with open addressing.
class Numbering {
 public:
  explicit Numbering(std::size_t most) : slots_(std::bit_ceil(2 * most + 1), {0, -1}) {}
  int of(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (key * 0x9e3779b97f4a7c15ull >> 20) & mask;
    while (slots_[at].number >= 0 && slots_[at].key != key) at = (at + 1) & mask;
    if (slots_[at].number < 0) slots_[at] = {key, count_++};
    return slots_[at].number;
  }
  int count() const { return count_; }

 private:
  struct Slot {
    std::uint64_t key;
    int number;
  };
  std::vector<Slot> slots_;
  int count_ = 0;
};

/// For each corner the number of its cell, and how many cells there are.
struct Cells {
  std::vector<int> of_corner;
  int count = 0;
};

Cells cells_of(const Triangles& mesh, double cell) {
  Cells out;
  out.of_corner.reserve(mesh.corners.size());
  Numbering numbers(mesh.corners.size());
  for (const Vector3<double>& p : mesh.corners) out.of_corner.push_back(numbers.of(key_of(p, cell)));
  out.count = numbers.count();
  return out;
}

/// The cells of a face's corners, the smallest first; nothing when two are the same.
std::optional<std::array<int, 3>> face_between(const std::array<int, 3>& face, const Cells& cells) {
  std::array<int, 3> f;
  for (int k = 0; k < 3; ++k) f[k] = cells.of_corner[face[k]];
  if (f[0] == f[1] || f[1] == f[2] || f[2] == f[0]) return {};
  std::rotate(f.begin(), std::min_element(f.begin(), f.end()), f.end());
  return f;
}

std::vector<std::array<int, 3>> faces_between(const Triangles& mesh, const Cells& cells) {
  std::vector<std::array<int, 3>> out;
  for (const std::array<int, 3>& face : mesh.faces)
    if (const auto f = face_between(face, cells)) out.push_back(*f);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Of each cell the corner nearest to the mean of its corners.
std::vector<Vector3<double>> middle_corners(const Triangles& mesh, const Cells& cells) {
  std::vector<Vector3<double>> mean(cells.count, Vector3<double>::Zero());
  std::vector<double> members(cells.count, 0.0), nearest(cells.count, INFINITY);
  for (std::size_t i = 0; i < mesh.corners.size(); ++i)
    mean[cells.of_corner[i]] += mesh.corners[i], members[cells.of_corner[i]] += 1.0;
  for (int c = 0; c < cells.count; ++c) mean[c] /= members[c];
  std::vector<Vector3<double>> out(cells.count);
  for (std::size_t i = 0; i < mesh.corners.size(); ++i) {
    const int c = cells.of_corner[i];
    const double away = (mesh.corners[i] - mean[c]).squaredNorm();
    if (away < nearest[c]) nearest[c] = away, out[c] = mesh.corners[i];
  }
  return out;
}

struct Count {
  std::size_t in_files = 0, drawn = 0;
  void add(std::size_t faces, std::size_t uses) { in_files += faces, drawn += uses * faces; }
  bool fits(std::size_t most) const { return in_files <= most && drawn <= 2 * most; }
};

/// Equal faces counted apart, so no fewer than there will be.
Count triangles_with(const std::vector<MeshUse>& meshes, double cell) {
  Count out;
  for (const MeshUse& m : meshes) {
    const Cells cells = cells_of(m.mesh, cell / m.scale);
    const auto stays = [&](const std::array<int, 3>& f) { return face_between(f, cells).has_value(); };
    out.add(static_cast<std::size_t>(std::count_if(m.mesh.faces.begin(), m.mesh.faces.end(), stays)), m.uses);
  }
  return out;
}

Count triangles_of_all(const std::vector<MeshUse>& meshes) {
  Count out;
  for (const MeshUse& m : meshes) out.add(m.mesh.faces.size(), m.uses);
  return out;
}

double largest_extent(const std::vector<MeshUse>& meshes) {
  double out = 0.0;
  for (const MeshUse& m : meshes)
    for (const Vector3<double>& p : m.mesh.corners) out = std::max(out, m.scale * p.cwiseAbs().maxCoeff());
  return out;
}

}  // namespace

Triangles clustered(const Triangles& mesh, double cell) {
  const Cells cells = cells_of(mesh, cell);
  Triangles out{.corners = middle_corners(mesh, cells), .faces = faces_between(mesh, cells)};
  std::vector<int> number(out.corners.size(), -1);  // only corners of a face stay
  std::vector<Vector3<double>> kept;
  for (std::array<int, 3>& face : out.faces)
    for (int& corner : face) {
      if (number[corner] < 0)
        number[corner] = static_cast<int>(kept.size()), kept.push_back(out.corners[corner]);
      corner = number[corner];
    }
  out.corners = std::move(kept);
  return out;
}

double simplify(std::vector<MeshUse>& meshes, std::size_t most_triangles) {
  if (triangles_of_all(meshes).fits(most_triangles)) return 0.0;
  // By the logarithm: 8 halvings of a factor 1e5 know the cell to 5 %.
  const double extent = std::max(largest_extent(meshes), 1e-9);
  double high = 2.0 * extent, low = 2e-5 * extent;
  for (int i = 0; i < 8; ++i) {
    const double middle = std::sqrt(low * high);
    (triangles_with(meshes, middle).fits(most_triangles) ? high : low) = middle;
  }
  for (MeshUse& m : meshes) m.mesh = clustered(m.mesh, high / m.scale);
  return high;
}

}  // namespace amble
