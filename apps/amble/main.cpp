#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <span>
#include <stdexcept>

#include "amble/base/error.hpp"
#include "amble/base/library_part.hpp"
#include "amble/base/limits.hpp"
#include "amble/base/names.hpp"
#include "amble/base/output_file.hpp"
#include "amble/version.hpp"
#include "bench/interrupt.hpp"
#include "command.hpp"

using amble::app::kBadInput, amble::app::kFailed;

namespace {

struct Command {
  const char *name, *summary;
};

// Every command, in the order of the help text; the module of each is amble_NAME.so.
constexpr Command kCommands[] = {
    {"walk", "Find a gait, judge its stability, walk it, account for every joule"},
    {"inspect", "What is in a model file: tree, joints, masses, loops, problems"},
    {"simulate", "Run a scenario file: the motion, its energy ledger, the checks that the file asks for"},
    {"gait",
     "Gaits: all cycles of a walker, how they change, where they attract; efficient gaits and designs"},
    {"table", "Regenerate a table of the monograph (DS) from cold starts, beside the printed one"},
    {"geometry", "Geometry of a mechanism: curvature, geodesics, lifts of tasks, drift over loops, screws"},
    {"bond", "A bond graph file: causality, equations, simulation with its energy ledger, drawing"},
    {"view", "Look at a recording in a browser: live from a local address, or as one HTML file"},
    {"verify", "Published and closed-form results, rerun: reference, ours, error"},
    {"bench", "How fast every function is here, beside other libraries on the same robots"},
    {"doctor", "What is installed, what is missing, what is slow here"},
    {"help", "Find commands, options, Python names, terms and pages by words that you know"},
    {"completion", "Shell completion: eval \"$(amble completion)\" in bash"},
};

/// Adds a command's options. Throws std::runtime_error where its module is missing.
void open(const char* name, CLI::App& command, amble::app::Run& run) {
  const std::string module = amble::detail::library_part(fmt::format("amble_{}.so", name));
  void* entry = nullptr;
  if (void* handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr)
    entry = dlsym(handle, "amble_command");
  if (entry == nullptr)
    throw std::runtime_error(fmt::format("the command '{}' cannot be loaded: {}", name, dlerror()));
  reinterpret_cast<decltype(&amble::app::amble_command)>(entry)(command, run);
}

/// The same for its options alone: nothing where ./amble has not built the module yet.
void open_if_built(const char* name, CLI::App& command) {
  amble::app::Run unused;
  try {
    open(name, command, unused);
  } catch (const std::runtime_error&) {
  }
}

/// The commands by name; the one that argv asks for has its options, for `completion` all have, and for `help` those that are
/// built.
void add_commands(CLI::App& app, amble::app::Run& run, std::span<char*> arguments) {
  const auto is_command = [](std::string_view word) {
    return std::ranges::any_of(kCommands, [&](const Command& c) { return word == c.name; });
  };
  const auto asked = std::ranges::find_if(arguments, is_command);
  const std::string_view wanted = asked == arguments.end() ? "" : *asked;
  for (const auto& [name, summary] : kCommands) {
    CLI::App* command = app.add_subcommand(name, summary);
    if (wanted == name || wanted == "completion") open(name, *command, run);
    if (wanted == "help" && wanted != name) open_if_built(name, *command);
  }
}

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
  try {
    add_commands(app, run, std::span(argv, argc).subspan(1));
  } catch (const std::runtime_error& e) {
    return fail(e.what(), kFailed);
  }
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
