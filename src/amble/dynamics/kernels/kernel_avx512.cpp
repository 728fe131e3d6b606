#define AMBLE_INSTRUCTIONS kernels_avx512
#define AMBLE_INSTRUCTIONS_NAME "avx512"
#define AMBLE_LANES 8
#include "amble/dynamics/kernels/kernel.inl"
