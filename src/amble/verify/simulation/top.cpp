#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "amble/mechanism/builder.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/simulation/themes.hpp"

namespace amble {

namespace {

using Vec3 = Vector3<double>;
using std::cos, std::sin;

// About the pivot: A across the axis, C about it; the centre of mass is kArm up the axis.
constexpr double kG = 9.81, kMass = 0.6, kArm = 0.12, kA = 0.02, kC = 0.009, kWeight = kMass * kG * kArm;

Mechanism heavy_top() {
  Builder b("top");
  const double across = kA - kMass * kArm * kArm;
  const Matrix3<double> I = Vec3(across, across, kC).asDiagonal();
  b.body({.name = "top", .inertia = Inertia<double>::from_com(kMass, {0, 0, kArm}, I)});
  return b.joint({.name = "pivot", .type = "spherical", .parent = kWorld, .child = "top"}).build();
}

/// Where nutation turns round is an event: the height of the axis has slope zero.
struct TopFlow : VelocityFlow {
  explicit TopFlow(bool nutates) : VelocityFlow(heavy_top()), nutates(nutates) {}
  int guards() const override { return nutates ? 1 : 0; }
  void guard_values(double, const double* q, const double* x, double* values) override {
    values[0] = height_rate(q, x);
  }
  bool happen(double t, std::span<const signed char>, double* q, double*) override {
    turns.push_back(t), heights.push_back(axis(q)[2]), azimuths.push_back(azimuth(q));
    return false;
  }
  static Vec3 axis(const double* q) { return SO3<double>(Quaternion<double>::from_xyzw(q)).matrix().col(2); }
  static double azimuth(const double* q) { return std::atan2(axis(q)[1], axis(q)[0]); }
  static double height_rate(const double* q, const double* w) {
    const Matrix3<double> R = SO3<double>(Quaternion<double>::from_xyzw(q)).matrix();
    return (R * cross<double>(Vec3(w[0], w[1], w[2]), Vec3(0, 0, 1)))[2];
  }
  bool nutates;
  std::vector<double> turns, heights, azimuths;
};

/// The axis tilted by `tilt` towards x, going round the vertical at `precession`, spinning at `spin` about itself in
/// all.
struct Start {
  double tilt, precession, spin;
  OwnedVector q() const {
    OwnedVector out(4);
    Quaternion<double>::exp(Vec3(0, tilt, 0)).to_xyzw(out.data());
    return out;
  }
  OwnedVector v() const { return Vec3(-precession * sin(tilt), 0.0, spin); }
};

void run(TopFlow& flow, const Start& s, double end, OwnedVector* q = nullptr) {
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-13});
  run.set_state(0.0, s.q(), s.v());
  run.run(end);
  if (q != nullptr) *q = run.q();
}

/// A cos(tilt) W^2 - C n W + m g l = 0: slow and fast.
double steady_precession(bool fast) {
  const double tilt = 0.6, spin = 60.0, end = 3.0,
               root = std::sqrt(kC * kC * spin * spin - 4.0 * kA * cos(tilt) * kWeight);
  const double W = (kC * spin + (fast ? root : -root)) / (2.0 * kA * cos(tilt));
  TopFlow flow(false);
  OwnedVector q(4);
  run(flow, {tilt, W, spin}, end, &q);
  const Vec3 expected(sin(tilt) * cos(W * end), sin(tilt) * sin(W * end), cos(tilt));
  return (TopFlow::axis(q.data()) - expected).norm();
}

/// Nutation in u = cos(tilt): u'^2 = (alpha - beta u)(1 - u^2) - (b - a u)^2 = beta (u - u1)(u2 - u)(u3 - u), from
/// rest at the tilt u2 where it is let go, or wherever the precession there leads (Goldstein, Classical
/// Mechanics, 5.7).
struct Nutation {
  explicit Nutation(const Start& s) {
    const double u = cos(s.tilt), sine2 = 1.0 - u * u;
    a = kC * s.spin / kA, b = s.precession * sine2 + a * u, beta = 2.0 * kWeight / kA;
    const double alpha = s.precession * s.precession * sine2 + beta * u;
    // beta u^3 - (alpha + a^2) u^2 + (2 a b - beta) u + alpha - b^2, divided by beta
    Eigen::Matrix3d companion = Eigen::Matrix3d::Zero();
    companion(1, 0) = companion(2, 1) = 1.0;
    companion.col(2) << -(alpha - b * b) / beta, -(2.0 * a * b - beta) / beta, (alpha + a * a) / beta;
    const Eigen::Vector3cd found = companion.eigenvalues();
    for (int i = 0; i < 3; ++i) root[i] = found[i].real();
    std::sort(root.begin(), root.end());
  }
  /// Of f(u) over the time of one nutation, u = middle + half sin s.
  template <class F>
  double over_a_period(F f) const {
    constexpr int kPoints = 400;  // the trapezoidal rule is exact to rounding for a smooth periodic function
    double sum = 0.0;
    for (int i = 0; i < kPoints; ++i) {
      const double u =
          0.5 * (root[0] + root[1]) + 0.5 * (root[1] - root[0]) * sin(2.0 * std::numbers::pi * i / kPoints);
      sum += f(u) / std::sqrt(beta * (root[2] - u));
    }
    return 2.0 * std::numbers::pi * sum / kPoints;
  }
  double period() const {
    return over_a_period([](double) { return 1.0; });
  }
  double precession() const {
    return over_a_period([this](double u) { return (b - a * u) / (1.0 - u * u); });
  }
  double a, b, beta;
  std::array<double, 3> root;
};

const Start kStarts[] = {{0.5, 0.0, 50.0}, {0.7, 3.0, 45.0}, {1.0, -2.0, 40.0}, {2.0, 1.0, 30.0}};
constexpr int kTops = static_cast<int>(std::size(kStarts));

TopFlow nutating(std::uint64_t top) {
  TopFlow flow(true);
  run(flow, kStarts[top], 1.5);
  return flow;
}

double limits_error(std::uint64_t top) {
  const TopFlow flow = nutating(top);
  const Nutation expected(kStarts[top]);
  double worst = flow.heights.size() < 4 ? std::nan("") : 0.0;
  for (const double u : flow.heights)
    worst = std::max(worst, std::min(std::abs(u - expected.root[0]), std::abs(u - expected.root[1])));
  const auto [least, most] = std::minmax_element(flow.heights.begin(), flow.heights.end());
  return worst + std::abs(*least - expected.root[0]) + std::abs(*most - expected.root[1]);
}

double period_error(std::uint64_t top) {
  const TopFlow flow = nutating(top);
  double worst = flow.turns.size() < 4 ? std::nan("") : 0.0;
  for (std::size_t i = 2; i < flow.turns.size(); ++i)
    worst = std::max(worst, std::abs(flow.turns[i] - flow.turns[i - 2] - Nutation(kStarts[top]).period()));
  return worst;
}

double precession_error(std::uint64_t top) {
  const TopFlow flow = nutating(top);
  double worst = flow.turns.size() < 4 ? std::nan("") : 0.0;
  for (std::size_t i = 2; i < flow.turns.size(); ++i) {
    const double off = flow.azimuths[i] - flow.azimuths[i - 2] - Nutation(kStarts[top]).precession();
    worst = std::max(worst, std::abs(std::remainder(off, 2.0 * std::numbers::pi)));
  }
  return worst;
}

}  // namespace

std::vector<VerificationEntry> simulation_top() {
  const auto claim = [](const char* name, const char* source) {
    return Claim{std::string("simulation.") + name, source, "closed form", 1e-9};
  };
  return {
      number_entry(
          claim("top_slow_precession", "heavy symmetric top, A cos W^2 - C n W + m g l = 0, the slow root, 3 s"), 0.0,
          [] { return steady_precession(false); }),
      number_entry(claim("top_fast_precession", "the same, the fast root, 3 s"), 0.0,
                   [] { return steady_precession(true); }),
      worst_entry(claim("top_nutation_limits", "heavy symmetric top, roots of the cubic in cos(tilt)"), kTops,
                  limits_error),
      worst_entry(claim("top_nutation_period", "heavy symmetric top, time between turns by quadrature of the cubic"),
                  kTops, period_error),
      worst_entry(
          claim("top_precession_per_nutation", "heavy symmetric top, azimuth gained by quadrature of the cubic"),
          kTops, precession_error),
  };
}

}  // namespace amble
