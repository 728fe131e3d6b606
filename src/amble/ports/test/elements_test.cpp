#include <gtest/gtest.h>

#include <numbers>

#include "amble/base/test/message_of.hpp"
#include "amble/ports/actuator.hpp"
#include "amble/ports/controller.hpp"
#include "amble/ports/end_stops.hpp"
#include "amble/ports/joint_impedance.hpp"
#include "amble/ports/lock.hpp"
#include "amble/ports/motor.hpp"
#include "amble/ports/prescribed_motion.hpp"
#include "amble/ports/rigid_stop.hpp"
#include "amble/ports/spatial_elements.hpp"
#include "amble/ports/test/port_bed.hpp"

namespace amble {
namespace {

Matrix3<double> random_strength(Random& random) {
  Matrix3<double> A;
  for (int i = 0; i < 9; ++i) A(i / 3, i % 3) = random.uniform(-1.0, 1.0);
  return A * A.transpose();
}

/// A pose that turns and travels at constant twist.
MovingPose screwing(Random& random, bool with_twist) {
  const Pose X = random_pose(random);
  const Twist<double> V(Vector6<double>(random_numbers(random, 6)));
  MovingPose out{[X, V](double t) { return X * Pose::exp(t * V); }};
  if (with_twist) out.twist = [V](double) { return V; };
  return out;
}

SpatialEnds random_ends(PortBed& bed, std::uint64_t seed) {
  const auto bodies = bed.m().body_names();
  SpatialEnds ends{.body_b = bodies.back(), .X_Aa = random_pose(bed.random), .X_Bb = random_pose(bed.random)};
  if (seed % 2 == 0 && bodies.size() > 1) ends.body_a = bodies.front();
  return ends;
}

/// The first coordinate that one velocity belongs to.
std::string one_axis_joint(const Mechanism& m) {
  for (const std::string& joint : m.joint_names())
    if (m.q_slice(joint).size == m.v_slice(joint).size) return joint;
  return "";
}

constexpr double kClose = 1e-9;  // of the powers: what differences over 1e-4 s leave

TEST(Elements, SpatialOnesBalanceAtEveryInstant) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    PortBed bed(seed);
    const SpatialStiffness K{random_strength(bed.random), random_strength(bed.random)};
    const SpatialDamping D{random_strength(bed.random), random_strength(bed.random)};
    const SpatialEnds ends = random_ends(bed, seed);
    if (bed.m().place(ends.body_a).link == bed.m().place(ends.body_b).link) continue;
    for (const ElementPtr& e :
         {spatial_spring("s", bed.m(), ends, K, resting_pose(random_pose(bed.random))),
          spatial_spring("r", bed.m(), ends, K, screwing(bed.random, false)), spatial_damper("d", bed.m(), ends, D),
          spatial_impedance("i", bed.m(), ends, K, D, screwing(bed.random, true))}) {
      Attached one(bed, e);
      EXPECT_LT(std::abs(one.gap()), kClose * (1.0 + one.size)) << e->name() << ", seed " << seed;
      EXPECT_GT(one.size, 0.0);
    }
  }
}

TEST(Elements, JointImpedanceBalancesForEveryJointType) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    PortBed bed(seed);
    const OwnedVector q0 = bed.m().integrate(bed.q, bed.numbers(-0.7, 0.7)), rate = bed.numbers(-1.0, 1.0);
    const SetPoint moving = [&, q0, rate](double t, OwnedVector& q, OwnedVector& v) {
      q = bed.m().integrate(q0, t * rate), v = rate;
    };
    Attached one(bed, joint_impedance("i", bed.m(), bed.numbers(0.0, 5.0), bed.numbers(0.0, 2.0), moving));
    EXPECT_LT(std::abs(one.gap()), kClose * (1.0 + one.size)) << "seed " << seed;
    EXPECT_GT(one.flows().supplied, -1e9);
  }
}

TEST(Elements, JointImpedanceWithARestingSetPointIsASpringAndADamper) {
  PortBed bed(3, {.bodies = 5, .types = {"revolute", "prismatic"}});
  const OwnedVector k = bed.numbers(0.0, 5.0), d = bed.numbers(0.0, 2.0);
  const OwnedVector rest = bed.m().random(8);
  Attached one(bed, joint_impedance("i", bed.m(), k, d, [&](double, OwnedVector& q, OwnedVector&) { q = rest; }));
  const OwnedVector expected = -(k.cwiseProduct(bed.q - rest) + d.cwiseProduct(bed.v));
  EXPECT_LT((one.flows().tau - expected).norm(), 1e-13);
  EXPECT_EQ(one.flows().supplied, 0.0);
}

TEST(Elements, MotorsBalanceWithinAndAtTheirLimits) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PortBed bed(seed);
    const std::string joint = one_axis_joint(bed.m());
    if (joint.empty()) continue;
    for (const double inductance : {0.0, 0.05})
      for (const double limit : {0.3, 1e3}) {
        const MotorOptions options{.joint = joint,
                                   .resistance = 0.7,
                                   .inductance = inductance,
                                   .constant = 0.3,
                                   .ratio = 4.0,
                                   .voltage_limit = 2.0,
                                   .current_limit = limit,
                                   .current = 0.25};
        const Signal command = [](double t, const OwnedVector&, const OwnedVector&) { return 5.0 * std::cos(t); };
        Attached one(bed, voltage_motor("m", bed.m(), options, command));
        EXPECT_LT(std::abs(one.gap()), kClose * (1.0 + one.size)) << "seed " << seed;
        EXPECT_NEAR(one.flows().stored, 0.5 * inductance * 0.25 * 0.25, 1e-12);
        if (inductance > 0.0) continue;
        Attached held(bed, current_motor("c", bed.m(), options, command));
        EXPECT_LT(std::abs(held.gap()), kClose * (1.0 + held.size)) << "seed " << seed;
      }
  }
}

TEST(Elements, AMotorGivesItsStallTorqueAndNoLoadSpeed) {
  PortBed bed(1, {.bodies = 1, .types = {"revolute"}, .mimic = 0.0, .fixed = 0.0});
  const MotorOptions options{
      .joint = one_axis_joint(bed.m()), .resistance = 2.0, .constant = 0.5, .ratio = 3.0, .voltage_limit = 12.0};
  const ElementPtr motor =
      voltage_motor("m", bed.m(), options, [](double, const auto&, const auto&) { return 100.0; });
  bed.v[0] = 0.0;
  EXPECT_DOUBLE_EQ(Attached(bed, motor).flows().tau[0], 3.0 * 0.5 * 12.0 / 2.0);
  bed.v[0] = 12.0 / (0.5 * 3.0);
  EXPECT_NEAR(Attached(bed, motor).flows().tau[0], 0.0, 1e-12);
}

TEST(Elements, EndStopsPushOnlyAndContinuously) {
  PortBed bed(1, {.bodies = 1, .types = {"prismatic"}, .fixed = 0.0});
  const auto limits = limits_of_joint(bed.m(), "stop", one_axis_joint(bed.m()), -1.0, 1.0);
  for (const double exponent : {1.0, 1.5}) {
    const ElementPtr stops = end_stops("stop", limits, {.stiffness = 1e3, .damping = 0.4, .exponent = exponent});
    for (const double q : {-1.3, -1.01, -1.0, -0.5, 1.0, 1.01, 1.3})
      for (const double v : {-5.0, -0.1, 0.0, 0.2, 4.0}) {
        bed.q[0] = q, bed.v[0] = v;
        Attached one(bed, stops);
        EXPECT_LT(std::abs(one.gap()), 1e-7 * (1.0 + one.size)) << q << " " << v;
        EXPECT_LE(one.flows().tau[0] * q, 0.0);
        EXPECT_GE(one.flows().dissipated, 0.0);
        if (std::abs(q) <= 1.0) {
          EXPECT_EQ(one.flows().tau[0], 0.0);
        }
      }
  }
}

TEST(Elements, ActuatorsGiveNoMoreThanTheirLimits) {
  PortBed bed(1, {.bodies = 1, .types = {"revolute"}, .fixed = 0.0});
  const Drive command = [](double, const OwnedVector&, const OwnedVector&, OwnedVector& tau) { tau[0] = 50.0; };
  const ActuatorLimits limits{
      .effort = Eigen::VectorXd::Constant(1, 8.0), .speed = Eigen::VectorXd::Constant(1, 10.0), .corner = 0.5};
  const ElementPtr actuator = actuators("a", bed.m(), command, limits);
  const double cases[][2] = {{0.0, 8.0}, {-20.0, 8.0}, {5.0, 8.0}, {7.5, 4.0}, {10.0, 0.0}, {12.0, 0.0}};
  for (const auto& [speed, force] : cases) {
    bed.v[0] = speed;
    EXPECT_DOUBLE_EQ(Attached(bed, actuator).flows().tau[0], force) << speed;
    EXPECT_DOUBLE_EQ(Attached(bed, actuator).flows().supplied, force * speed) << speed;
  }
}

TEST(Elements, LimitsComeFromTheMechanism) {
  const RandomMechanism r = random_mechanism(11, {.bodies = 12});
  int finite = 0;
  for (const std::string& joint : r.mechanism.joint_names()) {
    const Slice q = r.mechanism.q_slice(joint);
    for (int k = 0; k < q.size; ++k)
      finite += std::isfinite(r.mechanism.lower()[q.start + k]) + std::isfinite(r.mechanism.upper()[q.start + k]);
  }
  EXPECT_GT(finite, 0);
  EXPECT_EQ(static_cast<int>(limits_of(r.mechanism).size()), finite);
}

struct Counting : Controller {
  void reset(const ControllerState&, double) override { calls = 0; }
  void update(const ControllerState&, double t, OwnedVector& tau) override { tau.setConstant(++calls), last = t; }
  int calls = 0;
  double last = 0.0;
};

/// Walks through a sampled controller's instants alone.
struct Beat {
  Beat(PortBed& bed, const SampledOptions& options) : one(bed, sampled("c", counting, bed.m(), options)) {}
  void go_to(double end) {
    for (double t; (t = one.element->next_instant(now, one.memory.data())) <= end;) {
      EXPECT_GT(t, now);
      now = t, ++instants;
      const OwnedVector before = one.memory;
      PortState at = one.state(t, one.bed.q);
      at.memory = before.data();
      PortEvent event{{}, one.x.data(), one.memory.data(), strikes, log, heat};
      one.element->happen(at, event);
    }
  }
  double said() { return one.flows().tau[0]; }
  std::shared_ptr<Counting> counting = std::make_shared<Counting>();
  Attached one;
  std::vector<Strike> strikes;
  std::vector<std::string> log;
  double heat = 0.0;
  double now = 0.0;
  int instants = 0;
};

TEST(Elements, ASampledControllerHoldsWhatItSaid) {
  PortBed bed(1);
  Beat beat(bed, {.period = 0.1});
  EXPECT_EQ(beat.said(), 1.0);
  beat.go_to(0.35);
  EXPECT_EQ(beat.said(), 4.0);
  EXPECT_EQ(beat.one.flows().supplied, beat.one.flows().tau.dot(bed.v));
}

TEST(Elements, ASampledControllerIsLateByAnyDelay) {
  PortBed bed(1);
  for (const double delay : {0.03, 0.1, 0.25, 0.7}) {
    Beat beat(bed, {.period = 0.1, .delay = delay, .offset = 0.02});
    for (double t = 0.001; t < 3.0; t += 0.0371) {
      beat.go_to(t);
      const double said = t - 0.02 - delay < 0.0 ? 0.0 : std::floor((t - 0.02 - delay) / 0.1 + 1e-9) + 1.0;
      ASSERT_EQ(beat.said(), said) << "at " << t << ", delay " << delay;
    }
  }
}

TEST(Elements, SamplesDoNotDrift) {
  PortBed bed(1);
  Beat beat(bed, {.period = 0.001, .delay = 0.002});
  beat.go_to(100.0);
  EXPECT_EQ(beat.counting->last, 100000 * 0.001);
  EXPECT_EQ(beat.counting->calls, 100001);
  EXPECT_EQ(beat.instants, 100000);  // words act at samples, not beside them
}

TEST(Elements, RefuseWhatCannotBe) {
  PortBed bed(2, {.bodies = 3, .types = {"revolute"}, .fixed = 0.0});
  PortBed ball(2, {.bodies = 1, .types = {"spherical"}, .fixed = 0.0});
  const Mechanism& m = bed.m();
  const std::string joint = one_axis_joint(m), turning = ball.m().joint_names()[0];
  const Signal none = [](double, const OwnedVector&, const OwnedVector&) { return 0.0; };
  const auto says = [](const auto& f, const char* words) {
    const std::string message = message_of(f);
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  SpatialStiffness skewed;
  skewed.translation(0, 1) = 1.0;
  says([&] { spatial_spring("s", m, {.body_b = m.body_names()[0]}, skewed); }, "symmetric");
  says([&] { spatial_spring("s", m, {.body_b = m.body_names()[0]}, {.rotation = -Matrix3<double>::Identity()}); },
       "eigenvalue -1");
  says([&] { spatial_damper("s", m, {.body_a = m.body_names()[0], .body_b = m.body_names()[0]}, {}); },
       "cannot move");
  says([&] { voltage_motor("m", ball.m(), {.joint = turning}, none); }, "which is spherical");
  says([&] { voltage_motor("m", m, {.joint = joint, .axis = 1}, none); }, "axis 1");
  says([&] { voltage_motor("m", m, {.joint = joint, .resistance = 0.0}, none); },
       "resistance (without inductance) of 0");
  says([&] { current_motor("m", m, {.joint = joint, .inductance = 0.1}, none); }, "driven by a current");
  says([&] { voltage_motor("m", m, {.joint = joint}, {}); }, "no command");
  says([&] { end_stops("e", {}, {.stiffness = -1.0}); }, "stiffness of -1");
  says([&] { end_stops("e", {}, {.exponent = 0.5}); }, "exponent of 0.5");
  says([&] { limits_of_joint(m, "e", joint, 1.0, -1.0); }, "lower limit of 1");
  says([&] { rigid_stop("r", {}, {.restitution = 1.5}); }, "restitution of 1.5");
  says([&] { lock("l", m, {.joint = joint}); }, "never locks");
  says([&] { lock("l", m, {.joint = joint, .angle = 0.0, .engage_times = {1.0}}); }, "no time to engage");
  says([&] { lock("l", m, {.joint = "elbow", .angle = 0.0}); }, "elbow");
  says([&] { joint_impedance("i", m, OwnedVector(1), OwnedVector(1), {}); }, "for 1 velocities");
  says([&] { sampled("c", nullptr, m); }, "no controller");
  says([&] { sampled("c", std::make_shared<Counting>(), m, {.period = 0.0}); }, "period of 0");
  says([&] { sampled("c", std::make_shared<Counting>(), m, {.period = 1e-12}); }, "expected 1e-09 s or more");
  says([&] { sampled("c", std::make_shared<Counting>(), m, {.delay = 1e9}); }, "more than 1e+06 periods");
  says([&] { actuators("a", m, {}, {}); }, "no command");
  says([&] { prescribed_motion("p", m, joint, {}); }, "no motion");
}

}  // namespace
}  // namespace amble
