#include <cmath>
#include <numbers>

#include "amble/walkers/kinds.hpp"
#include "amble/walkers/leg_chain.hpp"
#include "amble/walkers/mechanism_walker.hpp"

// The compass gait, DS 4.2: two straight legs with a mass each, joined by a hip with a mass, on feet that are
// points or arcs. Full coordinates (x, z, q3, q4), analysis (q3, q4).
namespace amble {

namespace {

struct Compass {
  double leg_mass, hip_mass, length, leg_com, leg_inertia, radius, stiffness, damping, rest, slope, gravity;

  explicit Compass(const WalkerValues& v)
      : leg_mass(not_negative(v, "leg_mass")),
        hip_mass(not_negative(v, "hip_mass")),
        length(positive(v, "leg_length")),
        leg_com(v.at("leg_com")),
        leg_inertia(not_negative(v, "leg_inertia")),
        radius(not_negative(v, "foot_radius")),
        stiffness(v.at("hip_stiffness")),
        damping(not_negative(v, "hip_damping")),
        rest(v.at("hip_rest")),
        slope(slope_of(v)),
        gravity(positive(v, "gravity")) {
    if (radius >= length) throw Error("parameter 'foot_radius' is not below 'leg_length'");
    if (!(leg_mass > 0.0))
      throw Error("parameter 'leg_mass' is 0: for a leg without mass there is the walker 'simplest'");
  }

  /// From the centre of the foot's arc up to the hip.
  double shank() const { return length - radius; }

  Mechanism mechanism(FootPlace foot) const {
    Builder b("compass");
    b.gravity(floor_gravity(gravity, slope));
    const std::string ground = add_foot_place(b, foot, true, radius, "q3");
    b.body({.name = "stance_leg",
            .inertia = AxisMasses()
                           .body(leg_mass, shank() - leg_com, leg_inertia)
                           .point(0.5 * hip_mass, shank())
                           .inertia()});
    b.body(
        {.name = "swing_leg",
         .inertia = AxisMasses().body(leg_mass, -leg_com, leg_inertia).point(0.5 * hip_mass, 0.0).inertia()});
    b.joint({.name = "q3",
             .type = "revolute",
             .parent = ground,
             .child = "stance_leg",
             .axis = {0.0, -1.0, 0.0}});
    JointDescription hip{.name = "q4", .type = "revolute", .parent = "stance_leg", .child = "swing_leg"};
    hip.X_PF = Pose(Vector3<double>(0.0, 0.0, shank()));
    hip.axis = {0.0, -1.0, 0.0};
    hip.properties.stiffness = {stiffness}, hip.properties.damping = {damping};
    hip.properties.reference = {rest};
    b.joint(hip);
    b.frame({.name = "stance_foot", .body = "stance_leg"});
    b.frame({.name = "swing_foot", .body = "swing_leg", .X_BF = Pose(Vector3<double>(0.0, 0.0, -shank()))});
    return b.build();
  }
};

StepModel::Section section(double rate) {
  OwnedMatrix lift(4, 3);
  lift << 1, 0, 0, -2, 0, 0, 0, 1, 0, 0, 0, 1;
  OwnedVector lower(3), upper(3);
  lower << 0.05, -0.8 * rate, -0.8 * rate;
  upper << 0.6, -0.05 * rate, 0.8 * rate;
  return {{"q3", "dq3", "dq4"}, lift, OwnedVector(4), lower, upper};
}

std::unique_ptr<StepModel> make(const WalkerValues& values, Scuffing scuffing) {
  const Compass c(values);
  constexpr double kUpright = 0.5 * std::numbers::pi, kRound = std::numbers::pi;
  OwnedMatrix embed(4, 2), relabel(2, 4);
  embed << -c.radius, 0, 0, 0, 1, 0, 0, 1;
  relabel << 0, 0, 1, 1, 0, 0, 0, -1;  // DS (4.10)
  OwnedVector passing(4);
  passing << 0, 0, 0, 1;
  const FootContact stance{"stance_foot", c.radius}, swing{"swing_foot", c.radius};
  MechanismPhaseSpec phase{
      .name = "swing",
      .stance = c.mechanism(FootPlace::held),
      .embed = embed,
      .offset = OwnedVector(4),
      .stance_foot = stance,
      .swing_foot = swing,
      .passing = passing,
      .passed = kPassed,
      .detect_scuffing = scuffing == Scuffing::detect,
      .strike = {{swing}, {}},
      .relabel = relabel,
      .shift = OwnedVector(2),
      .bounds = {{2, -kUpright, kUpright, "falls over"}, {3, -kRound, kRound, "swings a leg over"}}};
  return std::make_unique<MechanismWalker>(
      MechanismWalkerSpec{.full = c.mechanism(FootPlace::free),
                          .planar = true,
                          .phases = {phase},
                          .section = section(std::sqrt(c.gravity / c.length)),
                          .slope = c.slope,
                          .leg_length = c.length});
}

}  // namespace

WalkerKind compass_kind() {
  return {
      "compass", "two straight legs, DS 4.2",
      with_floor({{"leg_mass", 1.0, "kg", "of each leg"},
                  {"hip_mass", 5.0, "kg", "at the hip"},
                  {"leg_length", 1.0, "m", "from the hip to the lowest point of the foot"},
                  {"leg_com", 0.5, "m", "from the hip down to a leg's centre of mass"},
                  {"leg_inertia", 0.0, "kg m^2", "of a leg about its centre of mass"},
                  {"foot_radius", 0.0, "m", "of feet that are arcs; 0: points"},
                  {"hip_stiffness", 0.0, "N m/rad", "of a spring between the legs"},
                  {"hip_damping", 0.0, "N m s/rad", "between the legs"},
                  {"hip_rest", 0.0, "rad",
                   "angle q4 at which the spring is at rest; it is hung anew at each step, which costs what "
                   "springs then give"}},
                 3.0),
      make};
}

}  // namespace amble
