#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "amble/recording/hdf5/handle.hpp"

// What stands in a file: texts, numbers, tables, also such that grow by rows. `where` is a file or a group, `object` one
// of these or a dataset. Texts have fixed lengths: HDF5 keeps those of variable length in a heap without checksums, and
// does not survive a damaged one. What is read is refused unless it stands in this file, plain and of the type it was
// written as. Everything throws an Error with what HDF5 says.
namespace amble::hdf5 {

void write_attribute(hid_t object, const char* name, const std::string& text);
/// One text where all are the same.
void write_attribute(hid_t object, const char* name, const std::vector<std::string>& texts);
void write_attribute(hid_t object, const char* name, std::int64_t number);
void write_attribute(hid_t object, const char* name, double number);
/// In place of what it was.
void change_attribute(hid_t object, const char* name, std::int64_t number);
bool has_attribute(hid_t object, const char* name);
std::string text_attribute(hid_t object, const char* name);
/// True for a text of variable length, which is not read to find that out.
bool is_variable_text(hid_t object, const char* name);
std::int64_t integer_attribute(hid_t object, const char* name);
double number_attribute(hid_t object, const char* name);

void write_text(hid_t where, const char* name, const std::string& text);
std::string read_text(hid_t where, const char* name);
/// As many bytes for each as the longest has.
void write_texts(hid_t where, const char* name, const std::vector<std::string>& texts);
std::vector<std::string> read_texts(hid_t where, const char* name);

Handle new_group(hid_t where, const char* name);
/// Refuses links to other files and places.
Handle open_group(hid_t where, const char* name);
bool has(hid_t where, const char* name);

/// What a row of a table is.
struct RowKind {
  hsize_t columns = 0;         ///< 0: the table is a plain list
  std::size_t text_bytes = 0;  ///< 0: numbers (double), otherwise a text of so many bytes
};
/// How many rows it has: a table that grows starts with none and does so by chunks.
struct Rows {
  hsize_t fixed = 0, chunk = 0;  ///< one of them
};
Handle new_table(hid_t where, const char* name, const RowKind& kind, const Rows& rows);
Handle open_table(hid_t where, const char* name);
hsize_t rows_of(const Handle& table);
/// Adds rows of a list or table of numbers that grows.
void append(const Handle& table, hsize_t columns, const double* numbers, hsize_t rows);
/// Writes all rows of one that does not.
void fill(const Handle& table, const double* numbers);
/// Adds rows of a list of texts of `bytes` bytes, zeros after shorter ones.
void append(const Handle& table, std::size_t bytes, const std::vector<std::string>& texts);
/// How many columns a table has.
hsize_t read_columns(hid_t where, const char* name);
/// The whole table of so many columns (0: a list), row by row.
std::vector<double> read_numbers(hid_t where, const char* name, hsize_t columns);

}  // namespace amble::hdf5
