#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "amble/base/error.hpp"
#include "amble/io/readers.hpp"
#include "amble/mechanism/mechanism.hpp"

// Any bytes either read as a mechanism or are refused with an amble::Error. Anything else - another exception, a crash,
// a hang, a sanitizer's report - is a finding.
namespace amble {

using ModelReader = ModelDescription (*)(const std::string&, const std::string&, const LoadOptions&);

inline int fuzz_reader(ModelReader read, const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    compile(read(text, "fuzz", {}), Physics::warn).neutral();
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace amble
