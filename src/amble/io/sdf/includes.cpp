#include "amble/io/sdf/includes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "amble/base/limits.hpp"
#include "amble/io/sdf/content.hpp"
#include "amble/io/source.hpp"

namespace amble {

namespace {

namespace fs = std::filesystem;
using tinyxml2::XMLDocument;
using tinyxml2::XMLElement;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// A file's one true name, to recognise it again.
std::string identity(const std::string& file) {
  std::error_code ignored;
  return fs::weakly_canonical(file, ignored).string();
}

fs::path absolute_folder(const std::string& file) {
  std::error_code ignored;
  return fs::absolute(file, ignored).lexically_normal().parent_path();
}

/// Each folder of the search path, which may hold models or be one; then the folders above the file, as for
/// meshes.
std::vector<std::string> model_folders(const std::string& file, const LoadOptions& options) {
  std::vector<std::string> out;
  for (const std::string& entry : options.package_path) {
    const fs::path folder = absolute_folder(entry + "/");
    out.push_back(folder.string());
    out.push_back(folder.parent_path().string());
  }
  for (fs::path folder = absolute_folder(file); !folder.empty(); folder = folder.parent_path()) {
    out.push_back(folder.string());
    if (folder == folder.root_path()) break;
  }
  return out;
}

std::string child_text(const XMLElement& element, const char* name) {
  const XMLElement* child = element.FirstChildElement(name);
  return child != nullptr && child->GetText() != nullptr ? child->GetText() : "";
}

/// 1.10 is newer than 1.9; text that is no version is older than all.
std::pair<int, int> version_number(const char* text) {
  std::pair<int, int> v{0, 0};
  if (text != nullptr) std::sscanf(text, "%d.%d", &v.first, &v.second);
  return v;
}

/// libsdformat dereferences what is missing here, so it must be there. Empty when the element is as it should
/// be.
std::string include_flaw(const XMLElement& include) {
  for (const auto* child = include.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    const std::string_view name = child->Name();
    const bool plugin = name == "plugin", pose = name == "pose";
    const bool text = name == "uri" || name == "name" || name == "static" || name == "placement_frame";
    if (!plugin && !pose && !text) continue;
    if (text && child->GetText() == nullptr) return fmt::format("<{}> is empty", name);
    if (plugin && child->GetText() != nullptr) return "<plugin> has text, expected elements";
    for (const auto* a = child->FirstAttribute(); a != nullptr; a = a->Next()) {
      const std::string_view key = a->Name();
      const bool known = (pose && (key == "relative_to" || key == "degrees" || key == "rotation_format")) ||
                         (plugin && (key == "name" || key == "filename"));
      if (!known) return fmt::format("<{}> has the unknown attribute '{}'", name, key);
    }
  }
  return include.FirstChildElement("uri") == nullptr ? "has no <uri>" : "";
}

/// All elements, and those for which libsdformat copies the description of all that may be inside.
struct Counts {
  int all = 0, large = 0;

  void add(const XMLElement& element) {
    constexpr std::string_view kLarge[] = {"world",  "model",     "link",   "joint", "frame",
                                           "visual", "collision", "sensor", "light"};
    const bool large_one =
        element.Attribute("name") != nullptr ||
        std::find(std::begin(kLarge), std::end(kLarge), element.Name()) != std::end(kLarge);
    ++all, large += large_one ? 1 : 0;
    for (const auto* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) add(*e);
  }
};

class Walk {
 public:
  Walk(const std::string& file, const LoadOptions& options) {
    out_.model_folders = model_folders(file, options);
  }

  void visit_main_file(const XMLDocument& document, const std::string& file) {
    if (!too_many(document, *document.RootElement(), file)) visit_file(document, file);
  }

  SdfIncludes take() { return std::move(out_); }

 private:
  void visit_file(const XMLDocument& document, const std::string& file) {
    open_.push_back(identity(file));
    if (const std::string folder = absolute_folder(file).string();
        std::find(out_.folders.begin(), out_.folders.end(), folder) == out_.folders.end())
      out_.folders.push_back(folder);
    visit(*document.RootElement(), file);
    open_.pop_back();
  }

  void visit(const XMLElement& parent, const std::string& file) {
    for (const auto* e = parent.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const std::string_view name = e->Name();
      if (name == "include") visit_include(*e, file);
      if (name == "world" || name == "model") visit(*e, file);
    }
  }

  void error(const XMLElement& at, const std::string& file, const std::string& reason) {
    out_.errors.push_back({Severity::error, file, at.GetLineNum(), at.Name(), reason});
  }

  void visit_include(const XMLElement& include, const std::string& file) {
    if (const std::string flaw = include_flaw(include); !flaw.empty()) return error(include, file, flaw);
    if (over_limit(include, file, Limit::included_files, ++count_, "the number of includes")) return;
    const std::string uri = child_text(include, "uri");
    if (uri.starts_with("http://") || uri.starts_with("https://"))
      return error(include, file,
                   fmt::format("'{}' is on a network and is not fetched; download it, include it as "
                               "model://NAME and give its folder in the package path",
                               uri));
    const std::string path = find(uri, file);
    if (path.empty())
      return error(include, file,
                   fmt::format("'{}' is not found in {}", uri, fmt::join(searched(uri, file), ", ")));
    out_.path_of_uri.emplace(uri, path);
    follow(include, file, path);
  }

  /// After the first breach nothing more is included, and nothing more is said of it.
  bool over_limit(const XMLElement& at, const std::string& file, Limit which, double value,
                  const char* what) {
    const std::string breach = limit_breach(which, value, what);
    if (!breach.empty() && !full_) error(at, file, breach);
    full_ = full_ || !breach.empty();
    return full_;
  }

  bool too_many(const XMLDocument& document, const XMLElement& at, const std::string& file) {
    counts_.add(*document.RootElement());
    return over_limit(at, file, Limit::library_elements, counts_.all,
                      "the number of elements with those of included files") ||
           over_limit(at, file, Limit::sdf_elements, counts_.large,
                      "the number of links, joints, frames and the like with those of included files");
  }

  static bool is_model_uri(const std::string& uri) {
    return uri.starts_with("model://") || uri.starts_with("package://");
  }

  std::vector<std::string> searched(const std::string& uri, const std::string& file) const {
    if (!is_model_uri(uri)) return {absolute_folder(file).string()};
    return out_.model_folders;
  }

  std::string find(const std::string& uri, const std::string& file) const {
    const auto scheme = uri.find("://");
    const std::string rest = scheme == std::string::npos ? uri : uri.substr(scheme + 3);
    for (const std::string& folder : searched(uri, file))
      if (is_there(fs::path(folder) / rest)) return (fs::path(folder) / rest).lexically_normal().string();
    return {};
  }

  void follow(const XMLElement& include, const std::string& file, const std::string& path) {
    std::string target = path;
    if (fs::is_directory(path)) target = model_file(include, file, path);
    if (target.empty()) return;
    if (std::find(open_.begin(), open_.end(), identity(target)) != open_.end())
      return error(include, file, fmt::format("'{}' includes itself", target));
    XMLDocument document;
    const std::string text = read_text(target);
    parse_xml(text, target, document);
    if (over_limit(include, file, Limit::file_bytes, static_cast<double>(bytes_ += text.size()),
                   "the size of the file with its includes") ||
        too_many(document, include, file))
      return;
    if (format_of(document, target) != Format::sdf)
      return error(include, file,
                   fmt::format("'{}' is not SDFormat; only SDFormat files can be included", target));
    visit_file(document, target);
    if (std::find(out_.files.begin(), out_.files.end(), target) != out_.files.end()) return;
    out_.files.push_back(target);
    for (Problem& p : check_sdf_text(document, target))
      (p.severity == Severity::error ? out_.errors : out_.findings).push_back(std::move(p));
    for (Problem& p : sdf_unused(document, target)) out_.findings.push_back(std::move(p));
  }

  /// The file that a model's folder names in its model.config, by libsdformat's rule: the newest that it can
  /// read.
  std::string model_file(const XMLElement& include, const std::string& file, const std::string& folder) {
    const fs::path config = fs::path(folder) / "model.config";
    const auto refuse = [&](const std::string& reason) {
      error(include, file, fmt::format("'{}' {}", config.string(), reason));
      return std::string();
    };
    if (!is_there(config)) return refuse("does not exist");
    XMLDocument document;
    parse_xml(read_text(config.string()), config.string(), document);
    const XMLElement* model = document.FirstChildElement("model");
    if (model == nullptr || child_text(*model, "name").empty()) return refuse("has no <model> with a <name>");
    const XMLElement* best = nullptr;
    for (const auto* e = model->FirstChildElement("sdf"); e != nullptr; e = e->NextSiblingElement("sdf")) {
      const auto version = version_number(e->Attribute("version"));
      const auto best_version =
          best != nullptr ? version_number(best->Attribute("version")) : std::pair(0, 0);
      if (best == nullptr || (version > best_version && version <= std::pair(1, 9))) best = e;
    }
    if (best == nullptr || best->GetText() == nullptr) return refuse("names no <sdf> file");
    return (fs::path(folder) / best->GetText()).string();
  }

  SdfIncludes out_;
  std::vector<std::string> open_;
  int count_ = 0;
  Counts counts_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace

SdfIncludes find_sdf_includes(const XMLDocument& document, const std::string& file,
                              const LoadOptions& options) {
  Walk walk(file, options);
  walk.visit_main_file(document, file);
  return walk.take();
}

}  // namespace amble
