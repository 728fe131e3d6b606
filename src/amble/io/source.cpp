#include "amble/io/source.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "amble/base/limits.hpp"
#include "amble/io/xml/scan.hpp"

namespace amble {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& file, int line, const std::string& reason) {
  throw Error(Problem{Severity::error, file, line, "", reason}.text());
}

void check_size(const std::string& file, std::uintmax_t bytes) {
  if (bytes == 0) fail(file, 0, "the file is empty");
  check_file_bytes(file, bytes);
}

/// tinyxml2's verdict in words.
std::string parser_reason(const tinyxml2::XMLDocument& document) {
  switch (document.ErrorID()) {
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "not well-formed XML: this element is not closed by its own end tag";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "not well-formed XML: an attribute is not name=\"value\", or is given twice";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "not well-formed XML: text that no element holds";
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "not XML: there is no element in it";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return fmt::format("elements are nested too deep; {}", limit_text(Limit::xml_nesting));
    default:
      return fmt::format("not well-formed XML ({})", document.ErrorName());
  }
}

/// tinyxml2 lets several root elements pass.
void check_root(const tinyxml2::XMLDocument& document, const std::string& file, ExtraRoots extra_roots) {
  const tinyxml2::XMLElement* root = document.RootElement();
  if (root == nullptr) fail(file, 0, "not XML: there is no element in it");
  const auto* second = root->NextSiblingElement();
  if (second != nullptr && extra_roots == ExtraRoots::refuse)
    fail(file, second->GetLineNum(),
         fmt::format("not well-formed XML: <{}> stands after the root element <{}>", second->Name(),
                     root->Name()));
}

/// Names stand in many messages, and before the names of what is in them.
void check_names(const tinyxml2::XMLElement& element, const std::string& file) {
  if (const char* name = element.Attribute("name"))
    if (const std::string breach =
            limit_breach(Limit::name_bytes, static_cast<double>(std::strlen(name)),
                         fmt::format("the length of the name of this <{}>", element.Name()));
        !breach.empty())
      fail(file, element.GetLineNum(), breach);
  for (const auto* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
    check_names(*e, file);
}

}  // namespace

void check_file_bytes(const std::string& file, std::size_t bytes) {
  check_limit(Limit::file_bytes, static_cast<double>(bytes), file + ": the size of the file");
}

std::string read_text(const std::string& path) {
  std::error_code status;
  if (!fs::exists(path, status)) fail(path, 0, "no such file");
  if (fs::is_directory(path, status)) fail(path, 0, "this is a folder, not a model file");
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, 0, "the file cannot be opened for reading");
  if (fs::is_regular_file(path, status)) check_size(path, fs::file_size(path, status));

  // One byte more than allowed, so that pipes and devices, which have no size, are bounded too.
  const auto most = static_cast<std::size_t>(limit(Limit::file_bytes));
  std::string text(fs::is_regular_file(path, status) ? fs::file_size(path, status) : most + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) fail(path, 0, "the file cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  check_size(path, text.size());
  return text;
}

void parse_xml(const std::string& text, const std::string& file, tinyxml2::XMLDocument& document,
               ExtraRoots extra_roots) {
  check_size(file, text.size());
  if (const auto flaw = xml_flaw(text)) fail(file, flaw->line, flaw->reason);
  const std::string_view body = without_byte_order_mark(text);
  if (document.Parse(body.data(), body.size()) != tinyxml2::XML_SUCCESS)
    fail(file, document.ErrorLineNum(), parser_reason(document));
  check_root(document, file, extra_roots);
  check_names(*document.RootElement(), file);
}

Format format_of(const tinyxml2::XMLDocument& document, const std::string& file) {
  const tinyxml2::XMLElement* root = document.RootElement();
  if (root == nullptr) fail(file, 0, "there is no element in it; expected <robot>, <sdf> or <mujoco>");
  const std::string name = root->Name();
  if (name == "robot") return Format::urdf;
  if (name == "sdf" || name == "gazebo") return Format::sdf;
  if (name == "mujoco") return Format::mjcf;
  fail(file, root->GetLineNum(),
       fmt::format("the root element is <{}>; expected <robot> (URDF), <sdf> (SDFormat) or <mujoco> (MJCF)",
                   name));
}

}  // namespace amble
