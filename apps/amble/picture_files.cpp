#include "picture_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/report/plot.hpp"
#include "amble/report/png.hpp"
#include "command.hpp"

namespace amble::app {

void PictureFiles::write(const std::string& drawing) const {
  if (!svg.empty()) write_text_file(svg, drawing);
  if (!png.empty()) write_text_file(png, amble::png(drawing));
}

void make_folder(const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw Error(fmt::format("{}: the folder cannot be made: {}", folder, problem.message()));
}

PictureFolder::PictureFolder(std::string folder) : folder_(std::move(folder)) { make_folder(folder_); }

void PictureFolder::write(const std::string& name, const std::string& drawing) const {
  const std::filesystem::path path = std::filesystem::path(folder_) / name;
  PictureFiles{.svg = path.string() + ".svg", .png = path.string() + ".png"}.write(drawing);
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
