#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace amble::app {

/// A thing that help can point at.
struct HelpEntry {
  enum class Kind { term, command, option, python, page };
  Kind kind;
  std::string title;    ///< "Delassus matrix", "amble simulate --step", "mass_matrix"
  std::string aliases;  ///< words that others use for it
  std::string text;     ///< one paragraph at most
  std::string place;    ///< page, or empty
};
const char* name_of(HelpEntry::Kind kind);

struct HelpHit {
  const HelpEntry* entry;
  double score;
};

/// Entries of the glossary, the pages, the Python package and the program's commands, and a search in them.
class HelpIndex {
 public:
  /// The pages and stubs in one text: each file after a line "\f PATH".
  void add_pages(std::string_view bundle);
  /// Commands with their subcommands and options.
  void add_commands(const CLI::App& app);

  /// The best entries for all words together, best first; empty when no word is known.
  std::vector<HelpHit> find(const std::vector<std::string>& words, std::size_t most) const;
  /// Known words that are most like this one.
  std::string nearest_word(const std::string& word) const;

 private:
  void add_page(const std::string& path, std::string_view text);
  void add_glossary(const std::string& path, std::string_view text);
  void add_stubs(std::string_view text);
  void add_options(const CLI::App& app, const std::string& name);

  std::vector<HelpEntry> entries_;
};

}  // namespace amble::app
