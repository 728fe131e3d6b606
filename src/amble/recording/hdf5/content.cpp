#include "amble/recording/hdf5/content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"
#include "amble/recording/hdf5/guarded_file.hpp"

namespace amble::hdf5 {

namespace {

using Texts = std::vector<std::string>;

Handle space_of(std::span<const hsize_t> size) {
  if (size.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  return {H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose};
}

Handle text_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, bytes)), check(H5Tset_cset(type, H5T_CSET_UTF8));
  check(H5Tset_strpad(type, H5T_STR_NULLPAD));
  return type;
}

void new_attribute(hid_t object, const char* name, hid_t type, std::span<const hsize_t> size, const void* value) {
  const Handle space = space_of(size);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, type, value));
}

Handle attribute_of(hid_t object, const char* name) { return {H5Aopen(object, name, H5P_DEFAULT), H5Aclose}; }

std::size_t longest(const Texts& texts) {
  std::size_t out = 1;  // HDF5 has no texts of no bytes
  for (const std::string& text : texts) out = std::max(out, text.size());
  return out;
}

/// One after the other, filled up by zeros.
std::string padded(const Texts& texts, std::size_t bytes) {
  std::string out;
  for (const std::string& text : texts) out.append(text).append(bytes - text.size(), '\0');
  return out;
}

std::string without_padding(const std::string& text) { return text.substr(0, text.find_last_not_of('\0') + 1); }

/// What is read into one number or text must be one.
void check_one(hid_t attribute, const char* name) {
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != 1) throw Error(fmt::format("'{}' is not one value", name));
}

Handle new_list(hid_t where, const char* name, hid_t type, std::span<const hsize_t> size) {
  const Handle space = space_of(size), how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(how, false));
  return {H5Dcreate2(where, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT), H5Dclose};
}

void write_list(hid_t where, const char* name, const Texts& texts, std::span<const hsize_t> size) {
  const std::size_t bytes = longest(texts);
  const Handle type = text_type(bytes), list = new_list(where, name, type, size);
  check(H5Dwrite(list, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded(texts, bytes).data()));
}

/// The lengths of a table's sides.
std::vector<hsize_t> size_of(const Handle& table) {
  const Handle space(H5Dget_space(table), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  check(rank);
  std::vector<hsize_t> out(rank);
  check(H5Sget_simple_extent_dims(space, out.data(), nullptr));
  return out;
}

/// Before memory is asked for: a damaged file may say anything.
void check_there(const Handle& table, const char* name, hsize_t rows, std::size_t row_bytes) {
  check_limit(Limit::rows, static_cast<double>(rows), fmt::format("the number of rows of '{}'", name));
  const Handle file(H5Iget_file_id(table), H5Fclose);
  hsize_t file_bytes = 0;
  check(H5Fget_filesize(file, &file_bytes));
  if (std::min(H5Dget_storage_size(table), file_bytes) / row_bytes < rows)
    throw Error(fmt::format("'{}' says that it has {} rows, but they are not there", name, rows));
}

/// Whatever stands between a file and a name in it is in this file.
void check_links(hid_t where, const std::string& path, const char* name) {
  for (std::size_t end = 0; end != path.npos;) {
    end = path.find('/', end + 1);
    H5L_info_t link = {};
    check(H5Lget_info(where, path.substr(0, end).c_str(), &link, H5P_DEFAULT));
    if (link.type != H5L_TYPE_HARD) throw Error(fmt::format("'{}' is a link to another place", name));
  }
}

/// Its rows stand in this file as they are: no filters, other files or other datasets.
void check_plain(const Handle& table, const char* name) {
  constexpr hsize_t kLargestChunk = 64 << 20;
  const Handle how(H5Dget_create_plist(table), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(how);
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    throw Error(fmt::format("'{}' is made of other datasets", name));
  if (H5Pget_external_count(how) != 0) throw Error(fmt::format("'{}' stands in another file", name));
  if (H5Pget_nfilters(how) != 0) throw Error(fmt::format("'{}' is compressed", name));
  hsize_t chunk[H5S_MAX_RANK] = {};
  const int rank = layout == H5D_CHUNKED ? H5Pget_chunk(how, H5S_MAX_RANK, chunk) : 0;
  hsize_t bytes = 1;
  for (int i = 0; i < rank; ++i) bytes = std::max(bytes, chunk[i]) > kLargestChunk ? kLargestChunk + 1 : bytes * chunk[i];
  if (bytes > kLargestChunk) throw Error(fmt::format("'{}' has pieces of {} rows", name, chunk[0]));
}

/// A table of a file that nobody vouches for.
Handle open_plain(hid_t where, const char* name) {
  check_links(where, name, name);
  Handle table = open_table(where, name);
  check_plain(table, name);
  return table;
}

/// Makes a table longer and writes what is new.
void append(const Handle& table, hid_t type, std::span<const hsize_t> added, const void* values) {
  if (added[0] == 0) return;
  std::vector<hsize_t> start(added.size(), 0), size = size_of(table);
  start[0] = size[0];
  size[0] += added[0];
  check(H5Dset_extent(table, size.data()));
  const Handle all(H5Dget_space(table), H5Sclose), part = space_of(added);
  check(H5Sselect_hyperslab(all, H5S_SELECT_SET, start.data(), nullptr, added.data(), nullptr));
  check(H5Dwrite(table, type, part, all, H5P_DEFAULT, values));
}

}  // namespace

// ---- attributes

void write_attribute(hid_t object, const char* name, const std::string& text) {
  const std::size_t bytes = longest({text});
  new_attribute(object, name, text_type(bytes), {}, padded({text}, bytes).data());
}

void write_attribute(hid_t object, const char* name, const Texts& texts) {
  if (std::all_of(texts.begin(), texts.end(), [&](const std::string& text) { return text == texts[0]; }))
    return write_attribute(object, name, texts.empty() ? std::string() : texts[0]);
  const hsize_t size[] = {texts.size()};
  const std::size_t bytes = longest(texts);
  new_attribute(object, name, text_type(bytes), size, padded(texts, bytes).data());
}

void write_attribute(hid_t object, const char* name, std::int64_t number) {
  new_attribute(object, name, H5T_NATIVE_INT64, {}, &number);
}

void write_attribute(hid_t object, const char* name, double number) {
  new_attribute(object, name, H5T_NATIVE_DOUBLE, {}, &number);
}

void change_attribute(hid_t object, const char* name, std::int64_t number) {
  check(H5Awrite(attribute_of(object, name), H5T_NATIVE_INT64, &number));
}

bool has_attribute(hid_t object, const char* name) { return H5Aexists(object, name) > 0; }

std::string text_attribute(hid_t object, const char* name) {
  const Handle attribute = attribute_of(object, name), type(H5Aget_type(attribute), H5Tclose);
  check_one(attribute, name);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    throw Error(fmt::format("'{}' is not a text of fixed length", name));
  check_limit(Limit::file_bytes, static_cast<double>(H5Tget_size(type)), fmt::format("the length of '{}'", name));
  std::string out(H5Tget_size(type), '\0');
  check(H5Aread(attribute, type, out.data()));
  return without_padding(out);
}

bool is_variable_text(hid_t object, const char* name) {
  const Handle attribute = attribute_of(object, name), type(H5Aget_type(attribute), H5Tclose);
  return H5Tis_variable_str(type) > 0;
}

namespace {

template <class Number>
Number value_attribute(hid_t object, const char* name, hid_t kind) {
  const Handle attribute = attribute_of(object, name), type(H5Aget_type(attribute), H5Tclose);
  check_one(attribute, name);
  if (H5Tequal(type, kind) <= 0) throw Error(fmt::format("'{}' is not a number of its kind", name));
  Number out = 0;
  check(H5Aread(attribute, kind, &out));
  return out;
}

}  // namespace

std::int64_t integer_attribute(hid_t object, const char* name) {
  return value_attribute<std::int64_t>(object, name, H5T_NATIVE_INT64);
}

double number_attribute(hid_t object, const char* name) {
  return value_attribute<double>(object, name, H5T_NATIVE_DOUBLE);
}

// ---- texts

void write_text(hid_t where, const char* name, const std::string& text) { write_list(where, name, {text}, {}); }

void write_texts(hid_t where, const char* name, const Texts& texts) {
  const hsize_t size[] = {texts.size()};
  write_list(where, name, texts, size);
}

Texts read_texts(hid_t where, const char* name) {
  const Handle list = open_plain(where, name), type(H5Dget_type(list), H5Tclose);
  const std::vector<hsize_t> size = size_of(list);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size.size() > 1)
    throw Error(fmt::format("'{}' is not a list of texts", name));
  const std::size_t bytes = H5Tget_size(type), count = size.empty() ? 1 : size[0];
  check_there(list, name, count, bytes);
  check_limit(Limit::file_bytes, static_cast<double>(bytes) * static_cast<double>(count),
              fmt::format("the length of '{}'", name));
  std::string all(bytes * count, '\0');
  const RawData raw;
  check(H5Dread(list, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));
  Texts out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(without_padding(all.substr(i * bytes, bytes)));
  return out;
}

std::string read_text(hid_t where, const char* name) {
  const Texts texts = read_texts(where, name);
  if (texts.size() != 1) throw Error(fmt::format("'{}' is not one text", name));
  return texts[0];
}

// ---- tables

Handle new_group(hid_t where, const char* name) {
  const Handle how(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(how, false));
  return {H5Gcreate2(where, name, H5P_DEFAULT, how, H5P_DEFAULT), H5Gclose};
}

bool has(hid_t where, const char* name) { return H5Lexists(where, name, H5P_DEFAULT) > 0; }

Handle new_table(hid_t where, const char* name, const RowKind& kind, const Rows& rows) {
  const int rank = kind.columns == 0 ? 1 : 2;
  const hsize_t size[] = {rows.fixed, kind.columns}, most[] = {rows.chunk > 0 ? H5S_UNLIMITED : rows.fixed, kind.columns},
                chunk[] = {rows.chunk, kind.columns};
  const Handle space(H5Screate_simple(rank, size, most), H5Sclose), how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(how, false));
  if (rows.chunk > 0) check(H5Pset_chunk(how, rank, chunk));
  if (kind.text_bytes > 0)
    return {H5Dcreate2(where, name, text_type(kind.text_bytes), space, H5P_DEFAULT, how, H5P_DEFAULT), H5Dclose};
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  check(H5Pset_fill_value(how, H5T_NATIVE_DOUBLE, &kNothing));
  return {H5Dcreate2(where, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT), H5Dclose};
}

Handle open_group(hid_t where, const char* name) {
  check_links(where, name, name);
  return {H5Gopen2(where, name, H5P_DEFAULT), H5Gclose};
}

Handle open_table(hid_t where, const char* name) { return {H5Dopen2(where, name, H5P_DEFAULT), H5Dclose}; }

hsize_t rows_of(const Handle& table) { return size_of(table).at(0); }

hsize_t read_columns(hid_t where, const char* name) {
  const std::vector<hsize_t> size = size_of(open_plain(where, name));
  if (size.size() != 2) throw Error(fmt::format("'{}' does not have columns", name));
  return size[1];
}

void append(const Handle& table, hsize_t columns, const double* numbers, hsize_t rows) {
  const hsize_t added[] = {rows, columns};
  append(table, H5T_NATIVE_DOUBLE, std::span(added, columns == 0 ? 1 : 2), numbers);
}

void fill(const Handle& table, const double* numbers) {
  check(H5Dwrite(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
}

void append(const Handle& table, std::size_t bytes, const Texts& texts) {
  const hsize_t added[] = {texts.size()};
  append(table, text_type(bytes), added, padded(texts, bytes).data());
}

std::vector<double> read_numbers(hid_t where, const char* name, hsize_t columns) {
  const Handle table = open_plain(where, name), type(H5Dget_type(table), H5Tclose);
  const std::vector<hsize_t> size = size_of(table);
  const bool fits = columns == 0 ? size.size() == 1 : size.size() == 2 && size[1] == columns;
  if (!fits) throw Error(fmt::format("'{}' does not have {} columns", name, std::max<hsize_t>(columns, 1)));
  check_limit(Limit::rows, static_cast<double>(columns), fmt::format("the number of columns of '{}'", name));
  if (H5Tequal(type, H5T_IEEE_F64LE) <= 0) throw Error(fmt::format("'{}' is not a table of numbers", name));
  check_there(table, name, size[0], sizeof(double) * std::max<hsize_t>(columns, 1));
  std::vector<double> out(size[0] * std::max<hsize_t>(columns, 1));
  const RawData raw;
  if (!out.empty()) check(H5Dread(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()));
  return out;
}

}  // namespace amble::hdf5
