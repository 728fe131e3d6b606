#include <cmath>
#include <numbers>

#include "amble/walkers/mechanism_walker.hpp"
#include "amble/walkers/straight_legs.hpp"

// The compass gait, DS 4.2: two straight legs with a mass each, joined by a hip with a mass, on feet that are
// points or arcs. Full coordinates (x, z, q3, q4), analysis (q3, q4).
namespace amble {

namespace {

struct Compass {
  StraightLegs legs;
  double rest, slope, gravity;

  explicit Compass(const WalkerValues& v)
      : legs(v), rest(v.at("hip_rest")), slope(slope_of(v)), gravity(positive(v, "gravity")) {}

  Mechanism mechanism(FootPlace foot) const {
    Builder b("compass");
    b.gravity(floor_gravity(gravity, slope));
    const std::string ground = add_foot_place(b, foot, true, legs.radius, "q3");
    const double shank = legs.shank(), half = 0.5 * legs.hip_mass;
    b.joint(turning(b, "q3", ground, "stance_leg", 0.0, legs.stance().point(half, shank)));
    JointDescription hip = turning(b, "q4", "stance_leg", "swing_leg", shank, legs.swing().point(half, 0.0));
    hip.properties.stiffness = {legs.stiffness}, hip.properties.damping = {legs.damping};
    hip.properties.reference = {rest};
    b.joint(hip);
    add_feet(b, "stance_leg", "swing_leg", shank);
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
  embed << -c.legs.radius, 0, 0, 0, 1, 0, 0, 1;
  relabel << 0, 0, 1, 1, 0, 0, 0, -1;  // DS (4.10)
  OwnedVector passing(4);
  passing << 0, 0, 0, 1;
  MechanismPhaseSpec phase =
      straight_swing(c.mechanism(FootPlace::held), c.legs.radius, embed, relabel, passing, scuffing);
  phase.bounds = {{2, -kUpright, kUpright, "falls over"}, {3, -kRound, kRound, "swings a leg over"}};
  return std::make_unique<MechanismWalker>(
      MechanismWalkerSpec{.full = c.mechanism(FootPlace::free),
                          .planar = true,
                          .phases = {phase},
                          .section = section(std::sqrt(c.gravity / c.legs.length)),
                          .slope = c.slope,
                          .leg_length = c.legs.length});
}

}  // namespace

WalkerKind compass_kind() {
  std::vector<WalkerParameter> parameters =
      straight_leg_parameters(5.0, 0.0, "of a spring between the legs", "between the legs");
  parameters.push_back({"hip_rest", 0.0, "rad",
                        "angle q4 at which the spring is at rest; it is hung anew at each step, which costs what "
                        "springs then give"});
  return {"compass", "two straight legs, DS 4.2", with_floor(std::move(parameters), 3.0), make};
}

}  // namespace amble
