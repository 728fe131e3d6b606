#include "amble/contact/nearest_shapes.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/contact/library_nearest.hpp"
#include "amble/contact/support.hpp"

namespace amble::detail {

namespace {

using Kind = CollisionShape::Kind;

/// Faces and edges are tried while the direction we start from is within this of normal to them: it may be
/// wrong by that much.
constexpr double kMostTilt = 0.1;
/// Of what counts as in the shapes and farthest along n, relative to their size.
constexpr double kProof = 1e-10;

struct Side {
  const CollisionShape& shape;
  Matrix3<double> R;
  Vector3<double> p;

  SupportPiece piece(const PieceId& id, const Vector3<double>& n) const {
    SupportPiece out = support_piece(shape, id, R.transpose() * n);
    out.at = R * out.at + p;
    out.bend = R * out.bend * R.transpose();
    for (Vector3<double>& edge : out.edges) edge = R * edge;
    return out;
  }
  double height(const Vector3<double>& n) const {
    return support_height(shape, R.transpose() * n) + n.dot(p);
  }
  double outside(const Vector3<double>& x) const { return outside_by(shape, R.transpose() * (x - p)); }
  double size() const { return shape.kind == Kind::plane ? 0.0 : shape.reach(); }
};

Side side(const CollisionShape& shape, const Pose& X) {
  return {shape, X.rotation().matrix(), X.translation()};
}

double gap(const Side& a, const Side& b, const Vector3<double>& n) { return -b.height(-n) - a.height(n); }

/// Directions that n is normal to: at most two, unit and normal to each other.
struct Flats {
  std::array<Vector3<double>, 2> along;
  int count = 0;

  void add(const Vector3<double>& edge) {
    const Vector3<double> rest = without(edge);
    if (count < 2 && rest.norm() > 1e-7) along[count++] = rest.normalized();
  }
  Vector3<double> without(Vector3<double> x) const {
    for (int i = 0; i < count; ++i) x -= along[i].dot(x) * along[i];
    return x;
  }
};

Flats flats(const SupportPiece& a, const SupportPiece& b) {
  Flats out;
  for (int i = 0; i < a.free; ++i) out.add(a.edges[i]);
  for (int i = 0; i < b.free; ++i) out.add(b.edges[i]);
  return out;
}

using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::DontAlign, 6, 6>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::DontAlign, 6, 1>;

/// The stationary gap: p_b(n) - p_a(n) - distance n - sum mu_k f_k = 0, n . n = 1, f_k . n = 0. Its matrix,
/// in (n, distance, mu).
Small stationarity(const SupportPiece& a, const SupportPiece& b, const Flats& f, const Vector3<double>& n,
                   double distance) {
  Small m = Small::Zero(4 + f.count, 4 + f.count);
  m.topLeftCorner<3, 3>() = -a.bend - b.bend - distance * Matrix3<double>::Identity();
  m.block<3, 1>(0, 3) = -n;
  m.block<1, 3>(3, 0) = -n.transpose();
  for (int k = 0; k < f.count; ++k) {
    m.block<3, 1>(0, 4 + k) = -f.along[k];
    m.block<1, 3>(4 + k, 0) = -f.along[k].transpose();
  }
  return m;
}

struct Meeting {
  SupportPiece a, b;
  Flats flat;
  Vector3<double> n;
  double distance = 0.0;
};

/// Corners and edges: n is along the way between, or, where they touch, as it was.
bool settle_sharp(Meeting& m, double tiny) {
  const Vector3<double> between = m.flat.without(m.b.at - m.a.at);
  // projected once more: a short way keeps the rounding of long ones along the edges
  if (between.norm() > tiny)
    m.n = (between.dot(m.n) < 0.0 ? -1.0 : 1.0) * m.flat.without(between.normalized()).normalized();
  m.distance = m.n.dot(between);
  return true;
}

/// Two pieces, one of each shape, to be tried.
struct Try {
  PieceId a, b;
  double rank;  // lower first
};

void put_pieces(const Side& a, const Side& b, const Try& ids, Meeting& m) {
  m.a = a.piece(ids.a, m.n);
  m.b = b.piece(ids.b, -m.n);
}

/// One step of Newton's method in (n, distance, mu); its length.
double step(Meeting& m, SmallVector& mu) {
  SmallVector f(4 + m.flat.count);
  Vector3<double> miss = m.b.at - m.a.at - m.distance * m.n;
  for (int k = 0; k < m.flat.count; ++k) {
    miss -= mu[k] * m.flat.along[k];
    f[4 + k] = -m.flat.along[k].dot(m.n);
  }
  f.head<3>() = miss;
  f[3] = 0.5 * (1.0 - m.n.squaredNorm());
  const SmallVector by = stationarity(m.a, m.b, m.flat, m.n, m.distance).fullPivLu().solve(-f);
  const double shorter = std::min(1.0, 0.3 / (by.head<3>().norm() + 1e-300));
  m.n = (m.n + shorter * by.head<3>()).normalized();
  m.distance += shorter * by[3];
  for (int k = 0; k < m.flat.count; ++k) mu[k] += shorter * by[4 + k];
  return by.norm();
}

/// The direction for two pieces; false when Newton's method does not come to one near n0.
bool settle(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m) {
  m.n = n0;
  put_pieces(a, b, ids, m);
  m.flat = flats(m.a, m.b);
  if (m.flat.count == 2) {
    m.n = cross<double>(m.flat.along[0], m.flat.along[1]);
    if (m.n.dot(n0) < 0.0) m.n = -m.n;
    put_pieces(a, b, ids, m);
    m.distance = m.n.dot(m.b.at - m.a.at);
    return true;
  }
  m.n = m.flat.without(m.n).normalized();
  if (m.a.bend.isZero(0.0) && m.b.bend.isZero(0.0)) return settle_sharp(m, 1e-10 * (a.size() + b.size()));
  put_pieces(a, b, ids, m);
  m.distance = m.n.dot(m.b.at - m.a.at);
  SmallVector mu(m.flat.count);
  for (int k = 0; k < m.flat.count; ++k) mu[k] = m.flat.along[k].dot(m.b.at - m.a.at);
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 30; ++i) {
    const double length = step(m, mu);
    if (!std::isfinite(length)) return false;
    put_pieces(a, b, ids, m);
    if (length < 1e-15 || (length < 1e-11 && length >= last)) {
      m.distance = m.n.dot(m.b.at - m.a.at);
      return true;
    }
    last = length;
  }
  return false;
}

/// How far the points are from those of the pieces, along their edges: what closes p_b - p_a = distance n.
struct Slides {
  Vector3<double> on_a = Vector3<double>::Zero(), on_b = Vector3<double>::Zero();
  std::array<double, 2> s_a{}, s_b{};
  bool one = true;  // no other slides do
};

/// The columns along which the points may slide: p_b - p_a changes by them.
Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::DontAlign, 3, 4> slide_matrix(const Meeting& m) {
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::DontAlign, 3, 4> out(3, m.a.free + m.b.free);
  for (int i = 0; i < m.a.free; ++i) out.col(i) = -m.a.edges[i];
  for (int i = 0; i < m.b.free; ++i) out.col(m.a.free + i) = m.b.edges[i];
  return out;
}

/// Slides with slide_matrix * slides = change, the shortest where there are many.
Slides slide(const Meeting& m, const Vector3<double>& change) {
  Slides out;
  const int count = m.a.free + m.b.free;
  if (count == 0) return out;
  Eigen::JacobiSVD<Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 4>> svd(
      slide_matrix(m), Eigen::ComputeFullU | Eigen::ComputeFullV);
  svd.setThreshold(1e-7);
  out.one = svd.rank() == count;
  const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 4, 1> x = svd.solve(Eigen::Vector3d(change));
  for (int i = 0; i < m.a.free; ++i) out.s_a[i] = x[i], out.on_a += x[i] * m.a.edges[i];
  for (int i = 0; i < m.b.free; ++i) out.s_b[i] = x[m.a.free + i], out.on_b += x[m.a.free + i] * m.b.edges[i];
  return out;
}

/// Where flat lies on flat: the middle of what the two outlines share.
bool share_middle(const Side& a, const Side& b, const Meeting& m, NearestShapes& out) {
  std::vector<Vector3<double>> on_a, on_b;
  support_outline(a.shape, a.R.transpose() * m.n, 1e-7, on_a);
  support_outline(b.shape, b.R.transpose() * -m.n, 1e-7, on_b);
  for (Vector3<double>& x : on_a) x = a.R * x + a.p;
  for (Vector3<double>& x : on_b) x = b.R * x + b.p;
  Vector3<double> sum = Vector3<double>::Zero();
  int count = 0;
  if (a.shape.kind == Kind::plane) {
    for (const Vector3<double>& x : on_b) sum += x, ++count;
  } else if (!on_a.empty() && !on_b.empty()) {
    std::vector<std::pair<Vector3<double>, Vector3<double>>> shared;
    overlap(on_a, on_b, m.n, shared);
    for (const auto& [p_a, p_b] : shared) sum += p_b, ++count;
  }
  if (count == 0) return false;
  out.p_b = sum / count;
  out.p_a = out.p_b - m.distance * m.n;
  return true;
}

bool proves(const Side& a, const Side& b, const NearestShapes& at, double tolerance) {
  return (at.p_b - at.p_a - at.distance * at.normal).norm() <= tolerance && a.outside(at.p_a) <= tolerance &&
         b.outside(at.p_b) <= tolerance && a.height(at.normal) - at.normal.dot(at.p_a) <= tolerance &&
         b.height(-at.normal) + at.normal.dot(at.p_b) <= tolerance;
}

/// With two pieces; not proven when these are the wrong ones.
NearestShapes try_pieces(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids,
                         Meeting& m) {
  NearestShapes out{Vector3<double>::Zero(), Vector3<double>::Zero(), n0, 0.0, true, false};
  if (!settle(a, b, n0, ids, m)) {  // where a rim just touches, many directions do: then this one
    m.n = n0;
    put_pieces(a, b, ids, m);
    m.flat = flats(m.a, m.b);
    m.distance = n0.dot(m.b.at - m.a.at);
  }
  const double tolerance = kProof * (a.size() + b.size()) + 1e-14 * (a.p - b.p).norm();
  // what is cheap to tell first: near n0, no worse than it, and nothing farther along n
  if (m.n.dot(n0) < 0.9 || m.distance < gap(a, b, n0) - tolerance ||
      a.height(m.n) - m.n.dot(m.a.at) > tolerance || b.height(-m.n) + m.n.dot(m.b.at) > tolerance)
    return out;
  const Slides by = slide(m, m.distance * m.n - (m.b.at - m.a.at));
  out.p_a = m.a.at + by.on_a;
  out.p_b = m.b.at + by.on_b;
  out.normal = m.n;
  out.distance = m.distance;
  out.one_pair = by.one;
  if (!by.one && !share_middle(a, b, m, out)) return out;
  out.proven = proves(a, b, out, tolerance);
  if (out.proven) out.p_a = out.p_b - out.distance * out.normal;  // to rounding
  return out;
}

/// All pieces near a direction, those first that it is most nearly normal to.
NearestShapes from_direction(const Side& a, const Side& b, const Vector3<double>& n0, Meeting& m) {
  PieceList of_a, of_b;
  pieces_near(a.shape, a.R.transpose() * n0, of_a);
  pieces_near(b.shape, b.R.transpose() * -n0, of_b);
  std::vector<Try> tries;
  for (int i = 0; i < of_a.count; ++i)
    for (int j = 0; j < of_b.count; ++j) {
      const double tilt = std::max(of_a.ids[i].tilt, of_b.ids[j].tilt);
      // of what is met alike, the widest: a face rather than its corner
      const double rank = tilt < 1e-9 ? -of_a.ids[i].free - of_b.ids[j].free : tilt;
      if (tilt <= kMostTilt) tries.push_back({of_a.ids[i], of_b.ids[j], rank});
    }
  std::stable_sort(tries.begin(), tries.end(), [](const Try& x, const Try& y) { return x.rank < y.rank; });
  for (const Try& ids : tries) {
    const NearestShapes out = try_pieces(a, b, n0, ids, m);
    if (out.proven) return out;
  }
  return {Vector3<double>::Zero(), Vector3<double>::Zero(), n0, 0.0, true, false};
}

/// The shortest of all ways p_b - p_a, by Wolfe's method (1976): the point nearest to zero of the hull of at
/// most four ways, and each time the way that goes beyond it. Zero when the shapes are not apart.
class ShortestWay {
 public:
  ShortestWay(const Side& a, const Side& b) : a_(a), b_(b) {}

  Vector3<double> operator()() {
    add(way((b_.p - a_.p).norm() > 0.0 ? Vector3<double>((b_.p - a_.p).normalized())
                                       : Vector3<double>::UnitX()));
    const double tiny = 1e-12 * (a_.size() + b_.size());
    for (int i = 0; i < 200; ++i) {
      const Vector3<double> x = shrink();
      if (x.norm() < tiny || count_ == 4) return Vector3<double>::Zero();
      const Vector3<double> beyond = way(x.normalized());
      if (x.dot(x - beyond) <= 1e-14 * x.dot(x) + tiny * x.norm() * 1e-3) return x;
      if (!add(beyond)) return x;
    }
    return point();
  }

 private:
  Vector3<double> way(const Vector3<double>& n) const {
    const auto far = [](const Side& side, const Vector3<double>& m) {
      PieceList near;
      pieces_near(side.shape, side.R.transpose() * m, near);
      int best = 0;
      for (int i = 1; i < near.count; ++i)
        if (near.ids[i].tilt < near.ids[best].tilt) best = i;
      return side.piece(near.ids[best], m).at;
    };
    return far(b_, -n) - far(a_, n);
  }
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

}  // namespace

NearestShapes nearest_shapes_from(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b,
                                  const Pose& X_WB, const Vector3<double>& normal) {
  Meeting m;
  return from_direction(side(a, X_WA), side(b, X_WB), normal, m);
}

NearestShapes nearest_shapes(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b,
                             const Pose& X_WB) {
  const Side on_a = side(a, X_WA), on_b = side(b, X_WB);
  Meeting m;
  if (a.kind == Kind::plane) return from_direction(on_a, on_b, on_a.R.col(2), m);
  const std::optional<LibraryNearest> found = library_nearest(a, X_WA, b, X_WB);
  NearestShapes out;
  if (found) {
    out = from_direction(on_a, on_b, found->normal, m);
    // the library gives some normals of sunk bodies in the axes of a
    const Vector3<double> turned = on_a.R * found->normal;
    if (found->distance <= 0.0 && gap(on_a, on_b, turned) > gap(on_a, on_b, found->normal)) {
      const NearestShapes other = from_direction(on_a, on_b, turned, m);
      if (other.proven) out = other;
    }
    if (out.proven && out.distance > 0.0) return out;
  }
  if (!out.proven) {
    const Vector3<double> way = ShortestWay(on_a, on_b)();
    if (way.norm() > 0.0) out = from_direction(on_a, on_b, way.normalized(), m);
    if (out.proven && out.distance > 0.0) return out;
  }
  // Sunk in, there are directions of least depth all round: of polyhedra the best guess is the least of them,
  // of round bodies the best guesses lead there.
  std::vector<std::pair<double, Vector3<double>>> starts;
  double most = -std::numeric_limits<double>::infinity();
  for (const Vector3<double>& n : guesses(on_a, on_b)) {
    starts.emplace_back(gap(on_a, on_b, n), n);
    most = std::max(most, starts.back().first);
  }
  const bool polyhedra = !has_round(a) && !has_round(b);
  if (polyhedra && out.proven && out.distance >= most - kProof * (a.reach() + b.reach())) return out;
  const NearestShapes searched = search(on_a, on_b, starts, m);
  if (searched.proven && (!out.proven || searched.distance > out.distance)) return searched;
  if (out.proven || !found) return out;
  return {found->p_a, found->p_b, found->normal, found->distance, true, false};
}

ContactMotion motion_of_nearest(const std::string& name, const CollisionShape& a, const FrameMotion& frame_a,
                                const CollisionShape& b, const FrameMotion& frame_b,
                                const Vector3<double>& normal) {
  const Side on_a{a, frame_a.R, frame_a.p}, on_b{b, frame_b.R, frame_b.p};
  Meeting m;
  const NearestShapes at = from_direction(on_a, on_b, normal, m);
  if (!at.proven)
    throw Error(
        fmt::format("contact '{}' has no nearest points along ({}, {}, {}): expected what nearest() gave",
                    name, normal[0], normal[1], normal[2]));
  if (!at.one_pair)
    throw Error(fmt::format(
        "contact '{}' lies flat: its nearest points are a line or an area, which has no velocity; collide() "
        "gives its corners",
        name));
  const Slides by = slide(m, m.distance * m.n - (m.b.at - m.a.at));
  // With n held: how the piece's own point and its slide move with the body.
  const auto carried = [&](const FrameMotion& frame, const SupportPiece& piece,
                           const Vector3<double>& slid) -> Vector3<double> {
    return frame.p_dot + cross<double>(frame.omega, piece.at + slid - frame.p) -
           piece.bend * cross<double>(frame.omega, m.n);
  };
  // b is met along -n: its turn moves the point the other way
  const Vector3<double> rate_a = carried(frame_a, m.a, by.on_a);
  const Vector3<double> rate_b = frame_b.p_dot + cross<double>(frame_b.omega, m.b.at + by.on_b - frame_b.p) +
                                 m.b.bend * cross<double>(frame_b.omega, m.n);
  const int count = m.flat.count;
  SmallVector f(4 + count);
  f.head<3>() = rate_b - rate_a;
  f[3] = 0.0;
  // e . n = 0 stays: e . n_dot = -(omega x e) . n, for each independent edge with the body it is of
  Small matrix = stationarity(m.a, m.b, m.flat, m.n, m.distance);
  int row = 0;
  Flats seen;
  const auto hold = [&](const SupportPiece& piece, const Vector3<double>& omega) {
    for (int i = 0; i < piece.free; ++i) {
      const int before = seen.count;
      seen.add(piece.edges[i]);
      if (seen.count == before) continue;
      matrix.block<1, 3>(4 + row, 0) = -piece.edges[i].transpose();
      f[4 + row++] = -cross<double>(omega, piece.edges[i]).dot(m.n);
    }
  };
  hold(m.a, frame_a.omega);
  hold(m.b, frame_b.omega);
  const SmallVector x = matrix.fullPivLu().solve(-f);
  ContactMotion out;
  out.normal_dot = x.head<3>();
  out.distance_rate = x[3];
  const Vector3<double> a0 = rate_a + m.a.bend * out.normal_dot, b0 = rate_b - m.b.bend * out.normal_dot;
  const Slides rates = slide(m, out.distance_rate * m.n + m.distance * out.normal_dot - (b0 - a0));
  out.p_a_dot = a0 + rates.on_a;
  out.p_b_dot = b0 + rates.on_b;
  return out;
}

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
  std::vector<Vector3<double>> now = a_cuts ? b : a, next;
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
