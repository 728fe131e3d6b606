#pragma once

#include <array>

#include "amble/contact/nearest_shapes.hpp"
#include "amble/contact/support.hpp"

// Two convex shapes that meet along a direction, each with a piece: what the files behind nearest_shapes.hpp
// share. nearest_polish.cpp finds the direction for two pieces, nearest_proof.cpp tells whether they were the
// right ones, nearest_search.cpp where to start, nearest_motion.cpp how the answer moves.
namespace amble::detail {

/// Of what counts as in the shapes and farthest along n, relative to their size.
inline constexpr double kProof = 1e-10;

struct Side {
  const CollisionShape& shape;
  Matrix3<double> R;
  Vector3<double> p;
  mutable int corner = 0;  ///< of a mesh: where it was farthest last, to climb from

  SupportPiece piece(const PieceId& id, const Vector3<double>& n) const {
    SupportPiece out = support_piece(shape, id, R.transpose() * n);
    out.at = R * out.at + p;
    if (out.curved) out.bend = R * out.bend * R.transpose();
    for (int i = 0; i < out.free; ++i) out.edges[i] = R * out.edges[i];
    return out;
  }
  void pieces(const Vector3<double>& n, PieceList& out) const {
    pieces_near(shape, R.transpose() * n, corner, out);
  }
  double height(const Vector3<double>& n) const {
    return support_height(shape, R.transpose() * n, corner) + n.dot(p);
  }
  Vector3<double> point(const Vector3<double>& n) const {
    return R * support_point(shape, R.transpose() * n, corner) + p;
  }
  double outside(const PieceId& id, const Vector3<double>& x) const {
    return outside_by(shape, id, R.transpose() * (x - p));
  }
  void outline(const Vector3<double>& n, double tilt, std::vector<Vector3<double>>& out) const {
    support_outline(shape, R.transpose() * n, tilt, corner, out);
    for (Vector3<double>& x : out) x = R * x + p;
  }
  double size() const { return shape.kind == CollisionShape::Kind::plane ? 0.0 : shape.reach(); }
};

inline Side side(const CollisionShape& shape, const Pose& X) {
  return {shape, X.rotation().matrix(), X.translation()};
}

inline double gap(const Side& a, const Side& b, const Vector3<double>& n) {
  return -b.height(-n) - a.height(n);
}

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

struct Meeting {
  SupportPiece a, b;
  Flats flat;
  Vector3<double> n;
  double distance = 0.0;
};

/// Two pieces, one of each shape, to be tried.
struct Try {
  PieceId a, b;
  double rank;  // lower first
};

/// Puts two pieces where they are met along n0, whatever comes of it.
void meet(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m);
/// The direction for two pieces; false when Newton's method does not come to one near n0.
bool settle(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m);
/// Whether the gap between two pieces that are settled is larger than along the directions near theirs.
bool highest(const Meeting& m);

/// How far the points are from those of the pieces, along their edges: what closes p_b - p_a = distance n.
struct Slides {
  Vector3<double> on_a = Vector3<double>::Zero(), on_b = Vector3<double>::Zero();
  bool one = true;  // no other slides do; these are not found otherwise
};

/// Slides that change p_b - p_a by this, as nearly as can be.
Slides slide(const Meeting& m, const Vector3<double>& change);

/// With all pieces near a direction, those first that it is most nearly normal to, or before them those of
/// `memory`, which may be null; not proven where none of them does.
NearestShapes from_direction(const Side& a, const Side& b, const Vector3<double>& n0, Meeting& m,
                             PairMemory* memory = nullptr);

}  // namespace amble::detail
