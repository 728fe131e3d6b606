#pragma once

#include <toml++/toml.h>

#include <set>
#include <string>
#include <vector>

#include "amble/base/error.hpp"

namespace amble {

/// Throws an Error with the line of a text that is no TOML.
toml::table parse_toml(const std::string& text, const std::string& file);

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
  /// One finite number.
  double number(const char* key, double fallback);
  bool flag(const char* key, bool fallback);
  /// One of `words`.
  std::string choice(const char* key, const std::vector<std::string>& words, const std::string& fallback);
  /// Numbers: a single one or an array; `size` 0 takes any. Infinite and NaN are problems.
  std::vector<double> numbers(const std::string& key, std::size_t size = 0);
  /// An array of arrays of finite numbers.
  std::vector<std::vector<double>> rows(const std::string& key);
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
  void problem(const std::string& key, const toml::node* at, const std::string& reason);

  const toml::table* table_;
  std::string name_, file_;
  Problems& problems_;
  std::vector<std::string> known_;
};

}  // namespace amble
