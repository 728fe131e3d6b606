#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "amble/io/urdf/parts.hpp"
#include "amble/io/urdf/quirks.hpp"

// xacro is a language of macros that makes URDF. Its own program expands it; half of it read here would be
// worse than none.
namespace amble {

namespace {

using tinyxml2::XMLElement;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// They stand for nothing until something uses them.
bool is_definition(const XMLElement& e) {
  return is_one_of(e.Name(), {"xacro:macro", "xacro:property", "xacro:arg"});
}

/// Elements of other programs, which are not read.
bool is_foreign(const XMLElement& e) {
  return is_one_of(e.Name(), {"gazebo", "transmission", "ros2_control"});
}

/// Files that are named by substitution are files that are not found.
bool is_substituted(const tinyxml2::XMLAttribute& a) {
  const std::string_view value = a.Value();
  return std::string_view(a.Name()) != "filename" &&
         (value.find("${") != value.npos || value.find("$(") != value.npos);
}

class MacroSearch {
 public:
  explicit MacroSearch(XmlReader& xml) : xml_(xml) {}

  void visit(const XMLElement& element) {
    for (const auto* a = element.FirstAttribute(); a != nullptr; a = a->Next())
      if (is_substituted(*a))
        refuse(element, fmt::format("{}=\"{}\" of <{}>", a->Name(), a->Value(), element.Name()));
    for (const auto* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      if (is_definition(*e))
        report_quirk(xml_, *e, UrdfQuirk::xacro_definition);
      else if (std::string_view(e->Name()).starts_with("xacro:"))
        refuse(*e, fmt::format("<{}>", e->Name()));
      else if (!is_foreign(*e))
        visit(*e);
    }
  }

 private:
  [[noreturn]] void refuse(const XMLElement& at, std::string what) const {
    constexpr std::size_t kMostShown = 80;
    if (what.size() > kMostShown) what = what.substr(0, kMostShown) + "...";
    std::string name = std::filesystem::path(xml_.file()).filename().string();
    if (name.ends_with(".xacro")) name.resize(name.size() - 6);
    if (name.ends_with(".urdf")) name.resize(name.size() - 5);
    throw Error(Problem{
        Severity::error, xml_.file(), at.GetLineNum(), "robot",
        fmt::format("{} is xacro, which has to be expanded to URDF first: xacro {} > {}_expanded.urdf", what,
                    xml_.file(), name)}
                    .text());
  }

  XmlReader& xml_;
};

}  // namespace

void check_macros(XmlReader& xml, const XMLElement& robot) { MacroSearch(xml).visit(robot); }

}  // namespace amble
