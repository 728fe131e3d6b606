#include "amble/simulation/integrators.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/simulation/motion_flows.hpp"

namespace amble {
namespace {

const Drive kDrive = [](double t, const OwnedVector&, const OwnedVector& speed, OwnedVector& tau) {
  tau = std::sin(5.0 * t) * Eigen::VectorXd::Ones(tau.size()) - 0.2 * speed;
};

/// A random mechanism under a drive.
struct Case {
  explicit Case(std::uint64_t seed)
      : m(random_mechanism(seed, {.bodies = 1 + static_cast<int>(seed % 5)}).mechanism) {
    Random random(seed);
    q = m.random(random), v = random_numbers(random, m.nv());
  }
  Mechanism m;
  OwnedVector q, v;
};

/// Takes every step for exact, so that those that choose their step take the one that they may.
struct Forgiving : VelocityFlow {
  using VelocityFlow::VelocityFlow;
  void forgive(double, const double*, const double*, double* q_error, double* x_error) override {
    std::fill_n(q_error, size(), 0.0), std::fill_n(x_error, size(), 0.0);
  }
};

constexpr double kEnd = 0.4;

/// How far from the motion that rkmk45 gives at kEnd, by steps of equal length.
double error_of(const std::string& name, const Case& c, int steps) {
  VelocityFlow exact_flow(c.m, kDrive);
  const auto exact = make_integrator("rkmk45", exact_flow, {.tolerance = 1e-14});
  exact->set_state(0.0, c.q, c.v);
  exact->run(kEnd);
  Forgiving flow(c.m, kDrive);
  const double h = kEnd / steps;
  const auto run = make_integrator(name, flow, {.tolerance = 1e-12, .first_step = h, .longest_step = h, .step = h});
  run->set_state(0.0, c.q, c.v);
  for (int i = 1; i <= steps; ++i) run->run(i == steps ? kEnd : i * h);
  EXPECT_EQ(run->report().steps, steps) << name;
  EXPECT_NO_THROW(c.m.checked_configuration(run->q()));
  return c.m.difference(exact->q(), run->q()).norm() + (exact->x() - run->x()).norm();
}

struct Order {
  const char* name;
  int order, steps;
};

class Orders : public testing::TestWithParam<Order> {};

TEST_P(Orders, TheErrorFallsWithItsPowerOfTheStepForEveryJointType) {
  const auto [name, order, steps] = GetParam();
  double sum = 0.0;
  int counted = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const Case c(seed);
    const double coarse = error_of(name, c, steps), fine = error_of(name, c, 2 * steps),
                 fall = std::log2(coarse / fine);
    if (coarse < 1e-10) continue;  // not far above that of the reference
    EXPECT_GT(fall, order - 0.4) << name << ", seed " << seed << ": " << coarse << ", " << fine;
    sum += fall, ++counted;
  }
  ASSERT_GT(counted, 5) << name;
  EXPECT_NEAR(sum / counted, order, 0.3) << name;
}

INSTANTIATE_TEST_SUITE_P(All, Orders,
                         testing::Values(Order{"rkmk45", 5, 20}, Order{"rkmk4", 4, 80}, Order{"radau", 5, 20},
                                         Order{"semi_implicit", 1, 2000}, Order{"variational", 2, 200}),
                         [](const auto& info) { return std::string(info.param.name); });

/// Those that take any flow; "time_stepping", which takes a mechanism with what is attached to it, has tests of its own.
std::vector<std::string> general_integrators() {
  std::vector<std::string> names = integrator_names();
  std::erase(names, "time_stepping");
  return names;
}

TEST(Integrators, TheListHasThoseOfTheOrderTestAndOthersAreNamed) {
  const std::vector<std::string> expected = {"rkmk45", "rkmk4", "radau", "semi_implicit", "variational", "time_stepping"};
  EXPECT_EQ(integrator_names(), expected);
  const Case c(1);
  VelocityFlow flow(c.m);
  const std::string message = message_of([&] { make_integrator("rk5", flow); });
  for (const std::string& name : expected) EXPECT_NE(message.find(name), std::string::npos) << message;
}

TEST(Integrators, SayThemselvesWhatTheySolveFor) {
  for (const std::string& name : integrator_names()) EXPECT_EQ(solves_elements(name), name == "time_stepping") << name;
  EXPECT_NE(message_of([] { solves_elements("euler"); }).find("there is no integrator 'euler'"), std::string::npos);
}

/// Quaternions stay unit, whatever the scheme and however long.
TEST(Integrators, TheStateStaysOnItsManifold) {
  const Mechanism m = random_mechanism(3, {.bodies = 4, .types = {"spherical", "free"}}).mechanism;
  Random random(3);
  const OwnedVector q = m.random(random), v = random_numbers(random, m.nv());
  for (const std::string& name : general_integrators()) {
    VelocityFlow flow(m);
    const auto run = make_integrator(name, flow, {.tolerance = 1e-5, .step = 0.01});
    run->set_state(0.0, q, v);
    run->run(5.0);
    for (const Joint& joint : m.joints())
      if (joint.q.size >= 4)
        EXPECT_NEAR(run->q().segment(joint.q.start + joint.q.size - 4, 4).norm(), 1.0, 1e-13) << name;
  }
}

/// Within a step the state is where a run to that time gets, up to the order of the scheme.
TEST(Integrators, InterpolantsFollowTheMotion) {
  const Case c(11);
  const auto gap = [&](const std::string& name, double h) {
    VelocityFlow flow(c.m, kDrive);
    const IntegratorOptions options{.tolerance = 1e-3, .first_step = h, .longest_step = h, .step = h};
    const auto run = make_integrator(name, flow, options),
               exact = make_integrator("rkmk45", flow, {.tolerance = 1e-14});
    run->set_state(0.0, c.q, c.v);
    run->step(1.0);
    EXPECT_EQ(run->t(), h) << name;
    double worst = 0.0;
    OwnedVector q(c.m.nq()), x(c.m.nv());
    for (const double share : {0.2, 0.5, 0.9}) {
      exact->set_state(0.0, c.q, c.v);
      exact->run(share * h);
      run->interpolate(share * h, q, x);
      worst = std::max(worst, c.m.difference(exact->q(), q).norm() + (exact->x() - x).norm());
    }
    return worst;
  };
  const Order local[] = {
      {"rkmk45", 5, 0}, {"rkmk4", 4, 0}, {"radau", 4, 0}, {"semi_implicit", 2, 0}, {"variational", 2, 0}};
  for (const auto& [name, order, unused] : local) {
    const double coarse = gap(name, 0.01), fine = gap(name, 0.005);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.45) << name << ": " << coarse << ", " << fine;
  }
}

/// A pendulum that is watched where it passes 0.3 rad, and turned back there.
struct Watched : VelocityFlow {
  using VelocityFlow::VelocityFlow;
  int guards() const override { return 1; }
  void guard_values(double, const double* q, const double*, double* values) override { values[0] = q[0] - 0.3; }
  bool happen(double t, std::span<const signed char> crossed, double*, double* x) override {
    if (crossed[0] == 0) return false;
    times.push_back(t), x[0] *= -0.9;
    return true;
  }
  std::vector<double> times;
};

Mechanism pendulum() {
  Builder b("pendulum");
  b.body(
      {.name = "rod", .inertia = Inertia<double>::from_com(1.0, {0, 0, -0.5}, Matrix3<double>::Identity() / 12.0)});
  b.joint({.name = "pin", .type = "revolute", .parent = kWorld, .child = "rod", .axis = {0, 1, 0}});
  return b.build();
}

TEST(Integrators, EventsComeAtTheSameTimesWithinTheirAccuracy) {
  const auto times = [](const std::string& name, const IntegratorOptions& options) {
    Watched flow(pendulum());
    const auto run = make_integrator(name, flow, options);
    run->set_state(0.0, Eigen::VectorXd::Constant(1, -0.5), Eigen::VectorXd::Constant(1, 2.0));
    run->run(3.0);
    return flow.times;
  };
  const std::vector<double> expected = times("rkmk45", {.tolerance = 1e-13});
  ASSERT_GT(expected.size(), 1u);
  const struct {
    const char* name;
    double accuracy;
  } all[] = {{"rkmk45", 1e-9}, {"rkmk4", 1e-9}, {"radau", 1e-8}, {"semi_implicit", 5e-3}, {"variational", 2e-5}};
  for (const auto& [name, accuracy] : all) {
    const std::vector<double> found = times(name, {.tolerance = 1e-10, .step = 2e-3});
    ASSERT_EQ(found.size(), expected.size()) << name;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], accuracy) << name;
  }
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(Integrators, NoStepAllocates) {
  const RandomMechanism r = random_mechanism(5, {.bodies = 30});
  Random random(5);
  VelocityFlow flow(r.mechanism);
  for (const std::string& name : general_integrators()) {
    const auto run = make_integrator(name, flow, {.tolerance = 1e-6, .step = 1e-3});
    run->set_state(0.0, r.mechanism.random(random), random_numbers(random, r.mechanism.nv(), -1.0, 1.0));
    double end = 0.0;
    EXPECT_EQ(allocations_of([&] { run->run(end += 0.02); }), 0) << name;
  }
}
#endif

/// x' = x^2 ends at 1 s.
struct Explosion : Flow {
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 1; }
  void rates(double, const double*, const double* x, double*, double* xdot) override { xdot[0] = x[0] * x[0]; }
};

TEST(Integrators, BadOptionsAndMotionsThatEndAreNamed) {
  const Case c(2);
  VelocityFlow flow(c.m);
  for (const std::string& name : integrator_names()) {
    EXPECT_NE(message_of([&] { make_integrator(name, flow, {.tolerance = 2.0}); }).find("tolerance of 2"),
              std::string::npos);
    EXPECT_NE(message_of([&] { make_integrator(name, flow, {.step = 0.0}); }).find("step of 0 s"), std::string::npos);
    EXPECT_NE(message_of([&] { make_integrator(name, flow, {.first_step = -1.0}); }).find("negative"),
              std::string::npos);
  }
  Explosion explosion;
  for (const std::string name : {"rkmk45", "rkmk4", "radau", "semi_implicit"}) {
    const auto run = make_integrator(name, explosion, {.step = 0.01});
    run->set_state(0.0, Eigen::VectorXd(), Eigen::VectorXd::Ones(1));
    const std::string message = message_of([&] { run->run(2.0); });
    const bool fixed = name == "rkmk4" || name == "semi_implicit";
    EXPECT_NE(message.find(fixed ? "take shorter steps" : "shrink to nothing"), std::string::npos) << name << message;
  }
  EXPECT_NE(message_of([&] { make_integrator("variational", explosion); }).find("forces alone"), std::string::npos);
}

}  // namespace
}  // namespace amble
