#include <cmath>
#include <numbers>

#include "amble/walkers/mechanism_walker.hpp"
#include "amble/walkers/straight_legs.hpp"

// Planar walkers with a trunk on two straight legs: Duindam and Stramigioli 2005, DS 4.4. Full coordinates
// (x, z, q3, q4, q5): lean of the stance leg, trunk against stance leg, swing leg against trunk, so that
// torques are those of the ankle and of the two hips. With `bisecting`, gears keep the trunk half way between
// the legs (Wisse, Hobbelen and Schwab 2007), q5 = q4, and it needs no torque to stay upright.
namespace amble {

namespace {

struct Torso {
  StraightLegs legs;
  double trunk_mass, trunk_com, trunk_inertia, slope, gravity;
  bool tied;

  Torso(const WalkerValues& v, bool bisecting)
      : legs(v),
        trunk_mass(positive(v, "trunk_mass")),
        trunk_com(v.at("trunk_com")),
        trunk_inertia(not_negative(v, "trunk_inertia")),
        slope(slope_of(v)),
        gravity(positive(v, "gravity")),
        tied(bisecting) {}

  Mechanism mechanism(FootPlace foot) const {
    Builder b(tied ? "bisecting" : "torso");
    b.gravity(floor_gravity(gravity, slope));
    const std::string ground = add_foot_place(b, foot, true, legs.radius, "q3");
    const double shank = legs.shank();
    b.joint(turning(b, "q3", ground, "stance_leg", 0.0, legs.stance()));
    JointDescription stance_hip =
        turning(b, "q4", "stance_leg", "trunk", shank,
                AxisMasses().point(legs.hip_mass, 0.0).body(trunk_mass, trunk_com, trunk_inertia));
    JointDescription swing_hip = turning(b, "q5", "trunk", "swing_leg", 0.0, legs.swing());
    // Tied, both hips' springs act on the one angle.
    stance_hip.properties.stiffness = {tied ? 2.0 * legs.stiffness : legs.stiffness};
    stance_hip.properties.damping = {tied ? 2.0 * legs.damping : legs.damping};
    if (tied)
      swing_hip.mimic = Mimic{.leader = "q4", .ratio = 1.0};
    else
      swing_hip.properties.stiffness = {legs.stiffness}, swing_hip.properties.damping = {legs.damping};
    b.joint(stance_hip);
    b.joint(swing_hip);
    add_feet(b, "stance_leg", "swing_leg", shank);
    b.frame({.name = "head", .body = "trunk", .X_BF = Pose(Vector3<double>(0.0, 0.0, 2.0 * trunk_com))});
    return b.build();
  }
};

constexpr double kUpright = 0.5 * std::numbers::pi, kRound = std::numbers::pi;

/// The legs change places: the lean of the new stance leg is the sum of all angles, and each hip sees the
/// trunk from the other side.
MechanismPhaseSpec phase_of(const Torso& t, Scuffing scuffing) {
  const int m = t.tied ? 2 : 3, full = m + 2;
  OwnedMatrix embed(full, m), relabel(m, full);
  embed.bottomRows(m).setIdentity();
  embed(0, 0) = -t.legs.radius;
  relabel(0, 2) = 1.0, relabel(0, 3) = t.tied ? 2.0 : 1.0;
  relabel(m - 1, 3) = -1.0;
  OwnedVector passing(full);
  passing[3] = t.tied ? 2.0 : 1.0;
  if (!t.tied) relabel(0, 4) = 1.0, relabel(1, 4) = -1.0, passing[4] = 1.0;
  MechanismPhaseSpec phase =
      straight_swing(t.mechanism(FootPlace::held), t.legs.radius, embed, relabel, passing, scuffing);
  phase.bounds = {{2, -kUpright, kUpright, "falls over"}, {3, -kRound, kRound, "swings its trunk over"}};
  if (!t.tied) phase.bounds.push_back({4, -kRound, kRound, "swings a leg over"});
  return phase;
}

StepModel::Section section_of(const Torso& t, double rate) {
  const int m = t.tied ? 2 : 3;
  OwnedMatrix lift(2 * m, m + 1 + (t.tied ? 0 : 1));
  OwnedVector lower(lift.cols()), upper(lift.cols());
  lift(0, 0) = 1.0;
  lift(1, 0) = -1.0;
  if (t.tied) {
    lift(2, 1) = 1.0, lift(3, 2) = 1.0;
    lower << 0.05, -0.8 * rate, -0.5 * rate;
    upper << 0.6, -0.05 * rate, 0.5 * rate;
    return {{"q3", "dq3", "dq4"}, lift, OwnedVector(4), lower, upper};
  }
  // q5 = -2 q3 - q4 with the trunk's own lean q3 + q4 as a number of the section.
  lift(1, 1) = 1.0, lift(2, 0) = -1.0, lift(2, 1) = -1.0;
  for (int i = 0; i < 3; ++i) lift(3 + i, 2 + i) = 1.0;
  lower << 0.05, -0.3, -0.8 * rate, -0.5 * rate, -0.5 * rate;
  upper << 0.6, 0.3, -0.05 * rate, 0.5 * rate, 0.5 * rate;
  return {{"q3", "trunk", "dq3", "dq4", "dq5"}, lift, OwnedVector(6), lower, upper};
}

std::unique_ptr<StepModel> make(const Torso& t, Scuffing scuffing) {
  const double rate = std::sqrt(t.gravity / t.legs.length);
  const std::vector<std::string> names{"q3", "q4", "q5"};
  return std::make_unique<MechanismWalker>(
      MechanismWalkerSpec{.full = t.mechanism(FootPlace::free),
                          .planar = true,
                          .phases = {phase_of(t, scuffing)},
                          .coordinates = {names.begin(), names.begin() + (t.tied ? 2 : 3)},
                          .section = section_of(t, rate),
                          .slope = t.slope,
                          .longest_step = 30.0 / rate,
                          .leg_length = t.legs.length});
}

std::unique_ptr<StepModel> make_torso(const WalkerValues& values, Scuffing scuffing) {
  return make(Torso(values, false), scuffing);
}
std::unique_ptr<StepModel> make_bisecting(const WalkerValues& values, Scuffing scuffing) {
  return make(Torso(values, true), scuffing);
}

std::vector<WalkerParameter> parameters(double slope_deg, double hip_stiffness) {
  std::vector<WalkerParameter> all = straight_leg_parameters(
      3.0, hip_stiffness, "of a spring at each hip, between leg and trunk", "at each hip");
  all.push_back({"trunk_mass", 3.0, "kg", "of the trunk"});
  all.push_back({"trunk_com", 0.4, "m", "from the hip up to the trunk's centre of mass"});
  all.push_back({"trunk_inertia", 0.0, "kg m^2", "of the trunk about its centre of mass"});
  return with_floor(std::move(all), slope_deg);
}

}  // namespace

WalkerKind torso_kind() {
  return {"torso", "two straight legs and a trunk in the plane", parameters(0.0, 0.0), make_torso};
}

WalkerKind bisecting_kind() {
  return {"bisecting", "the same with the trunk kept half way between the legs by gears",
          parameters(3.0, 15.0), make_bisecting};
}

}  // namespace amble
