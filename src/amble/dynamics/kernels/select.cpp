#include "amble/dynamics/kernels/select.hpp"

#include <cstdlib>
#include <string>

#include "amble/base/error.hpp"

namespace amble::kernels {

namespace {

#if defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("fma");
}
#endif

const Kernels& choose() {
  const std::vector<const Kernels*> usable = usable_kernels();
  const char* wanted = std::getenv("AMBLE_INSTRUCTIONS");
  if (wanted == nullptr) return *usable.front();
  std::string names;
  for (const Kernels* k : usable) {
    if (std::string(wanted) == k->name) return *k;
    names += std::string(names.empty() ? "" : ", ") + k->name;
  }
  throw Error(std::string("AMBLE_INSTRUCTIONS is '") + wanted + "'; this machine has " + names);
}

}  // namespace

std::vector<const Kernels*> usable_kernels() {
  std::vector<const Kernels*> usable;
#if defined(__x86_64__)
  if (has_avx512()) usable.push_back(&kernels_avx512());
  if (has_avx2()) usable.push_back(&kernels_avx2());
#endif
  usable.push_back(&kernels_baseline());
  return usable;
}

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace amble::kernels
