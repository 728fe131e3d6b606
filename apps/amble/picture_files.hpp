#pragma once

#include <CLI/App.hpp>
#include <string>

namespace amble::app {

/// Where a drawing goes: --svg and --png.
struct PictureFiles {
  std::string svg, png;
  bool wanted() const { return !svg.empty() || !png.empty(); }
  /// Throws an Error for a file that cannot be written, or when PNG cannot be made here.
  void write(const std::string& drawing) const;
};

/// `what` is drawn, as "the bifurcation diagram".
void add_picture_options(CLI::App& command, PictureFiles& files, const std::string& what);

}  // namespace amble::app
