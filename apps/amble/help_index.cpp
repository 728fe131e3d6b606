#include "help_index.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "amble/base/names.hpp"

namespace amble::app {

namespace {

using Kind = HelpEntry::Kind;

// Weights of a match, by where it is; whole words count for more than beginnings of words.
constexpr double kInTitle = 10.0, kInAliases = 8.0, kInText = 2.0, kBeginning = 0.5;
constexpr double kAllWords = 2.0;         // an entry that has every word
constexpr double kWholeTitle = 6.0;       // a title of nothing but these words
constexpr std::size_t kMinBeginning = 4;  // letters of a word whose beginning is looked for

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Lower case and singular, so that "Multipliers" finds "multiplier".
std::string stem(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word.size() > 5 && word.ends_with("ies")) return word.substr(0, word.size() - 3) + "y";
  if (word.size() > 3 && word.ends_with("s") && !word.ends_with("ss") && !word.ends_with("us") &&
      !word.ends_with("is"))
    word.pop_back();
  return word;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end > i) out.push_back(stem(std::string(text.substr(i, end - i))));
    i = end + 1;
  }
  return out;
}

/// Words of questions that say nothing about their subject.
bool is_filler(const std::string& word) {
  static const std::set<std::string> fillers{"a",   "an", "the", "how",  "do",  "i",   "to",   "of",   "for",
                                             "my",  "in", "on",  "is",   "are", "get", "what", "with", "and",
                                             "can", "it", "use", "from", "by",  "me",  "does"};
  return fillers.contains(word);
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view out = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

/// Markdown without its marks: **bold**, `code`, [text](target).
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '*' || c == '`' || c == '[') continue;
    if (c == ']' && i + 1 < text.size() && text[i + 1] == '(') {
      i = std::min(text.find(')', i), text.size() - 1);
      continue;
    }
    if (c != ']') out += c;
  }
  return out;
}

/// The cells of a row of a table.
std::vector<std::string> cells(std::string_view row) {
  std::vector<std::string> out;
  row.remove_prefix(1);
  while (!row.empty()) {
    const std::size_t end = std::min(row.find('|'), row.size());
    out.push_back(plain(trimmed(row.substr(0, end))));
    row.remove_prefix(std::min(end + 1, row.size()));
  }
  return out;
}

double match(const std::string& word, const std::vector<std::string>& in) {
  double best = 0.0;
  for (const std::string& w : in) {
    if (w == word) return 1.0;
    const bool begins = word.size() >= kMinBeginning &&
                        (w.starts_with(word) || (w.size() >= kMinBeginning && word.starts_with(w)));
    if (begins) best = kBeginning;
  }
  return best;
}

double prior(Kind kind) {
  switch (kind) {
    case Kind::term:
      return 1.3;
    case Kind::command:
      return 1.2;
    case Kind::python:
      return 1.1;
    case Kind::page:
      return 1.0;
    case Kind::option:
      return 0.8;
  }
  return 1.0;
}

double score(const HelpEntry& entry, const std::vector<std::string>& wanted) {
  const std::vector<std::string> title = words_of(entry.title), aliases = words_of(entry.aliases),
                                 text = words_of(entry.text);
  double sum = 0.0;
  std::size_t found = 0, in_title = 0;
  for (const std::string& word : wanted) {
    const double at_title = match(word, title);
    const double best =
        std::max({kInTitle * at_title, kInAliases * match(word, aliases), kInText * match(word, text)});
    sum += best;
    found += best > 0.0 ? 1 : 0, in_title += at_title == 1.0 ? 1 : 0;
  }
  if (found == wanted.size()) sum *= kAllWords;
  sum += kWholeTitle * static_cast<double>(in_title) /
         static_cast<double>(std::max<std::size_t>(title.size(), 1));
  return found == 0 ? 0.0 : sum * prior(entry.kind);
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::term:
      return "term";
    case Kind::command:
      return "command";
    case Kind::option:
      return "option";
    case Kind::python:
      return "Python";
    case Kind::page:
      return "page";
  }
  return "";
}

// ---- what there is

void HelpIndex::add_pages(std::string_view bundle) {
  while (!bundle.empty()) {
    const std::size_t mark = bundle.find('\f');
    if (mark == bundle.npos) return;
    bundle.remove_prefix(mark + 1);
    const std::string path(trimmed(next_line(bundle)));
    const std::string_view text = bundle.substr(0, bundle.find('\f'));
    if (path.ends_with(".pyi"))
      add_stubs(text);
    else if (path.ends_with("glossary.md"))
      add_glossary(path, text);
    else
      add_page(path, text);
  }
}

/// An entry for each heading, with the first paragraph under it.
void HelpIndex::add_page(const std::string& path, std::string_view text) {
  std::string title;
  bool code = false, open = false;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.starts_with("```")) code = !code;
    if (code || line.starts_with("```")) continue;
    if (line.starts_with("#")) {
      const std::string heading = plain(trimmed(line.substr(line.find_first_not_of('#'))));
      const bool top = line.starts_with("# ");
      if (top) title = heading;
      entries_.push_back({Kind::page, top || title.empty() ? heading : title + ": " + heading, "", "", path});
      open = true;
    } else if (open && !entries_.empty() && !line.empty() && !line.starts_with("|")) {
      std::string& body = entries_.back().text;
      body += (body.empty() ? "" : " ") + plain(line);
    } else if (open && line.empty() && !entries_.empty() && !entries_.back().text.empty()) {
      open = false;
    }
  }
}

/// Rows of the form | **term**, **other** | meaning | terms used elsewhere |.
void HelpIndex::add_glossary(const std::string& path, std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!line.starts_with("| **")) continue;
    const std::vector<std::string> row = cells(line);
    if (row.size() >= 3) entries_.push_back({Kind::term, row[0], row[2], row[1], path});
  }
}

/// Functions, classes and methods; their signatures are the text.
void HelpIndex::add_stubs(std::string_view text) {
  std::string owner;
  std::set<std::string> seen;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const bool inside = line.starts_with("    ");
    const std::string_view code = trimmed(line);
    const auto name_after = [&](std::string_view keyword) -> std::optional<std::string> {
      if (!code.starts_with(keyword)) return {};
      const std::string_view rest = code.substr(keyword.size());
      const std::string name(rest.substr(0, rest.find_first_of("(:= ")));
      if (name.empty() || name.front() == '_') return {};
      return name;
    };
    if (!inside && !code.empty()) owner.clear();
    if (const auto name = name_after("class "); name && !inside) {
      owner = *name;
      entries_.push_back({Kind::python, "amble." + owner, "", "class", ""});
    } else if (const auto function = name_after("def ")) {
      if (inside && owner.empty()) continue;
      const std::string title = "amble." + (inside ? owner + "." : std::string()) + *function;
      if (seen.insert(title).second)
        entries_.push_back({Kind::python, title, "", std::string(code.substr(4)), ""});
    }
  }
}

void HelpIndex::add_options(const CLI::App& app, const std::string& name) {
  entries_.push_back({Kind::command, name, "", app.get_description(), ""});
  for (const CLI::Option* option : app.get_options()) {
    const auto& names = option->get_lnames();
    if (!names.empty() && names.front() != "help")
      entries_.push_back({Kind::option, name + " --" + names.front(), "", option->get_description(), ""});
  }
  for (const CLI::App* inner : app.get_subcommands({})) add_options(*inner, name + " " + inner->get_name());
}

void HelpIndex::add_commands(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands({}))
    add_options(*command, "amble " + command->get_name());
}

// ---- search

std::vector<HelpHit> HelpIndex::find(const std::vector<std::string>& words, std::size_t most) const {
  std::vector<std::string> wanted;
  for (const std::string& text : words)
    for (const std::string& word : words_of(text))
      if (!is_filler(word)) wanted.push_back(word);
  std::vector<HelpHit> out;
  for (const HelpEntry& entry : entries_)
    if (const double s = wanted.empty() ? 0.0 : score(entry, wanted); s > 0.0) out.push_back({&entry, s});
  std::stable_sort(out.begin(), out.end(),
                   [](const HelpHit& a, const HelpHit& b) { return a.score > b.score; });
  if (out.size() > most) out.resize(most);
  return out;
}

std::string HelpIndex::nearest_word(const std::string& word) const {
  std::set<std::string> known;
  for (const HelpEntry& entry : entries_) {
    for (const std::string& w : words_of(entry.title)) known.insert(w);
    for (const std::string& w : words_of(entry.aliases)) known.insert(w);
  }
  const std::vector<std::string> all(known.begin(), known.end());
  return std::string(nearest_name(stem(word), all));
}

}  // namespace amble::app
