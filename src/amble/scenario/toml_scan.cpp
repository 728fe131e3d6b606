#include "amble/scenario/toml_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "amble/base/limits.hpp"

namespace amble {

namespace {

/// Walks over the marks that nest, stepping over strings and comments. What it makes of a text up to the
/// first error in it is right; the parser goes no further than that.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<TextFlaw> flaw() {
    for (; at_ < text_.size(); ++at_) {
      step();
      if (depth_ > limit(Limit::toml_nesting))
        return flaw_here("tables are nested too deep", Limit::toml_nesting);
      if (elements_ > limit(Limit::elements)) return flaw_here("there are too many values", Limit::elements);
    }
    return {};
  }

 private:
  /// An array or an inline table that is open, and how deep what is around it stands.
  struct Bracket {
    bool table;
    int depth;
  };

  TextFlaw flaw_here(const char* what, Limit which) const {
    return {line_of(text_, at_), fmt::format("{}; {}", what, limit_text(which))};
  }

  void step() {
    const char c = text_[at_];
    if (c == '\n') return end_line();
    if (c == ' ' || c == '\t' || c == '\r') return;
    if (c == '#') return skip_comment();
    if (c == '"' || c == '\'') skip_string(c);
    if (c == '.' && in_key_) ++depth_;
    if (c == '=') in_key_ = false, ++elements_;
    if (c == ',') next_entry(), ++elements_;
    if (c == '[' && starts_line_) {
      start_header();
    } else if (c == '[' || c == '{') {
      open(c == '{');
    }
    if (c == ']' || c == '}') close();
    starts_line_ = false;
  }

  /// Keys at the start of a line stand in the table of the last header.
  void end_line() {
    if (!brackets_.empty()) return;
    if (in_header_) header_depth_ = depth_, in_header_ = false;
    depth_ = header_depth_, in_key_ = starts_line_ = true;
  }

  void start_header() {
    const bool array = at_ + 1 < text_.size() && text_[at_ + 1] == '[';
    if (array) ++at_;
    depth_ = array ? 2 : 1;
    in_header_ = in_key_ = true;
    ++elements_;
  }

  void open(bool table) {
    brackets_.push_back({table, depth_});
    start_entry();
  }
  void next_entry() {
    if (!brackets_.empty()) start_entry();
  }
  void start_entry() { depth_ = brackets_.back().depth + 1, in_key_ = brackets_.back().table; }
  void close() {
    in_key_ = false;
    if (brackets_.empty()) return;
    depth_ = brackets_.back().depth;
    brackets_.pop_back();
  }

  /// To the last byte before the end of the line.
  void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()) - 1; }

  /// To the quote that ends the string; a string of one line ends with it, too.
  void skip_string(char quote) {
    const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
    const bool long_one = text_.substr(at_).starts_with(three);
    for (at_ += long_one ? 3 : 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (text_[at_] == '\n' && !long_one) {
        --at_;
        return;
      } else if (text_[at_] == quote && (!long_one || text_.substr(at_).starts_with(three))) {
        return skip_last_quotes(quote, long_one);
      }
    }
  }
  /// A long string may have two quotes before the three that end it.
  void skip_last_quotes(char quote, bool long_one) {
    if (!long_one) return;
    at_ += 2;
    for (int more = 0; more < 2 && at_ + 1 < text_.size() && text_[at_ + 1] == quote; ++more) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Bracket> brackets_;                    // no more than the nesting allows
  int depth_ = 0, header_depth_ = 0, elements_ = 0;  // depth: tables and arrays around a value
  bool starts_line_ = true, in_key_ = true, in_header_ = false;
};

}  // namespace

std::optional<TextFlaw> toml_flaw(std::string_view text) {
  if (auto flaw = encoding_flaw(text)) return flaw;
  return Scanner(text).flaw();
}

}  // namespace amble
