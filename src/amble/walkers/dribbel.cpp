#include <cmath>
#include <numbers>

#include "amble/walkers/kinds.hpp"
#include "amble/walkers/leg_chain.hpp"
#include "amble/walkers/mechanism_walker.hpp"

// Dribbel, DS 4.3: four legs in two pairs, with knees that lock. Full coordinates (x, z, q3, q4, q5, q6):
// lean of the stance leg, its knee, the hip, the knee of the swing leg, which bends at q6 < 0. A step is the
// swing with a free knee (q3, q5, q6), the knee's strike, and the swing with a straight leg (q3, q5).
namespace amble {

namespace {

enum Full { kX, kZ, kLean, kStanceKnee, kHip, kSwingKnee, kFull };

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

  /// The joints in `locked` are fixed at zero.
  Mechanism mechanism(FootPlace foot, std::initializer_list<Full> locked) const {
    Builder b("dribbel");
    b.gravity(floor_gravity(gravity, slope));
    std::string parent = add_foot_place(b, foot, true);
    double reach = 0.0;
    const auto add = [&](Full coordinate, const char* joint, const char* body, const AxisMasses& masses,
                         double length) {
      const bool fixed = std::find(locked.begin(), locked.end(), coordinate) != locked.end();
      b.body({.name = body, .inertia = masses.inertia()});
      JointDescription j{
          .name = joint, .type = fixed ? "fixed" : "revolute", .parent = parent, .child = body};
      j.X_PF = Pose(Vector3<double>(0.0, 0.0, reach));
      j.axis = {0.0, -1.0, 0.0};
      b.joint(j);
      parent = body, reach = length;
    };
    add(kLean, "q3", "stance_lower_legs", lower_legs(lower, -1.0), lower);
    add(kStanceKnee, "q4", "stance_upper_legs", upper_legs(0.0, 1.0), upper);
    add(kHip, "q5", "swing_upper_legs", upper_legs(-upper, 1.0), -upper);
    add(kSwingKnee, "q6", "swing_lower_legs", lower_legs(0.0, -1.0), -lower);
    b.frame({.name = "stance_foot", .body = "stance_lower_legs"});
    b.frame(
        {.name = "swing_foot", .body = "swing_lower_legs", .X_BF = Pose(Vector3<double>(0.0, 0.0, -lower))});
    return b.build();
  }
};

OwnedMatrix rows(std::initializer_list<std::initializer_list<std::pair<int, double>>> of, int columns) {
  OwnedMatrix m(static_cast<Eigen::Index>(of.size()), columns);
  Eigen::Index row = 0;
  for (const auto& entries : of) {
    for (const auto& [column, value] : entries) m(row, column) = value;
    ++row;
  }
  return m;
}

StepModel::Section section(double rate) {
  // q3, q5 = -2 q3, q6 = 0 and the velocities of the first two.
  const OwnedMatrix lift = rows({{{0, 1.0}}, {{0, -2.0}}, {}, {{1, 1.0}}, {{2, 1.0}}, {}}, 3);
  OwnedVector lower(3), upper(3);
  lower << 0.1, -0.8 * rate, -0.8 * rate;
  upper << 0.5, -0.1 * rate, 0.8 * rate;
  return {{"q3", "dq3", "dq5"}, lift, OwnedVector(6), lower, upper};
}

std::unique_ptr<StepModel> make(const WalkerValues& values, Scuffing scuffing) {
  const Dribbel d(values);
  constexpr double kUpright = 0.5 * std::numbers::pi, kRound = std::numbers::pi;
  const FootContact stance{"stance_foot"}, swing{"swing_foot"};
  const std::vector<MechanismPhaseSpec::Bound> upright{{kLean, -kUpright, kUpright, "falls over"},
                                                       {kHip, -kRound, kRound, "swings a leg over"}};
  MechanismPhaseSpec bent{.name = "swing with a free knee",
                          .stance = d.mechanism(FootPlace::held, {kStanceKnee}),
                          .embed = rows({{}, {}, {{0, 1.0}}, {}, {{1, 1.0}}, {{2, 1.0}}}, 3),
                          .offset = OwnedVector(kFull),
                          .stance_foot = stance,
                          .swing_foot = swing,
                          .stop = kSwingKnee,
                          .detect_scuffing = scuffing == Scuffing::detect,
                          .strike = {{stance}, {kStanceKnee, kSwingKnee}},
                          .relabel = rows({{{kLean, 1.0}}, {{kHip, 1.0}}}, kFull),
                          .shift = OwnedVector(2),
                          .bounds = upright};
  bent.bounds.push_back({kSwingKnee, -kRound, kPassed, "bends its knee backwards"});
  OwnedVector passing(kFull);
  passing[kHip] = 1.0;
  MechanismPhaseSpec straight{
      .name = "swing with a straight knee",
      .stance = d.mechanism(FootPlace::held, {kStanceKnee, kSwingKnee}),
      .embed = rows({{}, {}, {{0, 1.0}}, {}, {{1, 1.0}}, {}}, 2),
      .offset = OwnedVector(kFull),
      .stance_foot = stance,
      .swing_foot = swing,
      .passing = passing,
      .passed = kPassed,
      .detect_scuffing = scuffing == Scuffing::detect,
      .strike = {{swing}, {kStanceKnee, kSwingKnee}},
      .relabel =
          rows({{{kLean, 1.0}, {kHip, 1.0}}, {{kHip, -1.0}}, {{kStanceKnee, 1.0}}}, kFull),  // DS (4.29)
      .shift = OwnedVector(3),
      .bounds = upright};
  return std::make_unique<MechanismWalker>(
      MechanismWalkerSpec{.full = d.mechanism(FootPlace::free, {}),
                          .planar = true,
                          .phases = {bent, straight},
                          .section = section(std::sqrt(d.gravity / d.length())),
                          .slope = d.slope,
                          .leg_length = d.length()});
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
