#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>

#include <filesystem>
#include <fstream>

#include "amble/io/source.hpp"

// Where the files are that a model names: packages by the name of a folder or by what is written in them.
namespace amble {

namespace {

namespace fs = std::filesystem;

constexpr int kFoldersAbove = 4;  // in which names are looked for that do not say where they start

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The <name> in package.xml (ROS) or model.config (Gazebo); empty when the folder has neither.
std::string written_name(const fs::path& folder) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  for (const char* const file : {"package.xml", "model.config"}) {
    const fs::path path = folder / file;
    std::error_code problem;
    if (!is_file(path) || fs::file_size(path, problem) > kMostBytes || problem) continue;
    tinyxml2::XMLDocument document;
    if (document.LoadFile(path.c_str()) != tinyxml2::XML_SUCCESS || document.RootElement() == nullptr)
      continue;
    const tinyxml2::XMLElement* const name = document.RootElement()->FirstChildElement("name");
    if (name != nullptr && name->GetText() != nullptr) return name->GetText();
  }
  return {};
}

bool is_package(const fs::path& folder, const std::string& name) {
  const fs::path own_name = (folder / "").lexically_normal().parent_path().filename();  // also of `folder/`
  return own_name == name || written_name(folder) == name;
}

/// `name/rest` looked for in one folder, which may hold packages or be the package.
fs::path in_package_folder(const fs::path& folder, const std::string& name_and_rest) {
  if (is_file(folder / name_and_rest)) return folder / name_and_rest;
  const auto slash = name_and_rest.find('/');
  if (slash == std::string::npos) return {};
  const fs::path inside = folder / name_and_rest.substr(slash + 1);
  return is_file(inside) && is_package(folder, name_and_rest.substr(0, slash)) ? inside : fs::path{};
}

/// The folder of the model file and those above it.
std::vector<fs::path> folders_above(const std::string& model_file) {
  std::vector<fs::path> out;
  std::error_code ignored;
  fs::path folder = fs::absolute(model_file, ignored).lexically_normal().parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    out.push_back(folder);
    if (folder == folder.root_path()) break;
  }
  return out;
}

/// `rest` in the model's folder or the next ones above it: folders of packages get new names when they are
/// copied.
fs::path near_model(const fs::path& rest, const std::vector<fs::path>& above) {
  for (int i = 0; i < kFoldersAbove && i < static_cast<int>(above.size()); ++i)
    if (is_file(above[i] / rest)) return above[i] / rest;
  return {};
}

/// A path of another machine: the longest end of it, of two names or more, that is there.
fs::path end_near_model(const fs::path& path, const std::vector<fs::path>& above) {
  const fs::path relative = path.relative_path();
  const std::vector<fs::path> names(relative.begin(), relative.end());
  for (std::size_t first = 1; first + 1 < names.size(); ++first) {
    fs::path rest;
    for (std::size_t i = first; i < names.size(); ++i) rest /= names[i];
    if (fs::path found = near_model(rest, above); !found.empty()) return found;
  }
  return {};
}

fs::path in_packages(const std::string& name_and_rest, const std::string& model_file,
                     const std::vector<std::string>& package_path, MeshSearch search) {
  for (const std::string& folder : package_path)
    if (fs::path found = in_package_folder(folder, name_and_rest); !found.empty()) return found;
  const std::vector<fs::path> above = folders_above(model_file);
  for (const fs::path& folder : above)
    if (fs::path found = in_package_folder(folder, name_and_rest); !found.empty()) return found;
  const auto slash = name_and_rest.find('/');
  return slash == std::string::npos || search == MeshSearch::exact
             ? fs::path{}
             : near_model(name_and_rest.substr(slash + 1), above);
}

fs::path in_folders(const std::string& name, const std::string& model_file, MeshSearch search) {
  if (name.empty()) return {};
  const fs::path path = fs::path(model_file).parent_path() / name;
  if (is_file(path)) return path;
  if (search == MeshSearch::exact) return {};
  const std::vector<fs::path> above = folders_above(model_file);
  return fs::path(name).is_absolute() ? end_near_model(name, above) : near_model(name, above);
}

bool is_in_package(const std::string& name) {
  return name.starts_with("package://") || name.starts_with("model://");
}

}  // namespace

std::string find_mesh(const std::string& name, const std::string& model_file,
                      const std::vector<std::string>& package_path, MeshSearch search) {
  const auto scheme = name.find("://");
  const std::string rest =
      is_in_package(name) || name.starts_with("file://") ? name.substr(scheme + 3) : name;
  const fs::path found = is_in_package(name) ? in_packages(rest, model_file, package_path, search)
                                             : in_folders(rest, model_file, search);
  if (found.empty()) return {};
  std::error_code ignored;  // a path that is found can be made absolute
  return fs::absolute(found, ignored).lexically_normal().string();
}

std::string mesh_places(const std::string& name, const std::vector<std::string>& package_path) {
  if (!is_in_package(name)) return "beside the model file and in the folders above it";
  return package_path.empty()
             ? "in the folders above the model file (no package path is given)"
             : fmt::format("in {} and in the folders above the model file", fmt::join(package_path, ", "));
}

}  // namespace amble
