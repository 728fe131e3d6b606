#include "command.hpp"

#include <map>

namespace amble::app {

void add_load_options(CLI::App& command, LoadOptions& options) {
  static const std::map<std::string, Base> bases{
      {"from-file", Base::from_file}, {"fixed", Base::fixed}, {"floating", Base::floating}};
  command.add_option("--base", options.base, "How the root stands in the world: from-file, fixed or floating")
      ->transform(CLI::CheckedTransformer(bases).description(""))
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

std::string json_text(const nlohmann::ordered_json& value) {
  // dump() writes null for numbers that are not finite; names that are not UTF-8 get a replacement character.
  return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace amble::app
