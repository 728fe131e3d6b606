#pragma once

#include <csignal>

namespace amble::bench {

/// Thrown where a measurement ends because of Ctrl-C.
struct Interrupted {};

/// While it lives, Ctrl-C is noted instead of ending the program.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

 private:
  struct sigaction before_;
};

bool interrupted();
/// Throws Interrupted when Ctrl-C was pressed.
void check_interrupt();

}  // namespace amble::bench
