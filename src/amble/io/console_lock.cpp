#include "amble/io/console_lock.hpp"

namespace amble {

std::mutex& console_lock() {
  static std::mutex only;
  return only;
}

}  // namespace amble
