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

using Maker = std::unique_ptr<Integrator> (*)(Flow&, const IntegratorOptions&);

template <class T>
std::unique_ptr<Integrator> make(Flow& flow, const IntegratorOptions& options) {
  return std::make_unique<T>(flow, options);
}

struct Entry {
  const char* name;
  Maker make;
};
constexpr Entry kIntegrators[] = {
    {"rkmk45", make<MuntheKaasIntegrator>},
    {"rkmk4", make<FixedMuntheKaasIntegrator>},
    {"radau", make<RadauIntegrator>},
    {"semi_implicit", make<SemiImplicitIntegrator>},
    {"variational", make<VariationalFlowIntegrator>},
    {"time_stepping", make<TimeSteppingIntegrator>},
};

}  // namespace

std::vector<std::string> integrator_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kIntegrators) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Integrator> make_integrator(const std::string& name, Flow& flow, const IntegratorOptions& options) {
  for (const Entry& entry : kIntegrators)
    if (name == entry.name) return entry.make(flow, options);
  throw Error(
      fmt::format("there is no integrator '{}'{}: expected one of {}", name, suggestion(name, integrator_names()),
                  fmt::join(integrator_names(), ", ")));
}

}  // namespace amble
