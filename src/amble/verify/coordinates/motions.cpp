#include "amble/simulation/motion_flows.hpp"

#include <cmath>
#include <numbers>

#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/verify/coordinates/cases.hpp"
#include "amble/verify/coordinates/themes.hpp"

namespace amble {

namespace {

/// A body in flight with an arm of a ball joint and a hinge that is driven: everything tumbles.
Mechanism tumbling_arm() {
  Builder b("tumbling arm");
  Random random(17);
  for (const char* name : {"hull", "upper", "lower"}) b.body({.name = name, .inertia = random_inertia(random)});
  b.joint({.name = "flight", .type = "free", .parent = kWorld, .child = "hull"});
  b.joint({.name = "shoulder", .type = "spherical", .parent = "hull", .child = "upper", .X_PF = random_pose(random)});
  b.joint({.name = "elbow", .type = "revolute", .parent = "upper", .child = "lower", .X_PF = random_pose(random)});
  return b.build();
}

const Drive kElbow = [](double t, const OwnedVector&, const OwnedVector& v, OwnedVector& tau) {
  tau[9] = 0.5 * std::sin(3.0 * t) - 0.1 * v[9];
};

struct Start {
  explicit Start(double speed = 1.0) : v(speed * Eigen::VectorXd::LinSpaced(m.nv(), -1.5, 1.2)) {}
  Mechanism m = tumbling_arm();
  OwnedVector q = m.random(5);
  Eigen::VectorXd v;
};

struct End {
  OwnedVector q, v;
};

double gap(const Mechanism& m, const End& a, const End& b) {
  return m.difference(a.q, b.q).norm() + (a.v - b.v).norm();
}

constexpr double kTumble = 2.0;  // s: beyond, chaos parts what rounding made different
constexpr double kSpeed = 2.0;   // about a turn of every joint in that time
constexpr IntegratorOptions kExact{.tolerance = 1e-12};

End by_velocities(const Start& s) {
  VelocityFlow flow(s.m, kElbow);
  MuntheKaasIntegrator run(flow, kExact);
  run.set_state(0.0, s.q, s.v);
  run.run(kTumble);
  return {run.q(), run.x()};
}

double by_momenta() {
  const Start s(kSpeed);
  MomentumFlow flow(s.m, kElbow);
  Workspace work(s.m);
  MuntheKaasIntegrator run(flow, kExact);
  run.set_state(0.0, s.q, momenta(s.m, work, s.q, s.v));
  run.run(kTumble);
  return gap(s.m, {run.q(), OwnedVector(velocities(s.m, work, run.q(), run.x()))}, by_velocities(s));
}

double by_chart(const ChartPtr& chart) {
  const Start s(kSpeed);
  ChartFlow flow(ChartCoordinates(s.m, chart), kElbow);
  MuntheKaasIntegrator run(flow, kExact);
  run.set_state(0.0, Eigen::VectorXd(), flow.state(s.q, s.v));
  run.run(kTumble);
  return gap(s.m, {flow.configuration(run.x()), flow.velocity(run.x())}, by_velocities(s));
}

/// The largest |C| on the way, with nothing but C'' = -2 rate C' - rate^2 C.
double drift(const char* name, double tolerance, double stabilisation_rate) {
  const Start s;
  ChartFlow flow(ChartCoordinates(s.m, chart(name)));
  flow.set_stabilisation_rate(stabilisation_rate);
  MuntheKaasIntegrator run(flow, {.tolerance = tolerance});
  run.set_state(0.0, Eigen::VectorXd(), flow.state(s.q, s.v));
  double worst = 0.0;
  run.run(100.0, [&] {
    worst = std::max(worst, flow.coordinates().constraints(run.x().head(flow.size() / 2)).cwiseAbs().maxCoeff());
  });
  return worst;
}

/// Left to itself for 20 s: how far energy, and momentum about the centre of mass, are from where they were.
double kept_by_momenta() {
  const Start s;
  Workspace work(s.m);
  MomentumFlow flow(s.m);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-11});
  const OwnedVector p(momenta(s.m, work, s.q, s.v));
  run.set_state(0.0, s.q, p);
  const double H = hamiltonian(s.m, work, s.q, p);
  const Vector3<double> L = momentum(s.m, work, s.q, s.v).tail<3>();
  run.run(20.0);
  const OwnedVector v(velocities(s.m, work, run.q(), run.x()));
  const Vector3<double> now = momentum(s.m, work, run.q(), v).tail<3>();
  return std::abs(hamiltonian(s.m, work, run.q(), run.x()) - H) / (1.0 + std::abs(H)) +
         (now - L).norm() / (1.0 + L.norm());
}

/// The largest change of energy on the way through several switches; not a number if there were none.
double kept_through_switches() {
  const Start s;
  Workspace work(s.m);
  ChartFlow flow(ChartCoordinates(s.m, chart("rpy")));
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-11});
  run.set_state(0.0, Eigen::VectorXd(), flow.state(s.q, s.v));
  const auto energy = [&] {
    const OwnedVector q = flow.configuration(run.x()), v = flow.velocity(run.x());
    return kinetic_energy(s.m, work, q, v) + potential_energy(s.m, work, q);
  };
  const double H = energy();
  double worst = 0.0;
  run.run(20.0, [&] { worst = std::max(worst, std::abs(energy() - H)); });
  return flow.switches().size() > 3 ? worst / (1.0 + std::abs(H)) : std::nan("");
}

/// A plate that pitches steadily through every singularity of roll-pitch-yaw and of zxz.
std::vector<ChartSwitch> pitching_plate(double turns) {
  Builder b("plate");
  const Matrix3<double> I = Vector3<double>(1.0, 2.0, 2.5).asDiagonal();
  b.body({.name = "plate", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, I)});
  const Mechanism m = b.joint({.name = "flight", .type = "free", .parent = kWorld, .child = "plate"}).build();
  ChartFlow flow(ChartCoordinates(m, chart("rpy")));
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-10, .longest_step = 0.01});
  run.set_state(0.0, Eigen::VectorXd(), flow.state(m.neutral(), Eigen::VectorXd::Unit(6, 4)));  // 1 rad/s
  run.run(turns * 2.0 * std::numbers::pi);
  return {flow.switches().begin(), flow.switches().end()};
}

/// Those in the log that left a chart below its threshold for a better one of the two.
double good_switches() {
  double count = 0.0;
  for (const ChartSwitch& x : pitching_plate(5.0))
    if (x.joint == "flight" && x.from != x.to && x.measure_before < 0.3 && x.measure_after > 0.5) ++count;
  return count;
}

}  // namespace

std::vector<VerificationEntry> coordinates_motions() {
  const std::string kSame = "tumbling arm after 2 s, against velocities";
  const auto zero = [](const std::string& name, const std::string& source, const std::string& kind, double tolerance,
                       const std::function<double()>& ours) {
    return number_entry({"coordinates." + name, source, kind, tolerance}, 0.0, ours);
  };
  std::vector<VerificationEntry> out{zero("tumble_momenta", kSame, "two routes", 1e-9, by_momenta)};
  for (const ChartPtr& chart : verified_charts())
    out.push_back(zero("tumble_" + chart->name(), kSame, "two routes", 1e-9, [=] { return by_chart(chart); }));
  for (const char* name : {"quaternion", "matrix"})
    out.push_back(zero(std::string("drift_") + name, "BK (27), (30): worst |C| in 100 s, nothing holds it",
                       "closed form", 1e-9, [=] { return drift(name, 1e-11, 0.0); }));
  out.push_back(zero("drift_held", "the same, quaternion in larger steps, stabilised at 5 1/s", "closed form", 1e-9,
                     [] { return drift("quaternion", 1e-9, 5.0); }));
  out.push_back(zero("kept_by_momenta", "energy and angular momentum of a free fall, 20 s", "closed form", 1e-9,
                     kept_by_momenta));
  out.push_back(zero("kept_through_switches", "worst energy error of rpy with switches, 20 s", "closed form", 1e-9,
                     kept_through_switches));
  // rpy is left where 1 - |sin p| = 0.3^2, zxz where 1 - |cos p| is, p = t: four times a turn.
  out.push_back(number_entry(
      {"coordinates.switches", "five turns in pitch: 4 good switches a turn", "closed form", 0.0}, 20.0,
      good_switches));
  out.push_back(number_entry({"coordinates.first_switch", "where sin t = 1 - 0.3^2, within a step of 0.01 s",
                              "closed form", 0.01},
                             std::asin(0.91), [] { return pitching_plate(0.5).at(0).t; }));
  return out;
}

}  // namespace amble
