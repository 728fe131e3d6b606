#include <algorithm>
#include <cmath>

#include "amble/contact/solvers/friction_newton.hpp"

// What FrictionNewton does first where things lie still. Forces there are mostly redundant, and those that a motion left
// behind are at the edge of what friction allows, where sticking and slipping look alike. With everything stuck, forces
// that stop all motion make up a plane; going to and fro between it and the laws leads to forces inside of all of them,
// which the next steps can start from.
namespace amble {

namespace {

using Block = ScaledFriction::Block;

constexpr double kStill = 1e-3;   // of the scale: what the forces to start from leave of all speeds
constexpr double kInside = 0.8;   // of what friction allows: where forces from outside are put
constexpr double kLeast = 1e-3;   // of the largest force: the least normal force that they get
// Much more of a proximal term than FrictionNewton has, against ones on the diagonal: forces that hardly move anything then
// stay as they are, where otherwise rounding would choose them anew in every step.
constexpr double kProximal = 1e-5;
constexpr int kPasses = 40;
constexpr int kRounds = 3;  // with what turned out to touch as well
constexpr int kRest = 20;   // solutions to wait after one that could not be had this way

/// The nearest forces with |t| <= mu n, n >= least.
void put_inside(double mu, double least, double* f) {
  const double t = std::hypot(f[1], f[2]);
  if (t > mu * f[0]) {
    const double n = std::max(0.0, (f[0] + mu * t) / (1.0 + mu * mu)), share = t > 0.0 ? mu * n / t : 0.0;
    f[0] = n, f[1] *= share, f[2] *= share;
  }
  f[0] = std::max(f[0], least);
}

}  // namespace

bool FrictionNewton::still() {
  double most = 0.0;
  for (int i = 0; i < scaled_.size(); ++i) {
    const Block& b = scaled_.block(i);
    const double *f = scaled_.f() + b.row, *u = scaled_.u() + b.row;
    const bool open = (b.kind == FrictionKind::contact || b.kind == FrictionKind::unilateral) && f[0] <= 0.0 && u[0] >= 0.0;
    for (int r = 0; r < b.rows && !open; ++r) most = std::max(most, b.root * std::abs(u[r]));
  }
  return most < kStill * scaled_.scale();
}

/// All that touches sticks.
void FrictionNewton::stick_all() {
  active_.clear();
  int unknown = 0;
  for (int i = 0; i < scaled_.size(); ++i) {
    const Block& b = scaled_.block(i);
    const bool pushes = b.kind == FrictionKind::contact || b.kind == FrictionKind::unilateral;
    if (pushes && scaled_.f()[b.row] <= scaled_.u()[b.row]) {
      std::fill_n(scaled_.f() + b.row, b.rows, 0.0);
      continue;
    }
    active_.push_back({i, unknown, b.rows, Mode::stick, {1.0, 0.0}, 0.0});
    unknown += b.rows;
  }
  linear_.start(unknown);
  natural_ = scaled_.refresh();
}

/// Forces that break a law go inside of it. False when there are none.
bool FrictionNewton::pull_inside() {
  double largest = 0.0;
  for (int r = 0; r < scaled_.rows(); ++r) largest = std::max(largest, std::abs(scaled_.f()[r]));
  bool any = false;
  for (const Active& a : active_) {
    const Block& b = scaled_.block(a.block);
    double* const f = scaled_.f() + b.row;
    const auto outside = [&] {
      if (b.kind == FrictionKind::box) return std::abs(f[0]) > b.bound;
      return f[0] < 0.0 || (b.kind == FrictionKind::contact && std::hypot(f[1], f[2]) > b.mu * f[0]);
    };
    if (b.kind == FrictionKind::bilateral || !outside()) continue;
    any = true;
    if (b.kind == FrictionKind::box)
      f[0] = std::clamp(f[0], -kInside * b.bound, kInside * b.bound);
    else if (b.kind == FrictionKind::contact)
      put_inside(kInside * b.mu, kLeast * largest, f);
    else
      f[0] = kLeast * largest;
  }
  return any;
}

/// To the nearest forces, as far as the proximal term goes, that let nothing move.
void FrictionNewton::stop_motion() {
  form_right();
  linear_.solve(right_.data());
  add_unknowns();
  natural_ = scaled_.refresh();
}

/// From forces that will do to such that leave less motion to the next step, unless a law does not allow them.
bool FrictionNewton::come_to_rest() {
  keep_best();
  stop_motion();
  if (!(natural_ <= target())) restore(best_);
  return true;
}

/// Whether forces were found; otherwise they are as they were.
bool FrictionNewton::settle() {
  if (wait_ > 0) return --wait_, false;
  if (!still()) return false;
  for (int round = 0; round < kRounds; ++round) {
    stick_all();
    proximal_ = kProximal;
    form_matrix();
    if (!linear_.factor(true)) break;
    ++solves_;
    double last = HUGE_VAL;
    for (int pass = 0; pass < kPasses; ++pass) {
      stop_motion();
      if (natural_ <= target()) return come_to_rest();
      if (pull_inside())
        natural_ = scaled_.refresh(), last = HUGE_VAL;
      else if (natural_ > 0.9 * last)
        break;  // something else touches
      else
        last = natural_;
    }
  }
  wait_ = kRest;
  restore(from_);
  return false;
}

}  // namespace amble
