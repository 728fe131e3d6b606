#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace amble {

/// Zeros in whole cache lines, as the kernels' vector types want them; pages not touched take no memory. What is larger
/// than a page starts at one: a matrix then lies in as few as it can, which makes writing it a little faster.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t bytes)
      : raw_(std::calloc(bytes + kLine + alignment(bytes), 1)) {
    if (raw_ == nullptr) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(raw_);
    data_ = static_cast<char*>(raw_) + (alignment(bytes) - address % alignment(bytes));
  }
  LineBuffer(const LineBuffer&) = delete;
  LineBuffer& operator=(const LineBuffer&) = delete;
  ~LineBuffer() { std::free(raw_); }
  void* data() { return data_; }
  double* numbers() { return static_cast<double*>(data_); }

 private:
  static constexpr std::size_t kLine = 64, kPage = 4096;
  static constexpr std::size_t alignment(std::size_t bytes) { return bytes > kPage ? kPage : kLine; }

  void* raw_;
  void* data_;
};

}  // namespace amble
