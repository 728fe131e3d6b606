#include <cmath>
#include <numbers>

#include "amble/walkers/formula_walker.hpp"
#include "amble/walkers/kinds.hpp"
#include "amble/walkers/leg_chain.hpp"
#include "amble/walkers/legged_figure.hpp"
#include "amble/walkers/swing_clearance.hpp"

// Garcia, Chatterjee, Ruina and Coleman 1998: the simplest walking model, a compass whose hip is so heavy
// that the legs, of unit length, do not act back on it. Coordinates as the compass has them; Garcia's phi is
// -q4. Energies are those of a hip of 1 kg.
namespace amble {

namespace {

class Simplest {
 public:
  static constexpr int kFreedoms = 2;
  using Watch = SwingClearance;
  static std::vector<std::string> coordinates() { return {"q3", "q4"}; }
  static std::vector<std::string> full_coordinates() { return {"x", "z", "q3", "q4"}; }

  Simplest(double slope, double gravity, bool detect) : slope_(slope), gravity_(gravity), detect_(detect) {}

  std::string name() const { return "swing"; }

  template <class S>
  std::array<S, 2> acceleration(const std::array<S, 4>& x) const {
    using std::cos, std::sin;
    const S lean = gravity_ * sin(x[0] - S(slope_));
    const S pull = gravity_ * cos(x[0] - S(slope_)) - x[2] * x[2];
    // phi'' = theta'' + (theta'^2 - g cos(theta - slope)) sin(phi), with phi = -q4
    return {lean, -lean - pull * sin(x[1])};
  }
  template <class S>
  S guard(const std::array<S, 4>& x) const {
    using std::cos;
    return cos(x[0]) - cos(x[0] + x[1]) + S(drop_);
  }
  template <class S>
  std::array<S, 4> reset(const std::array<S, 4>& x) const {
    using std::cos;
    const S turn = cos(x[1]), speed = turn * x[2];
    return {x[0] + x[1], -x[1], speed, -(S(1.0) - turn) * speed};
  }

  bool counts(const std::array<double, 4>& x) const { return x[1] > kPassed; }
  double energy_lost(const std::array<double, 4>& x) const {
    const double sine = std::sin(x[1]);
    return 0.5 * sine * sine * x[2] * x[2];
  }
  std::vector<std::string> failures() const {
    return detect_ ? std::vector<std::string>{"falls over", "swings a leg over",
                                              "scuffs the floor with the swing foot"}
                   : std::vector<std::string>{"falls over", "swings a leg over"};
  }
  void failure_values(const std::array<double, 4>& x, double* values) const {
    values[0] = 0.5 * std::numbers::pi - std::abs(x[0]);
    values[1] = std::numbers::pi - std::abs(x[1]);
    if (detect_) values[2] = counts(x) ? 1.0 : guard(x);
  }
  double kinetic_energy(const std::array<double, 4>& x) const { return 0.5 * x[2] * x[2]; }
  double potential_energy(const std::array<double, 4>& x) const { return gravity_ * std::cos(x[0] - slope_); }
  StepPhase::Powers powers(const std::array<double, 4>& x) const {
    return {gravity_ * std::sin(x[0] - slope_) * x[2], 0.0, 0.0};
  }

  StepModel::Section section() const {
    const double rate = std::sqrt(gravity_);
    OwnedMatrix lift(4, 3);
    lift << 1, 0, 0, -2, 0, 0, 0, 1, 0, 0, 0, 1;
    OwnedVector lower(3), upper(3);
    lower << 0.02, -0.6 * rate, -0.1 * rate;
    upper << 0.6, -0.02 * rate, 0.3 * rate;
    return {{"q3", "dq3", "dq4"}, lift, OwnedVector(4), lower, upper};
  }
  double step_length(const double* x) const { return std::sin(x[0] + x[1]) - std::sin(x[0]); }
  void set_drop(double height) { drop_ = height; }
  double slope() const { return slope_; }
  double weight() const { return gravity_; }
  double longest_step() const { return 30.0 / std::sqrt(gravity_); }
  std::pair<OwnedVector, OwnedVector> full_state(const double* x) const {
    OwnedVector q(4), v(4);
    q << 0.0, 0.0, x[0], x[1];
    v << 0.0, 0.0, x[2], x[3];
    return {q, v};
  }

  std::vector<StepModel::Stick> sticks(const VectorRef& q) const {
    const std::pair foot{q[0], q[1]}, hip{q[0] - std::sin(q[2]), q[1] + std::cos(q[2])};
    const std::pair other{hip.first + std::sin(q[2] + q[3]), hip.second - std::cos(q[2] + q[3])};
    return {{foot, hip, StepModel::Stick::Part::stance}, {hip, other, StepModel::Stick::Part::swing}};
  }

  std::unique_ptr<WalkerFigure> figure() const {
    const Mechanism full = mechanism();
    const auto potential = [*this](const double* x) { return potential_energy({x[0], x[1], x[2], x[3]}); };
    return std::make_unique<LeggedFigure>(full, true, 0.0, motion_of_angles(full, potential));
  }

  void visit(const double* x, bool event, Watch& watch) const {
    if (event)
      watch.land();
    else
      watch.visit(guard(std::array{x[0], x[1], x[2], x[3]}));
  }
  std::vector<Assumption> assumptions(const Watch& watch) const {
    if (std::isnan(watch.margin())) return {};
    return {{"no scuffing", "m", watch.margin()}};
  }

 private:
  /// A hip of 1 kg on legs that have no mass.
  Mechanism mechanism() const {
    Builder b("simplest");
    b.gravity(floor_gravity(gravity_, slope_));
    const std::string ground = add_foot_place(b, FootPlace::free, true);
    b.body({.name = "stance_leg", .inertia = AxisMasses().point(1.0, 1.0).inertia()}).body({.name = "swing_leg"});
    const Vector3<double> axis(0.0, -1.0, 0.0);
    b.joint({.name = "q3", .type = "revolute", .parent = ground, .child = "stance_leg", .axis = axis});
    const Pose hip(Vector3<double>(0.0, 0.0, 1.0)), foot(Vector3<double>(0.0, 0.0, -1.0));
    b.joint({.name = "q4", .type = "revolute", .parent = "stance_leg", .child = "swing_leg", .X_PF = hip, .axis = axis});
    b.frame({.name = "stance_foot", .body = "stance_leg"});
    b.frame({.name = "swing_foot", .body = "swing_leg", .X_BF = foot});
    return b.build();
  }

  double slope_, gravity_;
  bool detect_;
  double drop_ = 0.0;
};

std::unique_ptr<StepModel> make(const WalkerValues& values, Scuffing scuffing) {
  return std::make_unique<FormulaWalker<Simplest>>(
      Simplest(slope_of(values), positive(values, "gravity"), scuffing == Scuffing::detect));
}

}  // namespace

WalkerKind simplest_kind() {
  return {"simplest", "legs without mass under a heavy hip, Garcia et al. 1998",
          with_floor({}, 0.5156620156177408, 1.0), make};
}

}  // namespace amble
