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

using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::DontAlign, 6, 6>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::DontAlign, 6, 1>;

/// The stationary gap: p_b(n) - p_a(n) - distance n - sum mu_k f_k = 0, n . n = 1, f_k . n = 0. Its matrix,
/// in (n, distance, mu).
Small stationarity(const Meeting& m);

/// Puts two pieces where they are met along n0, whatever comes of it.
void meet(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m);
/// The direction for two pieces; false when Newton's method does not come to one near n0.
bool settle(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m);

/// How far the points are from those of the pieces, along their edges: what closes p_b - p_a = distance n.
struct Slides {
  Vector3<double> on_a = Vector3<double>::Zero(), on_b = Vector3<double>::Zero();
  bool one = true;  // no other slides do
};

/// Slides that change p_b - p_a by this, the shortest where there are many.
Slides slide(const Meeting& m, const Vector3<double>& change);

/// With all pieces near a direction, those first that it is most nearly normal to; not proven where none of
/// them does.
NearestShapes from_direction(const Side& a, const Side& b, const Vector3<double>& n0, Meeting& m);

}  // namespace amble::detail
