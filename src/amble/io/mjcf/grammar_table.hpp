#pragma once

#include <span>
#include <string_view>

#include "amble/io/mjcf/grammar.hpp"

namespace amble {

/// A row as the table has it. `contexts` are where it may stand, separated by blanks.
///
/// `attributes` are separated by blanks: NAME is a text, NAME:3 three numbers, NAME:1-3 one to three, NAME:*
/// any number of them, NAME:i a whole number, NAME:b `true` or `false`, NAME:a these or `auto`, NAME:x|y|z
/// one of these words. A `~` behind it marks what Amble does not use. `@GROUP` stands for the attributes of a
/// group.
struct MjcfRow {
  std::string_view contexts, name;
  MjcfTag tag;
  std::string_view holds, meaning, attributes;
};
struct MjcfGroup {
  std::string_view name, attributes;
};

std::span<const MjcfRow> mjcf_rows();
std::span<const MjcfGroup> mjcf_groups();

}  // namespace amble
