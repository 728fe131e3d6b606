#include "amble/contact/rigid_contact.hpp"

#include <map>

#include "amble/constraints/sliding_constraint.hpp"
#include "amble/contact/compliant_contact.hpp"
#include "amble/contact/contact_rows.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/link_motion.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

using Vector = Vector3<double>;

constexpr double kRounding = 1e-6;  // m: a start may be this deep
constexpr double kNoSlip = 1e-8;    // m/s: slower than this, sliding keeps its direction

Vector velocity_at(const FrameMotion& f, const Vector& p) {
  return f.p_dot + cross<double>(f.omega, p - f.p);
}

/// The direction of sliding: that of the velocity, and near rest that where it came from, smoothly through
/// zero so that steps may look beyond where sliding ends.
Vector slip_direction(const Vector& velocity, const Vector& from) {
  const double along = velocity.dot(from), size = std::hypot(along, kNoSlip);
  return (size * from + along / size * (velocity - along * from)).normalized();
}

/// The rows of surfaces that stay together, along (normal, t1, t2).
void put_rows(const ConstraintKinematics& at, const ContactPair& pair, int rows, const ConstraintRows& out) {
  const FrameMotion a = at.frame(pair.a()), b = at.frame(pair.b());
  const ContactPoint c = pair.nearest(a, b);
  const ContactMotion moving = pair.motion(c, a, b);
  const Matrix3<double> axes = contact_axes(c.normal);
  const Vector turning = cross<double>(c.normal, moving.normal_dot);
  for (int k = 0; k < rows; ++k) {
    const Vector axis = axes.col(k);
    at.put_row({.force = axis,
                .point = c.p_b,
                .force_rate = cross<double>(turning, axis),
                .point_rate = moving.p_b_dot},
               c.link_a, c.link_b, out.A + k * at.mechanism().nv(), out.bias[k]);
  }
  out.violation[0] = c.distance;
}

class HeldTogether : public Constraint {
 public:
  HeldTogether(std::string name, ContactPairPtr pair)
      : Constraint(std::move(name), 3, false), pair_(std::move(pair)) {}
  bool holonomic(int row) const override { return row == 0; }
  std::string meaning(int row) const override {
    return row == 0 ? "normal force (N)" : fmt::format("friction along tangent {} (N)", row);
  }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    put_rows(at, *pair_, 3, out);
  }

 private:
  ContactPairPtr pair_;
};

/// The normal force brings friction along, against the velocity of sliding. Given: the direction where that
/// came from.
class SlidTogether : public SlidingConstraint {
 public:
  SlidTogether(std::string name, ContactPairPtr pair, double friction)
      : SlidingConstraint(std::move(name), 1, true), pair_(std::move(pair)), friction_(friction) {}
  std::string meaning(int) const override { return "normal force (N)"; }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    put_rows(at, *pair_, 1, out);
  }
  void put_force_rows(const ConstraintKinematics& at, const double* given, double* B) const override {
    const FrameMotion a = at.frame(pair_->a()), b = at.frame(pair_->b());
    const ContactPoint c = pair_->nearest(a, b);
    Vector slip = velocity_at(b, c.p_b) - velocity_at(a, c.p_b);
    slip -= c.normal.dot(slip) * c.normal;
    const Vector friction = friction_ * slip_direction(slip, Eigen::Map<const Eigen::Vector3d>(given));
    double ignored = 0.0;
    at.put_row({.force = c.normal - friction, .point = c.p_b}, c.link_a, c.link_b, B, ignored);
  }

 private:
  ContactPairPtr pair_;
  double friction_;
};

FrameMotion frame_motion(const PortState& at, const LinkFrame& frame) {
  const Pose X = forward_kinematics(at.mechanism, at.work, at.q)[frame.link] * frame.X_LF;
  FrameMotion out{.R = X.rotation().matrix(), .p = X.translation()};
  if (frame.link == 0) return out;
  const Twist<double> V =
      frame.X_LF.inverse() * link_velocities(at.mechanism, at.work, at.q, at.v)[frame.link].V;
  out.omega = out.R * V.angular(), out.p_dot = out.R * V.linear();
  return out;
}

}  // namespace

void RigidContactOptions::validate(const std::string& name) const {
  check_strength(name, "friction", friction, true);
  if (!(restitution >= 0.0 && restitution <= 1.0))
    throw Error(fmt::format("'{}' has a restitution of {}: expected 0 to 1", name, restitution));
  check_above_zero(name, "rest speed", rest_speed);
  check_above_zero(name, "clearance", clearance);
}

RigidContact::RigidContact(std::string name, const Mechanism& m, ContactPairPtr pair,
                           const RigidContactOptions& options)
    : Element(std::move(name)), pair_(std::move(pair)), options_(options) {
  options_.validate(this->name());
  if (pair_ == nullptr) throw Error(fmt::format("'{}' has no pair of surfaces", this->name()));
  const int count = static_cast<int>(m.links().size()), a = pair_->a().link, b = pair_->b().link;
  if (a < 0 || a >= count || b < 0 || b >= count || a == b)
    throw Error(
        fmt::format("'{}' is between links {} and {}: expected two different ones of the {} that '{}' has",
                    this->name(), a, b, count, m.name()));
  sticking_ = std::make_shared<HeldTogether>(this->name(), pair_);
  sliding_ = std::make_shared<SlidTogether>(this->name(), pair_, options_.friction);
}

void RigidContact::set_mode(double* memory, Mode mode, const Vector& direction) {
  memory[0] = static_cast<int>(mode);
  std::copy_n(direction.data(), 3, memory + 1);
}

int RigidContact::stance(const double* memory) {
  return mode(memory) == Mode::sticking ? 1 : mode(memory) == Mode::sliding ? 2 : 0;
}

RigidContact::Place RigidContact::place(const PortState& at) const {
  const FrameMotion a = frame_motion(at, pair_->a()), b = frame_motion(at, pair_->b());
  Place out{pair_->nearest(a, b), {}};
  out.velocity = velocity_at(b, out.at.p_b) - velocity_at(a, out.at.p_b);
  return out;
}

/// What touches at the start is decided with the others.
void RigidContact::start(const PortState& at, double*, double* memory) const {
  const double gap = place(at).at.distance;
  if (!(gap > -kRounding))
    throw Error(
        fmt::format("'{}': the motion starts with the surfaces {:.3g} m inside each other", name(), -gap));
  set_mode(memory, gap > options_.clearance ? Mode::open : Mode::leaving);
}

void RigidContact::guard_values(const PortState& at, const double*, double* values) const {
  std::fill_n(values, guards(), -1.0);
  const Mode now = mode(at.memory);
  if (now == Mode::sticking || (now == Mode::sliding && options_.friction == 0.0)) return;
  const Place c = place(at);
  if (now == Mode::sliding) {
    const Vector slip = c.velocity - c.at.normal.dot(c.velocity) * c.at.normal;
    values[kHalts] = slip.dot(Eigen::Map<const Eigen::Vector3d>(at.memory + 1));
    values[kTurns] = 0.5 * slip.norm() - values[kHalts] - kNoSlip;
  } else {
    values[kTouch] = now == Mode::leaving ? c.at.distance + options_.clearance : c.at.distance;
    values[kClear] = now == Mode::leaving ? c.at.distance - options_.clearance : -1.0;
  }
}

std::string RigidContact::guard_name(int guard) const {
  constexpr const char* kWhat[] = {" touches", " is clear", " stops sliding", " turns"};
  return name() + kWhat[guard];
}

void RigidContact::happen(const PortState& at, PortEvent& event) const {
  const Mode now = mode(event.memory);
  if (event.crossed[kTouch] < 0 && (now == Mode::open || now == Mode::leaving)) {
    const Place c = place(at);
    if (c.at.normal.dot(c.velocity) < 0.0) set_mode(event.memory, Mode::struck);  // else it grazes
  }
  if (event.crossed[kClear] > 0 && now == Mode::leaving) set_mode(event.memory, Mode::open);
  if (event.crossed[kTurns] > 0 && now == Mode::sliding) {
    const Place c = place(at);
    const Vector slip = c.velocity - c.at.normal.dot(c.velocity) * c.at.normal;
    if (slip.norm() > kNoSlip) set_mode(event.memory, Mode::sliding, slip.normalized());
  }
}

void RigidContact::contact_forces(const PortState& at, const double*, std::vector<ContactForce>& out) const {
  if (!closed(at.memory) || at.forces == nullptr) return;
  const Place c = place(at);
  Vector force = at.forces[0] * c.at.normal;
  if (mode(at.memory) == Mode::sticking) {
    force = contact_axes(c.at.normal) * Eigen::Map<const Eigen::Vector3d>(at.forces);
  } else {
    const Vector slip = c.velocity - c.at.normal.dot(c.velocity) * c.at.normal;
    force -= at.forces[0] * options_.friction *
             slip_direction(slip, Eigen::Map<const Eigen::Vector3d>(given(at.memory)));
  }
  out.push_back({c.at.link_a, c.at.link_b, c.at.p_b, force, c.at.normal, options_.friction});
}

ElementPtr rigid_contact(std::string name, const Mechanism& m, ContactPairPtr pair,
                         const RigidContactOptions& options) {
  return std::make_shared<RigidContact>(std::move(name), m, std::move(pair), options);
}

std::vector<ElementPtr> rigid_contacts(const Mechanism& m, const std::vector<ContactSpec>& specs,
                                       const RigidContactOptions& options) {
  std::vector<ElementPtr> out;
  std::map<std::string, int> seen;
  for (const ContactSpec& spec : specs) {
    checked_normal(spec);
    const int number = ++seen[spec.body];
    const std::string name = !spec.name.empty() ? spec.name
                             : number == 1      ? fmt::format("contact of {}", spec.body)
                                                : fmt::format("contact {} of {}", number, spec.body);
    RigidContactOptions own = options;
    own.friction = spec.friction, own.restitution = spec.restitution;
    const OverPlane where{spec.body, spec.point, spec.radius, spec.normal, spec.offset};
    out.push_back(rigid_contact(name, m, over_plane(name, m, where), own));
  }
  return out;
}

}  // namespace amble
