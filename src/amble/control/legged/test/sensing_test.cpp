#include <gtest/gtest.h>

#include "amble/contact/contact_scene.hpp"
#include "amble/control/legged/biped_controller.hpp"
#include "amble/control/legged/test/hand_made_robots.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/ports/controller.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

/// Adds up what it senses.
class Scale : public Controller {
 public:
  bool senses_contacts() const override { return true; }
  void update(const ControllerState& at, double, OwnedVector&) override {
    sum = 0.0;
    for (const ContactForce& c : at.touching) sum += c.force.z();
  }
  double sum = -1.0;
};

Mechanism block() {
  Builder b("block");
  b.body({.name = "block",
          .inertia = Inertia<double>::from_com(2.0, {0, 0, 0}, 0.02 * Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = "world", .child = "block"});
  return b.build();
}

std::vector<ContactSpec> corners() {
  std::vector<ContactSpec> out;
  for (const double x : {-0.1, 0.1})
    for (const double y : {-0.1, 0.1})
      out.push_back({.body = "block", .point = {x, y, 0.0}, .friction = 0.8});
  return out;
}

TEST(Sensing, a_controller_sees_the_weight_that_contacts_bear) {
  const Mechanism m = block();
  const auto scale = std::make_shared<Scale>();
  const auto floor = contact_scene(
      "floor", m, {.ground = nullptr, .shapes = false, .between_bodies = false, .contacts = corners()});
  SimulatorOptions options;
  options.method = "time_stepping", options.integrator.step = 1e-3;
  Simulator s(m, {floor, sampled("scale", scale, m)}, {}, options);
  s.reset(m.neutral(), OwnedVector(m.nv()));
  EXPECT_EQ(scale->sum, 0.0);  // nothing was solved for yet
  for (int k = 0; k < 2000; ++k) {
    s.step(1e-3);
    ASSERT_NEAR(scale->sum, 2.0 * 9.81, 1e-9) << k;
  }
}

TEST(Sensing, a_walk_goes_on_from_a_snapshot_as_if_it_had_not_stopped) {
  const LeggedRobot robot = humanoid30();
  const Mechanism& m = robot.mechanism;
  std::vector<ContactSpec> soles;
  for (const Leg& leg : robot.legs)
    for (const Vector3<double>& corner : leg.foot.corners)
      soles.push_back({.body = leg.foot.body, .point = leg.foot.X_BS * corner, .friction = 0.8});
  const auto floor = contact_scene(
      "floor", m, {.ground = nullptr, .shapes = false, .between_bodies = false, .contacts = soles});
  SimulatorOptions options;
  options.method = "time_stepping", options.integrator.step = 1e-3;
  const auto gait = std::make_shared<BipedController>(robot);
  gait->command({.velocity = {0.2, 0.0}});
  Simulator s(m, {floor, sampled("gait", gait, m)}, {}, options);
  s.reset(robot.nominal, OwnedVector(m.nv()));
  s.step(2.5);
  const Simulator::Snapshot here = s.save();
  const int count = gait->state().count;
  s.step(1.2);
  const OwnedVector q = s.q();
  EXPECT_GT(gait->state().count, count + 1);
  s.restore(here);
  EXPECT_EQ(gait->state().count, count);
  s.step(1.2);
  EXPECT_LT((s.q() - q).cwiseAbs().maxCoeff(), 1e-7);  // but for what contacts start their search from
}

}  // namespace
}  // namespace amble
