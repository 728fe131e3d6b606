#pragma once

#include "amble/geometry/ground.hpp"
#include "amble/ports/contact_force.hpp"
#include "amble/ports/element.hpp"

namespace amble {

/// What an element through which things touch can tell beside, for recordings and pictures.
class Touching {
 public:
  virtual ~Touching() = default;
  /// Appends where it touches now, and how hard. PortState::forces are there where its constraints hold.
  virtual void contact_forces(const PortState& at, const double* x, std::vector<ContactForce>& out) const {
    (void)at, (void)x, (void)out;
  }
  /// The ground that it lets things touch, or null.
  virtual GroundPtr ground() const { return nullptr; }
};

}  // namespace amble
