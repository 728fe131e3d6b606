#pragma once

#include <optional>
#include <vector>

#include "amble/gait/basis.hpp"
#include "amble/gait/search_problem.hpp"

namespace amble {

/// Where the cost of DS (4.3) is summed, and conditions along a phase are held.
enum class NodeRule {
  both_ends,   ///< 0..N, each with weight T / N: no torque can hide at t = 0
  as_printed,  ///< 1..N, each with weight T / N, as DS (4.3)
  gauss,       ///< N Gauss nodes: the integral itself, to the accuracy of the polynomials
};
const char* name_of(NodeRule rule);

struct GaitProgramSettings {
  int order = 10;  ///< k of DS (4.2)
  int nodes = 20;  ///< N of DS (4.3)
  NodeRule rule = NodeRule::both_ends;
  Basis basis = Basis::chebyshev;
  std::optional<double> speed;  ///< m/s: step length / duration; none: free
  double shortest_step = 0.02;  ///< in leg lengths: standing still is no gait
  double longest_step = 1.2;    ///< in leg lengths: nor is a somersault
  bool gauss_newton = false;    ///< leave second derivatives out of the Hessian: cheaper steps, more of them

  void validate() const;
};

/// A step: the motion of every phase and the parameters of the design.
struct StepMotion {
  std::vector<Trajectory> phases;
  OwnedVector parameters;

  double duration() const;
};

/// DS Definition 4.2 as a nonlinear program with exact derivatives. Variables: per phase its coefficients,
/// coordinate by coordinate, and its duration; then, where work costs, what each actuator delivers at each
/// node when what it takes back does not count (at least its power and at least 0: at an optimum the larger
/// of the two, with no smoothing); then the parameters. Constraints: resets, conditions, torque limits, ties,
/// speed. Unactuated coordinates have no torque at order - 1 Gauss nodes: as many equations as their motion
/// can meet.
class GaitProgram final : public NonlinearProgram {
 public:
  /// Throws an Error for a problem or settings that do not fit.
  GaitProgram(SearchProblem problem, const GaitProgramSettings& settings);
  ~GaitProgram() override;
  GaitProgram(const GaitProgram&) = delete;
  GaitProgram& operator=(const GaitProgram&) = delete;

  const SearchProblem& problem() const { return problem_; }
  const GaitProgramSettings& settings() const { return settings_; }

  /// Any basis, orders up to that of the program.
  OwnedVector point_of(const StepMotion& motion) const;
  StepMotion motion_of(const VectorRef& x) const;
  void set_start(const StepMotion& motion) { start_ = point_of(motion); }
  /// Keeps the parameters at their values of the start, and forgets ties, until it is called with false.
  void hold_parameters(bool held) { held_ = held; }

  int variables() const override { return variables_; }
  int constraints() const override;
  void variable_bounds(Numbers lower, Numbers upper) const override;
  void constraint_bounds(Numbers lower, Numbers upper) const override;
  void start(Numbers x) const override;
  double objective(const VectorRef& x) override;
  void gradient(const VectorRef& x, Numbers df) override;
  void constraint_values(const VectorRef& x, Numbers g) override;
  std::vector<MatrixPlace> jacobian_places() const override;
  void jacobian(const VectorRef& x, Numbers values) override;
  bool has_hessian() const override { return true; }
  std::vector<MatrixPlace> hessian_places() const override;
  void hessian(const VectorRef& x, double weight, const VectorRef& lambda, Numbers values) override;
  std::string variable_name(int i) const override;
  std::string constraint_name(int i) const override;

 private:
  /// A function at one instant of a phase, with its last values.
  struct Evaluation {
    int phase;
    SearchFunctionPtr function;
    Eigen::VectorXd basis[3];  // of q, v T and a T^2
    Eigen::VectorXd z, z_by_duration, z_by_duration_twice;
    SearchValues values;
  };
  /// weight T tau^T Q tau of one evaluation.
  struct Cost {
    int evaluation;
    double weight;
  };
  /// weight T times what actuators deliver at a node: the actuated ones of its phase, whose variables begin
  /// at `first`.
  struct Work {
    int evaluation, first;
    double weight;
  };
  /// Rows first..first + size of g: sign times rows of an evaluation.
  struct Use {
    int evaluation, first, first_row, size;
    double sign;
  };
  /// factor times a variable in a row of g.
  struct Linear {
    int row, variable;
    double factor;
  };
  struct Row {
    double lower, upper;
    std::string name;
  };
  struct PhaseData {
    int n, coefficients, duration;  // number of coordinates; first variables
    Eigen::MatrixXd Q;
    std::vector<int> actuated;
  };

  int evaluation(int phase, SearchFunctionPtr function, double s);
  void add_phases();
  void add_costs();
  void add_work();
  void add_resets();
  void add_conditions();
  void add_condition(int phase, const SearchCondition& condition);
  void add_torque_limits();
  void add_unactuated();
  void add_design();
  Eigen::VectorXd node_weights() const;
  /// Of a node, without its weight: what is delivered less what is regained (W).
  double work_rate(const Work& work, const VectorRef& x) const;
  Eigen::VectorXd regained_weights(const Work& work) const;
  void use(int evaluation, int first, int first_row, int size, double sign = 1.0);
  Eigen::VectorXd nodes() const;
  int size(const PhaseData& phase) const { return phase.n * (settings_.order + 1); }

  SearchPoint point_at(const Evaluation& e) const;
  void place(Evaluation& e, const VectorRef& x) const;
  void update(const VectorRef& x);
  template <class Write>
  void each_slope(const Evaluation& e, const Eigen::Ref<const Eigen::RowVectorXd>& slopes,
                  const Write& write) const;
  void add_curvature(const Evaluation& e, const Eigen::VectorXd& gradient, const Eigen::MatrixXd& curvature,
                     double scale, double duration_scale);

  Eigen::MatrixXd curvature_of(const Evaluation& e, const Eigen::VectorXd& weights) const;
  void add_cost_curvature(const Cost& cost, double weight);
  void add_work_curvature(const Work& work, double weight);
  void add_constraint_curvature(const VectorRef& lambda);

  SearchProblem problem_;
  GaitProgramSettings settings_;
  std::vector<PhaseData> phases_;
  int parameters_ = 0, variables_ = 0;
  std::vector<Evaluation> evaluations_;
  std::vector<Cost> costs_;
  std::vector<Work> works_;
  std::vector<Use> uses_;
  std::vector<Linear> linears_;
  std::vector<Row> rows_;
  OwnedVector start_;
  bool held_ = false;
  Eigen::VectorXd x_;        // where the evaluations were made
  Eigen::MatrixXd hessian_;  // being added up
  std::vector<MatrixPlace> places_;
};

}  // namespace amble
