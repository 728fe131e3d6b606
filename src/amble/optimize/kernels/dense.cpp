#include "amble/optimize/kernels/dense.hpp"

#include "amble/base/instruction_set.hpp"

namespace amble::dense {

namespace {

const DenseKernels& kernels_of([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return dense_avx512();
  if (set == InstructionSet::avx2) return dense_avx2();
#endif
  return dense_baseline();
}

}  // namespace

const DenseKernels& dense_kernels() {
  static const DenseKernels& chosen = kernels_of(chosen_instruction_set());
  return chosen;
}

}  // namespace amble::dense
