#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amble/base/error.hpp"

namespace amble {

/// An element of a MJCF file after its includes have been put in place. Text and comments carry no meaning in
/// MJCF.
struct MjcfElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<MjcfElement> children;
  std::shared_ptr<const std::string> file;  ///< the file it stands in, which an include makes another one
  int line = 0;

  const std::string* find(std::string_view attribute) const;
  std::string get(std::string_view attribute, const std::string& fallback = {}) const;
  void set(const std::string& attribute, const std::string& value);
  void erase(std::string_view attribute);
  const MjcfElement* child(std::string_view element) const;

  Problem problem(Severity severity, const std::string& reason) const;
};

/// Reads the text, guards it, and puts every `<include file="..."/>` in place. As in MuJoCo, names of
/// included files are relative to the model file, and no file may be included twice. Throws an Error for
/// anything that is not well-formed XML with the root <mujoco>, and for numbers that are NaN (MuJoCo would
/// silently take its defaults).
MjcfElement mjcf_tree(const std::string& text, const std::string& file);

/// The tree as a text with exactly one element per line, so that a line in a message of MuJoCo's finds its
/// element.
struct MjcfText {
  std::string text;
  std::vector<const MjcfElement*> elements;  ///< of line i + 1; pointers into the tree; null for closing tags
};
MjcfText mjcf_text(const MjcfElement& root);

}  // namespace amble
