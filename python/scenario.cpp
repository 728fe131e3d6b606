#include <pybind11/stl.h>

#include "amble/recording/load_recording.hpp"
#include "amble/io/source.hpp"
#include "amble/scenario/replay.hpp"
#include "amble/scenario/walk_run.hpp"
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

std::string text_of(const py::object& path) {
  return py::module_::import("os").attr("fspath")(path).cast<std::string>();
}

py::tuple run_walk(const std::string& path, const std::vector<std::string>& settings, const py::object& record) {
  std::optional<WalkResult> result;
  {
    py::gil_scoped_release unlocked;
    result = run_walk_scenario(load_walk_scenario(path, settings), go_on);
  }
  if (!record.is_none()) result->recording.save(text_of(record));
  return py::make_tuple(result->recording, checks_list(result->checks));
}

py::tuple run_scenario(const py::object& path, const std::vector<std::string>& settings, const py::object& record) {
  if (const std::string file = text_of(path); is_walk_scenario(read_text(file), file))
    return run_walk(file, settings, record);
  ScenarioRun run(load_scenario(text_of(path), settings));
  if (!record.is_none()) run.record_to(text_of(record));
  {
    py::gil_scoped_release unlocked;
    run.run(go_on);
  }
  return py::make_tuple(run.recording(), checks_list(run.checks()));
}

Recording load(const py::object& path) { return load_recording(text_of(path)); }

py::dict run_again(const Recording& recording) {
  Replay result;
  {
    py::gil_scoped_release unlocked;
    result = replay(recording, go_on);
  }
  py::dict out;
  out["same"] = result.same, out["rows"] = result.rows, out["difference"] = result.difference;
  return out;
}

constexpr const char* kRun = R"(Run a scenario file (TOML): (recording, checks).

settings, as ["simulation.duration=5"], take the place of what the file says. checks: {'name', 'holds', 'value'} for
each that the file asks for. record: a file (.h5) that grows with the run and can be read at any time. The same as
`amble simulate` on the command line.)";

}  // namespace

void bind_scenario(py::module_& m) {
  m.def("run_scenario", &run_scenario, py::arg("path"), py::arg("settings") = std::vector<std::string>(),
        py::arg("record") = py::none(), kRun);
  m.def("load_recording", &load, py::arg("path"),
        "A recording from its file (.h5), to the last bit; of a run that was broken off, what was flushed.");
  m.def("replay", &run_again, py::arg("recording"),
        "Run the scenario of a recording again and compare to the last bit: {'same', 'rows', 'difference'}.");
}

}  // namespace amble::python
