#include "amble/gait/gait_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/gait/power_function.hpp"

namespace amble {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// (q, v), the other side of a reset.
class State final : public SearchFunction {
 public:
  explicit State(int n) : n_(n) {}
  int rows() const override { return 2 * n_; }
  void evaluate(const SearchPoint& at, SearchValues& out) const override {
    out.value.head(n_) = at.q;
    out.value.tail(n_) = at.v;
    out.slopes.leftCols(2 * n_).setIdentity();
  }
  void curvature(const SearchPoint&, const VectorRef&, Eigen::Ref<Matrix> out) const override {
    out.setZero();
  }

 private:
  int n_;
};

double one_of(const std::vector<double>& bounds, int row, double none) {
  return bounds.empty() ? none : bounds.size() == 1 ? bounds[0] : bounds[row];
}

}  // namespace

const char* name_of(NodeRule rule) {
  switch (rule) {
    case NodeRule::both_ends:
      return "both_ends";
    case NodeRule::as_printed:
      return "as_printed";
    case NodeRule::gauss:
      return "gauss";
  }
  return "?";
}

void GaitProgramSettings::validate() const {
  if (order < 3) throw Error(fmt::format("order is {}, expected at least 3", order));
  if (nodes < 1) throw Error(fmt::format("nodes is {}, expected at least 1", nodes));
  if (speed && !(std::isfinite(*speed) && *speed > 0.0))
    throw Error(fmt::format("speed is {}, expected more than 0", *speed));
  if (!(0.0 <= shortest_step && shortest_step < longest_step))
    throw Error(
        fmt::format("shortest_step is {} and longest_step {}, expected 0 <= shortest_step < longest_step",
                    shortest_step, longest_step));
}

double StepMotion::duration() const {
  double sum = 0.0;
  for (const Trajectory& phase : phases) sum += phase.duration;
  return sum;
}

// ---- building

GaitProgram::GaitProgram(SearchProblem problem, const GaitProgramSettings& settings)
    : problem_(std::move(problem)), settings_(settings) {
  problem_.validate();
  settings_.validate();
  add_phases();
  add_costs();
  add_work();
  add_resets();
  add_conditions();
  add_torque_limits();
  add_unactuated();
  add_design();
  start_ = Vector::Zero(variables_);
  for (const PhaseData& phase : phases_) start_[phase.duration] = 2.0 * problem_.pendulum_time();
  for (int i = 0; i < parameters_; ++i) start_[variables_ - parameters_ + i] = problem_.parameters[i].start;
}

GaitProgram::~GaitProgram() = default;

void GaitProgram::add_phases() {
  for (const SearchPhase& phase : problem_.phases) {
    PhaseData data{.n = int(phase.coordinates.size()), .coefficients = variables_};
    data.Q = phase.cost.size() ? Matrix(phase.cost) : Matrix::Identity(data.n, data.n);
    for (int i : phase.unactuated) data.Q.row(i).setZero(), data.Q.col(i).setZero();
    for (int i = 0; i < data.n; ++i)
      if (std::find(phase.unactuated.begin(), phase.unactuated.end(), i) == phase.unactuated.end())
        data.actuated.push_back(i);
    data.Q = (0.5 * problem_.cost.torque * (data.Q + data.Q.transpose())).eval();
    data.duration = variables_ + size(data);
    variables_ = data.duration + 1;
    phases_.push_back(data);
  }
  if (problem_.cost.work > 0.0)
    for (const PhaseData& phase : phases_) variables_ += int(nodes().size() * phase.actuated.size());
  parameters_ = int(problem_.parameters.size());
  variables_ += parameters_;
}

Vector GaitProgram::nodes() const {
  const int N = settings_.nodes;
  if (settings_.rule == NodeRule::gauss) return gauss_quadrature(N).nodes;
  const Vector all = Vector::LinSpaced(N + 1, 0.0, 1.0);
  return settings_.rule == NodeRule::both_ends ? all : Vector(all.tail(N));
}

int GaitProgram::evaluation(int phase, SearchFunctionPtr function, double s) {
  const int n = phases_[phase].n;
  const BasisMatrices basis = basis_matrices(settings_.basis, settings_.order, Vector::Constant(1, s));
  const Vector z = Vector::Zero(3 * n + parameters_);
  SearchValues values(function->rows(), n, parameters_);
  evaluations_.push_back({phase,
                          std::move(function),
                          {basis.value.transpose(), basis.first.transpose(), basis.second.transpose()},
                          z,
                          z,
                          z,
                          std::move(values)});
  return int(evaluations_.size()) - 1;
}

void GaitProgram::use(int evaluation, int first, int first_row, int size, double sign) {
  uses_.push_back({evaluation, first, first_row, size, sign});
}

void GaitProgram::add_costs() {
  const Vector s = nodes(), weights = node_weights();
  for (int phase = 0; phase < int(phases_.size()); ++phase)
    for (int i = 0; i < s.size(); ++i)
      costs_.push_back({evaluation(phase, problem_.phases[phase].torques, s[i]), weights[i]});
}

Vector GaitProgram::node_weights() const {
  if (settings_.rule == NodeRule::gauss) return gauss_quadrature(settings_.nodes).weights;
  return Vector::Constant(nodes().size(), 1.0 / settings_.nodes);
}

void GaitProgram::add_work() {
  if (problem_.cost.work == 0.0) return;
  const Vector s = nodes(), weights = node_weights();
  int variable = phases_.back().duration + 1;
  for (int phase = 0; phase < int(phases_.size()); ++phase) {
    const SearchPhase& p = problem_.phases[phase];
    const auto power = std::make_shared<PowerFunction>(p.torques);
    for (int k = 0; k < s.size(); ++k) {
      works_.push_back({evaluation(phase, power, s[k]), variable, weights[k]});
      for (int i : phases_[phase].actuated) {
        use(works_.back().evaluation, int(rows_.size()), i, 1);
        linears_.push_back({int(rows_.size()), variable++, -1.0});
        rows_.push_back(
            {-kInfinity, 0.0, fmt::format("power of {} at {:.3g} of {}", p.coordinates[i], s[k], p.name)});
      }
    }
  }
}

void GaitProgram::add_resets() {
  for (int phase = 0; phase < int(phases_.size()); ++phase) {
    const int next = (phase + 1) % int(phases_.size()), n = phases_[next].n, first = int(rows_.size());
    for (int i = 0; i < 2 * n; ++i)
      rows_.push_back({0.0, 0.0,
                       fmt::format("{} of {} after {}", i < n ? "position" : "velocity",
                                   problem_.phases[next].coordinates[i % n], problem_.phases[phase].name)});
    use(evaluation(next, std::make_shared<State>(n), 0.0), first, 0, 2 * n);
    use(evaluation(phase, problem_.phases[phase].reset, 1.0), first, 0, 2 * n, -1.0);
  }
}

void GaitProgram::add_condition(int phase, const SearchCondition& condition) {
  using Where = SearchCondition::Where;
  Vector times = condition.where == Where::nodes
                     ? nodes()
                     : Vector::Constant(1, condition.where == Where::end ? 1.0 : 0.0);
  for (double s : times) {
    if (condition.where == Where::nodes && (s < condition.from - 1e-12 || s > condition.to + 1e-12)) continue;
    const int size = condition.function->rows(), first = int(rows_.size());
    const double factor = condition.profile ? condition.profile(s) : 1.0;
    for (int i = 0; i < size; ++i)
      rows_.push_back({factor * one_of(condition.lower, i, -kInfinity), factor * one_of(condition.upper, i, kInfinity),
                       fmt::format("{}{} at {:.3g} of {}", condition.name,
                                   size > 1 ? fmt::format("[{}]", i) : "", s, problem_.phases[phase].name)});
    use(evaluation(phase, condition.function, s), first, 0, size);
  }
}

void GaitProgram::add_conditions() {
  for (int phase = 0; phase < int(phases_.size()); ++phase)
    for (const SearchCondition& condition : problem_.phases[phase].conditions)
      add_condition(phase, condition);
}

void GaitProgram::add_torque_limits() {
  for (const Cost& cost : costs_) {
    const int phase = evaluations_[cost.evaluation].phase;
    const SearchPhase& p = problem_.phases[phase];
    for (int i = 0; i < phases_[phase].n; ++i) {
      const double lower = one_of(p.torque_lower, i, -kInfinity),
                   upper = one_of(p.torque_upper, i, kInfinity);
      if (lower == -kInfinity && upper == kInfinity) continue;
      use(cost.evaluation, int(rows_.size()), i, 1);
      rows_.push_back({lower, upper, fmt::format("torque of {} in {}", p.coordinates[i], p.name)});
    }
  }
}

void GaitProgram::add_unactuated() {
  const OwnedVector s = gauss_quadrature(settings_.order - 1).nodes;
  for (int phase = 0; phase < int(phases_.size()); ++phase) {
    const SearchPhase& p = problem_.phases[phase];
    if (p.unactuated.empty()) continue;
    for (double node : s) {
      const int e = evaluation(phase, p.torques, node);
      for (int i : p.unactuated) {
        use(e, int(rows_.size()), i, 1);
        rows_.push_back(
            {0.0, 0.0, fmt::format("no torque of {} at {:.3g} of {}", p.coordinates[i], node, p.name)});
      }
    }
  }
}

void GaitProgram::add_design() {
  use(evaluation(0, problem_.step_length, 0.0), int(rows_.size()), 0, 1);
  rows_.push_back({settings_.shortest_step * problem_.leg_length,
                   settings_.longest_step * problem_.leg_length, "step length"});
  if (settings_.speed) {
    use(uses_.back().evaluation, int(rows_.size()), 0, 1);
    for (const PhaseData& phase : phases_)
      linears_.push_back({int(rows_.size()), phase.duration, -*settings_.speed});
    rows_.push_back({0.0, 0.0, "speed"});
  }
  for (const SearchTie& tie : problem_.ties) {
    for (std::size_t i = 0; i < tie.parameters.size(); ++i)
      linears_.push_back({int(rows_.size()), variables_ - parameters_ + tie.parameters[i], tie.factors[i]});
    rows_.push_back({tie.sum, tie.sum, tie.name});
  }
}

// ---- motions and points

OwnedVector GaitProgram::point_of(const StepMotion& motion) const {
  if (motion.phases.size() != phases_.size())
    throw Error(fmt::format("a motion has {} phases, expected {}", motion.phases.size(), phases_.size()));
  if (motion.parameters.size() != parameters_)
    throw Error(
        fmt::format("a motion has {} parameters, expected {}", motion.parameters.size(), parameters_));
  OwnedVector x(variables_);
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    const PhaseData& phase = phases_[i];
    const Trajectory t = motion.phases[i].raised(settings_.order).in(settings_.basis);
    if (t.coordinates() != phase.n)
      throw Error(
          fmt::format("a motion has {} coordinates in phase {}, expected {}", t.coordinates(), i, phase.n));
    Eigen::Map<Matrix>(x.data() + phase.coefficients, settings_.order + 1, phase.n) =
        t.coefficients.transpose();
    x[phase.duration] = t.duration;
  }
  x.tail(parameters_) = motion.parameters;
  for (const Work& work : works_) {
    const Evaluation& e = evaluations_[work.evaluation];
    const PhaseData& phase = phases_[e.phase];
    Evaluation there = e;
    place(there, x);
    e.function->evaluate(point_at(there), there.values);
    for (std::size_t i = 0; i < phase.actuated.size(); ++i)
      x[work.first + int(i)] = std::max(0.0, there.values.value[phase.actuated[i]]);
  }
  return x;
}

StepMotion GaitProgram::motion_of(const VectorRef& x) const {
  StepMotion motion{.parameters = x.tail(parameters_)};
  for (const PhaseData& phase : phases_) {
    const Eigen::Map<const Matrix> c(x.data() + phase.coefficients, settings_.order + 1, phase.n);
    motion.phases.push_back({settings_.basis, x[phase.duration], c.transpose()});
  }
  return motion;
}

// ---- the program's functions

int GaitProgram::constraints() const { return int(rows_.size()); }

void GaitProgram::variable_bounds(Numbers lower, Numbers upper) const {
  const double time = problem_.pendulum_time();
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    const SearchPhase& p = problem_.phases[i];
    lower[phases_[i].duration] = p.shortest > 0.0 ? p.shortest : 0.3 * time;
    upper[phases_[i].duration] = p.longest > 0.0 ? p.longest : 10.0 * time;
  }
  for (int i = phases_.back().duration + 1; i < variables_ - parameters_; ++i) lower[i] = 0.0;
  for (int i = 0; i < parameters_; ++i) {
    const int k = variables_ - parameters_ + i;
    lower[k] = held_ ? start_[k] : problem_.parameters[i].lower;
    upper[k] = held_ ? start_[k] : problem_.parameters[i].upper;
  }
}

void GaitProgram::constraint_bounds(Numbers lower, Numbers upper) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) lower[i] = rows_[i].lower, upper[i] = rows_[i].upper;
  if (!held_) return;
  const std::size_t ties = problem_.ties.size();  // they stand last
  std::fill(lower.end() - ties, lower.end(), -kInfinity);
  std::fill(upper.end() - ties, upper.end(), kInfinity);
}

void GaitProgram::start(Numbers x) const { std::copy_n(start_.data(), variables_, x.begin()); }

SearchPoint GaitProgram::point_at(const Evaluation& e) const {
  const int n = phases_[e.phase].n;
  return {e.z.head(n), e.z.segment(n, n), e.z.segment(2 * n, n), e.z.tail(parameters_)};
}

/// Where an evaluation is made.
void GaitProgram::place(Evaluation& e, const VectorRef& x) const {
  const PhaseData& phase = phases_[e.phase];
  const int n = phase.n;
  const double T = x[phase.duration];
  const Eigen::Map<const Matrix> c(x.data() + phase.coefficients, settings_.order + 1, n);
  e.z.head(n).noalias() = c.transpose() * e.basis[0];
  e.z.segment(n, n).noalias() = c.transpose() * e.basis[1] / T;
  e.z.segment(2 * n, n).noalias() = c.transpose() * e.basis[2] / (T * T);
  e.z.tail(parameters_) = x.tail(parameters_);
}

void GaitProgram::update(const VectorRef& x) {
  if (x_.size() == x.size() && x_ == x) return;
  x_.resize(0);  // until all is done: a function may throw
  for (Evaluation& e : evaluations_) {
    const int n = phases_[e.phase].n;
    const double T = x[phases_[e.phase].duration];
    place(e, x);
    // v goes with 1 / T and a with 1 / T^2.
    e.z_by_duration.segment(n, n) = e.z.segment(n, n) * (-1.0 / T);
    e.z_by_duration.segment(2 * n, n) = e.z.segment(2 * n, n) * (-2.0 / T);
    e.z_by_duration_twice.segment(n, n) = e.z.segment(n, n) * (2.0 / (T * T));
    e.z_by_duration_twice.segment(2 * n, n) = e.z.segment(2 * n, n) * (6.0 / (T * T));
    e.values.slopes.setZero();
    e.function->evaluate(point_at(e), e.values);
  }
  x_ = x;
}

/// Calls write(variable, derivative) for the variables that an evaluation depends on, always in the same
/// order, where `slopes` are derivatives by (q, v, a, p).
template <class Write>
void GaitProgram::each_slope(const Evaluation& e, const Eigen::Ref<const Eigen::RowVectorXd>& slopes,
                             const Write& write) const {
  const PhaseData& phase = phases_[e.phase];
  const int n = phase.n, columns = settings_.order + 1;
  const double T = x_.size() ? x_[phase.duration] : 1.0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < columns; ++j)
      write(phase.coefficients + i * columns + j, slopes[i] * e.basis[0][j] +
                                                      slopes[n + i] / T * e.basis[1][j] +
                                                      slopes[2 * n + i] / (T * T) * e.basis[2][j]);
  write(phase.duration, slopes.dot(e.z_by_duration));
  for (int i = 0; i < parameters_; ++i) write(variables_ - parameters_ + i, slopes[3 * n + i]);
}

double GaitProgram::work_rate(const Work& work, const VectorRef& x) const {
  const Evaluation& e = evaluations_[work.evaluation];
  const auto actuators = Eigen::Index(phases_[e.phase].actuated.size());
  return (1.0 - problem_.cost.regained) * x.segment(work.first, actuators).sum() +
         regained_weights(work).dot(e.values.value);
}

/// d - r (d - p) = (1 - r) d + r p, where d is delivered and p is the power: what stands at p.
Vector GaitProgram::regained_weights(const Work& work) const {
  const PhaseData& phase = phases_[evaluations_[work.evaluation].phase];
  Vector weights = Vector::Zero(phase.n);
  for (int i : phase.actuated) weights[i] = problem_.cost.regained;
  return weights;
}

double GaitProgram::objective(const VectorRef& x) {
  update(x);
  double sum = 0.0;
  for (const Cost& cost : costs_) {
    const Evaluation& e = evaluations_[cost.evaluation];
    const PhaseData& phase = phases_[e.phase];
    sum += cost.weight * x[phase.duration] * e.values.value.dot(phase.Q * e.values.value);
  }
  for (const Work& work : works_)
    sum += problem_.cost.work * work.weight * x[phases_[evaluations_[work.evaluation].phase].duration] *
           work_rate(work, x);
  return sum;
}

void GaitProgram::gradient(const VectorRef& x, Numbers df) {
  update(x);
  std::fill(df.begin(), df.end(), 0.0);
  for (const Cost& cost : costs_) {
    const Evaluation& e = evaluations_[cost.evaluation];
    const PhaseData& phase = phases_[e.phase];
    const Vector Q_tau = phase.Q * e.values.value;
    const double scale = cost.weight * x[phase.duration];
    each_slope(e, (2.0 * scale * Q_tau.transpose()) * e.values.slopes,
               [&](int i, double slope) { df[i] += slope; });
    df[phase.duration] += cost.weight * e.values.value.dot(Q_tau);
  }
  for (const Work& work : works_) {
    const Evaluation& e = evaluations_[work.evaluation];
    const PhaseData& phase = phases_[e.phase];
    const double weight = problem_.cost.work * work.weight, scale = weight * x[phase.duration];
    for (std::size_t i = 0; i < phase.actuated.size(); ++i)
      df[work.first + int(i)] += scale * (1.0 - problem_.cost.regained);
    each_slope(e, scale * regained_weights(work).transpose() * e.values.slopes,
               [&](int i, double slope) { df[i] += slope; });
    df[phase.duration] += weight * work_rate(work, x);
  }
}

void GaitProgram::constraint_values(const VectorRef& x, Numbers g) {
  update(x);
  std::fill(g.begin(), g.end(), 0.0);
  for (const Use& use : uses_)
    for (int i = 0; i < use.size; ++i)
      g[use.first + i] += use.sign * evaluations_[use.evaluation].values.value[use.first_row + i];
  for (const Linear& linear : linears_) g[linear.row] += linear.factor * x[linear.variable];
}

std::vector<MatrixPlace> GaitProgram::jacobian_places() const {
  std::vector<MatrixPlace> places;
  for (const Use& use : uses_) {
    const Evaluation& e = evaluations_[use.evaluation];
    for (int i = 0; i < use.size; ++i)
      each_slope(e, Eigen::RowVectorXd::Zero(e.z.size()), [&](int variable, double) {
        places.push_back({use.first + i, variable});
      });
  }
  for (const Linear& linear : linears_) places.push_back({linear.row, linear.variable});
  return places;
}

void GaitProgram::jacobian(const VectorRef& x, Numbers values) {
  update(x);
  std::size_t k = 0;
  for (const Use& use : uses_) {
    const Evaluation& e = evaluations_[use.evaluation];
    for (int i = 0; i < use.size; ++i)
      each_slope(e, e.values.slopes.row(use.first_row + i),
                 [&](int, double slope) { values[k++] = use.sign * slope; });
  }
  for (const Linear& linear : linears_) values[k++] = linear.factor;
}

// ---- second derivatives

std::vector<MatrixPlace> GaitProgram::hessian_places() const {
  std::vector<MatrixPlace> places;
  for (const PhaseData& phase : phases_)
    for (int row = phase.coefficients; row <= phase.duration; ++row)
      for (int column = phase.coefficients; column <= row; ++column) places.push_back({row, column});
  for (const Work& work : works_) {
    const PhaseData& phase = phases_[evaluations_[work.evaluation].phase];
    for (std::size_t i = 0; i < phase.actuated.size(); ++i)
      places.push_back({work.first + int(i), phase.duration});
  }
  for (int row = variables_ - parameters_; row < variables_; ++row)
    for (int column = 0; column <= row; ++column) places.push_back({row, column});
  return places;
}

/// Adds the second derivative by the variables of scale f(z(x)) + duration_scale T f(z(x)), given f's
/// gradient and second derivative by z = (q, v, a, p).
void GaitProgram::add_curvature(const Evaluation& e, const Vector& gradient, const Matrix& curvature,
                                double scale, double duration_scale) {
  const PhaseData& phase = phases_[e.phase];
  const int n = phase.n, columns = settings_.order + 1, c0 = phase.coefficients, t = phase.duration,
            p0 = variables_ - parameters_;
  const double T = x_[t], all = scale + duration_scale * T;
  Eigen::Matrix<double, 3, Eigen::Dynamic> Z(
      3, columns);  // how (q, v, a) of a coordinate go with its coefficients
  Z << e.basis[0].transpose(), e.basis[1].transpose() / T, e.basis[2].transpose() / (T * T);
  const auto part = [&](const auto& x, int i) { return Eigen::Vector3d(x[i], x[n + i], x[2 * n + i]); };

  const Vector along = curvature * e.z_by_duration;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      Eigen::Matrix3d H;
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) H(k, l) = curvature(k * n + i, l * n + j);
      hessian_.block(c0 + i * columns, c0 + j * columns, columns, columns).noalias() +=
          all * (Z.transpose() * (H * Z).eval());
    }
    const Eigen::Vector3d g = part(gradient, i),
                          by_T = part(along, i) + Eigen::Vector3d(0.0, -g[1] / T, -2.0 * g[2] / T);
    hessian_.row(t).segment(c0 + i * columns, columns) += ((all * by_T + duration_scale * g).transpose() * Z);
    for (int k = 0; k < parameters_; ++k)
      hessian_.row(p0 + k).segment(c0 + i * columns, columns) +=
          all * part(curvature.row(3 * n + k), i).transpose() * Z;
  }
  hessian_(t, t) += all * (e.z_by_duration.dot(along) + gradient.dot(e.z_by_duration_twice)) +
                    2.0 * duration_scale * gradient.dot(e.z_by_duration);
  for (int k = 0; k < parameters_; ++k) {
    hessian_(p0 + k, t) += all * along[3 * n + k] + duration_scale * gradient[3 * n + k];
    for (int l = 0; l <= k; ++l) hessian_(p0 + k, p0 + l) += all * curvature(3 * n + k, 3 * n + l);
  }
}

/// sum_r weights_r d2 f_r / dz2.
Matrix GaitProgram::curvature_of(const Evaluation& e, const Vector& weights) const {
  Matrix second = Matrix::Zero(e.z.size(), e.z.size());
  e.function->curvature(point_at(e), weights, second);
  return second;
}

/// tau^T Q tau has the gradient 2 (Q tau)^T dtau and a second derivative in two parts, one without that of
/// tau.
void GaitProgram::add_cost_curvature(const Cost& cost, double weight) {
  const Evaluation& e = evaluations_[cost.evaluation];
  const Matrix& Q = phases_[e.phase].Q;
  const Vector Q_tau = 2.0 * Q * e.values.value;
  Matrix second = 2.0 * e.values.slopes.transpose() * Q * e.values.slopes;
  if (!settings_.gauss_newton) second += curvature_of(e, Q_tau);
  add_curvature(e, e.values.slopes.transpose() * Q_tau, second, 0.0, weight * cost.weight);
}

void GaitProgram::add_work_curvature(const Work& work, double weight) {
  const Evaluation& e = evaluations_[work.evaluation];
  const PhaseData& phase = phases_[e.phase];
  const double scale = weight * problem_.cost.work * work.weight;
  for (std::size_t i = 0; i < phase.actuated.size(); ++i)
    hessian_(work.first + int(i), phase.duration) += scale * (1.0 - problem_.cost.regained);
  if (problem_.cost.regained == 0.0) return;
  const Vector weights = regained_weights(work);
  const Matrix second =
      settings_.gauss_newton ? Matrix::Zero(e.z.size(), e.z.size()).eval() : curvature_of(e, weights);
  add_curvature(e, e.values.slopes.transpose() * weights, second, 0.0, scale);
}

void GaitProgram::add_constraint_curvature(const VectorRef& lambda) {
  std::vector<Vector> weights(evaluations_.size());
  for (const Use& use : uses_) {
    Vector& w = weights[use.evaluation];
    if (w.size() == 0) w = Vector::Zero(evaluations_[use.evaluation].values.value.size());
    w.segment(use.first_row, use.size) += use.sign * lambda.segment(use.first, use.size);
  }
  for (std::size_t k = 0; k < evaluations_.size(); ++k) {
    const Evaluation& e = evaluations_[k];
    if (weights[k].size() == 0 || weights[k].isZero(0.0)) continue;
    add_curvature(e, e.values.slopes.transpose() * weights[k], curvature_of(e, weights[k]), 1.0, 0.0);
  }
}

void GaitProgram::hessian(const VectorRef& x, double weight, const VectorRef& lambda, Numbers values) {
  update(x);
  hessian_.setZero(variables_, variables_);
  if (weight != 0.0)
    for (const Cost& cost : costs_) add_cost_curvature(cost, weight);
  if (weight != 0.0)
    for (const Work& work : works_) add_work_curvature(work, weight);
  if (!settings_.gauss_newton) add_constraint_curvature(lambda);
  if (places_.empty()) places_ = hessian_places();
  for (std::size_t k = 0; k < places_.size(); ++k) values[k] = hessian_(places_[k].row, places_[k].column);
}

// ---- names

std::string GaitProgram::variable_name(int i) const {
  if (i >= variables_ - parameters_) return problem_.parameters[i - (variables_ - parameters_)].name;
  for (std::size_t k = 0; k < phases_.size(); ++k) {
    const SearchPhase& phase = problem_.phases[k];
    if (i == phases_[k].duration) return fmt::format("duration of {}", phase.name);
    if (i > phases_[k].duration) continue;
    const auto [coordinate, j] = std::div(i - phases_[k].coefficients, settings_.order + 1);
    return fmt::format("coefficient {} of {} in {}", j, phase.coordinates[coordinate], phase.name);
  }
  for (const Work& work : works_) {
    const Evaluation& e = evaluations_[work.evaluation];
    const std::vector<int>& actuated = phases_[e.phase].actuated;
    if (i >= work.first && i < work.first + int(actuated.size()))
      return fmt::format("delivered by {} in {}",
                         problem_.phases[e.phase].coordinates[actuated[i - work.first]],
                         problem_.phases[e.phase].name);
  }
  return NonlinearProgram::variable_name(i);
}

std::string GaitProgram::constraint_name(int i) const { return rows_[i].name; }

}  // namespace amble
