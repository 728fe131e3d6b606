#include "amble/verify/geometry/themes.hpp"

// Geometry: curvature and geodesics of mechanisms, tasks as submersions.
namespace amble {

VerificationArea verify_geometry() {
  VerificationArea area{"geometry", {}};
  for (const auto theme : {geometry_curvature, geometry_submersions})
    for (VerificationEntry& entry : theme()) area.entries.push_back(std::move(entry));
  return area;
}

}  // namespace amble
