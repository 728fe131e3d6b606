#pragma once

#include <cstdlib>
#include <new>

#include "amble/dynamics/kernels/select.hpp"
#include "amble/dynamics/workspace.hpp"

namespace amble {

/// Memory in whole cache lines, as the kernels' vector types want it.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t bytes)
      : data_(static_cast<char*>(::operator new((bytes + 63) / 64 * 64 + 64, std::align_val_t{64}))) {}
  LineBuffer(const LineBuffer&) = delete;
  LineBuffer& operator=(const LineBuffer&) = delete;
  ~LineBuffer() { ::operator delete(data_, std::align_val_t{64}); }
  void* data() { return data_; }
  double* numbers() { return reinterpret_cast<double*>(data_); }

 private:
  char* data_;
};

struct Workspace::Kernel {
  explicit Kernel(const Mechanism& mechanism)
      : tree(mechanism),
        scratch(kernels::kernels().scratch_bytes(tree.tree(), false)),
        custom(sizeof(double) * kernels::kCustomBlock * tree.tree().customs),
        external(sizeof(double) * 6 * tree.tree().count) {}

  KernelTree tree;
  LineBuffer scratch, custom, external;
};

/// Checks `q` and `v` (null when there is none), puts q into `work.q` and custom joints into their blocks.
void load_state(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef* v);

/// Throws an Error unless `x` has nv finite numbers: Mechanism::check_velocity() at the price of one pass over them.
void load_check(const Mechanism& mechanism, const VectorRef& x, const char* what);

}  // namespace amble
