#pragma once

#include <atomic>
#include <cstdlib>
#include <functional>

// The allocator itself, replaced by one that counts, in every test program that includes this. Sanitizers bring an allocator
// of their own: there this is empty, and AMBLE_COUNTS_ALLOCATIONS is not defined.
#if !defined(__SANITIZE_ADDRESS__)
#define AMBLE_COUNTS_ALLOCATIONS

namespace amble {
inline std::atomic<long> allocations{0};
}

#define AMBLE_REPLACES inline __attribute__((used))  // the same from any number of source files

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

AMBLE_REPLACES void* malloc(std::size_t size) {
  ++amble::allocations;
  return __libc_malloc(size);
}
AMBLE_REPLACES void* calloc(std::size_t count, std::size_t size) {
  ++amble::allocations;
  return __libc_calloc(count, size);
}
AMBLE_REPLACES void* realloc(void* p, std::size_t size) {
  ++amble::allocations;
  return __libc_realloc(p, size);
}
AMBLE_REPLACES void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++amble::allocations;
  return __libc_memalign(alignment, size);
}
}

namespace amble {

/// How often `f` allocates when it is called again.
inline long allocations_of(const std::function<void()>& f) {
  f();  // what happens once, happens now
  const long before = allocations;
  f();
  return allocations - before;
}

}  // namespace amble

#endif
