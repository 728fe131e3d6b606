#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/walkers/formula_walker.hpp"
#include "amble/walkers/kinds.hpp"
#include "amble/walkers/leg_chain.hpp"

// The rimless wheel, McGeer 1990: spokes about a hub, of which one stands at a time. Its angle is that of the
// spoke that stands, from the floor's normal; it starts a step behind, at half the angle between spokes.
namespace amble {

namespace {

/// A wheel that turns on and on, by the place of the end of its first spoke and its angle.
class WheelFigure : public WalkerFigure {
 public:
  WheelFigure(double half, double length, double mass, double inertia, const Vector3<double>& gravity)
      : half_(half), length_(length), mechanism_(wheel(mass, inertia, gravity)), work_(mechanism_) {}

  const Mechanism& mechanism() const override { return mechanism_; }
  Posture at(const WalkMoment& m) override {
    const double angle = m.x[0], rate = m.x[1], first = angle - 2.0 * half_ * m.footfalls;
    const auto spoke = [&](double at) -> Vector2<double> { return {length_ * std::sin(at), -length_ * std::cos(at)}; };
    const auto turned = [&](double at) -> Vector2<double> {
      return {length_ * rate * std::cos(at), length_ * rate * std::sin(at)};
    };
    Posture out{.q = OwnedVector(3), .v = OwnedVector(3), .foot = "wheel"};
    out.q << Vector2<double>(m.place.x, -m.drop) - spoke(angle) + spoke(first), first;
    out.v << turned(first) - turned(angle), rate;
    OwnedVector q(3), v(3), a(3);
    q[2] = angle, v[2] = rate, a[2] = m.a[0];
    const OwnedVector f = inverse_dynamics(mechanism_, work_, q, v, a);  // of the floor, on the foot that stands
    out.force = {f[0], 0.0, f[1]}, out.point = {m.place.x, 0.0, -m.drop};
    return out;
  }

 private:
  Mechanism wheel(double mass, double inertia, const Vector3<double>& gravity) const {
    Builder b("rimless");
    b.gravity(gravity);
    const std::string ground = add_foot_place(b, FootPlace::free, true);
    b.body({.name = "wheel", .inertia = AxisMasses().body(mass, length_, inertia).inertia()});
    b.joint({.name = "angle", .type = "revolute", .parent = ground, .child = "wheel", .axis = {0.0, -1.0, 0.0}});
    for (int i = 0; i < static_cast<int>(std::lround(std::numbers::pi / half_)); ++i) {
      const double turn = 2.0 * half_ * i;
      const Vector3<double> end(length_ * std::sin(turn), 0.0, length_ * (1.0 - std::cos(turn)));
      b.frame({.name = "spoke_" + std::to_string(i + 1), .body = "wheel", .X_BF = Pose(end)});
    }
    b.frame({.name = "hub", .body = "wheel", .X_BF = Pose(Vector3<double>(0.0, 0.0, length_))});
    return b.build();
  }

  double half_, length_;
  Mechanism mechanism_;
  Workspace work_;
};

class Rimless {
 public:
  static constexpr int kFreedoms = 1;
  struct Watch {
    double push = std::numeric_limits<double>::quiet_NaN();
  };
  static std::vector<std::string> coordinates() { return {"angle"}; }
  static std::vector<std::string> full_coordinates() { return {"x", "z", "angle"}; }

  Rimless(double half, double length, double mass, double inertia, double slope, double gravity)
      : half_(half),
        length_(length),
        mass_(mass),
        moment_(mass * length * length + inertia),
        slope_(slope),
        gravity_(gravity),
        kept_((mass * length * length * std::cos(2.0 * half) + inertia) / moment_) {}

  std::string name() const { return "on one spoke"; }

  template <class S>
  std::array<S, 1> acceleration(const std::array<S, 2>& x) const {
    using std::sin;
    return {S(mass_ * gravity_ * length_ / moment_) * sin(x[0] - S(slope_))};
  }
  template <class S>
  S guard(const std::array<S, 2>& x) const {
    using std::cos;
    if (drop_ == 0.0) return x[0] + S(half_);
    return S(length_) * (cos(x[0]) - cos(x[0] + S(2.0 * half_))) + S(drop_);
  }
  template <class S>
  std::array<S, 2> reset(const std::array<S, 2>& x) const {
    return {x[0] + S(2.0 * half_), S(kept_) * x[1]};
  }

  bool counts(const std::array<double, 2>&) const { return true; }
  double energy_lost(const std::array<double, 2>& x) const {
    return 0.5 * moment_ * (1.0 - kept_ * kept_) * x[1] * x[1];
  }
  std::vector<std::string> failures() const { return {"rolls back"}; }
  void failure_values(const std::array<double, 2>& x, double* values) const {
    values[0] = half_ + kPassed - x[0];
  }
  double kinetic_energy(const std::array<double, 2>& x) const { return 0.5 * moment_ * x[1] * x[1]; }
  double potential_energy(const std::array<double, 2>& x) const {
    return mass_ * gravity_ * length_ * std::cos(x[0] - slope_);
  }
  StepPhase::Powers powers(const std::array<double, 2>& x) const {
    return {mass_ * gravity_ * length_ * std::sin(x[0] - slope_) * x[1], 0.0, 0.0};
  }

  StepModel::Section section() const {
    const double rate = std::sqrt(gravity_ / length_);
    OwnedMatrix lift(2, 1);
    lift << 0, 1;
    OwnedVector offset(2), lower(1), upper(1);
    offset << half_, 0.0;
    lower << -3.0 * rate;
    upper << -0.01 * rate;
    return {{"dangle"}, lift, offset, lower, upper};
  }
  double step_length(const double*) const { return 2.0 * length_ * std::sin(half_); }
  void set_drop(double height) { drop_ = height; }
  double slope() const { return slope_; }
  double weight() const { return mass_ * gravity_; }
  double longest_step() const { return 30.0 * std::sqrt(length_ / gravity_); }
  std::pair<OwnedVector, OwnedVector> full_state(const double* x) const {
    OwnedVector q(3), v(3);
    q << 0.0, 0.0, x[0];
    v << 0.0, 0.0, x[1];
    return {q, v};
  }

  std::vector<StepModel::Stick> sticks(const VectorRef& q) const {
    const std::pair hub{q[0] - length_ * std::sin(q[2]), q[1] + length_ * std::cos(q[2])};
    std::vector<StepModel::Stick> spokes;
    for (double turn = 0.0; turn < 2.0 * std::numbers::pi - half_; turn += 2.0 * half_) {
      const double at = q[2] + turn;
      spokes.push_back({hub,
                        {hub.first + length_ * std::sin(at), hub.second - length_ * std::cos(at)},
                        turn == 0.0 ? StepModel::Stick::Part::stance : StepModel::Stick::Part::body});
    }
    return spokes;
  }

  std::unique_ptr<WalkerFigure> figure() const {
    const double inertia = moment_ - mass_ * length_ * length_;
    return std::make_unique<WheelFigure>(half_, length_, mass_, inertia, floor_gravity(gravity_, slope_));
  }

  void visit(const double* x, bool, Watch& watch) const {
    // The hub circles the foot: what holds it there is the spoke.
    const double along = mass_ * (gravity_ * std::cos(x[0] - slope_) - length_ * x[1] * x[1]);
    const double across =
        mass_ * (gravity_ * std::sin(x[0] - slope_) - length_ * acceleration(std::array{x[0], x[1]})[0]);
    watch.push = std::fmin(watch.push, along * std::cos(x[0]) + across * std::sin(x[0]));
  }
  std::vector<Assumption> assumptions(const Watch& watch) const {
    if (std::isnan(watch.push)) return {};
    return {{"stance foot stays down", "N", watch.push}};
  }

 private:
  double half_, length_, mass_, moment_, slope_, gravity_;
  double kept_;  // of the angular speed, through an impact
  double drop_ = 0.0;
};

std::unique_ptr<StepModel> make(const WalkerValues& values, Scuffing) {
  const double spokes = values.at("spokes");
  if (spokes < 3.0 || spokes != std::round(spokes))
    throw Error("parameter 'spokes': expected a whole number from 3 on");
  return std::make_unique<FormulaWalker<Rimless>>(
      Rimless(std::numbers::pi / spokes, positive(values, "length"), positive(values, "mass"),
              not_negative(values, "inertia"), slope_of(values), positive(values, "gravity")));
}

}  // namespace

WalkerKind rimless_kind() {
  return {"rimless", "a wheel of spokes without a rim",
          with_floor({{"spokes", 8.0, "1", "how many"},
                      {"length", 1.0, "m", "of a spoke"},
                      {"mass", 1.0, "kg", "at the hub"},
                      {"inertia", 0.0, "kg m^2", "about the hub"}},
                     5.0),
          make};
}

}  // namespace amble
