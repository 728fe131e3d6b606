#include <cmath>

#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/verify/coordinates/cases.hpp"
#include "amble/verify/coordinates/themes.hpp"

namespace amble {

namespace {

using Vec3 = Vector3<double>;
using std::cos, std::sin;

constexpr double kG = 9.81;

Claim closed_form(const std::string& name, const std::string& source, double tolerance) {
  return {"coordinates." + name, source, "closed form", tolerance};
}

/// A symmetric top thrown into the air: moments A, A, C about its axis z. Its angular momentum L stays, the axis goes
/// round L at |L| / A, and the top turns about the axis by (1 - C/A) w3 besides.
struct Top {
  static constexpr double kA = 0.8, kC = 1.3, kMass = 2.0;

  explicit Top(std::uint64_t seed) : s(make(seed)) {}

  static Motion make(std::uint64_t seed) {
    Builder b("top");
    const Matrix3<double> I = Vec3(kA, kA, kC).asDiagonal();
    b.body({.name = "top", .inertia = Inertia<double>::from_com(kMass, Vec3::Zero(), I)});
    const Mechanism m = b.joint({.name = "flight", .type = "free", .parent = kWorld, .child = "top"}).build();
    return in_motion(m, m.random(seed), seed);
  }

  static SO3<double> attitude(const OwnedVector& q) {
    return SO3<double>(Quaternion<double>::from_xyzw(q.data() + 3));
  }
  Vec3 L() const { return attitude(s.q).matrix() * Vec3(kA, kA, kC).cwiseProduct(Vec3(s.v.tail<3>())); }

  SO3<double> attitude_at(double t) const {
    const double besides = (1.0 - kC / kA) * s.v[5];
    return SO3<double>::exp(Vec3(t / kA * L())) * attitude(s.q) * SO3<double>::about(2, t * besides);
  }
  Vec3 position_at(double t) const {
    const Vec3 start = s.q.head<3>(), speed = attitude(s.q).matrix() * s.v.head<3>();
    return start + t * speed + 0.5 * t * t * Vec3(0.0, 0.0, -kG);
  }
  double error(const OwnedVector& q, double t) const {
    return relative_error(attitude(q).matrix(), attitude_at(t).matrix()) +
           relative_error(Vec3(q.head<3>()), position_at(t));
  }

  Motion s;
};

constexpr double kFlight = 3.0;  // s
constexpr IntegratorOptions kExact{.tolerance = 1e-12};

OwnedVector flown_by_momenta(const Top& top, double duration) {
  MomentumFlow flow(top.s.m);
  Workspace work(top.s.m);
  MuntheKaasIntegrator run(flow, kExact);
  run.set_state(0.0, top.s.q, momenta(top.s.m, work, top.s.q, top.s.v));
  run.run(duration);
  return run.q();
}

double top_by_momenta(std::uint64_t seed) {
  const Top top(seed);
  return top.error(flown_by_momenta(top, kFlight), kFlight);
}

double top_by_chart(std::uint64_t seed, const ChartPtr& chart) {
  const Top top(seed);
  ChartFlow flow(ChartCoordinates(top.s.m, chart));
  MuntheKaasIntegrator run(flow, kExact);
  run.set_state(0.0, Eigen::VectorXd(), flow.state(top.s.q, top.s.v));
  run.run(kFlight);
  return top.error(flow.configuration(run.x()), kFlight);
}

/// The axis seen along L: the angle between them, and how far the axis has gone round.
struct Precession {
  Precession(const Top& top, const OwnedVector& q) {
    const Vec3 up = top.L().normalized(), axis = Top::attitude(q).matrix().col(2);
    const Vec3 from = Top::attitude(top.s.q).matrix().col(2), across = cross<double>(up, from);
    angle = std::atan2(cross<double>(up, axis).norm(), up.dot(axis));
    turned = std::atan2(axis.dot(across), axis.dot(from) - up.dot(axis) * up.dot(from));
  }
  double angle = 0.0, turned = 0.0;
};

const Top& one_top() {
  static const Top top(3);
  return top;
}

constexpr double kPart = 0.5;  // s, less than half a turn

Precession precession_after(double t) { return {one_top(), flown_by_momenta(one_top(), t)}; }
double precession_angle() { return precession_after(kFlight).angle; }
double precession_rate() { return precession_after(kPart).turned / kPart; }

/// tan(angle) = A |w_xy| / (C w3).
double expected_precession_angle() {
  const Vec3 w = one_top().s.v.tail<3>();
  return std::atan2(Top::kA * std::hypot(w[0], w[1]), Top::kC * w[2]);
}

/// Two links that hang in a vertical plane: masses, centres of mass, moments about those, the second angle relative.
struct TwoLinks {
  double m1 = 1.3, l1 = 0.9, r1 = 0.4, I1 = 0.05, m2 = 0.7, r2 = 0.35, I2 = 0.02;

  Mechanism build() const {
    const auto link = [](double m, double r, double I) {
      return Inertia<double>::from_com(m, {0, 0, -r}, Matrix3<double>(Vec3(I, I, I).asDiagonal()));
    };
    Builder b("double pendulum");
    b.body({.name = "first", .inertia = link(m1, r1, I1)}).body({.name = "second", .inertia = link(m2, r2, I2)});
    b.joint({.name = "shoulder", .type = "revolute", .parent = kWorld, .child = "first", .axis = {0, 1, 0}});
    b.joint({.name = "elbow", .type = "revolute", .parent = "first", .child = "second",
             .X_PF = Pose(Vec3(0, 0, -l1)), .axis = {0, 1, 0}});
    return b.build();
  }

  /// (2.88) by hand: v = M^-1 p, pdot = v^T (dM/dq) v / 2 - dU/dq + tau.
  struct Rates {
    Eigen::Vector2d v, pdot;
  };
  Rates rates(const VectorRef& q, const VectorRef& p, const VectorRef& tau) const {
    const double beta = m2 * l1 * r2, a = I1 + I2 + m1 * r1 * r1 + m2 * (l1 * l1 + r2 * r2) + 2 * beta * cos(q[1]);
    const double d = I2 + m2 * r2 * r2, b = d + beta * cos(q[1]), under = a * d - b * b;
    const Eigen::Vector2d v((d * p[0] - b * p[1]) / under, (a * p[1] - b * p[0]) / under);
    const double second = m2 * kG * r2 * sin(q[0] + q[1]), first = (m1 * r1 + m2 * l1) * kG * sin(q[0]);
    return {v, {tau[0] - first - second, tau[1] - second - beta * sin(q[1]) * v[0] * (v[0] + v[1])}};
  }
};

double double_pendulum(std::uint64_t seed) {
  const TwoLinks links;
  const Motion s = in_motion(links.build(), links.build().random(seed), seed);
  Workspace work(s.m);
  const TwoLinks::Rates expected = links.rates(s.q, s.v, s.a);  // any two numbers are momenta
  const HamiltonianRates ours = hamiltonian_rates(s.m, work, s.q, s.v, s.a);
  return relative_error(ours.v, expected.v) + relative_error(ours.pdot, expected.pdot);
}

}  // namespace

std::vector<VerificationEntry> coordinates_closed_forms() {
  const std::string kSource = "free symmetric top: exp(t L/A) R exp(t (1 - C/A) w3 z), thrown, 3 s";
  std::vector<VerificationEntry> out{worst_entry(closed_form("top_momenta", kSource, 1e-11), 10, top_by_momenta)};
  for (const ChartPtr& chart : verified_charts())
    out.push_back(worst_entry(closed_form("top_" + chart->name(), kSource, 1e-11), 5,
                              [=](std::uint64_t seed) { return top_by_chart(seed, chart); }));
  out.push_back(number_entry(closed_form("precession_rate", "the axis goes round L at |L| / A", 1e-11),
                             one_top().L().norm() / Top::kA, precession_rate));
  out.push_back(number_entry(closed_form("precession_angle", "axis to L: tan = A |w_xy| / (C w3), after 3 s", 1e-11),
                             expected_precession_angle(), precession_angle));
  out.push_back(worst_entry(closed_form("double_pendulum", "DS (2.88), Example 2.20, by hand in (q, p)", 1e-12), 100,
                            double_pendulum));
  return out;
}

}  // namespace amble
