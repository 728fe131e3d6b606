#include "amble/control/walking/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

constexpr int kNodes = 128;  // where a search for the nearest point starts; between two of them there is one
constexpr double kBeyond = 0.02;  // how far an open curve is followed beyond its ends, in s
constexpr double kStep = 1e-3;    // of differences in s

/// The s in [0, 1) of a closed curve.
double wrapped(double s) { return s - std::floor(s); }

}  // namespace

TrackedCurve::TrackedCurve(const Mechanism& mechanism, std::function<OwnedVector(double)> position,
                           bool closed)
    : TrackedCurve(mechanism, std::move(position), {}, closed) {}

TrackedCurve::TrackedCurve(const Mechanism& mechanism, std::function<OwnedVector(double)> position,
                           std::function<OwnedVector(double)> tangent, bool closed)
    : mechanism_(mechanism), position_(std::move(position)), tangent_(std::move(tangent)), closed_(closed) {
  if (!position_) throw Error(fmt::format("a curve of '{}' has no position", mechanism_.name()));
  for (int i = 0; i <= kNodes; ++i) {
    const double s = static_cast<double>(i) / kNodes;
    nodes_.push_back(this->position(s));
    if (!(this->tangent(s).norm() > 1e-9))
      throw Error(fmt::format("a curve of '{}' stands still at s = {}", mechanism_.name(), s));
  }
}

OwnedVector TrackedCurve::position(double s) const {
  return mechanism_.checked_configuration(position_(closed_ ? wrapped(s) : s));
}

OwnedVector TrackedCurve::tangent(double s) const {
  if (tangent_) return tangent_(closed_ ? wrapped(s) : s);
  const OwnedVector q = position(s);
  OwnedVector rate(mechanism_.nv());
  constexpr double kWeights[] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
  for (int i = 1; i <= 3; ++i)
    for (const int side : {1, -1})
      rate += side * kWeights[i - 1] / kStep * mechanism_.difference(q, position(s + side * i * kStep));
  return rate;
}

/// Of |e|^2 / 2 with e = difference(q, position(s)), along s.
double TrackedCurve::slope_of_distance(const VectorRef& q, const VectorRef& weights, double s) const {
  const OwnedVector from = mechanism_.checked_configuration(q), e = mechanism_.difference(from, position(s));
  const OwnedVector along = tangent(s);
  OwnedVector rate(mechanism_.nv());
  mechanism_.local_rates_unchecked(from.data(), e.data(), along.data(), rate.data());
  return e.dot(weights.cwiseProduct(rate));
}

double TrackedCurve::nearest(const VectorRef& q, const VectorRef& weights) const {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  const bool plain = mechanism_.nq() == mechanism_.nv();  // every joint has one axis: differences are just that
  for (int i = 0; i <= kNodes; ++i) {
    const double distance = plain ? (nodes_[i] - q).cwiseAbs2().dot(weights)
                                  : mechanism_.difference(q, nodes_[i]).cwiseAbs2().dot(weights);
    if (distance < least) least = distance, best = i;
  }
  double low = (best - 1.0) / kNodes, high = (best + 1.0) / kNodes;
  if (!closed_ && best == 0) low = -kBeyond;
  if (!closed_ && best == kNodes) high = 1.0 + kBeyond;
  double at_low = slope_of_distance(q, weights, low), at_high = slope_of_distance(q, weights, high);
  if (at_low >= 0.0) return low;
  if (at_high <= 0.0) return high;
  // Where the slope changes its sign: the Illinois variant of false position.
  double s = low;
  for (int i = 0, last = 0; i < 60 && high - low > 1e-13; ++i) {
    s = high - at_high * (high - low) / (at_high - at_low);
    const double at = slope_of_distance(q, weights, s);
    if (at == 0.0) break;
    if (at < 0.0) {
      low = s, at_low = at;
      if (last == -1) at_high *= 0.5;
      last = -1;
    } else {
      high = s, at_high = at;
      if (last == 1) at_low *= 0.5;
      last = 1;
    }
  }
  return s;
}

// ---- through samples

namespace {

constexpr int kSide = 2;  // samples on either side that a polynomial goes through

/// Lagrange's polynomials through -2 .. 2.
std::array<double, 2 * kSide + 1> lagrange(double u) {
  std::array<double, 2 * kSide + 1> weights;
  for (int i = -kSide; i <= kSide; ++i) {
    double weight = 1.0;
    for (int j = -kSide; j <= kSide; ++j)
      if (j != i) weight *= (u - j) / (i - j);
    weights[i + kSide] = weight;
  }
  return weights;
}

/// From 0 to 1 with three derivatives that vanish at both ends.
double blend(double u) { return u * u * u * u * (35.0 + u * (-84.0 + u * (70.0 - 20.0 * u))); }

class SampledCurve {
 public:
  SampledCurve(const Mechanism& m, const std::vector<OwnedVector>& samples, bool closed)
      : m_(m), samples_(samples), closed_(closed), count_(static_cast<int>(samples.size())) {
    for (int i = 0; i < count_; ++i) ways_.push_back(ways(i));
  }

  OwnedVector operator()(double s) const {
    const double x = s * (closed_ ? count_ : count_ - 1);
    const int last = closed_ ? count_ - 1 : count_ - 2;
    const int i = std::clamp(static_cast<int>(std::floor(x)), 0, last);
    const double u = x - i;
    if (u <= 0.0) return about(i, u);
    if (u >= 1.0) return about(i + 1, u - 1.0);
    const OwnedVector a = about(i, u), b = about(i + 1, u - 1.0);
    return m_.integrate(a, blend(u) * m_.difference(a, b));
  }

 private:
  /// The sample that the polynomial about sample i is centred on: near the ends of an open curve one further
  /// in.
  int centre(int i) const { return closed_ ? i % count_ : std::clamp(i, kSide, count_ - 1 - kSide); }
  const OwnedVector& sample(int i) const { return samples_[(i + count_) % count_]; }

  OwnedMatrix ways(int i) const {
    OwnedMatrix d(m_.nv(), 2 * kSide + 1);
    for (int k = -kSide; k <= kSide; ++k)
      d.col(k + kSide) = m_.difference(sample(centre(i)), sample(centre(i) + k));
    return d;
  }

  OwnedVector about(int i, double u) const {
    const int c = centre(i);
    const auto weights = lagrange(u + (closed_ ? 0 : i - c));
    const OwnedMatrix& d = ways_[i % count_];
    OwnedVector way(m_.nv());
    for (std::size_t k = 0; k < weights.size(); ++k) way += weights[k] * d.col(k);
    return m_.integrate(sample(c), way);
  }

  Mechanism m_;
  std::vector<OwnedVector> samples_;
  bool closed_;
  int count_;
  std::vector<OwnedMatrix> ways_;
};

}  // namespace

TrackedCurve curve_through(const Mechanism& mechanism, const std::vector<OwnedVector>& samples, bool closed) {
  if (samples.size() < 2 * kSide + 1)
    throw Error(fmt::format("a curve through {} samples of '{}': expected at least {}", samples.size(),
                            mechanism.name(), 2 * kSide + 1));
  std::vector<OwnedVector> checked;
  for (const OwnedVector& q : samples) checked.push_back(mechanism.checked_configuration(q));
  return {mechanism, SampledCurve(mechanism, checked, closed), closed};
}

}  // namespace amble
