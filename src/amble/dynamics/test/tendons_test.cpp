#include "amble/dynamics/tendons.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "amble/base/slope.hpp"
#include "amble/dynamics/drive_lengths.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/serialize.hpp"

namespace amble {
namespace {

/// An arm on a floating base, with a tendon of every kind and a drive on each thing that drives can be
/// attached to.
constexpr const char* kArm =
    R"(<mujoco><compiler angle="radian"/><worldbody><site name="anchor" pos="0.3 0.1 1.4"/>
  <body name="base" pos="0 0 1"><freejoint name="root"/><geom size="0.1"/><site name="a" pos="0.02 0 0.15"/>
    <body name="upper" pos="0 0 0.1"><joint name="shoulder" type="ball"/><geom size="0.05" pos="0 0 0.2"/>
      <site name="b" pos="0.06 0.01 0.2" euler="0.3 0.2 0.1"/><site name="slide" pos="0 0.1 0.3" euler="0.2 0.4 0"/>
      <body name="fore" pos="0 0 0.4"><joint name="elbow" axis="0 1 0.2"/><geom size="0.04" pos="0 0 0.2"/>
        <geom name="drum" type="cylinder" size="0.05 0.1" euler="1.5 0.1 0"/><site name="far_side" pos="-0.2 0 0"/>
        <site name="c" pos="0.05 0.02 0.25"/>
        <body name="hand" pos="0 0 0.4"><joint name="wrist" type="slide" axis="0 0 1"/><geom name="ball" size="0.06"/>
          <site name="d" pos="0.08 0 0.1" euler="0.5 0 0.7"/><site name="within" pos="0.01 0 0"/></body></body></body></body></worldbody>
  <tendon>
    <fixed name="sum"><joint joint="elbow" coef="0.3"/><joint joint="wrist" coef="-2"/></fixed>
    <spatial name="drum"><site site="a"/><site site="b"/><geom geom="drum" sidesite="far_side"/><site site="c"/></spatial>
    <spatial name="ball"><site site="b"/><geom geom="ball"/><site site="d"/></spatial>
    <spatial name="within"><site site="c"/><geom geom="ball" sidesite="within"/><site site="d"/></spatial>
    <spatial name="pulleys"><site site="anchor"/><site site="a"/><pulley divisor="2"/><site site="a"/><site site="c"/>
      <pulley divisor="4"/><site site="b"/><geom geom="drum"/><site site="d"/></spatial>
  </tendon>
  <actuator>
    <motor name="elbow" joint="elbow" gear="3"/><motor name="sum" tendon="sum" gear="-2"/><motor name="wrap" tendon="drum"/>
    <motor name="torque" joint="shoulder" gear="1 2 3"/><motor name="above" jointinparent="shoulder" gear="1 2 3"/>
    <motor name="thrust" site="d" gear="1 2 3 4 5 6"/><motor name="crank" cranksite="d" slidersite="slide" cranklength="3" gear="2"/>
    <motor name="between" site="d" refsite="slide" gear="1 2 3 0.1 0.2 0.3"/>
    <motor name="root" joint="root" gear="1 2 3 4 5 6"/>
  </actuator></mujoco>)";

struct Fixture {
  Mechanism m = load_text(kArm, "m.xml");
  Workspace work{m};

  /// Of a function of q along each velocity.
  template <class F>
  Eigen::VectorXd slopes(const OwnedVector& q, F f) const {
    Eigen::VectorXd out(m.nv());
    for (int k = 0; k < m.nv(); ++k)
      out[k] = slope_at_zero(
          [&](double t) { return f(m.integrate(q, t * Eigen::VectorXd::Unit(m.nv(), k))); }, 1e-3);
    return out;
  }
};

/// Where a tendon is about to touch, or a rod to come square, differences reach over a corner of the second
/// derivative: a few may be off by the size of their step, all others are exact.
struct Exactness {
  int all = 0, exact = 0;
  void add(const Eigen::VectorXd& difference) {
    const double off = difference.cwiseAbs().maxCoeff();
    EXPECT_LT(off, 2e-3);
    ++all, exact += off < 1e-8 ? 1 : 0;
  }
};

TEST(Tendons, MomentArmsAreTheDerivativesOfLengths) {
  Fixture f;
  ASSERT_EQ(f.m.tendons().size(), 5u);
  Exactness seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const OwnedVector q = f.m.random(seed);
    const OwnedMatrix J = tendon_jacobian(f.m, f.work, q);
    for (int i = 0; i < 5; ++i) {
      SCOPED_TRACE(f.m.tendons()[static_cast<std::size_t>(i)].name + " " + std::to_string(seed));
      const auto length = [&](const OwnedVector& x) { return tendon_length(f.m, f.work, x, i); };
      seen.add(J.row(i).transpose() - f.slopes(q, length));
    }
  }
  EXPECT_GT(seen.exact, 9 * seen.all / 10);
}

TEST(Tendons, DrivesHaveTheDerivativesOfTheirLengths) {
  Fixture f;
  const auto& drives = f.m.description().drives;
  Exactness seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const OwnedVector q = f.m.random(seed);
    const OwnedMatrix J = drive_moments(f.m, f.work, q);
    for (const int i : {0, 1, 2, 6}) {
      SCOPED_TRACE(drives[static_cast<std::size_t>(i)].name + " " + std::to_string(seed));
      const auto length = [&](const OwnedVector& x) { return drive_lengths(f.m, f.work, x)[i]; };
      seen.add(J.row(i).transpose() - f.slopes(q, length));
    }
  }
  EXPECT_GT(seen.exact, 9 * seen.all / 10);
}

TEST(Tendons, AThrustAtASiteIsItsJacobianTimesTheWrench) {
  Fixture f;
  const OwnedVector q = f.m.random(3);
  const Eigen::MatrixXd J = jacobian(f.m, f.work, q, "d");
  Eigen::VectorXd wrench(6);
  wrench << 1, 2, 3, 4, 5, 6;
  const Eigen::VectorXd expected = J.transpose() * wrench;
  EXPECT_LT((drive_moments(f.m, f.work, q).row(5).transpose() - expected).norm(), 1e-12);
}

TEST(Tendons, SerializeRoundTripsThem) {
  Fixture f;
  const std::string text = serialize(f.m.description());
  EXPECT_EQ(serialize(deserialize(text)), text);
  const Mechanism again = compile(deserialize(text), Physics::warn);
  const OwnedVector q = f.m.random(5);
  Workspace work(again);
  EXPECT_EQ(tendon_lengths(again, work, q), tendon_lengths(f.m, f.work, q));
  EXPECT_EQ(drive_moments(again, work, q), drive_moments(f.m, f.work, q));
}

TEST(Tendons, ALockedJointKeepsItsShareOfTheLength) {
  Fixture f;
  const Mechanism locked = with_locked(f.m, {{"wrist", {0.07}}});
  OwnedVector q = f.m.random(9);
  q[f.m.q_slice("wrist").start] = 0.07;
  OwnedVector rest(locked.nq());
  for (const std::string& joint : locked.joint_names()) {
    const Slice to = locked.q_slice(joint), from = f.m.q_slice(joint);
    rest.segment(to.start, to.size) = q.segment(from.start, from.size);
  }
  Workspace work(locked);
  EXPECT_LT((tendon_lengths(locked, work, rest) - tendon_lengths(f.m, f.work, q)).cwiseAbs().maxCoeff(),
            1e-14);
}

TEST(Tendons, AnObjectBringsItsTendonsAlong) {
  Fixture f;
  const Mechanism two = with_object(f.m, f.m, "other", Pose(Vector3<double>(1.0, 2.0, 3.0)));
  ASSERT_EQ(two.tendons().size(), 10u);
  EXPECT_EQ(two.tendons()[5].name, "other_sum");
  EXPECT_EQ(two.description().drives[10].tendon, "other_sum");
  OwnedVector q = two.neutral();
  Workspace work(two);
  // The free root's q is its place in the world, so that its anchor, which moved, is as far from it as
  // before.
  const OwnedVector shift = tendon_lengths(two, work, q);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(shift[i], shift[i + 5], 1e-13) << i;
}

TEST(Tendons, MistakesAreNamed) {
  const auto message = [](const std::string& tendon, const std::string& rest = "") {
    try {
      load_text(
          "<mujoco><worldbody><site name='s'/><body><joint name='j' type='ball'/><geom name='g' type='box' "
          "size='1 1 1'/></body></worldbody><tendon>\n" +
              tendon + "</tendon>" + rest + "</mujoco>",
          "m.xml");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(message("<fixed><joint joint='k' coef='1'/></fixed>").find("m.xml:2"), std::string::npos);
  EXPECT_NE(message("<fixed><joint joint='j' coef='1'/></fixed>").find("one degree of freedom"),
            std::string::npos);
  EXPECT_NE(message("<spatial><site site='x'/></spatial>").find("no site 'x'"), std::string::npos);
  EXPECT_NE(message("<spatial><site site='s'/><geom geom='g'/><site site='s'/></spatial>")
                .find("neither a sphere nor a cylinder"),
            std::string::npos);
  EXPECT_NE(message("<spatial><pulley divisor='0'/></spatial>").find("divisor"), std::string::npos);
  EXPECT_NE(message("", "<actuator><motor tendon='x'/></actuator>").find("no tendon 'x'"), std::string::npos);
}

}  // namespace
}  // namespace amble
