#include "bench/interrupt.hpp"

namespace amble::bench {

namespace {

volatile std::sig_atomic_t pressed = 0;

void note_interrupt(int) { pressed = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action = {};
  action.sa_handler = note_interrupt;  // without SA_RESTART: waiting for a child ends too
  sigaction(SIGINT, &action, &before_);
}

InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }

bool interrupted() { return pressed != 0; }

void check_interrupt() {
  if (interrupted()) throw Interrupted{};
}

}  // namespace amble::bench
