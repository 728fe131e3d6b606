#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/version.hpp"
#include "command.hpp"

namespace {

// Every command, one line each, in the order of the help text.
constexpr void (*kCommands[])(CLI::App&, amble::app::Run&) = {
    amble::app::add_inspect,
    amble::app::add_verify,
    amble::app::add_doctor,
    amble::app::add_completion,
};

constexpr int kFailed = 1, kBadInput = 2;

int fail(std::string message, int code) {
  // One line, whatever the number of problems: scripts and people read the same thing.
  for (std::size_t at; (at = message.find('\n')) != std::string::npos;) message.replace(at, 1, "; ");
  fmt::print(stderr, "amble: error: {}\n", message);
  return code;
}

/// The message for a first word that is no command, or nothing.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return {};
  return fmt::format("there is no command '{}'{}; commands: {}", argv[1], amble::suggestion(argv[1], names),
                     fmt::join(names, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Amble: model, simulate, analyse and control legged robots, with every joule accounted for", "amble"};
  app.set_version_flag("--version", std::string("amble ") + amble::kVersion);
  app.require_subcommand(1);
  app.footer(
      "'amble COMMAND --help' explains a command. The launcher ./amble adds: test, build, python.\n"
      "Exit codes: 0 done, 1 the work failed, 2 bad usage or input.");
  amble::app::Run run;
  for (auto add : kCommands) add(app, run);
  if (const std::string message = unknown_command(app, argc, argv); !message.empty()) return fail(message, kBadInput);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    return fail(std::string(e.what()) + " (see 'amble --help')", kBadInput);
  }
  try {
    return run();
  } catch (const amble::Error& e) {
    return fail(e.what(), kBadInput);
  } catch (const std::exception& e) {
    return fail(fmt::format("unexpected: {}", e.what()), kFailed);
  }
}
