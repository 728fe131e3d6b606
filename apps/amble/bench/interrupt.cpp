#include "bench/interrupt.hpp"

#include <unistd.h>

#include <cstring>

#include "amble/base/output_file.hpp"
#include "command.hpp"

namespace amble::bench {

namespace {

constexpr int kOfSignal = 128;  // what shells add to the number of a signal

volatile std::sig_atomic_t noted = 0;  // the signal, or 0

/// Only what is safe within a signal handler.
void print_end(int sign) {
  const char* const text = sign == SIGINT ? "amble: interrupted\n" : "amble: terminated\n";
  const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(ignored);
}

void end(int sign) {
  remove_unfinished_outputs();
  print_end(sign);
  _exit(kOfSignal + sign);
}

/// Nobody reads what is printed: the usual silent end.
void end_by_pipe(int sign) {
  remove_unfinished_outputs();
  std::signal(sign, SIG_DFL);
  std::raise(sign);
}

void note(int sign) {
  if (noted != 0) end(sign);
  noted = sign;
}

/// Returns what was there before.
struct sigaction handle(int sign, void (*handler)(int)) {
  struct sigaction action = {}, before = {};
  action.sa_handler = handler;  // without SA_RESTART: waiting for a child ends too
  sigaction(sign, &action, &before);
  return before;
}

/// Signals that the caller ignores, as nohup does, stay ignored.
void handle_unless_ignored(int sign, void (*handler)(int)) {
  const struct sigaction before = handle(sign, handler);
  if (before.sa_handler == SIG_IGN) sigaction(sign, &before, nullptr);
}

}  // namespace

void end_tidily_on_signals() {
  for (const int sign : {SIGINT, SIGTERM, SIGHUP}) handle_unless_ignored(sign, end);
  handle_unless_ignored(SIGPIPE, end_by_pipe);
  std::signal(SIGXFSZ, SIG_IGN);
}

InterruptGuard::InterruptGuard()
    : interrupt_before_(handle(SIGINT, note)), terminate_before_(handle(SIGTERM, note)) {}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool interrupted() { return noted != 0; }

void check_interrupt() {
  if (interrupted()) throw Interrupted{};
}

int exit_code_of(int code) {
  if (code != app::kInterrupted || !interrupted()) return code;
  print_end(noted);
  return kOfSignal + noted;
}

}  // namespace amble::bench
