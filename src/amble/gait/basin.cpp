#include "amble/gait/basin.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numeric>

#include "amble/base/error.hpp"
#include "amble/gait/crew.hpp"

namespace amble {

namespace {

constexpr std::size_t kMostCells = 100'000'000;

/// As many along each number that varies, about `total` in all.
std::vector<int> even_cells(const Region& region, int total) {
  const Eigen::Index varying = (region.upper.array() > region.lower.array()).count();
  const int each =
      varying == 0 ? 1 : std::max(1, static_cast<int>(std::lround(std::pow(total, 1.0 / varying))));
  std::vector<int> cells;
  for (Eigen::Index i = 0; i < region.lower.size(); ++i)
    cells.push_back(region.upper[i] > region.lower[i] ? each : 1);
  return cells;
}

std::vector<int> checked_cells(const Region& region, const BasinOptions& options) {
  const std::vector<int> cells = options.cells.empty() ? even_cells(region, options.total) : options.cells;
  if (static_cast<Eigen::Index>(cells.size()) != region.lower.size())
    throw Error(fmt::format("cells are given for {} numbers, but a step starts with {}", cells.size(),
                            region.lower.size()));
  double all = 1.0;
  for (const int n : cells) {
    if (n < 1) throw Error(fmt::format("{} cells along one number of the region: expected 1 or more", n));
    all *= n;
  }
  if (all > static_cast<double>(kMostCells))
    throw Error(fmt::format("{:.3g} cells: expected {} at most", all, kMostCells));
  return cells;
}

struct Fate {
  int cycle, steps;
};

/// Every state that a stable cycle goes through.
struct Target {
  int cycle;
  OwnedVector x;
  double radius;
};

std::vector<Target> targets_of(const StepModel& model, const std::vector<Gait>& cycles, double capture) {
  ReturnMap map(model);
  std::vector<Target> targets;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (!cycles[i].stable()) continue;
    OwnedVector x = cycles[i].x;
    for (int step = 0; step < cycles[i].steps; ++step) {
      targets.push_back({static_cast<int>(i), x, capture * (1.0 + x.norm())});
      x = map(x).x;
    }
  }
  return targets;
}

Fate fate_of(ReturnMap& map, OwnedVector x, const std::vector<Target>& targets, int most_steps) {
  for (int step = 1; step <= most_steps; ++step) {
    const Step next = map(x);
    if (!next.completed) return {Basin::kFell, step};
    x = next.x;
    for (const Target& target : targets)
      if ((x - target.x).norm() < target.radius) return {target.cycle, step};
  }
  return {Basin::kWandered, most_steps};
}

/// sqrt(det) of the metric on the configurations and on the velocities of the section.
double density(StepPhase& phase, const StepModel::Section& section, const OwnedVector& x) {
  const int m = phase.freedoms();
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(m, m);
  if (!phase.mass_matrix(x.data(), M.data())) return std::numeric_limits<double>::quiet_NaN();
  double product = 1.0;
  for (const bool velocities : {false, true}) {
    const Eigen::MatrixXd rows = velocities ? section.lift.bottomRows(m) : section.lift.topRows(m);
    std::vector<Eigen::Index> columns;
    for (Eigen::Index i = 0; i < rows.cols(); ++i)
      if (rows.col(i).squaredNorm() > 0.0) columns.push_back(i);
    const Eigen::MatrixXd some = rows(Eigen::all, columns);
    product *= std::sqrt((some.transpose() * M * some).determinant());
  }
  return product;
}

}  // namespace

OwnedVector Basin::middle(const Region& region, std::size_t cell) const {
  OwnedVector s(static_cast<Eigen::Index>(cells.size()));
  for (std::size_t i = cells.size(); i-- > 0;) {
    const std::size_t n = static_cast<std::size_t>(cells[i]), at = cell % n;
    cell /= n;
    s[i] = region.lower[i] +
           (region.upper[i] - region.lower[i]) * (static_cast<double>(at) + 0.5) / static_cast<double>(n);
  }
  return s;
}

Basin find_basin(const StepModel& model, const std::vector<Gait>& cycles, const Region& region,
                 const BasinOptions& options) {
  Basin basin{.cells = checked_cells(region, options)};
  const std::size_t count =
      std::accumulate(basin.cells.begin(), basin.cells.end(), std::size_t{1},
                      [](std::size_t a, int b) { return a * static_cast<std::size_t>(b); });
  basin.fate.assign(count, Basin::kUnknown), basin.steps.assign(count, 0);
  const std::vector<Target> targets = targets_of(model, cycles, options.capture);
  const StepModel::Section& section = model.section();
  constexpr std::size_t kRow = 64;  // cells that a thread takes at a time
  share_work(
      static_cast<int>((count + kRow - 1) / kRow), options.threads,
      [&] {
        auto map = std::make_shared<ReturnMap>(model, ReturnMap::Options{.tolerance = options.tolerance});
        return [&, map](int row) {
          for (std::size_t i = row * kRow; i < std::min(count, (row + 1) * kRow); ++i) {
            const Fate fate = fate_of(*map, section.lift * basin.middle(region, i) + section.offset, targets,
                                      options.most_steps);
            basin.fate[i] = fate.cycle, basin.steps[i] = fate.steps;
          }
        };
      },
      options.watch);

  const std::unique_ptr<StepModel> own = model.clone();
  double cell_size = 1.0;
  for (std::size_t i = 0; i < basin.cells.size(); ++i)
    if (region.upper[i] > region.lower[i]) cell_size *= (region.upper[i] - region.lower[i]) / basin.cells[i];
  for (std::size_t i = 0; i < count; ++i) {
    if (basin.fate[i] < 0) continue;
    ++basin.converged;
    basin.volume +=
        cell_size * density(own->phase(0), section, section.lift * basin.middle(region, i) + section.offset);
  }
  basin.fraction = static_cast<double>(basin.converged) / static_cast<double>(count);
  return basin;
}

}  // namespace amble
