#include "amble/constraints/rolling_constraints.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

class KnifeEdge : public Constraint {
 public:
  KnifeEdge(std::string name, const LinkFrame& ground, const LinkFrame& blade)
      : Constraint(std::move(name), 1, false), ground_(ground), blade_(blade) {}
  std::string meaning(int) const override { return "side force on the blade (N)"; }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const FrameMotion b = at.frame(blade_);
    const Vector3<double> side = b.R.col(1);
    const WrenchRow W{.force = side, .point = b.p, .force_rate = cross<double>(b.omega, side), .point_rate = b.p_dot};
    at.put_row(W, ground_.link, blade_.link, out.A, out.bias[0]);
  }

 private:
  LinkFrame ground_, blade_;
};

/// Where something touches the plane, and how that place moves.
struct Contact {
  Vector3<double> point, point_rate;
};

class Rolling : public Constraint {
 public:
  Rolling(std::string name, const LinkFrame& ground, const LinkFrame& body, double radius, const RollingOptions& options)
      : Constraint(std::move(name), options.holds_contact ? 3 : 2, false), ground_(ground), body_(body), radius_(radius) {}

  std::string meaning(int row) const override {
    return row == 2 ? "normal force (N)" : fmt::format("friction along {} of the ground (N)", "xy"[row]);
  }
  bool holonomic(int row) const override { return row == 2; }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const FrameMotion g = at.frame(ground_), b = at.frame(body_);
    const Contact c = contact(g, b);
    for (int i = 0; i < rows(); ++i) {
      const Vector3<double> f = g.R.col(i);
      const WrenchRow W{
          .force = f, .point = c.point, .force_rate = cross<double>(g.omega, f), .point_rate = c.point_rate};
      at.put_row(W, ground_.link, body_.link, out.A + i * at.mechanism().nv(), out.bias[i]);
    }
    if (rows() == 3) out.violation[2] = g.R.col(2).dot(c.point - g.p);
  }

 protected:
  double radius() const { return radius_; }

 private:
  virtual Contact contact(const FrameMotion& ground, const FrameMotion& body) const = 0;

  LinkFrame ground_, body_;
  double radius_;
};

class RollingBall : public Rolling {
 public:
  using Rolling::Rolling;

 private:
  Contact contact(const FrameMotion& g, const FrameMotion& b) const override {
    const Vector3<double> n = g.R.col(2);
    return {b.p - radius() * n, b.p_dot - radius() * cross<double>(g.omega, n)};
  }
};

class RollingDisc : public Rolling {
 public:
  using Rolling::Rolling;

 private:
  /// The lowest point is the centre minus r u, with u the part of the normal that lies in the disc, made unit.
  Contact contact(const FrameMotion& g, const FrameMotion& b) const override {
    const Vector3<double> n = g.R.col(2), a = b.R.col(2);
    const Vector3<double> n_dot = cross<double>(g.omega, n), a_dot = cross<double>(b.omega, a);
    const Vector3<double> s = n - n.dot(a) * a;
    const Vector3<double> s_dot = n_dot - (n_dot.dot(a) + n.dot(a_dot)) * a - n.dot(a) * a_dot;
    const double length = s.norm();
    if (!(length > 1e-9)) throw Error(fmt::format("constraint '{}': the disc lies flat on the ground", name()));
    const Vector3<double> u = s / length, u_dot = (s_dot - u * u.dot(s_dot)) / length;
    return {b.p - radius() * u, b.p_dot - radius() * u_dot};
  }
};

template <class Type>
ConstraintPtr make_rolling(const Mechanism& m, std::string name, const LinkFrame& ground, const LinkFrame& body,
                           double radius, const RollingOptions& options) {
  const int count = static_cast<int>(m.links().size());
  if (ground.link < 0 || ground.link >= count || body.link < 0 || body.link >= count)
    throw Error(fmt::format("constraint '{}' is on links {} and {}, but '{}' has {}", name, ground.link, body.link, m.name(),
                            count));
  if (!(radius > 0.0) || !std::isfinite(radius))
    throw Error(fmt::format("constraint '{}' has the radius {} m: expected more than 0", name, radius));
  return std::make_shared<Type>(std::move(name), ground, body, radius, options);
}

}  // namespace

ConstraintPtr knife_edge_constraint(const Mechanism&, std::string name, const LinkFrame& ground, const LinkFrame& blade) {
  return std::make_shared<KnifeEdge>(std::move(name), ground, blade);
}

ConstraintPtr rolling_disc_constraint(const Mechanism& m, std::string name, const LinkFrame& ground, const LinkFrame& disc,
                                      double radius, const RollingOptions& options) {
  return make_rolling<RollingDisc>(m, std::move(name), ground, disc, radius, options);
}

ConstraintPtr rolling_ball_constraint(const Mechanism& m, std::string name, const LinkFrame& ground, const LinkFrame& ball,
                                      double radius, const RollingOptions& options) {
  return make_rolling<RollingBall>(m, std::move(name), ground, ball, radius, options);
}

}  // namespace amble
