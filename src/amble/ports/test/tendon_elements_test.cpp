#include "amble/ports/tendon_elements.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "amble/dynamics/dynamics.hpp"
#include "amble/io/load.hpp"
#include "amble/ports/carried_elements.hpp"

namespace amble {
namespace {

constexpr const char* kModel =
    R"(<mujoco><compiler angle="radian"/><option gravity="0 0 -10"/><worldbody><site name="hook" pos="0 0 1"/>
  <body name="a"><joint name="x" type="slide" axis="0 0 1" stiffness="2 3 4" damping="0.5 0.7 0.9" springref="0.1"/><geom size="0.1" mass="2"/><site name="s"/></body>
  <body name="b" gravcomp="0.75" pos="1 0 0"><joint name="ball" type="ball" stiffness="2 3 4" damping="0.5 0.7 0.9" pos="0 0 0.5"/><geom size="0.1" mass="3"/></body></worldbody>
  <tendon><spatial name="cord" springlength="0.3 0.6" stiffness="10 20 30" damping="1 2 3" frictionloss="0.4" range="0.2 0.9"><site site="hook"/><site site="s"/></spatial></tendon></mujoco>)";

struct Fixture {
  Mechanism m = load_text(kModel, "m.xml");
  Workspace work{m};
  OwnedVector q = m.neutral(), v = OwnedVector(m.nv());

  PortFlows flows(const Element& element) {
    PortFlows out(m.nv());
    memory.assign(static_cast<std::size_t>(element.memory()), 0.0);
    const PortState before{0.0, q, v, m, work, nullptr, nullptr};
    element.start(before, nullptr, memory.data());
    element.evaluate({0.0, q, v, m, work, memory.data(), nullptr}, nullptr, out, nullptr);
    return out;
  }
  const Element& named(const std::string& name) {
    carried = carried_elements(m);
    for (const ElementPtr& e : carried)
      if (e->name() == name) return *e;
    throw Error("no element " + name);
  }
  std::vector<ElementPtr> carried;
  std::vector<double> memory;
};

TEST(TendonElements, TheSpringIsSlackBetweenItsLengths) {
  Fixture f;
  f.q[0] = 0.5;  // length 0.5
  EXPECT_EQ(f.flows(f.named("cord")).tau[0], 0.0);
  f.q[0] = 0.1;  // length 0.9: 0.3 too long, so it pulls up by 0.3 (10 + 20 0.3 + 30 0.09)
  const PortFlows out = f.flows(f.named("cord"));
  EXPECT_NEAR(out.tau[0], 0.3 * (10.0 + 6.0 + 2.7), 1e-13);
  EXPECT_NEAR(out.stored, 5.0 * 0.09 + 20.0 / 3.0 * 0.027 + 7.5 * 0.0081, 1e-14);
}

TEST(TendonElements, DamperAndFrictionTurnPowerIntoHeat) {
  Fixture f;
  f.q[0] = 0.5, f.v[0] = -2.0;  // the length grows by 2 m/s
  const PortFlows out = f.flows(f.named("cord"));
  EXPECT_NEAR(out.tau[0], 2.0 * (1.0 + 4.0 + 12.0) + 0.4, 1e-6);
  EXPECT_NEAR(out.dissipated, -out.tau.dot(f.v), 1e-14);
}

/// Forces are the slope of what is stored.
TEST(TendonElements, StoredEnergyHasTheForceAsItsSlope) {
  Fixture f;
  for (const char* name : {"cord", "joint polynomials"})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      f.q = f.m.random(seed);
      const OwnedVector at = f.q;
      const OwnedVector tau = f.flows(f.named(name)).tau;
      for (int k = 0; k < f.m.nv(); ++k) {
        const auto stored = [&](double t) {
          f.q = f.m.integrate(at, t * Eigen::VectorXd::Unit(f.m.nv(), k));
          return f.flows(f.named(name)).stored;
        };
        EXPECT_NEAR(tau[k], -(stored(1e-5) - stored(-1e-5)) / 2e-5, 1e-6 * (1.0 + std::abs(tau[k])))
            << name << " " << seed;
      }
    }
}

TEST(TendonElements, GravityCompensationCarriesItsShare) {
  Fixture f;
  f.q = f.m.random(4), f.v.setOnes();
  const PortFlows out = f.flows(f.named("gravity compensation"));
  const OwnedVector weight = gravity_forces(f.m, f.work, f.q);
  EXPECT_NEAR(out.tau[0], 0.0, 1e-14);
  EXPECT_LT((out.tau.tail(3) - 0.75 * weight.tail(3)).norm(), 1e-12);
  EXPECT_NEAR(out.supplied, out.tau.dot(f.v), 1e-14);
}

TEST(TendonElements, StopsKeepTheLengthInItsRange) {
  Fixture f;
  const std::vector<TendonLimit> limits = tendon_limits(f.m);
  ASSERT_EQ(limits.size(), 2u);
  const ElementPtr stops = tendon_stops("stops", limits, {.stiffness = 100.0, .damping = 0.0});
  f.q[0] = 0.5;
  EXPECT_EQ(f.flows(*stops).tau[0], 0.0);
  f.q[0] = 0.9;  // length 0.1, 0.1 too short: pushed down
  EXPECT_NEAR(f.flows(*stops).tau[0], -10.0, 1e-12);
  f.q[0] = -0.1;  // length 1.1, 0.2 too long: pulled up
  EXPECT_NEAR(f.flows(*stops).tau[0], 20.0, 1e-12);
  EXPECT_NEAR(f.flows(*stops).stored, 2.0, 1e-12);
}

}  // namespace
}  // namespace amble
