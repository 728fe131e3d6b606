#pragma once

#include <vector>

#include "amble/dynamics/workspace.hpp"

namespace amble {

/// nv x nv x nv numbers. At nv = 40 that is half a megabyte, so this memory is the caller's and not part of every
/// Workspace.
class Christoffel {
 public:
  explicit Christoffel(int nv) : nv_(nv), numbers_(static_cast<std::size_t>(nv) * nv * nv) {}
  int nv() const { return nv_; }
  double operator()(int i, int j, int k) const { return numbers_[(static_cast<std::size_t>(i) * nv_ + j) * nv_ + k]; }
  double& operator()(int i, int j, int k) { return numbers_[(static_cast<std::size_t>(i) * nv_ + j) * nv_ + k]; }
  const double* data() const { return numbers_.data(); }
  double* data() { return numbers_.data(); }

 private:
  int nv_;
  std::vector<double> numbers_;
};

/// Of the first kind, all indices down: (C v)_i = Gamma[i, j, k] v_j v_k. Of the second kind the first index is raised
/// by M^-1: the acceleration of a free motion is minus that.
enum class ChristoffelKind { first, second };

/// Gamma[i, j, k] = <e_i, nabla_{e_k} e_j> for the Levi-Civita connection of M in the velocity frame e, which is not a
/// coordinate frame where joints are spherical or free: then Gamma is not symmetric in j and k, and the difference is
/// the frame's structure constants. ZB 2.2, DS 2.3.
void christoffel(const Mechanism& mechanism, Workspace& work, const VectorRef& q, Christoffel& out,
                 ChristoffelKind kind = ChristoffelKind::first);

}  // namespace amble
