#include "amble/contact/solvers/friction_solver.hpp"

#include <fmt/ranges.h>

#include "amble/base/error.hpp"
#include "amble/contact/solvers/friction_gauss_seidel.hpp"
#include "amble/contact/solvers/friction_newton.hpp"

namespace amble {

void FrictionOptions::validate() const {
  if (!(tolerance > 0.0)) throw Error(fmt::format("tolerance is {}, expected more than 0", tolerance));
  if (!(loose_tolerance >= 0.0)) throw Error(fmt::format("loose_tolerance is {}, expected 0 or more", loose_tolerance));
  if (iterations < 0) throw Error(fmt::format("iterations is {}, expected at least 0", iterations));
  if (!(relaxation > 0.0 && relaxation < 2.0))
    throw Error(fmt::format("relaxation is {}, expected more than 0 and less than 2", relaxation));
}

namespace {

struct Entry {
  const char* name;
  std::unique_ptr<FrictionSolver> (*make)(const FrictionOptions&);
};

template <class Solver>
std::unique_ptr<FrictionSolver> make(const FrictionOptions& options) {
  return std::make_unique<Solver>(options);
}

// The table: a new solver is one line here.
constexpr Entry kSolvers[] = {
    {"newton", make<FrictionNewton>},
    {"gauss_seidel", make<FrictionGaussSeidel>},
};

}  // namespace

std::vector<std::string> friction_solvers() {
  std::vector<std::string> names;
  for (const Entry& entry : kSolvers) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<FrictionSolver> make_friction_solver(const std::string& name,
                                                     const FrictionOptions& options) {
  for (const Entry& entry : kSolvers)
    if (name == entry.name) return entry.make(options);
  throw Error(
      fmt::format("friction solver '{}', expected one of {}", name, fmt::join(friction_solvers(), ", ")));
}

}  // namespace amble
