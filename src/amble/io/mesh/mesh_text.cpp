#include "amble/io/mesh/mesh_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "amble/base/error.hpp"
#include "amble/io/mesh/mesh_checks.hpp"

namespace amble {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
bool ends_word(char c) { return is_blank(c) || c == '\n'; }

/// The length of a backslash and the end of line after it; 0 where there is none.
std::size_t continued(std::string_view rest) {
  return rest.starts_with("\\\n") ? 2 : rest.starts_with("\\\r\n") ? 3 : 0;
}

}  // namespace

bool MeshText::next_line() {
  if (!std::exchange(started_, true)) return !rest_.empty();
  const std::size_t end = rest_.find('\n');
  rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
  line_ += end != rest_.npos;
  return !rest_.empty();
}

/// Also over the end of a line that a backslash takes away.
void MeshText::skip_blanks() {
  for (;;) {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    if (continued(rest_) == 0) return;
    rest_.remove_prefix(continued(rest_)), ++line_;
  }
}

std::string_view MeshText::word() {
  skip_blanks();
  const auto end = std::find_if(rest_.begin(), rest_.end(), ends_word);
  std::string_view out = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  if (out.size() > 1 && continued(rest_.substr(out.size() - 1)) > 0) out.remove_suffix(1);
  rest_.remove_prefix(out.size());
  return out;
}

std::string_view MeshText::word_anywhere() {
  for (;;) {
    const std::string_view out = word();
    if (!out.empty() || rest_.empty()) return out;
    rest_.remove_prefix(1), ++line_;
  }
}

std::string MeshText::where(int line) const { return fmt::format("{}:{}", file_, line); }

void MeshText::fail(const std::string& reason) const { throw Error(fmt::format("{}: {}", where(), reason)); }

double read_coordinate(const MeshText& text, std::string_view word) {
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  double x = 0.0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
  if (status != std::errc{} || end != digits.data() + digits.size())
    text.fail(word.empty() ? "a vertex has fewer than 3 coordinates"
                           : fmt::format("'{}' is not a number; expected a coordinate", shown(word)));
  const Vector3<double> alone(x, 0.0, 0.0);
  if (!is_usable(alone)) check_vertex(alone, text.where());
  return x;
}

std::string shown(std::string_view text, std::size_t most) {
  std::string out(text.substr(0, most));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > most ? out + "..." : out;
}

}  // namespace amble
