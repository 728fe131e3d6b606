#include "amble/io/mjcf/assets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "amble/base/names.hpp"
#include "amble/io/source.hpp"

namespace amble {

namespace {

namespace fs = std::filesystem;

/// A mesh, height field or texture without a name is called by its file's stem.
std::string name_of(const MjcfElement& asset) {
  return asset.get("name", fs::path(asset.get("file")).stem().string());
}

bool has_file(const MjcfElement& asset) {
  return asset.tag == MjcfTag::mesh || asset.tag == MjcfTag::hfield || asset.tag == MjcfTag::texture;
}

}  // namespace

MjcfAssets::MjcfAssets(const MjcfElement& root, const MjcfClasses& classes, const MjcfSettings& settings,
                       const std::string& model_file, const LoadOptions& options, Problems& findings)
    : model_file_(model_file), options_(options) {
  for (const MjcfElement& section : root.children) {
    if (section.name != "asset") continue;
    for (const MjcfElement& asset : section.children) add(asset, classes, settings);
  }
  report_missing(findings);
}

void MjcfAssets::add(const MjcfElement& asset, const MjcfClasses& classes, const MjcfSettings& settings) {
  if (asset.tag == MjcfTag::material) {
    const MjcfValues material = classes.values(asset);
    materials_[asset.get("name")] = material.numbers<4>("rgba", {1.0, 1.0, 1.0, 1.0});
  }
  if (!has_file(asset)) return;
  const std::string file = relative_file(asset, settings), path = find(asset, file);
  if (asset.tag != MjcfTag::mesh) return;
  auto mesh = std::make_unique<MjcfMesh>(classes.values(asset), settings, file, path);
  if (!meshes_.emplace(name_of(asset), std::move(mesh)).second)
    refuse(asset, fmt::format("repeated name '{}': there is a mesh of that name already", name_of(asset)));
}

std::string MjcfAssets::relative_file(const MjcfElement& asset, const MjcfSettings& settings) const {
  std::string file = asset.get("file");
  if (file.empty() || file.find("://") != file.npos) return file;
  if (settings.strip_path) file = fs::path(file).filename().string();
  const bool texture = asset.tag == MjcfTag::texture;
  return (fs::path(texture ? settings.texture_folder : settings.mesh_folder) / file).generic_string();
}

/// In the model's folder, or else beside the file that the asset stands in.
std::string MjcfAssets::find(const MjcfElement& asset, const std::string& file) {
  if (file.empty()) return {};
  for (const MeshSearch search : {MeshSearch::exact, MeshSearch::wide}) {
    std::string path = find_mesh(file, model_file_, options_.package_path, search);
    if (path.empty() && *asset.file != model_file_)
      path = find_mesh(asset.get("file"), *asset.file, options_.package_path, search);
    if (!path.empty()) return path;
  }
  if (missing_.empty()) first_missing_ = &asset;
  missing_.push_back(file);
  return {};
}

void MjcfAssets::report_missing(Problems& findings) const {
  constexpr std::size_t kMostNamed = 5;
  if (missing_.empty()) return;
  const std::vector<std::string> named(
      missing_.begin(), missing_.begin() + static_cast<long>(std::min(kMostNamed, missing_.size())));
  Problem problem = first_missing_->problem(
      Severity::warning, fmt::format("{} not found: {}{}", missing_.size() == 1 ? "file" : "files",
                                     fmt::join(named, ", "), missing_.size() > kMostNamed ? ", ..." : ""));
  if (missing_.size() > 1) problem.element = fmt::format("{} assets", missing_.size());
  findings.push_back(problem);
}

const MjcfMesh& MjcfAssets::mesh(const MjcfElement& by, const std::string& name) const {
  const auto found = meshes_.find(name);
  if (found != meshes_.end()) return *found->second;
  std::vector<std::string> names;
  for (const auto& [known, mesh] : meshes_) names.push_back(known);
  refuse(by, fmt::format("mesh '{}' does not exist{}", name, suggestion(name, names)));
}

void MjcfAssets::add_notes(Problems& findings) const {
  for (const auto& [name, mesh] : meshes_)
    findings.insert(findings.end(), mesh->notes().begin(), mesh->notes().end());
}

std::optional<MjcfColor> MjcfAssets::color(const std::string& material) const {
  const auto found = materials_.find(material);
  return found == materials_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace amble
