#include "amble/io/xml/unread.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include "amble/io/xml/tally.hpp"

namespace amble {

namespace {

bool ends_path(std::string_view path, std::string_view tail) {
  return path.ends_with(tail) && (path.size() == tail.size() || path[path.size() - tail.size() - 1] == '/');
}

bool lists(std::string_view words, std::string_view word) {
  return fmt::format(" {} ", words).find(fmt::format(" {} ", word)) != std::string::npos;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

class Walk {
 public:
  explicit Walk(std::span<const KnownElement> known) : known_(known) {}

  void visit(const tinyxml2::XMLElement& element, const std::string& parent_path) {
    const std::string path = parent_path.empty() ? element.Name() : parent_path + "/" + element.Name();
    const KnownElement* row = find_known(known_, path);
    if (row == nullptr) return note(parent_path, element.GetLineNum(), fmt::format("<{}>", element.Name()));
    if (lists(row->attributes, "*")) return;
    visit_attributes(element, path, *row);
    for (const auto* node = element.FirstChild(); node != nullptr; node = node->NextSibling())
      visit_child(*node, path, *row);
  }

  Problems notes(const std::string& file) const { return tally_.problems(file); }

 private:
  void visit_attributes(const tinyxml2::XMLElement& element, const std::string& path,
                        const KnownElement& row) {
    for (const auto* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      const std::string_view name = a->Name();
      if (name == "xmlns" || name.starts_with("xmlns:") || lists(row.attributes, name)) continue;
      note(path, a->GetLineNum(), fmt::format("attribute '{}'", name));
    }
  }

  void visit_child(const tinyxml2::XMLNode& node, const std::string& path, const KnownElement& row) {
    if (const auto* child = node.ToElement()) return visit(*child, path);
    if (const auto* text = node.ToText();
        text != nullptr && !is_blank(text->Value()) && !lists(row.attributes, "#text"))
      note(path, text->GetLineNum(), "text");
  }

  void note(const std::string& parent_path, int line, const std::string& what) {
    const std::string parent = fmt::format("<{}>", parent_path.substr(parent_path.rfind('/') + 1));
    tally_.add(Severity::note, fmt::format("{} is not used", what), line, parent, parent);
  }

  std::span<const KnownElement> known_;
  Tally tally_;
};

}  // namespace

const KnownElement* find_known(std::span<const KnownElement> known, std::string_view path) {
  for (std::size_t i = known.size(); i-- > 0;)
    if (ends_path(path, known[i].path)) return &known[i];
  return nullptr;
}

Problems unread(const tinyxml2::XMLDocument& document, const std::string& file,
                std::span<const KnownElement> known) {
  Walk walk(known);
  if (document.RootElement() != nullptr) walk.visit(*document.RootElement(), "");
  return walk.notes(file);
}

}  // namespace amble
