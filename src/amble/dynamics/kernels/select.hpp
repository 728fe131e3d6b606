#pragma once

#include <vector>

#include "amble/dynamics/kernels/kernels.hpp"

namespace amble::kernels {

/// The best for this machine; AMBLE_INSTRUCTIONS=baseline, avx2 or avx512 in the environment chooses another.
const Kernels& kernels();
/// All that this machine can run, the best first.
std::vector<const Kernels*> usable_kernels();

}  // namespace amble::kernels
