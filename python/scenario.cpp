#include <pybind11/stl.h>

#include "amble/scenario/run.hpp"
#include "bindings.hpp"
#include "motions.hpp"

namespace amble::python {

namespace {

py::list checks_list(const std::vector<CheckResult>& checks) {
  py::list out;
  for (const CheckResult& c : checks) {
    py::dict check;
    check["name"] = c.name, check["holds"] = c.holds, check["value"] = c.value;
    out.append(check);
  }
  return out;
}

py::tuple run_scenario(const py::object& path, const std::vector<std::string>& settings) {
  const std::string file = py::module_::import("os").attr("fspath")(path).cast<std::string>();
  ScenarioRun run(load_scenario(file, settings));
  {
    py::gil_scoped_release unlocked;
    run.run(go_on);
  }
  return py::make_tuple(run.recording(), checks_list(run.checks()));
}

constexpr const char* kRun = R"(Run a scenario file (TOML): (recording, checks).

settings, as ["simulation.duration=5"], take the place of what the file says. checks: {'name', 'holds', 'value'} for
each that the file asks for. The same as `amble simulate` on the command line.)";

}  // namespace

void bind_scenario(py::module_& m) {
  m.def("run_scenario", &run_scenario, py::arg("path"), py::arg("settings") = std::vector<std::string>(), kRun);
}

}  // namespace amble::python
