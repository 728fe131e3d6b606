#include "amble/verify/coordinates/themes.hpp"

// Coordinates: one motion by velocities, by momenta and in any chart.
namespace amble {

VerificationArea verify_coordinates() {
  VerificationArea area{"coordinates", {}};
  for (const auto theme : {coordinates_charts, coordinates_structure, coordinates_gauss, coordinates_momenta,
                           coordinates_motions, coordinates_closed_forms})
    for (VerificationEntry& entry : theme()) area.entries.push_back(std::move(entry));
  return area;
}

}  // namespace amble
