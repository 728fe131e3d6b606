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

/// A folder of drawings, each as SVG and as PNG.
class PictureFolder {
 public:
  /// Makes the folder; throws an Error that names it when that fails.
  explicit PictureFolder(std::string folder);
  void write(const std::string& name, const std::string& drawing) const;

 private:
  std::string folder_;
};

/// Makes a folder, with those above it; throws an Error that names it.
void make_folder(const std::string& folder);

/// `what` is drawn, as "the bifurcation diagram".
void add_picture_options(CLI::App& command, PictureFiles& files, const std::string& what);

}  // namespace amble::app
