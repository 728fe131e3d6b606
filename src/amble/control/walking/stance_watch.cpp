#include "amble/control/walking/stance_watch.hpp"

#include <algorithm>

#include "amble/dynamics/kinematics.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

constexpr double kSameInstant = 1e-12;  // relative: instants this close are one
constexpr double kApart = 2.0;          // travels of a switch, from where on its foot counts as clear

}  // namespace

void StanceOptions::validate(const std::string& name, const Mechanism& m) const {
  if (feet.size() < 2) throw Error(fmt::format("'{}' watches {} feet: expected two or more", name, feet.size()));
  for (const SwitchedFoot& foot : feet) {
    m.place(foot.place);  // says when there is none
    check_strength(name, "foot radius", foot.radius);
    if (!foot.point.allFinite()) throw Error(fmt::format("'{}' has a foot at a place that is not a number", name));
  }
  if (first < 0 || first >= static_cast<int>(feet.size()))
    throw Error(fmt::format("'{}' starts on foot {}: expected 0 to {}", name, first, feet.size() - 1));
  check_strength(name, "period", period);
  check_above_zero(name, "switch travel", travel);
  if (ground == nullptr) throw Error(fmt::format("'{}' has no ground", name));
}

StanceWatch::StanceWatch(const std::string& name, const Mechanism& m, const StanceOptions& options)
    : options_(options) {
  options_.validate(name, m);
}

Vector3<double> StanceWatch::place(const PortState& at, int foot) const {
  const SwitchedFoot& f = options_.feet[foot];
  return pose(at.mechanism, at.work, at.q, f.place) * f.point;
}

double StanceWatch::clearance(const PortState& at, int foot) const {
  return options_.ground->clearance(place(at, foot)) - options_.feet[foot].radius;
}

void StanceWatch::start(const PortState& at, double* memory) const {
  memory[kStart] = memory[kSince] = at.t;
  memory[kLooks] = 0.0, memory[kStance] = options_.first;
  for (int i = 0; i < feet(); ++i) memory[kClear + i] = clearance(at, i) > kApart * options_.travel;
}

double StanceWatch::next_look(const double* memory) const {
  return sampled() ? memory[kStart] + memory[kLooks] * options_.period : std::numeric_limits<double>::infinity();
}

bool StanceWatch::due(double t, double* memory) const {
  if (next_look(memory) > t + kSameInstant * std::max(1.0, std::abs(t))) return false;
  memory[kLooks] += 1.0;
  return true;
}

void StanceWatch::stand_on(int foot, double t, double* memory) const {
  memory[kStance] = foot, memory[kSince] = t;
  std::fill_n(memory + kClear, feet(), 0.0);
}

bool StanceWatch::look(const PortState& at, double* memory) const {
  for (int i = 0; i < feet(); ++i) {
    if (i == stance(memory)) continue;
    const double height = clearance(at, i);
    if (memory[kClear + i] != 0.0 && height <= options_.travel) {
      stand_on(i, at.t, memory);
      return true;
    }
    if (height > kApart * options_.travel) memory[kClear + i] = 1.0;
  }
  return false;
}

bool StanceWatch::see(double t, std::span<const signed char> crossed, double* memory) const {
  for (int i = 0; i < feet(); ++i) {
    if (crossed[i] <= 0) continue;
    if (memory[kClear + i] != 0.0) {
      stand_on(i, t, memory);
      return true;
    }
    memory[kClear + i] = 1.0;
  }
  return false;
}

void StanceWatch::guard_values(const PortState& at, double* values) const {
  for (int i = 0; i < feet(); ++i) {
    const bool clear = at.memory[kClear + i] != 0.0;
    if (i == stance(at.memory))
      values[i] = -1.0;
    else
      values[i] = clear ? options_.travel - clearance(at, i) : clearance(at, i) - kApart * options_.travel;
  }
}

}  // namespace amble
