#include "amble/io/mjcf/grammar.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "amble/io/mjcf/grammar_table.hpp"

namespace amble {

namespace {

using Attributes = std::vector<MjcfAttribute>;

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

int number_in(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// What stands behind the colon: see MjcfRow.
void set_type(MjcfAttribute& a, std::string_view type) {
  constexpr int kAny = 1 << 30;
  const auto keywords = [&](std::vector<std::string_view> words) {
    a.type = MjcfAttribute::Type::keyword, a.keywords = std::move(words);
  };
  if (type == "b") return keywords({"true", "false"});
  if (type == "a") return keywords({"true", "false", "auto"});
  if (type == "e") return keywords({"enable", "disable"});
  if (type == "i") return (void)(a.type = MjcfAttribute::Type::whole);
  const bool counts = type == "*" || (type[0] >= '1' && type[0] <= '9' && type.find('|') == type.npos);
  if (!counts) return keywords(split(type, '|'));
  a.type = MjcfAttribute::Type::number;
  a.least = type == "*" ? 0 : number_in(type);
  const std::size_t dash = type.find('-');
  a.most = type == "*" ? kAny : dash == type.npos ? a.least : number_in(type.substr(dash + 1));
}

std::string_view group(std::string_view name) {
  for (const MjcfGroup& g : mjcf_groups())
    if (g.name == name) return g.attributes;
  return {};
}

void add_attributes(std::string_view text, Attributes& out) {
  for (std::string_view word : split(text, ' ')) {
    if (word.starts_with('@')) {
      add_attributes(group(word.substr(1)), out);
      continue;
    }
    MjcfAttribute a;
    a.used = !word.ends_with('~');
    if (!a.used) word.remove_suffix(1);
    const std::size_t colon = word.find(':');
    a.name = word.substr(0, colon);
    if (colon != word.npos) set_type(a, word.substr(colon + 1));
    out.push_back(std::move(a));
  }
}

using Context = std::map<std::string_view, MjcfRule>;

std::map<std::string_view, Context> read_table() {
  std::map<std::string_view, Context> out;
  for (const MjcfRow& row : mjcf_rows()) {
    MjcfRule rule{row.name, row.tag, row.holds, row.meaning, {}};
    add_attributes(row.attributes, rule.attributes);
    if (row.contexts.empty()) out[""].emplace(row.name, rule);
    for (const std::string_view context : split(row.contexts, ' ')) out[context].emplace(row.name, rule);
  }
  return out;
}

const Context* context_of(std::string_view name) {
  static const std::map<std::string_view, Context> table = read_table();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace

const MjcfAttribute* MjcfRule::find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const MjcfAttribute& a) { return a.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

const MjcfRule* mjcf_rule(std::string_view context, std::string_view element) {
  const Context* rules = context_of(context);
  if (rules == nullptr) return nullptr;
  const auto found = rules->find(element);
  return found == rules->end() ? nullptr : &found->second;
}

std::vector<std::string> mjcf_names(std::string_view context) {
  std::vector<std::string> out;
  if (const Context* rules = context_of(context))
    for (const auto& [name, rule] : *rules) out.emplace_back(name);
  return out;
}

}  // namespace amble
