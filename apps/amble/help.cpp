#include <fmt/format.h>

#include <memory>

#include "amble/base/error.hpp"
#include "amble/base/library_part.hpp"
#include "amble/io/source.hpp"
#include "command.hpp"
#include "help_index.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  std::vector<std::string> words;
  int most = 8;
  bool json = false;
};

/// At most `width` characters, cut at a word.
std::string shortened(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const std::size_t cut = text.rfind(' ', width - 4);
  return text.substr(0, cut == text.npos ? width - 4 : cut) + " ...";
}

void print(const std::vector<HelpHit>& hits) {
  constexpr std::size_t kWidth = 80, kIndent = 10;
  for (const HelpHit& hit : hits) {
    const HelpEntry& e = *hit.entry;
    fmt::print("{:<{}}{}\n", name_of(e.kind), kIndent, shortened(e.title, kWidth - kIndent));
    if (!e.text.empty()) fmt::print("{:<{}}{}\n", "", kIndent, shortened(e.text, kWidth - kIndent));
    if (!e.place.empty()) fmt::print("{:<{}}{}\n", "", kIndent, e.place);
  }
}

Json json_of(const std::vector<HelpHit>& hits) {
  Json out = Json::array();
  for (const HelpHit& hit : hits)
    out.push_back({{"kind", name_of(hit.entry->kind)},
                   {"title", hit.entry->title},
                   {"text", hit.entry->text},
                   {"page", hit.entry->place},
                   {"score", hit.score}});
  return out;
}

std::string nothing_found(const HelpIndex& index, const std::vector<std::string>& words) {
  const std::string near = index.nearest_word(words.front());
  return fmt::format(
      "nothing is found for '{}'{}; 'amble --help' lists the commands, docs/glossary.md the terms",
      fmt::join(words, " "), near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near));
}

int run_help(const CLI::App& app, const Settings& s) {
  if (s.words.empty()) {
    fmt::print("{}", app.get_formatter()->make_help(&app, "amble", CLI::AppFormatMode::Normal));  // app.help() is that of `help`
    return 0;
  }
  HelpIndex index;
  index.add_commands(app);
  index.add_pages(read_text(detail::library_part("help.txt")));
  const std::vector<HelpHit> hits = index.find(s.words, static_cast<std::size_t>(s.most));
  if (s.json)
    fmt::print("{}\n", json_text({{"words", s.words}, {"found", json_of(hits)}}));
  else if (!hits.empty())
    print(hits);
  if (hits.empty()) throw Error(nothing_found(index, s.words));
  return 0;
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  const auto s = std::make_shared<Settings>();
  command.add_option("words", s->words, "What to look for, such as 'friction cone' or 'warm start'")
      ->type_name("WORD...");
  command.add_option("--most", s->most, "Results at most")->check(CLI::Range(1, 1000))->capture_default_str();
  command.add_flag("--json", s->json, "Print JSON");
  command.callback(
      [&command, &run, s] { run = [&app = *command.get_parent(), s] { return run_help(app, *s); }; });
}

}  // namespace amble::app
