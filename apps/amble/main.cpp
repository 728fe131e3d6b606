#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"
#include "amble/base/names.hpp"
#include "amble/base/output_file.hpp"
#include "amble/version.hpp"
#include "bench/interrupt.hpp"
#include "command.hpp"

namespace amble::app {

// Every command, in the order of the help text: one line here, one below.
void add_walk(CLI::App& app, Run& run);
void add_inspect(CLI::App& app, Run& run);
void add_simulate(CLI::App& app, Run& run);
void add_gait(CLI::App& app, Run& run);
void add_table(CLI::App& app, Run& run);
void add_geometry(CLI::App& app, Run& run);
void add_bond(CLI::App& app, Run& run);
void add_view(CLI::App& app, Run& run);
void add_verify(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_doctor(CLI::App& app, Run& run);
void add_completion(CLI::App& app, Run& run);

}  // namespace amble::app

using amble::app::kBadInput, amble::app::kFailed;

namespace {

constexpr void (*kCommands[])(CLI::App&, amble::app::Run&) = {
    amble::app::add_walk,   amble::app::add_inspect,  amble::app::add_simulate, amble::app::add_gait,
    amble::app::add_table,  amble::app::add_geometry, amble::app::add_bond,     amble::app::add_view,
    amble::app::add_verify, amble::app::add_bench,    amble::app::add_doctor,   amble::app::add_completion,
};

/// One line, whatever the number of problems, and nothing that a terminal would obey: names come from files.
std::string printable(const std::string& message) {
  std::string out;
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      out += "; ";
    else if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02X}", byte);
    else
      out += c;
  }
  return out;
}

int fail(const std::string& message, int code) {
  fmt::print(stderr, "amble: error: {}\n", printable(message));
  return code;
}

/// The exit code once everything printed has arrived: a full disk shows only here.
int finish(int code) {
  std::cout.flush();
  const bool arrived = std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return arrived ? code : fail("cannot write the output", kFailed);
}

/// --limit NAME=VALUE, before or after the command.
void add_limits(CLI::App& app) {
  const auto apply = [](const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) {
      const std::size_t sign = setting.find('=');
      char* end = nullptr;
      const double value = sign == std::string::npos ? 0.0 : std::strtod(setting.c_str() + sign + 1, &end);
      if (end == nullptr || *end != '\0') throw amble::Error("--limit " + setting + ": expected NAME=NUMBER");
      amble::set_limit(setting.substr(0, sign), value);
    }
  };
  app.add_option_function<std::vector<std::string>>("--limit", apply,
                                                    "Change a limit on input (docs/limits.md)")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  for (CLI::App* command : app.get_subcommands({})) command->fallthrough();
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
  amble::bench::end_tidily_on_signals();
  CLI::App app{"Amble: model, simulate, analyse and control legged robots, with every joule accounted for",
               "amble"};
  app.set_version_flag("--version", std::string("amble ") + amble::kVersion);
  app.require_subcommand(1);
  app.footer(
      "'amble COMMAND --help' explains a command. The launcher ./amble adds: test, build, python.\n"
      "Exit codes: 0 done, 1 the work failed, 2 bad usage or input, 130 interrupted, 143 terminated.");
  amble::app::Run run;
  for (auto add : kCommands) add(app, run);
  add_limits(app);
  if (const std::string message = unknown_command(app, argc, argv); !message.empty())
    return fail(message, kBadInput);
  try {
    app.parse(argc, argv);
  } catch (const amble::Error& e) {
    return fail(e.what(), kBadInput);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return finish(app.exit(e));  // --help, --version
    return fail(std::string(e.what()) + " (see 'amble --help')", kBadInput);
  }
  try {
    return finish(amble::bench::exit_code_of(run()));
  } catch (const amble::OutputFailed& e) {
    return fail(e.what(), kFailed);
  } catch (const amble::Error& e) {
    return fail(e.what(), kBadInput);
  } catch (const std::exception& e) {
    if (std::ferror(stdout) != 0) return finish(kFailed);
    return fail(fmt::format("unexpected: {}", e.what()), kFailed);
  }
}
