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
    nodes_.push_back({this->position(s), this->tangent(s)});
    if (!(nodes_.back().tangent.norm() > 1e-9))
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

/// Of |e|^2 / 2 with e = difference(q, position), along s.
double TrackedCurve::slope_of_distance(const OwnedVector& q, const VectorRef& weights, const Node& at) const {
  const OwnedVector e = mechanism_.difference(q, at.position);
  OwnedVector rate(mechanism_.nv());
  mechanism_.local_rates_unchecked(q.data(), e.data(), at.tangent.data(), rate.data());
  return e.dot(weights.cwiseProduct(rate));
}

double TrackedCurve::nearest(const VectorRef& given, const VectorRef& weights) const {
  const OwnedVector q = mechanism_.checked_configuration(given);
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  const bool plain = mechanism_.nq() == mechanism_.nv();  // every joint has one axis: differences are just that
  for (int i = 0; i <= kNodes; ++i) {
    const OwnedVector& node = nodes_[static_cast<std::size_t>(i)].position;
    const double distance = plain ? (node - q).cwiseAbs2().dot(weights)
                                  : mechanism_.difference(q, node).cwiseAbs2().dot(weights);
    if (distance < least) least = distance, best = i;
  }
  struct Place {
    double s, slope;
  };
  const auto at = [&](double s) { return Place{s, slope_of_distance(q, weights, {position(s), tangent(s)})}; };
  const auto at_node = [&](int i) {
    const int known = closed_ ? (i + kNodes) % kNodes : i;
    return Place{static_cast<double>(i) / kNodes, slope_of_distance(q, weights, nodes_[static_cast<std::size_t>(known)])};
  };
  const Place middle = at_node(best);
  if (middle.slope == 0.0) return middle.s;
  const bool on = middle.slope < 0.0;  // the nearest point is further along
  Place other = !closed_ && best == (on ? kNodes : 0) ? at(on ? 1.0 + kBeyond : -kBeyond) : at_node(on ? best + 1 : best - 1);
  if ((other.slope < 0.0) == on) return other.s;
  // Where the slope changes its sign: secants, kept between places on either side of it. They close in so fast that what is
  // left after a short step is rounding.
  Place low = on ? middle : other, high = on ? other : middle, before = other, now = middle;
  for (int i = 0; i < 60 && now.slope != 0.0 && std::abs(now.s - before.s) > 1e-11; ++i) {
    double s = now.s - now.slope * (now.s - before.s) / (now.slope - before.slope);
    if (s == now.s) break;
    if (!(s >= low.s && s <= high.s)) s = 0.5 * (low.s + high.s);
    before = now, now = at(s);
    (now.slope < 0.0 ? low : high) = now;
  }
  return now.s;
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
