#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/contact/contact_scene.hpp"
#include "amble/control/posture/inverse_kinematics.hpp"
#include "amble/control/stance/stance_controller.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/ports/drive.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/whole_body/biped.hpp"
#include "amble/verify/whole_body/themes.hpp"

namespace amble {

namespace {

using V = Vector3<double>;
constexpr double kGravity = 9.81, kNone = std::numeric_limits<double>::quiet_NaN();

// ---- postures

Pose place_of(const std::string& side, double x = 0.0) { return Pose(V(x, side == "left" ? 0.1 : -0.1, 0.0)); }

/// How far the centre of pressure is from below the centre of mass, on one foot: there is no other force.
double pressure_on_one_foot() {
  const Mechanism m = verified_biped();
  const StaticPosture found = static_posture(m, {{soles()[0], place_of("left")}}, bent(m));
  if (!found.found()) return kNone;
  Workspace work(m);
  V moment = V::Zero(), force = V::Zero();
  for (std::size_t i = 0; i < found.forces[0].size(); ++i) {
    const V at = pose(m, work, found.q, "left_foot") * (soles()[0].X_PC * soles()[0].points[i]);
    moment += cross<double>(at, found.forces[0][i]), force += found.forces[0][i];
  }
  const V com = center_of_mass(m, work, found.q);
  return std::hypot(-moment[1] / force[2] - com[0], moment[0] / force[2] - com[1]);
}

StaticPosture block_on_slope(double angle, double friction) {
  Builder b("block");
  b.body({.name = "block", .inertia = Inertia<double>::from_com(2.0, {0, 0, 0.05}, Matrix3<double>::Identity() * 0.02)});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "block"});
  const Mechanism m = b.build();
  const ContactPatch base{.name = "base", .place = "block", .points = rectangle(0.3, 0.3), .friction = friction};
  return static_posture(m, {{base, Pose(SO3<double>::exp({0.0, angle, 0.0}), V::Zero())}}, m.neutral());
}
/// All of it together: single points may bear more of one or the other.
double slope_by_forces(double angle) {
  const StaticPosture found = block_on_slope(angle, 0.5);
  if (!found.found()) return kNone;
  V sum = V::Zero();
  for (const V& f : found.forces[0]) sum += f;
  const V normal = SO3<double>::exp({0.0, angle, 0.0}) * V(V::UnitZ());
  return (sum - sum.dot(normal) * normal).norm() / sum.dot(normal);
}

/// Torques of a squat against the change of potential energy along it, feet in place: virtual work, relative.
double virtual_work() {
  const Mechanism m = verified_biped();
  const std::vector<PostureContact> feet{{soles()[0], place_of("left")}, {soles()[1], place_of("right")}};
  const StaticPosture found = static_posture(m, feet, bent(m));
  if (!found.found()) return kNone;
  Workspace work(m);
  const double h = 1e-4;
  std::vector<KinematicTarget> fixed;
  for (const ContactPatch& sole : soles()) {
    KinematicTarget target = pose_target(sole.place, place_of(sole.name));
    target.X_PF = sole.X_PC;
    fixed.push_back(target);
  }
  const Pose trunk = pose(m, work, found.q, "trunk");
  double worst = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    OwnedVector q[2];
    for (const int side : {0, 1}) {
      std::vector<KinematicTarget> targets = fixed;
      targets.push_back(pose_target("trunk", Pose(trunk.rotation(), trunk.translation() + (side == 0 ? -h : h) * V::Unit(axis))));
      const IkResult moved = inverse_kinematics(m, targets, found.q, {.tolerance = 1e-13});
      if (!(moved.error < 1e-11)) return kNone;
      q[side] = moved.q;
    }
    const double work_done = found.torques.dot(m.difference(q[0], q[1])), change = potential_energy(m, work, q[1]) - potential_energy(m, work, q[0]);
    worst = std::max(worst, std::abs(work_done - change) / (m.mass() * kGravity * 2.0 * h));
  }
  return worst;
}

// ---- against the contact engine

std::vector<ContactSpec> floor_points() {
  std::vector<ContactSpec> out;
  for (const ContactPatch& sole : soles())
    for (const V& p : sole.points) out.push_back({.body = sole.place, .point = sole.X_PC * p, .friction = 0.8});
  return out;
}

/// A controller of stances and what it moves.
struct Run {
  Mechanism m;
  std::shared_ptr<StanceController> controller;
  std::unique_ptr<Simulator> engine;

  Run(const Mechanism& mechanism, const std::vector<ContactPatch>& patches, const std::vector<Stance>& stances, const OwnedVector& q,
      std::vector<ElementPtr> elements) : m(mechanism) {
    StancePlan plan = plan_stances(m, patches, stances, q);
    if (!plan.found) return;
    const OwnedVector start = plan.start;
    controller = std::make_shared<StanceController>(m, patches, std::move(plan));
    elements.push_back(sampled("control", controller, m));
    engine = std::make_unique<Simulator>(m, std::move(elements), std::vector<ConstraintPtr>{},
                                         SimulatorOptions{.integrator = {.step = 1e-3}, .method = "time_stepping"});
    engine->reset(start, OwnedVector(m.nv()));
  }
  /// f() after each step, until the last stance is reached; false when it is not.
  template <class F>
  bool follow(double longest, F f) {
    while (engine && engine->t() < longest && !controller->finished() && !controller->gave_up()) engine->step(1e-3), f();
    return engine && controller->finished();
  }
  /// Of the floor on the robot, or of everything on a link.
  V force_on(int link = -1) {
    V sum = V::Zero();
    for (const ContactForce& c : engine->contact_forces()) {
      if (link < 0 ? c.link_b > 0 : c.link_b == link) sum += c.force;
      if (link < 0 ? c.link_a > 0 : c.link_a == link) sum -= c.force;
    }
    return sum;
  }
};

Stance standing(const std::string& name, double right) {
  return {.name = name, .contacts = {{"left", place_of("left")}, {"right", place_of("right", right)}}, .duration = 0.7, .pause = 0.3};
}
Run step_of_biped(std::vector<ElementPtr> more = {}, double right = 0.1) {
  const Mechanism m = verified_biped();
  more.push_back(contact_scene("floor", m, {.shapes = false, .contacts = floor_points()}));
  std::vector<Stance> stances{standing("stand", 0.0)};
  if (right > 0.0) stances.push_back(standing("step", right));
  return Run(m, soles(), stances, bent(m), std::move(more));
}

/// The fastest that a sole slides which bears more than a thousandth of the weight (m/s).
double slip_of_a_step() {
  Run run = step_of_biped();
  Workspace work(run.m);
  const double least = 1e-3 * run.m.mass() * kGravity;
  double fastest = 0.0;
  const bool done = run.follow(8.0, [&] {
    for (const ContactForce& c : run.engine->contact_forces()) {
      if (c.force.dot(c.normal) < least) continue;
      for (const ContactPatch& sole : soles()) {
        if (run.m.place(sole.place).link != std::max(c.link_a, c.link_b)) continue;
        const V p = pose(run.m, work, run.engine->q(), sole.place).inverse() * c.point;
        const V v = jacobian(run.m, work, run.engine->q(), sole.place, {.point = p, .frame = JacobianFrame::aligned}).topRows(3) * run.engine->v();
        fastest = std::max(fastest, v.head<2>().norm());
      }
    }
  });
  return done ? fastest : kNone;
}

double place_of_a_step() {
  Run run = step_of_biped();
  if (!run.follow(8.0, [] {})) return kNone;
  Workspace work(run.m);
  return (pose(run.m, work, run.engine->q(), "right_foot") * soles()[1].X_PC).translation()[0];
}

/// The floor's forces once all is quiet, as a share of the weight.
double weight_after_a_step() {
  Run run = step_of_biped();
  if (!run.follow(8.0, [] {})) return kNone;
  run.engine->step(1.0);
  return run.force_on()[2] / (run.m.mass() * kGravity);
}

/// A push of 10 N s: what the trunk got is what momentum gained and the floor took, relative.
double impulse_of_a_push() {
  const Mechanism m = verified_biped();
  const auto work = std::make_shared<Workspace>(m);
  const ElementPtr push = drive("push", [m, work](double t, const OwnedVector& q, const OwnedVector&, OwnedVector& tau) {
    if (t < 0.2 - 1e-9 || t > 0.3 - 1e-9) return;
    tau.noalias() += jacobian(m, *work, q, "trunk", {.point = {0, 0, 0.25}, .frame = JacobianFrame::aligned}).topRows(3).transpose() * V(100.0, 0.0, 0.0);
  });
  Run run = step_of_biped({push}, 0.0);
  if (!run.engine) return kNone;
  double floor = 0.0;
  while (run.engine->t() < 0.45) run.engine->step(1e-3), floor += 1e-3 * run.force_on()[0];
  const V momentum = (Eigen::MatrixXd(momentum_matrix(m, *work, run.engine->q())) * run.engine->v()).head<3>();
  return std::abs(momentum[0] - floor - 10.0) / 10.0;
}

// ---- an object

void slide(Builder& b, const std::string& name, const std::string& parent, const std::string& child, const V& at, const V& axis) {
  JointDescription joint{.name = name, .type = "prismatic", .parent = parent, .child = child, .X_PF = Pose(at), .axis = axis};
  joint.properties.effort = {500.0};
  b.joint(joint);
}
PlacedShape box(double x, double y, double z, const V& at = V::Zero()) { return {"", {Shape::Kind::box, {x, y, z}, ""}, Pose(at), {}}; }
Inertia<double> even(double mass, double size, const V& at = V::Zero()) {
  return Inertia<double>::from_com(mass, at, Matrix3<double>::Identity() * mass * size * size / 6.0);
}

constexpr double kParcel = 2.0;  // kg, a cube of 0.2 m that stands on the floor

/// Two fingers on a carriage that goes up and down, and a parcel between them.
Mechanism gripper() {
  Builder b("gripper");
  b.body({.name = "carriage", .inertia = even(5.0, 0.2)});
  slide(b, "up", "world", "carriage", {0, 0, 0.1}, {0, 0, 1});
  for (const std::string side : {"left", "right"}) {
    b.body({.name = side, .inertia = even(1.0, 0.05), .collisions = {box(0.06, 0.02, 0.06)}});
    slide(b, side + "_slide", "carriage", side, {0, side == "left" ? 0.15 : -0.15, 0}, {0, 1, 0});
  }
  Builder object("parcel");
  object.body({.name = "parcel", .inertia = even(kParcel, 0.2, {0, 0, 0.1}), .collisions = {box(0.2, 0.2, 0.2, {0, 0, 0.1})}});
  object.joint({.name = "parcel_root", .type = "free", .parent = "world", .child = "parcel"});
  return with_object(b.build(), object.build(), "parcel");
}

Run lift() {
  const Mechanism m = gripper();
  const Pose outwards(SO3<double>::exp({-0.5 * std::numbers::pi, 0, 0}), {0, 0.1, 0.1}), other(SO3<double>::exp({0.5 * std::numbers::pi, 0, 0}), {0, -0.1, 0.1});
  const std::vector<ContactPatch> patches{
      {.name = "left", .place = "left", .X_PC = Pose(outwards.rotation(), {0, -0.01, 0}), .points = rectangle(0.05, 0.05), .support = "parcel", .friction = 0.5, .least_force = 4.0},
      {.name = "right", .place = "right", .X_PC = Pose(other.rotation(), {0, 0.01, 0}), .points = rectangle(0.05, 0.05), .support = "parcel", .friction = 0.5, .least_force = 4.0},
      {.name = "base", .place = "parcel", .points = rectangle(0.2, 0.2)}};
  OwnedVector low = m.neutral(), high = low;
  high[m.q_slice("up").start] = 0.3;
  const std::map<std::string, Pose> lying{{"base", Pose()}}, held{{"left", outwards}, {"right", other}};
  std::map<std::string, Pose> both = lying;
  both.insert(held.begin(), held.end());
  return Run(m, patches, {{.name = "open", .contacts = lying, .preferred = low, .duration = 0.3, .pause = 0.1}, {.name = "grip", .contacts = both, .preferred = low, .duration = 0.5, .pause = 0.1},
                          {.name = "up", .contacts = held, .preferred = high, .duration = 1.0, .pause = 1.0}}, low, {contact_scene("all", m, {.material = {.friction = 0.8}})});
}

/// What two fingers bear of a parcel in the air, by the engine (N).
double weight_of_a_parcel() {
  Run run = lift();
  if (!run.follow(12.0, [] {})) return kNone;
  return run.force_on(run.m.place("parcel").link)[2];
}
double height_of_a_parcel() {
  Run run = lift();
  if (!run.follow(12.0, [] {})) return kNone;
  Workspace work(run.m);
  return pose(run.m, work, run.engine->q(), "parcel").translation()[2];
}

}  // namespace

std::vector<VerificationEntry> whole_body_stances() {
  return {
      number_entry({"whole-body.posture.pressure", "statics: on one foot the centre of pressure is below the centre of mass (m)", "closed form", 1e-6}, 0.0, pressure_on_one_foot),
      number_entry({"whole-body.posture.slope", "statics: across and along the normal of a slope of 0.3 rad, tan(0.3)", "closed form", 1e-6}, std::tan(0.3), [] { return slope_by_forces(0.3); }),
      number_entry({"whole-body.posture.steep", "Coulomb: nothing rests on a slope steeper than its friction (1 if it did)", "closed form", 0.0}, 0.0, [] { return block_on_slope(0.5, 0.5).found() ? 1.0 : 0.0; }),
      number_entry({"whole-body.posture.virtual_work", "virtual work: torques at rest are the slope of potential energy along motions of the trunk (share of the weight)", "two routes", 1e-6}, 0.0, virtual_work),
      number_entry({"whole-body.stance.slip", "a step on the contact engine: soles that bear do not slide (m/s)", "two routes", 1e-3}, 0.0, slip_of_a_step),
      number_entry({"whole-body.stance.place", "a step on the contact engine: the foot stands where it was told (m)", "two routes", 1e-4}, 0.1, place_of_a_step),
      number_entry({"whole-body.stance.weight", "Newton: after a step the floor bears the weight (share)", "closed form", 1e-6}, 1.0, weight_after_a_step),
      number_entry({"whole-body.push", "Newton: a push of 10 N s is what momentum gained and the floor took (share)", "closed form", 1e-6}, 0.0, impulse_of_a_push),
      number_entry({"whole-body.object.weight", "Newton: two fingers bear a parcel of 2 kg in the air (N)", "closed form", 1e-4}, kParcel * kGravity, weight_of_a_parcel),
      number_entry({"whole-body.object.height", "a parcel between fingers goes where their carriage is told to go (m)", "two routes", 1e-3}, 0.3, height_of_a_parcel)};
}

}  // namespace amble
