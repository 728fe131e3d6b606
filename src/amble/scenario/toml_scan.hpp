#pragma once

#include <optional>
#include <string_view>

#include "amble/io/xml/scan.hpp"

namespace amble {

/// What makes a text unsafe to hand to the TOML parser, which calls itself for each level of nesting. Looks
/// at the bytes alone, in one pass: encoding, Limit::toml_nesting (tables of headers, parts of dotted keys,
/// arrays and inline tables together), Limit::elements. Whether the text is TOML is the parser's business.
std::optional<TextFlaw> toml_flaw(std::string_view text);

}  // namespace amble
