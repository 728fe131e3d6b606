#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "amble/base/test/source_dir.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"

// Loops of model files: they stay closed, and move as the same mechanism built in code.
namespace amble {
namespace {

struct End {
  OwnedVector q, v;
  double open = 0.0;           ///< largest |phi| seen
  double energy_change = 0.0;  ///< over the whole run
};

/// From `q` with the velocity nearest to `v` that the loops allow.
End simulated(const Mechanism& m, const OwnedVector& q, const Eigen::VectorXd& v, double time) {
  ConstrainedFlow flow(ConstrainedDynamics(m, constraints_of(m)));
  flow.dynamics().set_state(q, v);
  EXPECT_LT(flow.dynamics().violation().norm(), 1e-12) << m.name();
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-11});
  run.set_state(0.0, q, flow.dynamics().project_velocity(v));
  Workspace work(m);
  const auto energy = [&] { return kinetic_energy(m, work, run.q(), run.x()) + potential_energy(m, work, run.q()); };
  const double before = energy();
  run.run(time);
  return {run.q(), run.x(), flow.worst_violation(), energy() - before};
}

void expect_same(const Mechanism& file, const Mechanism& code, const OwnedVector& q, const Eigen::VectorXd& v,
                 double time) {
  const End a = simulated(file, q, v, time), b = simulated(code, q, v, time);
  EXPECT_LT(a.open, 1e-8);
  EXPECT_LT(std::abs(a.energy_change), 1e-8);
  EXPECT_LT((a.q - b.q).norm(), 1e-8);
  EXPECT_LT((a.v - b.v).norm(), 1e-8);
  EXPECT_GT((a.q - q).norm(), 0.5);  // it did move
}

Pose up(double z, double turn = 0.0) { return Pose(SO3<double>::about(1, turn), {0, 0, z}); }

/// A uniform round rod of 1 kg/m along z.
BodyDescription rod(const std::string& name, double l) {
  const double r = 0.01, across = l * (3 * r * r + l * l) / 12, along = l * r * r / 2;
  return {
      .name = name,
      .inertia = Inertia<double>::from_com(l, {0, 0, l / 2}, Vector3<double>(across, across, along).asDiagonal())};
}

JointDescription pin(const std::string& name, const std::string& parent, const std::string& child, const Pose& X) {
  return {.name = name, .type = "revolute", .parent = parent, .child = child, .X_PF = X, .axis = {0, 1, 0}};
}

TEST(ClosedModels, AFourBarOfAnSdfFileMovesAsBuilt) {
  const Mechanism file = load(source_dir() + "/models/four_bar.sdf");
  Builder b("four bar");
  b.body(rod("crank", 0.4)).body(rod("coupler", 1.3)).body(rod("rocker", 0.9));
  b.joint(pin("pin_a", kWorld, "crank", up(1.0)));
  b.joint(pin("pin_b", "crank", "coupler", up(0.4, std::atan2(12.0, 5.0))));
  b.joint(pin("pin_d", kWorld, "rocker", Pose(Vector3<double>(1.2, 0, 1))));
  b.loop({.name = "pin_c",
          .type = "revolute",
          .body_a = "rocker",
          .body_b = "coupler",
          .X_AF = up(0.9),
          .X_BM = up(1.3),
          .axis = {0, 1, 0}});
  expect_same(file, b.build(), file.neutral(), Eigen::Vector3d(3.0, 0, 0), 3.0);
}

constexpr const char* kMjcf = R"(<mujoco model="links"><compiler angle="radian"/><option gravity="0 0 -9.81"/>
<worldbody>
  <body name="left"><joint name="a" axis="0 1 0"/>
    <inertial pos="0 0 -0.5" mass="1" diaginertia="0.1 0.1 0.01"/>
    <body name="bar" pos="0 0 -1"><joint name="b" axis="0 1 0"/>
      <inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.2 0.2"/></body></body>
  <body name="right" pos="1 0 0"><joint name="d" axis="0 1 0"/>
    <inertial pos="0 0 -0.5" mass="1.5" diaginertia="0.1 0.1 0.01"/></body>
  <body name="dial" pos="3 0 0"><joint name="e" axis="0 1 0"/>
    <inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>
  <body name="load" pos="0 0 -1.2"><freejoint name="f"/>
    <inertial pos="0 0 0" mass="0.5" diaginertia="0.01 0.02 0.025"/></body>
</worldbody>
<equality>
  <connect name="c" body1="bar" body2="right" anchor="1 0 0"/>
  <weld name="w" body1="bar" body2="load"/>
  <joint joint1="e" joint2="d" polycoef="0.2 -2 0 0 0"/>
</equality></mujoco>)";

TEST(ClosedModels, ConnectWeldAndJointOfAnMjcfFileMoveAsBuilt) {
  const Mechanism file = load_text(kMjcf, "links.xml");
  ASSERT_EQ(file.loops().size(), 2u);
  Builder b("links");
  const auto part = [&](const char* name, double mass, const Vector3<double>& com, const Vector3<double>& moments) {
    b.body({.name = name, .inertia = Inertia<double>::from_com(mass, com, moments.asDiagonal())});
  };
  part("left", 1, {0, 0, -0.5}, {0.1, 0.1, 0.01}), part("bar", 2, {0.5, 0, 0}, {0.01, 0.2, 0.2});
  part("right", 1.5, {0, 0, -0.5}, {0.1, 0.1, 0.01}), part("dial", 1, {0.1, 0, 0}, {0.1, 0.1, 0.1});
  part("load", 0.5, {0, 0, 0}, {0.01, 0.02, 0.025});
  b.joint(pin("a", kWorld, "left", Pose())).joint(pin("b", "left", "bar", up(-1)));
  b.joint(pin("d", kWorld, "right", Pose(Vector3<double>(1, 0, 0))));
  JointDescription e = pin("e", kWorld, "dial", Pose(Vector3<double>(3, 0, 0)));
  e.mimic = Mimic{"d", -2.0, 0.2};
  b.joint(e);
  b.joint({.name = "f", .type = "free", .parent = kWorld, .child = "load"});
  b.loop({.name = "c",
          .type = "spherical",
          .body_a = "bar",
          .body_b = "right",
          .X_AF = Pose(Vector3<double>(1, 0, 0)),
          .X_BM = up(-1)});
  b.loop({.name = "w", .type = "fixed", .body_a = "bar", .body_b = "load", .X_AF = up(-0.2)});
  const Mechanism code = b.build();
  ASSERT_TRUE(std::ranges::equal(file.joint_names(), code.joint_names()));
  OwnedVector q = file.neutral();
  q[file.q_slice("f").start + 2] = -1.2;  // where a free body starts is a q, not a part of the model
  Eigen::VectorXd v = Eigen::VectorXd::Zero(file.nv());
  v[file.v_slice("a").start] = v[file.v_slice("d").start] = 4.0;
  expect_same(file, code, q, v, 2.0);
}

}  // namespace
}  // namespace amble
