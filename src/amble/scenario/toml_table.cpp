#include "amble/scenario/toml_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/names.hpp"
#include "amble/io/source.hpp"
#include "amble/scenario/toml_scan.hpp"

namespace amble {

toml::table parse_toml(const std::string& text, const std::string& source, bool lines) {
  const auto fail = [&](unsigned line, std::string_view reason) {
    throw Error(lines ? fmt::format("{}:{}: {}", source, line, reason)
                      : fmt::format("{}: {}", source, reason));
  };
  check_file_bytes(source, text.size());
  if (const auto flaw = toml_flaw(text)) fail(flaw->line, flaw->reason);
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& e) {
    fail(e.source().begin.line, e.description());
    return {};
  }
}

const toml::node* TomlTable::node(const std::string& key) {
  known_.push_back(key);
  return table_ == nullptr ? nullptr : table_->get(key);
}

/// Of what is missing, the place is that of its table; what was set from outside has a source of its own.
void TomlTable::problem(const std::string& key, const toml::node* at, const std::string& reason) {
  const std::string where = fmt::format("'{}'", name_.empty() ? key : name_ + "." + key);
  if (at == nullptr && !name_.empty()) at = table_;
  if (at != nullptr && at->source().path != nullptr && *at->source().path != file_)
    return problems_.push_back({Severity::error, *at->source().path, 0, where, reason});
  const int line = at == nullptr ? 0 : static_cast<int>(at->source().begin.line);
  problems_.push_back({Severity::error, file_, line, where, reason});
}

void TomlTable::problem(const std::string& key, const std::string& reason) {
  problem(key, table_ == nullptr ? nullptr : table_->get(key), reason);
}

TomlTable TomlTable::table(const char* key) {
  const toml::node* n = node(key);
  if (n != nullptr && !n->is_table()) problem(key, n, "is not a table");
  return {n == nullptr ? nullptr : n->as_table(), name_.empty() ? key : name_ + "." + key, file_, problems_};
}

std::vector<TomlTable> TomlTable::tables(const char* key) {
  const toml::node* n = node(key);
  std::vector<TomlTable> out;
  if (n == nullptr) return out;
  const toml::array* array = n->as_array();
  if (array == nullptr || !array->is_array_of_tables()) {
    problem(key, n, fmt::format("is not an array of tables, as [[{}]] begins each", key));
    return out;
  }
  const std::string name = name_.empty() ? key : name_ + "." + key;
  for (const toml::node& item : *array)
    out.emplace_back(item.as_table(), fmt::format("{}[{}]", name, out.size()), file_, problems_);
  return out;
}

double TomlTable::number(const char* key, double fallback, Limit kind) {
  if (!has(key)) {
    known_.push_back(key);
    return fallback;
  }
  const std::vector<double> values = numbers(key, 1, kind);
  return values.size() == 1 ? values[0] : fallback;
}

int TomlTable::whole(const char* key, int fallback, int least) {
  const double value = number(key, fallback, Limit::rows), most = std::numeric_limits<int>::max();
  if (value >= least && value <= most && value == std::round(value)) return static_cast<int>(value);
  problem(key, fmt::format("is {}, expected a whole number of {} or more", value, least));
  return fallback;
}

std::string TomlTable::text(const char* key, const std::string& fallback) {
  const toml::node* n = node(key);
  if (n == nullptr) return fallback;
  if (const auto value = n->value_exact<std::string>()) return *value;
  problem(key, n, "is not a text in quotes");
  return fallback;
}

bool TomlTable::flag(const char* key, bool fallback) {
  const toml::node* n = node(key);
  if (n == nullptr) return fallback;
  if (const auto value = n->value_exact<bool>()) return *value;
  problem(key, n, "is not true or false");
  return fallback;
}

std::string TomlTable::choice(const char* key, const std::vector<std::string>& words, const std::string& fallback) {
  const std::string word = text(key, fallback);
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  problem(key, table_->get(key), fmt::format("is '{}', expected one of {}", word, fmt::join(words, ", ")));
  return fallback;
}

std::optional<double> TomlTable::number_of(const std::string& key, const toml::node& item, Limit kind,
                                           const char* otherwise) {
  const auto value = item.is_number() ? item.value<double>() : std::nullopt;
  const bool finite = value && std::isfinite(*value);
  const std::string reason = finite ? limit_breach(kind, *value, "a number") : otherwise;
  if (reason.empty()) return value;
  problem(key, &item, reason);
  return {};
}

std::vector<std::vector<double>> TomlTable::rows(const std::string& key, Limit kind) {
  const toml::node* n = node(key);
  if (n == nullptr) return {};
  std::vector<std::vector<double>> out;
  const toml::array* const all = n->as_array();
  constexpr const char* kWrong = "is not made of rows of finite numbers";
  if (all == nullptr) problem(key, n, kWrong);
  for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
    const toml::array* const row = all->get(i)->as_array();
    if (row == nullptr) {
      problem(key, all->get(i), kWrong);
      break;
    }
    out.emplace_back();
    for (const toml::node& item : *row)
      out.back().push_back(number_of(key, item, kind, kWrong).value_or(0.0));
  }
  return out;
}

std::vector<double> TomlTable::numbers(const std::string& key, std::size_t size, Limit kind) {
  const toml::node* n = node(key);
  if (n == nullptr) return {};
  std::vector<double> values;
  bool numbers_alone = true;
  const auto take = [&](const toml::node& item) {
    const auto value = number_of(key, item, kind, "has something that is not a finite number");
    if (value) values.push_back(*value);
    numbers_alone = numbers_alone && value;
  };
  if (const toml::array* array = n->as_array())
    for (const toml::node& item : *array) take(item);
  else
    take(*n);
  if (size != 0 && values.size() != size && numbers_alone)
    problem(key, n, fmt::format("has {} numbers, expected {}", values.size(), size));
  return values;
}

std::vector<std::string> TomlTable::texts(const char* key) {
  const toml::node* n = node(key);
  if (n == nullptr) return {};
  std::vector<std::string> values;
  const toml::array* array = n->as_array();
  if (array == nullptr) problem(key, n, "is not an array of texts");
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    const auto value = array->get(i)->value_exact<std::string>();
    value ? values.push_back(*value) : problem(key, array->get(i), "has something that is not a text in quotes");
  }
  return values;
}

std::vector<std::vector<std::string>> TomlTable::formulas(const std::string& key) {
  const toml::node* n = node(key);
  if (n == nullptr) return {};
  const auto formula = [&](const toml::node& item) -> std::string {
    if (const auto text = item.value_exact<std::string>()) return *text;
    const auto value = item.is_number() ? item.value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value))
      problem(key, &item, "has something that is neither a finite number nor a text in quotes");
    return fmt::format("{}", value.value_or(0.0));
  };
  const toml::array* rows = n->as_array();
  if (rows == nullptr) return {{formula(*n)}};
  std::vector<std::vector<std::string>> out;
  for (const toml::node& row : *rows) {
    out.emplace_back();
    if (const toml::array* entries = row.as_array())
      for (const toml::node& entry : *entries) out.back().push_back(formula(entry));
    else
      out.back().push_back(formula(row));
  }
  if (out.empty()) problem(key, n, "is empty");
  return out;
}

std::vector<std::string> TomlTable::keys() const {
  std::vector<std::string> out;
  if (table_ != nullptr)
    for (const auto& [key, value] : *table_) out.emplace_back(key.str());
  return out;
}

void TomlTable::require(const char* key) {
  if (!has(key)) problem(key, nullptr, "is missing");
}

void TomlTable::finish() {
  constexpr std::size_t kSuggestions = 20;  // of a file with a hundred thousand unknown keys
  const std::set<std::string> known(known_.begin(), known_.end());
  const std::vector<std::string> names(known.begin(), known.end());
  for (const std::string& key : keys())
    if (!known.contains(key))
      problem(key, table_->get(key),
              "is not a key that is known here" +
                  (problems_.size() < kSuggestions ? suggestion(key, names) : ""));
}

}  // namespace amble
