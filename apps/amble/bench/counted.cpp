#include "bench/counted.hpp"

#include "bench/state.hpp"

extern "C" void amble_bench_counted(const amble::bench::Task& task, int calls) {
  for (int i = 0; i < calls; ++i) task.run(i % amble::bench::kStates);
}
