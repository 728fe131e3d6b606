#include "amble/verify/simulation/themes.hpp"

// Simulation: motions known in closed form, what integrators promise, books that close.
namespace amble {

VerificationArea verify_simulation() {
  VerificationArea area{"simulation", {}};
  for (const auto theme : {simulation_free_body, simulation_top, simulation_bungee, simulation_squeezer, simulation_integrators, simulation_ledger,
                           simulation_long_runs})
    for (VerificationEntry& entry : theme()) area.entries.push_back(std::move(entry));
  return area;
}

}  // namespace amble
