#define AMBLE_INSTRUCTIONS dense_baseline
#define AMBLE_INSTRUCTIONS_NAME "baseline"
#define AMBLE_LANES 2
#include "amble/optimize/kernels/dense.inl"
