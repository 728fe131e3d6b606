#include "amble/gait/walker_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/walkers/mechanism_walker.hpp"

namespace amble {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::MatrixXd, Eigen::VectorXd;

constexpr double kStep = 1e-3;  // of a parameter, relative to its size, for its differences

/// Differences: at which multiples of a step, and with which weights.
struct Difference {
  std::size_t count;
  std::array<double, 6> shares, weights;
  double here;  // weight of the middle
};
// Central, of order four, and from one side, of order six, for parameters at the end of what makes a walker.
constexpr Difference kDifferences[] = {
    {4, {1.0, -1.0, 2.0, -2.0}, {2.0 / 3.0, -2.0 / 3.0, -1.0 / 12.0, 1.0 / 12.0}, 0.0},
    {6, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, {6.0, -7.5, 20.0 / 3.0, -3.75, 1.2, -1.0 / 6.0}, -2.45},
    {6, {-1.0, -2.0, -3.0, -4.0, -5.0, -6.0}, {-6.0, 7.5, -20.0 / 3.0, 3.75, -1.2, 1.0 / 6.0}, 2.45}};

MechanismWalker& mechanism_of(StepModel& model) {
  auto* const walker = dynamic_cast<MechanismWalker*>(&model);
  if (walker == nullptr)
    throw Error("gaits are searched for walkers that are made of a mechanism: this one is given by formulas");
  return *walker;
}

/// Walkers with the parameters of the design at p and around it. The last ones made are kept: a program asks
/// many times at the same p, and at those beside it for second derivatives.
class Designs {
 public:
  Designs(WalkerKind walker, WalkerValues values, std::vector<SearchParameter> design)
      : walker_(std::move(walker)), values_(std::move(values)), design_(std::move(design)) {}

  /// Walkers beside one, along a parameter.
  struct Beside {
    const Difference* difference;
    double step;
    std::vector<std::unique_ptr<StepModel>> models;
  };
  /// The walker at p, and for each parameter those beside it.
  struct Made {
    VectorXd p;
    std::unique_ptr<StepModel> model;
    std::vector<Beside> around;
  };

  const std::vector<SearchParameter>& design() const { return design_; }

  template <class Use>
  void use(const VectorRef& p, const Use& use) const {
    const std::lock_guard lock(mutex_);
    const auto known =
        std::find_if(kept_.begin(), kept_.end(), [&](const auto& made) { return made->p == p; });
    use(known != kept_.end() ? **known : *make(p));
  }

 private:
  std::unique_ptr<StepModel> model(const VectorXd& p) const {
    WalkerValues values = values_;
    for (std::size_t i = 0; i < design_.size(); ++i)
      values[design_[i].name] = p[static_cast<Eigen::Index>(i)];
    return make_walker(walker_, values);
  }
  Beside beside(const VectorXd& p, Eigen::Index i) const {
    for (const Difference& difference : kDifferences) {
      Beside out{&difference, kStep * std::max(1.0, std::abs(p[i])), {}};
      try {
        for (std::size_t k = 0; k < difference.count; ++k) {
          VectorXd moved = p;
          moved[i] += difference.shares[k] * out.step;
          out.models.push_back(model(moved));
        }
        return out;
      } catch (const Error&) {  // not all of them make a walker
      }
    }
    throw Error(fmt::format("there are no walkers beside the one with '{}' = {}",
                            design_[static_cast<std::size_t>(i)].name, p[i]));
  }
  const Made* make(const VectorRef& p) const {
    auto made = std::make_unique<Made>();
    made->p = p;
    made->model = model(p);
    for (Eigen::Index i = 0; i < p.size(); ++i) made->around.push_back(beside(p, i));
    const std::size_t most = 8 + 8 * design_.size();
    if (kept_.size() >= most) kept_.erase(kept_.begin());
    kept_.push_back(std::move(made));
    return kept_.back().get();
  }

  WalkerKind walker_;
  WalkerValues values_;
  std::vector<SearchParameter> design_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Made>> kept_;  // oldest first
};

/// A function of one phase of the walker: value(phase, q, v, a) and, with slopes, its derivatives in the
/// state. Those in the parameters are differences over neighbouring designs.
class PhaseFunction : public SearchFunction {
 public:
  PhaseFunction(std::shared_ptr<const Designs> designs, int phase, int rows)
      : designs_(std::move(designs)), phase_(phase), rows_(rows) {}

  int rows() const override { return rows_; }

  /// Beyond a bound of the design, where there may be no walker, it goes on as straight as at the bound.
  void evaluate(const SearchPoint& at, SearchValues& out) const override {
    const std::vector<SearchParameter>& design = designs_->design();
    for (std::size_t i = 0; i < design.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      const double bound = std::clamp(at.p[k], design[i].lower, design[i].upper);
      if (bound == at.p[k]) continue;
      VectorXd p = at.p;
      SearchValues mirrored = out;
      p[k] = 2.0 * bound - at.p[k];
      evaluate({at.q, at.v, at.a, p}, mirrored);
      p[k] = bound;
      evaluate({at.q, at.v, at.a, p}, out);
      out.value = OwnedVector(2.0 * out.value - mirrored.value);
      const Eigen::Index own = 3 * out.n + k;
      const VectorXd along = mirrored.slopes.col(own);
      out.slopes = OwnedMatrix(2.0 * out.slopes - mirrored.slopes);
      out.slopes.col(own) = along;
      return;
    }
    evaluate_inside(at, out);
  }

 protected:
  virtual void compute(MechanismPhase& phase, const SearchPoint& at, Eigen::Ref<VectorXd> value,
                       SearchValues* slopes) const = 0;

  static OwnedVector state(const SearchPoint& at) {
    OwnedVector x(at.q.size() + at.v.size());
    x << at.q, at.v;
    return x;
  }

 private:
  void evaluate_inside(const SearchPoint& at, SearchValues& out) const {
    designs_->use(at.p, [&](const Designs::Made& made) {
      compute(phase_of(*made.model), at, out.value, &out);
      for (std::size_t i = 0; i < made.around.size(); ++i)
        out.slopes.col(3 * out.n + static_cast<Eigen::Index>(i)) = difference(made.around[i], at, out.value);
    });
  }

  VectorXd difference(const Designs::Beside& beside, const SearchPoint& at, const VectorXd& here) const {
    VectorXd moved(rows_), sum = beside.difference->here * here;
    for (std::size_t k = 0; k < beside.models.size(); ++k) {
      compute(phase_of(*beside.models[k]), at, moved, nullptr);
      sum += beside.difference->weights[k] * moved;
    }
    return sum / beside.step;
  }

  MechanismPhase& phase_of(StepModel& model) const { return mechanism_of(model).mechanism_phase(phase_); }

  std::shared_ptr<const Designs> designs_;
  int phase_, rows_;
};

/// What actuators have to give: inverse dynamics without what springs and dampers give.
class Torques final : public PhaseFunction {
  using PhaseFunction::PhaseFunction;
  Degrees degrees() const override { return {Degree::any, Degree::quadratic, Degree::linear}; }
  void compute(MechanismPhase& phase, const SearchPoint& at, Eigen::Ref<VectorXd> value,
               SearchValues* slopes) const override {
    const Mechanism& m = phase.spec().stance;
    Workspace& work = phase.workspace();
    value = inverse_dynamics(m, work, at.q, at.v, at.a);
    value += m.stiffness().cwiseProduct(at.q - m.spring_reference()) + m.damping().cwiseProduct(at.v);
    if (slopes == nullptr) return;
    const InverseDynamicsDerivatives d = inverse_dynamics_derivatives(m, work, at.q, at.v, at.a);
    slopes->by_q() = d.dq, slopes->by_v() = d.dv, slopes->by_a() = d.M;
    slopes->by_q() += MatrixXd(m.stiffness().asDiagonal());
    slopes->by_v() += MatrixXd(m.damping().asDiagonal());
  }
};

class Reset final : public PhaseFunction {
  using PhaseFunction::PhaseFunction;
  Degrees degrees() const override { return {Degree::any, Degree::linear, Degree::none}; }
  void compute(MechanismPhase& phase, const SearchPoint& at, Eigen::Ref<VectorXd> value,
               SearchValues* slopes) const override {
    OwnedVector next(rows());
    const OwnedVector x = state(at);
    RowMatrix dnext(rows(), x.size());
    phase.reset(x.data(), next.data(), slopes != nullptr ? dnext.data() : nullptr);
    value = next;
    if (slopes != nullptr)
      slopes->by_q() = dnext.leftCols(at.q.size()), slopes->by_v() = dnext.rightCols(at.v.size());
  }
};

/// How high the swing foot is over the floor.
class FootHeight final : public PhaseFunction {
  using PhaseFunction::PhaseFunction;
  Degrees degrees() const override { return {Degree::any, Degree::none, Degree::none}; }
  void compute(MechanismPhase& phase, const SearchPoint& at, Eigen::Ref<VectorXd> value,
               SearchValues* slopes) const override {
    value[0] = phase.clearance(state(at).data());
    if (slopes != nullptr)
      slopes->by_q() = MatrixXd(jacobian(phase.spec().stance, phase.workspace(), at.q,
                                         phase.spec().swing_foot.place, {.frame = JacobianFrame::aligned}))
                           .row(2);
  }
};

/// The length of a step, from its start.
class StepLength final : public PhaseFunction {
  using PhaseFunction::PhaseFunction;
  Degrees degrees() const override { return {Degree::any, Degree::none, Degree::none}; }
  void compute(MechanismPhase& phase, const SearchPoint& at, Eigen::Ref<VectorXd> value,
               SearchValues* slopes) const override {
    Eigen::RowVectorXd gradient(at.q.size());
    value[0] = phase.advance_at_start(state(at).data(), slopes != nullptr ? gradient.data() : nullptr);
    if (slopes != nullptr) slopes->by_q() = gradient;
  }
};

/// How fast the swing foot comes down, DS (4.23).
class FootFall final : public PhaseFunction {
  using PhaseFunction::PhaseFunction;
  Degrees degrees() const override { return {Degree::any, Degree::linear, Degree::none}; }
  void compute(MechanismPhase& phase, const SearchPoint& at, Eigen::Ref<VectorXd> value,
               SearchValues* slopes) const override {
    const Mechanism& m = phase.spec().stance;
    const std::string& foot = phase.spec().swing_foot.place;
    const JacobianOptions aligned{.frame = JacobianFrame::aligned};
    const Eigen::RowVectorXd J = MatrixXd(jacobian(m, phase.workspace(), at.q, foot, aligned)).row(2);
    value[0] = -J.dot(at.v);
    if (slopes == nullptr) return;
    slopes->by_v() = -J;
    for (Eigen::Index k = 0; k < at.q.size(); ++k)
      slopes->by_q()(0, k) =
          -MatrixXd(jacobian_dot(m, phase.workspace(), at.q, VectorXd::Unit(at.q.size(), k), foot, aligned))
               .row(2)
               .dot(at.v);
  }
};

/// A coordinate of the full mechanism, which a knee that becomes straight brings to zero.
class Stop final : public PhaseFunction {
  using PhaseFunction::PhaseFunction;
  Degrees degrees() const override { return {Degree::any, Degree::none, Degree::none}; }
  void compute(MechanismPhase& phase, const SearchPoint& at, Eigen::Ref<VectorXd> value,
               SearchValues* slopes) const override {
    const OwnedVector x = state(at);
    std::vector<double> gradient(static_cast<std::size_t>(x.size()));
    value[0] = phase.guard(x.data(), gradient.data());
    if (slopes != nullptr)
      for (Eigen::Index k = 0; k < at.q.size(); ++k)
        slopes->by_q()(0, k) = gradient[static_cast<std::size_t>(k)];
  }
};

/// Bounds of the friction cone over the weight: mu z - x and mu z + x in the plane, z and (mu z)^2 - x^2 -
/// y^2 in space. All of them are 0 or more where the floor can give the force of the stance foot.
class FrictionCone final : public PhaseFunction {
 public:
  FrictionCone(std::shared_ptr<const Designs> designs, int phase, double friction, double weight)
      : PhaseFunction(std::move(designs), phase, 2), friction_(friction), weight_(weight) {}

 private:
  void compute(MechanismPhase& phase, const SearchPoint& at, Eigen::Ref<VectorXd> value,
               SearchValues* slopes) const override {
    const OwnedVector x = state(at), a = at.a;
    const MechanismPhase::GroundForce f = phase.ground_force_derivatives(x.data(), a.data());
    const VectorXd F = f.force / weight_;
    MatrixXd by_force = MatrixXd::Zero(2, F.size());  // of the bounds in F
    if (F.size() == 2) {
      by_force << -1.0, friction_, 1.0, friction_;
      value = by_force * F;
    } else {
      value << F[2], friction_ * friction_ * F[2] * F[2] - F.head(2).squaredNorm();
      by_force << 0.0, 0.0, 1.0, -2.0 * F[0], -2.0 * F[1], 2.0 * friction_ * friction_ * F[2];
    }
    if (slopes == nullptr) return;
    by_force /= weight_;
    slopes->by_q() = by_force * f.by_q, slopes->by_v() = by_force * f.by_v,
    slopes->by_a() = by_force * f.by_a;
  }

  double friction_, weight_;
};

/// One coordinate.
class Coordinate final : public SearchFunction {
 public:
  explicit Coordinate(int i) : i_(i) {}
  int rows() const override { return 1; }
  void evaluate(const SearchPoint& at, SearchValues& out) const override {
    out.value[0] = at.q[i_];
    out.by_q()(0, i_) = 1.0;
  }
  void curvature(const SearchPoint&, const VectorRef&, Eigen::Ref<MatrixXd> out) const override {
    out.setZero();
  }

 private:
  int i_;
};

std::vector<int> unactuated_of(const std::vector<std::string>& wanted,
                               const std::vector<std::string>& names) {
  std::vector<int> all;
  for (const std::string& name : wanted)
    if (const auto at = std::find(names.begin(), names.end(), name); at != names.end())
      all.push_back(static_cast<int>(at - names.begin()));
  return all;
}

void check_name(const std::string& name, const MechanismWalker& walker, const char* what) {
  const std::vector<std::string>& names = walker.spec().coordinates;
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw Error(fmt::format("walker '{}' has no coordinate '{}'{} that could {}; it has {}",
                            walker.spec().full.name(), name, suggestion(name, names), what,
                            fmt::join(names, ", ")));
}

void check_search(const WalkerSearch& search, const MechanismWalker& walker) {
  for (const auto& [name, value, unit] : {std::tuple{"foot speed", search.foot_speed, "m/s"},
                                          {"clearance", search.clearance, "m"},
                                          {"knee bend", search.knee_bend, "rad"}})
    if (!(value >= 0.0 && value < kInfinity))
      throw Error(fmt::format("the {} of a gait that is searched for is {} {}, expected 0 or more", name,
                              value, unit));
  for (const std::string& name : search.unactuated) check_name(name, walker, "do without an actuator");
  for (const auto& [name, weight] : search.torque_weights) {
    check_name(name, walker, "have a weight");
    if (!(weight >= 0.0 && weight < kInfinity))
      throw Error(fmt::format("the torque of '{}' has the weight {}, expected 0 or more", name, weight));
  }
  for (const auto& [name, bounds] : search.limits) {
    check_name(name, walker, "have limits");
    if (!(bounds.first <= bounds.second))
      throw Error(fmt::format("'{}' has the limits {} to {}, expected lower <= upper", name, bounds.first,
                              bounds.second));
  }
  if (!(search.friction >= 0.0 && search.friction < kInfinity))
    throw Error(fmt::format("the friction of the stance foot is {}, expected 0 or more", search.friction));
}

// ---- building a problem

using DesignsPtr = std::shared_ptr<const Designs>;
using Where = SearchCondition::Where;

void add_limits(const WalkerSearch& search, SearchPhase& phase) {
  for (std::size_t i = 0; i < phase.coordinates.size(); ++i)
    if (const auto limit = search.limits.find(phase.coordinates[i]); limit != search.limits.end())
      phase.conditions.push_back({"limits of " + limit->first,
                                  Where::nodes,
                                  std::make_shared<Coordinate>(static_cast<int>(i)),
                                  {limit->second.first},
                                  {limit->second.second}});
}

void add_cost(const WalkerSearch& search, SearchPhase& phase) {
  const auto n = static_cast<Eigen::Index>(phase.coordinates.size());
  MatrixXd Q = MatrixXd::Identity(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    if (const auto weight = search.torque_weights.find(phase.coordinates[static_cast<std::size_t>(i)]);
        weight != search.torque_weights.end())
      Q(i, i) = weight->second;
  phase.cost = Q;
}

constexpr double kInside = 1e-6;  // of a phase: without its ends

/// What has to hold in a phase beside its resets.
void add_conditions(const WalkerSearch& search, const DesignsPtr& designs, MechanismWalker& walker, int i,
                    SearchPhase& phase) {
  const int last = walker.phases() - 1;
  const auto height = std::make_shared<FootHeight>(designs, i, 1);
  if (i == 0) phase.conditions.push_back({"both feet on the floor", Where::start, height, {0.0}, {0.0}});
  if (walker.mechanism_phase(i).spec().stop) {
    const auto stop = std::make_shared<Stop>(designs, i, 1);
    phase.conditions.push_back({"the knee is straight", Where::end, stop, {0.0}, {0.0}});
    phase.conditions.push_back(  // what holds at both ends follows from the others
        {"the knee bends",
         Where::nodes,
         stop,
         {search.knee_bend},
         {kInfinity},
         kInside,
         1.0 - kInside,
         [](double s) { return std::pow(std::sin(std::numbers::pi * s), 2); }});
  }
  if (i == last && search.foot_speed > 0.0)
    phase.conditions.push_back({"foot speed",
                                Where::end,
                                std::make_shared<FootFall>(designs, i, 1),
                                {search.foot_speed},
                                {kInfinity}});
  if (search.clearance > 0.0)
    phase.conditions.push_back({"clearance",
                                Where::nodes,
                                height,
                                {search.clearance},
                                {kInfinity},
                                i == 0 ? search.clear_from : 0.0,
                                i == last ? 1.0 - search.clear_from : 1.0});
  if (search.friction > 0.0)
    phase.conditions.push_back({"friction cone",
                                Where::nodes,
                                std::make_shared<FrictionCone>(designs, i, search.friction, walker.weight()),
                                {0.0},
                                {kInfinity}});
  add_limits(search, phase);
}

constexpr double kBend = -0.6;  // rad: a knee that gets straight at the end of its phase is bent in it

/// What the coordinate that ends the first phase does in it, for guesses.
OwnedVector bend_of(MechanismWalker& walker) {
  const MechanismPhaseSpec& spec = walker.mechanism_phase(0).spec();
  if (!spec.stop) return {};
  return kBend * spec.embed.row(*spec.stop).transpose();
}

SearchPhase phase_of(const WalkerSearch& search, const DesignsPtr& designs, MechanismWalker& walker, int i) {
  const MechanismPhaseSpec& spec = walker.mechanism_phase(i).spec();
  const int next = walker.phase((i + 1) % walker.phases()).freedoms();
  SearchPhase phase{.name = spec.name};
  for (const std::string& joint : spec.stance.joint_names()) phase.coordinates.push_back(joint);
  phase.torques = std::make_shared<Torques>(designs, i, spec.stance.nv());
  phase.reset = std::make_shared<Reset>(designs, i, 2 * next);
  phase.unactuated = unactuated_of(search.unactuated, phase.coordinates);
  if (std::isfinite(search.torque_limit))
    phase.torque_lower = {-search.torque_limit}, phase.torque_upper = {search.torque_limit};
  add_cost(search, phase);
  add_conditions(search, designs, walker, i, phase);
  return phase;
}

}  // namespace

SearchProblem search_problem(std::string_view name, const WalkerValues& given, const WalkerSearch& search) {
  return search_problem(walker_kind(name), given, search);
}

SearchProblem search_problem(const WalkerKind& kind, const WalkerValues& given, const WalkerSearch& search) {
  WalkerValues values = walker_values(kind, given);
  SearchProblem problem;
  for (SearchParameter parameter : search.design) {
    walker_values(kind, {{parameter.name, 0.0}});
    if (!(parameter.start >= parameter.lower && parameter.start <= parameter.upper))
      throw Error(fmt::format("parameter '{}' starts at {}, outside of its bounds {} to {}", parameter.name,
                              parameter.start, parameter.lower, parameter.upper));
    values[parameter.name] = parameter.start;
    problem.parameters.push_back(parameter);
  }
  problem.ties = search.ties;
  const std::unique_ptr<StepModel> model = kind.make(values, Scuffing::ignore);
  MechanismWalker& walker = mechanism_of(*model);
  check_search(search, walker);
  const auto designs = std::make_shared<const Designs>(kind, values, search.design);
  for (int i = 0; i < walker.phases(); ++i) problem.phases.push_back(phase_of(search, designs, walker, i));
  problem.cost = search.cost;
  problem.step_length = std::make_shared<StepLength>(designs, 0, 1);
  problem.gravity = values.at("gravity");
  problem.leg_length = walker.leg_length();
  problem.rest = walker.spec().rest;
  problem.bend = bend_of(walker);
  problem.validate();
  return problem;
}

SearchFigures figures_of(std::string_view name, const WalkerValues& given, const WalkerSearch& search,
                         const FoundGait& gait) {
  return figures_of(walker_kind(name), given, search, gait);
}

namespace {

// Points and weights of Gauss, 5 a panel: the motion is a polynomial.
constexpr int kPanels = 40;
constexpr double kNodes[] = {0.0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640,
                             -0.9061798459386640};
constexpr double kGauss[] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                             0.2369268850561891};

/// Adds what happens in an instant of a phase, `weight` seconds long.
void add_instant(const Mechanism& m, Workspace& work, const Trajectory& motion, double t, double weight,
                 SearchFigures& figures) {
  const OwnedVector q = motion.position(t), v = motion.velocity(t), a = motion.acceleration(t);
  const VectorXd springs = m.stiffness().cwiseProduct(q - m.spring_reference()),
                 dampers = m.damping().cwiseProduct(v);
  const VectorXd tau = VectorXd(inverse_dynamics(m, work, q, v, a)) + springs + dampers;
  figures.effort += weight * tau.squaredNorm();
  figures.actuator_work += weight * tau.dot(v);
  figures.positive_work += weight * tau.cwiseProduct(v).cwiseMax(0.0).sum();
  figures.damper_loss += weight * dampers.dot(v);
  figures.spring_work -= weight * springs.dot(v);
  figures.gravity_work -= weight * gravity_forces(m, work, q).dot(v);
}

void add_phase(MechanismWalker& walker, int i, const Trajectory& motion, SearchFigures& figures) {
  MechanismPhase& phase = walker.mechanism_phase(i);
  const double panel = motion.duration / kPanels;
  const auto state = [&](double t) {
    OwnedVector x(2 * phase.freedoms());
    x << motion.position(t), motion.velocity(t);
    return x;
  };
  const auto visit = [&](double t, bool event) {
    walker.visit(i, state(t).data(), motion.acceleration(t).data(), event);
  };
  for (int k = 0; k < kPanels; ++k) {
    visit(panel * (k + 0.5), false);
    for (int n = 0; n < 5; ++n)
      add_instant(phase.spec().stance, phase.workspace(), motion, panel * (k + 0.5 * (1.0 + kNodes[n])),
                  0.5 * panel * kGauss[n], figures);
  }
  const OwnedVector x = state(motion.duration);
  OwnedVector next(2 * walker.phase((i + 1) % walker.phases()).freedoms());
  figures.lost += phase.reset(x.data(), next.data(), nullptr);
  figures.step_width = phase.width(x.data());
  visit(motion.duration, true);
}

}  // namespace

SearchFigures figures_of(const WalkerKind& kind, const WalkerValues& given, const WalkerSearch& search,
                         const FoundGait& gait) {
  SearchFigures figures;
  figures.values = walker_values(kind, given);
  for (std::size_t i = 0; i < search.design.size(); ++i)
    figures.values[search.design[i].name] = gait.motion.parameters[static_cast<Eigen::Index>(i)];
  const std::unique_ptr<StepModel> model = make_walker(kind, figures.values);
  MechanismWalker& walker = mechanism_of(*model);
  figures.weight = walker.weight();
  for (int i = 0; i < walker.phases(); ++i)
    add_phase(walker, i, gait.motion.phases[static_cast<std::size_t>(i)], figures);
  figures.lost += figures.damper_loss;
  figures.assumptions = walker.assumptions();
  return figures;
}

}  // namespace amble
