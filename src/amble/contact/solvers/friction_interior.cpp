#include "amble/contact/solvers/friction_interior.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

using Block = ScaledFriction::Block;

constexpr double kCentral = 1e-3;
constexpr double kProximal = 1e-10;  // against ones on the diagonal

/// The disc in which a force of friction lies: two tangents, or one row of constant radius.
struct Disc {
  int row, rows;   // of the force in it
  int slack;
  double mu, radius;  // mu 0: a constant radius
};

Disc disc_of(const Block& b, const double* f) {
  if (b.kind == FrictionKind::box) return {b.row, 1, b.row, 0.0, b.bound};
  return {b.row + 1, 2, b.row + 1, b.mu, b.mu * f[b.row]};
}

double square(const Disc& d, const double* f) {
  double sum = 0.0;
  for (int r = d.row; r < d.row + d.rows; ++r) sum += f[r] * f[r];
  return sum;
}

/// radius^2 - |f|^2, without cancellation.
double depth(const Disc& d, const double* f) {
  const double length = std::sqrt(square(d, f));
  return (d.radius - length) * (d.radius + length);
}

}  // namespace

bool InteriorPath::has_normal(const Block& b) const {
  return b.kind == FrictionKind::contact || b.kind == FrictionKind::unilateral;
}

bool InteriorPath::has_disc(const Block& b) const {
  return (b.kind == FrictionKind::contact && b.mu > 0.0) || (b.kind == FrictionKind::box && b.bound > 0.0);
}

void InteriorPath::reserve(int rows) {
  linear_.reserve(rows);
  for (auto* list : {&slack_, &df_, &dslack_}) list->reserve(rows);
}

void InteriorPath::start(ScaledFriction& scaled, const double* G) {
  scaled_ = &scaled, G_ = G;
  const int n = scaled.rows();
  for (auto* list : {&slack_, &df_, &dslack_}) list->assign(n, 0.0);
  double* f = scaled.f();
  std::fill(f, f + n, 0.0);
  scaled.refresh();
  size_ = 0.0;
  for (int r = 0; r < n; ++r) size_ = std::max(size_, std::abs(scaled.u()[r]));
  if (!(size_ > 0.0)) size_ = 1.0;
  pairs_ = 0;
  for (int i = 0; i < scaled.size(); ++i) {
    const Block& b = scaled.block(i);
    if (has_normal(b)) f[b.row] = slack_[b.row] = size_, ++pairs_;
    if (!has_disc(b)) continue;
    const Disc d = disc_of(b, f);
    slack_[d.slack] = size_ * size_ / (d.radius * d.radius);
    ++pairs_;
  }
  scaled.refresh();
  gap_ = gap_after(0.0);
  last_step_ = 1.0;
}

bool InteriorPath::step() {
  form_matrix();
  if (!linear_.factor(false)) return false;
  double share = 1.0;
  if (last_step_ > 0.2) {
    form_right(0.0, df_);
    linear_.solve(df_.data());
    slack_changes(0.0);
    share = std::max(0.0, gap_after(std::min(1.0, longest_step()))) / gap_;
  }
  const double tau = gap_ * std::clamp(share * share * share, 1e-3, 1.0);
  form_right(tau, df_);
  linear_.solve(df_.data());
  slack_changes(tau);
  double go = std::min(1.0, 0.97 * longest_step());
  while (go > 1e-8 && least_pair(go) < kCentral * gap_after(go)) go *= 0.8;
  if (!(go > 1e-8)) return false;
  last_step_ = go;
  for (int r = 0; r < scaled_->rows(); ++r) scaled_->f()[r] += go * df_[r], slack_[r] += go * dslack_[r];
  if (!std::isfinite(scaled_->refresh())) return false;
  gap_ = gap_after(0.0);
  return gap_ > 1e-22 * size_ * size_;
}

void InteriorPath::form_matrix() {
  const int n = scaled_->rows();
  const double* f = scaled_->f();
  linear_.start(n);
  for (int r = 0; r < n; ++r) std::copy(G_ + static_cast<std::ptrdiff_t>(r) * n, G_ + static_cast<std::ptrdiff_t>(r + 1) * n, linear_.row(r));
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    for (int r = b.row; r < b.row + b.rows; ++r) linear_.row(r)[r] += kProximal + scaled_->compliance()[r];
    if (has_normal(b)) linear_.row(b.row)[b.row] += slack_[b.row] / f[b.row];
    const int first = b.kind == FrictionKind::contact ? b.row + 1 : b.row;
    if (has_disc(b)) {
      const Disc d = disc_of(b, f);
      const double s = slack_[d.slack], q = depth(d, f);
      for (int r = d.row; r < d.row + d.rows; ++r) {
        linear_.row(r)[r] += s;
        for (int k = d.row; k < d.row + d.rows; ++k) linear_.row(r)[k] += 2.0 * s / q * f[r] * f[k];
        if (d.mu > 0.0) linear_.row(r)[b.row] -= 2.0 * s * d.mu * d.radius / q * f[r];
      }
    } else if (b.kind == FrictionKind::contact || b.kind == FrictionKind::box) {
      for (int r = first; r < b.row + b.rows; ++r) {  // no force here
        std::fill(linear_.row(r), linear_.row(r) + n, 0.0);
        linear_.row(r)[r] = 1.0;
      }
    }
  }
}

void InteriorPath::form_right(double tau, std::span<double> x) const {
  const double *f = scaled_->f(), *u = scaled_->u();
  for (int r = 0; r < scaled_->rows(); ++r) x[r] = -u[r];
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    if (has_normal(b)) x[b.row] += tau / f[b.row];
    if (has_disc(b)) {
      const Disc d = disc_of(b, f);
      for (int r = d.row; r < d.row + d.rows; ++r) x[r] -= f[r] * tau / depth(d, f);
    } else if (b.kind == FrictionKind::contact || b.kind == FrictionKind::box) {
      for (int r = b.kind == FrictionKind::contact ? b.row + 1 : b.row; r < b.row + b.rows; ++r) x[r] = -f[r];
    }
  }
}

double InteriorPath::slack_changes(double tau) {
  const double* f = scaled_->f();
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    if (has_normal(b)) dslack_[b.row] = (tau - slack_[b.row] * df_[b.row]) / f[b.row] - slack_[b.row];
    if (!has_disc(b)) continue;
    const Disc d = disc_of(b, f);
    double turn = d.mu > 0.0 ? -d.mu * d.radius * df_[b.row] : 0.0;
    for (int r = d.row; r < d.row + d.rows; ++r) turn += f[r] * df_[r];
    const double q = depth(d, f);
    dslack_[d.slack] = tau / q - slack_[d.slack] + 2.0 * slack_[d.slack] / q * turn;
  }
  return 0.0;
}

/// How far until a slack, a normal force or the depth in a disc is zero.
double InteriorPath::longest_step() const {
  const double* f = scaled_->f();
  double longest = 1e10;
  const auto limit = [&](double value, double change) {
    if (change < 0.0) longest = std::min(longest, -value / change);
  };
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    if (has_normal(b)) limit(f[b.row], df_[b.row]), limit(slack_[b.row], dslack_[b.row]);
    if (!has_disc(b)) continue;
    const Disc d = disc_of(b, f);
    limit(slack_[d.slack], dslack_[d.slack]);
    // depth(t) = c + 2 h t + a t^2: its first positive root.
    const double grow = d.mu > 0.0 ? d.mu * df_[b.row] : 0.0, c = depth(d, f);
    double a = grow * grow, h = d.radius * grow;
    for (int r = d.row; r < d.row + d.rows; ++r) a -= df_[r] * df_[r], h -= f[r] * df_[r];
    const double inside = h * h - a * c;
    if (inside < 0.0) continue;
    const double root = -h - std::sqrt(inside);  // of a t^2 + 2 h t + c: t = c / (-h +- sqrt)
    const double other = -h + std::sqrt(inside);
    for (const double bottom : {root, other})
      if (bottom > 0.0) longest = std::min(longest, c / bottom);
  }
  return longest;
}

template <class Use>
void InteriorPath::pairs_after(double share, Use&& use) const {
  const double* f = scaled_->f();
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    if (has_normal(b)) use((f[b.row] + share * df_[b.row]) * (slack_[b.row] + share * dslack_[b.row]));
    if (!has_disc(b)) continue;
    Disc d = disc_of(b, f);
    if (d.mu > 0.0) d.radius += share * d.mu * df_[b.row];
    double square = 0.0;
    for (int r = d.row; r < d.row + d.rows; ++r) square += (f[r] + share * df_[r]) * (f[r] + share * df_[r]);
    const double length = std::sqrt(square);
    use((slack_[d.slack] + share * dslack_[d.slack]) * (d.radius - length) * (d.radius + length));
  }
}

double InteriorPath::gap_after(double share) const {
  double sum = 0.0;
  pairs_after(share, [&](double pair) { sum += pair; });
  return pairs_ > 0 ? sum / pairs_ : 0.0;
}

double InteriorPath::least_pair(double share) const {
  double least = HUGE_VAL;
  pairs_after(share, [&](double pair) { least = std::min(least, pair); });
  return least;
}

}  // namespace amble
