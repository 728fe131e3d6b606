#include "amble/base/error.hpp"
#include "amble/scenario/stage.hpp"
#include "amble/simulation/integrators.hpp"

// What the fuzzed readers call of folders that fuzzing leaves out: names are as there, work is refused.
namespace amble {

std::vector<std::string> integrator_names() {
  return {"rkmk45", "rkmk4", "radau", "semi_implicit", "variational", "time_stepping"};
}

bool takes_fixed_steps(const std::string& name) { return !name.empty() && name != "rkmk45" && name != "radau"; }

Stage set_up(const Scenario& scenario) { throw Error(scenario.file + ": mechanisms are not fuzzed here"); }

}  // namespace amble
