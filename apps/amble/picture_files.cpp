#include "picture_files.hpp"

#include <fmt/format.h>

#include "amble/report/plot.hpp"
#include "amble/report/png.hpp"
#include "command.hpp"

namespace amble::app {

void PictureFiles::write(const std::string& drawing) const {
  if (!svg.empty()) write_text(svg, drawing);
  if (!png.empty()) write_text(png, amble::png(drawing));
}

void add_picture_options(CLI::App& command, PictureFiles& files, const std::string& what) {
  command.add_option("--svg", files.svg, fmt::format("Draw {} to this file (SVG)", what))
      ->type_name("FILE")
      ->check(file_name());
  command.add_option("--png", files.png, "The same as a picture (PNG); needs rsvg-convert")
      ->type_name("FILE")
      ->check(file_name());
}

}  // namespace amble::app
