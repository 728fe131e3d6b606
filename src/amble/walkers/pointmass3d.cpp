#include <cmath>
#include <limits>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/walkers/formula_phase.hpp"
#include "amble/walkers/kinds.hpp"
#include "amble/walkers/leg_chain.hpp"
#include "amble/walkers/legged_figure.hpp"
#include "amble/walkers/placing_walker.hpp"

// The walker in space with a mass at the hip and legs without mass, DS 5.4: the swing leg is where its
// controller puts it, and the stance leg pushes off right before the other foot comes down. Coordinates (q4,
// q5) of the stance leg and (q6, q7) of the swing leg, as the walker with a trunk has them: a leg points
// along (sin a cos b, -sin b, cos a cos b) from its foot to the hip. DS (5.33).
namespace amble {

namespace {

struct PointMass {
  double mass, leg, swing_angle, lateral_angle, lateral_gain, forward_rate, slope, gravity;

  explicit PointMass(const WalkerValues& v)
      : mass(positive(v, "hip_mass")),
        leg(positive(v, "leg_length")),
        swing_angle(v.at("swing_angle")),
        lateral_angle(v.at("lateral_angle")),
        lateral_gain(v.at("lateral_gain")),
        forward_rate(positive(v, "forward_rate")),
        slope(slope_of(v)),
        gravity(positive(v, "gravity")) {
    constexpr double kUpright = 0.5 * std::numbers::pi;
    if (!(swing_angle < 0.0 && swing_angle > -kUpright))
      throw Error("parameter 'swing_angle' is not between -pi/2 and 0: a foot is placed ahead of the hip");
    if (!(std::abs(lateral_angle) < kUpright))
      throw Error("parameter 'lateral_angle' is not between -pi/2 and pi/2");
  }

  /// A hip on legs without mass, each with two angles against the floor.
  Mechanism mechanism() const {
    Builder b("pointmass3d");
    b.gravity(floor_gravity(gravity, slope));
    const auto turn = [&](const char* joint, const std::string& parent, const char* body, double z,
                          const Vector3<double>& axis, const char* undoes = "") {
      b.body({.name = body, .auxiliary = !std::string_view(body).ends_with("leg") && body != std::string_view("hip")});
      JointDescription j{.name = joint, .type = "revolute", .parent = parent, .child = body};
      j.X_PF = Pose(Vector3<double>(0.0, 0.0, z)), j.axis = axis;
      if (*undoes != 0) j.mimic = Mimic{.leader = undoes, .ratio = -1.0};
      b.joint(j);
    };
    const Vector3<double> x = Vector3<double>::UnitX(), y = Vector3<double>::UnitY();
    turn("q4", add_foot_place(b, FootPlace::free, false), "stance_turn", 0.0, y);
    turn("q5", "stance_turn", "stance_leg", 0.0, x);
    turn("q5_undone", "stance_leg", "hip_turn", leg, x, "q5");
    turn("q4_undone", "hip_turn", "hip", 0.0, y, "q4");
    turn("q6", "hip", "swing_turn", 0.0, y);
    turn("q7", "swing_turn", "swing_leg", 0.0, x);
    b.body({.name = "mass", .inertia = AxisMasses().point(mass, 0.0).inertia()});
    b.joint({.name = "hip_mass", .type = "fixed", .parent = "hip", .child = "mass"});
    b.frame({.name = "stance_foot", .body = "stance_leg"});
    b.frame({.name = "swing_foot", .body = "swing_leg", .X_BF = Pose(Vector3<double>(0.0, 0.0, -leg))});
    return b.build();
  }
};

/// What both halves of a step share; numbers are (q4, q5, q6, q7) and their rates.
class HipMotion : protected PointMass {
 public:
  static constexpr int kFreedoms = 4;
  using State = std::array<double, 8>;
  explicit HipMotion(const PointMass& walker) : PointMass(walker) {}
  const PointMass& parameters() const { return *this; }

  /// DS (5.31) with (5.32); legs without mass stay where they are put.
  template <class S>
  std::array<S, 4> acceleration(const std::array<S, 8>& x) const {
    using std::cos, std::sin;
    const S weight = S(gravity / leg), lean = x[0] + S(slope), c = cos(x[1]), s = sin(x[1]);
    return {(S(2.0) * s * x[4] * x[5] + weight * sin(lean)) / c, s * (weight * cos(lean) - c * x[4] * x[4]),
            S(0.0), S(0.0)};
  }
  bool counts(const State&) const { return true; }
  std::vector<std::string> failures() const { return {"falls back or over", "falls to its side"}; }
  void failure_values(const State& x, double* values) const {
    values[0] = 0.5 * std::numbers::pi - std::abs(x[0]);
    values[1] = 0.5 * std::numbers::pi - std::abs(x[1]);
  }
  double kinetic_energy(const State& x) const {
    const double sideways = x[5], forward = std::cos(x[1]) * x[4];
    return 0.5 * mass * leg * leg * (forward * forward + sideways * sideways);
  }
  double potential_energy(const State& x) const {
    return mass * gravity * leg * std::cos(x[0] + slope) * std::cos(x[1]);
  }
  StepPhase::Powers powers(const State& x) const {
    const double lean = x[0] + slope;
    return {mass * gravity * leg *
                (std::sin(lean) * std::cos(x[1]) * x[4] + std::cos(lean) * std::sin(x[1]) * x[5]),
            0.0, 0.0};
  }
  /// What the floor gives along the leg (N).
  double push(const State& x) const {
    return mass * gravity * std::cos(x[0] + slope) * std::cos(x[1]) - 2.0 * kinetic_energy(x) / leg;
  }
};

/// Until the stance leg is upright: there the swing leg is placed, DS (5.40), (5.42).
class BeforeMiddle : public HipMotion {
 public:
  using HipMotion::HipMotion;
  std::string name() const { return "rise"; }
  std::vector<std::string> failures() const {
    std::vector<std::string> all = HipMotion::failures();
    all.push_back(kStopsBeforeUpright);
    return all;
  }
  void failure_values(const State& x, double* values) const {
    HipMotion::failure_values(x, values);
    values[2] = x[4];
  }
  template <class S>
  S guard(const std::array<S, 8>& x) const {
    return -x[0];
  }
  template <class S>
  std::array<S, 8> reset(const std::array<S, 8>& x) const {
    using std::cos, std::sin;
    const S y = S(-leg) * sin(x[1]), dy = S(-leg) * cos(x[1]) * x[5];
    const S lateral = S(lateral_angle) + S(lateral_gain) * (command.lateral_rate(y, dy) - x[5]);
    return {x[0], x[1], S(swing_angle), lateral, x[4], x[5], S(0.0), S(0.0)};
  }
  double energy_lost(const State&) const { return 0.0; }

  PlacementCommand command;
};

/// Until the swing foot comes down: push-off and impact, DS (5.36).
class AfterMiddle : public HipMotion {
 public:
  using HipMotion::HipMotion;
  std::string name() const { return "fall"; }
  template <class S>
  S guard(const std::array<S, 8>& x) const {
    using std::cos;
    return S(leg) * (cos(x[0]) * cos(x[1]) - cos(x[2]) * cos(x[3])) + S(drop);
  }
  template <class S>
  std::array<S, 8> reset(const std::array<S, 8>& x) const {
    using std::cos;
    const LegDirection<S> next(x[2], x[3]);
    const Numbers3<S> v = pushed_off(x);
    // What points along the new leg is lost. The walker is mirrored, DS (4.34).
    const S c = cos(x[3]), forward = dot(next.forward, v) / (c * c), sideways = dot(next.sideways, v);
    return {x[2], -x[3], x[0], -x[1], forward / S(leg), -sideways / S(leg), S(0.0), S(0.0)};
  }
  double energy_lost(const State& x) const {
    const double speed = dot(LegDirection<double>(x[2], x[3]).along, pushed_off(x));
    return 0.5 * mass * speed * speed;
  }
  double energy_supplied(const State& x) const {
    const double speed = push_off(x);
    return 0.5 * mass * speed * speed;
  }
  /// How fast the stance leg gets longer (m/s): such that the impact takes what it gave, DS (5.37), written with the
  /// directions of the legs; or that brings the energy that is asked for, as far as a leg can that pushes, and does not
  /// lift the hip off the leg that comes down.
  template <class S>
  S push_off(const std::array<S, 8>& x) const {
    const LegDirection<S> old(x[0], x[1]), next(x[2], x[3]);
    const S closing = dot(next.along, velocity(old, x)), c = dot(old.along, next.along);
    if (!command.energy) return -closing / (S(1.0) + c);
    return push_off_for(S(*command.energy) - kinetic(x) - potential_after(x), closing, c);
  }

  PlacementCommand command;
  double drop = 0.0;

 private:
  /// Solves s^2 - (closing + s c)^2 = 2 gain / m.
  template <class S>
  S push_off_for(const S& gain, const S& closing, const S& c) const {
    using std::sqrt;
    const S rest = closing * closing + S(2.0 / mass) * gain,
            root = closing * closing * c * c + (S(1.0) - c * c) * rest;
    if (rest <= S(0.0) || closing >= S(0.0)) return S(0.0);
    const S speed = rest / (sqrt(root) - closing * c), most = -closing / c;
    return c > S(0.0) && speed > most ? most : speed;
  }
  template <class S>
  S kinetic(const std::array<S, 8>& x) const {
    using std::cos;
    const S forward = cos(x[1]) * x[4];
    return S(0.5 * mass * leg * leg) * (forward * forward + x[5] * x[5]);
  }
  template <class S>
  S potential_after(const std::array<S, 8>& x) const {
    using std::cos;
    return S(mass * gravity * leg) * cos(x[2] + S(slope)) * cos(x[3]);
  }
  template <class S>
  Numbers3<S> velocity(const LegDirection<S>& old, const std::array<S, 8>& x) const {
    Numbers3<S> v;
    for (int i = 0; i < 3; ++i) v[i] = S(leg) * (old.forward[i] * x[4] + old.sideways[i] * x[5]);
    return v;
  }
  template <class S>
  Numbers3<S> pushed_off(const std::array<S, 8>& x) const {
    const LegDirection<S> old(x[0], x[1]);
    const S speed = push_off(x);
    Numbers3<S> v = velocity(old, x);
    for (int i = 0; i < 3; ++i) v[i] += speed * old.along[i];
    return v;
  }
};

StepModel::Section section(const PointMass& w) {
  OwnedMatrix lift(8, 3);
  lift(1, 0) = 1.0, lift(4, 1) = 1.0, lift(5, 2) = 1.0;
  OwnedVector offset(8), lower(3), upper(3);
  offset << w.swing_angle, 0.0, -w.swing_angle, w.lateral_angle, 0.0, 0.0, 0.0, 0.0;
  const double rate = std::sqrt(w.gravity / w.leg);
  lower << -w.lateral_angle - 0.1, 0.8 * w.forward_rate, -0.2 * rate;
  upper << -w.lateral_angle + 0.1, 1.25 * w.forward_rate, 0.2 * rate;
  return {{"q5", "dq4", "dq5"}, lift, offset, lower, upper};
}

class PointMassWalker : public PlacingWalker {
 public:
  explicit PointMassWalker(const PointMass& w)
      : before_(BeforeMiddle(w)),
        after_(AfterMiddle(w)),
        section_(amble::section(w)),
        walker_(w),
        full_(w.mechanism()) {}
  std::unique_ptr<StepModel> clone() const override {
    auto copy = std::make_unique<PointMassWalker>(walker_);
    copy->set_drop(drop_), copy->command(after_.model().command);
    return copy;
  }

  int phases() const override { return 2; }
  StepPhase& phase(int i) override { return i == 0 ? static_cast<StepPhase&>(before_) : after_; }
  const Section& section() const override { return section_; }
  /// On a level floor push-off and impact leave the energy as it is: it chooses the cycle.
  bool family() const override { return walker_.slope == 0.0 && !after_.model().command.energy; }
  double member(const double* x, Derivative dx) override {
    const double c = std::cos(x[1]), s = std::sin(x[1]);
    if (dx != nullptr) {
      std::fill(dx, dx + 8, 0.0);
      dx[1] = -2.0 * c * s * x[4], dx[4] = c * c;
    }
    return c * c * x[4] - walker_.forward_rate;
  }

  std::unique_ptr<WalkerFigure> figure() const override {
    const auto potential = [motion = HipMotion(walker_)](const double* x) {
      HipMotion::State state;
      std::copy_n(x, 8, state.begin());
      return motion.potential_energy(state);
    };
    return std::make_unique<LeggedFigure>(full_, false, 0.0, motion_of_angles(full_, potential));
  }
  double slope() const override { return walker_.slope; }
  double weight() const override { return walker_.mass * walker_.gravity; }
  double leg_length() const override { return walker_.leg; }
  void set_drop(double height) override {
    PlacingWalker::set_drop(height);
    after_.model().drop = height;
  }
  double longest_step() const override { return 30.0 * std::sqrt(walker_.leg / walker_.gravity); }
  const Mechanism* simulation_model() const override { return &full_; }

  void command(const PlacementCommand& command) override {
    before_.model().command = after_.model().command = command;
  }
  double lead_for(double acceleration) const override {
    return walker_.lateral_gain == 0.0 ? 0.0 : -acceleration / (walker_.gravity * walker_.lateral_gain);
  }
  double energy_at(double speed) const override {
    return walker_.mass * (0.5 * speed * speed + walker_.gravity * walker_.leg);
  }
  void push(const Vector3<double>& impulse, double* x) override {
    const LegDirection<double> stance(x[0], x[1]);
    const Numbers3<double> p{impulse.x(), impulse.y(), impulse.z()};
    x[4] += dot(stance.forward, p) / (walker_.mass * walker_.leg * dot(stance.forward, stance.forward));
    x[5] += dot(stance.sideways, p) / (walker_.mass * walker_.leg);
  }

  void begin_assumptions() override { worst_ = {}; }
  void visit(int phase, const double* x, bool event) override {
    HipMotion::State state;
    std::copy_n(x, 8, state.begin());
    worst_.push = std::fmin(worst_.push, after_.model().push(state));
    const LegDirection<double> stance(x[0], x[1]);
    worst_.slip =
        std::fmin(worst_.slip, kFloorFriction - std::hypot(stance.along[0], stance.along[1]) / stance.along[2]);
    if (event && phase == 1) worst_.push_off = std::fmin(worst_.push_off, after_.model().push_off(state));
  }
  std::vector<Assumption> assumptions() const override {
    if (std::isnan(worst_.push)) return {};
    std::vector<Assumption> all{{"stance foot stays down", "N", worst_.push},
                                {"stance foot does not slip (friction 0.8)", "1", worst_.slip}};
    if (!std::isnan(worst_.push_off))
      all.push_back({"the stance leg pushes at the strike", "m/s", worst_.push_off});
    return all;
  }

 private:
  static constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  struct Worst {
    double push = kNothing, slip = kNothing, push_off = kNothing;
  };
  FormulaPhase<BeforeMiddle> before_;
  FormulaPhase<AfterMiddle> after_;
  Section section_;
  PointMass walker_;
  Mechanism full_;
  Worst worst_;
};

std::unique_ptr<StepModel> make(const WalkerValues& values, Scuffing) {
  return std::make_unique<PointMassWalker>(PointMass(values));
}

}  // namespace

WalkerKind pointmass3d_kind() {
  return {
      "pointmass3d", "a mass in space on legs without mass that push off, DS 5.4",
      with_floor({{"hip_mass", 1.0, "kg", "at the hip, all there is"},
                  {"leg_length", 1.0, "m", "from the hip to the foot"},
                  {"swing_angle", -0.3, "rad", "at which the foot is placed forward, q6"},
                  {"lateral_angle", 0.1, "rad", "at which it is placed sideways, q7"},
                  {"lateral_gain", 0.3, "s", "of the placement against the lateral rate, Kl of DS (5.40)"},
                  {"forward_rate", 2.0, "rad/s",
                   "at the start of a step, q4' cos^2 q5: chooses the cycle among those of all energies"}},
                 0.0),
      make};
}

}  // namespace amble
