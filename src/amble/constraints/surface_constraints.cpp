#include "amble/constraints/surface_constraints.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

/// The rate of something fixed in the ground's axes but for `own`, its rate in them; all in world axes.
struct GroundAxes {
  FrameMotion g;
  Vector3<double> place_in(const Vector3<double>& p) const { return g.R.transpose() * (p - g.p); }
  Vector3<double> rate_in(const Vector3<double>& p, const Vector3<double>& p_dot) const {
    return g.R.transpose() * (p_dot - g.p_dot - cross<double>(g.omega, p - g.p));
  }
  Vector3<double> out(const Vector3<double>& direction) const { return g.R * direction; }
  Vector3<double> rate_out(const Vector3<double>& direction, const Vector3<double>& own) const {
    return g.R * own + cross<double>(g.omega, g.R * direction);
  }
};

/// A direction and its rate, as dual numbers in time.
using Moving = Vector3<Dual<double, 1>>;

Moving moving(const Vector3<double>& x, const Vector3<double>& rate) {
  Moving out;
  for (int i = 0; i < 3; ++i) out[i].value = x[i], out[i].grad[0] = rate[i];
  return out;
}
Vector3<double> value(const Moving& x) { return {x[0].value, x[1].value, x[2].value}; }
Vector3<double> rate(const Moving& x) { return {x[0].grad[0], x[1].grad[0], x[2].grad[0]}; }

/// x or y, turned the short way with z to the normal n; under a ceiling with -z instead, where that way is short.
Moving tilted(int axis, Moving n) {
  const bool ceiling = n[2].value < -0.5;
  if (ceiling) n[1] = -n[1], n[2] = -n[2];
  const Dual<double, 1> share = n[axis] / (Dual<double, 1>(1.0) + n[2]);
  Moving t{-(share * n[0]), -(share * n[1]), -n[axis]};
  t[axis] += Dual<double, 1>(1.0);
  if (ceiling) t[1] = -t[1], t[2] = -t[2];
  return t;
}

/// Where something touches, in the ground's axes.
struct Touch {
  Vector3<double> point, point_rate, normal, normal_rate;
  double gap = 0.0;
};

class SurfaceRolling : public Constraint {
 public:
  SurfaceRolling(std::string name, const LinkFrame& ground, const Surface& surface, const LinkFrame& body,
                 double radius, const RollingOptions& options)
      : Constraint(std::move(name), options.holds_contact ? 3 : 2, false),
        ground_(ground),
        body_(body),
        surface_(surface),
        radius_(radius) {}

  std::string meaning(int row) const override {
    return row == 2 ? "normal force (N)" : fmt::format("friction along the tilted {} of the ground (N)", "xy"[row]);
  }
  bool holonomic(int row) const override { return row == 2; }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const GroundAxes axes{at.frame(ground_)};
    const Touch c = touch(axes, at.frame(body_));
    const Moving n = moving(c.normal, c.normal_rate);
    const Vector3<double> point = axes.g.p + axes.out(c.point);
    const Vector3<double> point_rate = axes.g.p_dot + axes.rate_out(c.point, c.point_rate);
    for (int i = 0; i < rows(); ++i) {
      const Moving f = i == 2 ? n : tilted(i, n);
      const WrenchRow W{.force = axes.out(value(f)),
                        .point = point,
                        .force_rate = axes.rate_out(value(f), rate(f)),
                        .point_rate = point_rate};
      at.put_row(W, ground_.link, body_.link, out.A + i * at.mechanism().nv(), out.bias[i]);
    }
    if (rows() == 3) out.violation[2] = c.gap;
  }

 protected:
  const Surface& surface() const { return surface_; }
  double radius() const { return radius_; }

 private:
  virtual Touch touch(const GroundAxes& axes, const FrameMotion& body) const = 0;

  LinkFrame ground_, body_;
  Surface surface_;
  double radius_;
};

class BallOnSurface : public SurfaceRolling {
 public:
  using SurfaceRolling::SurfaceRolling;

 private:
  Touch touch(const GroundAxes& axes, const FrameMotion& b) const override {
    const Vector3<double> p = axes.place_in(b.p), p_dot = axes.rate_in(b.p, b.p_dot);
    const NearestPoint near = surface().nearest(p);
    const Vector3<double> n_dot = near.turning * p_dot;
    return {p - radius() * near.normal, p_dot - radius() * n_dot, near.normal, n_dot, near.distance - radius()};
  }
};

/// The point of the rim at an angle from where the disc's own x points, where the rim runs along the surface.
class DiscOnSurface : public SurfaceRolling {
 public:
  using SurfaceRolling::SurfaceRolling;

 private:
  struct Rim {
    double angle;
    NearestPoint near;
    Vector3<double> out, along;  // unit: from the centre, and with growing angle
    double slope;                // d (normal . along) / d angle
  };

  Rim rim_at(const Vector3<double>& p, const Matrix3<double>& R, double angle) const {
    Rim x{angle,
          {},
          std::cos(angle) * R.col(0) + std::sin(angle) * R.col(1),
          std::cos(angle) * R.col(1) - std::sin(angle) * R.col(0),
          0.0};
    x.near = surface().nearest(p + radius() * x.out);
    x.slope = -x.near.normal.dot(x.out) + radius() * x.along.dot(x.near.turning * x.along);
    return x;
  }

  Rim nearest_rim(const Vector3<double>& p, const Matrix3<double>& R) const {
    const Vector3<double> n = surface().nearest(p).normal;
    Rim x = rim_at(p, R, std::atan2(-n.dot(R.col(1)), -n.dot(R.col(0))));
    for (int i = 0; i < 60; ++i) {
      if (!(x.slope > 1e-9)) throw Error(fmt::format("constraint '{}': the disc lies flat on the ground", name()));
      const double step = -x.near.normal.dot(x.along) / x.slope;
      if (std::abs(step) < 1e-15) return x;
      x = rim_at(p, R, x.angle + std::clamp(step, -0.5, 0.5));
      if (std::abs(step) < 1e-9 && i > 3) return x;
    }
    throw Error(fmt::format("constraint '{}': the point of the disc nearest to the ground cannot be found", name()));
  }

  Touch touch(const GroundAxes& axes, const FrameMotion& b) const override {
    const Vector3<double> p = axes.place_in(b.p), p_dot = axes.rate_in(b.p, b.p_dot);
    const Matrix3<double> R = axes.g.R.transpose() * b.R;
    const Vector3<double> w = axes.g.R.transpose() * (b.omega - axes.g.omega);
    const Rim x = nearest_rim(p, R);
    const Vector3<double> held = p_dot + radius() * cross<double>(w, x.out);  // of this point of the disc itself
    const Vector3<double>& n = x.near.normal;
    const double angle_rate = -((x.near.turning * held).dot(x.along) + n.dot(cross<double>(w, x.along))) / x.slope;
    const Vector3<double> point_rate = held + radius() * angle_rate * x.along;
    return {p + radius() * x.out, point_rate, n, x.near.turning * point_rate, x.near.distance};
  }
};

class PointOnSurface : public Constraint {
 public:
  PointOnSurface(std::string name, const LinkFrame& ground, const Surface& surface, const LinkFrame& point)
      : Constraint(std::move(name), 1, true), ground_(ground), point_(point), surface_(surface) {}
  std::string meaning(int) const override { return "normal force (N)"; }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const GroundAxes axes{at.frame(ground_)};
    const FrameMotion b = at.frame(point_);
    const NearestPoint near = surface_.nearest(axes.place_in(b.p));
    const Vector3<double> n_dot = near.turning * axes.rate_in(b.p, b.p_dot);
    const WrenchRow W{.force = axes.out(near.normal),
                      .point = b.p,
                      .force_rate = axes.rate_out(near.normal, n_dot),
                      .point_rate = b.p_dot};
    at.put_row(W, ground_.link, point_.link, out.A, out.bias[0]);
    out.violation[0] = near.distance;
  }

 private:
  LinkFrame ground_, point_;
  Surface surface_;
};

void check(const Mechanism& m, const std::string& name, const LinkFrame& ground, const LinkFrame& body,
           double radius) {
  const int count = static_cast<int>(m.links().size());
  if (ground.link < 0 || ground.link >= count || body.link < 0 || body.link >= count)
    throw Error(fmt::format("constraint '{}' is on links {} and {}, but '{}' has {}", name, ground.link, body.link,
                            m.name(), count));
  if (!(radius > 0.0) || !std::isfinite(radius))
    throw Error(fmt::format("constraint '{}' has the radius {} m: expected more than 0", name, radius));
}

}  // namespace

ConstraintPtr rolling_ball_constraint(const Mechanism& m, std::string name, const LinkFrame& ground,
                                      const Surface& surface, const LinkFrame& ball, double radius,
                                      const RollingOptions& options) {
  check(m, name, ground, ball, radius);
  return std::make_shared<BallOnSurface>(std::move(name), ground, surface, ball, radius, options);
}

ConstraintPtr rolling_disc_constraint(const Mechanism& m, std::string name, const LinkFrame& ground,
                                      const Surface& surface, const LinkFrame& disc, double radius,
                                      const RollingOptions& options) {
  check(m, name, ground, disc, radius);
  return std::make_shared<DiscOnSurface>(std::move(name), ground, surface, disc, radius, options);
}

ConstraintPtr point_on_surface_constraint(const Mechanism& m, std::string name, const LinkFrame& ground,
                                          const Surface& surface, const LinkFrame& point) {
  check(m, name, ground, point, 1.0);
  return std::make_shared<PointOnSurface>(std::move(name), ground, surface, point);
}

}  // namespace amble
