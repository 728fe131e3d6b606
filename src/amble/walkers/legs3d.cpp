#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/walkers/kinds.hpp"
#include "amble/walkers/legged_figure.hpp"
#include "amble/walkers/placing_walker.hpp"
#include "amble/walkers/two_legs.hpp"

// The walker of DS 5.4 with legs that have mass, which the book leaves for later. Its feet are points without torque; two
// motors at the hip act on the differences of the legs' angles, q6 - q4 and q7 - q5, so what swings one leg forward pushes
// the other back. They lead the swing leg to where DS (5.40), (5.42) put it, and the stance leg pushes off right before the
// other foot comes down, with the impulse that brings the energy that is wanted.
namespace amble {

namespace {

using Eigen::Matrix2d, Eigen::MatrixXd, Eigen::VectorXd;
using RowMap = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr int kLegs = 4;           // angles of the legs

struct Legs {
  TwoLegs build;
  double swing_angle, lateral_angle, lateral_gain, swing_rate, speed;

  explicit Legs(const WalkerValues& v)
      : build{positive(v, "hip_mass"),  positive(v, "leg_mass"), positive(v, "leg_length"), v.at("leg_com"),
              not_negative(v, "leg_inertia"), slope_of(v),       positive(v, "gravity")},
        swing_angle(v.at("swing_angle")),
        lateral_angle(v.at("lateral_angle")),
        lateral_gain(v.at("lateral_gain")),
        swing_rate(positive(v, "swing_rate")),
        speed(positive(v, "speed")) {
    constexpr double kUpright = 0.5 * std::numbers::pi;
    if (!(swing_angle < 0.0 && swing_angle > -kUpright))
      throw Error("parameter 'swing_angle' is not between -pi/2 and 0: a foot is placed ahead of the hip");
    if (!(std::abs(lateral_angle) < kUpright))
      throw Error("parameter 'lateral_angle' is not between -pi/2 and pi/2");
  }
  double mass() const { return build.hip_mass + 2.0 * build.leg_mass; }
};

/// The mechanisms and memory that both phases work with.
struct LegsModel {
  explicit LegsModel(const Legs& w)
      : legs(w),
        held(w.build.mechanism("legs3d", FootPlace::held)),
        full(w.build.mechanism("legs3d", FootPlace::free)),
        work(held),
        full_work(full) {}

  static OwnedVector in_full(const VectorRef& angles) {
    OwnedVector out(3 + kLegs);
    out.tail(kLegs) = angles;
    return out;
  }

  Legs legs;
  Mechanism held, full;
  Workspace work, full_work;
  PlacementCommand command;
  double drop = 0.0;
};

/// Between events: motors make the swing leg's angles obey q'' = w^2 (set point - q) - 2 w q', critically damped; the
/// stance leg's follow from what motors between the legs cannot change, the sums of forces on (q4, q6) and (q5, q7).
class LegsPhase : public StepPhase {
 public:
  explicit LegsPhase(LegsModel& model) : model_(model) {}
  void acceleration(const double* x, double* a, Derivative da) override;
  int failures() const override { return 2; }
  void failure_values(const double* x, double* values) override {
    values[0] = 0.5 * std::numbers::pi - std::max(std::abs(x[0]), std::abs(x[2]));
    values[1] = 0.5 * std::numbers::pi - std::max(std::abs(x[1]), std::abs(x[3]));
  }
  std::string failure_name(int failure) const override {
    return failure == 0 ? "falls back or over" : "falls to its side";
  }
  double kinetic_energy(const double* x) override {
    return amble::kinetic_energy(model_.held, model_.work, angles(x), rates(x));
  }
  double potential_energy(const double* x) override {
    return amble::potential_energy(model_.held, model_.work, angles(x));
  }
  Powers powers(const double* x) override {
    return {-gravity_forces(model_.held, model_.work, angles(x)).dot(rates(x)), 0.0, 0.0};
  }
  std::vector<std::string> laws() const override { return {"hip motors"}; }
  void law_powers(const double* x, double* powers) override;
  /// What the floor does to the stance foot (N).
  Vector3<double> ground_force(const double* x);

 protected:
  Eigen::Map<const VectorXd> angles(const double* x) const { return {x, kLegs}; }
  Eigen::Map<const VectorXd> rates(const double* x) const { return {x + freedoms(), kLegs}; }
  /// Where q7 is led to, and how that changes with the last coordinate.
  virtual double lateral_set_point(const double* x) const = 0;

  LegsModel& model_;
};

/// Sums over both legs.
MatrixXd summed(const MatrixXd& rows) { return rows.topRows(2) + rows.bottomRows(2); }

void LegsPhase::acceleration(const double* x, double* a, Derivative da) {
  const double w = model_.legs.swing_rate;
  const int m = freedoms();
  const VectorXd q = angles(x), v = rates(x);
  VectorXd all = VectorXd::Zero(kLegs);
  all[2] = w * w * (model_.legs.swing_angle - q[2]) - 2.0 * w * v[2];
  all[3] = w * w * (lateral_set_point(x) - q[3]) - 2.0 * w * v[3];
  const MatrixXd M = amble::mass_matrix(model_.held, model_.work, q), sum = summed(M);
  const VectorXd bias = bias_forces(model_.held, model_.work, q, v);
  const Eigen::PartialPivLU<Matrix2d> stance(Matrix2d(sum.leftCols(2)));
  all.head(2) = stance.solve(-(summed(bias) + sum * all));
  std::fill(a, a + m, 0.0);
  std::copy(all.begin(), all.end(), a);
  if (da == nullptr) return;
  const InverseDynamicsDerivatives d = inverse_dynamics_derivatives(model_.held, model_.work, q, v, all);
  MatrixXd slope = MatrixXd::Zero(kLegs, 2 * m);  // of a
  slope(2, 2) = slope(3, 3) = -w * w, slope(2, m + 2) = slope(3, m + 3) = -2.0 * w;
  if (m > kLegs) slope(3, kLegs) = w * w;
  MatrixXd forces = MatrixXd::Zero(kLegs, 2 * m);
  forces.leftCols(kLegs) = d.dq, forces.middleCols(m, kLegs) = d.dv;
  slope.topRows(2) = stance.solve(-(summed(forces) + sum.rightCols(2) * slope.bottomRows(2)));
  RowMap out(da, m, 2 * m);
  out.setZero();
  out.topRows(kLegs) = slope;
}

void LegsPhase::law_powers(const double* x, double* powers) {
  VectorXd a(freedoms());
  acceleration(x, a.data(), nullptr);
  const VectorXd v = rates(x),
                 tau = inverse_dynamics(model_.held, model_.work, angles(x), v, a.head(kLegs)).tail(2);
  const double forward = tau[0] * (v[2] - v[0]), sideways = tau[1] * (v[3] - v[1]);
  powers[0] = forward + sideways;
  powers[1] = std::max(0.0, forward) + std::max(0.0, sideways);
}

Vector3<double> LegsPhase::ground_force(const double* x) {
  VectorXd a(freedoms());
  acceleration(x, a.data(), nullptr);
  return inverse_dynamics(model_.full, model_.full_work, LegsModel::in_full(angles(x)), LegsModel::in_full(rates(x)),
                          LegsModel::in_full(a.head(kLegs)))
      .head(3);
}

/// Until the stance leg is upright: there it is decided where the foot goes.
class Rise : public LegsPhase {
 public:
  using LegsPhase::LegsPhase;
  std::string name() const override { return "rise"; }
  int freedoms() const override { return kLegs; }
  double guard(const double* x, Derivative dguard) override {
    if (dguard != nullptr) std::fill(dguard, dguard + 2 * kLegs, 0.0), dguard[0] = -1.0;
    return -x[0];
  }
  int failures() const override { return 3; }
  void failure_values(const double* x, double* values) override {
    LegsPhase::failure_values(x, values);
    values[2] = x[kLegs];
  }
  std::string failure_name(int failure) const override {
    return failure == 2 ? kStopsBeforeUpright : LegsPhase::failure_name(failure);
  }
  double reset(const double* x, double* next, Derivative dnext) override;
  bool mass_matrix(const double* x, double* M) override {
    RowMap(M, kLegs, kLegs) = amble::mass_matrix(model_.held, model_.work, angles(x));
    return true;
  }

 private:
  double lateral_set_point(const double*) const override { return model_.legs.lateral_angle; }
};

double Rise::reset(const double* x, double* next, Derivative dnext) {
  using Number = Dual<double, 2>;
  const Legs& w = model_.legs;
  const Number b = Number::variable(x[1], 0), db = Number::variable(x[kLegs + 1], 1);
  const Number y = Number(-w.build.leg) * sin(b), dy = Number(-w.build.leg) * cos(b) * db;
  const Number point = Number(w.lateral_angle) + Number(w.lateral_gain) * (model_.command.lateral_rate(y, dy) - db);
  constexpr int kNext = kLegs + 1;
  std::copy(x, x + kLegs, next), std::copy(x + kLegs, x + 2 * kLegs, next + kNext);
  next[kLegs] = point.value, next[2 * kNext - 1] = 0.0;
  if (dnext == nullptr) return 0.0;
  RowMap out(dnext, 2 * kNext, 2 * kLegs);
  out.setZero();
  for (int i = 0; i < kLegs; ++i) out(i, i) = out(kNext + i, kLegs + i) = 1.0;
  out(kLegs, 1) = point.grad[0], out(kLegs, kLegs + 1) = point.grad[1];
  return 0.0;
}

/// Until the swing foot comes down: push-off and impact. Its last coordinate is the set point of q7.
class Fall : public LegsPhase {
 public:
  using LegsPhase::LegsPhase;
  std::string name() const override { return "fall"; }
  int freedoms() const override { return kLegs + 1; }
  double guard(const double* x, Derivative dguard) override;
  bool counts(const double* x) const override { return x[0] - x[2] > -model_.legs.swing_angle; }
  double reset(const double* x, double* next, Derivative dnext) override;
  double energy_supplied(const double* x) override { return strike(x).supplied; }

  struct Strike {
    VectorXd after;                        // velocities of the full model
    double impulse = 0.0;                  // of the push-off (N s)
    double supplied = 0.0, lost = 0.0;     // J
    Vector3<double> floor, stance_velocity;  // what the swing foot gets (N s), how the other leaves (m/s)
  };
  Strike strike(const double* x);

 private:
  double lateral_set_point(const double* x) const override { return x[kLegs]; }
  double land(const double* x, double* next);
};

double Fall::guard(const double* x, Derivative dguard) {
  const double r = model_.legs.build.leg, c4 = std::cos(x[0]), c5 = std::cos(x[1]), c6 = std::cos(x[2]),
               c7 = std::cos(x[3]);
  if (dguard != nullptr) {
    std::fill(dguard, dguard + 2 * freedoms(), 0.0);
    dguard[0] = -r * std::sin(x[0]) * c5, dguard[1] = -r * c4 * std::sin(x[1]);
    dguard[2] = r * std::sin(x[2]) * c7, dguard[3] = r * c6 * std::sin(x[3]);
  }
  return r * (c4 * c5 - c6 * c7) + model_.drop;
}

/// The impulse P along the stance leg for which the energy after the impact is the one that is wanted: a quadratic
/// equation in P. It is not below zero, and not so large that the floor would have to hold the new foot down.
Fall::Strike Fall::strike(const double* x) {
  const Mechanism& m = model_.full;
  const OwnedVector q = LegsModel::in_full(angles(x)), v = LegsModel::in_full(rates(x));
  const MatrixXd M = amble::mass_matrix(m, model_.full_work, q);
  const Eigen::LLT<MatrixXd> factor(M);
  const MatrixXd J =
      jacobian(m, model_.full_work, q, "swing_foot", {.frame = JacobianFrame::aligned}).topRows(3);
  const LegDirection<double> leg(x[0], x[1]);
  VectorXd along = VectorXd::Zero(m.nv());  // the first coordinates are where the stance foot is
  along.head<3>() << leg.along[0], leg.along[1], leg.along[2];
  const VectorXd kick = factor.solve(along);
  const MatrixXd spread = factor.solve(J.transpose());
  const Eigen::LDLT<MatrixXd> inner(J * spread);
  const auto stopped = [&](const VectorXd& u) -> VectorXd { return u - spread * inner.solve(J * u); };
  const VectorXd still = stopped(v), gained = stopped(kick);
  Strike out;
  {
    double next[2 * kLegs] = {x[2], -x[3], x[0], -x[1]};
    const double wanted = model_.command.energy.value_or(
                              model_.legs.mass() * 0.5 * std::pow(model_.legs.speed, 2) +
                              amble::potential_energy(model_.held, model_.work, VectorXd::Zero(kLegs))) -
                          potential_energy(next);
    const double square = 0.5 * gained.dot(M * gained), linear = still.dot(M * gained),
                 rest = 0.5 * still.dot(M * still) - wanted;
    const double root = std::sqrt(std::max(0.0, linear * linear - 4.0 * square * rest));
    out.impulse = rest < 0.0 ? -2.0 * rest / (linear + root) : 0.0;
  }
  const VectorXd from_motion = -inner.solve(J * v), from_kick = -inner.solve(J * kick);
  if (from_kick[2] < 0.0) out.impulse = std::min(out.impulse, -from_motion[2] / from_kick[2]);
  out.impulse = std::max(0.0, out.impulse);
  const VectorXd pushed = v + out.impulse * kick;
  out.after = still + out.impulse * gained;
  out.floor = from_motion + out.impulse * from_kick;
  out.stance_velocity = out.after.head<3>();
  // Each impulse times the mean of its velocity before and after.
  out.supplied = out.impulse * 0.5 * along.dot(v + pushed);
  out.lost = -0.5 * out.floor.dot(J * (pushed + out.after));
  return out;
}

double Fall::land(const double* x, double* next) {
  const Strike s = strike(x);
  const auto u = s.after.tail(kLegs);
  const double now[] = {x[2], -x[3], x[0], -x[1], u[2], -u[3], u[0], -u[1]};  // DS (4.34)
  std::copy(std::begin(now), std::end(now), next);
  return s.lost;
}

double Fall::reset(const double* x, double* next, Derivative dnext) {
  if (dnext != nullptr) {  // differences of order six
    constexpr double kStep = 1e-3, kWeights[] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
    constexpr int n = 2 * (kLegs + 1);
    RowMap out(dnext, 2 * kLegs, n);
    out.setZero();
    VectorXd moved = Eigen::Map<const VectorXd>(x, n), at(2 * kLegs);
    for (int k = 0; k < n; ++k) {
      for (int i = 1; i <= 3; ++i)
        for (const int side : {1, -1}) {
          moved[k] = x[k] + side * i * kStep;
          land(moved.data(), at.data());
          out.col(k) += side * kWeights[i - 1] / kStep * at;
        }
      moved[k] = x[k];
    }
  }
  return land(x, next);
}

class LegsWalker : public PlacingWalker {
 public:
  explicit LegsWalker(const Legs& w) : model_(w), rise_(model_), fall_(model_) { make_section(w); }
  std::unique_ptr<StepModel> clone() const override {
    auto copy = std::make_unique<LegsWalker>(model_.legs);
    copy->set_drop(drop_), copy->command(model_.command);
    return copy;
  }
  int phases() const override { return 2; }
  StepPhase& phase(int i) override { return i == 0 ? static_cast<StepPhase&>(rise_) : fall_; }
  const Section& section() const override { return section_; }
  double slope() const override { return model_.legs.build.slope; }
  double weight() const override { return model_.legs.mass() * model_.legs.build.gravity; }
  double longest_step() const override {
    return 6.0 * std::sqrt(model_.legs.build.leg / model_.legs.build.gravity);
  }
  double leg_length() const override { return model_.legs.build.leg; }
  void set_drop(double height) override {
    PlacingWalker::set_drop(height);
    model_.drop = height;
  }
  const Mechanism* simulation_model() const override { return &model_.full; }
  std::unique_ptr<WalkerFigure> figure() const override {
    const auto own = std::make_shared<LegsModel>(model_.legs);
    const auto motion = [own](const WalkMoment& m) {
      const auto angles = m.x.head(kLegs);
      return LeggedFigure::Motion{LegsModel::in_full(angles), LegsModel::in_full(m.x.segment(m.x.size() / 2, kLegs)),
                                  LegsModel::in_full(m.a.head(kLegs)), potential_energy(own->held, own->work, angles)};
    };
    return std::make_unique<LeggedFigure>(model_.full, false, 0.0, motion);
  }

  void command(const PlacementCommand& command) override { model_.command = command; }
  double lead_for(double acceleration) const override {
    return model_.legs.lateral_gain == 0.0 ? 0.0 : -acceleration / (model_.legs.build.gravity * model_.legs.lateral_gain);
  }
  double energy_at(double speed) const override {
    Workspace work(model_.held);
    return 0.5 * model_.legs.mass() * speed * speed +
           potential_energy(model_.held, work, Eigen::VectorXd::Zero(kLegs));
  }
  void push(const Vector3<double>& impulse, double* x) override {
    const Eigen::Map<const VectorXd> q(x, kLegs);
    const MatrixXd J =
        jacobian(model_.held, model_.work, q, "hip", {.frame = JacobianFrame::aligned}).topRows(3);
    const MatrixXd M = mass_matrix(model_.held, model_.work, q);
    Eigen::Map<VectorXd>(x + kLegs, kLegs) += Eigen::LLT<MatrixXd>(M).solve(J.transpose() * VectorXd(impulse));
  }

  void begin_assumptions() override { worst_ = {}; }
  void visit(int phase, const double* x, bool event) override {
    const auto lower = [](double& worst, double value) { worst = std::fmin(worst, value); };
    const Vector3<double> force = phase == 0 ? rise_.ground_force(x) : fall_.ground_force(x);
    lower(worst_.push, force.z());
    lower(worst_.slip, force.z() > 0.0 ? kFloorFriction - force.head<2>().norm() / force.z() : -kFloorFriction);
    if (!event || phase == 0) return;
    const Fall::Strike strike = fall_.strike(x);
    lower(worst_.strike, strike.floor.z()), lower(worst_.lift, strike.stance_velocity.z());
    lower(worst_.push_off, strike.impulse);
  }
  std::vector<Assumption> assumptions() const override {
    std::vector<Assumption> all{{"stance foot stays down", "N", worst_.push},
                                {"stance foot does not slip (friction 0.8)", "1", worst_.slip},
                                {"floor pushes at the strike", "N s", worst_.strike},
                                {"rear foot lifts off at the strike", "m/s", worst_.lift},
                                {"the stance leg pushes at the strike", "N s", worst_.push_off}};
    std::erase_if(all, [](const Assumption& a) { return std::isnan(a.margin); });
    return all;
  }

 private:
  /// Feet one before and one beside the other: q6 = -q4, q7 = -q5.
  void make_section(const Legs& w) {
    const std::vector<std::string> names{"q4", "q5", "dq4", "dq5", "dq6", "dq7"};
    OwnedMatrix lift(8, 6);
    lift(0, 0) = 1.0, lift(2, 0) = -1.0, lift(1, 1) = 1.0, lift(3, 1) = -1.0;
    for (int i = 0; i < 4; ++i) lift(4 + i, 2 + i) = 1.0;
    OwnedVector lower(6), upper(6);
    const double rate = w.speed / w.build.leg;
    lower << w.swing_angle - 0.03, -w.lateral_angle - 0.05, 0.85 * rate, -0.3, -1.0, -0.5;
    upper << w.swing_angle + 0.03, -w.lateral_angle + 0.05, 1.1 * rate, 0.3, 2.0, 0.5;
    section_ = {names, lift, OwnedVector(8), lower, upper};
  }

  static constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  struct Worst {
    double push = kNothing, slip = kNothing, strike = kNothing, lift = kNothing, push_off = kNothing;
  };
  LegsModel model_;
  Rise rise_;
  Fall fall_;
  Section section_;
  Worst worst_;
};

std::unique_ptr<StepModel> make(const WalkerValues& values, Scuffing) {
  return std::make_unique<LegsWalker>(Legs(values));
}

}  // namespace

WalkerKind legs3d_kind() {
  return {"legs3d", "pointmass3d with legs that have mass, swung by motors at the hip",
          with_floor({{"hip_mass", 5.0, "kg", "at the hip"},
                      {"leg_mass", 0.25, "kg", "of each leg"},
                      {"leg_length", 1.0, "m", "from the hip to the foot"},
                      {"leg_com", 0.5, "m", "from the hip down to a leg's centre of mass"},
                      {"leg_inertia", 0.0, "kg m^2", "of a leg about its centre of mass"},
                      {"swing_angle", -0.3, "rad", "at which the foot is placed forward, q6"},
                      {"lateral_angle", 0.1, "rad", "at which it is placed sideways, q7"},
                      {"lateral_gain", 0.3, "s", "of the placement against the lateral rate, Kl of DS (5.40)"},
                      {"swing_rate", 18.0, "1/s", "how fast the swing leg goes there: two poles at minus this"},
                      {"speed", 1.7, "m/s", "whose energy push-off keeps: of all mass, with upright legs"}},
                     0.0),
          make, true};
}

}  // namespace amble
