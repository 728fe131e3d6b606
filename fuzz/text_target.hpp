#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "amble/base/error.hpp"

namespace amble {

/// Any text is either read or refused with an amble::Error.
template <class Read>
int fuzz_text(Read read, const std::uint8_t* data, std::size_t size) {
  try {
    read(std::string(reinterpret_cast<const char*>(data), size), "fuzz.toml");
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace amble
