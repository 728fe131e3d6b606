#include "amble/gait/gait.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>

#include "amble/base/error.hpp"

namespace amble {

namespace {

constexpr double kRank = 1e-9;  // of a landing: singular values below, relative to the largest, are rounding

}  // namespace

std::vector<std::complex<double>> multipliers_of(const Step& step) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(step.landing, Eigen::ComputeThinU);
  const Eigen::VectorXd& sigma = svd.singularValues();
  const Eigen::Index rank = (sigma.array() > kRank * sigma[0]).count();
  const Eigen::MatrixXd basis = svd.matrixU().leftCols(rank);
  const Eigen::VectorXcd values = (basis.transpose() * step.derivative * basis).eigenvalues();
  std::vector<std::complex<double>> sorted(values.begin(), values.end());
  // Of a pair, the one above the real axis first.
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    const double size_a = std::abs(a), size_b = std::abs(b);
    return std::abs(size_a - size_b) > 1e-12 * (size_a + size_b) ? size_a > size_b : a.imag() > b.imag();
  });
  return sorted;
}

Gait gait_at(ReturnMap& map, const VectorRef& x, int steps) {
  const Step varied = map.repeat(x, steps, ReturnMap::Want::derivative);
  const Step booked = map.repeat(x, steps, ReturnMap::Want::books);
  for (const Step* step : {&varied, &booked})
    if (!step->completed) throw Error(fmt::format("this is no gait: the walker {}", step->failure));
  Gait gait{.steps = steps, .x = x};
  gait.footfalls = steps * map.model().footfalls();
  gait.period = varied.period / gait.footfalls;
  gait.step_length = varied.length / gait.footfalls;
  gait.speed = gait.step_length / gait.period;
  gait.multipliers = multipliers_of(varied);
  gait.energy_lost = (booked.lost - booked.damper_work) / gait.footfalls;
  gait.cost_of_transport = gait.energy_lost / (map.model().weight() * gait.step_length);
  gait.residual = (varied.x - x).norm();
  gait.turn = varied.place.turn;
  return gait;
}

}  // namespace amble
