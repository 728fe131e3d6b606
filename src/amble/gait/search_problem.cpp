#include "amble/gait/search_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {
namespace {

template <class... Args>
void check(bool good, fmt::format_string<Args...> message, Args&&... args) {
  if (!good) throw Error(fmt::format(message, std::forward<Args>(args)...));
}

void check_function(const SearchFunctionPtr& f, int rows, const std::string& what) {
  check(f != nullptr, "{}: there is no function", what);
  check(f->rows() == rows, "{}: the function has {} rows, expected {}", what, f->rows(), rows);
}

void check_bounds(const std::vector<double>& bounds, int rows, const std::string& what) {
  check(bounds.size() == 1 || int(bounds.size()) == rows, "{} has {} numbers, expected {}", what,
        bounds.size(), rows);
}

void check_condition(const SearchCondition& c, const std::string& phase) {
  const std::string what = fmt::format("phase '{}', condition '{}'", phase, c.name);
  check(c.function != nullptr, "{}: there is no function", what);
  check_bounds(c.lower, c.function->rows(), what + ", lower");
  check_bounds(c.upper, c.function->rows(), what + ", upper");
  check(0.0 <= c.from && c.from <= c.to && c.to <= 1.0,
        "{}: it holds from {} to {}, expected 0 <= from <= to <= 1", what, c.from, c.to);
}

void check_phase(const SearchPhase& phase, const SearchPhase& next) {
  const std::string what = fmt::format("phase '{}'", phase.name);
  const int n = int(phase.coordinates.size());
  check(n > 0, "{} has no coordinates", what);
  check_function(phase.torques, n, what + ", torques");
  check_function(phase.reset, 2 * int(next.coordinates.size()), what + ", reset");
  for (const SearchCondition& c : phase.conditions) check_condition(c, phase.name);
  if (!phase.torque_lower.empty()) check_bounds(phase.torque_lower, n, what + ", torque_lower");
  if (!phase.torque_upper.empty()) check_bounds(phase.torque_upper, n, what + ", torque_upper");
  for (int i : phase.unactuated)
    check(i >= 0 && i < n, "{}: coordinate {} is unactuated, expected 0 to {}", what, i, n - 1);
  check(phase.cost.size() == 0 || (phase.cost.rows() == n && phase.cost.cols() == n),
        "{}: cost is {} x {}, expected {} x {}", what, phase.cost.rows(), phase.cost.cols(), n, n);
  check(phase.shortest >= 0.0 && phase.longest >= 0.0 &&
            (phase.longest == 0.0 || phase.shortest <= phase.longest),
        "{}: it lasts from {} to {} s, expected 0 <= shortest <= longest", what, phase.shortest,
        phase.longest);
}

void check_tie(const SearchTie& tie, int parameters) {
  check(tie.parameters.size() == tie.factors.size(), "tie '{}' has {} parameters and {} factors", tie.name,
        tie.parameters.size(), tie.factors.size());
  for (int i : tie.parameters)
    check(i >= 0 && i < parameters, "tie '{}' names parameter {}, expected 0 to {}", tie.name, i,
          parameters - 1);
}

}  // namespace

double SearchProblem::pendulum_time() const { return std::sqrt(leg_length / gravity); }

void SearchProblem::validate() const {
  check(!phases.empty(), "a search has no phases");
  for (std::size_t i = 0; i < phases.size(); ++i) check_phase(phases[i], phases[(i + 1) % phases.size()]);
  check_function(step_length, 1, "step_length");
  check(cost.torque >= 0.0 && cost.work >= 0.0 && cost.torque + cost.work > 0.0 && cost.torque < kInfinity &&
            cost.work < kInfinity,
        "a motion costs {} times torque and {} times work, expected weights of 0 or more, not both 0",
        cost.torque, cost.work);
  check(cost.regained >= 0.0 && cost.regained <= 1.0, "the share of work regained is {}, expected 0 to 1",
        cost.regained);
  check(leg_length > 0.0, "leg_length is {}, expected more than 0", leg_length);
  check(gravity > 0.0, "gravity is {}, expected more than 0", gravity);
  const int n = int(phases[0].coordinates.size());
  check(rest.size() == 0 || rest.size() == n, "rest has {} numbers, expected {}", rest.size(), n);
  check(bend.size() == 0 || bend.size() == n, "bend has {} numbers, expected {}", bend.size(), n);
  for (const SearchParameter& p : parameters)
    check(p.lower <= p.start && p.start <= p.upper, "parameter '{}' starts at {}, expected {} to {}", p.name,
          p.start, p.lower, p.upper);
  for (const SearchTie& tie : ties) check_tie(tie, int(parameters.size()));
}

}  // namespace amble
