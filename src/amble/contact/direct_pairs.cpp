#include "amble/contact/direct_pairs.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/contact/ground_nearest.hpp"

namespace amble {

namespace {

constexpr int kMostSteps = 60;

double positive(double value, const char* tip, const char* what) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw Error(fmt::format("a {} with {} {}: expected more than 0", tip, what, value));
  return value;
}

/// A surface at what is nearest to a point, in its own axes.
struct Foot {
  Vector3<double> normal;
  double distance;
  Matrix3<double> turning;  // d normal / d (the point above)
  Matrix3<double> bending;  // d normal / d (the point below), along the surface
};

struct PlaneBase {
  Foot foot(const Vector3<double>& p) const {
    return {Vector3<double>::UnitZ(), p.z(), Matrix3<double>::Zero(), Matrix3<double>::Zero()};
  }
};

struct GroundBase {
  GroundPtr ground;
  Foot foot(const Vector3<double>& p) const {
    const GroundNearest nearest = nearest_on_ground(*ground, p);
    if (!nearest.settled)
      throw Error(
          fmt::format("the ground has no one point nearest to ({:.6g}, {:.6g}, {:.6g}): there is a kink, or "
                      "it is beyond a centre "
                      "of curvature",
                      p[0], p[1], p[2]));
    return {nearest.normal, nearest.distance, nearest.turning, nearest.bending};
  }
};

struct SurfaceBase {
  Surface surface;
  Foot foot(const Vector3<double>& p) const {
    const NearestPoint nearest = surface.nearest(p);
    const SurfaceValue f = surface.at(nearest.point);
    const Matrix3<double> along = Matrix3<double>::Identity() - nearest.normal * nearest.normal.transpose();
    return {nearest.normal, nearest.distance, nearest.turning, along * f.hessian * along / f.gradient.norm()};
  }
};

/// The point of a tip that is farthest along m, in the axes of its frame, and how it moves with m.
struct Farthest {
  Vector3<double> point;
  Matrix3<double> radii;  // d point / d m
};

/// DS (3.7) without the scaled axes: the farthest point of an ellipsoid S x, |x| = 1, along m is S^2 m / |S
/// m|. A radius of zero makes it flat.
Farthest farthest_of_ellipsoid(const Vector3<double>& axes, const Vector3<double>& m) {
  const Vector3<double> square = axes.cwiseProduct(axes), far = square.cwiseProduct(m);
  const double h = axes.cwiseProduct(m).norm();
  return {far / h, Matrix3<double>(square.asDiagonal()) / h - far * far.transpose() / (h * h * h)};
}

Farthest farthest(const Tip& tip, const Vector3<double>& m, const std::string& name) {
  switch (tip.kind) {
    case Tip::Kind::point:
      return {Vector3<double>::Zero(), Matrix3<double>::Zero()};
    case Tip::Kind::sphere:
      return {tip.size[0] * m, tip.size[0] * (Matrix3<double>::Identity() - m * m.transpose())};
    case Tip::Kind::ellipse:
      if (std::hypot(m[0], m[1]) < 1e-9)
        throw Error(
            fmt::format("contact '{}' lies flat: every point of its rim is as near, expected one", name));
      return farthest_of_ellipsoid(tip.size, m);
    case Tip::Kind::ellipsoid:
      break;
  }
  return farthest_of_ellipsoid(tip.size, m);
}

/// A tip of b over a base of a. The normal n of the base is that at the point nearest to the tip's farthest
/// point along -n.
template <class Base>
class TipPair : public CurvedPair {
 public:
  TipPair(std::string name, const LinkFrame& a, Base base, const LinkFrame& b, const Tip& tip)
      : CurvedPair(std::move(name), a, b), base_(std::move(base)), tip_(tip) {}

  ContactPoint nearest(const FrameMotion& a, const FrameMotion& b) const override {
    const Meeting at = meet(a, b);
    ContactPoint out{.link_a = this->a().link, .link_b = this->b().link};
    out.normal = at.n;
    out.distance = at.foot.distance;
    out.p_b = at.p_b;
    out.p_a = at.p_b - out.distance * out.normal;
    return out;
  }

  ContactMotion motion(const ContactPoint& at, const FrameMotion& a, const FrameMotion& b) const override {
    const Farthest far = farthest_along(b, -at.normal);
    const Matrix3<double> turning =
        a.R * base_.foot(a.R.transpose() * (at.p_b - a.p)).turning * a.R.transpose();
    const Vector3<double> carried_a = velocity(a, at.p_b), carried_b = velocity(b, at.p_b);
    const Vector3<double> spin = cross<double>(b.omega, at.normal);
    ContactMotion out;
    // n moves with a and with the tip, which moves with b and with n
    const Matrix3<double> both = Matrix3<double>::Identity() + turning * far.radii;
    out.normal_dot = both.inverse() * (cross<double>(a.omega, at.normal) +
                                       turning * (carried_b - carried_a + far.radii * spin));
    out.p_b_dot = carried_b + far.radii * (spin - out.normal_dot);
    out.distance_rate = at.normal.dot(carried_b - carried_a);  // DS (3.17)
    out.p_a_dot = out.p_b_dot - out.distance_rate * at.normal - at.distance * out.normal_dot;
    return out;
  }

  Curvatures curvatures(const ContactPoint& at, const FrameMotion& a, const FrameMotion& b) const override {
    const Matrix3<double> bending =
        a.R * base_.foot(a.R.transpose() * (at.p_b - a.p)).bending * a.R.transpose();
    return {curvature_from_bending(bending, at.normal),
            curvature_from_radii(farthest_along(b, -at.normal).radii, at.normal)};
  }

 private:
  struct Meeting {
    Vector3<double> n, p_b;
    Foot foot;
  };

  static Vector3<double> velocity(const FrameMotion& frame, const Vector3<double>& p) {
    return frame.p_dot + cross<double>(frame.omega, p - frame.p);
  }

  /// In world axes.
  Farthest farthest_along(const FrameMotion& b, const Vector3<double>& m) const {
    const Farthest local = farthest(tip_, b.R.transpose() * m, name());
    return {b.R * local.point + b.p, b.R * local.radii * b.R.transpose()};
  }

  Meeting meet(const FrameMotion& a, const FrameMotion& b) const {
    const auto foot_below = [&](const Vector3<double>& p) { return base_.foot(a.R.transpose() * (p - a.p)); };
    if (tip_.kind == Tip::Kind::point ||
        tip_.kind == Tip::Kind::sphere) {  // what is nearest to the centre is nearest to the ball
      Foot foot = foot_below(b.p);
      const Vector3<double> n = a.R * foot.normal;
      foot.distance -= tip_.size[0];
      return {n, b.p - tip_.size[0] * n, foot};
    }
    Vector3<double> n = a.R * foot_below(b.p).normal;
    double shorter = 1.0, last = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kMostSteps; ++i) {
      const Farthest far = farthest_along(b, -n);
      const Foot foot = foot_below(far.point);
      const Vector3<double> miss = a.R * foot.normal - n;
      if (miss.norm() < 4e-16 || (miss.norm() < 1e-13 && miss.norm() >= last)) return {n, far.point, foot};
      const Matrix3<double> turning = a.R * foot.turning * a.R.transpose();
      const Matrix3<double> both = Matrix3<double>::Identity() + turning * far.radii;
      const double bent =
          both.determinant();  // not positive where the base is more hollow than the tip is round
      if (miss.norm() > last) shorter *= 0.5;
      last = miss.norm();
      n = (n + shorter * (bent > 0.1 ? Vector3<double>(both.inverse() * miss) : miss)).normalized();
    }
    throw Error(
        fmt::format("contact '{}' has no one pair of nearest points: the surface below is more hollow than "
                    "the body is round",
                    name()));
  }

  Base base_;
  Tip tip_;
};

class SpherePair : public CurvedPair {
 public:
  SpherePair(std::string name, const LinkFrame& a, double radius_a, const LinkFrame& b, double radius_b)
      : CurvedPair(std::move(name), a, b),
        ra_(positive(radius_a, "sphere", "radius")),
        rb_(positive(radius_b, "sphere", "radius")) {}

  ContactPoint nearest(const FrameMotion& a, const FrameMotion& b) const override {
    const Vector3<double> d = b.p - a.p;
    const double apart = d.norm();
    if (!(apart > 1e-12 * (ra_ + rb_)))
      throw Error(fmt::format(
          "contact '{}' has its centres in one point: expected two spheres beside each other", name()));
    ContactPoint out{.link_a = this->a().link, .link_b = this->b().link};
    out.normal = d / apart;
    out.distance = apart - ra_ - rb_;
    out.p_a = a.p + ra_ * out.normal;
    out.p_b = b.p - rb_ * out.normal;
    return out;
  }

  ContactMotion motion(const ContactPoint& at, const FrameMotion& a, const FrameMotion& b) const override {
    const Vector3<double> rate = b.p_dot - a.p_dot;
    ContactMotion out;
    out.distance_rate = at.normal.dot(rate);
    out.normal_dot = (rate - out.distance_rate * at.normal) / (at.distance + ra_ + rb_);
    out.p_a_dot = a.p_dot + ra_ * out.normal_dot;
    out.p_b_dot = b.p_dot - rb_ * out.normal_dot;
    return out;
  }

  Curvatures curvatures(const ContactPoint& at, const FrameMotion&, const FrameMotion&) const override {
    const Matrix3<double> along = Matrix3<double>::Identity() - at.normal * at.normal.transpose();
    return {curvature_from_bending(along / ra_, at.normal), curvature_from_bending(along / rb_, at.normal)};
  }

 private:
  double ra_, rb_;
};

}  // namespace

Tip point_tip() { return {}; }
Tip sphere_tip(double radius) {
  return {Tip::Kind::sphere, {positive(radius, "sphere", "radius"), 0.0, 0.0}};
}
Tip disc_tip(double radius) {
  positive(radius, "disc", "radius");
  return {Tip::Kind::ellipse, {radius, radius, 0.0}};
}
Tip ellipse_tip(double radius_x, double radius_y) {
  return {Tip::Kind::ellipse,
          {positive(radius_x, "ellipse", "radius"), positive(radius_y, "ellipse", "radius"), 0.0}};
}
Tip ellipsoid_tip(const Vector3<double>& semi_axes) {
  for (int i = 0; i < 3; ++i) positive(semi_axes[i], "ellipsoid", "semi-axis");
  return {Tip::Kind::ellipsoid, semi_axes};
}

std::optional<CurvedPair::Curvatures> curvatures(const ContactPair& pair, const ContactPoint& at,
                                                 const FrameMotion& a, const FrameMotion& b) {
  const auto* const curved = dynamic_cast<const CurvedPair*>(&pair);
  if (!curved) return std::nullopt;
  return curved->curvatures(at, a, b);
}

ContactPairPtr tip_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body,
                                 const Tip& tip) {
  return std::make_shared<TipPair<PlaneBase>>(std::move(name), plane, PlaneBase{}, body, tip);
}
ContactPairPtr point_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body) {
  return tip_on_plane_pair(std::move(name), plane, body, point_tip());
}
ContactPairPtr sphere_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body,
                                    double radius) {
  return tip_on_plane_pair(std::move(name), plane, body, sphere_tip(radius));
}
ContactPairPtr disc_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body,
                                  double radius) {
  return tip_on_plane_pair(std::move(name), plane, body, disc_tip(radius));
}
ContactPairPtr ellipse_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body,
                                     double radius_x, double radius_y) {
  return tip_on_plane_pair(std::move(name), plane, body, ellipse_tip(radius_x, radius_y));
}
ContactPairPtr ellipsoid_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body,
                                       const Vector3<double>& semi_axes) {
  return tip_on_plane_pair(std::move(name), plane, body, ellipsoid_tip(semi_axes));
}

std::array<ContactPairPtr, 2> capsule_on_plane_pairs(std::string name, const LinkFrame& plane,
                                                     const LinkFrame& body, double radius, double length) {
  positive(length, "capsule", "length");
  const auto end = [&](double z) {
    return LinkFrame{body.link, body.X_LF * Pose(Vector3<double>(0.0, 0.0, z))};
  };
  return {sphere_on_plane_pair(name + " lower end", plane, end(-0.5 * length), radius),
          sphere_on_plane_pair(name + " upper end", plane, end(0.5 * length), radius)};
}

ContactPairPtr tip_on_ground_pair(std::string name, const LinkFrame& frame, GroundPtr ground,
                                  const LinkFrame& body, const Tip& tip) {
  if (!ground) throw Error(fmt::format("contact '{}' has no ground: expected one", name));
  return std::make_shared<TipPair<GroundBase>>(std::move(name), frame, GroundBase{std::move(ground)}, body,
                                               tip);
}

ContactPairPtr tip_on_surface_pair(std::string name, const LinkFrame& frame, const Surface& surface,
                                   const LinkFrame& body, const Tip& tip) {
  return std::make_shared<TipPair<SurfaceBase>>(std::move(name), frame, SurfaceBase{surface}, body, tip);
}

ContactPairPtr sphere_on_sphere_pair(std::string name, const LinkFrame& a, double radius_a,
                                     const LinkFrame& b, double radius_b) {
  return std::make_shared<SpherePair>(std::move(name), a, radius_a, b, radius_b);
}

}  // namespace amble
