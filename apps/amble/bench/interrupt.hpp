#pragma once

#include <csignal>

namespace amble::bench {

/// Thrown where a measurement ends because of Ctrl-C.
struct Interrupted {};

/// For the whole program: signals that end it leave no unfinished output behind, and one line that says so; a limit on
/// the size of files is an error of writing, not an end.
void end_tidily_on_signals();

/// While it lives, Ctrl-C and SIGTERM are noted instead of ending the program; a second one ends it.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

 private:
  struct sigaction interrupt_before_, terminate_before_;
};

bool interrupted();
/// Throws Interrupted when Ctrl-C was pressed.
void check_interrupt();

/// The exit code of a command that returned `code`. One that was interrupted gets its line on stderr, and 130 after
/// Ctrl-C, 143 after SIGTERM.
int exit_code_of(int code);

}  // namespace amble::bench
