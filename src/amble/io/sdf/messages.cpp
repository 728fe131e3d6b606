#include "amble/io/sdf/messages.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "amble/io/sdf/content.hpp"

namespace amble {

namespace {

/// A message taken apart: what it is about, in which line, and the reason.
struct Parts {
  std::string kind, name, reason;
  std::string about;  ///< the first name in the reason: several messages on one name have one cause
  int line = 0;

  std::string element() const { return name.empty() ? kind : fmt::format("{} '{}'", kind, name); }
};

bool starts_with_any(const std::string& text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view s) { return text.starts_with(s); });
}

/// Says only that something else failed before.
bool is_consequence(const SdfMessage& m) {
  return starts_with_any(m.text,
                         {"FrameAttachedToGraph", "PoseRelativeToGraph", "Graph has", "Failed to load",
                          "Unable to read SDF string", "Errors were found when checking"}) ||
         (m.text.starts_with("Error reading element") && m.line == 0);
}

bool is_unreadable(const SdfMessage& m) { return m.text.starts_with("Error reading element <"); }

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// The innermost element with a name.
void take_element_from_path(const std::string& path, Parts& parts) {
  static const std::regex named(R"re((\w+)\[@name="([^"]*)"\])re");
  for (std::sregex_iterator i(path.begin(), path.end(), named), end; i != end; ++i)
    parts.kind = (*i)[1], parts.name = (*i)[2];
}

/// `... specified by joint with name[j] ...` or `Joint with name[j] ...`: cut out of the reason.
void take_element_from_text(Parts& parts) {
  static const std::regex by(
      R"re( (?:specified by|is identical to) (?:nested )?(\w+)(?: with)? name ?\[([^\]]*)\])re");
  static const std::regex first(R"re(^(?:[Nn]ested )?(\w+) with (?:non-unique )?name ?\[([^\]]*)\] ?)re");
  std::smatch match;
  for (const std::regex* form : {&first, &by}) {
    if (!std::regex_search(parts.reason, match, *form)) continue;
    parts.kind = lower_case(match[1]), parts.name = match[2];
    parts.reason = std::string(match.prefix()) + std::string(match.suffix());
    return;
  }
}

/// name[x] and [x] become 'x'.
std::string plain_words(const std::string& text) {
  static const std::regex name(R"re((?: with)? ?(?:name)? ?\[([^\]]*)\])re");
  std::string out = std::regex_replace(text, name, " '$1'");
  const auto begin = out.find_first_not_of(" \n");
  const auto end = out.find_last_not_of(" .\n");
  if (begin == std::string::npos) return {};
  out = out.substr(begin, end - begin + 1);
  out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
  return out;
}

std::string first_name(const std::string& reason) {
  static const std::regex quoted("'([^']*)'");
  std::smatch match;
  return std::regex_search(reason, match, quoted) ? match[1].str() : "";
}

Parts take_apart(const SdfMessage& m, const tinyxml2::XMLDocument& document) {
  constexpr std::size_t kLongest =
      1000;  // names can be of any length, and std::regex recurses for every letter
  Parts parts;
  parts.reason = m.text.substr(0, kLongest), parts.line = m.line;
  take_element_from_path(m.xml_path.substr(0, kLongest), parts);
  if (is_unreadable(m)) {
    const std::string tag = m.text.substr(23, m.text.find('>') - 23);
    const std::string value = sdf_text(document, tag, m.line);
    parts.reason = value.empty() ? fmt::format("<{}> cannot be read", tag)
                                 : fmt::format("<{}> cannot be read: its value is '{}'", tag, value);
    return parts;
  }
  if (parts.kind.empty()) take_element_from_text(parts);
  parts.reason = m.duplicate_name ? "the name is used twice" : plain_words(parts.reason);
  if (parts.line == 0) parts.line = sdf_line(document, parts.kind, parts.name, m.duplicate_name ? 1 : 0);
  parts.about = first_name(parts.reason);
  return parts;
}

/// The causes among the messages: without consequences, and of a run of unreadable elements (from the inside
/// out) only the first, or none when something before it said why.
std::vector<SdfMessage> causes(const std::vector<SdfMessage>& messages) {
  std::vector<SdfMessage> out;
  for (const SdfMessage& m : messages)
    if (!is_consequence(m) && !(is_unreadable(m) && !out.empty())) out.push_back(m);
  return out;
}

/// `model::a` as the element that it names.
Problem circle(const std::string& vertex, const tinyxml2::XMLDocument& document, const std::string& file) {
  const auto colons = vertex.rfind("::");
  const std::string name = colons == std::string::npos ? vertex : vertex.substr(colons + 2);
  const std::string reason = "its pose is given relative to itself through other frames";
  for (const char* kind : {"link", "frame", "joint", "model"})
    if (const int line = sdf_line(document, kind, name); line > 0)
      return {Severity::error, file, line, fmt::format("{} '{}'", kind, name), reason};
  return {Severity::error, file, 0, fmt::format("frame '{}'", vertex), reason};
}

/// All that is left when poses or attachments refer to one another in a circle.
Problems circles(const std::vector<SdfMessage>& messages, const tinyxml2::XMLDocument& document,
                 const std::string& file) {
  static const std::regex vertex(R"re(cycle detected, already visited vertex \[([^\]]*)\])re");
  std::smatch match;
  for (const SdfMessage& m : messages)
    if (m.text.size() < 1000 && std::regex_search(m.text, match, vertex))
      return {circle(match[1], document, file)};
  return {};
}

}  // namespace

Problems sdf_problems(const std::vector<SdfMessage>& messages, const tinyxml2::XMLDocument& document,
                      const std::string& file, bool explained) {
  std::set<std::string> duplicates, told;
  Problems out;
  for (const SdfMessage& m : causes(messages)) {
    const Parts parts = take_apart(m, document);
    if (m.duplicate_name) duplicates.insert(parts.element());
    if (!m.duplicate_name && duplicates.contains(parts.element())) continue;
    if (told.insert(parts.element() + "|" + (parts.about.empty() ? parts.reason : parts.about)).second)
      out.push_back({Severity::error, file, parts.line, parts.element(), parts.reason});
  }
  if (!out.empty() || explained) return out;
  out = circles(messages, document, file);
  if (out.empty() && !messages.empty())
    out.push_back({Severity::error, file, 0, "", plain_words(messages.front().text.substr(0, 200))});
  return out;
}

}  // namespace amble
