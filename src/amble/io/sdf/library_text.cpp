#include "amble/io/sdf/library_text.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>

#include "amble/io/sdf/content.hpp"

namespace amble {

namespace {

using tinyxml2::XMLElement;

std::string escaped(std::string_view text, bool in_attribute) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
      case '\r':
      case '\t':
        out += in_attribute ? fmt::format("&#{};", static_cast<int>(c)) : std::string(1, c);
        break;
      default:
        out += c;
    }
  return out;
}

class Printer {
 public:
  explicit Printer(const XMLElement& root) : known_(sdf_known(root)) {}

  void print(const XMLElement& e, const std::string& parent_path) {
    const std::string path = parent_path.empty() ? e.Name() : parent_path + "/" + e.Name();
    const KnownElement* row = find_known(known_, path);
    if (row == nullptr || row->attributes == "*") return;
    go_to_line(e.GetLineNum());
    out_ += fmt::format("<{}", e.Name());
    for (const auto* a = e.FirstAttribute(); a != nullptr; a = a->Next())
      out_ += fmt::format(" {}=\"{}\"", a->Name(), escaped(a->Value(), true));
    out_ += ">";
    for (const auto* node = e.FirstChild(); node != nullptr; node = node->NextSibling()) {
      if (const auto* text = node->ToText()) put(escaped(text->Value(), false));
      if (const auto* child = node->ToElement()) print(*child, path);
    }
    out_ += fmt::format("</{}>", e.Name());
  }

  std::string text() { return std::move(out_); }

 private:
  void put(const std::string& text) {
    out_ += text;
    line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
  void go_to_line(int line) {
    if (line <= line_) return;
    out_.append(static_cast<std::size_t>(line - line_), '\n');
    line_ = line;
  }

  const std::vector<KnownElement> known_;
  std::string out_;
  int line_ = 1;
};

}  // namespace

std::string sdf_library_text(const tinyxml2::XMLDocument& document) {
  Printer printer(*document.RootElement());
  printer.print(*document.RootElement(), "");
  return printer.text();
}

}  // namespace amble
