#include <cmath>
#include <numbers>

#include "amble/walkers/mechanism_walker.hpp"
#include "amble/walkers/straight_legs.hpp"

// The walker in space with a trunk, DS 4.4: legs with their masses at the feet, a trunk with masses at hip
// and head. Full coordinates (x, y, z, q4 .. q9); each limb has two angles against the floor: it points along
// (sin a cos b, -sin b, cos a cos b) from the foot to the hip (q4, q5; q6, q7), or up from the hip (q8, q9).
// DS (4.33).
namespace amble {

namespace {

struct Trunk {
  double leg_mass, hip_mass, trunk_mass, leg, trunk, slope, gravity;

  explicit Trunk(const WalkerValues& v)
      : leg_mass(positive(v, "leg_mass")),
        hip_mass(not_negative(v, "hip_mass")),
        trunk_mass(positive(v, "trunk_mass")),
        leg(positive(v, "leg_length")),
        trunk(positive(v, "trunk_length")),
        slope(slope_of(v)),
        gravity(positive(v, "gravity")) {}

  Mechanism mechanism(FootPlace foot) const {
    Builder b("trunk");
    b.gravity(floor_gravity(gravity, slope));
    const std::string ground = add_foot_place(b, foot, false);
    const auto turn = [&](const std::string& joint, const std::string& parent, const std::string& body,
                          double z, const Vector3<double>& axis, const Inertia<double>& inertia,
                          const std::string& undoes = {}) {
      b.body({.name = body, .inertia = inertia, .auxiliary = inertia.mass() == 0.0});
      JointDescription j{.name = joint, .type = "revolute", .parent = parent, .child = body};
      j.X_PF = Pose(Vector3<double>(0.0, 0.0, z));
      j.axis = axis;
      if (!undoes.empty()) j.mimic = Mimic{.leader = undoes, .ratio = -1.0};
      b.joint(j);
    };
    const Vector3<double> x = Vector3<double>::UnitX(), y = Vector3<double>::UnitY();
    const Inertia<double> none;
    turn("q4", ground, "stance_turn", 0.0, y, none);
    turn("q5", "stance_turn", "stance_leg", 0.0, x, AxisMasses().point(leg_mass, 0.0).inertia());
    // A frame at the hip that does not turn: the other limbs' angles are against the floor.
    turn("q5_undone", "stance_leg", "hip_turn", leg, x, none, "q5");
    turn("q4_undone", "hip_turn", "hip", 0.0, y, none, "q4");
    turn("q6", "hip", "swing_turn", 0.0, y, none);
    turn("q7", "swing_turn", "swing_leg", 0.0, x, AxisMasses().point(leg_mass, -leg).inertia());
    turn("q8", "hip", "trunk_turn", 0.0, y, none);
    turn("q9", "trunk_turn", "trunk", 0.0, x,
         AxisMasses().point(hip_mass, 0.0).point(trunk_mass, trunk).inertia());
    add_feet(b, "stance_leg", "swing_leg", leg);
    b.frame({.name = "head", .body = "trunk", .X_BF = Pose(Vector3<double>(0.0, 0.0, trunk))});
    return b.build();
  }
};

/// Feet one before and one beside the other: q6 = -q4, q7 = -q5.
StepModel::Section section(double rate) {
  const std::vector<std::string> names{"q4", "q5", "q8", "q9", "dq4", "dq5", "dq6", "dq7", "dq8", "dq9"};
  OwnedMatrix lift(12, 10);
  lift(0, 0) = 1.0, lift(1, 1) = 1.0, lift(2, 0) = -1.0, lift(3, 1) = -1.0, lift(4, 2) = 1.0,
          lift(5, 3) = 1.0;
  for (int i = 0; i < 6; ++i) lift(6 + i, 4 + i) = 1.0;
  OwnedVector lower(10), upper(10);
  lower << -0.5, -0.3, -0.5, -0.3, 0.05 * rate, -0.5 * rate, -0.8 * rate, -0.5 * rate, -0.5 * rate,
      -0.5 * rate;
  upper << -0.05, 0.3, 0.5, 0.3, 0.8 * rate, 0.5 * rate, 0.8 * rate, 0.5 * rate, 0.5 * rate, 0.5 * rate;
  return {names, lift, OwnedVector(12), lower, upper};
}

std::unique_ptr<StepModel> make(const WalkerValues& values, Scuffing scuffing) {
  const Trunk t(values);
  constexpr double kUpright = 0.5 * std::numbers::pi;
  constexpr int kFull = 9, kPlaces = 3, kFree = kFull - kPlaces;
  OwnedMatrix embed(kFull, kFree), relabel(kFree, kFull);
  embed.bottomRows(kFree).setIdentity();
  // DS (4.34): the legs change places, and left changes with right.
  for (const auto& [to, from, sign] :
       {std::tuple{0, 2, 1.0}, {1, 3, -1.0}, {2, 0, 1.0}, {3, 1, -1.0}, {4, 4, 1.0}, {5, 5, -1.0}})
    relabel(to, kPlaces + from) = sign;
  OwnedVector passing(kFull);
  passing[kPlaces] = 1.0, passing[kPlaces + 2] = -1.0;
  MechanismPhaseSpec phase = straight_swing(t.mechanism(FootPlace::held), 0.0, embed, relabel, passing, scuffing);
  for (const char* limb : {"stance leg", "swing leg", "trunk"})
    for (int angle = 0; angle < 2; ++angle)
      phase.bounds.push_back({kPlaces + static_cast<int>(phase.bounds.size()), -kUpright, kUpright,
                              std::string("the ") + limb + " falls over"});
  OwnedVector rest(kFree);
  rest << 0.0, -0.1, 0.0, 0.1, 0.0, 0.0;  // feet beside each other, DS (4.38)
  return std::make_unique<MechanismWalker>(
      MechanismWalkerSpec{.full = t.mechanism(FootPlace::free),
                          .planar = false,
                          .phases = {phase},
                          .section = section(std::sqrt(t.gravity / t.leg)),
                          .slope = t.slope,
                          .leg_length = t.leg,
                          .rest = rest});
}

}  // namespace

WalkerKind trunk_kind() {
  return {"trunk", "two straight legs and a trunk in space, DS 4.4",
          with_floor({{"leg_mass", 1.0, "kg", "of each leg, at the foot"},
                      {"hip_mass", 3.0, "kg", "at the hip"},
                      {"trunk_mass", 3.0, "kg", "at the head"},
                      {"leg_length", 1.0, "m", "from the hip to the foot"},
                      {"trunk_length", 1.0, "m", "from the hip to the head"}},
                     0.0),
          make};
}

}  // namespace amble
