#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace amble::hdf5 {

/// Owns an identifier of HDF5.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  Handle() = default;
  /// Throws an Error with what HDF5 says when `id` is none.
  Handle(hid_t id, Closer closer);
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_), std::swap(closer_, other.closer_);
    return *this;
  }
  ~Handle() { close(); }

  operator hid_t() const { return id_; }  // NOLINT: it stands for the identifier
  void close() {
    if (id_ >= 0) closer_(std::exchange(id_, -1));
  }

 private:
  hid_t id_ = -1;
  Closer closer_ = nullptr;
};

/// Throws an Error with what HDF5 says when `status` is negative.
void check(long long status);

/// HDF5 prints its errors to stderr unless told otherwise; while one of these lives it is.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace amble::hdf5
