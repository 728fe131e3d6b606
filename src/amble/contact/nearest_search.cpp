#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/contact/library_nearest.hpp"
#include "amble/contact/shape_meeting.hpp"

// Where to start: the shortest way between shapes that are apart, and, sunk in, directions all round, or,
// where none of them leads to a proof, what the library says.
namespace amble::detail {

namespace {

using Kind = CollisionShape::Kind;

/// The shortest of all ways p_b - p_a, by Wolfe's method (1976): the point nearest to zero of the hull of at
/// most four ways, and each time the way that goes beyond it. Zero when the shapes are not apart.
class ShortestWay {
 public:
  ShortestWay(const Side& a, const Side& b) : a_(a), b_(b) {}

  /// `enough`: a way that proves a distance of more than this will do, though it is not the shortest.
  Vector3<double> operator()(double enough = std::numeric_limits<double>::infinity()) {
    add(way((b_.p - a_.p).norm() > 0.0 ? Vector3<double>((b_.p - a_.p).normalized())
                                       : Vector3<double>::UnitX()));
    const double tiny = 1e-12 * (a_.size() + b_.size());
    for (int i = 0; i < 200; ++i) {
      const Vector3<double> x = shrink();
      const double length = x.norm();
      if (length < tiny || count_ == 4) return Vector3<double>::Zero();
      const Vector3<double> beyond = way(x / length);
      if (x.dot(beyond) > enough * length) return x;
      if (x.dot(x - beyond) <= 1e-14 * x.dot(x) + tiny * length * 1e-3) return x;
      if (!add(beyond)) return x;
    }
    return point();
  }

 private:
  /// From the farthest point of a along n to the farthest of b against it.
  Vector3<double> way(const Vector3<double>& n) const { return b_.point(-n) - a_.point(n); }
  bool add(const Vector3<double>& w) {
    for (int i = 0; i < count_; ++i)
      if ((ways_[i] - w).norm() < 1e-14 * (1.0 + w.norm())) return false;
    share_[count_] = count_ == 0 ? 1.0 : 0.0;
    ways_[count_++] = w;
    return true;
  }
  Vector3<double> point() const {
    Vector3<double> x = Vector3<double>::Zero();
    for (int i = 0; i < count_; ++i) x += share_[i] * ways_[i];
    return x;
  }
  /// Shares, with sum one, of the point nearest to zero of the plane through the ways.
  std::array<double, 4> plane_shares() const {
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 5, 5> m(count_ + 1, count_ + 1);
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 5, 1> right(count_ + 1);
    m.setZero(), right.setZero();
    for (int i = 0; i < count_; ++i) {
      for (int j = 0; j < count_; ++j) m(i, j) = ways_[i].dot(ways_[j]);
      m(i, count_) = m(count_, i) = 1.0;
    }
    right[count_] = 1.0;
    const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 5, 1> x = m.fullPivLu().solve(right);
    std::array<double, 4> out{};
    for (int i = 0; i < count_; ++i) out[i] = x[i];
    return out;
  }
  /// To the nearest point of the hull of the ways, leaving out those that have no share in it.
  Vector3<double> shrink() {
    for (;;) {
      const std::array<double, 4> to = plane_shares();
      double go = 1.0;
      for (int i = 0; i < count_; ++i)
        if (to[i] <= 1e-14 && share_[i] - to[i] > 0.0) go = std::min(go, share_[i] / (share_[i] - to[i]));
      int kept = 0;
      for (int i = 0; i < count_; ++i) {
        const double share = share_[i] + go * (to[i] - share_[i]);
        if (go < 1.0 && share <= 1e-14) continue;
        ways_[kept] = ways_[i], share_[kept++] = share;
      }
      const bool done = go >= 1.0 || kept == count_;
      count_ = kept;
      if (done) return point();
    }
  }

  const Side &a_, &b_;
  std::array<Vector3<double>, 4> ways_;
  std::array<double, 4> share_{};
  int count_ = 0;
};

/// Uphill in gap(n) by ever shorter steps to eight sides.
Vector3<double> climb(const Side& a, const Side& b, Vector3<double> n) {
  double best = gap(a, b, n);
  for (double step = 0.5; step > 1e-6; step *= 0.5) {
    bool higher = true;
    for (int i = 0; i < 20 && higher; ++i) {
      higher = false;
      const Vector3<double> t = n.unitOrthogonal(), s = cross<double>(n, t);
      for (int k = 0; k < 8; ++k) {
        const double angle = 0.785398163397448 * k;
        const Vector3<double> next = (n + step * (std::cos(angle) * t + std::sin(angle) * s)).normalized();
        const double there = gap(a, b, next);
        if (there > best) best = there, n = next, higher = true;
      }
    }
  }
  return n;
}

/// Whether directions of least depth may be other than those of faces and edges.
bool has_round(const CollisionShape& shape) {
  return shape.kind == Kind::ellipsoid || shape.kind == Kind::capsule || shape.kind == Kind::cylinder;
}

/// The directions of the edges of a shape.
std::vector<Vector3<double>> edge_directions(const Side& side) {
  std::vector<Vector3<double>> out;
  if (side.shape.kind == Kind::mesh) {
    const ConvexMesh& mesh = *side.shape.mesh;
    for (int i = 0; i < static_cast<int>(mesh.vertices().size()); ++i)
      for (const int j : mesh.neighbours(i))
        if (i < j) out.push_back(side.R * (mesh.vertices()[j] - mesh.vertices()[i]).normalized());
  } else {
    for (int i = 0; i < 3; ++i) out.push_back(side.R.col(i));
  }
  return out;
}

/// The line of the middles, and the axes along which polyhedra are told apart: normals of faces, and of an
/// edge of each. Round shapes pass for boxes. Of meshes with very many edges only the faces.
std::vector<Vector3<double>> guesses(const Side& a, const Side& b) {
  std::vector<Vector3<double>> out;
  const auto add = [&](const Vector3<double>& d) {
    if (d.norm() < 1e-6) return;
    out.push_back(d.normalized());
    out.push_back(-d.normalized());
  };
  if ((b.p - a.p).norm() > 0.0) add((b.p - a.p).normalized());
  for (const Side* const side : {&a, &b}) {
    if (side->shape.kind == Kind::mesh)
      for (const ConvexMesh::Face& face : side->shape.mesh->faces()) add(side->R * face.normal);
    else
      for (int i = 0; i < 3; ++i) add(side->R.col(i));
  }
  const std::vector<Vector3<double>> of_a = edge_directions(a), of_b = edge_directions(b);
  if (has_round(a.shape) || has_round(b.shape)) {  // all round, evenly by the golden angle
    constexpr int kRound = 100;
    for (int i = 0; i < kRound; ++i) {
      const double z = 1.0 - (2.0 * i + 1.0) / kRound, angle = 2.399963229728653 * i,
                   r = std::sqrt(1.0 - z * z);
      out.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
    }
  }
  if (of_a.size() * of_b.size() > 10000) return out;
  for (const Vector3<double>& u : of_a)
    for (const Vector3<double>& w : of_b) add(cross<double>(u, w));
  return out;
}

/// From the best of all guesses; uphill from them when they lead nowhere as they are.
NearestShapes search(const Side& a, const Side& b, std::vector<std::pair<double, Vector3<double>>>& starts,
                     Meeting& m) {
  std::sort(starts.begin(), starts.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  if (starts.size() > 12) starts.resize(12);
  NearestShapes best;
  best.distance = -std::numeric_limits<double>::infinity();
  const double tolerance = kProof * (a.size() + b.size());
  for (const bool climbing : {false, true}) {
    for (const auto& [gap_there, n] : starts) {
      const NearestShapes out = from_direction(a, b, climbing ? climb(a, b, n) : n, m);
      if (out.proven && out.distance > best.distance) best = out;
      if (best.proven && best.distance > 0.0) return best;  // apart: there is no other
    }
    if (best.proven && best.distance >= starts.front().first - tolerance) break;
  }
  return best;
}

/// From where the library says.
NearestShapes from_library(const Side& a, const Side& b, const LibraryNearest& found, Meeting& m) {
  const NearestShapes out = from_direction(a, b, found.normal, m);
  // the library gives some normals of sunk bodies in the axes of a
  const Vector3<double> turned = a.R * found.normal;
  if (found.distance > 0.0 || gap(a, b, turned) <= gap(a, b, found.normal)) return out;
  const NearestShapes other = from_direction(a, b, turned, m);
  return other.proven ? other : out;
}

/// Sunk in, there are directions of least depth all round: of polyhedra the best guess is the least of them,
/// of round bodies the best guesses lead there. `out` is what is known already.
NearestShapes from_all_round(const Side& a, const Side& b, const NearestShapes& out, Meeting& m) {
  std::vector<std::pair<double, Vector3<double>>> starts;
  double most = -std::numeric_limits<double>::infinity();
  for (const Vector3<double>& n : guesses(a, b)) {
    starts.emplace_back(gap(a, b, n), n);
    most = std::max(most, starts.back().first);
  }
  const bool polyhedra = !has_round(a.shape) && !has_round(b.shape);
  if (polyhedra && out.proven && out.distance >= most - kProof * (a.size() + b.size())) return out;
  const NearestShapes searched = search(a, b, starts, m);
  return searched.proven && (!out.proven || searched.distance > out.distance) ? searched : out;
}

}  // namespace

NearestShapes nearest_shapes(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b,
                             const Pose& X_WB) {
  const Side on_a = side(a, X_WA), on_b = side(b, X_WB);
  Meeting m;
  if (a.kind == Kind::plane) return from_direction(on_a, on_b, on_a.R.col(2), m);
  NearestShapes out;
  // Apart: without the library, which allocates.
  if (const Vector3<double> way = ShortestWay(on_a, on_b)(); way.norm() > 0.0)
    out = from_direction(on_a, on_b, way.normalized(), m);
  if (out.proven && out.distance > 0.0) return out;
  out = from_all_round(on_a, on_b, out, m);
  if (out.proven) return out;
  const std::optional<LibraryNearest> found = library_nearest(a, X_WA, b, X_WB);
  if (!found) return out;
  out = from_library(on_a, on_b, *found, m);
  return out.proven ? out
                    : NearestShapes{found->p_a, found->p_b, found->normal, found->distance, true, false};
}

// ---- again and again

namespace {

/// The nearest points of shapes that nothing is known of; no more than that they are farther apart than
/// `margin` where that is so.
NearestShapes first_nearest(const Side& a, const Side& b, double margin, PairMemory& memory) {
  Meeting m;
  NearestShapes out;
  memory.met = false;
  if (const Vector3<double> way = ShortestWay(a, b)(margin); way.norm() > 0.0) {
    out.normal = way.normalized(), out.distance = gap(a, b, out.normal);
    if (out.distance > margin) return out;
    out = from_direction(a, b, out.normal, m, &memory);
  }
  if (out.proven && out.distance > 0.0) return out;
  out = from_all_round(a, b, out, m);
  if (!out.proven)
    out = nearest_shapes(a.shape, Pose(SO3<double>(a.R), a.p), b.shape, Pose(SO3<double>(b.R), b.p));
  memory.met = false;
  return out;
}

/// What the direction remembered still proves: that the shapes are farther apart than `margin`, or where they
/// are nearest. Not proven where it does neither: the gap along it is at least `least`, or it is another way
/// out than the last.
NearestShapes nearest_as_before(const Side& a, const Side& b, double margin, double moved,
                                PairMemory& memory) {
  NearestShapes out;
  if (!memory.known) return out;
  out.normal = a.R * memory.normal_A;
  out.distance = gap(a, b, out.normal);
  out.proven = out.distance > margin;
  if (out.proven) return out;
  const double least = memory.distance - moved - kProof * (a.size() + b.size());
  Meeting m;
  out = from_direction(a, b, out.normal, m, &memory);
  out.proven = out.proven && (out.distance > 0.0 || out.distance >= least);
  return out;
}

}  // namespace

NearestShapes nearest_shapes_again(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b,
                                   const Pose& X_WB, double margin, double moved, PairMemory& memory) {
  Side on_a = side(a, X_WA), on_b = side(b, X_WB);
  on_a.corner = memory.corner_a, on_b.corner = memory.corner_b;
  NearestShapes out = nearest_as_before(on_a, on_b, margin, moved, memory);
  if (!out.proven) out = first_nearest(on_a, on_b, margin, memory);
  memory.known = true;
  memory.normal_A = on_a.R.transpose() * out.normal;
  memory.distance = out.distance;
  memory.corner_a = on_a.corner, memory.corner_b = on_b.corner;
  return out;
}

bool shapes_overlap(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB) {
  return ShortestWay(side(a, X_WA), side(b, X_WB))(0.0).norm() == 0.0;
}

}  // namespace amble::detail
