#pragma once

#include <mutex>

namespace amble {

/// urdfdom and libsdformat print through one handler of the whole process: whoever changes it holds this meanwhile.
std::mutex& console_lock();

}  // namespace amble
