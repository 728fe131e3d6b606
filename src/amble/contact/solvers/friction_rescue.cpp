#include <algorithm>
#include <cmath>

#include "amble/contact/solvers/friction_newton.hpp"

// What FrictionNewton does where Newton alone does not arrive: other places to start from, dearer and dearer.
namespace amble {

namespace {

constexpr int kSteps = 60, kFewSteps = 15;
constexpr double kNear = 100.0;  // of the target
constexpr int kPathPoints = 80;
constexpr int kSlow = 8;         // of them in a row that do not halve the smoothing
constexpr double kFirstTry = 1e-6, kNextTry = 1e-2;  // smoothing where Newton is first tried from, and what is left of it when next
constexpr int kPoints = 1000;    // of a curve
constexpr int kBetween = 10;    // points of it between two tries of Newton, unless the smoothing has halved
constexpr double kFast = 1e4;    // times what there is: a motion at that speed is none
constexpr double kInsideFast = 30.0;   // the same, by forces inside of all cones

}  // namespace

/// Whether what is left is a matter of rounding: there is nothing to gain from elsewhere.
bool FrictionNewton::near() const { return best_natural_ <= kNear * target(); }

/// The block that forces wedge fast, -1 for none. Forces f that push nothing, G f = 0, and have f . b < 0 prove that no motion
/// meets all laws: f . u = f . b for every u. Where they push a little, no motion does that is not very fast. What is left is to
/// slip, and things that are wedged do not.
int FrictionNewton::find_wedge(double fast) {
  double power = 0.0, fastest = 0.0, largest = 0.0;
  int block = -1;
  for (int i = 0; i < scaled_.size(); ++i) {
    const ScaledFriction::Block& b = scaled_.block(i);
    for (int r = b.row; r < b.row + b.rows; ++r) {
      power += scaled_.f()[r] * scaled_.free()[r];
      fastest = std::max(fastest, std::abs(scaled_.free()[r]));
      if (std::abs(scaled_.f()[r]) > largest) largest = std::abs(scaled_.f()[r]), block = b.index;
    }
  }
  return -power > fast * fastest * scaled_.push() ? block : -1;
}

bool FrictionNewton::rescue() {
  if (follow_sweeps(10, kFewSteps)) return true;
  restore(best_);
  contradiction_ = find_wedge(kFast);
  if (contradiction_ >= 0) return false;
  if (follow_path()) return true;
  if (!fresh_) return prove_wedge(), false;  // a step in a motion goes on with what there is, or can be eased
  if (follow_sweeps(40, kSteps)) return true;
  contradiction_ = find_contradiction();
  if (contradiction_ >= 0) return false;
  if (follow_sweeps(160, kSteps) || follow_splitting(50, 200)) return true;
  if (near()) return false;
  return follow_splitting(400, 1600) || follow_curve(1.0) || follow_curve(0.1) || follow_curve(10.0) || follow_curve(0.01);
}

/// By the forces where the interior path ended.
void FrictionNewton::prove_wedge() {
  if (!near()) contradiction_ = find_wedge(kInsideFast);
}

/// From no forces, where those to start from led nowhere.
bool FrictionNewton::start_afresh() {
  if (contradiction_ >= 0 || tired() || fresh_ || near()) return false;
  std::fill(from_.begin(), from_.end(), 0.0);
  restore(from_);
  return iterate(kSteps) || rescue();
}

/// Sweeps on from where the last ones ended, whatever Newton made of that.
bool FrictionNewton::follow_sweeps(int sweeps, int steps) {
  restore(from_);
  for (int i = 0; i < sweeps; ++i) scaled_.sweep(1.0);
  natural_ = scaled_.refresh();
  std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), from_.begin());
  return iterate(steps);
}

/// All of G, on both sides of its diagonal.
const double* FrictionNewton::whole_gram() {
  const int n = scaled_.rows();
  for (int i = 0; i < scaled_.size(); ++i)
    for (int j = i; j < scaled_.size(); ++j) {
      const ScaledFriction::Block &a = scaled_.block(i), &b = scaled_.block(j);
      const double* G = gram(i, j);
      for (int r = 0; r < a.rows; ++r)
        for (int k = 0; k < b.rows; ++k)
          G_[static_cast<std::size_t>(b.row + k) * n + a.row + r] = G[r * n + k];
    }
  return G_.data();
}

/// As many rounds as in `first`, then twice as many until `last`, with Newton from each.
bool FrictionNewton::follow_splitting(int first, int last) {
  restore(from_);
  splitting_.start(scaled_, whole_gram());
  for (int rounds = first; rounds <= last && !tired() && splitting_.step(rounds); rounds *= 2) {
    std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), from_.begin());
    natural_ = scaled_.natural();
    if (iterate(15)) return true;
  }
  return false;
}

/// Newton is tried from points of it that are near enough to the laws to tell modes apart.
bool FrictionNewton::follow_path() {
  path_.start(scaled_, InteriorPath::reduces(scaled_) ? nullptr : whole_gram());
  double next = kFirstTry, least = HUGE_VAL;
  int slow = 0;
  for (int k = 0; k < kPathPoints && slow < kSlow && !tired() && path_.step(); ++k) {
    ++solves_;
    natural_ = scaled_.natural();
    keep_best();
    if (natural_ <= target()) return true;
    slow = path_.smoothing() < 0.5 * least ? 0 : slow + 1;
    if (slow == 0) least = path_.smoothing();
    if (path_.smoothing() > next) continue;
    next = kNextTry * path_.smoothing();
    std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), from_.begin());
    if (iterate(kFewSteps, false)) return true;
    restore(from_);
  }
  return false;
}

bool FrictionNewton::follow_curve(double softness) {
  path_.start(scaled_, InteriorPath::reduces(scaled_) ? nullptr : whole_gram());
  tried_ = HUGE_VAL, since_ = 0;
  bool found = false;
  for (int k = 0; k < kPoints && !found && !tired() && path_.step_along(softness); ++k) found = try_from_path();
  scaled_.soften(0.0);
  return found;
}

/// Newton from a point of the interior path, once that is near enough to the laws to tell modes apart.
bool FrictionNewton::try_from_path() {
  ++solves_;
  if (path_.smoothing() > 1e-5 || (path_.smoothing() > 0.5 * tried_ && ++since_ < kBetween)) return false;
  tried_ = path_.smoothing(), since_ = 0;
  std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), from_.begin());
  const double softness = scaled_.softness();
  scaled_.soften(0.0);
  natural_ = scaled_.refresh();
  if (iterate(15)) return true;
  scaled_.soften(softness);
  restore(from_);
  return false;
}

/// The block that moves most against its law where motion alone, without friction, cannot meet all of them;
/// -1 where it can. With a small compliance c forces of the normals and loops grow until c f is the least
/// violation there is, which then does not depend on c.
int FrictionNewton::find_contradiction() {
  double violation[2] = {};
  int block = -1;
  scaled_.set_friction(false);
  for (int k = 0; k < 2; ++k) {
    const double c = k == 0 ? 1e-6 : 1e-7;
    scaled_.soften(c);
    std::fill(scaled_.f(), scaled_.f() + scaled_.rows(), 0.0);
    natural_ = scaled_.refresh();
    iterate(40);
    block = -1;
    for (int i = 0; i < scaled_.size(); ++i) {
      const ScaledFriction::Block& b = scaled_.block(i);
      for (int r = b.row; r < b.row + b.rows; ++r) {
        const double here = c * b.root * std::abs(scaled_.f()[r]);
        if (here > violation[k]) violation[k] = here, block = b.index;
      }
    }
    if (!(natural_ < 1e-3 * violation[k])) block = -1;
    if (block < 0) break;
  }
  scaled_.soften(0.0);
  scaled_.set_friction(true);
  return block >= 0 && violation[1] > 0.9 * violation[0] && violation[1] > 10.0 * target() ? block : -1;
}

}  // namespace amble
