#include "amble/dynamics/kernels/select.hpp"

#include "amble/base/instruction_set.hpp"

namespace amble::kernels {

namespace {

const Kernels& kernels_of(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return kernels_avx512();
  if (set == InstructionSet::avx2) return kernels_avx2();
#endif
  return kernels_baseline();
}

}  // namespace

std::vector<const Kernels*> usable_kernels() {
  std::vector<const Kernels*> usable;
  for (const InstructionSet set : usable_instruction_sets()) usable.push_back(&kernels_of(set));
  return usable;
}

const Kernels& kernels() {
  static const Kernels& chosen = kernels_of(chosen_instruction_set());
  return chosen;
}

}  // namespace amble::kernels
