#include "amble/constraints/mass_factor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace amble {

namespace {

std::vector<int> parents(const Mechanism& m) {
  std::vector<int> parent(m.nv()), last(m.links().size(), -1);
  bool follows = false;
  for (std::size_t i = 1; i < m.links().size(); ++i) {
    const Link& link = m.links()[i];
    follows = follows || m.joints()[link.joint].leader >= 0;
    last[i] = link.v.size > 0 ? link.v.start + link.v.size - 1 : last[link.parent];
    for (int k = 0; k < link.v.size; ++k)
      parent[link.v.start + k] = k == 0 ? last[link.parent] : link.v.start + k - 1;
  }
  if (follows) std::iota(parent.begin(), parent.end(), -1);
  return parent;
}

}  // namespace

MassFactor::MassFactor(const Mechanism& m) : parent_(parents(m)), L_(m.nv(), m.nv()), root_(m.nv()) {}

bool MassFactor::compute(const MatrixView& M) {
  const int n = static_cast<int>(parent_.size());
  for (int c = 0; c < n; ++c)
    for (int i = c; i >= 0; i = parent_[i]) L_(i, c) = M(c, i);  // symmetric, and zero elsewhere
  for (int c = n - 1; c >= 0; --c) {
    const double pivot = L_(c, c);
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    root_[c] = 1.0 / std::sqrt(pivot);
    for (int i = parent_[c]; i >= 0; i = parent_[i]) {
      const double share = L_(i, c) / pivot;
      for (int j = i; j >= 0; j = parent_[j]) L_(j, i) -= share * L_(j, c);
    }
    for (int i = parent_[c]; i >= 0; i = parent_[i]) L_(i, c) /= pivot;
  }
  return true;
}

void MassFactor::solve_inward(double* b) const {
  Support all{0, static_cast<int>(parent_.size())};
  solve_inward(b, all);
}

void MassFactor::solve_inward(double* b, Support& support) const {
  for (int c = support.end - 1; c >= support.begin; --c) {
    if (b[c] == 0.0) continue;
    for (int i = parent_[c]; i >= 0; i = parent_[i]) {
      b[i] -= L_(i, c) * b[c];
      support.begin = std::min(support.begin, i);
    }
    b[c] *= root_[c];
  }
}

void MassFactor::solve_outward(double* b) const {
  const int n = static_cast<int>(parent_.size());
  for (int c = 0; c < n; ++c) {
    b[c] *= root_[c];
    for (int i = parent_[c]; i >= 0; i = parent_[i]) b[c] -= L_(i, c) * b[i];
  }
}

}  // namespace amble
