#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace amble::hdf5 {

/// What is wrong with a file, in words that follow "has".
struct Flaw {
  const char* what;
};

/// The bytes of an open file; for places that are not in it a Flaw is thrown.
class FileBytes {
 public:
  FileBytes(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  std::uint64_t size() const { return size_; }
  std::string read(std::uint64_t at, std::uint64_t count) const;

 private:
  int descriptor_;
  std::uint64_t size_;
};

/// Reads little-endian numbers one after the other; a Flaw is thrown where the bytes end.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
  std::size_t left() const { return bytes_.size(); }
  std::string_view take(std::uint64_t count);
  std::uint64_t number(std::size_t count);
  void skip(std::uint64_t count) { take(count); }

 private:
  std::string_view bytes_;
};

void require(bool fact, const char* what);

}  // namespace amble::hdf5
