#include <fmt/format.h>

#include <cstdio>
#include <thread>

#include "amble/version.hpp"
#include "build_facts.hpp"
#include "command.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

bool on_path(const char* program) {
  const std::string call = fmt::format("command -v {} >/dev/null 2>&1", program);
  return std::system(call.c_str()) == 0;
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> found;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse2")) found.emplace_back("sse2");
  if (__builtin_cpu_supports("avx2")) found.emplace_back("avx2");
  if (__builtin_cpu_supports("avx512f")) found.emplace_back("avx512f");
#endif
  return found;
}

Json report() {
  Json out{{"amble", kVersion},
           {"compiler", kCompiler},
           {"build_type", kBuildType},
           {"optimised", kOptimised},
           {"assertions", kAssertions},
           {"cores", std::thread::hardware_concurrency()},
           {"instruction_sets", instruction_sets()}};
  for (const auto& [name, version] : kLibraries) out["libraries"][name] = version;
  for (const char* tool : {"cmake", "ninja", "ccache", "dot", "python3", "clang++-14"})
    out["tools"][tool] = on_path(tool);
  return out;
}

void print(const Json& r) {
  fmt::print("amble {}  ({}, {})\n", kVersion, kCompiler, kBuildType);
  fmt::print("  build        {}\n",
             kOptimised ? "optimised" : "NOT optimised: times mean nothing, use the release preset");
  fmt::print("  processor    {} cores, {}\n", r["cores"].get<int>(),
             fmt::join(r["instruction_sets"].get<std::vector<std::string>>(), " "));
  for (const auto& [name, version] : r["libraries"].items())
    fmt::print("  {:12} {}\n", name, version.get<std::string>());
  for (const auto& [name, there] : r["tools"].items())
    fmt::print("  {:12} {}\n", name, there.get<bool>() ? "found" : "missing ('./amble test' installs it)");
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "One JSON object on stdout");
  command.callback([json, &run] {
    run = [json] {
      const Json r = report();
      *json ? fmt::print("{}", json_text(r)) : print(r);
      return 0;
    };
  });
}

}  // namespace amble::app
