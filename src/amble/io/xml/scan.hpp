#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace amble {

/// Why a text is not safe to hand to a parser, and on which line.
struct TextFlaw {
  int line = 0;
  std::string reason;
};

/// The line, from 1, of the byte at `at`.
int line_of(std::string_view text, std::size_t at);

/// Bytes that are not UTF-8, or are NUL.
std::optional<TextFlaw> encoding_flaw(std::string_view text);

/// Looks at the bytes alone, in one pass and constant memory: encoding, NUL bytes, declarations in a document
/// type, Limit::xml_nesting, Limit::elements. Whether the markup is well formed is the parser's business.
std::optional<TextFlaw> xml_flaw(std::string_view text);

/// The first byte of a name that no XML attribute can keep, as `\x01`: control characters, which XML does not have or
/// makes blanks of, and what is not UTF-8. Empty when there is none.
std::string unsayable_byte(std::string_view name);

/// The text after a UTF-8 byte order mark, if it starts with one.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace amble
