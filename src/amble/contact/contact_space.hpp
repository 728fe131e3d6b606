#pragma once

#include <array>
#include <memory>
#include <span>

#include "amble/contact/solvers/friction_problem.hpp"
#include "amble/dynamics/workspace.hpp"

namespace amble {

/// A mechanism at a state as steps with contacts see it: M = U U^T with U as sparse as the tree, and rows of points in
/// its metric. Owns its memory and allocates nothing after construction.
class ContactSpace {
 public:
  explicit ContactSpace(const Mechanism& mechanism);
  ContactSpace(ContactSpace&&) noexcept;
  ~ContactSpace();

  /// Throws an Error for a state that is none.
  void set_state(const VectorRef& q, const VectorRef& v);
  /// Another velocity (nv) for the blocks to come.
  void set_velocity(const VectorRef& v);
  std::span<const Pose> poses() const;            ///< of all links
  std::span<const double> origin_speeds() const;  ///< of all links (m/s)
  std::span<const double> turn_speeds() const;    ///< rad/s

  /// From now on velocities (nv flags) stay at zero whatever pushes them: they have no part in what follows.
  void hold(std::span<const char> held);
  /// Factors M + diag(`added`), nv numbers or null for none. Throws an Error naming the joint where it is singular.
  void factor(const double* added);
  /// C v + gravity (nv).
  const double* bias() const;
  /// U^-1 b and U^-T b in place, nv numbers; those of held velocities are zero afterwards.
  void solve_inward(double* b) const;
  void solve_outward(double* b) const;

  /// Adds to impulses `b` (nv) what held velocities that were `v` before pass on as they stop.
  void add_stopping(const double* v, double* b);
  /// An impulse on a link at a point, in world axes, for held_impulses().
  void add_impulse(int link, const Vector3<double>& point, const Vector3<double>& impulse);
  /// What keeps held velocities at zero beside `given` impulses (nv) and those added, which are then forgotten, where
  /// all change by `change`; numbers of other velocities mean nothing.
  void held_impulses(const double* given, const double* change, double* out);

  using Axes = std::array<Vector3<double>, 3>;
  /// Adds the block of a point where link b moves against link a along three directions, all in world axes, and
  /// gives their velocities now: J v.
  int add_point(FrictionProblem& problem, const FrictionLaw& law, int link_a, int link_b, const Vector3<double>& point,
                const Axes& axes, double* velocities);
  /// The same for `sign` times one velocity.
  int add_velocity(FrictionProblem& problem, const FrictionLaw& law, int v, double sign, double* velocity);
  /// The same for whole rows, rows x nv numbers row by row.
  int add_rows(FrictionProblem& problem, int rows, const double* A);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
