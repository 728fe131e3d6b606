#include <numbers>

#include "amble/base/error.hpp"
#include "amble/walkers/drive_parameters.hpp"
#include "amble/walkers/kinds.hpp"
#include "amble/walkers/kneed_walker.hpp"
#include "amble/walkers/mechanism_walker.hpp"

// Dribbel, DS 4.3 and 5.3: four legs in two pairs, with knees that lock and a motor at the hip.
namespace amble {

namespace {

/// The Maxon RE 40 (150 W, 24 V) with a three-stage GP 42 C and what DS 5.3 tells of the rest: 8 A at most, 100 Hz, 3.74 W for
/// each magnet, 11.2 W for the electronics. The motor's numbers are published ones; the gearbox is one of its series:
/// DS names neither the winding nor the ratio.
WalkerDrive hip_drive() {
  WalkerDrive d{.joint = "hip"};
  d.motor = {.constant = 0.0302,
             .resistance = 0.316,
             .ratio = 66.0,
             .rotor_inertia = 134e-7,
             .efficiency = 1.0,
             .voltage_limit = 24.0,
             .current_limit = 8.0};
  d.set_point = 0.3;
  d.directions = {{"left", -1.0}, {"right", 1.0}};
  d.magnet_power = 2.0 * 3.74;
  d.electronics_power = 11.2;
  d.start = {{"pitch", -0.15}, {"dpitch", 0.8}, {"dhip", 0.0}};
  return d;
}

struct Dribbel {
  double upper, lower, upper_mass, knee_mass, lower_mass, foot_mass, hip_mass, radius, stiffness, damping, slope, gravity;
  WalkerDrive drive;

  explicit Dribbel(const WalkerValues& v)
      : upper(positive(v, "upper_leg_length")),
        lower(positive(v, "lower_leg_length")),
        upper_mass(positive(v, "upper_leg_mass")),
        knee_mass(not_negative(v, "knee_mass")),
        lower_mass(positive(v, "lower_leg_mass")),
        foot_mass(not_negative(v, "foot_mass")),
        hip_mass(not_negative(v, "hip_mass")),
        radius(not_negative(v, "foot_radius")),
        stiffness(not_negative(v, "hip_stiffness")),
        damping(not_negative(v, "hip_damping")),
        slope(slope_of(v)),
        gravity(positive(v, "gravity")),
        drive(drive_with(hip_drive(), v)) {
    if (knee_mass < foot_mass)
      throw Error(
          "parameter 'knee_mass' is below 'foot_mass': the lower leg gets as much of the knee as it has "
          "foot");
    if (radius >= lower) throw Error("parameter 'foot_radius' is not below 'lower_leg_length'");
  }

  double length() const { return upper + lower; }
  // A pair of legs with its half of the hip, measured from the knee up along the leg. The knee's mass is
  // shared so that the lower leg balances in its middle, DS Fig 4.10.
  AxisMasses upper_legs(double knee, double up) const {
    return AxisMasses()
        .rod(2.0 * upper_mass, knee + up * 0.5 * upper, upper)
        .point(2.0 * (knee_mass - foot_mass), knee)
        .point(0.5 * hip_mass, knee + up * upper);
  }
  AxisMasses lower_legs(double knee, double down) const {
    return AxisMasses()
        .rod(2.0 * lower_mass, knee + down * 0.5 * lower, lower)
        .point(2.0 * foot_mass, knee)
        .point(2.0 * foot_mass, knee + down * lower);
  }

  /// Of the hip's own spring and damper.
  JointProperties hip_properties() const {
    JointProperties p;
    p.stiffness = {stiffness}, p.damping = {damping};
    return p;
  }
  /// With the drive beside them, as a spring that rests at its set point.
  JointProperties driven_hip() const {
    JointProperties p = hip_properties();
    if (!drive.on()) return p;
    const double both = stiffness + drive.stiffness();
    p.stiffness = {both}, p.damping = {damping + drive.damping()}, p.armature = {drive.motor.armature()};
    p.reference = {both > 0.0 ? drive.stiffness() * drive.set_point / both : 0.0};
    return p;
  }

  Mechanism mechanism(FootPlace foot, LockedKnees locked) const {
    Builder b("dribbel");
    b.gravity(floor_gravity(gravity, slope));
    std::string parent = add_foot_place(b, foot, true, radius, "q3");
    double reach = 0.0;
    const auto add = [&](const char* joint, bool fixed, const char* body, const AxisMasses& masses, double length,
                         const JointProperties& properties) {
      JointDescription j = turning(b, joint, parent, body, reach, masses);
      if (fixed) j.type = "fixed";
      j.properties = properties;
      b.joint(j);
      parent = body, reach = length;
    };
    const double shank = lower - radius;
    add("q3", false, "stance_lower_legs", lower_legs(shank, -1.0), shank, {});
    add("q4", locked.stance, "stance_upper_legs", upper_legs(0.0, 1.0), upper, {});
    add("q5", false, "swing_upper_legs", upper_legs(-upper, 1.0), -upper, driven_hip());
    add("q6", locked.swing, "swing_lower_legs", lower_legs(0.0, -1.0), -lower, {});
    add_feet(b, "stance_lower_legs", "swing_lower_legs", shank);
    return b.build();
  }

  /// Free to be anywhere, with the names of two sides, from the hip down; knees bend at positive angles.
  Mechanism model() const {
    Builder b("dribbel");
    const auto turn = [&](const std::string& joint, const std::string& parent, const std::string& child, double z) {
      JointDescription j{.name = joint, .type = "continuous", .parent = parent, .child = child};
      j.X_PF = Pose(Vector3<double>(0.0, 0.0, z)), j.axis = {0.0, 1.0, 0.0};
      return j;
    };
    for (const std::string side : {"left", "right"}) {
      b.body({.name = side + "_thigh", .inertia = upper_legs(-upper, 1.0).inertia()});
      b.body({.name = side + "_shank", .inertia = lower_legs(0.0, -1.0).inertia()});
    }
    b.joint({.name = "root", .type = "free", .parent = kWorld, .child = "left_thigh"});
    b.joint(turn("left_knee", "left_thigh", "left_shank", -upper));
    JointDescription hip = turn("hip", "left_thigh", "right_thigh", 0.0);
    hip.properties = hip_properties();
    b.joint(hip);
    b.joint(turn("right_knee", "right_thigh", "right_shank", -upper));
    return b.build();
  }

  DrivenWalker description() const {
    using Walker = WalkerDescription;
    const Vector3<double> foot(0.0, 0.0, radius - lower);
    const double rate = std::sqrt(gravity / length()), upright = 0.5 * std::numbers::pi;
    Walker w{.name = "dribbel", .model = model(), .slope = slope, .gravity = gravity};
    w.feet = {{"left", "left_shank", foot, radius}, {"right", "right_shank", foot, radius}};
    Walker::Phase bent{.name = "swing with a free knee", .stance = "left", .swing = "right"};
    bent.stop = Walker::Stop{.joint = "right_knee", .at = 0.0, .rises = false};
    bent.locked = {{"left_knee", 0.0}};
    Walker::Phase straight{.name = "swing with a straight knee", .stance = "left", .swing = "right"};
    straight.locked = {{"left_knee", 0.0}, {"right_knee", 0.0}};
    straight.passing = {{"hip", -1.0}};
    w.phases = {bent, straight};
    w.symmetry = Walker::Symmetry{.joints = {{"hip", {"hip", -1.0}},
                                             {"left_knee", {"right_knee", 1.0}},
                                             {"right_knee", {"left_knee", 1.0}}},
                                  .feet = {{"left", "right"}, {"right", "left"}}};
    w.bounds = {{"pitch", -upright, upright, "falls over"},
                {"hip", -2.0 * upright, 2.0 * upright, "swings a leg over"},
                {"right_knee", -kPassed, 2.0 * upright, "bends its knee backwards"}};
    w.region = {{"pitch", -0.5, -0.1}, {"dpitch", 0.1 * rate, 0.8 * rate}, {"dhip", -0.8 * rate, 0.8 * rate}};
    w.start = {{"hip", {.multiples = {{"pitch", -2.0}}}}};
    return {w, drive};
  }
};

/// Its drive's spring rests where the leg swings to, and so puts energy in.
class PoweredWalker : public MechanismWalker {
 public:
  using MechanismWalker::MechanismWalker;
  std::unique_ptr<StepModel> clone() const override { return std::make_unique<PoweredWalker>(spec()); }
  bool powered() const override { return true; }
};

std::unique_ptr<StepModel> make(const WalkerValues& values, Scuffing scuffing) {
  const Dribbel d(values);
  std::unique_ptr<StepModel> walker = make_kneed_walker(
      {.mechanism = [=](FootPlace foot, LockedKnees locked) { return d.mechanism(foot, locked); },
       .leg_length = d.length(),
       .foot_radius = d.radius,
       .gravity = d.gravity,
       .slope = d.slope},
      scuffing);
  if (!d.drive.on()) return walker;
  return std::make_unique<PoweredWalker>(dynamic_cast<const MechanismWalker&>(*walker).spec());
}

}  // namespace

WalkerKind dribbel_kind() {
  std::vector<WalkerParameter> parameters = {{"upper_leg_length", 0.47, "m", "from the hip to the knee"},
                                             {"lower_leg_length", 0.43, "m", "from the knee to the foot"},
                                             {"upper_leg_mass", 0.24, "kg", "of each upper leg, uniform"},
                                             {"knee_mass", 0.54, "kg", "of each knee"},
                                             {"lower_leg_mass", 0.24, "kg", "of each lower leg, uniform"},
                                             {"foot_mass", 0.28, "kg", "of each foot"},
                                             {"hip_mass", 4.0, "kg", "at the hip"},
                                             {"foot_radius", 0.0, "m", "of the feet's arcs"},
                                             {"hip_stiffness", 0.0, "N m/rad", "of a spring between the legs"},
                                             {"hip_damping", 0.0, "N m s/rad", "between the legs"}};
  for (const WalkerParameter& p : drive_parameters(hip_drive())) parameters.push_back(p);
  return {"dribbel", "two pairs of legs with knees, DS 4.3; with gains also a motor at the hip, DS 5.3",
          with_floor(std::move(parameters), 3.0), make};
}

DrivenKind driven_dribbel() {
  return {dribbel_kind(), [](const WalkerValues& values) { return Dribbel(values).description(); },
          {{"proportional_gain", 10.0}, {"slope_deg", 0.0}}};
}

}  // namespace amble
