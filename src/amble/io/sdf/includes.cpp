#include "amble/io/sdf/includes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "amble/base/limits.hpp"
#include "amble/io/sdf/content.hpp"
#include "amble/io/sdf/library_text.hpp"
#include "amble/io/sdf/repair.hpp"
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
/// meshes, and their `models`.
std::vector<std::string> model_folders(const std::string& file, const LoadOptions& options) {
  std::vector<std::string> out;
  for (const std::string& entry : options.package_path) {
    const fs::path folder = absolute_folder(entry + "/");
    out.push_back(folder.string());
    out.push_back(folder.parent_path().string());
  }
  for (fs::path folder = absolute_folder(file); !folder.empty(); folder = folder.parent_path()) {
    out.push_back(folder.string());
    out.push_back((folder / "models").string());
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

/// The elements that libsdformat gets, and those for which it copies the description of all that may be
/// inside.
struct Counts {
  int all = 0, large = 0;

  void add(const XMLElement& element, const std::string& parent_path,
           const std::vector<KnownElement>& known) {
    const std::string path = parent_path.empty() ? element.Name() : parent_path + "/" + element.Name();
    if (find_known(known, path) == nullptr) return;
    constexpr std::string_view kLarge[] = {"world",  "model",     "link",   "joint", "frame",
                                           "visual", "collision", "sensor", "light"};
    const bool large_one =
        element.Attribute("name") != nullptr ||
        std::find(std::begin(kLarge), std::end(kLarge), element.Name()) != std::end(kLarge);
    ++all, large += large_one ? 1 : 0;
    for (const auto* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
      add(*e, path, known);
  }
};

bool is_network(const std::string& uri) { return uri.starts_with("http://") || uri.starts_with("https://"); }

/// `https://host/1.0/owner/models/NAME/4` is likely to stand in a folder NAME.
std::string name_on_network(const std::string& uri) {
  constexpr std::string_view kModels = "/models/";
  const auto at = uri.find(kModels);
  if (at == uri.npos) return {};
  const std::string rest = uri.substr(at + kModels.size());
  return rest.substr(0, rest.find('/'));
}

class Walk {
 public:
  Walk(const std::string& file, const LoadOptions& options, SdfIncludes& out)
      : out_(out), model_folders_(model_folders(file, options)) {}

  void visit_main_file(XMLDocument& document, const std::string& file) {
    if (!too_many(document, *document.RootElement(), file)) visit_file(document, file);
  }

 private:
  void visit_file(XMLDocument& document, const std::string& file) {
    open_.push_back(identity(file));
    visit(*document.RootElement(), file);
    open_.pop_back();
  }

  void visit(XMLElement& parent, const std::string& file) {
    std::set<std::string> names, missing;
    for (auto* e = parent.FirstChildElement("model"); e != nullptr; e = e->NextSiblingElement("model"))
      if (e->Attribute("name") != nullptr) names.insert(e->Attribute("name"));
    for (XMLElement *e = parent.FirstChildElement(), *next = nullptr; e != nullptr; e = next) {
      next = e->NextSiblingElement();
      const std::string_view name = e->Name();
      if (name == "include" && !visit_include(*e, file, names)) {
        missing.insert(name_of_missing(*e));
        parent.DeleteChild(e);
      } else if (name == "world" || name == "model") {
        const bool had_content = has_content(*e);
        visit(*e, file);
        if (name == "world" || !had_content || has_content(*e) || parent.Parent()->ToDocument() != nullptr)
          continue;
        const std::string emptied = e->Attribute("name") != nullptr ? e->Attribute("name") : "";
        missing.insert(emptied);
        left_out(*e, file, fmt::format("'{}' holds only what is missing: left out", emptied));
        parent.DeleteChild(e);
      }
    }
    if (!missing.empty()) leave_out_what_holds(missing, parent, file);
  }

  static bool has_content(const XMLElement& model) {
    for (const char* name : {"link", "model", "include"})
      if (model.FirstChildElement(name) != nullptr) return true;
    return false;
  }

  static std::string name_of_missing(const XMLElement& include) {
    if (std::string name = child_text(include, "name"); !name.empty()) return name;
    return fs::path(child_text(include, "uri")).filename().string();
  }

  void leave_out_what_holds(const std::set<std::string>& missing, XMLElement& parent,
                            const std::string& file) {
    const auto is_missing = [&](const std::string& name) {
      return missing.contains(name.substr(0, name.find("::")));
    };
    for (XMLElement *e = parent.FirstChildElement(), *next = nullptr; e != nullptr; e = next) {
      next = e->NextSiblingElement();
      const char* attached = e->Attribute("attached_to");
      const bool holds =
          e->Name() == std::string_view("joint")
              ? is_missing(child_text(*e, "parent")) || is_missing(child_text(*e, "child"))
              : e->Name() == std::string_view("frame") && attached != nullptr && is_missing(attached);
      if (!holds) continue;
      const char* name = e->Attribute("name");
      left_out(*e, file, fmt::format("'{}' holds what is missing: left out", name == nullptr ? "" : name));
      parent.DeleteChild(e);
    }
  }

  void error(const XMLElement& at, const std::string& file, const std::string& reason) {
    out_.errors.push_back({Severity::error, file, at.GetLineNum(), at.Name(), reason});
  }
  /// False, for includes that are left out.
  bool left_out(const XMLElement& at, const std::string& file, const std::string& reason) {
    out_.left_out.push_back({Severity::warning, file, at.GetLineNum(), at.Name(), reason});
    return false;
  }

  /// False when there is nothing to include: then the rest is read without it.
  bool visit_include(XMLElement& include, const std::string& file, std::set<std::string>& names) {
    if (const std::string flaw = include_flaw(include); !flaw.empty())
      return error(include, file, flaw), true;
    if (over_limit(include, file, Limit::included_files, ++count_, "the number of includes")) return true;
    const std::string uri = child_text(include, "uri");
    const std::string path = find(uri, file);
    if (path.empty() && is_network(uri))
      return left_out(
          include, file,
          fmt::format("'{}' is on a network and is not fetched: left out; download it, include it as "
                      "model://NAME and give its folder in the package path",
                      uri));
    if (path.empty())
      return left_out(
          include, file,
          fmt::format("'{}' is not found in {}: left out", uri, fmt::join(searched(uri, file), ", ")));
    std::string name = child_text(include, "name");
    const std::string copy = follow(include, file, path, name);
    if (copy.empty()) return full_ || !out_.errors.empty();
    include.FirstChildElement("uri")->SetText(copy.c_str());
    name_apart(include, file, name, names);
    return true;
  }

  /// Models of a world whose name is taken get a number, as in repair_sdf().
  void name_apart(XMLElement& include, const std::string& file, const std::string& name,
                  std::set<std::string>& names) {
    const bool is_in_world = include.Parent()->ToElement()->Name() == std::string_view("world");
    if (names.insert(name).second || !is_in_world) return;
    const std::string other = free_name(name, [&](const std::string& n) { return names.contains(n); });
    names.insert(other);
    XMLElement* own = include.FirstChildElement("name");
    if (own == nullptr) own = include.InsertNewChildElement("name");
    own->SetText(other.c_str());
    out_.findings.push_back({Severity::warning, file, include.GetLineNum(), "include",
                             fmt::format("the name '{}' is used twice: this one is '{}'", name, other)});
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
    counts_.add(*document.RootElement(), "", sdf_known(*document.RootElement()));
    return over_limit(at, file, Limit::library_elements, counts_.all,
                      "the number of elements with those of included files") ||
           over_limit(at, file, Limit::sdf_elements, counts_.large,
                      "the number of links, joints, frames and the like with those of included files");
  }

  static bool is_model_uri(const std::string& uri) {
    return uri.starts_with("model://") || uri.starts_with("package://");
  }

  std::vector<std::string> searched(const std::string& uri, const std::string& file) const {
    std::vector<std::string> out;
    if (!is_model_uri(uri)) out.push_back(absolute_folder(file).string());
    out.insert(out.end(), model_folders_.begin(), model_folders_.end());
    return out;
  }

  std::string find(const std::string& uri, const std::string& file) const {
    const auto scheme = uri.find("://");
    std::string rest = scheme == std::string::npos ? uri : uri.substr(scheme + 3);
    if (is_network(uri)) rest = name_on_network(uri);
    if (rest.empty()) return {};
    for (const std::string& folder : searched(uri, file))
      if (is_there(fs::path(folder) / rest)) return (fs::path(folder) / rest).lexically_normal().string();
    return {};
  }

  /// The path of the copy that is to be included, and the name of its model unless `name` is given; empty
  /// when there is none.
  std::string follow(const XMLElement& include, const std::string& file, const std::string& path,
                     std::string& name) {
    const auto none = [&](const std::string& reason) {
      return left_out(include, file, reason), std::string();
    };
    const std::string target = fs::is_directory(path) ? model_file(include, file, path) : path;
    if (target.empty()) return {};
    if (std::find(open_.begin(), open_.end(), identity(target)) != open_.end())
      return error(include, file, fmt::format("'{}' includes itself", target)), std::string();
    if (!is_there(target)) return none(fmt::format("'{}' does not exist: left out", target));
    XMLDocument document;
    const std::string text = read_text(target);
    parse_xml(text, target, document);
    if (over_limit(include, file, Limit::file_bytes, static_cast<double>(bytes_ += text.size()),
                   "the size of the file with its includes") ||
        too_many(document, include, file))
      return {};
    if (format_of(document, target) != Format::sdf)
      return none(fmt::format("'{}' is not SDFormat; only SDFormat files can be included: left out", target));
    rename_sdf_root(document);
    const XMLElement* model = document.RootElement()->FirstChildElement("model");
    if (model == nullptr) return none(fmt::format("'{}' has no model: left out", target));
    if (name.empty() && model->Attribute("name") != nullptr) name = model->Attribute("name");
    return copy_of(document, target);
  }

  std::string copy_of(XMLDocument& document, const std::string& target) {
    const auto known = std::find_if(out_.files.begin(), out_.files.end(),
                                    [&](const SdfIncluded& f) { return f.file == target; });
    const bool is_new = known == out_.files.end();
    Problems unused = is_new ? sdf_unused(document, target) : Problems{};
    if (is_new)
      for (Problem& p : repair_sdf(document, target, SdfRole::included))
        out_.findings.push_back(std::move(p));
    visit_file(document, target);
    if (!is_new) return known->copy;
    for (Problem& p : check_sdf_text(document, target))
      (p.severity == Severity::error ? out_.errors : out_.findings).push_back(std::move(p));
    out_.findings.insert(out_.findings.end(), unused.begin(), unused.end());
    const std::string text = sdf_library_text(document);
    out_.files.push_back({target, out_.copies.add(target, text), text});
    return out_.files.back().copy;
  }

  /// The file that a model's folder names in its model.config, by libsdformat's rule: the newest that it can
  /// read.
  std::string model_file(const XMLElement& include, const std::string& file, const std::string& folder) {
    const fs::path config = fs::path(folder) / "model.config";
    const auto refuse = [&](const std::string& reason) {
      left_out(include, file, fmt::format("'{}' {}: left out", config.string(), reason));
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

  SdfIncludes& out_;
  const std::vector<std::string> model_folders_;
  std::vector<std::string> open_;
  int count_ = 0;
  Counts counts_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace

void follow_sdf_includes(XMLDocument& document, const std::string& file, const LoadOptions& options,
                         SdfIncludes& out) {
  Walk(file, options, out).visit_main_file(document, file);
}

}  // namespace amble
