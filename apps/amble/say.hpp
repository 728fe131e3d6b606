#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace amble::app {

/// A text in which nothing but line ends is obeyed by a terminal: names come from files.
inline std::string printable_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7F)
      out += fmt::format("\\x{:02X}", byte);
    else
      out += c;
  }
  return out;
}

/// Prints on stdout what has names from files in it.
template <class... T>
void say(fmt::format_string<T...> format, T&&... values) {
  std::fputs(printable_lines(fmt::format(format, std::forward<T>(values)...)).c_str(), stdout);
}

}  // namespace amble::app
