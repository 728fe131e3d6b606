#include "amble/contact/shape_pair.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/contact/nearest_shapes.hpp"
#include "amble/contact/support.hpp"

namespace amble {

namespace {

using Kind = CollisionShape::Kind;

Pose pose(const FrameMotion& frame) { return Pose(SO3<double>(frame.R), frame.p); }

/// How a shape bends where it is met along an outward normal m: by its radii across edges, not at all along
/// flats.
SurfaceCurvature bends(const CollisionShape& shape, const FrameMotion& frame, const Vector3<double>& m) {
  const Vector3<double> n = frame.R.transpose() * m;
  detail::PieceList near;
  int corner = 0;
  detail::pieces_near(shape, n, corner, near);
  detail::SupportPiece piece = detail::support_piece(shape, near.ids[0], n);
  for (int i = 1; i < near.count; ++i) {
    const detail::SupportPiece other = detail::support_piece(shape, near.ids[i], n);
    if (near.ids[i].tilt < 1e-9 && other.free > piece.free) piece = other;
  }
  SurfaceCurvature out = curvature_from_radii(frame.R * piece.bend * frame.R.transpose(), m);
  if (piece.free == 1) {
    const Vector3<double> edge = piece.edges[0], across = cross<double>(n, edge);
    const double radius = across.dot(piece.bend * across);
    out.principal << 0.0, radius > 0.0 ? 1.0 / radius : std::numeric_limits<double>::infinity();
    out.directions << frame.R * edge, frame.R * across;
  }
  if (piece.free == 2) {
    out.principal.setZero();
    out.directions << frame.R * piece.edges[0], frame.R * piece.edges[1];
  }
  return out;
}

class ShapePair : public CurvedPair {
 public:
  ShapePair(std::string name, const LinkFrame& a, const CollisionShape& shape_a, const LinkFrame& b,
            const CollisionShape& shape_b)
      : CurvedPair(std::move(name), a, b), a_(shape_a), b_(shape_b) {}

  ContactPoint nearest(const FrameMotion& a, const FrameMotion& b) const override {
    const detail::NearestShapes found = detail::nearest_shapes(a_, pose(a), b_, pose(b));
    if (!found.normal.allFinite() || !found.p_a.allFinite())
      throw Error(fmt::format(
          "contact '{}' has no nearest points: expected two shapes that are not in one place", name()));
    return point(found);
  }
  /// From the direction that was right before, without a search; where they penetrate that could miss a shorter way out.
  ContactPoint nearest_after(const ContactPoint& before, const FrameMotion& a, const FrameMotion& b) const override {
    const detail::NearestShapes found = detail::nearest_shapes_from(a_, pose(a), b_, pose(b), before.normal);
    return found.proven && found.distance > 0.0 ? point(found) : nearest(a, b);
  }
  ContactMotion motion(const ContactPoint& at, const FrameMotion& a, const FrameMotion& b) const override {
    return detail::motion_of_nearest(name(), a_, a, b_, b, at.normal);
  }
  Curvatures curvatures(const ContactPoint& at, const FrameMotion& a, const FrameMotion& b) const override {
    return {bends(a_, a, at.normal), bends(b_, b, -at.normal)};
  }

 private:
  ContactPoint point(const detail::NearestShapes& found) const {
    return {a().link, b().link, found.p_a, found.p_b, found.normal, found.distance};
  }
  CollisionShape a_, b_;
};

/// A pair with its sides exchanged.
class TurnedPair : public CurvedPair {
 public:
  explicit TurnedPair(ContactPairPtr pair)
      : CurvedPair(pair->name(), pair->b(), pair->a()), pair_(std::move(pair)) {}

  ContactPoint nearest(const FrameMotion& a, const FrameMotion& b) const override {
    return turned(pair_->nearest(b, a));
  }
  ContactPoint nearest_after(const ContactPoint& before, const FrameMotion& a, const FrameMotion& b) const override {
    return turned(pair_->nearest_after(turned(before), b, a));
  }
  ContactMotion motion(const ContactPoint& at, const FrameMotion& a, const FrameMotion& b) const override {
    const ContactMotion m = pair_->motion(turned(at), b, a);
    return {m.p_b_dot, m.p_a_dot, -m.normal_dot, m.distance_rate};
  }
  Curvatures curvatures(const ContactPoint& at, const FrameMotion& a, const FrameMotion& b) const override {
    const Curvatures c = *amble::curvatures(*pair_, turned(at), b, a);
    return {c.b, c.a};
  }

 private:
  static ContactPoint turned(const ContactPoint& at) {
    return {at.link_b, at.link_a, at.p_b, at.p_a, -at.normal, at.distance};
  }
  ContactPairPtr pair_;
};

bool flat(Kind kind) { return kind == Kind::plane || kind == Kind::ground; }

ContactPairPtr on_ground(std::string name, const LinkFrame& a, const GroundPtr& ground, const LinkFrame& b,
                         const CollisionShape& shape) {
  if (shape.kind == Kind::sphere)
    return tip_on_ground_pair(std::move(name), a, ground, b, sphere_tip(shape.size[0]));
  if (shape.kind == Kind::ellipsoid)
    return tip_on_ground_pair(std::move(name), a, ground, b, ellipsoid_tip(shape.size));
  throw Error(
      fmt::format("contact '{}' is of a body with edges over a ground: expected a sphere or an ellipsoid, or "
                  "points of it, each its own "
                  "pair",
                  name));
}

}  // namespace

ContactPairPtr shape_pair(std::string name, const LinkFrame& a, const CollisionShape& shape_a,
                          const LinkFrame& b, const CollisionShape& shape_b) {
  if (flat(shape_a.kind) && flat(shape_b.kind))
    throw Error(
        fmt::format("contact '{}' is of two planes or grounds: expected a body on one of them", name));
  if (flat(shape_b.kind))
    return std::make_shared<TurnedPair>(shape_pair(std::move(name), b, shape_b, a, shape_a));
  if (shape_a.kind == Kind::ground) return on_ground(std::move(name), a, shape_a.ground, b, shape_b);
  return std::make_shared<ShapePair>(std::move(name), a, shape_a, b, shape_b);
}

}  // namespace amble
