#pragma once

#include <string>

namespace amble {

/// An SVG drawing as a PNG picture, by the program rsvg-convert, so many pixels for each of the drawing's.
/// Throws an Error that says what to install when it is missing.
std::string png(const std::string& svg, double scale = 2.0);

}  // namespace amble
