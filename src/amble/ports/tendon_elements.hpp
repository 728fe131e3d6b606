#pragma once

#include "amble/ports/element.hpp"
#include "amble/ports/end_stops.hpp"

// What tendons carry: springs, dampers, dry friction, stops at the limits of their lengths.
namespace amble {

/// Spring, damper and dry friction of a tendon, by its place in Mechanism::tendons(). Friction pulls back by
/// friction l' / sqrt(l'^2 + slip^2).
ElementPtr tendon_element(const Mechanism& mechanism, int tendon, double slip = 1e-3);

/// Those of all tendons that have any, each by its name.
std::vector<ElementPtr> tendon_elements(const Mechanism& mechanism);

/// One end of the range of a tendon's length.
struct TendonLimit {
  int tendon = 0;
  std::string name;
  double at = 0.0;
  bool upper = true;
};

/// Every finite limit.
std::vector<TendonLimit> tendon_limits(const Mechanism& mechanism);

/// Stops that give way at these limits, as end_stops().
ElementPtr tendon_stops(std::string name, std::vector<TendonLimit> limits,
                        const EndStopOptions& options = {});

}  // namespace amble
