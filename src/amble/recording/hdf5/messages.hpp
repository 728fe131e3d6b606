#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "amble/recording/hdf5/file_bytes.hpp"

// The messages that objects of a recording are made of (HDF5 File Format Specification 3.0, IV.A.2), read as
// strictly as needed for HDF5 to read them safely: it trusts lengths and counts in them, and that they agree. Each
// function takes what it reads off the cursor, and throws a Flaw for what no recording has.
namespace amble::hdf5 {

inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};  // an address that leads to nothing

struct Extent {
  std::size_t rank = 0;
  std::uint64_t points = 1;  // at most 2^62
};
Extent read_extent(Cursor& in);

/// Returns the size of an element.
std::uint64_t read_type(Cursor& in);

struct Layout {
  std::optional<std::uint64_t> compact_bytes;
  std::vector<std::uint64_t> chunk;  // its sides, the last of which is the size of an element; or empty
};
Layout read_layout(Cursor& in);

/// Where the links of a group, or the attributes of an object, are that do not stand in its header.
struct Dense {
  std::uint64_t heap = kNowhere, tree = kNowhere;
};
Dense read_link_info(Cursor& in);
Dense read_attribute_info(Cursor& in);

void read_fill(Cursor& in);
void read_link(Cursor& in);
void read_group_info(Cursor& in);
/// How the file's free space is kept: not at all.
void read_file_space(Cursor& in);
void read_attribute(Cursor& in);

}  // namespace amble::hdf5
