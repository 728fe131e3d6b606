#define AMBLE_INSTRUCTIONS kernels_baseline
#define AMBLE_INSTRUCTIONS_NAME "baseline"
#define AMBLE_LANES 2
#include "amble/dynamics/kernels/kernel.inl"
