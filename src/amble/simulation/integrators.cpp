#include "amble/simulation/integrators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/simulation/radau.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/simulation/rkmk4.hpp"
#include "amble/simulation/semi_implicit.hpp"
#include "amble/simulation/time_stepping.hpp"
#include "amble/simulation/variational.hpp"

namespace amble {

namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Integrator> (*make)(Flow&, const IntegratorOptions&);
  bool solves_elements;
  bool fixed_steps;
};

template <class T>
constexpr Entry entry(const char* name, bool fixed_steps) {
  constexpr auto make = [](Flow& flow, const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
    return std::make_unique<T>(flow, options);
  };
  return {name, make, T::kSolvesElements, fixed_steps};
}

// The table: a new integrator is one line here.
constexpr Entry kIntegrators[] = {
    entry<MuntheKaasIntegrator>("rkmk45", false),
    entry<FixedMuntheKaasIntegrator>("rkmk4", true),
    entry<RadauIntegrator>("radau", false),
    entry<SemiImplicitIntegrator>("semi_implicit", true),
    entry<VariationalFlowIntegrator>("variational", true),
    entry<TimeSteppingIntegrator>("time_stepping", true),
};

const Entry& entry_of(const std::string& name) {
  for (const Entry& entry : kIntegrators)
    if (name == entry.name) return entry;
  throw Error(
      fmt::format("there is no integrator '{}'{}: expected one of {}", name, suggestion(name, integrator_names()),
                  fmt::join(integrator_names(), ", ")));
}

}  // namespace

std::vector<std::string> integrator_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kIntegrators) names.emplace_back(entry.name);
  return names;
}

bool takes_fixed_steps(const std::string& name) {
  for (const Entry& entry : kIntegrators)
    if (name == entry.name) return entry.fixed_steps;
  return false;
}

bool solves_elements(const std::string& name) { return entry_of(name).solves_elements; }

std::unique_ptr<Integrator> make_integrator(const std::string& name, Flow& flow, const IntegratorOptions& options) {
  return entry_of(name).make(flow, options);
}

}  // namespace amble
