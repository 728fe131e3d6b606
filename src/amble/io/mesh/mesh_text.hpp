#pragma once

#include <string>
#include <string_view>

#include "amble/geometry/vector.hpp"

namespace amble {

/// The words of a text format, by lines. A backslash at the end of a line continues it.
class MeshText {
 public:
  MeshText(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  /// Goes to the start of the next line, the first one at first. False at the end.
  bool next_line();
  /// The next word of this line; empty at its end.
  std::string_view word();
  /// The next word of this line or a later one; empty at the end.
  std::string_view word_anywhere();

  int line() const { return line_; }
  /// The position for messages, `file:line`, of this line or another.
  std::string where() const { return where(line_); }
  std::string where(int line) const;
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  void skip_blanks();

  std::string_view rest_;
  std::string file_;
  int line_ = 1;
  bool started_ = false;
};

/// Three words as a vertex; they come from `next`. Throws an Error for what is no number, not finite or
/// beyond Limit::length.
template <class Next>
Vector3<double> read_vertex(const MeshText& text, Next next);

/// One word as a coordinate.
double read_coordinate(const MeshText& text, std::string_view word);

/// Text of a file in a message: printable and short.
std::string shown(std::string_view text, std::size_t most = 40);

template <class Next>
Vector3<double> read_vertex(const MeshText& text, Next next) {
  Vector3<double> out;
  for (int i = 0; i < 3; ++i) out[i] = read_coordinate(text, next());
  return out;
}

}  // namespace amble
