#pragma once

#include <toml++/toml.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"

namespace amble {

/// Throws an Error of a text that is no TOML, or more than its limits allow, with its source and the line;
/// without `lines` for a source that has only one.
toml::table parse_toml(const std::string& text, const std::string& source, bool lines = true);

/// A TOML table that is read key by key: says what is missing or of the wrong kind, and, at the end, which keys nobody
/// asked for. Problems are collected with their lines, so that a file is reported whole.
class TomlTable {
 public:
  TomlTable(const toml::table* table, std::string name, std::string file, Problems& problems)
      : table_(table), name_(std::move(name)), file_(std::move(file)), problems_(problems) {}

  /// The table at `key`; an empty one when there is none.
  TomlTable table(const char* key);
  /// The tables of an array `[[key]]`; none when there is none.
  std::vector<TomlTable> tables(const char* key);
  std::string text(const char* key, const std::string& fallback);
  /// One finite number, no more than its limit.
  double number(const char* key, double fallback, Limit kind = Limit::number);
  /// A whole number of at least `least`, for counts.
  int whole(const char* key, int fallback, int least);
  bool flag(const char* key, bool fallback);
  /// One of `words`.
  std::string choice(const char* key, const std::vector<std::string>& words, const std::string& fallback);
  /// Numbers: a single one or an array; `size` 0 takes any. Those that are not finite or above their limit
  /// are problems.
  std::vector<double> numbers(const std::string& key, std::size_t size = 0, Limit kind = Limit::number);
  /// An array of arrays of such numbers.
  std::vector<std::vector<double>> rows(const std::string& key, Limit kind = Limit::number);
  std::vector<std::string> texts(const char* key);
  /// Formulas, each a finite number or a text: one, an array, or an array of rows; as texts, row by row.
  std::vector<std::vector<std::string>> formulas(const std::string& key);
  std::vector<std::string> keys() const;
  bool has(const std::string& key) const { return table_ != nullptr && table_->contains(key); }
  bool has_table(const std::string& key) const { return has(key) && table_->get(key)->is_table(); }
  void require(const char* key);
  void problem(const std::string& key, const std::string& reason);

  /// Reports every key that was never read, with the nearest one that could have been.
  void finish();

 private:
  const toml::node* node(const std::string& key);
  /// Of a number that may be used; the reason it may not is a problem.
  std::optional<double> number_of(const std::string& key, const toml::node& item, Limit kind,
                                  const char* otherwise);
  void problem(const std::string& key, const toml::node* at, const std::string& reason);

  const toml::table* table_;
  std::string name_, file_;
  Problems& problems_;
  std::vector<std::string> known_;
};

}  // namespace amble
