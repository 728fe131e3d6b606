#pragma once

#include <vector>

namespace amble {

/// The instruction sets that kernels are compiled for; what a processor has beside these is not used.
enum class InstructionSet { baseline, avx2, avx512 };
const char* name_of(InstructionSet set);

/// All that this machine can run, the best first.
std::vector<InstructionSet> usable_instruction_sets();
/// The best for this machine; AMBLE_INSTRUCTIONS=baseline, avx2 or avx512 in the environment chooses another.
InstructionSet chosen_instruction_set();

}  // namespace amble
