#include <gtest/gtest.h>

#include <cmath>

#include "amble/contact/contact_scene.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/ports/controller.hpp"
#include "amble/ports/lock.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/simulation/stepped_contact.hpp"
#include "amble/simulation/time_stepping.hpp"

// Loops of step(dt) beside a controller: steps are whole, time does not drift, forces are those of whole
// steps.
namespace amble {
namespace {

constexpr double kWeight = 2.0 * 9.81;
constexpr long kCalls = 60000;

Mechanism block(const char* joint) {
  Builder b("block");
  b.body({.name = "block",
          .inertia = Inertia<double>::from_com(2.0, {0, 0, 0}, 0.02 * Matrix3<double>::Identity())});
  b.joint({.name = "rail", .type = joint, .parent = kWorld, .child = "block", .axis = {0, 0, 1}});
  return b.build();
}

struct Idle : Controller {
  void update(const ControllerState&, double, OwnedVector&) override {}
};

ElementPtr points_under(const Mechanism& m, const std::vector<Vector3<double>>& points) {
  ContactSceneOptions options{.ground = GroundPtr(), .shapes = false, .between_bodies = false};
  for (const Vector3<double>& p : points) options.contacts.push_back({.body = "block", .point = p});
  return contact_scene("floor", m, options);
}

/// The period of the controller beside the loop; 0 for none.
Simulator standing(const Mechanism& m, const std::vector<Vector3<double>>& points, const std::string& method,
                   double step, double period) {
  std::vector<ElementPtr> elements;
  if (!points.empty()) elements.push_back(points_under(m, points));
  if (period > 0.0) elements.push_back(sampled("idle", std::make_shared<Idle>(), m, {.period = period}));
  Simulator s(m, elements, {}, {.integrator = {.step = step}, .method = method});
  s.reset(m.neutral(), OwnedVector(m.nv()));
  return s;
}

double lift(const Simulator& s) {
  double sum = 0.0;
  for (const SteppedContact& c : s.contacts()) sum += c.force.z();
  return sum;
}

// Steps are counted on the common grid of both clocks: multiples of `loop` and of `beat` in units of `unit`.
struct Clocks {
  double duration, period;
  long loop, beat;
  double unit;
};
const Clocks kClocks[] = {{1e-3, 0.0, 10, 0, 1e-4},          {1e-3, 1e-3, 10, 10, 1e-4},
                          {1.0 / 3e3, 0.0, 1, 0, 1.0 / 3e3}, {1.0 / 3e3, 1e-3, 1, 3, 1.0 / 3e3},
                          {7e-4, 0.0, 7, 0, 1e-4},           {7e-4, 7e-4, 7, 7, 1e-4},
                          {1e-3, 7e-4, 10, 7, 1e-4},         {7e-4, 1e-3, 7, 10, 1e-4}};

long steps_of(const Clocks& c, long calls, long& shortest) {
  long steps = 0, last = 0;
  shortest = calls * c.loop;
  for (long at = 1; at <= calls * c.loop; ++at) {
    if (at % c.loop != 0 && (c.beat == 0 || at % c.beat != 0)) continue;
    ++steps, shortest = std::min(shortest, at - last), last = at;
  }
  return steps;
}

void expect_whole_steps(const std::string& method, bool on_floor, const Clocks& c, long calls) {
  const Mechanism m = block("prismatic");
  const std::vector<Vector3<double>> points(on_floor ? 1 : 0, Vector3<double>::Zero());
  Simulator s = standing(m, points, method, 1e-3, c.period);
  for (long k = 1; k <= calls; ++k) {
    s.step(c.duration);
    ASSERT_EQ(s.t(), static_cast<double>(k) * c.duration) << method << " " << k;
    if (on_floor) {
      ASSERT_NEAR(lift(s), kWeight, 1e-6) << method << " " << k;
    }
  }
  long shortest = 0;
  EXPECT_EQ(s.report().steps, steps_of(c, calls, shortest)) << method << " " << c.duration << " " << c.period;
  EXPECT_GT(s.report().shortest_step, (1.0 - 1e-9) * static_cast<double>(shortest) * c.unit) << method;
}

TEST(RepeatedSteps, ALoopOfStepsBesideAControllerTakesWholeStepsWithTheirForces) {
  for (const Clocks& c : kClocks) expect_whole_steps("time_stepping", true, c, kCalls);
}

TEST(RepeatedSteps, SchemesOfFixedStepsWithoutContactsDoSoToo) {
  for (const std::string method : {"rkmk4", "semi_implicit", "variational"})
    for (const Clocks& c : kClocks) expect_whole_steps(method, false, c, 5000);
}

TEST(RepeatedSteps, ABoxAtRestIsCarriedInEveryOneOf60000Steps) {
  const Mechanism m = block("free");
  Simulator s = standing(m, {{0.1, 0.1, 0}, {0.1, -0.1, 0}, {-0.1, 0.1, 0}, {-0.1, -0.1, 0}}, "time_stepping",
                         1e-3, 1e-3);
  long wrong = 0;
  for (long k = 1; k <= kCalls; ++k) s.step(1e-3), wrong += std::abs(lift(s) - kWeight) > 1e-6;
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(s.report().steps, kCalls);
  EXPECT_EQ(s.t(), 60.0);
  EXPECT_EQ(s.contact_report()->unsolved_steps, 0);
}

TEST(RepeatedSteps, AShorterStepOfTheSchemeDividesACallIntoAWholeNumber) {
  const Mechanism m = block("prismatic");
  Simulator s = standing(m, {Vector3<double>::Zero()}, "time_stepping", 3e-4, 1e-3);
  for (int k = 0; k < 6000; ++k) s.step(1e-3);  // 3, 3, 3 and 1 of 1e-4 s
  EXPECT_EQ(s.report().steps, 4 * 6000);
  EXPECT_GT(s.report().shortest_step, 0.99999e-4);
}

TEST(RepeatedSteps, SchemesThatFindTheirStepsTakeNoSliversEither) {
  const Mechanism m = block("prismatic");
  for (const std::string method : {"rkmk45", "radau"}) {
    Simulator s = standing(m, {}, method, 1e-3, 1e-3);
    for (int k = 0; k < 20; ++k) s.step(1e-3);  // until their steps are longer than the loop's
    const long before = s.report().steps;
    for (int k = 0; k < kCalls; ++k) s.step(1e-3);
    EXPECT_EQ(s.report().steps - before, kCalls) << method;
    EXPECT_NEAR(s.t(), 60.02, 1e-13) << method;
  }
}

TEST(RepeatedSteps, DurationsThatDifferAddUpWithoutRounding) {
  const Mechanism m = with_gravity(block("prismatic"), Vector3<double>::Zero());
  Simulator s = standing(m, {}, "rkmk45", 1e-3, 0.0);
  for (int k = 0; k < 10000; ++k) s.step(0.1), s.step(1.0 / 3.0), s.step(1e-5);
  EXPECT_NEAR(s.t(), 10000 * (0.1 + 1.0 / 3.0 + 1e-5), 2e-12);
  s.advance(5000.0);
  s.step(0.5);
  EXPECT_EQ(s.t(), 5000.5);
}

TEST(RepeatedSteps, ASnapshotKeepsWhatRoundingLeftOutOfTheTime) {
  const Mechanism m = block("prismatic");
  Simulator s = standing(m, {}, "semi_implicit", 1e-3, 0.0);
  for (int k = 0; k < 777; ++k) s.step(1.0 / 3e3);
  const Simulator::Snapshot here = s.save();
  const auto times = [&] {
    std::vector<double> out;
    for (int k = 0; k < 3000; ++k) s.step(1.0 / 3e3), out.push_back(s.t());
    return out;
  };
  const std::vector<double> first = times();
  s.restore(here);
  EXPECT_EQ(times(), first);
  EXPECT_EQ(first.back(), 3777 * (1.0 / 3e3));
}

TEST(RepeatedSteps, WhatIsPlannedForTheEndOfACallHappensOnce) {
  const Mechanism m = block("prismatic");
  Simulator s(m, {lock("lock", m, {.joint = "rail", .engage_times = {0.3}, .release_times = {0.7}})});
  s.reset(m.neutral(), OwnedVector(1));
  for (int k = 0; k < 10; ++k) s.step(0.1);  // 3 times 0.1 is more than 0.3, 7 times is less than 0.7
  ASSERT_EQ(s.events().size(), 2u);
  EXPECT_EQ(s.events()[0].t, 0.3);
  EXPECT_EQ(s.events()[1].t, 0.7);
}

}  // namespace
}  // namespace amble
