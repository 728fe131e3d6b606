#include "amble/contact/solvers/friction_gauss_seidel.hpp"

namespace amble {

namespace {

constexpr int kSweeps = 10000;
constexpr int kLook = 5;  // sweeps between two looks at the residual, which cost about as much as a sweep

}  // namespace

FrictionGaussSeidel::FrictionGaussSeidel(const FrictionOptions& options) : options_(options) { options.validate(); }

void FrictionGaussSeidel::reserve(int dimension, int blocks, int rows) {
  scaled_.reserve(dimension, blocks, rows);
  reserve_solution(solution_, dimension, rows);
}

const FrictionSolution& FrictionGaussSeidel::solve(const FrictionProblem& problem, std::span<const double> guess) {
  scaled_.load(problem, guess);
  const int most = options_.iterations > 0 ? options_.iterations : kSweeps;
  const double target = options_.tolerance * scaled_.scale();
  int sweeps = 0;
  double natural = scaled_.refresh();
  while (natural > target && sweeps < most) {
    for (int i = 0; i < kLook && sweeps < most; ++i, ++sweeps) scaled_.sweep(options_.relaxation);
    natural = scaled_.refresh();
  }
  conclude(problem, scaled_, options_.tolerance, sweeps, solution_);
  return solution_;
}

}  // namespace amble
