#pragma once

#include <gtest/gtest.h>

#include "amble/base/test/random_numbers.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/ports/element.hpp"

namespace amble {

/// A random mechanism in motion, to try elements on.
struct PortBed {
  explicit PortBed(std::uint64_t seed, const RandomMechanismOptions& options = {.bodies = 9})
      : made(random_mechanism(seed, options)), work(made.mechanism), random(seed) {
    q = m().random(random), v = numbers(-1.0, 1.0);
  }
  const Mechanism& m() const { return made.mechanism; }
  OwnedVector numbers(double low, double high) { return random_numbers(random, m().nv(), low, high); }

  RandomMechanism made;
  Workspace work;
  Random random;
  OwnedVector q, v;
};

/// An element with numbers of its own, at a state of a bed.
struct Attached {
  Attached(PortBed& b, ElementPtr e) : bed(b), element(std::move(e)), x(element->size()), memory(element->memory()) {
    element->start(state(0.0, bed.q), x.data(), memory.data());
  }
  PortState state(double t, const OwnedVector& q) { return {t, q, bed.v, bed.m(), bed.work, memory.data(), nullptr}; }
  PortFlows flows(double t, const OwnedVector& q, const OwnedVector& own, OwnedVector& rates) {
    PortFlows out(bed.m().nv());
    element->evaluate(state(t, q), own.data(), out, rates.data());
    return out;
  }
  PortFlows flows() {
    OwnedVector rates(x.size());
    return flows(0.0, bed.q, x, rates);
  }
  /// supplied - delivered - dissipated - d/dt stored, the last by differences along the motion.
  double gap() {
    OwnedVector rates(x.size()), ignored(x.size());
    const PortFlows here = flows(0.0, bed.q, x, rates);
    const auto stored = [&](double h) {
      const OwnedVector own = x + h * rates;
      return flows(h, bed.m().integrate(bed.q, h * bed.v), own, ignored).stored;
    };
    const double h = 2e-5, slope = (8.0 * (stored(h) - stored(-h)) - stored(2 * h) + stored(-2 * h)) / (12 * h);
    size = std::abs(here.supplied) + std::abs(here.tau.dot(bed.v)) + std::abs(slope) + here.dissipated;
    return here.supplied - here.tau.dot(bed.v) - here.dissipated - slope;
  }

  PortBed& bed;
  ElementPtr element;
  OwnedVector x, memory;
  double size = 0.0;  // of the powers that gap() compared
};

}  // namespace amble
