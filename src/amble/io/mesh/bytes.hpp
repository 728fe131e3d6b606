#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

// Numbers in binary files and pipes, whatever their alignment.
namespace amble {

static_assert(std::endian::native == std::endian::little, "STL and MSH files are little-endian");

template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

template <class T>
void append_number(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace amble
