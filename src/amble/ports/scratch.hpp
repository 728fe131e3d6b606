#pragma once

#include "amble/base/owned.hpp"

namespace amble {

/// Room for `size` numbers, zero, of this thread: elements are immutable and shared, and allocate nothing in steps.
/// `slot` tells rooms apart that are used at once.
inline OwnedVector& scratch(int slot, Eigen::Index size) {
  thread_local OwnedVector rooms[3];
  OwnedVector& room = rooms[slot];
  if (room.size() != size) room = OwnedVector(size);
  room.setZero();
  return room;
}

}  // namespace amble
