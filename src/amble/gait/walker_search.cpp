#include "amble/gait/walker_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

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
constexpr double kShares[] = {1.0, -1.0, 2.0, -2.0},
                 kWeights[] = {2.0 / 3.0, -2.0 / 3.0, -1.0 / 12.0, 1.0 / 12.0};

MechanismWalker& mechanism_of(StepModel& model) {
  auto* const walker = dynamic_cast<MechanismWalker*>(&model);
  if (walker == nullptr)
    throw Error("gaits are searched for walkers whose legs have mass: this one is no mechanism");
  return *walker;
}

/// Walkers with the parameters of the design at p and around it. The last ones made are kept: a program asks
/// many times at the same p, and at those beside it for second derivatives.
class Designs {
 public:
  Designs(WalkerKind walker, WalkerValues values, std::vector<SearchParameter> design)
      : walker_(std::move(walker)), values_(std::move(values)), design_(std::move(design)) {}

  /// The walker at p, and for each parameter those at kShares of a step from it.
  struct Made {
    VectorXd p;
    std::unique_ptr<StepModel> model;
    std::vector<std::array<std::unique_ptr<StepModel>, 4>> around;
    std::vector<double> step;
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
  const Made* make(const VectorRef& p) const {
    auto made = std::make_unique<Made>();
    made->p = p;
    made->model = model(p);
    for (Eigen::Index i = 0; i < p.size(); ++i) {
      const double h = kStep * std::max(1.0, std::abs(p[i]));
      made->step.push_back(h);
      for (std::size_t k = 0; auto& beside : made->around.emplace_back()) {
        VectorXd moved = p;
        moved[i] += kShares[k++] * h;
        try {
          beside = model(moved);
        } catch (const Error&) {  // there is none
        }
      }
    }
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
        out.slopes.col(3 * out.n + static_cast<Eigen::Index>(i)) = difference(made, i, at, out.value);
    });
  }

  /// Along a parameter: central, or from the side where there are walkers, -3/2 f(0) + 2 f(h) - 1/2 f(2 h).
  VectorXd difference(const Designs::Made& made, std::size_t i, const SearchPoint& at,
                      const VectorXd& here) const {
    const auto& around = made.around[i];
    VectorXd moved(rows_), sum = VectorXd::Zero(rows_);
    const auto add = [&](std::size_t k, double weight) {
      compute(phase_of(*around[k]), at, moved, nullptr);
      sum += weight * moved;
    };
    if (std::all_of(around.begin(), around.end(), [](const auto& model) { return model != nullptr; })) {
      for (std::size_t k = 0; k < around.size(); ++k) add(k, kWeights[k]);
    } else {
      const std::size_t side = around[0] && around[2] ? 0 : 1;
      if (!around[side] || !around[side + 2]) throw Error("there are no walkers beside this one");
      sum = -1.5 * here;
      add(side, 2.0), add(side + 2, -0.5);
      if (side == 1) sum = -sum;
    }
    return sum / made.step[i];
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

/// Where the swing foot is against the stance foot, one of its coordinates in the floor's axes.
class FootPosition final : public PhaseFunction {
 public:
  FootPosition(std::shared_ptr<const Designs> designs, int phase, int axis, double sign)
      : PhaseFunction(std::move(designs), phase, 1), axis_(axis), sign_(sign) {}

 private:
  Degrees degrees() const override { return {Degree::any, Degree::none, Degree::none}; }
  void compute(MechanismPhase& phase, const SearchPoint& at, Eigen::Ref<VectorXd> value,
               SearchValues* slopes) const override {
    const OwnedVector x = state(at);
    value[0] = sign_ * (axis_ == 2 ? phase.clearance(x.data()) : phase.reach(x.data()));
    if (slopes == nullptr) return;
    const Mechanism& m = phase.spec().stance;
    const auto row = [&](const FootContact& foot) {
      return MatrixXd(jacobian(m, phase.workspace(), at.q, foot.place, {.frame = JacobianFrame::aligned}))
          .row(axis_)
          .eval();
    };
    slopes->by_q() = sign_ * row(phase.spec().swing_foot);
    if (axis_ != 2) slopes->by_q() -= sign_ * row(phase.spec().stance_foot);
  }

  int axis_;
  double sign_;
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

std::vector<int> unactuated_of(const std::vector<std::string>& wanted,
                               const std::vector<std::string>& names) {
  std::vector<int> all;
  for (const std::string& name : wanted)
    if (const auto at = std::find(names.begin(), names.end(), name); at != names.end())
      all.push_back(static_cast<int>(at - names.begin()));
  return all;
}

void check_names(const std::vector<std::string>& wanted, const MechanismWalker& walker) {
  const std::vector<std::string>& names = walker.spec().coordinates;
  for (const std::string& name : wanted)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(
          fmt::format("walker '{}' has no coordinate '{}'{} that could do without an actuator; it has {}",
                      walker.spec().full.name(), name, suggestion(name, names), fmt::join(names, ", ")));
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
  check_names(search.unactuated, walker);
  const auto designs = std::make_shared<const Designs>(kind, values, search.design);
  const int last = walker.phases() - 1;
  for (int i = 0; i <= last; ++i) {
    const MechanismPhaseSpec& spec = walker.mechanism_phase(i).spec();
    const int m = spec.stance.nv(), next = walker.mechanism_phase(i == last ? 0 : i + 1).freedoms();
    SearchPhase phase{.name = spec.name};
    for (const std::string& joint : spec.stance.joint_names()) phase.coordinates.push_back(joint);
    phase.torques = std::make_shared<Torques>(designs, i, m);
    phase.reset = std::make_shared<Reset>(designs, i, 2 * next);
    phase.unactuated = unactuated_of(search.unactuated, phase.coordinates);
    if (std::isfinite(search.torque_limit))
      phase.torque_lower = {-search.torque_limit}, phase.torque_upper = {search.torque_limit};
    if (i == 0)
      phase.conditions.push_back({"both feet on the floor",
                                  SearchCondition::Where::start,
                                  std::make_shared<FootPosition>(designs, i, 2, 1.0),
                                  {0.0},
                                  {0.0}});
    if (spec.stop)
      phase.conditions.push_back({"the knee is straight",
                                  SearchCondition::Where::end,
                                  std::make_shared<Stop>(designs, i, 1),
                                  {0.0},
                                  {0.0}});
    if (i == last && search.foot_speed > 0.0)
      phase.conditions.push_back({"foot speed",
                                  SearchCondition::Where::end,
                                  std::make_shared<FootFall>(designs, i, 1),
                                  {search.foot_speed},
                                  {kInfinity}});
    if (search.clearance > 0.0)
      phase.conditions.push_back({"clearance",
                                  SearchCondition::Where::nodes,
                                  std::make_shared<FootPosition>(designs, i, 2, 1.0),
                                  {search.clearance},
                                  {kInfinity},
                                  i == 0 ? search.clear_from : 0.0,
                                  i == last ? 1.0 - search.clear_from : 1.0});
    problem.phases.push_back(std::move(phase));
  }
  problem.step_length = std::make_shared<FootPosition>(designs, 0, 0, -1.0);
  problem.gravity = values.at("gravity");
  problem.leg_length = walker.leg_length();
  problem.rest = walker.spec().rest;
  problem.validate();
  return problem;
}

SearchFigures figures_of(std::string_view name, const WalkerValues& given, const WalkerSearch& search,
                         const FoundGait& gait) {
  return figures_of(walker_kind(name), given, search, gait);
}

SearchFigures figures_of(const WalkerKind& kind, const WalkerValues& given, const WalkerSearch& search,
                         const FoundGait& gait) {
  SearchFigures figures;
  figures.values = walker_values(kind, given);
  for (std::size_t i = 0; i < search.design.size(); ++i)
    figures.values[search.design[i].name] = gait.motion.parameters[static_cast<Eigen::Index>(i)];
  const std::unique_ptr<StepModel> model = make_walker(kind, figures.values);
  MechanismWalker& walker = mechanism_of(*model);
  figures.weight = walker.weight();
  // Points and weights of Gauss, 5 a panel: the motion is a polynomial.
  constexpr int kPanels = 40;
  constexpr double kNodes[] = {0.0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640,
                               -0.9061798459386640};
  constexpr double kGauss[] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                               0.2369268850561891};
  for (int i = 0; i < walker.phases(); ++i) {
    MechanismPhase& phase = walker.mechanism_phase(i);
    const Trajectory& motion = gait.motion.phases[static_cast<std::size_t>(i)];
    const Mechanism& m = phase.spec().stance;
    const double panel = motion.duration / kPanels;
    const auto visit = [&](double t, bool event) {
      OwnedVector x(2 * m.nv());
      x << motion.position(t), motion.velocity(t);
      walker.visit(i, x.data(), motion.acceleration(t).data(), event);
    };
    for (int k = 0; k < kPanels; ++k)
      for (int n = 0; n < 5; ++n) {
        const double t = panel * (k + 0.5 * (1.0 + kNodes[n])), weight = 0.5 * panel * kGauss[n];
        const OwnedVector q = motion.position(t), v = motion.velocity(t), a = motion.acceleration(t);
        if (n == 0) visit(t, false);
        VectorXd tau = inverse_dynamics(m, phase.workspace(), q, v, a);
        tau += m.stiffness().cwiseProduct(q - m.spring_reference()) + m.damping().cwiseProduct(v);
        figures.effort += weight * tau.squaredNorm();
        figures.actuator_work += weight * tau.dot(v);
        figures.positive_work += weight * tau.cwiseProduct(v).cwiseMax(0.0).sum();
        figures.lost += weight * m.damping().cwiseProduct(v).dot(v);
        figures.gravity_work -= weight * gravity_forces(m, phase.workspace(), q).dot(v);
      }
    OwnedVector x(2 * m.nv()), next(2 * walker.phase((i + 1) % walker.phases()).freedoms());
    x << motion.position(motion.duration), motion.velocity(motion.duration);
    figures.lost += phase.reset(x.data(), next.data(), nullptr);
    figures.step_width = phase.width(x.data());
    visit(motion.duration, true);
  }
  figures.assumptions = walker.assumptions();
  return figures;
}

}  // namespace amble
