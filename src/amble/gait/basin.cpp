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

/// Every state that a stable cycle goes through.
std::vector<Catch> catches_of(const StepModel& model, const std::vector<Gait>& cycles, double capture) {
  ReturnMap map(model);
  std::vector<Catch> catches;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (!cycles[i].stable()) continue;
    OwnedVector x = cycles[i].x;
    for (int step = 0; step < cycles[i].steps; ++step) {
      catches.push_back({static_cast<int>(i), x, capture * (1.0 + x.norm())});
      x = map(x).x;
    }
  }
  return catches;
}

/// Writes the state that the cell `i` starts from.
using Start = std::function<void(std::size_t i, double* x)>;
using Done = std::function<void(std::size_t i, const Fate& fate, const double* x)>;

Fate fate_of(ReturnMap& map, OwnedVector x, const FateOptions& options) {
  for (int step = 1; step <= options.most_steps; ++step) {
    const Step next = map(x);
    if (!next.completed) return {Fate::kFell, step};
    x = next.x;
    for (const Catch& each : options.catches)
      if (each.holds(x)) return {each.cycle, step};
  }
  return {Fate::kWandered, options.most_steps};
}

/// Follows the cells from `begin` to `end` one by one.
void follow(ReturnMap& map, const FateOptions& options, std::size_t begin, std::size_t end,
            const Start& start, const Done& done) {
  OwnedVector x(map.size());
  for (std::size_t i = begin; i < end; ++i) start(i, x.data()), done(i, fate_of(map, x, options), x.data());
}

/// Shares the cells among threads, in rows so long that few lanes run empty at their ends.
void follow_all(const StepModel& model, const FateOptions& options, bool lanes, std::size_t count,
                int threads, const Start& start, const Done& done, const std::function<bool(double)>& watch) {
  const std::size_t row = lanes ? std::clamp<std::size_t>(count / 16, 512, 8192) : 64;
  share_work(
      static_cast<int>((count + row - 1) / row), threads,
      [&]() -> std::function<void(int)> {
        const auto each = [&start, &done, row, count](auto follow) {
          return [=, &start, &done](int i) { follow(i * row, std::min(count, (i + 1) * row), start, done); };
        };
        if (lanes) {
          const auto crowd = std::make_shared<LaneFates>(model, options);
          return each([crowd](auto... all) { crowd->follow(all...); });
        }
        const auto map =
            std::make_shared<ReturnMap>(model, ReturnMap::Options{.tolerance = options.tolerance});
        return each([map, &options](auto... all) { follow(*map, options, all...); });
      },
      watch);
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
  const StepModel::Section& section = model.section();
  const FateOptions fates{catches_of(model, cycles, options.capture), options.most_steps, options.tolerance};
  const Start start = [&](std::size_t i, double* x) {
    Eigen::Map<Eigen::VectorXd>(x, section.offset.size()) =
        section.lift * basin.middle(region, i) + section.offset;
  };
  const Done done = [&](std::size_t i, const Fate& fate, const double*) {
    basin.fate[i] = fate.cycle, basin.steps[i] = fate.steps;
  };
  follow_all(model, fates, options.lanes, count, options.threads, start, done, options.watch);

  const std::unique_ptr<StepModel> own = model.clone();
  double cell_size = 1.0;
  for (std::size_t i = 0; i < basin.cells.size(); ++i)
    if (region.upper[i] > region.lower[i]) cell_size *= (region.upper[i] - region.lower[i]) / basin.cells[i];
  for (std::size_t i = 0; i < count; ++i) {
    if (basin.fate[i] != Basin::kUnknown) ++basin.followed;
    if (basin.fate[i] < 0) continue;
    ++basin.converged;
    basin.volume +=
        cell_size * density(own->phase(0), section, section.lift * basin.middle(region, i) + section.offset);
  }
  if (basin.followed > 0) basin.fraction = static_cast<double>(basin.converged) / static_cast<double>(basin.followed);
  return basin;
}

}  // namespace amble
