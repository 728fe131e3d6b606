#include "amble/gait/gait_search.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"

namespace amble {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

Vector rest_of(const SearchProblem& problem) {
  return problem.rest.size() ? Vector(problem.rest) : Vector::Zero(problem.phases[0].coordinates.size());
}

Vector parameters_of(const SearchProblem& problem) {
  Vector p(problem.parameters.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) p[i] = problem.parameters[i].start;
  return p;
}

/// A function at rest in a posture of the first phase.
SearchValues at_posture(const SearchProblem& problem, const SearchFunction& f, const Vector& q) {
  const Vector zero = Vector::Zero(q.size()), p = parameters_of(problem);
  SearchValues values(f.rows(), int(q.size()), int(p.size()));
  f.evaluate({q, zero, zero, p}, values);
  return values;
}

// ---- guesses

/// Rows that vanish along directions of posture that step.
Matrix rows_of_steps(const SearchProblem& problem, const Vector& rest) {
  const Eigen::Index n = rest.size();
  Matrix rows = Matrix::Zero(n, n);
  // Through the resets of all phases, one after the other.
  Matrix turned = Matrix::Identity(n, n);
  Vector posture = rest;
  for (const SearchPhase& phase : problem.phases) {
    SearchValues reset = at_posture(problem, *phase.reset, posture);
    const Eigen::Index next = reset.value.size() / 2;
    turned = (reset.by_q().topRows(next) * turned).eval();
    posture = Vector(reset.value.head(next));
  }
  rows = turned + Matrix::Identity(n, n);
  for (const SearchCondition& c : problem.phases[0].conditions) {
    if (c.where != SearchCondition::Where::start || c.lower != c.upper) continue;
    const Matrix more = at_posture(problem, *c.function, rest).by_q();
    rows.conservativeResize(rows.rows() + more.rows(), n);
    rows.bottomRows(more.rows()) = more;
  }
  return rows;
}

double step_at(const SearchProblem& problem, const Vector& q) {
  return at_posture(problem, *problem.step_length, q).value[0];
}

/// Which coordinate of the first phase each of a phase is, by name; -1: none.
std::vector<int> coordinates_of_first(const SearchProblem& problem, std::size_t phase) {
  const std::vector<std::string>& first = problem.phases[0].coordinates;
  std::vector<int> from;
  for (const std::string& name : problem.phases[phase].coordinates) {
    const auto at = std::find(first.begin(), first.end(), name);
    from.push_back(at == first.end() ? -1 : int(at - first.begin()));
  }
  return from;
}

/// How far along the direction the step has the wanted length, by the secant method.
double amplitude(const SearchProblem& problem, const Vector& rest, const Vector& d, double wanted) {
  double before = 0.0, value_before = step_at(problem, rest), now = 0.1;
  for (int i = 0; i < 20; ++i) {
    const double value = step_at(problem, rest + now * d), change = value - value_before;
    if (!std::isfinite(value) || change == 0.0) break;
    const double next = now + std::clamp((wanted - value) * (now - before) / change, -0.5, 0.5);
    before = now, value_before = value, now = next;
    if (std::abs(now - before) < 1e-9) break;
  }
  return std::clamp(now, -1.5, 1.5);
}

/// From 1 to -1: between a leg that swings like a pendulum and one that turns evenly.
double sweep(double s) { return 0.5 * (std::cos(std::numbers::pi * s) + 1.0 - 2.0 * s); }

struct Guess {
  double step_length, duration;
};

// In leg lengths and pendulum times; the first ones are those of people and of passive walkers.
constexpr double kSteps[] = {0.6, 0.4, 0.8, 0.25};
constexpr double kTimes[] = {2.2, 1.7, 3.0};

std::vector<Guess> guesses(const SearchProblem& problem, const GaitSearchSettings& settings) {
  std::vector<Guess> all;
  double stretch = 1.0;  // with a speed the step decides the duration: further rounds try steps in between
  for (double time : kTimes) {
    for (double step : kSteps) {
      const double length = step * problem.leg_length;
      if (settings.program.speed)
        all.push_back({length * stretch, length * stretch / *settings.program.speed});
      else
        all.push_back({length, time * problem.pendulum_time()});
    }
    stretch *= 0.85;
  }
  all.resize(std::min<std::size_t>(all.size(), settings.starts));
  return all;
}

// ---- one start

FoundGait describe(const GaitProgram& program, const NlpResult& result) {
  FoundGait gait{.motion = program.motion_of(result.x), .objective = result.objective};
  gait.duration = gait.motion.duration();
  gait.q = gait.motion.phases[0].position(0.0);
  gait.v = gait.motion.phases[0].velocity(0.0);
  SearchValues step(1, int(gait.q.size()), int(gait.motion.parameters.size()));
  const Vector zero = Vector::Zero(gait.q.size());
  program.problem().step_length->evaluate({gait.q, gait.v, zero, gait.motion.parameters}, step);
  gait.step_length = step.value[0];
  gait.speed = gait.step_length / gait.duration;
  gait.status = result.status;
  gait.certificate = result.certificate;
  gait.multipliers = result.multipliers;
  gait.iterations = result.iterations;
  return gait;
}

bool same_gait(const FoundGait& a, const FoundGait& b, double tolerance) {
  const auto close = [&](double x, double y) {
    return std::abs(x - y) <= tolerance * std::max({std::abs(x), std::abs(y), 1e-2});
  };
  return close(a.objective, b.objective) && close(a.duration, b.duration) &&
         (a.q - b.q).norm() <= tolerance * (1.0 + a.q.norm()) &&
         (a.v - b.v).norm() <= 10.0 * tolerance * (1.0 + a.v.norm());
}

/// A search that is under way: its programs are built once.
class Search {
 public:
  Search(const SearchProblem& problem, const GaitSearchSettings& settings)
      : settings_(settings), full_(problem, settings.program), low_(problem, lowered(settings)) {
    result_.closest.certificate.primal = kInfinity;
    for (const SearchParameter& p : problem.parameters) designs_ = designs_ || p.lower < p.upper;
  }

  double time_left() const { return std::max(1e-9, settings_.time_limit - seconds_since(began_)); }
  bool over() const { return over_ || seconds_since(began_) > settings_.time_limit; }

  /// What became of a start elsewhere.
  void note(const SearchAttempt& attempt) {
    over_ = over_ || attempt.status == NlpStatus::interrupted;
    result_.attempts.push_back(attempt);
  }

  /// With parameters to design, the gait of the parameters as they are is found first: from a step that is
  /// none yet, masses and springs would run away.
  void try_from(const StepMotion& start, const Guess& guess) {
    full_.hold_parameters(designs_), low_.hold_parameters(designs_);
    full_.set_start(start);
    NlpResult r = solve_one(full_);
    if (!r.solved() && !over() && settings_.low_order < settings_.program.order)
      r = by_low_order(start, std::move(r));
    if (designs_ && !over()) r = with_parameters(r);
    result_.attempts.push_back({guess.step_length, guess.duration, r.status, r.message, r.objective,
                                r.certificate.primal, r.iterations});
    add(describe(full_, r), r.solved());
  }

  GaitSearchResult take() {
    if (result_.gaits.size() > std::size_t(settings_.most)) result_.gaits.resize(settings_.most);
    result_.seconds = seconds_since(began_);
    return std::move(result_);
  }

 private:
  static GaitProgramSettings lowered(const GaitSearchSettings& settings) {
    GaitProgramSettings low = settings.program;
    low.order = std::min(settings.low_order, low.order);
    return low;
  }

  NlpResult solve_one(GaitProgram& program) {
    NlpSettings solver = settings_.solver;
    solver.time_limit = std::min(solver.time_limit, time_left());
    NlpResult r = solve(program, solver);
    over_ = over_ || r.status == NlpStatus::interrupted;
    return r;
  }

  NlpResult with_parameters(const NlpResult& held) {
    full_.hold_parameters(false);
    full_.set_start(full_.motion_of(held.x));
    NlpResult r = solve_one(full_);
    r.iterations += held.iterations;
    return r;
  }

  NlpResult by_low_order(const StepMotion& start, NlpResult failed) {
    StepMotion low_start = start;
    for (Trajectory& t : low_start.phases) t = lowered_to(t, low_.settings().order);
    low_.set_start(low_start);
    const NlpResult low = solve_one(low_);
    if (!low.solved() || over()) return failed;
    full_.set_start(low_.motion_of(low.x));
    NlpResult again = solve_one(full_);
    again.iterations += low.iterations + failed.iterations;
    return again;
  }

  static Trajectory lowered_to(const Trajectory& t, int order) {
    if (t.order() <= order) return t;
    Trajectory low = t.in(Basis::chebyshev);  // where what is cut off is small
    low.coefficients = OwnedMatrix(Matrix(low.coefficients.leftCols(order + 1)));
    return low;
  }

  void add(FoundGait gait, bool solved) {
    if (!solved) {
      if (result_.gaits.empty() && gait.certificate.primal < result_.closest.certificate.primal)
        result_.closest = std::move(gait);
      return;
    }
    auto& gaits = result_.gaits;
    for (const FoundGait& other : gaits)
      if (same_gait(gait, other, settings_.same)) return;
    const auto place =
        std::upper_bound(gaits.begin(), gaits.end(), gait,
                         [](const FoundGait& a, const FoundGait& b) { return a.objective < b.objective; });
    gaits.insert(place, std::move(gait));
  }

  GaitSearchSettings settings_;
  GaitProgram full_, low_;
  GaitSearchResult result_;
  Clock::time_point began_ = Clock::now();
  bool over_ = false, designs_ = false;
};

bool interrupted(const GaitSearchResult& result) {
  return !result.attempts.empty() && result.attempts.back().status == NlpStatus::interrupted;
}

// ---- speeds first

// In sqrt(gravity leg_length): from slow passive walkers to people in a hurry.
constexpr double kSlowest = 0.1, kFastest = 0.42, kScanStep = 0.55;
constexpr std::size_t kReleased = 3;

/// The parameters as they are.
SearchProblem undesigned(SearchProblem problem) {
  for (SearchParameter& p : problem.parameters) p.lower = p.upper = p.start;
  problem.ties.clear();
  return problem;
}

/// With a speed given there is mostly one optimum, found in few steps. So gaits at several speeds come first,
/// and the best of them are then let go. False where no speed can be asked for: a passive walker has those it
/// has.
bool scan_speeds(const SearchProblem& problem, const GaitSearchSettings& settings, Search& search) {
  const SearchProblem plain = undesigned(problem);
  const double scale = problem.leg_length / problem.pendulum_time();
  std::vector<FoundGait> seen;
  for (int i = 0; i < settings.starts && !search.over(); ++i) {
    GaitSearchSettings here = settings;
    here.program.speed = scale * (kSlowest + (kFastest - kSlowest) * (i + 0.5) / settings.starts);
    here.solver.tolerance = std::max(here.solver.tolerance, 1e-6);  // only to start from
    here.time_limit = search.time_left();
    const Guess guess{kScanStep * problem.leg_length, kScanStep * problem.leg_length / *here.program.speed};
    Search one(plain, here);
    one.try_from(step_guess(plain, guess.step_length, guess.duration, here.program.order), guess);
    GaitSearchResult found = one.take();
    if (found.attempts[0].status == NlpStatus::overdetermined) return false;
    search.note(found.attempts[0]);
    for (FoundGait& gait : found.gaits) seen.push_back(std::move(gait));
  }
  std::stable_sort(seen.begin(), seen.end(),
                   [](const FoundGait& a, const FoundGait& b) { return a.objective < b.objective; });
  for (std::size_t i = 0; i < std::min(seen.size(), kReleased) && !search.over(); ++i)
    search.try_from(seen[i].motion, {seen[i].step_length, seen[i].duration});
  return true;
}

/// The same shape of step at another speed.
StepMotion at_speed(const FoundGait& gait, double speed) {
  StepMotion motion = gait.motion;
  for (Trajectory& t : motion.phases) t.duration *= gait.speed / speed;
  return motion;
}

}  // namespace

void GaitSearchSettings::validate() const {
  program.validate();
  solver.validate();
  if (starts < 1) throw Error(fmt::format("starts is {}, expected at least 1", starts));
  if (low_order < 3) throw Error(fmt::format("low_order is {}, expected at least 3", low_order));
  if (most < 1) throw Error(fmt::format("most is {}, expected at least 1", most));
  if (!(same > 0.0)) throw Error(fmt::format("same is {}, expected more than 0", same));
  if (!(time_limit > 0.0)) throw Error(fmt::format("time_limit is {}, expected more than 0", time_limit));
}

bool merge(GaitSearchResult& to, GaitSearchResult from, const GaitSearchSettings& settings) {
  const double best = to.found() ? to.gaits[0].objective : kInfinity;
  if (from.closest.certificate.primal < to.closest.certificate.primal) to.closest = std::move(from.closest);
  for (FoundGait& gait : from.gaits) {
    const auto same = [&](const FoundGait& g) { return same_gait(g, gait, settings.same); };
    if (std::any_of(to.gaits.begin(), to.gaits.end(), same)) continue;
    to.gaits.push_back(std::move(gait));
  }
  std::stable_sort(to.gaits.begin(), to.gaits.end(),
                   [](const FoundGait& a, const FoundGait& b) { return a.objective < b.objective; });
  if (to.gaits.size() > std::size_t(settings.most)) to.gaits.resize(settings.most);
  to.attempts.insert(to.attempts.end(), from.attempts.begin(), from.attempts.end());
  to.seconds += from.seconds;
  return to.found() && to.gaits[0].objective < best * (1.0 - settings.same);
}

OwnedVector step_direction(const SearchProblem& problem) {
  problem.validate();
  const Vector rest = rest_of(problem);
  const Vector slope = at_posture(problem, *problem.step_length, rest).by_q().transpose();
  const Eigen::JacobiSVD<Matrix> svd(rows_of_steps(problem, rest), Eigen::ComputeFullV);
  const Vector sigma = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < sigma.size() && sigma[rank] > 1e-6 * std::max(1.0, sigma[0])) ++rank;
  // Nothing is turned round: what comes nearest to it.
  rank = std::min<Eigen::Index>(rank, rest.size() - 1);
  const Matrix free = svd.matrixV().rightCols(rest.size() - rank);
  Vector d = free * (free.transpose() * slope);
  if (d.norm() < 1e-9) d = free.col(0);
  return d / d.cwiseAbs().maxCoeff();
}

StepMotion step_guess(const SearchProblem& problem, double step_length, double duration, int order) {
  const Vector rest = rest_of(problem);
  const OwnedVector d = step_direction(problem);
  const double size = amplitude(problem, rest, d, step_length);
  const OwnedVector s = interpolation_nodes(order);
  StepMotion motion{.parameters = parameters_of(problem)};
  const double phases = double(problem.phases.size());
  for (std::size_t i = 0; i < problem.phases.size(); ++i) {
    const std::vector<int> from = coordinates_of_first(problem, i);
    OwnedMatrix samples(Eigen::Index(from.size()), order + 1);
    for (int j = 0; j <= order; ++j) {
      Vector posture = rest + size * sweep((double(i) + s[j]) / phases) * d;
      if (i == 0 && problem.bend.size() > 0)
        posture += std::pow(std::sin(std::numbers::pi * s[j]), 2) * problem.bend;
      for (std::size_t k = 0; k < from.size(); ++k)
        samples(Eigen::Index(k), j) = from[k] < 0 ? 0.0 : posture[from[k]];
    }
    motion.phases.push_back(interpolate(duration / phases, samples));
  }
  return motion;
}

GaitSearchResult search_gaits(const SearchProblem& problem, const GaitSearchSettings& settings) {
  settings.validate();
  Search search(problem, settings);
  if (!settings.program.speed && scan_speeds(problem, settings, search)) return search.take();
  for (const Guess& guess : guesses(problem, settings)) {
    if (search.over()) break;
    search.try_from(step_guess(problem, guess.step_length, guess.duration, settings.program.order), guess);
  }
  return search.take();
}

GaitSearchResult search_gaits_from(const SearchProblem& problem, const StepMotion& start,
                                   const GaitSearchSettings& settings) {
  settings.validate();
  Search search(problem, settings);
  search.try_from(start, {0.0, start.duration()});
  return search.take();
}

std::vector<GaitSearchResult> search_speeds(const SearchProblem& problem, const std::vector<double>& speeds,
                                            const GaitSearchSettings& settings) {
  settings.validate();
  const Clock::time_point began = Clock::now();
  std::vector<GaitSearchResult> all(speeds.size());
  bool over = false, better = true;
  const auto search = [&](std::size_t i, const StepMotion* start) {
    GaitSearchSettings s = settings;
    s.program.speed = speeds[i];
    s.time_limit = settings.time_limit - seconds_since(began);
    over = over || s.time_limit <= 0.0;
    if (over) return false;
    GaitSearchResult found = start ? search_gaits_from(problem, *start, s) : search_gaits(problem, s);
    over = interrupted(found);
    return merge(all[i], std::move(found), settings);
  };
  const auto from_neighbour = [&](std::size_t i, std::size_t neighbour) {
    if (!all[neighbour].found()) return false;
    const StepMotion start = at_speed(all[neighbour].gaits[0], speeds[i]);
    return search(i, &start);
  };
  for (std::size_t i = 0; i < all.size(); ++i) search(i, nullptr);
  for (int round = 0; better && !over && round < settings.rounds; ++round) {
    better = false;
    for (std::size_t i = 1; i < all.size(); ++i) better |= from_neighbour(i, i - 1);
    for (std::size_t i = all.size(); i-- > 1;) better |= from_neighbour(i - 1, i);
  }
  return all;
}

}  // namespace amble
