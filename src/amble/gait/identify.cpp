#include "amble/gait/identify.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"

namespace amble {

namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using Start = MotionPieces::Start;
using Course = MotionPieces::Course;
using Directions = MotionPieces::Directions;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kStep = 1e-4;      // of differences, relative to a number or a tenth
constexpr double kDone = 1e-8;      // a step this short, likewise, is the last
constexpr double kNoNoise = 1e-14;  // less is not told from none

double size_of(double number) { return std::max(std::abs(number), 0.1); }

/// The quantile of Student's distribution (Abramowitz and Stegun 26.7.5) from that of the normal one, by
/// Newton's method.
double student_quantile(double probability, double freedoms) {
  double z = 0.0;
  for (int i = 0; i < 100; ++i)
    z += (probability - 0.5 * std::erfc(-z / std::sqrt(2.0))) * std::sqrt(2.0 * M_PI) *
         std::exp(0.5 * std::min(z * z, 6.0));
  const double z2 = z * z, n = freedoms;
  return z * (1.0 + (z2 + 1.0) / (4.0 * n) + ((5.0 * z2 + 16.0) * z2 + 3.0) / (96.0 * n * n) +
              (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / (384.0 * n * n * n));
}

/// J dtheta = r by singular values, numbers of theta counted in their own sizes: where J is (nearly)
/// singular, the shortest step.
struct LeastSquares {
  VectorXd scale, singular, right;
  MatrixXd V;
  Eigen::Index rank;

  LeastSquares(const MatrixXd& J, const VectorXd& r, const VectorXd& sizes, double tolerance) : scale(sizes) {
    const Eigen::BDCSVD<MatrixXd> svd(J * scale.asDiagonal(), Eigen::ComputeThinU | Eigen::ComputeFullV);
    singular = svd.singularValues(), V = svd.matrixV(), right = svd.matrixU().transpose() * r;
    rank =
        singular.size() > 0 && singular[0] > 0.0 ? (singular.array() > tolerance * singular[0]).count() : 0;
  }
  VectorXd step() const {
    return scale.cwiseProduct(V.leftCols(rank) * right.head(rank).cwiseQuotient(singular.head(rank)));
  }
  MatrixXd covariance() const {
    const MatrixXd half =
        scale.asDiagonal() * V.leftCols(rank) * singular.head(rank).cwiseInverse().asDiagonal();
    return half * half.transpose();
  }
  MatrixXd unseen() const { return scale.asDiagonal() * V.rightCols(V.cols() - rank); }
};

/// Columns combined so that each has a row of its own where it is 1 and the others 0 (the rows, in `pivots`):
/// the fewest numbers that say what they span. Rows are weighed by `size` when a pivot is chosen.
MatrixXd echelon(MatrixXd N, const VectorXd& size, std::vector<Eigen::Index>& pivots) {
  for (Eigen::Index c = 0; c < N.cols(); ++c) {
    Eigen::Index row = 0, column = 0;
    MatrixXd rest = size.cwiseInverse().asDiagonal() * N.rightCols(N.cols() - c);
    for (const Eigen::Index used : pivots) rest.row(used).setZero();
    rest.cwiseAbs().maxCoeff(&row, &column);
    N.col(c).swap(N.col(c + column));
    N.col(c) /= N(row, c);
    for (Eigen::Index other = 0; other < N.cols(); ++other)
      if (other != c) N.col(other) -= N(row, other) * N.col(c).eval();
    pivots.push_back(row);
  }
  for (Eigen::Index i = 0; i < N.rows(); ++i)
    for (Eigen::Index c = 0; c < N.cols(); ++c)
      if (std::abs(N(i, c)) * size[pivots[c]] < 1e-4 * size[i]) N(i, c) = 0.0;
  return N;
}

std::string sum_in_words(const std::vector<std::string>& names, const VectorXd& factors) {
  std::string text;
  for (Eigen::Index i = 0; i < factors.size(); ++i) {
    if (factors[i] == 0.0) continue;
    const double size = std::abs(factors[i]);
    const std::string factor = std::abs(size - 1.0) < 1e-6 ? "" : fmt::format("{:.4g} ", size);
    text += fmt::format("{}{}{}",
                        text.empty()       ? (factors[i] < 0.0 ? "-" : "")
                        : factors[i] < 0.0 ? " - "
                                           : " + ",
                        factor, names[i]);
  }
  return text;
}

struct Noise {
  double q = 1.0, v = 1.0;
};

/// A piece: how its course changes with its start and with theta, and what it still misses. All over the
/// noise once weigh() was called, and its start eliminated: what it says of theta, and how its start follows.
struct PieceSystem {
  MatrixXd by_start, by_theta;
  VectorXd right;
  Eigen::ColPivHouseholderQR<MatrixXd> qr;

  PieceSystem weighed(Eigen::Index q_rows, const Noise& noise) const {
    VectorXd weights = VectorXd::Constant(right.size(), 1.0 / noise.v);
    weights.head(q_rows).setConstant(1.0 / noise.q);
    PieceSystem out{
        weights.asDiagonal() * by_start, weights.asDiagonal() * by_theta, weights.cwiseProduct(right), {}};
    out.qr.setThreshold(1e-9);
    out.qr.compute(out.by_start);
    return out;
  }
  /// What is left of [by_theta right].
  MatrixXd rest() const {
    MatrixXd both(by_theta.rows(), by_theta.cols() + 1);
    both << by_theta, right;
    const MatrixXd turned = qr.householderQ().adjoint() * both;
    return turned.bottomRows(turned.rows() - qr.rank());
  }
  VectorXd start_step(const VectorXd& theta_step) const { return qr.solve(right - by_theta * theta_step); }
};

class Fit {
 public:
  Fit(const Mechanism& mechanism, const MeasuredMotion& motion, const IdentifyOptions& options)
      : options_(options),
        free_(mechanism, options.free),
        pieces_(mechanism, motion, options.piece, options.tolerance),
        now_{free_.start(), pieces_.measured_starts()} {
    if (options.q_noise > 0.0) noise_.q = options.q_noise;
    if (options.v_noise > 0.0) noise_.v = options.v_noise;
    Simulator simulator = pieces_.simulator(mechanism_);
    for (const Start& start : now_.starts) directions_.push_back(pieces_.directions(simulator, start));
    if (unknowns() >= pieces_.rows())
      throw Error(fmt::format(
          "the motion has {} numbers for {} unknowns ({} free, the others are the starts of {} pieces): "
          "expected more",
          pieces_.rows(), unknowns(), free_.size(), pieces_.count()));
  }

  Identification run() {
    constexpr int kRounds = 8;
    for (int round = 0; round < kRounds; ++round) {
      descend();
      if (stopped_ || !find_noise()) break;
    }
    return result();
  }

 private:
  struct Point {
    VectorXd theta;
    std::vector<Start> starts;
  };

  Eigen::Index unknowns() const {
    Eigen::Index sum = free_.size();
    for (const Directions& directions : directions_) sum += directions.count();
    return sum;
  }

  /// Measured less simulated, of every piece.
  std::vector<VectorXd> residuals(const Point& at) const {
    Simulator simulator = pieces_.simulator(free_.mechanism(at.theta));
    std::vector<VectorXd> all;
    for (int i = 0; i < pieces_.count(); ++i)
      all.push_back(pieces_.difference(i, pieces_.simulate(simulator, i, at.starts[i]), pieces_.measured(i)));
    return all;
  }

  /// Sums of squares of what is left of q and of v.
  Noise squares(const std::vector<VectorXd>& residuals) const {
    Noise sum{0.0, 0.0};
    for (int i = 0; i < pieces_.count(); ++i) {
      const VectorXd& r = residuals[i];
      sum.q += r.head(pieces_.q_rows(i)).squaredNorm(),
          sum.v += r.tail(r.size() - pieces_.q_rows(i)).squaredNorm();
    }
    return sum;
  }
  double cost(const Noise& squares) const {
    const double sum = squares.q / (noise_.q * noise_.q) + squares.v / (noise_.v * noise_.v);
    return std::isfinite(sum) ? sum : kInfinity;
  }

  /// Infinite where the motion cannot be simulated; `residuals` are then as they were.
  double try_point(const Point& at, std::vector<VectorXd>& residuals_there) const {
    try {
      residuals_there = residuals(at);
      return cost(squares(residuals_there));
    } catch (const Error&) {
      return kInfinity;
    }
  }

  // ---- derivatives

  /// d course / d number by differences of a smooth simulation: of order two on both sides, or on one where a
  /// bound is near.
  template <class Run>
  VectorXd slope(int piece, double h, bool one_sided, const Course& base, const Run& run) const {
    if (one_sided) {
      const VectorXd one = pieces_.difference(piece, base, run(h)),
                     two = pieces_.difference(piece, base, run(2.0 * h));
      return (4.0 * one - two) / (2.0 * h);
    }
    return pieces_.difference(piece, run(-h), run(h)) / (2.0 * h);
  }

  void linearize() {
    mechanism_ = free_.mechanism(now_.theta);
    Simulator simulator = pieces_.simulator(mechanism_);
    systems_.resize(static_cast<std::size_t>(pieces_.count()));
    std::vector<Course> bases;
    for (int i = 0; i < pieces_.count(); ++i) {
      const Start& start = now_.starts[i];
      directions_[i] = pieces_.directions(simulator, start);
      bases.push_back(pieces_.simulate(simulator, i, start));
      PieceSystem& system = systems_[i];
      system.right = pieces_.difference(i, bases[i], pieces_.measured(i));
      system.by_theta.resize(system.right.size(), free_.size());
      const Eigen::Index numbers = directions_[i].count();
      system.by_start.resize(system.right.size(), numbers);
      for (Eigen::Index k = 0; k < numbers; ++k)
        system.by_start.col(k) = slope(i, 0.1 * kStep, false, bases[i], [&](double h) {
          return pieces_.simulate(simulator, i, pieces_.moved(start, directions_[i], h * VectorXd::Unit(numbers, k)));
        });
    }
    for (int k = 0; k < free_.size(); ++k) differentiate(k, bases);
  }

  /// By number k of theta, in all pieces.
  void differentiate(int k, const std::vector<Course>& bases) {
    const double h = kStep * size_of(now_.theta[k]);
    const bool one_sided = now_.theta[k] - h < free_.lower()[k];
    const auto simulator = [&](double d) {
      VectorXd theta = now_.theta;
      theta[k] += d;
      return pieces_.simulator(free_.mechanism(theta));
    };
    Simulator near = simulator(one_sided ? h : -h), far = simulator(one_sided ? 2.0 * h : h);
    for (int i = 0; i < pieces_.count(); ++i)
      systems_[i].by_theta.col(k) = slope(i, h, one_sided, bases[i], [&](double d) {
        return pieces_.simulate(d == (one_sided ? h : -h) ? near : far, i, now_.starts[i]);
      });
  }

  void weigh() {
    weighed_.clear();
    for (int i = 0; i < pieces_.count(); ++i)
      weighed_.push_back(systems_[i].weighed(pieces_.q_rows(i), noise_));
  }

  /// All pieces, their starts eliminated, without the columns of numbers that rest on their bounds.
  LeastSquares reduced(const std::vector<bool>& held) const {
    Eigen::Index rows = 0;
    std::vector<MatrixXd> rests;
    for (const PieceSystem& system : weighed_) rests.push_back(system.rest()), rows += rests.back().rows();
    MatrixXd all(rows, free_.size() + 1);
    rows = 0;
    for (const MatrixXd& rest : rests) all.middleRows(rows, rest.rows()) = rest, rows += rest.rows();
    for (int k = 0; k < free_.size(); ++k)
      if (held[k]) all.col(k).setZero();
    const VectorXd sizes = now_.theta.unaryExpr([](double number) { return size_of(number); });
    return {all.leftCols(free_.size()), all.col(free_.size()), sizes, options_.rank_tolerance};
  }

  /// A step that stays within the bounds: what would leave them is held where it is, and the others step once
  /// more.
  VectorXd bounded_step() const {
    std::vector<bool> held(static_cast<std::size_t>(free_.size()), false);
    for (;;) {
      const VectorXd step = reduced(held).step();
      bool fits = true;
      for (int k = 0; k < free_.size(); ++k)
        if (!held[k] && now_.theta[k] <= free_.lower()[k] && step[k] < 0.0) held[k] = true, fits = false;
      if (fits) return step;
    }
  }

  // ---- steps

  Point moved(const VectorXd& step, double share) const {
    Point next = now_;
    next.theta = (now_.theta + share * step).cwiseMax(free_.lower());
    const VectorXd taken = next.theta - now_.theta;
    for (std::size_t i = 0; i < weighed_.size(); ++i)
      next.starts[i] = pieces_.moved(now_.starts[i], directions_[i], weighed_[i].start_step(taken / share) * share);
    return next;
  }

  static double length(const VectorXd& step, const VectorXd& theta) {
    double longest = 0.0;
    for (Eigen::Index k = 0; k < step.size(); ++k)
      longest = std::max(longest, std::abs(step[k]) / size_of(theta[k]));
    return longest;
  }

  /// Derivatives are kept while steps are short and become much shorter each time: they take nearly all of
  /// the time.
  void descend() {
    constexpr double kLongest = 2.0, kShort = 0.01, kShrinks = 0.2, kNearly = 1e-5;
    std::vector<VectorXd> left;
    double before = try_point(now_, left), last = kInfinity;
    if (before == kInfinity) throw Error("the motion cannot be simulated from the numbers to start with");
    converged_ = false;
    for (; iterations_ < options_.iterations && !converged_ && !stopped_; ++iterations_) {
      if (!fresh_) linearize();
      for (int i = 0; i < pieces_.count(); ++i) systems_[i].right = left[i];
      weigh();
      const VectorXd step = bounded_step();
      const double size = length(step, now_.theta);
      double share = std::min(1.0, kLongest / std::max(size, 1e-300)), after = kInfinity;
      Point next = now_;
      for (int halving = 0; halving < 12; ++halving, share *= 0.5) {
        next = moved(step, share), after = try_point(next, left);
        if (after <= before) break;
      }
      const bool helps = after <= before;
      // Where rounding hides whether a step helps, a short one is the last.
      converged_ = size < kDone || (!helps && size < kNearly);
      if (!helps && !converged_ && last == kInfinity) break;
      if (helps) now_ = next, before = after;
      if (!helps) try_point(now_, left);
      fresh_ = converged_ || (helps && size < kShort && size < kShrinks * last);
      last = helps ? size : kInfinity;
      if (options_.watch && !options_.watch(iterations_, std::sqrt(before / pieces_.rows()))) stopped_ = true;
    }
  }

  /// From what is left over; true when that changes how q and v are weighed against each other.
  bool find_noise() {
    const Noise left = squares(residuals(now_)), before = noise_;
    int q_rows = 0;
    for (int i = 0; i < pieces_.count(); ++i) q_rows += pieces_.q_rows(i);
    const double rows = pieces_.rows(), share = rows / (rows - static_cast<double>(unknowns()));
    if (!(options_.q_noise > 0.0)) noise_.q = std::max(std::sqrt(share * left.q / q_rows), kNoNoise);
    if (!(options_.v_noise > 0.0) && rows > q_rows)
      noise_.v = std::max(std::sqrt(share * left.v / (rows - q_rows)), kNoNoise);
    misfit_ = std::sqrt(share * cost(left) / rows);
    const double change = (noise_.q / before.q) / (rows > q_rows ? noise_.v / before.v : noise_.q / before.q);
    return std::abs(std::log(change)) > 0.02 && std::max(noise_.q, noise_.v) > 1e-9;
  }

  // ---- results

  Identification result() {
    linearize();
    weigh();
    const LeastSquares fit = reduced(std::vector<bool>(static_cast<std::size_t>(free_.size()), false));
    if (fit.rank == 0) throw Error("the motion tells nothing of what is free");
    const MatrixXd G = free_.values_derivative(now_.theta);
    Identification out{.mechanism = mechanism_};
    out.covariance = G * fit.covariance() * G.transpose();
    out.rank = static_cast<int>(fit.rank), out.iterations = iterations_, out.samples = pieces_.rows();
    out.converged = converged_, out.misfit = misfit_, out.q_noise = noise_.q, out.v_noise = noise_.v;
    const VectorXd values = free_.values(now_.theta), starts = free_.values(free_.start());
    VectorXd size(values.size());
    for (Eigen::Index i = 0; i < size.size(); ++i)
      size[i] = std::max({std::abs(values[i]), std::abs(starts[i]), 1e-3});
    std::vector<Eigen::Index> pivots;
    const MatrixXd unseen = echelon(G * fit.unseen(), size, pivots);
    out.unseen = unseen;
    const double wide = student_quantile(0.5 + 0.5 * options_.confidence, static_cast<double>(pieces_.rows() - unknowns()));
    for (int i = 0; i < free_.size(); ++i) {
      const bool identified = unseen.row(i).isZero(0.0);
      const double deviation = identified ? std::sqrt(out.covariance(i, i)) : kInfinity;
      out.values.push_back({free_.names()[i], starts[i], values[i], deviation, values[i] - wide * deviation,
                            values[i] + wide * deviation, identified});
    }
    for (const VectorXd& direction : unseen.colwise())
      out.unseen_names.push_back(sum_in_words(free_.names(), direction));
    if (unseen.cols() > 0) out.combinations = combinations(unseen, pivots, values, out.covariance);
    return out;
  }

  /// Value i less what the unseen directions add to it: no such direction moves that.
  std::vector<IdentifiedCombination> combinations(const MatrixXd& unseen,
                                                  const std::vector<Eigen::Index>& pivots,
                                                  const VectorXd& values, const MatrixXd& covariance) const {
    std::vector<IdentifiedCombination> all;
    for (Eigen::Index i = 0; i < unseen.rows(); ++i) {
      if (unseen.row(i).isZero(0.0) || std::find(pivots.begin(), pivots.end(), i) != pivots.end()) continue;
      VectorXd factors = VectorXd::Unit(unseen.rows(), i);
      for (std::size_t c = 0; c < pivots.size(); ++c)
        factors[pivots[c]] -= unseen(i, static_cast<Eigen::Index>(c));
      all.push_back({sum_in_words(free_.names(), factors), factors.dot(values),
                     std::sqrt(std::max(0.0, factors.dot(covariance * factors)))});
    }
    return all;
  }

  IdentifyOptions options_;
  FreeParameters free_;
  MotionPieces pieces_;
  Point now_;
  Noise noise_;
  int iterations_ = 0;
  double misfit_ = 0.0;
  bool converged_ = false, stopped_ = false;
  bool fresh_ = false;  // the derivatives of systems_ will do for the next step
  Mechanism mechanism_ = free_.mechanism(free_.start());
  std::vector<PieceSystem> systems_, weighed_;
  std::vector<Directions> directions_;  // of each piece's start
};

}  // namespace

void IdentifyOptions::validate() const {
  const auto check = [](bool good, const char* name, double value, const char* expected) {
    if (!good) throw Error(fmt::format("{} is {}: expected {}", name, value, expected));
  };
  check(piece >= 0.0 && std::isfinite(piece), "piece", piece, "0 or more seconds");
  check(q_noise >= 0.0 && std::isfinite(q_noise), "q_noise", q_noise, "0 or more");
  check(v_noise >= 0.0 && std::isfinite(v_noise), "v_noise", v_noise, "0 or more");
  check(confidence > 0.0 && confidence < 1.0, "confidence", confidence, "more than 0 and less than 1");
  check(iterations > 0, "iterations", iterations, "1 or more");
  check(rank_tolerance > 0.0 && rank_tolerance < 1.0, "rank_tolerance", rank_tolerance,
        "more than 0 and less than 1");
}

Identification identify(const Mechanism& mechanism, const MeasuredMotion& motion,
                        const IdentifyOptions& options) {
  options.validate();
  return Fit(mechanism, motion, options).run();
}

}  // namespace amble
