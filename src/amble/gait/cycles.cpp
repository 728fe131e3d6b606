#include "amble/gait/cycles.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <mutex>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/base/random.hpp"
#include "amble/gait/crew.hpp"

namespace amble {

namespace {

constexpr int kHalvings = 8;
constexpr double kRounding = 1e-14;  // of |P(x) - x|: what is this small is not made smaller
constexpr double kSame = 1e-6;       // cycles closer than this, relative, are one
constexpr double kSearching = 1e-8;  // tolerance of the integrator before a cycle is polished

struct Miss {
  Step step;
  Eigen::VectorXd difference;  // cycle_miss()
  double size = std::numeric_limits<double>::infinity();
};

Miss miss_of(ReturnMap& map, const VectorRef& x, int steps, ReturnMap::Want want) {
  Miss miss{.step = map.repeat(x, steps, want)};
  if (miss.step.completed) {
    miss.difference = cycle_miss(map.model(), x, miss.step);
    miss.size = miss.difference.norm();
  }
  return miss;
}

/// The sequence of Roberts: multiples of powers of the root of t^(d+1) = t + 1, shifted by the seed.
OwnedVector low_discrepancy(int index, int dimension, std::uint64_t seed) {
  double root = 1.5;
  for (int i = 0; i < 60; ++i) root = std::pow(1.0 + root, 1.0 / (dimension + 1));
  Random random(seed);
  OwnedVector point(dimension);
  double multiple = 1.0;
  for (int i = 0; i < dimension; ++i) {
    multiple /= root;
    const double at = random.uniform() + multiple * (index + 1);
    point[i] = at - std::floor(at);
  }
  return point;
}

/// Of a cycle that repeats after several steps, every state of it is found; it is kept once.
bool same_cycle(ReturnMap& map, const Gait& known, const Gait& found) {
  OwnedVector x = found.x;
  for (int i = 0; i < found.steps; ++i) {
    if ((known.x - x).norm() < kSame * (1.0 + x.norm())) return true;
    const Step step = map(x);
    if (!step.completed) return false;
    x = step.x;
  }
  return false;
}

/// Whether a cycle of several steps is one of fewer.
bool repeats_sooner(ReturnMap& map, const OwnedVector& x, int steps) {
  for (int fewer = 1; fewer < steps; ++fewer)
    if (steps % fewer == 0 && miss_of(map, x, fewer, ReturnMap::Want::state).size < kSame * (1.0 + x.norm()))
      return true;
  return false;
}

}  // namespace

Eigen::VectorXd cycle_miss(StepModel& model, const VectorRef& x, const Step& step) {
  Eigen::VectorXd miss(x.size() + (model.family() ? 1 : 0));
  miss.head(x.size()) = step.x - x;
  if (model.family()) miss.tail(1)[0] = model.member(x.data(), nullptr);
  return miss;
}

Eigen::MatrixXd cycle_jacobian(StepModel& model, const VectorRef& x, const Step& step) {
  const Eigen::Index n = x.size();
  Eigen::MatrixXd J(n + (model.family() ? 1 : 0), n);
  J.topRows(n) = step.derivative - Eigen::MatrixXd::Identity(n, n);
  if (model.family()) {
    Eigen::RowVectorXd gradient(n);
    model.member(x.data(), gradient.data());
    J.bottomRows(1) = gradient;
  }
  return J;
}

Eigen::VectorXd newton_change(const Eigen::MatrixXd& J, const Eigen::VectorXd& right) {
  // Elimination leaves zeros that are zero, as knees that start straight, where they are.
  if (J.rows() == J.cols()) return J.fullPivLu().solve(right);
  return J.colPivHouseholderQr().solve(right);
}

NewtonResult find_cycle(ReturnMap& map, const VectorRef& guess, const NewtonOptions& options) {
  NewtonResult result{.x = guess, .residual = std::numeric_limits<double>::infinity()};
  Miss here = miss_of(map, result.x, options.steps, ReturnMap::Want::derivative);
  result.failure = here.step.failure;
  for (int i = 0; i < options.iterations && here.step.completed; ++i) {
    result.residual = here.size;
    if (here.size <= kRounding * (1.0 + result.x.norm())) break;
    const Eigen::VectorXd change =
        newton_change(cycle_jacobian(map.model(), result.x, here.step), -here.difference);
    double share = 1.0;
    Miss there;
    for (int halving = 0; halving <= kHalvings; ++halving, share *= 0.5) {
      there = miss_of(map, result.x + share * change, options.steps, ReturnMap::Want::derivative);
      if (there.size < (1.0 - 0.1 * share) * here.size || here.size <= options.tolerance) break;
    }
    if (!(there.size < here.size)) break;
    result.x = OwnedVector(result.x + share * change);
    here = std::move(there);
  }
  result.residual = here.size;
  result.converged = here.size <= options.tolerance * (1.0 + result.x.norm());
  return result;
}

Region region_of(const StepModel& model, const std::vector<std::string>& bounds) {
  const StepModel::Section& section = model.section();
  Region region{section.lower, section.upper};
  for (const std::string& text : bounds) {
    const std::size_t equals = text.find('='),
                      colon = text.find(':', equals == std::string::npos ? 0 : equals);
    const std::string name = text.substr(0, equals);
    const auto at = std::find(section.names.begin(), section.names.end(), name);
    if (at == section.names.end())
      throw Error(fmt::format("a region cannot bound '{}'{}: a step starts with {}", name,
                              suggestion(name, section.names), fmt::join(section.names, ", ")));
    double lower = 0.0, upper = 0.0;
    const auto number = [&](std::size_t from, std::size_t to, double& value) {
      const auto [end, problem] = std::from_chars(text.data() + from, text.data() + to, value);
      return problem == std::errc() && end == text.data() + to && std::isfinite(value);
    };
    if (equals == std::string::npos || colon == std::string::npos || !number(equals + 1, colon, lower) ||
        !number(colon + 1, text.size(), upper) || !(lower <= upper))
      throw Error(fmt::format("region '{}': expected name=lower:upper with lower <= upper", text));
    region.lower[at - section.names.begin()] = lower;
    region.upper[at - section.names.begin()] = upper;
  }
  return region;
}

namespace {

/// The work of find_cycles(), shared by threads.
class Hunt {
 public:
  Hunt(const StepModel& model, const Region& region, const CycleSearch& search)
      : model_(model), region_(region), search_(search) {}

  CyclesFound run() {
    share_work(
        search_.starts, search_.threads,
        [this] {
          auto rough = std::make_shared<ReturnMap>(model_, ReturnMap::Options{.tolerance = kSearching});
          auto fine = std::make_shared<ReturnMap>(model_);
          return [=, this](int i) { try_start(i, *rough, *fine); };
        },
        search_.watch);
    return sorted();
  }

 private:
  struct Found {
    int start;
    OwnedVector x;
  };

  void try_start(int i, ReturnMap& rough, ReturnMap& fine) {
    const StepModel::Section& section = model_.section();
    const OwnedVector unit = low_discrepancy(i, section.size(), search_.seed);
    const Eigen::VectorXd s = region_.lower + (region_.upper - region_.lower).cwiseProduct(unit);
    NewtonOptions coarse = search_.newton;
    coarse.tolerance = std::max(coarse.tolerance, 1e-6);
    NewtonResult result = find_cycle(rough, section.lift * s + section.offset, coarse);
    if (result.converged) result = find_cycle(fine, result.x, search_.newton);
    const bool fewer = result.converged && repeats_sooner(fine, result.x, search_.newton.steps);
    const std::lock_guard lock(mutex_);
    ++tried_;
    if (std::isfinite(result.residual)) ++walked_;
    if (!result.failure.empty()) ++failures_[result.failure];
    if (result.converged && !fewer)
      found_.push_back({i, result.x});
    else if (std::isfinite(result.residual) && (!closest_ || result.residual < closest_->residual) &&
             !result.converged)
      closest_ = result;
  }

  /// Everything in the order of the starts, so that threads do not change the answer.
  CyclesFound sorted() {
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.start < b.start; });
    CyclesFound all{.starts = tried_, .walked = walked_};
    ReturnMap map(model_);
    for (const Found& found : found_) {
      const Gait gait = gait_at(map, found.x, search_.newton.steps);
      const auto known = [&](const Gait& other) { return same_cycle(map, other, gait); };
      if (std::none_of(all.cycles.begin(), all.cycles.end(), known)) all.cycles.push_back(gait);
    }
    std::stable_sort(all.cycles.begin(), all.cycles.end(),
                     [](const Gait& a, const Gait& b) { return a.speed > b.speed; });
    if (all.cycles.empty()) all.closest = closest_;
    all.failures.assign(failures_.begin(), failures_.end());
    std::stable_sort(all.failures.begin(), all.failures.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return all;
  }

  const StepModel& model_;
  const Region& region_;
  const CycleSearch& search_;
  std::mutex mutex_;
  int tried_ = 0, walked_ = 0;
  std::vector<Found> found_;
  std::optional<NewtonResult> closest_;
  std::map<std::string, int> failures_;
};

}  // namespace

CyclesFound find_cycles(const StepModel& model, const Region& region, const CycleSearch& search) {
  return Hunt(model, region, search).run();
}

}  // namespace amble
