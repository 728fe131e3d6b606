#include "amble/dynamics/lane_stack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/base/line_buffer.hpp"
#include "amble/dynamics/kernels/select.hpp"

namespace amble {

namespace {

Eigen::Index checked(Eigen::Index count, const char* what) {
  if (count < 0) throw Error(fmt::format("a stack of states has {} {}: expected 0 or more", count, what));
  return count;
}

}  // namespace

struct LaneStack::Memory {
  explicit Memory(Eigen::Index count) : count(count), buffer(sizeof(double) * count) {}
  Eigen::Index count;
  LineBuffer buffer;
};

LaneStack::LaneStack(Eigen::Index rows, Eigen::Index size)
    : rows_(checked(rows, "rows")),
      size_(checked(size, "numbers a row")),
      lanes_(kernels::kernels().lanes),
      memory_(std::make_unique<Memory>((rows + lanes_ - 1) / lanes_ * lanes_ * size)),
      numbers_(memory_->buffer.numbers()) {}
LaneStack::LaneStack(LaneStack&&) noexcept = default;
LaneStack& LaneStack::operator=(LaneStack&&) noexcept = default;
LaneStack::~LaneStack() = default;

OwnedVector LaneStack::row(Eigen::Index row) const {
  OwnedVector out(size_);
  for (Eigen::Index i = 0; i < size_; ++i) out[i] = (*this)(row, i);
  return out;
}

void LaneStack::set(Eigen::Index row, Eigen::Index i, double value) {
  zero_beyond_ = nullptr;
  numbers_[at(row, i)] = value;
}

void LaneStack::set_row(Eigen::Index row, const VectorRef& numbers) {
  if (numbers.size() != size_)
    throw Error(fmt::format("row {} of a stack is given {} numbers: expected {}", row, numbers.size(), size_));
  for (Eigen::Index i = 0; i < size_; ++i) set(row, i, numbers[i]);
}

double* LaneStack::group(Eigen::Index k) {
  zero_beyond_ = nullptr;
  return result_group(k);
}

void LaneStack::begin_result(const std::shared_ptr<const ModelDescription>& part_of) {
  if (part_of != nullptr && zero_beyond_ != part_of) std::fill_n(numbers_, memory_->count, 0.0);
  zero_beyond_ = part_of;
}

}  // namespace amble
