#define AMBLE_INSTRUCTIONS dense_avx2
#define AMBLE_INSTRUCTIONS_NAME "avx2"
#define AMBLE_LANES 4
#include "amble/optimize/kernels/dense.inl"
