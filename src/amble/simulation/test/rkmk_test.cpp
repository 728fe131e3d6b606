#include "amble/simulation/rkmk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/motion_flows.hpp"

namespace amble {
namespace {

/// x'' = -x as numbers alone.
struct Oscillator : Flow {
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 2; }
  void rates(double, const double*, const double* x, double*, double* xdot) override { xdot[0] = x[1], xdot[1] = -x[0]; }
};

/// A frame that turns with a given angular velocity in its own axes: w(t) = (cos t, sin t, 1). Seen from axes that turn
/// with it about z, it turns steadily.
struct Tumbling : Flow {
  explicit Tumbling(const Mechanism& m) : ball(m) {}
  const Mechanism* mechanism() const override { return &ball; }
  int size() const override { return 0; }
  void rates(double t, const double*, const double*, double* v, double*) override {
    v[0] = std::cos(t), v[1] = std::sin(t), v[2] = 1.0;
  }
  Mechanism ball;
};

Mechanism ball() {
  Builder b("ball");
  b.body({.name = "ball", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "socket", .type = "spherical", .parent = kWorld, .child = "ball"});
  return b.build();
}

TEST(MuntheKaas, AnOscillatorComesRoundWithinItsTolerance) {
  Oscillator flow;
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    MuntheKaasIntegrator run(flow, {.tolerance = tolerance});
    run.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(1.0, 0.0));
    run.run(2.0 * std::numbers::pi);
    EXPECT_EQ(run.t(), 2.0 * std::numbers::pi);
    EXPECT_LT((run.x() - Eigen::Vector2d(1.0, 0.0)).norm(), 30.0 * tolerance) << tolerance;
  }
}

TEST(MuntheKaas, ATurningFrameStaysARotationAndIsWhereTheClosedFormSays) {
  const Mechanism m = ball();
  Tumbling flow(m);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, m.neutral(), Eigen::VectorXd());
  run.run(3.0);
  // R' = R [w]x with w = Rz(t) a, a = (1, 0, 1). P = R Rz(t) has body velocity Rz(-t) w + z = a + z.
  const SO3<double> P = SO3<double>::exp(3.0 * Vector3<double>(1.0, 0.0, 2.0));
  const SO3<double> expected = P * SO3<double>::about(2, -3.0);
  const SO3<double> reached(Quaternion<double>::from_xyzw(run.q().data()));
  EXPECT_LT((reached.matrix() - expected.matrix()).norm(), 1e-10);
  EXPECT_NEAR(run.q().norm(), 1.0, 1e-15);
}

TEST(MuntheKaas, TheErrorFallsWithTheFifthPowerOfTheStep) {
  const Mechanism m = ball();
  Tumbling flow(m);
  const SO3<double> expected = SO3<double>::exp(Vector3<double>(1.0, 0.0, 2.0)) * SO3<double>::about(2, -1.0);
  const auto error = [&](int steps) {
    MuntheKaasIntegrator run(flow, {.tolerance = 0.9, .first_step = 1.0 / steps, .longest_step = 1.0 / steps});
    run.set_state(0.0, m.neutral(), Eigen::VectorXd());
    for (int i = 1; i <= steps; ++i) run.run(static_cast<double>(i) / steps);
    EXPECT_EQ(run.report().steps, steps);
    return (SO3<double>(Quaternion<double>::from_xyzw(run.q().data())).matrix() - expected.matrix()).norm();
  };
  const double order = std::log2(error(10) / error(20));
  EXPECT_NEAR(order, 5.0, 0.4);
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(MuntheKaas, NoStepAllocates) {
  const Mechanism m = ball();
  const Eigen::VectorXd v = Eigen::VectorXd::Ones(m.nv());
  VelocityFlow velocity(m);
  MomentumFlow momentum(m);
  ChartFlow charts(ChartCoordinates(m, chart("quaternion")));
  for (Flow* flow : std::initializer_list<Flow*>{&velocity, &momentum, &charts}) {
    MuntheKaasIntegrator run(*flow);
    if (flow == &charts)
      run.set_state(0.0, Eigen::VectorXd(), charts.state(m.neutral(), v));
    else
      run.set_state(0.0, m.neutral(), v);
    double end = 0.0;
    EXPECT_EQ(allocations_of([&] { run.run(end += 0.5); }), 0);
  }
}
#endif

TEST(MuntheKaas, AFirstStepIsTriedHoweverFastTheStateChanges) {
  struct Fast : Oscillator {
    void rates(double, const double*, const double* x, double*, double* xdot) override { xdot[0] = x[1], xdot[1] = -1e18 * x[0]; }
  } fast;
  MuntheKaasIntegrator run(fast, {.tolerance = 1e-8});
  run.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(1.0, 0.0));
  run.run(1e-8);
  EXPECT_NEAR(run.x()[0], std::cos(10.0), 1e-5);
}

TEST(MuntheKaas, BadInputAndMotionsThatEndAreNamed) {
  Oscillator flow;
  EXPECT_NE(message_of([&] { MuntheKaasIntegrator(flow, {.tolerance = 0.0}); }).find("tolerance"), std::string::npos);
  MuntheKaasIntegrator run(flow);
  EXPECT_NE(message_of([&] { run.set_state(0.0, Eigen::VectorXd(), Eigen::Vector3d::Zero()); }).find("3 numbers"),
            std::string::npos);
  EXPECT_NE(message_of([&] { run.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(1.0, std::nan(""))); }).find("finite"),
            std::string::npos);
  run.set_state(1.0, Eigen::VectorXd(), Eigen::Vector2d(1.0, 0.0));
  EXPECT_NE(message_of([&] { run.step(0.5); }).find("0.5"), std::string::npos);

  struct Explosion : Oscillator {
    void rates(double, const double*, const double* x, double*, double* xdot) override { xdot[0] = x[0] * x[0], xdot[1] = 0; }
  } explosion;  // x = 1 / (1 - t)
  MuntheKaasIntegrator blow(explosion);
  blow.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(1.0, 0.0));
  EXPECT_NE(message_of([&] { blow.run(2.0); }).find("shrink to nothing at 0.99999"), std::string::npos);
  MuntheKaasIntegrator few(flow, {.most_steps = 10});
  few.set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(1.0, 0.0));
  EXPECT_NE(message_of([&] { few.run(100.0); }).find("10 steps"), std::string::npos);
}

}  // namespace
}  // namespace amble
