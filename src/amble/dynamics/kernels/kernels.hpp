#pragma once

#include "amble/dynamics/kernels/tree.hpp"

namespace amble::kernels {

/// The inner loops compiled for one instruction set. `Single` functions take one state; `Lanes` functions take
/// `lanes` states, with the numbers of a coordinate side by side: q[i * lanes + state]. Scratch memory is the caller's.
struct Kernels {
  const char* name;
  int lanes;
  std::size_t (*scratch_bytes)(const Tree&, bool in_lanes);

  /// tau = M a + bias - external; null `a` stands for zero, null `external` (6 numbers a node) for none.
  void (*inverse_dynamics)(const Tree&, void* scratch, const double* q, const double* v, const double* a,
                           const double* custom, const double* external, double* tau);
  void (*inverse_dynamics_lanes)(const Tree&, void* scratch, const double* q, const double* v, const double* a,
                                 const double* custom, const double* external, double* tau);
  /// a = M^-1 (tau - bias + external); returns the smallest inertia along an axis, not above 0 where M is singular.
  double (*forward_dynamics)(const Tree&, void* scratch, const double* q, const double* v, const double* tau,
                             const double* custom, const double* external, double* a);
  double (*forward_dynamics_lanes)(const Tree&, void* scratch, const double* q, const double* v, const double* tau,
                                   const double* custom, const double* external, double* a);
  /// M, nv x nv, symmetric; in lanes only the triangle row >= column, row by row.
  void (*mass_matrix)(const Tree&, void* scratch, const double* q, const double* custom, double* M);
  void (*mass_matrix_lanes)(const Tree&, void* scratch, const double* q, const double* custom, double* M);
};

const Kernels& kernels_baseline();
const Kernels& kernels_avx2();
const Kernels& kernels_avx512();

}  // namespace amble::kernels
