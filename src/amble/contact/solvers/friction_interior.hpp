#pragma once

#include <span>
#include <vector>

#include "amble/contact/solvers/scaled_friction.hpp"
#include "amble/contact/solvers/small_linear.hpp"

namespace amble {

/// The laws smoothed by one number tau, followed down to zero through the inside of all cones: f_n u_n = tau, and
/// u_t = -s f_t with s (mu^2 f_n^2 - |f_t|^2) = tau; boxes as tangents of constant radius. A primal-dual interior-point
/// method for Coulomb's law itself, which is no optimisation problem: the linear systems are not symmetric. Where many
/// forces do, it goes to one in the middle of them.
class InteriorPath {
 public:
  void reserve(int rows);
  /// From inside all cones, whatever the forces of `scaled` are. G is its matrix, rows x rows.
  void start(ScaledFriction& scaled, const double* G);
  /// A step of Newton towards a smaller tau: changes the forces of `scaled` and refreshes it. False when stuck.
  bool step();
  /// tau, relative to the squares of the free velocities.
  double smoothing() const { return gap_ / (size_ * size_); }

 private:
  void form_matrix();
  void form_right(double tau, std::span<double> x) const;
  double slack_changes(double tau);
  double longest_step() const;
  template <class Use>
  void pairs_after(double share, Use&& use) const;
  double gap_after(double share) const;
  double least_pair(double share) const;
  bool has_normal(const ScaledFriction::Block& b) const;
  bool has_disc(const ScaledFriction::Block& b) const;

  ScaledFriction* scaled_ = nullptr;
  const double* G_ = nullptr;
  LinearSystem linear_;
  double size_ = 1.0, gap_ = 1.0, last_step_ = 1.0;
  int pairs_ = 0;
  std::vector<double> slack_;   // by row: u_n at normals and stops, s at the first tangent and boxes
  std::vector<double> df_, dslack_;
};

}  // namespace amble
