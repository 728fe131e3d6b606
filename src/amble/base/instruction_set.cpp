#include "amble/base/instruction_set.hpp"

#include <cstdlib>
#include <string>

#include "amble/base/error.hpp"

namespace amble {

namespace {

#if defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}
#endif

InstructionSet choose() {
  const std::vector<InstructionSet> usable = usable_instruction_sets();
  const char* wanted = std::getenv("AMBLE_INSTRUCTIONS");
  if (wanted == nullptr) return usable.front();
  std::string names;
  for (const InstructionSet set : usable) {
    if (std::string(wanted) == name_of(set)) return set;
    names += std::string(names.empty() ? "" : ", ") + name_of(set);
  }
  throw Error(std::string("AMBLE_INSTRUCTIONS is '") + wanted + "'; this machine has " + names);
}

}  // namespace

const char* name_of(InstructionSet set) {
  constexpr const char* kNames[] = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<int>(set)];
}

std::vector<InstructionSet> usable_instruction_sets() {
  std::vector<InstructionSet> usable;
#if defined(__x86_64__)
  if (has_avx512()) usable.push_back(InstructionSet::avx512);
  if (has_avx2()) usable.push_back(InstructionSet::avx2);
#endif
  usable.push_back(InstructionSet::baseline);
  return usable;
}

InstructionSet chosen_instruction_set() {
  static const InstructionSet chosen = choose();
  return chosen;
}

}  // namespace amble
