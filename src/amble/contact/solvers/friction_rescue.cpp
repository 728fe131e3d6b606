#include <algorithm>
#include <cmath>

#include "amble/contact/solvers/friction_newton.hpp"

// What FrictionNewton does where Newton alone does not arrive: other places to start from, dearer and dearer.
namespace amble {

namespace {

constexpr int kSteps = 60;

}  // namespace

bool FrictionNewton::rescue() {
  for (const int sweeps : {10, 40})
    if (follow_sweeps(sweeps)) return true;
  contradiction_ = find_contradiction();
  if (contradiction_ >= 0) return false;
  for (const int sweeps : {160, 640})
    if (follow_sweeps(sweeps)) return true;
  return follow_path() || harden();
}

/// Sweeps on from where the last ones ended, whatever Newton made of that.
bool FrictionNewton::follow_sweeps(int sweeps) {
  restore(from_);
  for (int i = 0; i < sweeps; ++i) scaled_.sweep(1.0);
  natural_ = scaled_.refresh();
  std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), from_.begin());
  return iterate(kSteps);
}

/// Newton from points of the interior path, once it is near enough to the laws to tell modes apart.
bool FrictionNewton::follow_path() {
  const int n = scaled_.rows();
  for (int i = 0; i < scaled_.size(); ++i)
    for (int j = i; j < scaled_.size(); ++j) {
      const ScaledFriction::Block &a = scaled_.block(i), &b = scaled_.block(j);
      const double* G = gram(i, j);
      for (int r = 0; r < a.rows; ++r)
        for (int k = 0; k < b.rows; ++k) G_[static_cast<std::size_t>(b.row + k) * n + a.row + r] = G[r * n + k];
    }
  path_.start(scaled_, G_.data());
  for (int k = 0; k < 80 && !tired(); ++k) {
    if (!path_.step()) return false;
    ++solves_;
    if (path_.smoothing() > 1e-5) continue;
    natural_ = scaled_.natural();
    std::copy(scaled_.f(), scaled_.f() + n, from_.begin());
    if (iterate(15)) return true;
    restore(from_);
  }
  return false;
}

/// Solves with compliance in every row, where blocks are all but independent of each other, and takes it away by and by:
/// to a share of what it was, in smaller steps where that fails.
bool FrictionNewton::harden() {
  std::fill(from_.begin(), from_.end(), 0.0);
  double soft = 1.0, share = 0.2;
  bool found = solve_softened(soft);
  while (found && soft > 0.0 && share < 0.98 && !tired()) {
    const double next = soft * share > 1e-9 ? soft * share : 0.0;
    if (solve_softened(next))
      soft = next, share *= share;
    else
      share = std::sqrt(share);
  }
  scaled_.soften(0.0);
  return found && soft == 0.0;
}

/// From from_, which becomes the solution.
bool FrictionNewton::solve_softened(double compliance) {
  scaled_.soften(compliance);
  for (const int sweeps : {0, 10, 100}) {
    restore(from_);
    for (int i = 0; i < sweeps; ++i) scaled_.sweep(1.0);
    natural_ = scaled_.refresh();
    if (!iterate(40)) continue;
    std::copy(scaled_.f(), scaled_.f() + scaled_.rows(), from_.begin());
    return true;
  }
  return false;
}

/// The block that moves most against its law where motion alone, without friction, cannot meet all of them; -1 where it
/// can. With a small compliance c forces of the normals and loops grow until c f is the least violation there is, which
/// then does not depend on c.
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
