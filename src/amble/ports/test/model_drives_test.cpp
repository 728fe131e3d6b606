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
  std::vector<double> x, xdot;  ///< activations

  PortFlows flows(const std::vector<double>& u) {
    const ElementPtr drives = model_drives(
        "drives", m,
        [&](double, const OwnedVector&, const OwnedVector&, std::vector<double>& out) { out = u; });
    PortFlows out(m.nv());
    x.resize(static_cast<std::size_t>(drives->size())), xdot.resize(x.size());
    drives->evaluate({0.0, q, v, m, work, nullptr, nullptr}, x.data(), out, xdot.data());
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

TEST(ModelDrives, AnIntegratorsActivationIsAState) {
  Fixture f;
  f.x = {0.7};
  EXPECT_NEAR(f.flows({0.0, 0.0, 2.0}).tau[1], 0.7, 1e-15);
  EXPECT_EQ(f.xdot, std::vector{2.0});
}

constexpr const char* kCommon = R"(<mujoco><worldbody>
  <body name="a"><joint name="x" type="slide" axis="1 0 0" actuatorfrcrange="-1 4"/><geom size="0.1"/></body></worldbody>
  <tendon><fixed name="t" actuatorfrclimited="true" actuatorfrcrange="-6 6"><joint joint="x" coef="1"/></fixed></tendon>
  <actuator><motor name="one" tendon="t"/><motor name="two" tendon="t" forcerange="-3 3"/><motor name="three" joint="x"/></actuator></mujoco>)";

/// What a tendon bears is shared in proportion; then come the bounds of drives, then that of the joint.
TEST(ModelDrives, BoundsOfTendonsDrivesAndJointsComeInOrder) {
  const Mechanism m = load_text(kCommon, "m.xml");
  Workspace work(m);
  const auto forces = [&](double one, double two, double three) {
    return drive_forces(m, work, m.neutral(), OwnedVector(m.nv()), std::vector{one, two, three}, {});
  };
  const DriveForces out = forces(4.0, 8.0, -5.0);
  EXPECT_NEAR(out.force[0], 2.0, 1e-15);
  EXPECT_NEAR(out.force[1], 3.0, 1e-15) << "8 of 12, that is 4, then bounded";
  EXPECT_NEAR(out.tau[0], 0.0, 1e-15);
  EXPECT_NEAR(forces(4.0, 1.0, 0.0).tau[0], 4.0, 1e-15);
  EXPECT_NEAR(forces(-4.0, 1.0, 0.0).tau[0], -1.0, 1e-15) << "the lower bound is not the upper one";
}

TEST(ModelDrives, ActivationsStartAtRestOrAtTheKeyframe) {
  const std::string start =
      R"(<mujoco><worldbody><body><joint name="x" type="slide" ref="0"/><geom size="0.1"/></body></worldbody>
    <actuator><position joint="x" kp="5" timeconst="0.2"/><intvelocity joint="x" kp="3" gear="2"/><motor joint="x"/></actuator>)";
  const auto started = [&](const std::string& keyframe) {
    const Mechanism m = load_text(start + keyframe + "</mujoco>", "m.xml");
    Workspace work(m);
    const OwnedVector q = m.keyframes().empty() ? m.neutral() : m.keyframes()[0].q, v(m.nv());
    std::vector<double> x(2);
    model_drives("d", m,
                 [u = default_control(m)](double, const OwnedVector&, const OwnedVector&,
                                          std::vector<double>& out) { out = u; })
        ->start({0.0, q, v, m, work, nullptr, nullptr}, x.data(), nullptr);
    return x;
  };
  EXPECT_EQ(started("<keyframe><key qpos='0.3'/></keyframe>"), (std::vector{0.3, 0.6}))
      << "both hold the keyframe";
  EXPECT_EQ(started("<keyframe><key qpos='0.3' act='0.1 0.2'/></keyframe>"), (std::vector{0.1, 0.2}));
  EXPECT_EQ(started(""), (std::vector{0.0, 0.0}));
}

}  // namespace
}  // namespace amble
