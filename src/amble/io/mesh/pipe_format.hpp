#pragma once

#include <cstdint>

// What a program that reads a mesh for Amble writes, byte for byte, and nothing else: this header; then the
// vertices, three doubles each; then the triangles, three std::int32_t each. Used on both sides of the pipe.
namespace amble {

struct MeshMessageHeader {
  static constexpr std::uint64_t kMagic = 0x3148534d4c424d41;  // "AMBLMSH1"
  static constexpr std::uint64_t kMesh = 0, kReason = 1;

  std::uint64_t magic = kMagic;
  std::uint64_t content = kMesh;
  std::uint64_t vertices = 0;  ///< of a reason: the bytes of its text, which follow in place of the lists
  std::uint64_t triangles = 0;
};
static_assert(sizeof(MeshMessageHeader) == 32);

/// How the helper program ends when it needs more memory than it may take.
inline constexpr int kOutOfMemoryExit = 3;

#if defined(__has_feature)
#define AMBLE_HAS_FEATURE(name) __has_feature(name)  // clang's word
#else
#define AMBLE_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || AMBLE_HAS_FEATURE(address_sanitizer) || \
    AMBLE_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kHelperBoundsMemory = false;  // the sanitizers reserve terabytes of addresses
#else
inline constexpr bool kHelperBoundsMemory = true;
#endif
#undef AMBLE_HAS_FEATURE

}  // namespace amble
