#include "amble/io/mjcf/source.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "amble/base/limits.hpp"
#include "amble/io/source.hpp"
#include "amble/io/xml/numbers.hpp"

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

namespace {

/// Builds the tree of one file and of the files it includes.
class Loader {
 public:
  explicit Loader(const std::string& model_file)
      : folder_(std::filesystem::path(model_file).parent_path()),
        included_{std::filesystem::path(model_file).lexically_normal().string()} {}

  MjcfElement load(const std::string& text, const std::string& file, int depth) {
    tinyxml2::XMLDocument document;
    parse_xml(text, file, document);
    const tinyxml2::XMLElement& root = *document.RootElement();
    if (depth == 0) bytes_ = text.size();
    const auto shared_file = std::make_shared<const std::string>(file);
    if (depth == 0 && std::string_view(root.Name()) != "mujoco")
      throw Error(fmt::format("{}:{}: the root element is <{}>; expected <mujoco>", file, root.GetLineNum(),
                              root.Name()));
    return convert(root, shared_file, depth);
  }

 private:
  MjcfElement convert(const tinyxml2::XMLElement& in, const std::shared_ptr<const std::string>& file,
                      int depth) {
    MjcfElement out{in.Name(), {}, {}, file, in.GetLineNum()};
    for (const auto* a = in.FirstAttribute(); a != nullptr; a = a->Next())
      out.attributes.emplace_back(a->Name(), a->Value());
    check_size(out, depth);
    check_numbers(out);
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
    if (name == nullptr || name->empty()) fail(include, "has no attribute file");
    if (!include.children.empty()) fail(include, "cannot have children");
    const std::string path = (folder_ / *name).lexically_normal().string();
    if (!included_.insert(path).second)
      fail(include, fmt::format("'{}' is read already: a file includes itself or is included twice", *name));
    check(include, Limit::included_files, static_cast<double>(included_.size() - 1),
          "the number of included files");
    MjcfElement root = load(text_of(include, path), path, depth + 1);
    std::move(root.children.begin(), root.children.end(), std::back_inserter(siblings));
  }

  std::string text_of(const MjcfElement& include, const std::string& path) {
    try {
      std::string text = read_text(path);
      bytes_ += text.size();
      check_limit(Limit::file_bytes, static_cast<double>(bytes_), "the size of the file with its includes");
      return text;
    } catch (const Error& e) {
      fail(include, e.what());
    }
  }

  [[noreturn]] static void fail(const MjcfElement& element, const std::string& reason) {
    throw Error(element.problem(Severity::error, reason).text());
  }

  static void check(const MjcfElement& element, Limit which, double value, const char* what) {
    if (const std::string breach = limit_breach(which, value, what); !breach.empty()) fail(element, breach);
  }

  /// Each file alone is guarded by parse_xml; this holds for the whole.
  void check_size(const MjcfElement& element, int depth) {
    check(element, Limit::xml_nesting, depth + 1, "the nesting of elements");
    check(element, Limit::library_elements, ++elements_,
          "the number of elements with those of included files");
  }

  static void check_numbers(const MjcfElement& element) {
    static const std::set<std::string_view> kNames{"name", "class", "childclass", "model", "file"};
    for (const auto& [key, value] : element.attributes)
      if (!kNames.contains(key) && has_nan(value))
        fail(element, fmt::format("{} is '{}', not a number", key, value));
  }

  /// True for a list of numbers one of which is NaN; names and keywords are not lists of numbers.
  static bool has_nan(const std::string& value) {
    const auto numbers = parse_numbers(value);
    return numbers && std::any_of(numbers->begin(), numbers->end(), [](double x) { return std::isnan(x); });
  }

  std::filesystem::path folder_;
  std::set<std::string> included_;
  std::size_t bytes_ = 0;
  int elements_ = 0;
};

std::string escaped(const std::string& value) {
  std::string out;
  for (const char c : value) {
    const std::string_view specials = "&<>\"'\n\r\t";
    if (specials.find(c) == std::string_view::npos)
      out += c;
    else
      out += fmt::format("&#{};", static_cast<int>(c));
  }
  return out;
}

void print(const MjcfElement& element, MjcfText& out) {
  out.elements.push_back(&element);
  out.text += "<" + element.name;
  for (const auto& [key, value] : element.attributes)
    out.text += fmt::format(" {}=\"{}\"", key, escaped(value));
  out.text += element.children.empty() ? "/>\n" : ">\n";
  if (element.children.empty()) return;
  for (const MjcfElement& child : element.children) print(child, out);
  out.elements.push_back(nullptr);
  out.text += fmt::format("</{}>\n", element.name);
}

}  // namespace

MjcfElement mjcf_tree(const std::string& text, const std::string& file) {
  return Loader(file).load(text, file, 0);
}

MjcfText mjcf_text(const MjcfElement& root) {
  MjcfText out;
  print(root, out);
  return out;
}

}  // namespace amble
