#include "amble/contact/solvers/friction_newton.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace amble {

namespace {

using Block = ScaledFriction::Block;

// The proximal term, against ones on the diagonal, is the residual relative to the scale within these: rounding leaves about
// 1e-16 / proximal of redundant forces undetermined, and what is stiffer is solved in one or two passes. A smaller one lets
// redundant forces go far while modes are not right yet: with 1e-9 throughout, falls took three times as many linear systems. A
// larger one would not come to the end where forces are nearly redundant.
constexpr double kLeastProximal = 1e-9, kMostProximal = 1e-5;
constexpr int kPasses = 5;
constexpr double kBetter = 0.7;  // of the merit before: what is left after a good step
constexpr double kNear = 1e-2;   // the proximal term of shorter steps
constexpr double kMuchBetter = 0.05;  // of the merit before: other modes are then not tried
constexpr double kEdge = 1.0 - 1e-9, kConeEdge = 1.0 - 1e-7;  // of what friction allows: forces that slip
// Linear systems, after which the loose tolerance does: where things move, and where they lie still, as what is left would keep
// them from coming to rest.
constexpr int kHard = 12, kHardStill = 40;
constexpr double kLoose = 10.0;  // of the tolerance: what does in between
constexpr int kLenient = 20;     // problems that lie still, of which forces do as they are after one that was hard
constexpr int kLimits = 8;       // places that are looked at on the way back from a step
constexpr double kPast = 1.0 + 1e-9, kApart = 1.0001;  // just past such a place; how far the next one is at least
// Passes go on until little of the target is left, which costs next to nothing: where all is at rest, the
// forces then do for the next step as they are.
constexpr double kSettled = 1e-3;
// How far f - kReach u looks for other modes. Any positive number would do; with many contacts on one body 1
// looks too far where forces of the step before are nearly right.
constexpr double kReach = 0.3;
// Forces of the step before do as they are where they reach the target. If they were found anew there, they
// may have had to stop a motion: only where they leave this share of the target did they not, and go on to
// balance.
constexpr double kSteady = 0.3;
constexpr int kManyRows = 200;  // then finding them anew costs more than it saves
constexpr int kSteps = 20;
constexpr int kPatience = 20;  // steps without a better one than before
constexpr int kMostSolves = 8000;
constexpr double kMostWork = 2e10;  // rows^3 / 3 of all linear systems: some seconds, however many rows there are
constexpr int kMostFailures = 2;  // in a row, that halve the linear systems to be solved

}  // namespace

FrictionNewton::FrictionNewton(const FrictionOptions& options)
    : options_(options), given_solves_(options.iterations > 0 ? options.iterations : kMostSolves) {
  options.validate();
}

void FrictionNewton::reserve(int dimension, int blocks, int rows) {
  scaled_.reserve(dimension, blocks, rows);
  reserve_solution(solution_, dimension, rows);
  linear_.reserve(rows);
  splitting_.reserve(rows);
  path_.reserve(dimension, rows);
  active_.reserve(rows);
  limits_.reserve(3 * rows);
  G_.reserve(static_cast<std::size_t>(rows) * rows);
  known_.reserve(static_cast<std::size_t>(rows) * rows);
  for (auto* list : {&right_, &best_, &start_, &far_, &from_}) list->reserve(rows);
}

const FrictionSolution& FrictionNewton::solve(const FrictionProblem& problem, std::span<const double> guess) {
  scaled_.load(problem, guess);
  const int n = scaled_.rows();
  G_.resize(static_cast<std::size_t>(n) * n);
  known_.assign(static_cast<std::size_t>(scaled_.size()) * scaled_.size(), 0);
  for (auto* list : {&right_, &best_, &start_, &far_, &from_}) list->resize(n);
  linear_.reserve(n), active_.reserve(n), limits_.reserve(3 * n);  // whatever modes come
  solves_ = 0;
  most_solves_ = n > 0 ? static_cast<int>(std::min<double>(given_solves_, 1.0 + 3.0 * kMostWork / std::pow(n, 3))) : given_solves_;
  natural_ = scaled_.refresh();
  best_natural_ = HUGE_VAL;
  moves_ = !still();
  std::copy(scaled_.f(), scaled_.f() + n, from_.begin());
  contradiction_ = -1;
  fresh_ = std::all_of(from_.begin(), from_.end(), [](double f) { return f == 0.0; });
  if (fresh_) wait_ = 0, failures_ = 0, coasts_ = false;
  leniency_ = moves_ || fresh_ ? 0 : std::max(leniency_ - 1, 0);
  lenient_ = leniency_ > 0 && natural_ <= options_.loose_tolerance * scaled_.scale();
  const bool many = n > kManyRows, good = lenient_ || natural_ <= (coasts_ || many ? 1.0 : kSteady) * target();
  if (!good && !(!many && settle()) && !search()) restore(best_);
  coasts_ = solves_ == 0;
  if (!moves_ && solves_ > kHard) leniency_ = kLenient;
  failures_ = natural_ <= target() ? 0 : std::min(failures_ + 1, kMostFailures);
  conclude(problem, scaled_, tolerance(), solves_, solution_);
  if (contradiction_ >= 0) {
    solution_.status = FrictionStatus::inconsistent;
    solution_.certificate.worst_block = contradiction_;
  }
  return solution_;
}

double FrictionNewton::tolerance() const {
  const double strict = options_.tolerance, loose = std::max(strict, options_.loose_tolerance);
  if (lenient_) return loose;
  if (solves_ <= kHard) return strict;
  return moves_ || solves_ > kHardStill ? loose : std::min(kLoose * strict, loose);
}

/// Forces that meet the target: from those to start from, then from elsewhere.
bool FrictionNewton::search() {
  keep_best();
  if (natural_ <= target()) return true;
  return (!fresh_ && step_from_guess()) || iterate(kSteps) || rescue() || start_afresh();
}

/// True when the target is reached. Steps that make things worse are shortened; where that helps nothing they
/// are taken all the same: other modes are tried that way.
bool FrictionNewton::iterate(int steps, bool stubborn) {
  double least = HUGE_VAL;
  for (int k = 0, better = 0; k < steps; ++k) {
    keep_best();
    if (best_natural_ <= target()) return restore(best_), true;
    if (natural_ < 0.9 * least) least = natural_, better = k;
    if (tired() || k - better > kPatience) return false;
    const double merit = scaled_.merit();
    if (!step()) return false;
    if (natural_ <= target() || scaled_.merit() < kBetter * merit || stay_near(merit)) continue;
    if (!stubborn) return false;
    go_back(merit);
  }
  keep_best();
  return best_natural_ <= target() && (restore(best_), true);
}

/// The first step: with the modes that f - u tells, and with those that the forces of the step before have, as slips are
/// smaller than what u is off by. The better one stays. True when the target is reached.
bool FrictionNewton::step_from_guess() {
  const auto merit_of_step = [&](bool remembers) {
    remembers_ = remembers;
    const bool done = step();
    remembers_ = false;
    if (done) keep_best();
    return done ? scaled_.merit() : HUGE_VAL;
  };
  const double before = scaled_.merit(), merit = merit_of_step(false);
  if (best_natural_ <= target()) return true;
  if (merit < kMuchBetter * before) return false;
  std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), far_.begin());
  restore(from_);
  if (merit_of_step(true) > merit) restore(far_);
  return best_natural_ <= target() && (restore(best_), true);
}

/// A shorter step from where the last one started, by a larger proximal term; true when it makes things better.
bool FrictionNewton::stay_near(double merit) {
  keep_best();
  std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), far_.begin());
  proximal_ = kNear;
  restore(start_);
  form_matrix();
  const bool better = solve_linear(1) && (natural_ <= target() || scaled_.merit() < kBetter * merit);
  if (!better) restore(far_);
  return better;
}

/// From a step that made things worse back to where forces first leave what their laws allow, or the best of the next
/// few such places: what reaches its limit there changes its mode. Where forces are redundant and modes not right yet, steps
/// are far too long. Where that helps nothing the step is taken all the same: other modes are tried that way.
void FrictionNewton::go_back(double merit) {
  double best = HUGE_VAL, best_share = 1.0, last = 0.0;
  find_limits();
  for (int k = 0; k < kLimits && !limits_.empty(); ++k) {
    std::pop_heap(limits_.begin(), limits_.end(), std::greater<>());
    const double share = limits_.back() * kPast;
    limits_.pop_back();
    if (share < kApart * last) continue;
    last = share;
    go_to(share);
    keep_best();
    if (const double there = scaled_.merit(); there < best)
      best = there, best_share = share;
    else if (best <= merit)
      break;
  }
  go_to(best <= merit ? best_share : 1.0);
}

/// To a share of the way from where the step started to where it led.
void FrictionNewton::go_to(double share) {
  for (int r = 0; r < scaled_.rows(); ++r) scaled_.f()[r] = start_[r] + share * (far_[r] - start_[r]);
  natural_ = scaled_.refresh();
}

/// Shares of the step at which forces reach what their laws allow.
void FrictionNewton::find_limits() {
  limits_.clear();
  const auto add = [&](double share) {
    if (share > 1e-14 && share < 1.0) limits_.push_back(share);
  };
  for (const Active& a : active_) {
    const Block& b = scaled_.block(a.block);
    const double* f = start_.data() + b.row;
    double d[3];
    for (int r = 0; r < b.rows; ++r) d[r] = far_[b.row + r] - f[r];
    if (b.kind == FrictionKind::bilateral) continue;
    if (b.kind == FrictionKind::box) {
      if (d[0] != 0.0) add((std::copysign(b.bound, d[0]) - f[0]) / d[0]);
      continue;
    }
    if (d[0] < 0.0) add(-f[0] / d[0]);
    if (b.kind != FrictionKind::contact || a.mode == Mode::slide) continue;
    // mu^2 (f_n + t d_n)^2 = |f_t + t d_t|^2
    const double m = b.mu * b.mu, A = m * d[0] * d[0] - d[1] * d[1] - d[2] * d[2],
                 h = m * f[0] * d[0] - f[1] * d[1] - f[2] * d[2], c = m * f[0] * f[0] - f[1] * f[1] - f[2] * f[2];
    const double inside = h * h - A * c;
    if (inside < 0.0 || c < 0.0) continue;
    for (const double bottom : {-h - std::sqrt(inside), -h + std::sqrt(inside)})
      if (bottom > 0.0) add(c / bottom);
  }
  std::make_heap(limits_.begin(), limits_.end(), std::greater<>());
}

bool FrictionNewton::step() {
  // what is softened has forces that no proximal term should hold back
  proximal_ = scaled_.softness() > 0.0 ? kLeastProximal : std::clamp(natural_ / scaled_.scale(), kLeastProximal, kMostProximal);
  choose_modes();
  std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), start_.begin());
  form_matrix();
  return solve_linear(kPasses);
}

void FrictionNewton::choose_modes() {
  active_.clear();
  bool moved = false;
  int unknown = 0;
  for (int i = 0; i < scaled_.size(); ++i) {
    const Block& b = scaled_.block(i);
    Active a{i, unknown, b.rows, Mode::stick, {1.0, 0.0}, 0.0};
    if (!choose_mode(b, a, moved)) continue;
    unknown += a.unknowns;
    active_.push_back(a);
  }
  linear_.start(unknown);
  if (moved) natural_ = scaled_.refresh();
}

/// False where the force is known: nothing of an open block, the bound of a box. Forces are put where the
/// mode has them.
bool FrictionNewton::choose_mode(const Block& b, Active& a, bool& moved) {
  if (remembers_) return remember_mode(b, a);
  double *const f = scaled_.f() + b.row, *const u = scaled_.u() + b.row;
  const auto set = [&](double& force, double value) {
    moved = moved || force != value;
    force = value;
  };
  const double z = f[0] - kReach * u[0];
  if (b.kind == FrictionKind::bilateral) return true;
  if (b.kind == FrictionKind::box) {
    if (std::abs(z) <= b.bound) return true;
    set(f[0], std::copysign(b.bound, z));
    return false;
  }
  if (z <= 0.0) {
    for (int r = 0; r < b.rows; ++r) set(f[r], 0.0);
    return false;
  }
  if (b.kind == FrictionKind::unilateral) return true;
  const double z1 = f[1] - kReach * u[1], z2 = f[2] - kReach * u[2], radius = b.mu * z,
               square = z1 * z1 + z2 * z2;
  if (square <= radius * radius && b.mu > 0.0) return true;
  const double length = std::sqrt(square);
  a.mode = Mode::slide;
  a.unknowns = b.mu > 0.0 ? 2 : 1;
  if (length > 0.0) a.d[0] = z1 / length, a.d[1] = z2 / length;
  // f_t = mu f_n d, and across d what Newton makes of d turning: (1 - k) f + k kReach u = 0 there, k = radius
  // / |z|.
  const double k = std::max(radius / length, 1e-12);
  const double along = b.mu * f[0], across = b.mu > 0.0 ? a.d[0] * f[2] - a.d[1] * f[1] : 0.0;
  a.compliance = (1.0 - k) / (k * kReach);
  set(f[1], along * a.d[0] - across * a.d[1]);
  set(f[2], along * a.d[1] + across * a.d[0]);
  return true;
}

/// The same by the force alone: at its limit it slips, as fast as u along it tells.
bool FrictionNewton::remember_mode(const Block& b, Active& a) {
  const double *const f = scaled_.f() + b.row, *const u = scaled_.u() + b.row;
  if (b.kind == FrictionKind::bilateral) return true;
  if (b.kind == FrictionKind::box) return std::abs(f[0]) < kEdge * b.bound;
  if (f[0] <= 0.0) return u[0] < 0.0;
  if (b.kind == FrictionKind::unilateral) return true;
  const double length = std::sqrt(f[1] * f[1] + f[2] * f[2]);
  if (length < kConeEdge * b.mu * f[0]) return true;
  a.mode = Mode::slide;
  a.unknowns = b.mu > 0.0 ? 2 : 1;
  if (!(length > 0.0)) return true;
  a.d[0] = f[1] / length, a.d[1] = f[2] / length;
  a.compliance = std::max(0.0, -(a.d[0] * u[1] + a.d[1] * u[2])) / length;
  return true;
}

/// The rows of block i against those of block j >= i in Y^T Y, computed when first asked for; `rows` apart.
const double* FrictionNewton::gram(int i, int j) {
  const int n = scaled_.rows();
  double* const at = G_.data() + static_cast<std::ptrdiff_t>(scaled_.block(i).row) * n + scaled_.block(j).row;
  char& known = known_[static_cast<std::size_t>(i) * scaled_.size() + j];
  if (!known) scaled_.gram(scaled_.block(i), scaled_.block(j), at, n);
  known = 1;
  return at;
}

void FrictionNewton::form_matrix() {
  symmetric_ = std::all_of(active_.begin(), active_.end(),
                           [](const Active& a) { return a.mode == Mode::stick || a.unknowns == 1; });
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& a = active_[i];
    for (std::size_t j = symmetric_ ? i : 0; j < active_.size(); ++j) form_block(a, active_[j]);
    const double* compliance = scaled_.compliance() + scaled_.block(a.block).row;
    for (int r = 0; r < a.unknowns; ++r)
      linear_.row(a.unknown + r)[a.unknown + r] += proximal_ + compliance[r];
    if (a.mode == Mode::slide && a.unknowns == 2) linear_.row(a.unknown + 1)[a.unknown + 1] += a.compliance;
  }
}

/// The laws of a against the unknowns of c. Of a sliding contact the unknowns are f_n, with f_t = mu f_n d in
/// tow, and the force across d; its laws are those of the normal and of the direction across d.
void FrictionNewton::form_block(const Active& a, const Active& c) {
  const int n = scaled_.rows();
  const bool upper = a.block <= c.block;
  const double* G = upper ? gram(a.block, c.block) : gram(c.block, a.block);
  const int down = upper ? n : 1, right = upper ? 1 : n;
  if (a.mode == Mode::stick && c.mode == Mode::stick) {
    for (int r = 0; r < a.unknowns; ++r) {
      double* to = linear_.row(a.unknown + r) + c.unknown;
      for (int s = 0; s < c.unknowns; ++s) to[s] = G[r * down + s * right];
    }
    return;
  }
  double part[3][3];  // rows of a against unknowns of c
  const int rows = scaled_.block(a.block).rows;
  const double mu = c.unknowns > 1 ? scaled_.block(c.block).mu : 0.0, along1 = mu * c.d[0],
               along2 = mu * c.d[1];
  for (int r = 0; r < rows; ++r) {
    const double* at = G + r * down;
    if (c.mode == Mode::slide) {
      part[r][0] = at[0] + along1 * at[right] + along2 * at[2 * right];
      part[r][1] = c.d[0] * at[2 * right] - c.d[1] * at[right];
    } else {
      for (int s = 0; s < c.unknowns; ++s) part[r][s] = at[s * right];
    }
  }
  if (a.unknowns == 2 && a.mode == Mode::slide)
    for (int s = 0; s < c.unknowns; ++s) part[1][s] = a.d[0] * part[2][s] - a.d[1] * part[1][s];
  for (int r = 0; r < a.unknowns; ++r) {
    double* to = linear_.row(a.unknown + r) + c.unknown;
    for (int s = 0; s < c.unknowns; ++s) to[s] = part[r][s];
  }
}

bool FrictionNewton::solve_linear(int passes) {
  if (!linear_.factor(symmetric_)) return false;
  ++solves_;
  for (int pass = 0; pass < passes; ++pass) {
    if (!(form_right() > 0.1 * kSettled * target())) break;
    linear_.solve(right_.data());
    add_unknowns();
    natural_ = scaled_.refresh();
    if (!std::isfinite(natural_)) return false;
    if (natural_ <= kSettled * target()) break;
  }
  return true;
}

/// What the laws still lack; returns the most of it, in m/s.
double FrictionNewton::form_right() {
  double worst = 0.0;
  for (const Active& a : active_) {
    const Block& b = scaled_.block(a.block);
    const double *f = scaled_.f() + b.row, *u = scaled_.u() + b.row;
    double* right = right_.data() + a.unknown;
    if (a.mode == Mode::stick) {
      for (int r = 0; r < a.unknowns; ++r) right[r] = -u[r];
    } else {
      right[0] = -u[0];
      if (a.unknowns == 2)
        right[1] = a.d[1] * u[1] - a.d[0] * u[2] + a.compliance * (a.d[1] * f[1] - a.d[0] * f[2]);
    }
    for (int r = 0; r < a.unknowns; ++r) worst = std::max(worst, b.root * std::abs(right[r]));
  }
  return worst;
}

void FrictionNewton::add_unknowns() {
  for (const Active& a : active_) {
    const Block& b = scaled_.block(a.block);
    double* f = scaled_.f() + b.row;
    const double* x = right_.data() + a.unknown;
    if (a.mode == Mode::stick) {
      for (int r = 0; r < a.unknowns; ++r) f[r] += x[r];
      continue;
    }
    f[0] += x[0];
    if (a.unknowns == 1) continue;
    const double along = b.mu * x[0];
    f[1] += along * a.d[0] - x[1] * a.d[1];
    f[2] += along * a.d[1] + x[1] * a.d[0];
  }
}

void FrictionNewton::keep_best() {
  if (scaled_.changed() || !(natural_ < best_natural_)) return;
  best_natural_ = natural_;
  std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), best_.begin());
}

void FrictionNewton::restore(const std::vector<double>& forces) {
  std::copy(forces.begin(), forces.end(), scaled_.f());
  natural_ = scaled_.refresh();
}

}  // namespace amble
