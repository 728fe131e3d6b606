#include "amble/ports/joint_elements.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/ports/drive.hpp"

namespace amble {
namespace {

struct Bed {
  explicit Bed(std::uint64_t seed) : made(random_mechanism(seed, {.bodies = 9})), work(made.mechanism), random(seed) {
    q = m().random(random), v = numbers(-1.0, 1.0);
  }
  const Mechanism& m() const { return made.mechanism; }
  OwnedVector numbers(double low, double high) {
    OwnedVector x(m().nv());
    for (double& value : x) value = random.uniform(low, high);
    return x;
  }
  PortFlows flows(const ElementPtr& element, const OwnedVector& at) {
    PortFlows out(m().nv());
    element->evaluate({0.0, at, v, m(), work}, nullptr, out, nullptr);
    return out;
  }

  RandomMechanism made;
  Workspace work;
  Random random;
  OwnedVector q, v;
};

TEST(JointElements, SpringsGiveBackWhatTheyStoreForEveryJointType) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Bed bed(seed);
    const ElementPtr springs = joint_springs("springs", bed.m(), bed.numbers(0.0, 5.0), bed.numbers(-0.5, 0.5));
    const double h = 1e-5, power = bed.flows(springs, bed.q).tau.dot(bed.v);
    const double ahead = bed.flows(springs, bed.m().integrate(bed.q, h * bed.v)).stored;
    const double behind = bed.flows(springs, bed.m().integrate(bed.q, -h * bed.v)).stored;
    EXPECT_NEAR(power, -(ahead - behind) / (2 * h), 1e-7 * (1.0 + std::abs(power))) << "seed " << seed;
  }
}

TEST(JointElements, SpringsPullToTheirRest) {
  Bed bed(3);
  const OwnedVector rest = bed.numbers(-0.5, 0.5);
  const ElementPtr springs = joint_springs("springs", bed.m(), bed.numbers(1.0, 5.0), rest);
  const PortFlows at_rest = bed.flows(springs, bed.m().integrate(bed.m().neutral(), rest));
  EXPECT_LT(at_rest.tau.norm(), 1e-12);
  EXPECT_NEAR(at_rest.stored, 0.0, 1e-24);
}

TEST(JointElements, DampersAndFrictionTurnAllTheyTakeIntoHeat) {
  Bed bed(5);
  for (const ElementPtr& element : {joint_dampers("d", bed.numbers(0.0, 2.0)), joint_friction("f", bed.numbers(0.0, 2.0))}) {
    const PortFlows flows = bed.flows(element, bed.q);
    EXPECT_GT(flows.dissipated, 0.0);
    EXPECT_DOUBLE_EQ(flows.tau.dot(bed.v), -flows.dissipated);
    EXPECT_EQ(flows.stored, 0.0);
  }
}

TEST(JointElements, FrictionHasItsWholeSizeWhereTheJointSlips) {
  Bed bed(5);
  const OwnedVector size = bed.numbers(1.0, 2.0);
  const PortFlows flows = bed.flows(joint_friction("f", size, 1e-6), bed.q);
  for (int i = 0; i < bed.m().nv(); ++i) EXPECT_NEAR(std::abs(flows.tau[i]), size[i], 1e-6 * size[i]);
}

TEST(JointElements, ADriveSuppliesWhatItDelivers) {
  Bed bed(2);
  const ElementPtr push = drive("push", [](double, const OwnedVector&, const OwnedVector& v, OwnedVector& tau) {
    tau = v.reverse();
  });
  const PortFlows flows = bed.flows(push, bed.q);
  EXPECT_DOUBLE_EQ(flows.supplied, bed.v.dot(bed.v.reverse()));
}

TEST(JointElements, RefuseWhatNoJointHas) {
  Bed bed(1);
  OwnedVector bad = bed.numbers(0.0, 1.0);
  bad[0] = -2.0;
  EXPECT_NE(message_of([&] { joint_dampers("oil", bad); }).find("'oil' has a damping of -2"), std::string::npos);
  EXPECT_NE(message_of([&] { joint_springs("coil", bed.m(), OwnedVector(bed.m().nv() + 1), bad); }).find("'coil' has numbers for"),
            std::string::npos);
  EXPECT_NE(message_of([&] { joint_friction("rust", bed.numbers(0.0, 1.0), 0.0); }).find("slip of 0"), std::string::npos);
}

}  // namespace
}  // namespace amble
