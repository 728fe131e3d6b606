#include "bench/report.hpp"

#include <cmath>

#include "amble/version.hpp"
#include "bench/peers.hpp"
#include "build_facts.hpp"

namespace amble::bench {

namespace {

using Json = nlohmann::ordered_json;

Json machine_json(const Machine& m) {
  return {{"processor", m.processor},
          {"cores", m.cores},
          {"pinned_to", m.core < 0 ? Json() : Json(m.core)},
          {"kernels", m.kernels},
          {"compiler", app::kCompiler},
          {"build_type", app::kBuildType},
          {"optimised", app::kOptimised},
          {"assertions", app::kAssertions}};
}

Json number_json(double x) { return std::isfinite(x) ? Json(x) : Json(); }

Json row_json(const Row& row) {
  Json out{{"area", row.area},
           {"robot", row.robot},
           {"what", row.what},
           {"library", row.library},
           {"ns", number_json(row.timing.ns)},
           {"spread", number_json(row.timing.spread)},
           {"per_state_ns", number_json(row.per_state_ns())},
           {"fastest_ns", number_json(row.timing.fastest)},
           {"states", row.states}};
  if (row.count) out.update({{"instructions", row.count->instructions}, {"allocations", row.count->allocations}});
  if (!row.core.empty()) out["core"] = row.core;
  for (const auto& [name, value] : row.figures) out[name] = number_json(value);
  if (!row.timing.failure.empty()) out["failed"] = row.timing.failure;
  return out;
}

}  // namespace

Libraries libraries() {
  Libraries out{{"amble", kVersion}};
  for (const PeerModule* module : peers().modules) out.emplace_back(module->name, module->version);
  return out;
}

Json report_json(const Report& report) {
  Json out{{"machine", machine_json(report.machine)}, {"complete", report.complete}, {"rows", Json::array()}};
  for (const auto& [name, version] : libraries()) out["libraries"][name] = version;
  for (const Row& row : report.rows) out["rows"].push_back(row_json(row));
  out["notes"] = report.notes;
  return out;
}

}  // namespace amble::bench
