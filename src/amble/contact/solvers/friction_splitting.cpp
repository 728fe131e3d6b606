#include "amble/contact/solvers/friction_splitting.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

using Block = ScaledFriction::Block;

constexpr double kProximal = 1e-9;  // against ones on the diagonal
constexpr double kFirstWeight = 0.1;
constexpr double kUneven = 10.0;  // between what x and y are apart, and what y moves: then the weight changes
constexpr int kBalance = 20;      // rounds between looks at that

/// The nearest force that a law allows.
void project_block(const Block& b, double* f) {
  if (b.kind == FrictionKind::box) f[0] = std::clamp(f[0], -b.bound, b.bound);
  if (b.kind == FrictionKind::unilateral) f[0] = std::max(0.0, f[0]);
  if (b.kind != FrictionKind::contact) return;
  const double t = std::hypot(f[1], f[2]);
  if (t <= b.mu * f[0]) return;
  const double n = std::max(0.0, (f[0] + b.mu * t) / (1.0 + b.mu * b.mu)),
               share = t > 0.0 ? b.mu * n / t : 0.0;
  f[0] = n, f[1] *= share, f[2] *= share;
}

}  // namespace

void FrictionSplitting::reserve(int rows) {
  linear_.reserve(rows);
  for (auto* list : {&x_, &y_, &z_, &shift_}) list->reserve(rows);
}

void FrictionSplitting::start(ScaledFriction& scaled, const double* G) {
  scaled_ = &scaled, G_ = G;
  const int n = scaled.rows();
  for (auto* list : {&x_, &y_, &z_, &shift_}) list->assign(n, 0.0);
  std::copy_n(scaled.f(), n, x_.begin());
  std::copy_n(scaled.f(), n, y_.begin());
  weight_ = kFirstWeight;
  linear_.start(0);
}

bool FrictionSplitting::factor() {
  const int n = scaled_->rows();
  linear_.start(n);
  for (int r = 0; r < n; ++r) {
    std::copy(G_ + static_cast<std::ptrdiff_t>(r) * n + r, G_ + static_cast<std::ptrdiff_t>(r + 1) * n,
              linear_.row(r) + r);
    linear_.row(r)[r] += scaled_->compliance()[r] + weight_ + kProximal;
  }
  return linear_.factor(true);
}

/// x for what y and z are: G x + b + shift = z - weight (x - y).
void FrictionSplitting::pull() {
  const int n = scaled_->rows();
  const double* b = scaled_->free();
  for (int r = 0; r < n; ++r) x_[r] = z_[r] + weight_ * y_[r] - b[r] - shift_[r] + kProximal * x_[r];
  linear_.solve(x_.data());
}

void FrictionSplitting::project() {
  apart_ = change_ = 0.0;
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    double next[3];
    for (int k = 0; k < b.rows; ++k) next[k] = x_[b.row + k] - z_[b.row + k] / weight_;
    project_block(b, next);
    for (int k = 0, r = b.row; k < b.rows; ++k, ++r) {
      change_ = std::max(change_, weight_ * std::abs(next[k] - y_[r]));
      apart_ = std::max(apart_, std::abs(x_[r] - next[k]));
      y_[r] = next[k], z_[r] -= weight_ * (x_[r] - next[k]);
    }
    if (b.kind == FrictionKind::contact) shift_[b.row] = b.mu * std::hypot(z_[b.row + 1], z_[b.row + 2]);
  }
}

void FrictionSplitting::balance() {
  if (apart_ > kUneven * change_)
    weight_ *= 5.0;
  else if (change_ > kUneven * apart_)
    weight_ /= 5.0;
  else
    return;
  linear_.start(0);
}

bool FrictionSplitting::step(int rounds) {
  for (int k = 0; k < rounds; ++k) {
    if (linear_.size() == 0 && !factor()) return false;
    pull();
    project();
    if (k % kBalance == kBalance - 1) balance();
  }
  std::copy(y_.begin(), y_.end(), scaled_->f());
  return std::isfinite(scaled_->refresh());
}

}  // namespace amble
