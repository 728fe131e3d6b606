#pragma once

#include <cstdlib>
#include <string>

#include "amble/base/random.hpp"

namespace amble {

/// AMBLE_DAMAGED_FILES asks for more than the tests have time for.
inline const int kDamagedFiles = [] {
  const char* const asked = std::getenv("AMBLE_DAMAGED_FILES");
  return asked == nullptr ? 400 : std::atoi(asked);
}();

/// The text with a few of its bytes or numbers changed, parts left out, doubled, moved or nested.
inline std::string damaged(std::string text, Random& random) {
  static const char* const kPieces[] = {"[",
                                        "]",
                                        "{",
                                        "}",
                                        "[[",
                                        "]]",
                                        ".",
                                        "=",
                                        ",",
                                        "\n",
                                        "\"",
                                        "'",
                                        "\"\"\"",
                                        "#",
                                        "$",
                                        "(",
                                        ")",
                                        "^",
                                        "/",
                                        "*",
                                        "-",
                                        "0",
                                        "1e308",
                                        "-1e308",
                                        "1e-320",
                                        "nan",
                                        "inf",
                                        "-inf",
                                        "1e18",
                                        "-1",
                                        "9223372036854775807",
                                        "0x7f",
                                        "\xC3",
                                        "x",
                                        "true",
                                        "1979-05-27",
                                        "\\u0000",
                                        "a.b.c"};
  const auto place = [&] {
    return static_cast<std::size_t>(random.integer(0, static_cast<int>(text.size())));
  };
  const auto length = [&] { return static_cast<std::size_t>(random.integer(1, 40)); };
  const auto piece = [&] { return std::string(kPieces[random.integer(0, std::size(kPieces) - 1)]); };
  const auto number = [&] {
    const std::size_t digit = text.find_first_of("0123456789", place());
    if (digit == std::string::npos) return;
    text.replace(digit, text.find_first_not_of("0123456789.e", digit) - digit, piece());
  };
  const auto repeat = [&] {
    const std::string part = random.integer(0, 1) == 0 ? piece() : text.substr(place() / 2, length());
    std::string many;
    for (int i = random.integer(2, random.integer(0, 9) == 0 ? 60'000 : 60); i > 0; --i) many += part;
    text.insert(place(), many);
  };
  for (int i = random.integer(1, 4); i > 0 && !text.empty(); --i) switch (random.integer(0, 6)) {
      case 0:
        text[place() % text.size()] = static_cast<char>(random.integer(0, 255));
        break;
      case 1:
        text.erase(place() % text.size(), length());
        break;
      case 2:
        text.insert(place(), piece());
        break;
      case 3:
        text.insert(place(), text.substr(place() % text.size(), length()));
        break;
      case 4:
        repeat();
        break;
      default:
        number();
    }
  return text;
}

}  // namespace amble
