#include "amble/recording/hdf5/lookup3.hpp"

#include <algorithm>
#include <bit>

namespace amble::hdf5 {

namespace {

struct State {
  std::uint32_t a, b, c;
};

void mix(State& s) {
  std::uint32_t* const x[] = {&s.a, &s.b, &s.c};
  constexpr int kTurns[] = {4, 6, 8, 16, 19, 4};
  for (int i = 0; i < 6; ++i) {
    std::uint32_t &first = *x[i % 3], &second = *x[(i + 1) % 3], &third = *x[(i + 2) % 3];
    first = (first - third) ^ std::rotl(third, kTurns[i]);
    third += second;
  }
}

void finish(State& s) {
  std::uint32_t* const x[] = {&s.c, &s.a, &s.b};
  constexpr int kTurns[] = {14, 11, 25, 16, 4, 14, 24};
  for (int i = 0; i < 7; ++i) {
    std::uint32_t &first = *x[i % 3], &last = *x[(i + 2) % 3];
    first = (first ^ last) - std::rotl(last, kTurns[i]);
  }
}

/// Up to four bytes, the lowest first.
std::uint32_t word(const unsigned char* bytes, std::size_t count) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 4); ++i) out |= std::uint32_t{bytes[i]} << 8 * i;
  return out;
}

void add(State& s, const unsigned char* bytes, std::size_t count) {
  s.a += word(bytes, count);
  if (count > 4) s.b += word(bytes + 4, count - 4);
  if (count > 8) s.c += word(bytes + 8, count - 8);
}

}  // namespace

std::uint32_t lookup3(const unsigned char* bytes, std::size_t size) {
  const std::uint32_t start = 0xdeadbeef + static_cast<std::uint32_t>(size);
  State s{start, start, start};
  if (size == 0) return s.c;
  for (; size > 12; bytes += 12, size -= 12) {
    add(s, bytes, 12);
    mix(s);
  }
  add(s, bytes, size);
  finish(s);
  return s.c;
}

}  // namespace amble::hdf5
