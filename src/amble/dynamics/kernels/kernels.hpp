#pragma once

#include "amble/dynamics/kernels/contacts.hpp"
#include "amble/dynamics/kernels/tree.hpp"

namespace amble::kernels {

/// A function for one state, and the same for `lanes` states with the numbers of a coordinate side by side:
/// q[i * lanes + state].
template <class F>
struct Kernel {
  F* single;
  F* lanes;
};

/// What Kernels::centroidal writes into its summary, 8 numbers: centre of mass, its velocity, kinetic and potential
/// energy.
inline constexpr int kSummary = 8;
inline constexpr int kPose = 15;  ///< numbers a node of Kernels::kinematics' poses

/// The inner loops compiled for one instruction set. Scratch memory is the caller's. `custom` has kCustomBlock numbers a
/// custom node, `external` 6 a node (its own axes and origin; may be null). Matrices are row by row. Where a matrix is
/// said to be kept, entries between nodes that do not carry each other are not written: the memory was zero before the
/// first call.
struct Kernels {
  const char* name;
  int lanes;
  std::size_t (*scratch_bytes)(const Tree&, bool in_lanes);
  bool (*all_finite)(const double* x, int count);
  /// `count` numbers of each of `lanes` rows, side by side; and back for the first `states` of them.
  void (*pack)(const double* const* rows, int count, double* lanes);
  void (*unpack)(const double* lanes, int count, int states, double* const* rows);

  /// tau = M a + bias - external; null `a` stands for zero.
  Kernel<void(const Tree&, void* scratch, const double* q, const double* v, const double* a, const double* custom,
              const double* external, double* tau)>
      inverse_dynamics;
  /// a = M^-1 (tau - bias + external); returns the smallest inertia along an axis, not above 0 where M is singular. Not
  /// for coupled trees.
  Kernel<double(const Tree&, void* scratch, const double* q, const double* v, const double* tau, const double* custom,
                const double* external, double* a)>
      forward_dynamics;
  /// M, kept.
  Kernel<void(const Tree&, void* scratch, const double* q, const double* custom, double* M)> mass_matrix;
  /// Returns the smallest pivot. Not for coupled trees.
  Kernel<double(const Tree&, void* scratch, const double* q, const double* custom, double* out)> inverse_mass_matrix;
  /// C, kept.
  Kernel<void(const Tree&, void* scratch, const double* q, const double* v, const double* custom, double* C)>
      coriolis_matrix;
  /// Derivatives of tau in q and v, and M, all kept.
  Kernel<void(const Tree&, void* scratch, const double* q, const double* v, const double* a, const double* custom,
              const double* external, double* dq, double* dv, double* M)>
      inverse_derivatives;
  /// Accelerations, their derivatives in q and v, and the inverse of M; returns as forward_dynamics. Not for coupled
  /// trees.
  Kernel<double(const Tree&, void* scratch, const double* q, const double* v, const double* tau, const double* custom,
                const double* external, double* a, double* dq, double* dv, double* M_inverse)>
      forward_derivatives;
  /// Momentum matrix about the centre of mass and its rate, 6 x nv, linear part first, world axes; either may be null,
  /// and so may v if A_dot is.
  Kernel<void(const Tree&, void* scratch, const double* q, const double* v, const double* custom, double* A,
              double* A_dot, double* summary)>
      centroidal;
  /// Of every node R (row by row), place from its root's origin, that origin; of every column its twist about that
  /// origin in world axes, 6 x columns, and with v its rate.
  Kernel<void(const Tree&, void* scratch, const double* q, const double* v, const double* custom, double* poses,
              double* S, double* S_dot)>
      kinematics;

  // Contacts, for one state. They have scratch memory of their own, and forces and rows are in the axes that each asks
  // for. M a + bias = tau + external + J^T f, J a + (dJ/dt) v = given - damping J v (null `given` stands for zero).
  std::size_t (*contact_bytes)(const Tree&, const Contacts&);
  /// a and f. Not for coupled trees.
  ContactOutcome (*contact_dynamics)(const Tree&, const Contacts&, void* scratch, const double* q, const double* v,
                                     const double* tau, const double* custom, const double* external,
                                     const double* given, double* a, double* f);
  /// The same, and derivatives in q, v and tau: da each nv x nv, df rows x nv. Not for coupled trees.
  ContactOutcome (*contact_derivatives)(const Tree&, const Contacts&, void* scratch, const double* q, const double* v,
                                        const double* tau, const double* custom, const double* external, double* a,
                                        double* f, double* const da[3], double* const df[3]);
  /// Null `a` and `f` where no derivatives are wanted.
  void (*contact_rows)(const Tree&, const Contacts&, void* scratch, const double* q, const double* v, const double* a,
                       const double* f, const double* custom, const ContactRows& out);
};

const Kernels& kernels_baseline();
const Kernels& kernels_avx2();
const Kernels& kernels_avx512();

}  // namespace amble::kernels
