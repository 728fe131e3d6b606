#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amble {

/// The number that the whole of `text` says, blanks around it aside; nothing when it says anything else. The
/// point is the decimal sign whatever the locale. "inf" and "nan" are numbers here; who reads them must
/// decide.
std::optional<double> parse_number(std::string_view text);

/// Numbers separated by blanks.
std::optional<std::vector<double>> parse_numbers(std::string_view text);

/// The shortest text that reads back to the same bits.
std::string format_number(double number);
template <class Vector>
std::string format_numbers(const Vector& numbers) {
  std::string out;
  for (auto i = 0 * numbers.size(); i < numbers.size(); ++i)
    out += (i > 0 ? " " : "") + format_number(numbers[i]);
  return out;
}

}  // namespace amble
