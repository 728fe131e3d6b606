#include "amble/mechanism/reroot.hpp"

#include <gtest/gtest.h>

#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"

namespace amble {
namespace {

/// A random tree of joints with one axis on a free root.
Mechanism random_walker(std::uint64_t seed) {
  ModelDescription d = random_mechanism(seed, {.bodies = 7,
                                               .types = {"revolute", "prismatic", "helical", "fixed"},
                                               .branching = 0.6,
                                               .mimic = seed % 2 == 0 ? 0.3 : 0.0})
                           .mechanism.description();
  for (JointDescription& joint : d.joints)
    if (joint.parent == kWorld) {
      joint.type = "free", joint.properties = {};
      joint.mimic.reset();
      for (JointDescription& other : d.joints)
        if (other.mimic && other.mimic->leader == joint.name) other.mimic.reset();
    }
  return compile(std::move(d));
}

Mechanism hung_up_freely(const Mechanism& m, const std::string& body) {
  ModelDescription d = rooted_at(m, body);
  d.joints.push_back({.name = "held", .type = "free", .parent = kWorld, .child = body});
  return compile(std::move(d));
}

struct State {
  OwnedVector q, v, a;
};

/// The same motion of the other mechanism: its root moves as that body does, all other joints alike.
State same_motion(const Mechanism& from, const State& s, const Mechanism& to, const std::string& body) {
  Workspace work(from);
  State out{OwnedVector(to.nq()), OwnedVector(to.nv()), OwnedVector(to.nv())};
  for (const std::string& joint : to.joint_names()) {
    if (joint == "held") continue;
    const Slice qf = from.q_slice(joint), qt = to.q_slice(joint), vf = from.v_slice(joint),
                vt = to.v_slice(joint);
    out.q.segment(qt.start, qt.size) = s.q.segment(qf.start, qf.size);
    out.v.segment(vt.start, vt.size) = s.v.segment(vf.start, vf.size);
    out.a.segment(vt.start, vt.size) = s.a.segment(vf.start, vf.size);
  }
  const Pose X = pose(from, work, s.q, body);
  const Slice q = to.q_slice("held"), v = to.v_slice("held");
  out.q.segment(q.start, 3) = X.translation();
  X.rotation().quaternion().to_xyzw(out.q.data() + q.start + 3);
  const Eigen::MatrixXd J = jacobian(from, work, s.q, body);
  out.v.segment(v.start, 6) = J * s.v;
  out.a.segment(v.start, 6) = J * s.a + jacobian_dot(from, work, s.q, s.v, body) * s.v;
  return out;
}

OwnedVector random_numbers(int n, Random& random) {
  OwnedVector x(n);
  for (double& number : x) number = random.uniform(-1.0, 1.0);
  return x;
}

TEST(Reroot, AMechanismHungUpByAnotherBodyMovesAlike) {
  Random random(3);
  int turned = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Mechanism m = random_walker(seed);
    Workspace work(m);
    for (const std::string& body : m.body_names()) {
      const Mechanism other = hung_up_freely(m, body);
      ASSERT_EQ(other.nv(), m.nv());
      ASSERT_NEAR(other.mass(), m.mass(), 1e-12);
      turned += other.bodies()[0].name != m.bodies()[0].name;
      Workspace other_work(other);
      const State s{m.random(random), random_numbers(m.nv(), random), random_numbers(m.nv(), random)};
      const State t = same_motion(m, s, other, body);
      for (const std::string& name : m.body_names())
        EXPECT_LT((pose(m, work, s.q, name).matrix() - pose(other, other_work, t.q, name).matrix()).norm(),
                  1e-11)
            << seed << name;
      const double energy = kinetic_energy(m, work, s.q, s.v);
      EXPECT_NEAR(kinetic_energy(other, other_work, t.q, t.v), energy, 1e-10 * (1.0 + energy))
          << seed << body;
      // Virtual work of the same accelerations along the same motion.
      const double power = Eigen::VectorXd(inverse_dynamics(m, work, s.q, s.v, s.a)).dot(s.v);
      EXPECT_NEAR(Eigen::VectorXd(inverse_dynamics(other, other_work, t.q, t.v, t.a)).dot(t.v), power,
                  1e-9 * (1.0 + std::abs(power) + energy))
          << seed << body;
    }
  }
  EXPECT_GT(turned, 100);
}

TEST(Reroot, ForcesOfJointsStayTheSame) {
  Random random(4);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Mechanism m = random_walker(2 * seed + 1);
    const std::string body = m.body_names().back();
    const Mechanism other = hung_up_freely(m, body);
    Workspace work(m), other_work(other);
    const State s{m.random(random), random_numbers(m.nv(), random), random_numbers(m.nv(), random)};
    const State t = same_motion(m, s, other, body);
    // Only accelerations that need nothing at the free root are told apart by joints alone: make them so.
    OwnedVector tau = random_numbers(m.nv(), random), other_tau(other.nv());
    const std::string root = m.joints()[0].name;
    tau.segment(m.v_slice(root).start, 6).setZero();
    for (const std::string& joint : other.joint_names())
      if (joint != "held")
        other_tau.segment(other.v_slice(joint).start, other.v_slice(joint).size) =
            tau.segment(m.v_slice(joint).start, m.v_slice(joint).size);
    const Eigen::VectorXd a = forward_dynamics(m, work, s.q, s.v, tau);
    const Eigen::VectorXd b = forward_dynamics(other, other_work, t.q, t.v, other_tau);
    for (const std::string& joint : other.joint_names())
      if (joint != "held") {
        EXPECT_NEAR(a[m.v_slice(joint).start], b[other.v_slice(joint).start], 1e-7 * (1.0 + a.norm()))
            << seed << joint;
      }
  }
}

TEST(Reroot, WhatCannotBeTurnedRoundIsRefused) {
  Builder b("ball");
  const Inertia<double> I = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity());
  for (const char* name : {"trunk", "leg", "other"}) b.body({.name = name, .inertia = I});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "trunk"});
  b.joint({.name = "hip", .type = "spherical", .parent = "trunk", .child = "leg"});
  b.joint({.name = "apart", .type = "free", .parent = "world", .child = "other"});
  const Mechanism m = b.build();
  EXPECT_EQ(message_of([&] { rooted_at(m, "leg"); }),
            "mechanism 'ball' cannot be hung up by this body: joint 'hip' on the way to it is spherical, "
            "only joints with "
            "one axis can be turned round");
  EXPECT_EQ(message_of([&] { rooted_at(m, "trunk"); }),
            "mechanism 'ball' cannot be hung up by 'trunk': 'other' hangs on the world apart from it");
  EXPECT_EQ(message_of([&] { rooted_at(m, "world"); }),
            "a mechanism cannot be hung up by the world, which holds it already");
  EXPECT_NE(message_of([&] { rooted_at(m, "legg"); }).find("did you mean 'leg'?"), std::string::npos);
}

}  // namespace
}  // namespace amble
