#include "amble/base/error.hpp"
#include "amble/walkers/kinds.hpp"
#include "amble/walkers/kneed_walker.hpp"

// Dribbel, DS 4.3: four legs in two pairs, with knees that lock.
namespace amble {

namespace {

struct Dribbel {
  double upper, lower, upper_mass, knee_mass, lower_mass, foot_mass, hip_mass, slope, gravity;

  explicit Dribbel(const WalkerValues& v)
      : upper(positive(v, "upper_leg_length")),
        lower(positive(v, "lower_leg_length")),
        upper_mass(positive(v, "upper_leg_mass")),
        knee_mass(not_negative(v, "knee_mass")),
        lower_mass(positive(v, "lower_leg_mass")),
        foot_mass(not_negative(v, "foot_mass")),
        hip_mass(not_negative(v, "hip_mass")),
        slope(slope_of(v)),
        gravity(positive(v, "gravity")) {
    if (knee_mass < foot_mass)
      throw Error(
          "parameter 'knee_mass' is below 'foot_mass': the lower leg gets as much of the knee as it has "
          "foot");
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

  Mechanism mechanism(FootPlace foot, LockedKnees locked) const {
    Builder b("dribbel");
    b.gravity(floor_gravity(gravity, slope));
    std::string parent = add_foot_place(b, foot, true);
    double reach = 0.0;
    const auto add = [&](const char* joint, bool fixed, const char* body, const AxisMasses& masses,
                         double length) {
      JointDescription j = turning(b, joint, parent, body, reach, masses);
      if (fixed) j.type = "fixed";
      b.joint(j);
      parent = body, reach = length;
    };
    add("q3", false, "stance_lower_legs", lower_legs(lower, -1.0), lower);
    add("q4", locked.stance, "stance_upper_legs", upper_legs(0.0, 1.0), upper);
    add("q5", false, "swing_upper_legs", upper_legs(-upper, 1.0), -upper);
    add("q6", locked.swing, "swing_lower_legs", lower_legs(0.0, -1.0), -lower);
    add_feet(b, "stance_lower_legs", "swing_lower_legs", lower);
    return b.build();
  }
};

std::unique_ptr<StepModel> make(const WalkerValues& values, Scuffing scuffing) {
  const Dribbel d(values);
  return make_kneed_walker(
      {.mechanism = [=](FootPlace foot, LockedKnees locked) { return d.mechanism(foot, locked); },
       .leg_length = d.length(),
       .gravity = d.gravity,
       .slope = d.slope},
      scuffing);
}

}  // namespace

WalkerKind dribbel_kind() {
  return {"dribbel", "two pairs of legs with knees, DS 4.3",
          with_floor({{"upper_leg_length", 0.47, "m", "from the hip to the knee"},
                      {"lower_leg_length", 0.43, "m", "from the knee to the foot"},
                      {"upper_leg_mass", 0.24, "kg", "of each upper leg, uniform"},
                      {"knee_mass", 0.54, "kg", "of each knee"},
                      {"lower_leg_mass", 0.24, "kg", "of each lower leg, uniform"},
                      {"foot_mass", 0.28, "kg", "of each foot"},
                      {"hip_mass", 4.0, "kg", "at the hip"}},
                     3.0),
          make};
}

}  // namespace amble
