#include "amble/report/png.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/ports/bonds/layout.hpp"

namespace amble {

std::string png(const std::string& svg, double scale) {
  try {
    return output_of({"rsvg-convert", "--format", "png", "--zoom", fmt::format("{}", scale),
                      "--background-color", "white"},
                     svg);
  } catch (const Error& e) {
    throw Error(fmt::format("a PNG picture cannot be made: {} (Debian has it in the package librsvg2-bin)",
                            e.what()));
  }
}

}  // namespace amble
