#pragma once

#include <string>

#include "amble/base/error.hpp"

namespace amble {

/// What the Error says that `f` throws; empty when it throws none.
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace amble
