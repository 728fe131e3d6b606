#include "amble/contact/solvers/friction_interior.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

using Block = ScaledFriction::Block;

constexpr double kCentral = 1e-3;    // no pair is less than this of the mean
constexpr double kProximal = 1e-10;  // against ones on the diagonal
constexpr double kShortest = 1e-10;  // step along a curve, in its own length
constexpr double kStraight = 1.05;   // what a step may be longer than its tangent foresees: else it is on another curve
constexpr double kWayBack = 1e3;     // of smoothing: the curve is then followed back to where it came from

/// The disc in which a force of friction lies: two tangents, or one row of constant radius.
struct Disc {
  int row, rows;  // of the force in it
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

/// Where the rows start that no force may act in: tangents without friction, boxes without a bound.
int first_idle(const Block& b) {
  if (b.kind == FrictionKind::contact && b.mu == 0.0) return b.row + 1;
  return b.kind == FrictionKind::box && b.bound == 0.0 ? b.row : b.row + b.rows;
}

}  // namespace

bool InteriorPath::has_normal(const Block& b) const {
  return b.kind == FrictionKind::contact || b.kind == FrictionKind::unilateral;
}

bool InteriorPath::has_disc(const Block& b) const {
  return (b.kind == FrictionKind::contact && b.mu > 0.0) || (b.kind == FrictionKind::box && b.bound > 0.0);
}

void InteriorPath::reserve(int dimension, int rows) {
  linear_.reserve(rows);
  inverse_.reserve(static_cast<std::size_t>(rows) * 9), y_.reserve(dimension);
  for (auto* list : {&slack_, &df_, &dslack_, &last_.f, &from_.f, &ahead_.f, &aim_.f, &from_slack_, &slope_,
                     &slope_slack_})
    list->reserve(rows);
}

void InteriorPath::start(ScaledFriction& scaled, const double* G) {
  scaled_ = &scaled, G_ = G;
  const int n = scaled.rows();
  for (auto* list : {&slack_, &df_, &dslack_, &last_.f, &from_.f, &ahead_.f, &aim_.f, &from_slack_, &slope_,
                     &slope_slack_})
    list->assign(n, 0.0);
  inverse_.assign(static_cast<std::size_t>(scaled.size()) * 9, 0.0), y_.resize(scaled.dimension());
  on_curve_ = false;
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
  if (!factor()) return false;
  double share = 1.0;
  if (last_step_ > 0.2) {
    form_right(0.0, df_);
    solve(df_);
    slack_changes(0.0, 1.0);
    share = std::max(0.0, gap_after(std::min(1.0, longest_step()))) / gap_;
  }
  const double tau = gap_ * std::clamp(share * share * share, 1e-3, 1.0);
  form_right(tau, df_);
  solve(df_);
  slack_changes(tau, 1.0);
  double go = std::min(1.0, 0.97 * longest_step());
  while (go > 1e-8 && least_pair(go) < kCentral * gap_after(go)) go *= 0.8;
  if (!(go > 1e-8)) return false;
  last_step_ = go;
  for (int r = 0; r < scaled_->rows(); ++r) scaled_->f()[r] += go * df_[r], slack_[r] += go * dslack_[r];
  if (!std::isfinite(scaled_->refresh())) return false;
  gap_ = gap_after(0.0);
  return gap_ > 1e-22 * size_ * size_;
}

/// Two points at large tau: with compliance forces there are small and unique.
bool InteriorPath::get_on_curve() {
  std::fill(ahead_.f.begin(), ahead_.f.end(), 0.0);
  ahead_.log = 1.0;
  log_ = aim_.log = std::log(gap_);
  length_ = 0.3;
  if (!correct(60)) return false;
  std::copy(scaled_->f(), scaled_->f() + scaled_->rows(), from_.f.begin());
  from_.log = log_;
  aim_.log = log_ - length_;
  return correct(60);
}

/// How the curve goes on from here: along the slope over log tau, on the side that it did not come from.
bool InteriorPath::find_tangent() {
  std::swap(last_, from_);
  std::copy(scaled_->f(), scaled_->f() + scaled_->rows(), from_.f.begin());
  from_.log = log_;
  from_slack_ = slack_;
  if (!factor()) return false;
  form_slope(std::exp(log_));
  double steep = 0.0, onward = 0.0;
  for (std::size_t r = 0; r < from_.f.size(); ++r) {
    steep += slope_[r] * slope_[r];
    onward += slope_[r] * (from_.f[r] - last_.f[r]);
  }
  ahead_.log = std::copysign(1.0 / std::sqrt(1.0 + square(steep)), square(onward) + from_.log - last_.log);
  for (std::size_t r = 0; r < from_.f.size(); ++r) ahead_.f[r] = ahead_.log * slope_[r];
  return std::isfinite(steep);
}

/// Of where we are.
double InteriorPath::distance(const Point& from) const {
  double sum = 0.0;
  for (std::size_t r = 0; r < from.f.size(); ++r)
    sum += (scaled_->f()[r] - from.f[r]) * (scaled_->f()[r] - from.f[r]);
  return std::sqrt(square(sum) + (log_ - from.log) * (log_ - from.log));
}

bool InteriorPath::step_along(double softness) {
  softness_ = softness;
  if (!on_curve_ && !get_on_curve()) return false;
  on_curve_ = true;
  if (!find_tangent()) return false;
  for (; length_ > kShortest; length_ *= 0.4) {
    for (std::size_t r = 0; r < aim_.f.size(); ++r) aim_.f[r] = from_.f[r] + length_ * ahead_.f[r];
    aim_.log = from_.log + length_ * ahead_.log;
    std::copy(from_.f.begin(), from_.f.end(), scaled_->f());
    slack_ = from_slack_;
    log_ = from_.log;
    if (!correct(15) || distance(from_) > kStraight * length_) continue;
    length_ *= 1.6;
    gap_ = std::exp(log_);
    return smoothing() < kWayBack;
  }
  return false;
}

/// Newton on the curve, in the plane through the aim across the tangent.
bool InteriorPath::correct(int steps) {
  const int n = scaled_->rows();
  double* f = scaled_->f();
  for (int k = 0; k < steps; ++k) {
    const double tau = std::exp(log_);
    scaled_->soften(softness_ * tau / (size_ * size_));
    scaled_->refresh();
    if (!factor()) return false;
    form_slope(tau);
    form_right(tau, df_);
    solve(df_);
    slack_changes(tau, 1.0);
    double lack = 0.0, gain = 0.0;
    for (int r = 0; r < n; ++r) {
      lack += ahead_.f[r] * (f[r] + df_[r] - aim_.f[r]);
      gain += ahead_.f[r] * slope_[r];
    }
    const double change = -(square(lack) + ahead_.log * (log_ - aim_.log)) / (square(gain) + ahead_.log);
    const double dlog = std::clamp(change, -2.0, 2.0);
    double moved = std::abs(dlog);
    for (int r = 0; r < n; ++r) {
      df_[r] += dlog * slope_[r], dslack_[r] += dlog * slope_slack_[r];
      moved = std::max(moved, std::abs(df_[r]) / size_);
    }
    const double go = std::min(1.0, 0.9 * longest_step());
    if (!std::isfinite(moved) || go < 1e-4) return false;
    for (int r = 0; r < n; ++r) f[r] += go * df_[r], slack_[r] += go * dslack_[r];
    log_ += go * dlog;
    if (!std::isfinite(scaled_->refresh())) return false;
    if (go > 0.8 && go * moved < 1e-3 * std::max(length_, 1e-9)) return true;
  }
  return false;
}

/// What a change of log tau, and of the compliance with it, does to forces and slacks.
void InteriorPath::form_slope(double tau) {
  const double* f = scaled_->f();
  for (int r = 0; r < scaled_->rows(); ++r) df_[r] = -scaled_->softness() * f[r];
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    if (has_normal(b)) df_[b.row] += tau / f[b.row];
    if (has_disc(b)) {
      const Disc d = disc_of(b, f);
      for (int r = d.row; r < d.row + d.rows; ++r) df_[r] -= f[r] * tau / depth(d, f);
    } else {
      for (int r = first_idle(b); r < b.row + b.rows; ++r) df_[r] = 0.0;
    }
  }
  solve(df_);
  slack_changes(tau, 0.0);
  std::swap(slope_, df_), std::swap(slope_slack_, dslack_);
}

// ---- the linear systems (G + D) x = r, D being what the laws of each block add

bool InteriorPath::factor() {
  if (reduces(*scaled_))
    form_reduced();
  else
    form_matrix();
  return linear_.factor(false);
}

/// D of a block, rows x rows numbers; rows in which no force acts are left out.
void InteriorPath::form_law(const Block& b, double* D) const {
  const double* f = scaled_->f();
  std::fill(D, D + b.rows * b.rows, 0.0);
  for (int r = 0; r < b.rows; ++r) D[r * b.rows + r] = kProximal + scaled_->compliance()[b.row + r];
  if (has_normal(b)) D[0] += slack_[b.row] / f[b.row];
  if (!has_disc(b)) return;
  const Disc d = disc_of(b, f);
  const double s = slack_[d.slack], q = depth(d, f);
  const int first = d.row - b.row;
  for (int r = first; r < b.rows; ++r) {
    D[r * b.rows + r] += s;
    for (int k = first; k < b.rows; ++k) D[r * b.rows + k] += 2.0 * s / q * f[b.row + r] * f[b.row + k];
    if (d.mu > 0.0) D[r * b.rows] -= 2.0 * s * d.mu * d.radius / q * f[b.row + r];
  }
}

void InteriorPath::form_matrix() {
  const int n = scaled_->rows();
  linear_.start(n);
  for (int r = 0; r < n; ++r) std::copy_n(G_ + static_cast<std::ptrdiff_t>(r) * n, n, linear_.row(r));
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    double D[9];
    form_law(b, D);
    for (int r = 0; r < b.rows; ++r)
      for (int k = 0; k < b.rows; ++k) linear_.row(b.row + r)[b.row + k] += D[r * b.rows + k];
    for (int r = first_idle(b); r < b.row + b.rows; ++r) {
      std::fill(linear_.row(r), linear_.row(r) + n, 0.0);
      linear_.row(r)[r] = 1.0;
    }
  }
}

/// D^-1 in the place of D, zero in rows in which no force acts. D is lower triangular but for what the tangents have with
/// each other.
void InteriorPath::invert_law(const Block& b, double* D) const {
  const int acting = first_idle(b) - b.row;
  if (b.kind != FrictionKind::contact || acting < 3) {
    for (int r = 0; r < b.rows; ++r) D[r * b.rows + r] = r < acting ? 1.0 / D[r * b.rows + r] : 0.0;
    return;
  }
  const double n = 1.0 / D[0], det = 1.0 / (D[4] * D[8] - D[5] * D[7]);
  const double a = D[8] * det, c = -D[5] * det, e = D[4] * det, t1 = D[3] * n, t2 = D[6] * n;
  D[0] = n, D[3] = -(a * t1 + c * t2), D[6] = -(c * t1 + e * t2);
  D[4] = a, D[5] = D[7] = c, D[8] = e;
}

/// G = Y^T Y: with z = Y x, (1 + Y D^-1 Y^T) z = Y D^-1 r, and x = D^-1 (r - Y^T z).
void InteriorPath::form_reduced() {
  const int n = scaled_->dimension();
  linear_.start(n);
  for (int r = 0; r < n; ++r) std::fill(linear_.row(r), linear_.row(r) + n, 0.0), linear_.row(r)[r] = 1.0;
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    double* const D = inverse_.data() + 9 * i;
    form_law(b, D);
    invert_law(b, D);
    scaled_->add_square(b, D, linear_.row(0), linear_.stride());
  }
}

void InteriorPath::solve(std::span<double> x) {
  if (!reduces(*scaled_)) return linear_.solve(x.data());
  const auto times = [](const Block& b, const double* D, double* v) {
    double out[3] = {};
    for (int r = 0; r < b.rows; ++r)
      for (int k = 0; k < b.rows; ++k) out[r] += D[r * b.rows + k] * v[k];
    std::copy_n(out, b.rows, v);
  };
  std::fill(y_.begin(), y_.end(), 0.0);
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    double v[3];
    std::copy_n(x.data() + b.row, b.rows, v);
    times(b, inverse_.data() + 9 * i, v);
    scaled_->push(b, v, y_.data());
  }
  linear_.solve(y_.data());
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    double u[3];
    scaled_->velocities(b, y_.data(), u);
    for (int r = 0; r < b.rows; ++r) x[b.row + r] -= u[r];
    times(b, inverse_.data() + 9 * i, x.data() + b.row);
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
    } else {
      for (int r = first_idle(b); r < b.row + b.rows; ++r) x[r] = -f[r];
    }
  }
}

void InteriorPath::slack_changes(double tau, double keep) {
  const double* f = scaled_->f();
  for (int i = 0; i < scaled_->size(); ++i) {
    const Block& b = scaled_->block(i);
    if (has_normal(b)) dslack_[b.row] = (tau - slack_[b.row] * df_[b.row]) / f[b.row] - keep * slack_[b.row];
    if (!has_disc(b)) continue;
    const Disc d = disc_of(b, f);
    double turn = d.mu > 0.0 ? -d.mu * d.radius * df_[b.row] : 0.0;
    for (int r = d.row; r < d.row + d.rows; ++r) turn += f[r] * df_[r];
    const double q = depth(d, f);
    dslack_[d.slack] = tau / q - keep * slack_[d.slack] + 2.0 * slack_[d.slack] / q * turn;
  }
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
