#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/io/mjcf/grammar.hpp"

namespace amble {

/// An element of a MJCF file after its includes have been put in place. Text and comments carry no meaning in
/// MJCF.
struct MjcfElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<MjcfElement> children;
  std::shared_ptr<const std::string> file;  ///< the file it stands in, which an include makes another one
  int line = 0;
  MjcfTag tag = MjcfTag::unknown;  ///< set by check_mjcf(), as is the rule
  const MjcfRule* rule = nullptr;
  int model = 0;  ///< whose settings, classes and assets hold: 0, or that of an attached model

  const std::string* find(std::string_view attribute) const;
  std::string get(std::string_view attribute, const std::string& fallback = {}) const;
  void set(const std::string& attribute, const std::string& value);
  void erase(std::string_view attribute);
  const MjcfElement* child(std::string_view element) const;

  Problem problem(Severity severity, const std::string& reason) const;
};

/// What all files of a model take together.
struct MjcfBudget {
  std::size_t bytes = 0;
  int elements = 0, files = 0;
};

/// Reads the text, guards it, and puts every `<include file="..."/>` in place. Names of included files are
/// relative to the model file, or else to the file that includes; no file may be included twice. What
/// MuJoCo's parser lets pass is let pass with a warning: elements after the root element. Throws an Error for
/// anything else that is not well-formed XML with the root <mujoco>.
MjcfElement mjcf_tree(const std::string& text, const std::string& file, MjcfBudget& budget,
                      Problems& findings);

/// Throws an Error with `reason` at the element.
[[noreturn]] void refuse(const MjcfElement& element, const std::string& reason);

}  // namespace amble
