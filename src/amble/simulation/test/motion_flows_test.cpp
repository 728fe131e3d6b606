#include "amble/simulation/motion_flows.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {
namespace {

/// A body in flight with an arm of a ball joint and a hinge: everything tumbles.
Mechanism tumbling_arm() {
  Builder b("tumbling arm");
  Random random(11);
  b.body({.name = "base", .inertia = random_inertia(random)});
  b.body({.name = "upper", .inertia = random_inertia(random)});
  b.body({.name = "lower", .inertia = random_inertia(random)});
  b.joint({.name = "root", .type = "free", .parent = kWorld, .child = "base"});
  b.joint({.name = "shoulder", .type = "spherical", .parent = "base", .child = "upper", .X_PF = random_pose(random)});
  b.joint({.name = "elbow", .type = "revolute", .parent = "upper", .child = "lower", .X_PF = random_pose(random)});
  return b.build();
}

struct Start {
  Mechanism m = tumbling_arm();
  OwnedVector q = m.random(2);
  Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(m.nv(), -1.5, 1.2);
};

struct End {
  OwnedVector q;
  Eigen::VectorXd v;
};

const Drive kSwing = [](double t, const OwnedVector&, const OwnedVector& v, OwnedVector& tau) {
  tau[9] = 0.5 * std::sin(3.0 * t) - 0.1 * v[9];
};

End by_velocities(const Start& s, double duration) {
  VelocityFlow flow(s.m, kSwing);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, s.q, s.v);
  run.run(duration);
  return {run.q(), run.x()};
}

End by_momenta(const Start& s, double duration) {
  MomentumFlow flow(s.m, kSwing);
  Workspace work(s.m);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, s.q, momenta(s.m, work, s.q, s.v));
  run.run(duration);
  return {run.q(), velocities(s.m, work, run.q(), run.x())};
}

struct ChartRun {
  End end;
  std::vector<ChartSwitch> switches;
};

ChartRun by_chart(const Start& s, const std::string& name, double duration) {
  ChartFlow flow(ChartCoordinates(s.m, chart(name)), kSwing);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, Eigen::VectorXd(), flow.state(s.q, s.v));
  run.run(duration);
  return {{flow.configuration(run.x()), flow.velocity(run.x())}, {flow.switches().begin(), flow.switches().end()}};
}

double gap(const Start& s, const End& a, const End& b) { return s.m.difference(a.q, b.q).norm() + (a.v - b.v).norm(); }

TEST(MotionFlows, VelocitiesMomentaAndEveryChartGiveTheSameTrajectory) {
  const Start s;
  const End core = by_velocities(s, 2.0);
  EXPECT_GT(s.m.difference(s.q, core.q).norm(), 1.0);
  EXPECT_LT(gap(s, by_momenta(s, 2.0), core), 1e-8);
  int switched = 0;
  for (const char* name : {"rpy", "xyz", "zyz", "quaternion", "matrix", "exponential"}) {
    const ChartRun run = by_chart(s, name, 2.0);
    EXPECT_LT(gap(s, run.end, core), 1e-8) << name;
    switched += static_cast<int>(run.switches.size());
    for (const ChartSwitch& x : run.switches) {
      EXPECT_LT(x.measure_before, 0.3);
      EXPECT_GT(x.measure_after, 0.5);
      EXPECT_GT(x.t, 0.0);
    }
  }
  EXPECT_GT(switched, 0);
}

/// A plate that pitches straight through the vertical: roll-pitch-yaw alone cannot follow, with a switch it can.
TEST(MotionFlows, AChartIsLeftBeforeItsSingularity) {
  Builder b("plate");
  b.body({.name = "plate", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Vector3<double>(1, 2, 2.5).asDiagonal())});
  b.joint({.name = "root", .type = "free", .parent = kWorld, .child = "plate"});
  const Mechanism m = b.build();
  Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
  v << 0, 0, 0, 1e-3, 2.0, 0.0;  // pitch, and a breath of roll
  const auto run_with = [&](bool switching) {
    ChartFlow flow(ChartCoordinates(m, chart("rpy")), {}, switching);
    MuntheKaasIntegrator run(flow, {.tolerance = 1e-10, .most_steps = 20000});
    run.set_state(0.0, Eigen::VectorXd(), flow.state(m.neutral(), v));
    run.run(2.0);
    return std::pair{run.report().steps, std::vector<ChartSwitch>(flow.switches().begin(), flow.switches().end())};
  };
  const auto [steps, log] = run_with(true);
  ASSERT_GE(log.size(), 1u);
  EXPECT_EQ(log[0].joint, "root");
  EXPECT_EQ(log[0].from, "rpy");
  EXPECT_EQ(log[0].to, "zxz");
  EXPECT_LT(log[0].t, std::numbers::pi / 4.0);  // pitch is about 2 t
  EXPECT_GT(run_with(false).first, 5 * steps);
}

/// The largest violation of a chart's constraints on the way.
double worst_drift(const Start& s, const char* name, double duration, double tolerance, double stabilisation_rate) {
  ChartFlow flow(ChartCoordinates(s.m, chart(name)));
  flow.set_stabilisation_rate(stabilisation_rate);
  MuntheKaasIntegrator run(flow, {.tolerance = tolerance});
  run.set_state(0.0, Eigen::VectorXd(), flow.state(s.q, s.v));
  double worst = 0.0;
  run.run(duration, [&] {
    worst = std::max(worst, flow.coordinates().constraints(run.x().head(flow.size() / 2)).cwiseAbs().maxCoeff());
  });
  return worst;
}

TEST(MotionFlows, ConstraintsOfQuaternionAndMatrixDriftLittleInAHundredSeconds) {
  const Start s;
  for (const char* name : {"quaternion", "matrix"}) {
    EXPECT_LT(worst_drift(s, name, 100.0, 1e-11, 0.0), 1e-9) << name;  // nothing but C'' = 0, BK (30)
    EXPECT_LT(worst_drift(s, name, 100.0, 1e-9, 5.0), 1e-9) << name;   // held, in larger steps
  }
}

TEST(MotionFlows, AMechanismLeftToItselfKeepsItsEnergyAndMomentum) {
  Start s;
  Workspace work(s.m);
  MomentumFlow flow(s.m);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-11});
  const Eigen::VectorXd p = momenta(s.m, work, s.q, s.v);
  run.set_state(0.0, s.q, p);
  const double before = hamiltonian(s.m, work, s.q, p);
  const Vector6<double> h = momentum(s.m, work, s.q, s.v);
  run.run(20.0);
  EXPECT_NEAR(hamiltonian(s.m, work, run.q(), run.x()), before, 1e-7 * std::abs(before));
  const Eigen::VectorXd v = velocities(s.m, work, run.q(), run.x());
  const Vector6<double> now = momentum(s.m, work, run.q(), v);
  EXPECT_LT((now.tail<3>() - h.tail<3>()).norm(), 1e-8 * h.norm());
  EXPECT_LT((now.head<3>() - h.head<3>() - 20.0 * s.m.mass() * s.m.gravity()).norm(), 1e-8 * now.norm());
}

TEST(MotionFlows, SwitchingRefusesChartsOfMoreThanThreeParameters) {
  const Start s;
  const ChartCoordinates c(s.m, chart("rpy"));
  EXPECT_NE(message_of([&] { ChartSwitcher(c, {.alternatives = {chart("quaternion")}}); }).find("three"), std::string::npos);
  EXPECT_NE(message_of([&] { ChartSwitcher(c, {.threshold = 0.7}); }).find("0.7"), std::string::npos);
}

}  // namespace
}  // namespace amble
