// The only file that sees IPOPT's headers.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <mutex>

#include <IpIpoptApplication.hpp>
#include <IpSolveStatistics.hpp>
#include <IpTNLP.hpp>

#include "amble/base/error.hpp"
#include "amble/optimize/program_data.hpp"

namespace amble {
namespace {

using Clock = std::chrono::steady_clock;
using Ipopt::Index, Ipopt::Number;

constexpr double kIpoptInfinity = 1e19;  // bounds at least this large are none to IPOPT

double to_ipopt(double bound) { return std::clamp(bound, -kIpoptInfinity, kIpoptInfinity); }

/// One program as IPOPT wants to see it. Numbers that are not finite are found here, where they have a name.
class Adapter : public Ipopt::TNLP {
 public:
  Adapter(NonlinearProgram& program, const detail::ProgramData& data, const NlpSettings& settings,
          const NlpMultipliers* warm, NlpResult& result)
      : program_(program), data_(data), settings_(settings), warm_(warm), result_(result) {}

  const std::string& not_finite() const { return not_finite_; }
  bool out_of_time() const { return out_of_time_; }

  bool get_nlp_info(Index& n, Index& m, Index& nnz_jac_g, Index& nnz_h_lag, IndexStyleEnum& style) override {
    n = data_.n, m = data_.m;
    nnz_jac_g = Index(data_.jacobian.size());
    nnz_h_lag = Index(data_.hessian.size());
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index, Number* x_l, Number* x_u, Index, Number* g_l, Number* g_u) override {
    std::transform(data_.x_lower.begin(), data_.x_lower.end(), x_l, to_ipopt);
    std::transform(data_.x_upper.begin(), data_.x_upper.end(), x_u, to_ipopt);
    std::transform(data_.g_lower.begin(), data_.g_lower.end(), g_l, to_ipopt);
    std::transform(data_.g_upper.begin(), data_.g_upper.end(), g_u, to_ipopt);
    return true;
  }

  bool get_starting_point(Index n, bool init_x, Number* x, bool init_z, Number* z_lower, Number* z_upper,
                          Index m, bool init_lambda, Number* lambda) override {
    if (init_x) std::copy_n(result_.x.data(), n, x);
    if ((init_z || init_lambda) && !warm_) return false;
    for (int i = 0; init_z && i < n; ++i) {
      z_lower[i] = std::max(0.0, -warm_->variables[i]);
      z_upper[i] = std::max(0.0, warm_->variables[i]);
    }
    if (init_lambda) std::copy_n(warm_->constraints.data(), m, lambda);
    return true;
  }

  bool eval_f(Index, const Number* x, bool, Number& value) override {
    value = program_.objective(at(x));
    return finite({&value, 1}, [](int) { return std::string("the objective"); });
  }

  bool eval_grad_f(Index n, const Number* x, bool, Number* df) override {
    program_.gradient(at(x), {df, std::size_t(n)});
    return finite({df, std::size_t(n)}, [&](int i) {
      return fmt::format("the derivative of the objective with respect to {}", program_.variable_name(i));
    });
  }

  bool eval_g(Index, const Number* x, bool, Index m, Number* g) override {
    program_.constraint_values(at(x), {g, std::size_t(m)});
    return finite({g, std::size_t(m)}, [&](int i) { return program_.constraint_name(i); });
  }

  bool eval_jac_g(Index, const Number* x, bool, Index, Index count, Index* rows, Index* columns,
                  Number* values) override {
    if (!values) return fill_places(data_.jacobian, rows, columns);
    program_.jacobian(at(x), {values, std::size_t(count)});
    return finite({values, std::size_t(count)}, [&](int k) {
      const MatrixPlace& p = data_.jacobian[k];
      return fmt::format("the derivative of {} with respect to {}", program_.constraint_name(p.row),
                         program_.variable_name(p.column));
    });
  }

  bool eval_h(Index, const Number* x, bool, Number weight, Index m, const Number* lambda, bool, Index count,
              Index* rows, Index* columns, Number* values) override {
    if (!values) return fill_places(data_.hessian, rows, columns);
    program_.hessian(at(x), weight, Eigen::Map<const Eigen::VectorXd>(lambda, m),
                     {values, std::size_t(count)});
    return finite({values, std::size_t(count)}, [&](int k) {
      const MatrixPlace& p = data_.hessian[k];
      return fmt::format("the second derivative with respect to {} and {}", program_.variable_name(p.row),
                         program_.variable_name(p.column));
    });
  }

  bool intermediate_callback(Ipopt::AlgorithmMode, Index iteration, Number objective, Number inf_pr,
                             Number inf_du, Number, Number, Number, Number, Number, Index,
                             const Ipopt::IpoptData*, Ipopt::IpoptCalculatedQuantities*) override {
    result_.iterations = iteration;
    not_finite_.clear();  // the step was cut short and all is well again
    out_of_time_ = seconds() > settings_.time_limit;
    if (out_of_time_) return false;
    if (!settings_.watch) return true;
    return settings_.watch({.iteration = iteration,
                            .objective = objective,
                            .primal = inf_pr,
                            .dual = inf_du,
                            .seconds = seconds()});
  }

  void finalize_solution(Ipopt::SolverReturn, Index n, const Number* x, const Number* z_lower,
                         const Number* z_upper, Index m, const Number*, const Number* lambda, Number,
                         const Ipopt::IpoptData*, Ipopt::IpoptCalculatedQuantities*) override {
    std::copy_n(x, n, result_.x.data());
    for (int i = 0; i < n; ++i) result_.multipliers.variables[i] = z_upper[i] - z_lower[i];
    std::copy_n(lambda, m, result_.multipliers.constraints.data());
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

 private:
  Eigen::Map<const Eigen::VectorXd> at(const Number* x) const { return {x, data_.n}; }

  template <class Name>
  bool finite(std::span<const double> values, const Name& name) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      not_finite_ = fmt::format("{} is {}", name(int(i)), values[i]);
      return false;
    }
    return true;
  }

  static bool fill_places(const std::vector<MatrixPlace>& places, Index* rows, Index* columns) {
    for (std::size_t k = 0; k < places.size(); ++k) rows[k] = places[k].row, columns[k] = places[k].column;
    return true;
  }

  NonlinearProgram& program_;
  const detail::ProgramData& data_;
  const NlpSettings& settings_;
  const NlpMultipliers* warm_;
  NlpResult& result_;
  Clock::time_point began_ = Clock::now();
  std::string not_finite_;
  bool out_of_time_ = false;
};

bool exact_hessian(const NlpSettings& settings, const NonlinearProgram& program) {
  if (settings.hessian == NlpHessian::exact && !program.has_hessian())
    throw Error("settings.hessian is exact, but the program has no Hessian");
  return settings.hessian != NlpHessian::limited_memory && program.has_hessian();
}

void set_options(Ipopt::IpoptApplication& app, const NlpSettings& settings, bool exact, bool warm) {
  Ipopt::OptionsList& options = *app.Options();
  options.SetStringValue("sb", "yes");  // no banner
  options.SetIntegerValue("print_level", settings.print_level);
  options.SetNumericValue("tol", settings.tolerance);
  // tol bounds a residual that IPOPT scales; these bound the unscaled one.
  options.SetNumericValue("dual_inf_tol", 1e3 * settings.tolerance);
  options.SetNumericValue("constr_viol_tol", settings.tolerance);
  options.SetNumericValue("compl_inf_tol", 100.0 * settings.tolerance);
  options.SetNumericValue("acceptable_tol", 1e3 * settings.tolerance);
  options.SetNumericValue("acceptable_constr_viol_tol", 1e3 * settings.tolerance);
  options.SetNumericValue("bound_relax_factor", std::min(1e-8, 0.1 * settings.tolerance));
  options.SetIntegerValue("max_iter", settings.iterations);
  options.SetStringValue("mu_strategy", settings.barrier == NlpBarrier::adaptive ? "adaptive" : "monotone");
  options.SetNumericValue("mu_init", settings.first_barrier);
  options.SetStringValue("nlp_scaling_method", settings.scale ? "gradient-based" : "none");
  options.SetStringValue("hessian_approximation", exact ? "exact" : "limited-memory");
  options.SetIntegerValue("limited_memory_max_history", settings.memory);
  options.SetStringValue("linear_solver", "mumps");
  if (!warm) return;
  options.SetStringValue("warm_start_init_point", "yes");
  for (const char* push : {"warm_start_bound_push", "warm_start_bound_frac", "warm_start_slack_bound_push",
                           "warm_start_slack_bound_frac", "warm_start_mult_bound_push"})
    options.SetNumericValue(push, std::min(1e-3, settings.first_barrier));
}

struct Outcome {
  NlpStatus status;
  std::string message;
};

Outcome outcome_of(Ipopt::ApplicationReturnStatus code, const Adapter& adapter, const NlpSettings& settings) {
  switch (code) {
    case Ipopt::Solve_Succeeded:
    case Ipopt::Feasible_Point_Found:
      return {NlpStatus::solved, "solved"};
    case Ipopt::Solved_To_Acceptable_Level:
      return {NlpStatus::acceptable, "solved, but not to the tolerance: no further progress"};
    case Ipopt::Infeasible_Problem_Detected:
      return {NlpStatus::infeasible, "no point nearby meets all constraints"};
    case Ipopt::Diverging_Iterates:
      return {NlpStatus::unbounded, "the variables run away without bound"};
    case Ipopt::Maximum_Iterations_Exceeded:
      return {NlpStatus::iteration_limit, fmt::format("not solved after {} iterations", settings.iterations)};
    case Ipopt::Maximum_CpuTime_Exceeded:
      break;
    case Ipopt::User_Requested_Stop:
      if (adapter.out_of_time())
        return {NlpStatus::time_limit, fmt::format("not solved after {} s", settings.time_limit)};
      return {NlpStatus::interrupted, "interrupted by the watch"};
    case Ipopt::Invalid_Number_Detected:
      return {NlpStatus::not_finite,
              adapter.not_finite().empty() ? "a number is not finite" : adapter.not_finite()};
    case Ipopt::Not_Enough_Degrees_Of_Freedom:
      return {NlpStatus::overdetermined, "there are more equations than free variables"};
    case Ipopt::Search_Direction_Becomes_Too_Small:
    case Ipopt::Restoration_Failed:
    case Ipopt::Error_In_Step_Computation:
      return {NlpStatus::no_progress, adapter.not_finite().empty()
                                          ? "the search stopped without meeting the tolerance"
                                          : "no step to take: " + adapter.not_finite()};
    default:
      break;
  }
  return {NlpStatus::internal_error, fmt::format("IPOPT returned {}", int(code))};
}

Ipopt::ApplicationReturnStatus run(Ipopt::IpoptApplication& app, Adapter* adapter) {
  // An empty name: otherwise IPOPT reads a file ipopt.opt in whatever directory the user stands in.
  const Ipopt::ApplicationReturnStatus ready = app.Initialize("");
  return ready == Ipopt::Solve_Succeeded ? app.OptimizeTNLP(Ipopt::SmartPtr<Ipopt::TNLP>(adapter)) : ready;
}

/// One solve at a time in the process; see solve().
class OneAtATime {
 public:
  OneAtATime() {
    if (here_) throw Error("solve() was called by a function of a program that is being solved");
    lock_ = std::unique_lock(mutex_);
    here_ = true;
  }
  ~OneAtATime() { here_ = false; }

 private:
  static std::mutex mutex_;
  static thread_local bool here_;
  std::unique_lock<std::mutex> lock_;
};
std::mutex OneAtATime::mutex_;
thread_local bool OneAtATime::here_ = false;

}  // namespace

NlpResult solve_from(NonlinearProgram& program, const VectorRef& x, const NlpSettings& settings,
                     const NlpMultipliers* multipliers) {
  settings.validate();
  const detail::ProgramData data(program);
  const bool exact = exact_hessian(settings, program);
  if (x.size() != data.n) throw Error(fmt::format("x has {} numbers, expected {}", x.size(), data.n));
  if (!x.allFinite()) throw Error("the start has numbers that are not finite");

  NlpResult result{.x = x, .constraints = OwnedVector(data.m)};
  result.multipliers = {OwnedVector(data.m), OwnedVector(data.n)};
  {
    const OneAtATime alone;
    Ipopt::IpoptApplication* const plain = new Ipopt::IpoptApplication(false);
    const Ipopt::SmartPtr<Ipopt::IpoptApplication> app(plain);
    if (settings.print_level > 0) {
      const Ipopt::SmartPtr<Ipopt::StreamJournal> journal(
          new Ipopt::StreamJournal("stderr", Ipopt::EJournalLevel(settings.print_level)));
      journal->SetOutputStream(&std::cerr);
      app->Jnlst()->AddJournal(Ipopt::SmartPtr<Ipopt::Journal>(GetRawPtr(journal)));
    }
    app->RethrowNonIpoptException(true);
    set_options(*app, settings, exact, multipliers != nullptr);
    const Ipopt::SmartPtr<Adapter> adapter(new Adapter(program, data, settings, multipliers, result));
    const Outcome outcome = outcome_of(run(*app, GetRawPtr(adapter)), *adapter, settings);
    result.status = outcome.status, result.message = outcome.message;
    result.seconds = adapter->seconds();
  }
  result.objective = program.objective(result.x);
  program.constraint_values(result.x, Numbers(result.constraints.data(), data.m));
  result.certificate = certify(program, result.x, result.multipliers);
  return result;
}

NlpResult solve(NonlinearProgram& program, const NlpSettings& settings) {
  OwnedVector x(std::max(0, program.variables()));
  program.start(Numbers(x.data(), x.size()));
  return solve_from(program, x, settings);
}

}  // namespace amble
