#include "bench/machine.hpp"

#include <fstream>
#include <thread>

#include "amble/dynamics/kernels/select.hpp"
#include "build_facts.hpp"

namespace amble::bench {

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown processor";
}

}  // namespace

Machine machine(int core) {
  return {processor_name(), static_cast<int>(std::thread::hardware_concurrency()), core, kernels::kernels().name};
}

Notes build_warnings() {
  Notes out;
  if (!app::kOptimised) out.emplace_back("this build is not optimised: times mean nothing, use the release preset");
  if (app::kAssertions) out.emplace_back("assertions are on and cost time: use the release preset");
#ifdef __SANITIZE_ADDRESS__
  out.emplace_back("this build has sanitizers: times mean nothing, use the release preset");
#endif
  return out;
}

}  // namespace amble::bench
