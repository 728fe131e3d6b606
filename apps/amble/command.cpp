#include "command.hpp"

namespace amble::app {

namespace {

Base base_named(const std::string& word) {
  return word == "fixed" ? Base::fixed : word == "floating" ? Base::floating : Base::from_file;
}

}  // namespace

void add_load_options(CLI::App& command, LoadOptions& options) {
  command
      .add_option_function<std::string>(
          "--base", [&options](const std::string& word) { options.base = base_named(word); },
          "How the root stands in the world: from-file, fixed or floating")
      ->check(CLI::IsMember({"from-file", "fixed", "floating"}).description(""))
      ->type_name("BASE");
  command.add_flag("--strict", options.strict, "Refuse masses and inertias that no body can have instead of warning");
  command
      .add_option_function<std::string>(
          "--mimic", [&options](const std::string& mode) { options.mimic = mode == "follow"; },
          "Joints that follow another: follow (share its coordinate) or free (get their own)")
      ->check(CLI::IsMember({"follow", "free"}).description(""))
      ->type_name("MODE");
  command.add_option("--package-path", options.package_path, "Where package:// and model:// names are looked up")
      ->type_name("DIR");
}

bool has_load_options(const CLI::App& command) {
  const auto given = [&](const char* option) { return command.count(option) > 0; };
  return given("--base") || given("--strict") || given("--mimic") || given("--package-path");
}

CLI::Validator file_name() {
  const auto flaw = [](std::string& name) {
    return std::string(name.empty() ? "the name of the file is empty" : "");
  };
  return CLI::Validator(flaw, "");
}

std::string json_text(const nlohmann::ordered_json& value) {
  // dump() writes null for numbers that are not finite; names that are not UTF-8 get a replacement character.
  return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace amble::app
