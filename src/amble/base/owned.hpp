#pragma once

#include <Eigen/Core>
#include <vector>

namespace amble {

namespace detail {
struct OwnedStorage {
  std::vector<double> numbers;
};
}  // namespace detail

/// An owning vector or matrix that is safe in an interface: it behaves as the Eigen type it maps, but its memory comes
/// from operator new. Eigen's own heap memory must not cross a library's border, because how Eigen frees it depends on
/// the instruction-set flags of each side.
template <class Plain>
class Owned : private detail::OwnedStorage, public Eigen::Map<Plain> {
  using Map = Eigen::Map<Plain>;

 public:
  Owned() : Owned(0, Plain::ColsAtCompileTime == 1 ? 1 : 0) {}
  explicit Owned(Eigen::Index rows, Eigen::Index cols = 1)
      : OwnedStorage{std::vector<double>(rows * cols, 0.0)}, Map(numbers.data(), rows, cols) {}
  template <class Other>
  Owned(const Eigen::MatrixBase<Other>& other) : Owned(other.rows(), other.cols()) {  // NOLINT
    Map::operator=(other);
  }
  Owned(const Owned& other) : OwnedStorage(other), Map(numbers.data(), other.rows(), other.cols()) {}
  Owned(Owned&& other) noexcept : Owned() { *this = std::move(other); }

  Owned& operator=(const Owned& other) {
    if (this != &other) assign(static_cast<const Map&>(other));
    return *this;
  }
  Owned& operator=(Owned&& other) noexcept {
    numbers.swap(other.numbers);
    const Eigen::Index rows = other.rows(), cols = other.cols();
    other.seat(this->rows(), this->cols());
    seat(rows, cols);
    return *this;
  }
  /// In place, without allocating, when the size stays the same.
  template <class Other>
  Owned& operator=(const Eigen::MatrixBase<Other>& other) {
    assign(other.derived());
    return *this;
  }

 private:
  void seat(Eigen::Index rows, Eigen::Index cols) {
    new (static_cast<Map*>(this)) Map(numbers.data(), rows, cols);  // Eigen's way to re-seat a Map
  }
  template <class Other>
  void assign(const Other& other) {
    if (other.rows() == this->rows() && other.cols() == this->cols())
      Map::operator=(other);
    else
      *this = Owned(other);
  }
};

using OwnedVector = Owned<Eigen::VectorXd>;
using OwnedMatrix = Owned<Eigen::MatrixXd>;
using OwnedRowMatrix = Owned<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using VectorRef = Eigen::Ref<const Eigen::VectorXd>;

}  // namespace amble
