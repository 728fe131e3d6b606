#include "amble/io/xml/numbers.hpp"

#include <fmt/format.h>

#include <charconv>

namespace amble {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// Takes the first word off the front of `text`; empty when only blanks are left.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

std::optional<double> parse_word(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0.0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc{} || end != word.data() + word.size()) return {};
  return value;
}

}  // namespace

std::optional<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    const auto number = parse_word(word);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<double> parse_number(std::string_view text) {
  const std::string_view word = take_word(text);
  return take_word(text).empty() ? parse_word(word) : std::nullopt;
}

std::string format_number(double number) { return fmt::format("{}", number); }

}  // namespace amble
