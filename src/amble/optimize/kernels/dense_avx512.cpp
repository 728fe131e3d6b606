#define AMBLE_INSTRUCTIONS dense_avx512
#define AMBLE_INSTRUCTIONS_NAME "avx512"
#define AMBLE_LANES 8
#include "amble/optimize/kernels/dense.inl"
