#include "amble/simulation/radau.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/simulation/radau_tableau.hpp"

namespace amble {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = std::numeric_limits<double>::epsilon();

constexpr int kMostIterations = 10;
constexpr double kKeepJacobian = 0.05;  // contraction of the iteration up to which it serves on
constexpr double kKeepStep = 1.2;       // growth up to which a step is kept for the sake of its factors
constexpr double kSafety = 0.9, kShrink = 0.2, kGrow = 8.0;
constexpr double kBetween = 0.4;  // in the middle of the widest gap between nodes
constexpr double kSameState = 1e-6;

}  // namespace

struct RadauIntegrator::Systems {
  explicit Systems(int n) : real(n, n), pair(n, n), real_factor(n), pair_factor(n), one(n), two(n), solved(n) {}
  double h = 0.0;  // that they are factored for
  Eigen::MatrixXd real;
  Eigen::MatrixXcd pair;
  Eigen::PartialPivLU<Eigen::MatrixXd> real_factor;
  Eigen::PartialPivLU<Eigen::MatrixXcd> pair_factor;
  Eigen::VectorXd one;
  Eigen::VectorXcd two, solved;

  void factor(double step, const OwnedMatrix& jacobian);
};

/// gamma / h - J, and the pair of equations of the complex eigenvalues as one complex system.
void RadauIntegrator::Systems::factor(double step, const OwnedMatrix& jacobian) {
  const RadauTableau& tableau = radau_tableau();
  real = -jacobian.topRows(real.rows());
  pair = real.cast<std::complex<double>>();
  real.diagonal().array() += tableau.gamma / step;
  pair.diagonal().array() += std::complex<double>(tableau.alpha, -tableau.beta) / step;
  real_factor.compute(real), pair_factor.compute(pair);
  h = step;
}

RadauIntegrator::RadauIntegrator(Flow& flow, const IntegratorOptions& options)
    : Integrator(flow, options),
      n_(nv_ + flow.active()),
      allowed_(0.1 * std::pow(options.tolerance, 2.0 / 3.0)),
      q_point_(q_.size()),
      x_point_(flow.size()),
      v_(nv_),
      v_end_(nv_),
      q_end_(q_.size()),
      x_end_(flow.size()),
      first_rates_(nv_ + flow.size()),
      point_(n_),
      moved_rates_(nv_ + flow.size()),
      error_numbers_(nv_ + flow.size()),
      start_(n_),
      jacobian_(nv_ + flow.size(), n_),
      rates_(nv_ + flow.size(), kStages),
      Z_(nv_ + flow.size(), kStages),
      W_(n_, kStages),
      change_(n_, kStages),
      polynomial_(nv_ + flow.size(), kStages),
      interpolated_(nv_) {
  flow.check_rates();
  systems_ = std::make_unique<Systems>(n_);
}
RadauIntegrator::~RadauIntegrator() = default;

void RadauIntegrator::forget_rates() {
  first_rates_known_ = end_rates_known_ = false;
  rewritten_ = true;
}

void RadauIntegrator::restart() {
  known_ = Known::nothing, jacobian_known_ = false, careful_ = true;
  remainder_ = 1.0, last_h_ = 0.0;
}

void RadauIntegrator::rewind() {
  end_rates_known_ = rewritten_ = false;
  known_ = Known::its_start;
}

// ---- rates

/// At (d, active numbers) about q_; the other numbers are those of x_, which rates do not depend on, or constants.
void RadauIntegrator::evaluate(double t, const Eigen::Ref<const Eigen::VectorXd>& active,
                               Eigen::Ref<Eigen::VectorXd> rates) {
  ++report_.evaluations;
  x_point_ = x_;
  x_point_.head(n_ - nv_) = active.tail(n_ - nv_);
  if (mechanism_ != nullptr) mechanism_->integrate_unchecked(q_.data(), active.data(), q_point_.data());
  flow_.rates(t, q_point_.data(), x_point_.data(), v_.data(), rates.data() + nv_);
  if (mechanism_ != nullptr) mechanism_->local_rates_unchecked(q_.data(), active.data(), v_.data(), rates.data());
}

/// What was found of the last step serves on after a projection, but not after an event.
bool RadauIntegrator::still_at_the_end() const {
  const auto near = [](const OwnedVector& a, const OwnedVector& b) {
    return ((a - b).array().abs() <= kSameState * (1.0 + a.array().abs())).all();
  };
  return near(q_, q_end_) && near(x_, x_end_);
}

/// The rates here; in the coordinates about this configuration those of d are v itself.
void RadauIntegrator::find_first_rates() {
  start_.setZero(), start_.tail(n_ - nv_) = x_.head(n_ - nv_);
  if (rewritten_ && !still_at_the_end()) restart();
  rewritten_ = false;
  if (end_rates_known_)
    first_rates_ = rates_.col(kStages - 1), first_rates_.head(nv_) = v_end_;
  else if (!first_rates_known_)
    evaluate(t_, start_, first_rates_);
  first_rates_known_ = true, end_rates_known_ = false;
  if (h_ > 0.0) return;
  h_ = first_step(first_rates_.size() > 0 ? first_rates_.cwiseAbs().maxCoeff() : 0.0);
}

/// To the other side where the flow refuses the first.
void RadauIntegrator::difference(int column) {
  const double move = std::sqrt(kRounding) * (1.0 + std::abs(start_[column]));
  point_ = start_;
  point_[column] += move;
  try {
    evaluate(t_, point_, moved_rates_);
  } catch (const Error&) {
    point_[column] = start_[column] - move;
    evaluate(t_, point_, moved_rates_);
  }
  jacobian_.col(column) = (moved_rates_ - first_rates_) / (point_[column] - start_[column]);
}

void RadauIntegrator::find_jacobian() {
  try {
    for (int column = 0; column < n_; ++column) difference(column);
  } catch (const Error& refused) {
    give_up(refused.what());
  }
  jacobian_known_ = jacobian_fresh_ = true;
  systems_->h = 0.0;
}

// ---- a step

/// Where the stages are expected: where the last polynomial has them.
void RadauIntegrator::begin(double h) {
  const RadauTableau& tableau = radau_tableau();
  Z_.setZero();
  const double origin = known_ == Known::its_end ? 1.0 : 0.0;
  for (int i = 0; i < kStages && known_ != Known::nothing; ++i) {
    const std::array<double, 3> weight = tableau.weights_at(origin + tableau.node[i] * h / polynomial_h_);
    for (int k = 0; k < kStages; ++k) Z_.col(i).head(n_) += weight[k] * polynomial_.col(k).head(n_);
    if (known_ == Known::its_end) Z_.col(i).head(n_) -= polynomial_.col(kStages - 1).head(n_);
  }
  W_.setZero();
  for (int i = 0; i < kStages; ++i)
    for (int k = 0; k < kStages; ++k) W_.col(i) += tableau.T_inverse[i][k] * Z_.col(k).head(n_);
}

/// In units of what is allowed; of d and the active numbers.
double RadauIntegrator::norm(const double* active) const {
  double worst = 0.0;
  for (int i = 0; i < n_; ++i) {
    const double size = i < nv_ ? 0.0 : std::abs(start_[i]);
    const double error = std::abs(active[i]) / (allowed_ * (1.0 + size));
    if (!(error <= worst)) worst = error;  // also when it is not a number
  }
  return worst;
}

/// One iteration; returns how far it moved.
double RadauIntegrator::correct(double h) {
  const RadauTableau& tableau = radau_tableau();
  for (int i = 0; i < kStages; ++i) {
    point_ = start_ + Z_.col(i).head(n_);
    if (!point_.allFinite()) return kInfinity;
    evaluate(t_ + tableau.node[i] * h, point_, rates_.col(i));
  }
  change_.setZero();
  for (int i = 0; i < kStages; ++i)
    for (int k = 0; k < kStages; ++k) change_.col(i) += tableau.T_inverse[i][k] * rates_.col(k).head(n_);
  change_.col(0) -= tableau.gamma / h * W_.col(0);
  change_.col(1) -= (tableau.alpha * W_.col(1) + tableau.beta * W_.col(2)) / h;
  change_.col(2) -= (tableau.alpha * W_.col(2) - tableau.beta * W_.col(1)) / h;
  Systems& s = *systems_;
  s.one = s.real_factor.solve(change_.col(0));
  s.two.real() = change_.col(1), s.two.imag() = change_.col(2);
  s.solved = s.pair_factor.solve(s.two);
  change_.col(0) = s.one, change_.col(1) = s.solved.real(), change_.col(2) = s.solved.imag();
  W_ += change_;
  for (int i = 0; i < kStages; ++i) {
    Z_.col(i).head(n_).setZero();
    for (int k = 0; k < kStages; ++k) Z_.col(i).head(n_) += tableau.T[i][k] * W_.col(k);
  }
  return std::max({norm(change_.col(0).data()), norm(change_.col(1).data()), norm(change_.col(2).data())});
}

/// The simplified Newton iteration until what is left of it does not matter; false, with the share of the step to try
/// next in shrink_, when it does not get there.
bool RadauIntegrator::iterate(double h) {
  const double enough = std::max(10.0 * kRounding / allowed_, std::min(0.03, std::sqrt(allowed_)));
  remainder_ = std::pow(std::max(remainder_, kRounding), 0.8);
  double before = 0.0;
  shrink_ = 0.5, contraction_ = 0.0;
  for (iterations_ = 1; iterations_ <= kMostIterations; ++iterations_) {
    const double moved = correct(h);
    if (!std::isfinite(moved)) return false;
    if (iterations_ > 1) {
      const double ratio = moved / before;
      contraction_ = iterations_ == 2 ? ratio : std::sqrt(ratio * std::max(contraction_, kRounding));
      if (contraction_ >= 0.99) return false;
      remainder_ = contraction_ / (1.0 - contraction_);
      const int left = kMostIterations - iterations_;
      const double end = remainder_ * moved * std::pow(contraction_, left) / enough;
      if (end >= 1.0) {
        shrink_ = 0.8 * std::pow(std::clamp(end, 1e-4, 20.0), -1.0 / (4.0 + left));
        return false;
      }
    }
    if (remainder_ * moved <= enough) return true;
    before = moved;
  }
  return false;
}

/// The rates at the stages found, and integrals by them; of constants they are zero.
void RadauIntegrator::take_integrals(double h) {
  const RadauTableau& tableau = radau_tableau();
  const Eigen::Index others = Z_.rows() - n_;
  for (int i = 0; i < kStages; ++i) {
    point_ = start_ + Z_.col(i).head(n_);
    evaluate(t_ + tableau.node[i] * h, point_, rates_.col(i));
  }
  v_end_ = v_;
  for (int i = 0; i < kStages; ++i)
    for (int k = 0; k < kStages; ++k) Z_.col(i).tail(others) += h * tableau.A[i][k] * rates_.col(k).tail(others);
}

bool RadauIntegrator::attempt(double h) {
  if (n_ > 0 && systems_->h != h) systems_->factor(h, jacobian_);
  begin(h);
  try {
    if (n_ > 0 && !iterate(h)) return false;
    take_integrals(h);
  } catch (const Error& refused) {
    refusal_ = refused.what();
    shrink_ = kShrink;
    return false;
  }
  x_end_ = x_ + Z_.col(kStages - 1).tail(x_.size());
  q_end_ = q_;
  if (mechanism_ != nullptr) mechanism_->integrate_unchecked(q_.data(), Z_.col(kStages - 1).data(), q_end_.data());
  return Z_.allFinite();
}

/// (gamma / h - J)^-1 of what error_numbers_ holds: the embedded scheme less the scheme.
void RadauIntegrator::estimate(double h) {
  const RadauTableau& tableau = radau_tableau();
  for (int i = 0; i < kStages; ++i) error_numbers_ += tableau.error[i] / h * Z_.col(i);
  const Eigen::Index others = Z_.rows() - n_;
  if (n_ > 0) {
    systems_->one = systems_->real_factor.solve(error_numbers_.head(n_));
    error_numbers_.head(n_) = systems_->one;
    error_numbers_.tail(others).noalias() += jacobian_.bottomRows(others) * systems_->one;
  }
  error_numbers_.tail(others) *= h / tableau.gamma;
}

double RadauIntegrator::error_of(double h) {
  const auto size_of = [&](Eigen::Index i) {
    return i < nv_ ? 0.0 : std::max(std::abs(x_[i - nv_]), std::abs(x_end_[i - nv_]));
  };
  const auto worst = [&] {
    flow_.forgive(t_ + h, q_end_.data(), x_end_.data(), error_numbers_.data(), error_numbers_.data() + nv_);
    double out = 0.0;
    for (Eigen::Index i = 0; i < error_numbers_.size(); ++i)
      if (const double error = std::abs(error_numbers_[i]) / (allowed_ * (1.0 + size_of(i))); !(error <= out))
        out = error;
    return out;
  };
  error_numbers_ = first_rates_;
  estimate(h);
  const double error = worst();
  if (!(careful_ && error >= 1.0) || !std::isfinite(error)) return error;
  // Once more, so that what is stiff is not taken for inexact.
  point_ = start_ + error_numbers_.head(n_);
  evaluate(t_, point_, error_numbers_);
  estimate(h);
  return worst();
}

/// The length of the next step after one of length h (Gustafsson's control).
void RadauIntegrator::adapt(double h, bool tried) {
  const double most = kMostIterations, safety = kSafety * (2.0 * most + 1.0) / (2.0 * most + iterations_);
  const double error = std::max(error_, 1e-8);
  double grow = safety * std::pow(error, -0.25);
  if (last_h_ > 0.0) grow = std::min(grow, kSafety * h / last_h_ * std::pow(last_error_ / (error * error), 0.25));
  grow = std::clamp(grow, kShrink, tried ? 1.0 : kGrow);
  last_error_ = std::max(error, 1e-2), last_h_ = h;
  if (grow >= 1.0 && grow <= kKeepStep && contraction_ <= kKeepJacobian) grow = 1.0;
  if (h >= h_ || grow < 1.0) h_ = h * grow;
}

/// True when the step is good, or could be taken and must be; else a shorter one, or a new Jacobian, is due.
bool RadauIntegrator::try_step(double h, bool exactly) {
  if (!jacobian_known_) find_jacobian();
  if (!attempt(h)) {
    if (jacobian_fresh_) h_ = h * shrink_;
    jacobian_known_ = jacobian_fresh_;
    return false;
  }
  if (exactly) return true;
  try {
    error_ = error_of(h);
  } catch (const Error& refused) {
    refusal_ = refused.what(), error_ = kInfinity;
  }
  if (error_ <= 1.0) return true;
  h_ = h * (std::isfinite(error_) ? std::clamp(kSafety * std::pow(error_, -0.25), kShrink, 1.0) : kShrink);
  return false;
}

void RadauIntegrator::take(double end, bool exactly) {
  jacobian_fresh_ = false;
  find_first_rates();
  double h = 0.0;
  bool tried = false;
  for (;; tried = true) {
    h = exactly ? end - t_ : adaptive_step(end, kBetween, tried);
    if (!exactly && !(h > 1e-14 * std::max(1.0, std::abs(t_)))) give_up(refusal_);
    const bool fresh = jacobian_fresh_ || !jacobian_known_;
    if (try_step(h, exactly)) break;
    if (exactly && fresh) give_up(refusal_);
    careful_ = true;
    ++report_.rejected;
  }
  if (!exactly) adapt(h, tried);
  polynomial_ = Z_, polynomial_h_ = h;
  if (contraction_ > kKeepJacobian) jacobian_known_ = false;
  accept(h == end - t_ ? end : t_ + h, q_end_, x_end_);
  refusal_.clear();
  known_ = Known::its_end, first_rates_known_ = end_rates_known_ = true, careful_ = false;
}

void RadauIntegrator::interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const {
  const std::array<double, 3> weight = radau_tableau().weights_at((t - t_start_) / (t_ - t_start_));
  OwnedVector& d = interpolated_;
  d.setZero(), x = x_start_, q = q_start_;
  for (int k = 0; k < kStages; ++k)
    d += weight[k] * polynomial_.col(k).head(nv_), x += weight[k] * polynomial_.col(k).tail(x.size());
  if (mechanism_ != nullptr) mechanism_->integrate_unchecked(q_start_.data(), d.data(), q.data());
}

}  // namespace amble
