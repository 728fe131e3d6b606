#include <fmt/format.h>

#include <cstdio>

#include "command.hpp"

namespace amble::app {

namespace {

std::string words_of(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) words += " --" + name;
  return words;
}

/// A bash function made from the commands and options as they are, so it cannot fall behind.
void print_bash(const CLI::App& app) {
  std::string commands = "test build python";
  for (const CLI::App* command : app.get_subcommands({})) commands += " " + command->get_name();
  fmt::print("_amble() {{\n  local word=\"${{COMP_WORDS[COMP_CWORD]}}\"\n  case \"${{COMP_WORDS[1]}}\" in\n");
  for (const CLI::App* command : app.get_subcommands({}))
    fmt::print("    {}) [[ $COMP_CWORD -gt 1 ]] && words=\"{}\" ;;\n", command->get_name(),
               words_of(*command));
  fmt::print("    *) words=\"{}{}\" ;;\n  esac\n", commands, words_of(app));
  fmt::print("  [[ $COMP_CWORD -eq 1 ]] && words=\"{}{}\"\n", commands, words_of(app));
  fmt::print("  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}}\n");
  fmt::print("complete -o default -F _amble amble ./amble\n");
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  command.callback([&command, &run] {
    run = [&app = *command.get_parent()] {
      print_bash(app);
      return 0;
    };
  });
}

}  // namespace amble::app
