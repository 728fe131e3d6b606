#include "amble/contact/compliant_contact.hpp"

#include <algorithm>

#include "amble/base/slope.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/dynamics/link_motion.hpp"
#include "amble/ports/checks.hpp"
#include "amble/ports/touching.hpp"

namespace amble {

namespace {

constexpr double kFree = 0.0, kTouching = 1.0;  // memory
enum Guard { kTouch, kPart, kSlip, kTwist, kGuards };
enum Own { kAxis = 0, kStretch = 3, kStretchB = 5, kTwistAngle = 7, kOwn = 8 };

using Map3 = Eigen::Map<const Eigen::Vector3d>;
using Map2 = Eigen::Map<const Eigen::Vector2d>;

/// Any direction across a unit vector.
Vector3<double> some_tangent(const Vector3<double>& n) {
  Eigen::Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  return cross<double>(n, Vector3<double>::Unit(least)).normalized();
}

/// What of a direction lies across n, as a unit vector; any when there is nothing.
Vector3<double> tangent_along(const Vector3<double>& n, const Vector3<double>& direction) {
  const Vector3<double> across = direction - n * n.dot(direction);
  const double size = across.norm();
  return size > 1e-6 * direction.norm() ? Vector3<double>(across / size) : some_tangent(n);
}

/// A link in the world, from its chain of joints.
struct LinkPlace {
  Pose X_WL;
  Twist<double> V;  // in L
};
LinkPlace place_of(const Mechanism& m, std::span<const LinkMotion> links, int link) {
  LinkPlace out{Pose(), links[link].V};
  for (int i = link; i > 0; i = m.links()[i].parent) out.X_WL = links[i].X_PL * out.X_WL;
  return out;
}
FrameMotion frame_motion(const LinkPlace& at, const Pose& X_LF) {
  const Matrix3<double> R_WL = at.X_WL.rotation().matrix();
  return {.R = R_WL * X_LF.rotation().matrix(),
          .p = at.X_WL * X_LF.translation(),
          .omega = R_WL * at.V.angular(),
          .p_dot = R_WL * (at.V.linear() + cross<double>(at.V.angular(), X_LF.translation()))};
}

/// The velocity of the point of a body that is at `p`.
Vector3<double> velocity_at(const FrameMotion& body, const Vector3<double>& p) {
  return body.p_dot + cross<double>(body.omega, p - body.p);
}

int common_link(const Mechanism& m, int a, int b) {
  while (a != b) (a > b ? a : b) = m.links()[std::max(a, b)].parent;
  return a;
}

/// Both surfaces at a state, and the contact frame between them.
struct Sight {
  std::span<const LinkMotion> links;
  LinkPlace link_a, link_b;
  FrameMotion a, b;
  ContactPoint at;
  Vector3<double> point, t1, t2, slide;  // its origin and axes; the velocity of b against a there
  Vector3<double> turn;                  // the angular velocity of b against a
  double depth() const { return -at.distance; }
  double depth_rate() const { return -at.normal.dot(slide); }
  Vector2<double> along(const Vector3<double>& x) const { return {t1.dot(x), t2.dot(x)}; }
  Vector3<double> in_space(const Vector2<double>& x) const { return x[0] * t1 + x[1] * t2; }
};

class CompliantContact : public Element, public Touching {
 public:
  CompliantContact(std::string name, const Mechanism& m, ContactPairPtr pair, const CompliantOptions& options)
      : Element(std::move(name)), pair_(std::move(pair)), options_(options) {
    options_.validate(this->name());
    if (pair_ == nullptr) throw Error(fmt::format("'{}' has no pair of surfaces", this->name()));
    for (const LinkFrame* frame : {&pair_->a(), &pair_->b()})
      if (frame->link < 0 || frame->link >= static_cast<int>(m.links().size()))
        throw Error(fmt::format("'{}' has a surface on link {}: '{}' has {}", this->name(), frame->link,
                                m.name(), m.links().size()));
    if (pair_->a().link == pair_->b().link)
      throw Error(fmt::format("'{}' is between two surfaces of one body", this->name()));
    common_ = common_link(m, pair_->a().link, pair_->b().link);
  }

  int size() const override { return kOwn; }
  int memory() const override { return 1; }
  void start(const PortState& at, double* x, double* memory) const override {
    const Sight sight = look(at, nullptr);
    lay_axis(sight, x);
    memory[0] = sight.depth() > 0.0 ? kTouching : kFree;
  }

  void evaluate(const PortState& at, const double* x, PortFlows& out, double* xdot) const override {
    std::fill_n(xdot, kOwn, 0.0);
    const double factor = factor_at(at.t);
    if (at.memory[0] == kTouching)
      touch(at, x, factor, out, xdot);
    else
      fade(x, factor, out, xdot);
    if (options_.factor.value) out.supplied = out.stored / factor * factor_rate(at.t);
  }

  int guards() const override { return kGuards; }
  void guard_values(const PortState& at, const double* x, double* values) const override {
    std::fill_n(values, static_cast<int>(kGuards), -1.0);
    const Sight sight = look(at, x);
    values[kTouch] = sight.depth();
    if (at.memory[0] == kFree) return;
    const NormalForce normal = options_.normal->at(sight.depth(), sight.depth_rate(), factor_at(at.t));
    const SurfaceForce surface = options_.surface->at(surface_motion(sight, x, normal.push, factor_at(at.t)));
    values[kPart] = -normal.margin, values[kSlip] = surface.corner, values[kTwist] = surface.twist_corner;
  }
  std::string guard_name(int guard) const override {
    constexpr const char* kNames[] = {"touches", "parts", "slips", "twists"};
    return fmt::format("{} {}", name(), kNames[guard]);
  }
  void happen(const PortState& at, PortEvent& event) const override {
    if (event.crossed.empty() || event.crossed[kTouch] == 0) return;
    const bool touches = event.crossed[kTouch] > 0;
    if (touches == (event.memory[0] == kTouching)) return;
    event.memory[0] = touches ? kTouching : kFree;
    event.log.push_back(fmt::format("{}: {}", name(), touches ? "touches" : "leaves"));
    if (touches) {
      lay_axis(look(at, nullptr), event.x);
    } else if (options_.fading == 0.0) {
      event.dissipated += options_.surface->energy(strain_of(event.x), factor_at(at.t)).energy;
      std::fill(event.x + kStretch, event.x + kOwn, 0.0);
    }
  }
  void contact_forces(const PortState& at, const double* x, std::vector<ContactForce>& out) const override {
    if (at.memory[0] != kTouching) return;
    const Pressed now = pressed(at, x, factor_at(at.t));
    const ContactPoint& c = now.sight.at;
    const Vector3<double> force = force_on_b(now.sight, now.normal, now.surface);
    out.push_back({c.link_a, c.link_b, now.sight.point, force, c.normal, 0.0});
  }

 private:
  double factor_at(double t) const { return options_.factor.value ? checked_factor(t) : 1.0; }
  double checked_factor(double t) const {
    const double factor = options_.factor.value(t);
    check_above_zero(name(), "stiffness factor", factor);
    return factor;
  }
  double factor_rate(double t) const {
    if (options_.factor.rate) return options_.factor.rate(t);
    return slope_at_zero([&](double h) { return options_.factor.value(t + h); });
  }

  static Strain strain_of(const double* x) {
    return {.stretch = Map2(x + kStretch), .stretch_b = Map2(x + kStretchB), .twist = x[kTwistAngle]};
  }

  /// With the axes only when there is an `x`.
  Sight look(const PortState& at, const double* x) const {
    Sight s;
    s.links = link_velocities(at.mechanism, at.work, at.q, at.v);
    s.link_a = place_of(at.mechanism, s.links, pair_->a().link);
    s.link_b = place_of(at.mechanism, s.links, pair_->b().link);
    s.a = frame_motion(s.link_a, pair_->a().X_LF), s.b = frame_motion(s.link_b, pair_->b().X_LF);
    s.at = pair_->nearest(s.a, s.b);
    s.point = s.at.p_a + options_.share_a * (s.at.p_b - s.at.p_a);  // DS (3.21)
    s.slide = velocity_at(s.b, s.point) - velocity_at(s.a, s.point);
    s.turn = s.b.omega - s.a.omega;
    if (x == nullptr) return s;
    s.t1 = tangent_along(s.at.normal, s.a.R * Map3(x + kAxis));
    s.t2 = cross<double>(s.at.normal, s.t1);
    return s;
  }

  void lay_axis(const Sight& s, double* x) const {
    Eigen::Map<Eigen::Vector3d>(x + kAxis) =
        s.a.R.transpose() * tangent_along(s.at.normal, s.a.R * options_.grain);
  }

  SurfaceMotion surface_motion(const Sight& s, const double* x, double push, double factor) const {
    return {.strain = strain_of(x),
            .slide = s.along(s.slide),
            .spin = s.at.normal.dot(s.turn),
            .roll = s.along(s.turn),
            .push = std::max(push, 0.0),
            .factor = factor};
  }

  struct Pressed {
    Sight sight;
    NormalForce normal;
    SurfaceMotion motion;
    SurfaceForce surface;
  };
  Pressed pressed(const PortState& at, const double* x, double factor) const {
    const Sight s = look(at, x);
    const NormalForce normal = options_.normal->at(s.depth(), s.depth_rate(), factor);
    const SurfaceMotion motion = surface_motion(s, x, normal.push, factor);
    return {s, normal, motion, options_.surface->at(motion)};
  }
  static Vector3<double> force_on_b(const Sight& s, const NormalForce& normal, const SurfaceForce& surface) {
    return normal.push * s.at.normal - s.in_space(surface.force);
  }

  void touch(const PortState& at, const double* x, double factor, PortFlows& out, double* xdot) const {
    const auto [s, normal, motion, surface] = pressed(at, x, factor);
    out.stored = normal.energy + surface.energy;
    out.dissipated = (normal.push - normal.elastic) * s.depth_rate() + surface.dissipated;
    const Vector3<double>& n = s.at.normal;
    push_links(at, s, force_on_b(s, normal, surface),
               -(surface.moment * n + s.in_space(surface.roll_moment)), out);
    strain_rates(motion.strain, surface, xdot);
    carry_axis(s, x, xdot);
  }

  /// DS (3.29)-(3.33) in axes that a carries along.
  void strain_rates(const Strain& strain, const SurfaceForce& surface, double* xdot) const {
    const Vector2<double> turning = surface.spin_d * turned(strain.stretch_b);
    Eigen::Map<Eigen::Vector2d>(xdot + kStretch) = surface.slide_d + turning;
    Eigen::Map<Eigen::Vector2d>(xdot + kStretchB) = (1.0 - options_.share_a) * surface.slide_d + turning;
    xdot[kTwistAngle] = surface.spin_d;
  }

  /// The axis goes over surface a with the normal without turning about it: it spins with a. Both turn as one
  /// rigid frame, so that no strain changes by it.
  void carry_axis(const Sight& s, const double* x, double* xdot) const {
    const Vector3<double>& n = s.at.normal;
    const Vector3<double> n_dot =
        pair_->motion(s.at, s.a, s.b).normal_dot - cross<double>(s.a.omega, n);  // seen from a
    const Vector3<double> turn = s.a.R.transpose() * cross<double>(n, n_dot);
    Eigen::Map<Eigen::Vector3d>(xdot + kAxis) = cross<double>(turn, Map3(x + kAxis));
  }

  void push_links(const PortState& at, const Sight& s, const Vector3<double>& force,
                  const Vector3<double>& moment, PortFlows& out) const {
    const auto push = [&](int link, const LinkPlace& place, double side) {
      const Matrix3<double> R_LW = place.X_WL.rotation().matrix().transpose();
      const Vector3<double> about = moment + cross<double>(s.point - place.X_WL.translation(), force);
      const Wrench<double> F(side * (R_LW * force), side * (R_LW * about));
      add_pull_back<1>(at.mechanism, s.links, link, common_, F.vector(), out.tau);
    };
    push(pair_->b().link, s.link_b, 1.0);
    push(pair_->a().link, s.link_a, -1.0);
  }

  /// Apart from each other; the axis stays where it was on a.
  void fade(const double* x, double factor, PortFlows& out, double* xdot) const {
    const Strain strain = strain_of(x);
    const StrainEnergy left = options_.surface->energy(strain, factor);
    out.stored = left.energy;
    if (options_.fading == 0.0) return;
    const double rate = 1.0 / options_.fading;
    for (int i = kStretch; i < kOwn; ++i) xdot[i] = -rate * x[i];
    out.dissipated = rate * (left.pull.dot(strain.stretch) + left.moment * strain.twist);
  }

  ContactPairPtr pair_;
  CompliantOptions options_;
  int common_ = 0;
};

}  // namespace

void CompliantOptions::validate(const std::string& name) const {
  if (normal == nullptr) throw Error(fmt::format("'{}' has no normal law", name));
  if (surface == nullptr) throw Error(fmt::format("'{}' has no surface law", name));
  if (!(share_a >= 0.0 && share_a <= 1.0))
    throw Error(
        fmt::format("'{}' has a share of {} of the deformation on a: expected 0 to 1", name, share_a));
  if (!grain.allFinite() || grain.isZero(0.0))
    throw Error(fmt::format("'{}' has a grain without a direction", name));
  check_strength(name, "fading time", fading);
  if (factor.rate && !factor.value)
    throw Error(fmt::format("'{}' has the rate of a stiffness factor, but no value", name));
}

ContactPairPtr over_plane(std::string name, const Mechanism& m, const OverPlane& where) {
  const double size = where.normal.norm();
  if (!(size > 0.0) || !std::isfinite(size))
    throw Error(
        fmt::format("'{}' is over a plane whose normal has the length {}: expected one above 0", name, size));
  check_finite(name, "plane's offset", where.offset);
  check_strength(name, "radius", where.radius);
  if (!where.point.allFinite()) throw Error(fmt::format("'{}' has a point that is not finite", name));
  const Vector3<double> n = where.normal / size, t = tangent_along(n, Vector3<double>::UnitX());
  Matrix3<double> R;
  R << t, cross<double>(n, t), n;
  const Place place = m.place(where.body);
  const LinkFrame plane{0, Pose(SO3<double>(R), where.offset * n)},
      body{place.link, place.X_LP * Pose(where.point)};
  return where.radius > 0.0 ? sphere_on_plane_pair(std::move(name), plane, body, where.radius)
                            : point_on_plane_pair(std::move(name), plane, body);
}

ElementPtr compliant_contact(std::string name, const Mechanism& m, ContactPairPtr pair,
                             const CompliantOptions& options) {
  return std::make_shared<CompliantContact>(std::move(name), m, std::move(pair), options);
}

}  // namespace amble
