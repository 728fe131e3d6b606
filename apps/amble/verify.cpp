#include "amble/verify/verify.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "command.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  std::string area;
  bool json = false, list = false;
};

std::vector<VerificationArea> chosen_areas(const std::string& wanted) {
  std::vector<VerificationArea> all = verification_areas();
  if (wanted.empty()) return all;
  std::vector<std::string> names;
  for (const VerificationArea& area : all) {
    if (area.name == wanted) return {area};
    names.push_back(area.name);
  }
  throw Error(fmt::format("there is no area '{}'{}; areas: {}", wanted, suggestion(wanted, names),
                          fmt::join(names, ", ")));
}

/// Runs one entry; one that throws fails with the message as its source of trouble, and the others still run.
Json run_entry(const std::string& area, const VerificationEntry& entry) {
  const auto start = std::chrono::steady_clock::now();
  Json out{{"id", entry.id}, {"area", area}};
  try {
    const Verification v = entry.run();
    out.update({{"source", v.source},
                {"reference", v.reference},
                {"ours", v.ours},
                {"error", v.error()},
                {"tolerance", v.tolerance},
                {"kind", v.kind},
                {"pass", v.pass()}});
  } catch (const std::exception& e) {
    out.update({{"source", std::string("did not run: ") + e.what()},
                {"reference", nullptr},
                {"ours", nullptr},
                {"error", nullptr},
                {"tolerance", nullptr},
                {"kind", "failure"},
                {"pass", false}});
  }
  out["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

void print_entry(const Json& e) {
  const auto text = [](const Json& x) {
    return x.is_null() ? std::string("-") : fmt::format("{:.9g}", x.get<double>());
  };
  fmt::print("{:4}  {:34} {:>16} {:>16} {:>10}  {}\n", e["pass"].get<bool>() ? "ok" : "FAIL",
             e["id"].get<std::string>(), text(e["reference"]), text(e["ours"]), text(e["error"]),
             e["source"].get<std::string>());
  std::fflush(stdout);  // the next one may take minutes
}

/// The names alone, without running anything.
int list_entries(const std::vector<VerificationArea>& areas, bool json) {
  Json names = Json::array();
  for (const VerificationArea& area : areas)
    for (const VerificationEntry& entry : area.entries) {
      names.push_back(entry.id);
      if (!json) fmt::print("{}\n", entry.id);
    }
  if (json) fmt::print("{}", json_text({{"entries", names}}));
  return 0;
}

int verify(const Settings& s) {
  const std::vector<VerificationArea> areas = chosen_areas(s.area);
  if (s.list) return list_entries(areas, s.json);
  Json entries = Json::array();
  int failed = 0;
  if (!s.json)
    fmt::print("{:4}  {:34} {:>16} {:>16} {:>10}  source\n", "", "entry", "reference", "ours", "error");
  for (const VerificationArea& area : areas)
    for (const VerificationEntry& entry : area.entries) {
      entries.push_back(run_entry(area.name, entry));
      failed += entries.back()["pass"].get<bool>() ? 0 : 1;
      if (!s.json) print_entry(entries.back());
    }
  const int passed = static_cast<int>(entries.size()) - failed;
  if (s.json)
    fmt::print("{}", json_text({{"entries", entries}, {"passed", passed}, {"failed", failed}}));
  else
    fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  auto settings = std::make_shared<Settings>();
  command.add_option("AREA", settings->area, "Only this area (default: all)")->type_name("");
  command.add_flag("--list", settings->list, "Only the names of the entries; nothing is run");
  command.add_flag("--json", settings->json, "One JSON object on stdout");
  command.callback([settings, &run] { run = [settings] { return verify(*settings); }; });
}

}  // namespace amble::app
