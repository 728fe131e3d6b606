#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "amble/io/options.hpp"

// A command is a module that the program opens when it is asked for (main.cpp), so that ./amble builds only
// what the command at hand needs.
namespace amble::app {

/// Exit codes beside 0: the work was done and has failed, it could not begin, it was stopped by Ctrl-C or
/// SIGTERM, which `main` makes 143 of.
inline constexpr int kFailed = 1, kBadInput = 2, kInterrupted = 130;

using Run = std::function<int()>;

/// Every module defines this: the options, the help and what the command does. It sets `run`, which returns
/// the exit code; bad input throws amble::Error.
extern "C" void amble_command(CLI::App& command, Run& run);

/// Options of every command that reads a model file, in one place: --base, --strict, --mimic, --package-path.
void add_load_options(CLI::App& command, LoadOptions& options);
/// True when any of them was given.
bool has_load_options(const CLI::App& command);

/// For options that name a file: an empty name, such as an unset variable of a script leaves, is refused.
CLI::Validator file_name();

/// JSON for stdout: no NaN or infinity, which JSON does not have, but null.
std::string json_text(const nlohmann::ordered_json& value);

}  // namespace amble::app
