#include "amble/optimize/nlp.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"

namespace amble {

void NonlinearProgram::variable_bounds(Numbers, Numbers) const {}
void NonlinearProgram::constraint_bounds(Numbers, Numbers) const {}

void NonlinearProgram::hessian(const VectorRef&, double, const VectorRef&, Numbers) {
  throw Error("hessian() was called on a program that says it has none");
}

std::string NonlinearProgram::variable_name(int i) const { return fmt::format("x[{}]", i); }
std::string NonlinearProgram::constraint_name(int i) const { return fmt::format("constraint[{}]", i); }

const char* name_of(NlpStatus status) {
  switch (status) {
    case NlpStatus::solved:
      return "solved";
    case NlpStatus::acceptable:
      return "acceptable";
    case NlpStatus::infeasible:
      return "infeasible";
    case NlpStatus::unbounded:
      return "unbounded";
    case NlpStatus::iteration_limit:
      return "iteration_limit";
    case NlpStatus::time_limit:
      return "time_limit";
    case NlpStatus::interrupted:
      return "interrupted";
    case NlpStatus::not_finite:
      return "not_finite";
    case NlpStatus::overdetermined:
      return "overdetermined";
    case NlpStatus::no_progress:
      return "no_progress";
    case NlpStatus::internal_error:
      return "internal_error";
  }
  return "?";
}

const char* name_of(NlpHessian hessian) {
  switch (hessian) {
    case NlpHessian::automatic:
      return "automatic";
    case NlpHessian::exact:
      return "exact";
    case NlpHessian::limited_memory:
      return "limited_memory";
  }
  return "?";
}

const char* name_of(NlpBarrier barrier) { return barrier == NlpBarrier::adaptive ? "adaptive" : "monotone"; }

void NlpSettings::validate() const {
  const auto above_zero = [](const char* name, double value) {
    if (!(value > 0.0)) throw Error(fmt::format("{} is {}, expected more than 0", name, value));
  };
  above_zero("tolerance", tolerance);
  above_zero("time_limit", time_limit);
  above_zero("first_barrier", first_barrier);
  above_zero("memory", memory);
  if (iterations < 0) throw Error(fmt::format("iterations is {}, expected at least 0", iterations));
  if (print_level < 0 || print_level > 12)
    throw Error(fmt::format("print_level is {}, expected 0 to 12", print_level));
}

}  // namespace amble
