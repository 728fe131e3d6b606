#include "amble/gait/gait.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "amble/base/error.hpp"

namespace amble {

const Gait& most_stable(const std::vector<Gait>& gaits) {
  return *std::min_element(gaits.begin(), gaits.end(),
                           [](const Gait& a, const Gait& b) { return std::abs(a.leading()) < std::abs(b.leading()); });
}

std::vector<std::complex<double>> multipliers_of(const Step& step) {
  OwnedMatrix basis = step.image;
  for (Eigen::Index before = 0; basis.cols() != before;) {
    before = basis.cols();
    basis = range_of(step.derivative * basis);
  }
  const Eigen::VectorXcd values = (basis.transpose() * step.derivative * basis).eigenvalues();
  std::vector<std::complex<double>> sorted(values.begin(), values.end());
  // Of a pair, the one above the real axis first.
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    const double size_a = std::abs(a), size_b = std::abs(b);
    return std::abs(size_a - size_b) > 1e-12 * (size_a + size_b) ? size_a > size_b : a.imag() > b.imag();
  });
  return sorted;
}

std::complex<double> Gait::leading() const {
  std::vector<std::complex<double>> others = multipliers;
  for (int i = 0; i < neutral && !others.empty(); ++i)
    others.erase(std::min_element(others.begin(), others.end(), [](const auto& a, const auto& b) {
      return std::abs(a - 1.0) < std::abs(b - 1.0);
    }));
  return others.empty() ? 0.0 : others.front();
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
  gait.neutral = map.model().family() ? 1 : 0;
  gait.energy_supplied = booked.supplied / gait.footfalls;
  gait.energy_lost = (booked.lost - booked.damper_work) / gait.footfalls;
  gait.cost_of_transport = gait.energy_lost / (map.model().weight() * gait.step_length);
  gait.residual = (varied.x - x).norm();
  gait.turn = varied.place.turn;
  return gait;
}

}  // namespace amble
