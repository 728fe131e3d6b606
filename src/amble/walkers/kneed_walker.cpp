#include "amble/walkers/kneed_walker.hpp"

#include <cmath>
#include <numbers>

#include "amble/walkers/kinds.hpp"
#include "amble/walkers/mechanism_walker.hpp"

namespace amble {

namespace {

enum Full { kX, kZ, kLean, kStanceKnee, kHip, kSwingKnee, kFull };
constexpr double kUpright = 0.5 * std::numbers::pi, kRound = std::numbers::pi;

OwnedMatrix rows(std::initializer_list<std::initializer_list<std::pair<int, double>>> of, int columns) {
  OwnedMatrix m(static_cast<Eigen::Index>(of.size()), columns);
  Eigen::Index row = 0;
  for (const auto& entries : of) {
    for (const auto& [column, value] : entries) m(row, column) = value;
    ++row;
  }
  return m;
}

/// q3, q5 with both feet on the floor, q6 = 0, and the velocities of the first two.
StepModel::Section section_of(const KneedWalkerSpec& spec, double rate) {
  const OwnedMatrix lift =
      rows({{{0, 1.0}}, {{0, -2.0 / spec.legs_apart}}, {}, {{1, 1.0}}, {{2, 1.0}}, {}}, 3);
  OwnedVector lower(3), upper(3);
  lower << spec.lowest_lean, -0.8 * rate, -0.8 * rate / spec.legs_apart;
  upper << spec.highest_lean, -0.1 * rate, 0.8 * rate / spec.legs_apart;
  return {{"q3", "dq3", "dq5"}, lift, OwnedVector(6), lower, upper};
}

/// What both phases have.
MechanismPhaseSpec phase_of(const KneedWalkerSpec& spec, Scuffing scuffing, LockedKnees locked) {
  MechanismPhaseSpec phase{.stance = spec.mechanism(FootPlace::held, locked)};
  const int m = locked.swing ? 2 : 3;
  // A foot that is an arc rolls as the leg leans.
  phase.embed = rows({{{0, -spec.foot_radius}}, {}, {{0, 1.0}}, {}, {{1, 1.0}}, {}}, m);
  if (!locked.swing) phase.embed(kSwingKnee, 2) = 1.0;
  phase.offset = OwnedVector(kFull);
  phase.stance_foot = {"stance_foot", spec.foot_radius};
  phase.swing_foot = {"swing_foot", spec.foot_radius};
  phase.detect_scuffing = scuffing == Scuffing::detect;
  phase.bounds = {{kLean, -kUpright, kUpright, "falls over"}, {kHip, -kRound, kRound, "swings a leg over"}};
  return phase;
}

MechanismPhaseSpec bent_phase(const KneedWalkerSpec& spec, Scuffing scuffing) {
  MechanismPhaseSpec phase = phase_of(spec, scuffing, {true, false});
  phase.name = "swing with a free knee";
  phase.stop = kSwingKnee;
  phase.strike = {{phase.stance_foot}, {kStanceKnee, kSwingKnee}};
  phase.relabel = rows({{{kLean, 1.0}}, {{kHip, 1.0}}}, kFull);
  phase.shift = OwnedVector(2);
  phase.bounds.push_back({kSwingKnee, -kRound, kPassed, "bends its knee backwards"});
  return phase;
}

MechanismPhaseSpec straight_phase(const KneedWalkerSpec& spec, Scuffing scuffing) {
  MechanismPhaseSpec phase = phase_of(spec, scuffing, {true, true});
  phase.name = "swing with a straight knee";
  phase.passing = OwnedVector(kFull);
  phase.passing[kHip] = spec.legs_apart;
  phase.passed = kPassed;
  phase.strike = {{phase.swing_foot}, {kStanceKnee, kSwingKnee}};
  phase.relabel = rows({{{kLean, 1.0}, {kHip, spec.legs_apart}}, {{kHip, -1.0}}, {{kStanceKnee, 1.0}}},
                       kFull);  // DS (4.29)
  phase.shift = OwnedVector(3);
  return phase;
}

}  // namespace

std::unique_ptr<StepModel> make_kneed_walker(const KneedWalkerSpec& spec, Scuffing scuffing) {
  const double rate = std::sqrt(spec.gravity / spec.leg_length);
  return std::make_unique<MechanismWalker>(
      MechanismWalkerSpec{.full = spec.mechanism(FootPlace::free, {false, false}),
                          .planar = true,
                          .phases = {bent_phase(spec, scuffing), straight_phase(spec, scuffing)},
                          .coordinates = {"q3", "q5", "q6"},
                          .section = section_of(spec, rate),
                          .slope = spec.slope,
                          .longest_step = 30.0 / rate,
                          .leg_length = spec.leg_length});
}

}  // namespace amble
