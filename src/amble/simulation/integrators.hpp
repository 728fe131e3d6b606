#pragma once

#include <memory>
#include <string>
#include <vector>

#include "amble/simulation/integrator.hpp"

namespace amble {

/// The integrators by name: "rkmk45" and "radau" choose their steps, "rkmk4", "semi_implicit", "variational" and
/// "time_stepping" take fixed ones.
std::vector<std::string> integrator_names();

/// False for names that are none, too.
bool takes_fixed_steps(const std::string& name);

/// Whether the integrator of that name solves for contacts, limits and friction step by step (SolvedElement). Throws as
/// make_integrator() does.
bool solves_elements(const std::string& name);

/// The integrator of that name for a flow, which must outlive it. Throws an Error with the names there are.
std::unique_ptr<Integrator> make_integrator(const std::string& name, Flow& flow,
                                            const IntegratorOptions& options = {});

}  // namespace amble
