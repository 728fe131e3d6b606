#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/walkers/formula_walker.hpp"
#include "amble/walkers/kinds.hpp"

// The rimless wheel, McGeer 1990: spokes about a hub, of which one stands at a time. Its angle is that of the
// spoke that stands, from the floor's normal; it starts a step behind, at half the angle between spokes.
namespace amble {

namespace {

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
