#include "amble/io/mjcf/source.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "amble/base/limits.hpp"
#include "amble/io/source.hpp"

namespace amble {

const std::string* MjcfElement::find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes)
    if (key == attribute) return &value;
  return nullptr;
}

std::string MjcfElement::get(std::string_view attribute, const std::string& fallback) const {
  const std::string* value = find(attribute);
  return value == nullptr ? fallback : *value;
}

void MjcfElement::set(const std::string& attribute, const std::string& value) {
  erase(attribute);
  attributes.emplace_back(attribute, value);
}

void MjcfElement::erase(std::string_view attribute) {
  std::erase_if(attributes, [&](const auto& a) { return a.first == attribute; });
}

const MjcfElement* MjcfElement::child(std::string_view element) const {
  for (const MjcfElement& c : children)
    if (c.name == element) return &c;
  return nullptr;
}

Problem MjcfElement::problem(Severity severity, const std::string& reason) const {
  const std::string* own = find("name");
  return {severity, file ? *file : "", line, own ? fmt::format("{} '{}'", name, *own) : name, reason};
}

void refuse(const MjcfElement& element, const std::string& reason) {
  throw Error(element.problem(Severity::error, reason).text());
}

namespace {

namespace fs = std::filesystem;

/// Builds the tree of one file and of the files it includes.
class Loader {
 public:
  Loader(const std::string& model_file, MjcfBudget& budget, Problems& findings)
      : folder_(fs::path(model_file).parent_path()),
        included_{fs::path(model_file).lexically_normal().string()},
        budget_(budget),
        findings_(findings) {}

  MjcfElement load(const std::string& text, const std::string& file, int depth) {
    tinyxml2::XMLDocument document;
    parse_xml(text, file, document, ExtraRoots::allow);
    const tinyxml2::XMLElement& root = *document.RootElement();
    budget_.bytes += text.size();
    const auto shared_file = std::make_shared<const std::string>(file);
    if (depth == 0 && std::string_view(root.Name()) != "mujoco")
      throw Error(fmt::format("{}:{}: the root element is <{}>; expected <mujoco>", file, root.GetLineNum(),
                              root.Name()));
    if (const auto* second = root.NextSiblingElement())
      findings_.push_back({Severity::warning, file, second->GetLineNum(), second->Name(),
                           "stands after the end of the model: not read"});
    return convert(root, shared_file, depth);
  }

 private:
  MjcfElement convert(const tinyxml2::XMLElement& in, const std::shared_ptr<const std::string>& file,
                      int depth) {
    MjcfElement out;
    out.name = in.Name(), out.file = file, out.line = in.GetLineNum();
    for (const auto* a = in.FirstAttribute(); a != nullptr; a = a->Next())
      out.attributes.emplace_back(a->Name(), a->Value());
    check_size(out, depth);
    for (const auto* e = in.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      MjcfElement child = convert(*e, file, depth + 1);
      if (child.name == "include")
        include(child, depth, out.children);
      else
        out.children.push_back(std::move(child));
    }
    return out;
  }

  void include(const MjcfElement& include, int depth, std::vector<MjcfElement>& siblings) {
    const std::string* name = include.find("file");
    if (name == nullptr || name->empty()) refuse(include, "has no attribute file");
    if (!include.children.empty()) refuse(include, "cannot have children");
    const std::string path = place_of(include, *name);
    if (!included_.insert(path).second)
      refuse(include,
             fmt::format("'{}' is read already: a file includes itself or is included twice", *name));
    check(include, Limit::included_files, ++budget_.files, "the number of included files");
    MjcfElement root = load(text_of(include, path), path, depth + 1);
    std::move(root.children.begin(), root.children.end(), std::back_inserter(siblings));
  }

  /// Beside the model file, or else beside the file that includes.
  std::string place_of(const MjcfElement& include, const std::string& name) const {
    const fs::path beside_model = (folder_ / name).lexically_normal();
    const fs::path beside = (fs::path(*include.file).parent_path() / name).lexically_normal();
    std::error_code status;
    return (fs::exists(beside_model, status) || !fs::exists(beside, status) ? beside_model : beside).string();
  }

  std::string text_of(const MjcfElement& include, const std::string& path) {
    try {
      std::string text = read_text(path);
      check_limit(Limit::file_bytes, static_cast<double>(budget_.bytes + text.size()),
                  "the size of the file with its includes");
      return text;
    } catch (const Error& e) {
      refuse(include, e.what());
    }
  }

  static void check(const MjcfElement& element, Limit which, double value, const char* what) {
    if (const std::string breach = limit_breach(which, value, what); !breach.empty()) refuse(element, breach);
  }

  /// Each file alone is guarded by parse_xml; this holds for the whole.
  void check_size(const MjcfElement& element, int depth) {
    check(element, Limit::xml_nesting, depth + 1, "the nesting of elements");
    check(element, Limit::elements, ++budget_.elements,
          "the number of elements with those of included files");
  }

  fs::path folder_;
  std::set<std::string> included_;
  MjcfBudget& budget_;
  Problems& findings_;
};

}  // namespace

MjcfElement mjcf_tree(const std::string& text, const std::string& file, MjcfBudget& budget,
                      Problems& findings) {
  return Loader(file, budget, findings).load(text, file, 0);
}

}  // namespace amble
