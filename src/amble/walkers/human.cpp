#include "amble/base/error.hpp"
#include "amble/walkers/kinds.hpp"
#include "amble/walkers/kneed_walker.hpp"

// A walker with the proportions of people, in the plane: legs with knees that lock, feet that roll, a trunk
// kept half way between the thighs, and arms that swing against the legs, both by gears. Lengths as shares of
// the height are those of Drillis and Contini 1966, masses, centres and radii of gyration those of Winter,
// Biomechanics and Motor Control of Human Movement, 4th edition, 2009, Fig 4.1 and Table 4.1.
namespace amble {

namespace {

/// Shares of the body: mass, and of the segment's length, from its upper end, centre of mass and radius of
/// gyration about it.
struct Segment {
  double length, mass, com, gyration;
};
// Rows "thigh", "foot and leg" and "total arm" (shoulder to wrist: 0.186 + 0.146 of the height).
constexpr Segment kThigh{0.245, 0.100, 0.433, 0.323}, kShankAndFoot{0.246, 0.061, 0.606, 0.416},
    kArm{0.332, 0.050, 0.530, 0.368};
// "Trunk, head, neck", from the hip (0.530 of the height) up to the shoulder (0.818).
constexpr Segment kTrunk{0.288, 0.578, 0.660, 0.503};
constexpr double kAnkleHeight = 0.039;

struct Human {
  double height, mass, rocker, arm_swing, stiffness, damping, knee_stiffness, knee_damping, knee_rest, slope,
      gravity;

  explicit Human(const WalkerValues& v)
      : height(positive(v, "height")),
        mass(positive(v, "mass")),
        rocker(not_negative(v, "rocker")),
        arm_swing(v.at("arm_swing")),
        stiffness(v.at("hip_stiffness")),
        damping(not_negative(v, "hip_damping")),
        knee_stiffness(v.at("knee_stiffness")),
        knee_damping(not_negative(v, "knee_damping")),
        knee_rest(v.at("knee_rest")),
        slope(slope_of(v)),
        gravity(positive(v, "gravity")) {
    if (radius() >= lower()) throw Error("parameter 'rocker' is not below the share of the lower leg, 0.54");
  }

  double upper() const { return kThigh.length * height; }
  double lower() const { return (kShankAndFoot.length + kAnkleHeight) * height; }
  double leg() const { return upper() + lower(); }
  double radius() const { return rocker * leg(); }

  /// Of a segment that hangs down from `top`, along z.
  AxisMasses hanging(const Segment& s, double top) const { return standing(s, top, -1.0); }
  AxisMasses standing(const Segment& s, double start, double up) const {
    const double length = s.length * height, m = s.mass * mass, r = s.gyration * length;
    return AxisMasses().body(m, start + up * s.com * length, m * r * r);
  }

  Mechanism mechanism(FootPlace foot, LockedKnees locked) const {
    Builder b("human");
    b.gravity(floor_gravity(gravity, slope));
    const std::string ground = add_foot_place(b, foot, true, radius(), "q3");
    const auto turn = [&](const char* joint, const std::string& parent, const char* body, double z,
                          const AxisMasses& masses) { return turning(b, joint, parent, body, z, masses); };
    const auto locked_if = [](JointDescription j, bool fixed) {
      if (fixed) j.type = "fixed";
      return j;
    };
    const auto geared = [](JointDescription j, double ratio) {
      j.mimic = Mimic{.leader = "q5", .ratio = ratio};
      return j;
    };
    const double shank = lower() - radius(), shoulder = kTrunk.length * height;
    b.joint(turn("q3", ground, "stance_shank", 0.0, hanging(kShankAndFoot, shank)));
    b.joint(locked_if(turn("q4", "stance_shank", "stance_thigh", shank, hanging(kThigh, upper())),
                      locked.stance));
    JointDescription hip = turn("q5", "stance_thigh", "trunk", upper(), standing(kTrunk, 0.0, 1.0));
    // Both hips' springs act on the one angle.
    hip.properties.stiffness = {2.0 * stiffness}, hip.properties.damping = {2.0 * damping};
    b.joint(hip);
    b.joint(geared(turn("swing_hip", "trunk", "swing_thigh", 0.0, hanging(kThigh, 0.0)), 1.0));
    JointDescription knee = turn("q6", "swing_thigh", "swing_shank", -upper(), hanging(kShankAndFoot, 0.0));
    if (!locked.swing)
      knee.properties.stiffness = {knee_stiffness}, knee.properties.damping = {knee_damping},
      knee.properties.reference = {knee_rest};
    b.joint(locked_if(knee, locked.swing));
    // Against the trunk, the stance leg is at -q5 and the swing leg at q5: arms go with the leg of the other
    // side.
    b.joint(geared(turn("stance_shoulder", "trunk", "stance_arm", shoulder, hanging(kArm, 0.0)), arm_swing));
    b.joint(geared(turn("swing_shoulder", "trunk", "swing_arm", shoulder, hanging(kArm, 0.0)), -arm_swing));
    frames(b, shank, shoulder);
    return b.build();
  }

  void frames(Builder& b, double shank, double shoulder) const {
    const auto at = [](double z) { return Pose(Vector3<double>(0.0, 0.0, z)); };
    add_feet(b, "stance_shank", "swing_shank", shank);
    b.frame({.name = "head", .body = "trunk", .X_BF = at(shoulder + 0.182 * height)});
    for (const char* side : {"stance", "swing"})
      b.frame({.name = std::string(side) + "_hand",
               .body = std::string(side) + "_arm",
               .X_BF = at(-kArm.length * height)});
  }
};

std::unique_ptr<StepModel> make(const WalkerValues& values, Scuffing scuffing) {
  const Human h(values);
  return make_kneed_walker(
      {.mechanism = [=](FootPlace foot, LockedKnees locked) { return h.mechanism(foot, locked); },
       .legs_apart = 2.0,
       .leg_length = h.leg(),
       .foot_radius = h.radius(),
       .gravity = h.gravity,
       .slope = h.slope},
      scuffing);
}

}  // namespace

WalkerKind human_kind() {
  return {
      "human", "legs with knees, trunk and arms with the proportions of people, in the plane",
      with_floor({{"height", 1.75, "m", "of the body"},
                  {"mass", 70.0, "kg", "of the body"},
                  {"rocker", 0.3, "1", "radius of the feet's arcs as a share of the leg"},
                  {"arm_swing", 1.0, "1", "angle of an arm for that of the leg of the other side; 0: still"},
                  {"hip_stiffness", 66.0, "N m/rad", "of a spring at each hip, between thigh and trunk"},
                  {"hip_damping", 0.0, "N m s/rad", "at each hip"},
                  {"knee_stiffness", 10.0, "N m/rad", "of a spring at the knee of the swing leg"},
                  {"knee_damping", 0.0, "N m s/rad", "there"},
                  {"knee_rest", -0.6, "rad", "at which it is at rest; bent knees are below 0"}},
                 3.0),
      make};
}

}  // namespace amble
