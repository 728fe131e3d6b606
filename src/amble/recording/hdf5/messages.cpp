#include "amble/recording/hdf5/messages.hpp"

#include <algorithm>

namespace amble::hdf5 {

namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 62;

std::uint64_t product(std::uint64_t a, std::uint64_t b) { return b != 0 && a > kMost / b ? kMost : a * b; }

constexpr bool bit(std::uint64_t flags, int place) { return (flags >> place & 1) != 0; }

void read_integer(Cursor& in, std::uint64_t size) {
  constexpr const char* kOdd = "a whole number of an unknown kind";
  require(size == 1 || size == 2 || size == 4 || size == 8, kOdd);
  require(in.number(2) == 0 && in.number(2) == 8 * size, kOdd);
}

/// IEEE 754: the places of the bits, and the bias of the exponent.
void read_float(Cursor& in, std::uint64_t size) {
  constexpr const char* kOdd = "a number of an unknown kind";
  require(size == 4 || size == 8, kOdd);
  const bool wide = size == 8;
  const std::uint64_t mantissa = wide ? 52 : 23, exponent = wide ? 11 : 8, bias = wide ? 1023 : 127;
  require(in.number(2) == 0 && in.number(2) == 8 * size, kOdd);
  require(in.number(1) == mantissa && in.number(1) == exponent && in.number(1) == 0, kOdd);
  require(in.number(1) == mantissa && in.number(4) == bias, kOdd);
}

enum TypeClass { kInteger = 0, kFloat = 1, kText = 3, kVariable = 9 };

std::uint64_t read_type_within(Cursor& in, bool variable_allowed) {
  const std::uint64_t head = in.number(1);
  require(head >> 4 >= 1 && head >> 4 <= 3, "a type of an unknown kind");
  in.skip(3);
  const std::uint64_t size = in.number(4), kind = head & 15;
  require(size > 0, "a type without size");
  if (kind == kInteger) return read_integer(in, size), size;
  if (kind == kFloat) return read_float(in, size), size;
  if (kind == kText) return size;
  require(kind == kVariable && variable_allowed && size == 16, "a type of an unknown kind");
  read_type_within(in, false);
  return size;
}

/// The index of chunks that streamed recordings have: an extensible array.
void read_chunk_index(Cursor& in) {
  constexpr std::uint64_t kExtensibleArray = 4;
  require(in.number(1) == kExtensibleArray, "an index of an unknown kind");
  for (const std::uint64_t parameter : {32, 4, 4, 16, 10})
    require(in.number(1) == parameter, "an index of an unknown kind");
  in.skip(8);
}

Layout read_chunks(Cursor& in) {
  constexpr std::uint64_t kMostSides = 9, kWidest = 8;
  require(in.number(1) == 0, "chunks of an unknown kind");
  const std::uint64_t sides = in.number(1), width = in.number(1);
  require(sides >= 2 && sides <= kMostSides && width >= 1 && width <= kWidest, "chunks of an unknown kind");
  Layout out;
  std::uint64_t bytes = 1;
  for (std::uint64_t i = 0; i < sides; ++i) {
    out.chunk.push_back(in.number(width));
    bytes = product(bytes, out.chunk.back());
  }
  require(bytes > 0 && bytes < std::uint64_t{1} << 31, "chunks of a size that none has");
  read_chunk_index(in);
  return out;
}

Dense read_dense(Cursor& in, std::size_t index_bytes) {
  require(in.number(1) == 0, "a message of an unknown version");
  const std::uint64_t flags = in.number(1);
  if (bit(flags, 0)) in.skip(index_bytes);
  Dense out;
  out.heap = in.number(8), out.tree = in.number(8);
  if (bit(flags, 1)) in.skip(8);
  return out;
}

}  // namespace

Extent read_extent(Cursor& in) {
  constexpr std::uint64_t kMostSides = 8, kSimple = 1;
  const std::uint64_t version = in.number(1), rank = in.number(1), flags = in.number(1);
  require((version == 1 || version == 2) && rank <= kMostSides && flags <= 1, "a space of an unknown kind");
  if (version == 1)
    in.skip(5);
  else
    require(in.number(1) <= kSimple, "a space of an unknown kind");
  Extent out{.rank = rank};
  for (std::uint64_t i = 0; i < rank; ++i) out.points = product(out.points, in.number(8));
  if (flags == 1) in.skip(8 * rank);
  return out;
}

std::uint64_t read_type(Cursor& in) { return read_type_within(in, true); }

Layout read_layout(Cursor& in) {
  enum Kind { kCompact, kContiguous, kChunked };
  const std::uint64_t version = in.number(1), kind = in.number(1);
  require(version == 3 || version == 4, "a layout of an unknown kind");
  Layout out;
  if (kind == kCompact) {
    out.compact_bytes = in.number(2);
    in.skip(*out.compact_bytes);
  } else if (kind == kContiguous) {
    in.skip(16);
  } else {
    require(kind == kChunked, "a table that is made of others");
    require(version == 4, "chunks as compressed tables have them");
    out = read_chunks(in);
  }
  return out;
}

Dense read_link_info(Cursor& in) { return read_dense(in, 8); }
Dense read_attribute_info(Cursor& in) { return read_dense(in, 2); }

void read_fill(Cursor& in) {
  const std::uint64_t version = in.number(1);
  require(version == 2 || version == 3, "a fill value of an unknown kind");
  if (version == 2) in.skip(2);
  const std::uint64_t flags = in.number(1);
  const bool has_value = version == 2 ? flags != 0 : bit(flags, 5);
  if (has_value) in.skip(in.number(4));
}

void read_link(Cursor& in) {
  enum Kind { kHard, kSoft, kExternal = 64 };
  require(in.number(1) == 1, "a link of an unknown kind");
  const std::uint64_t flags = in.number(1), kind = bit(flags, 3) ? in.number(1) : kHard;
  require(flags < 32 && (kind == kHard || kind == kSoft || kind == kExternal), "a link of an unknown kind");
  if (bit(flags, 2)) in.skip(8);
  if (bit(flags, 4)) in.skip(1);
  const std::uint64_t name = in.number(std::size_t{1} << (flags & 3));
  require(name > 0, "a link without name");
  require(in.take(name).find('\0') == std::string_view::npos, "a link with a broken name");
  if (kind == kHard) return in.skip(8);
  const std::uint64_t value = in.number(2);
  require(value > 0, "a link that leads nowhere");
  in.skip(value);
}

void read_group_info(Cursor& in) {
  require(in.number(1) == 0, "a group of an unknown kind");
  const std::uint64_t flags = in.number(1);
  in.skip((bit(flags, 0) ? 4 : 0) + (bit(flags, 1) ? 4 : 0));
}

void read_file_space(Cursor& in) {
  constexpr const char* kOdd = "a file space of an unknown kind";
  constexpr std::uint64_t kStrategies = 4, kPage = 4096;
  require(in.number(1) == 1 && in.number(1) < kStrategies && in.number(1) == 0, kOdd);
  in.skip(8);
  require(in.number(8) == kPage, kOdd);
  in.skip(10);
}

void read_attribute(Cursor& in) {
  constexpr const char* kOdd = "an attribute of an unknown kind";
  const std::uint64_t version = in.number(1), flags = in.number(1);
  require(version >= 1 && version <= 3 && flags == 0, kOdd);  // flags say that a part is shared
  const auto room = [&](std::uint64_t bytes) { return version == 1 ? (bytes + 7) / 8 * 8 : bytes; };
  const std::uint64_t name_bytes = in.number(2), type_bytes = in.number(2), extent_bytes = in.number(2);
  if (version == 3) in.skip(1);
  const std::string_view name = in.take(room(name_bytes)).substr(0, name_bytes);
  require(name.size() > 1 && name.find('\0') == name.size() - 1, "an attribute with a broken name");
  Cursor type_in(in.take(room(type_bytes)).substr(0, type_bytes));
  Cursor extent_in(in.take(room(extent_bytes)).substr(0, extent_bytes));
  const std::uint64_t element = read_type(type_in);
  in.skip(product(element, read_extent(extent_in).points));
}

}  // namespace amble::hdf5
