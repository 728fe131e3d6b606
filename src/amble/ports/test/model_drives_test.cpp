#include "amble/ports/model_drives.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "amble/io/load.hpp"

namespace amble {
namespace {

constexpr const char* kModel = R"(<mujoco><worldbody>
  <body name="a"><joint name="slide" type="slide" axis="1 0 0" actuatorfrcrange="-50 50"/><geom size="1"/></body>
  <body name="b"><joint name="turn" axis="0 0 1" ref="0"/><geom size="1"/></body></worldbody>
  <actuator><position name="servo" joint="slide" kp="10" kv="2" gear="2"/>
    <motor name="motor" joint="turn" gear="3" ctrlrange="-1 1" forcerange="-0.5 2"/>
    <general name="lagging" joint="turn" dyntype="integrator"/></actuator></mujoco>)";

struct Fixture {
  Mechanism m = load_text(kModel, "m.xml");
  Workspace work{m};
  OwnedVector q = m.neutral(), v = OwnedVector(m.nv());

  PortFlows flows(const std::vector<double>& u) {
    const ElementPtr drives = model_drives(
        "drives", m,
        [&](double, const OwnedVector&, const OwnedVector&, std::vector<double>& out) { out = u; });
    PortFlows out(m.nv());
    drives->evaluate({0.0, q, v, m, work, nullptr, nullptr}, nullptr, out, nullptr);
    return out;
  }
};

TEST(ModelDrives, AServoPullsTowardsItsControlThroughItsGear) {
  Fixture f;
  f.q[0] = 0.3, f.v[0] = 0.1;
  // l = 0.6, l' = 0.2: force 10 (1 - 0.6) - 2 0.2 = 3.6, twice that on the joint.
  const PortFlows out = f.flows({1.0, 0.0, 0.0});
  EXPECT_NEAR(out.tau[0], 7.2, 1e-14);
  EXPECT_NEAR(out.supplied, 0.72, 1e-14);
  EXPECT_EQ(out.stored, 0.0);
}

TEST(ModelDrives, ControlForceAndEffortStayWithinTheirRanges) {
  Fixture f;
  EXPECT_NEAR(f.flows({0.0, 9.0, 0.0}).tau[1], 3.0 * 1.0, 1e-14);
  EXPECT_NEAR(f.flows({0.0, -9.0, 0.0}).tau[1], 3.0 * -0.5, 1e-14);
  EXPECT_NEAR(f.flows({1000.0, 0.0, 0.0}).tau[0], 50.0, 1e-14);
}

TEST(ModelDrives, HoldingControlLeavesServosWithoutForce) {
  Fixture f;
  f.q[0] = 0.4;
  const auto u = holding_control(f.m, f.q);
  EXPECT_EQ(u, (std::vector{0.8, 0.0, 0.0}));
  EXPECT_NEAR(f.flows(u).tau.norm(), 0.0, 1e-15);
}

TEST(ModelDrives, TheFirstKeyframeSetsTheControl) {
  const auto with = [](const std::string& key) {
    std::string text = kModel;
    text.insert(text.find("<actuator>"), "<keyframe>" + key + "</keyframe>");
    return default_control(load_text(text, "m.xml"));
  };
  EXPECT_EQ(with("<key ctrl='1 2 3'/>"), (std::vector{1.0, 2.0, 3.0}));
  EXPECT_EQ(with("<key qpos='0.25 1'/>"), (std::vector{0.5, 0.0, 0.0}));
  EXPECT_EQ(default_control(Fixture().m), (std::vector{0.0, 0.0, 0.0}));
}

TEST(ModelDrives, ControlsMustBeFiniteAndAsManyAsDrives) {
  Fixture f;
  EXPECT_THROW(f.flows({1.0}), Error);
  EXPECT_THROW(f.flows({1.0, std::nan(""), 0.0}), Error);
  const Mechanism without =
      load_text("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>", "m.xml");
  EXPECT_THROW(
      model_drives("d", without, [](double, const OwnedVector&, const OwnedVector&, std::vector<double>&) {}),
      Error);
}

}  // namespace
}  // namespace amble
