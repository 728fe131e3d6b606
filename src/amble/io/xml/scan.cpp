#include "amble/io/xml/scan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/limits.hpp"

namespace amble {

namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

/// Encodings whose ASCII characters are not single bytes, told by their marks or by the zero bytes around the
/// first '<'.
std::string_view wide_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (text.starts_with("<\0\0\0"sv) || text.starts_with("\0\0\0<"sv)) return "UTF-32";
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) return "UTF-16";
  if (text.starts_with("<\0"sv) || text.starts_with("\0<"sv)) return "UTF-16";
  return {};
}

/// The length of the UTF-8 sequence at the start of `s`, 0 when there is none: RFC 3629, section 4 (no
/// overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto tail = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned a = byte(0), b = byte(1);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return tail(1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    const unsigned least = a == 0xE0 ? 0xA0 : 0x80, most = a == 0xED ? 0x9F : 0xBF;
    return b >= least && b <= most && tail(2) ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const unsigned least = a == 0xF0 ? 0x90 : 0x80, most = a == 0xF4 ? 0x8F : 0xBF;
    return b >= least && b <= most && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

/// Walks from tag to tag, stepping over comments, character data and processing instructions.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<TextFlaw> flaw() {
    while ((at_ = text_.find('<', at_)) != std::string_view::npos)
      if (auto found = step(); found || at_ == std::string_view::npos) return found;
    return {};
  }

 private:
  bool here(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  void skip_past(std::string_view word) {
    at_ = text_.find(word, at_);
    if (at_ != std::string_view::npos) at_ += word.size();
  }
  /// The position of the '>' that ends the tag at at_; one inside quotes does not.
  std::size_t tag_end() {
    char quote = 0;
    attributes_ = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c, ++attributes_;
      } else if (c == '>') {
        return i;
      }
    }
    return std::string_view::npos;
  }

  std::optional<TextFlaw> step() {
    if (here("<!--")) return skip_past("-->"), std::nullopt;
    if (here("<![CDATA[")) return skip_past("]]>"), std::nullopt;
    if (here("<?")) return skip_past("?>"), std::nullopt;
    if (here("<!")) return declaration();
    return tag();
  }

  std::optional<TextFlaw> declaration() {
    const std::size_t start = at_;
    at_ = tag_end();
    const std::string_view inside = text_.substr(start, at_ == std::string_view::npos ? at_ : at_ - start);
    if (inside.find('[') == std::string_view::npos && !inside.starts_with("<!ENTITY")) return {};
    return TextFlaw{line_of(text_, start), "a document type that declares entities or the like is refused"};
  }

  std::optional<TextFlaw> tag() {
    const std::size_t start = at_;
    const bool closing = here("</");
    at_ = tag_end();
    if (closing) return --depth_, std::nullopt;
    // The parser compares each attribute with all before it.
    if (const std::string breach = limit_breach(Limit::attributes, attributes_, "the number of attributes");
        !breach.empty())
      return TextFlaw{line_of(text_, start), breach};
    if (++elements_ > limit(Limit::elements))
      return TextFlaw{line_of(text_, start),
                      fmt::format("the file has too many elements; {}", limit_text(Limit::elements))};
    if (at_ == std::string_view::npos || text_[at_ - 1] == '/' || ++depth_ <= limit(Limit::xml_nesting))
      return {};
    return TextFlaw{line_of(text_, start),
                    fmt::format("elements are nested too deep; {}", limit_text(Limit::xml_nesting))};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0, elements_ = 0, attributes_ = 0;
};

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(kUtf8Mark) ? text.substr(kUtf8Mark.size()) : text;
}

std::string unsayable_byte(std::string_view name) {
  for (std::size_t i = 0, length = 0; i < name.size(); i += length) {
    const auto byte = static_cast<unsigned char>(name[i]);
    length = utf8_length(name.substr(i));
    if (length == 0 || byte < 0x20 || byte == 0x7F) return fmt::format("\\x{:02X}", byte);
  }
  return {};
}

int line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::optional<TextFlaw> encoding_flaw(std::string_view text) {
  if (const auto wide = wide_encoding(text); !wide.empty())
    return TextFlaw{1, fmt::format("the text is in {}; expected UTF-8", wide)};
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0)
      return TextFlaw{line_of(text, i),
                      fmt::format("byte 0x{:02X} is not UTF-8; is the text in Latin-1 or the like?",
                                  static_cast<unsigned char>(text[i]))};
    if (text[i] == '\0') return TextFlaw{line_of(text, i), "a NUL byte: this is not a text file"};
    i += length;
  }
  return {};
}

std::optional<TextFlaw> xml_flaw(std::string_view text) {
  if (auto flaw = encoding_flaw(text)) return flaw;
  return Scanner(text).flaw();
}

}  // namespace amble
