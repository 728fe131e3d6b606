#define AMBLE_INSTRUCTIONS kernels_avx2
#define AMBLE_INSTRUCTIONS_NAME "avx2"
#define AMBLE_LANES 4
#include "amble/dynamics/kernels/kernel.inl"
