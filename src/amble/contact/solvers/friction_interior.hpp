#pragma once

#include <span>
#include <vector>

#include "amble/contact/solvers/scaled_friction.hpp"
#include "amble/contact/solvers/small_linear.hpp"

namespace amble {

/// The laws smoothed by one number tau, followed down to zero through the inside of all cones: f_n u_n = tau,
/// and u_t = -s f_t with s (mu^2 f_n^2 - |f_t|^2) = tau; boxes as tangents of constant radius. A primal-dual
/// interior-point method for Coulomb's law itself, which is no optimisation problem: the linear systems are
/// not symmetric, and tau need not fall all the way. Where many forces do, it goes to one in the middle of
/// them.
class InteriorPath {
 public:
  void reserve(int dimension, int rows);
  /// Whether linear systems are smaller in the coordinates of the mechanism than in forces: start() then needs no G.
  static bool reduces(const ScaledFriction& scaled) { return scaled.rows() > scaled.dimension(); }
  /// From inside all cones, whatever the forces of `scaled` are. G is its matrix, rows x rows, or null where it reduces().
  void start(ScaledFriction& scaled, const double* G);
  /// A step of Newton towards a smaller tau: changes the forces of `scaled` and refreshes it. False when
  /// stuck.
  bool step();
  /// A point further on the curve of solutions, by its length: gets past where tau has to grow before it can
  /// fall again, and is dearer than step(). Every row has the compliance softness tau (tau as in
  /// smoothing()), so that there is such a curve also where forces could grow without end. False when stuck.
  bool step_along(double softness);
  /// tau, relative to the squares of the free velocities.
  double smoothing() const { return gap_ / (size_ * size_); }

 private:
  /// Of a curve: forces, which count relative to their size at the start, and log tau.
  struct Point {
    std::vector<double> f;
    double log = 0.0;
  };

  bool factor();
  void solve(std::span<double> x);
  void form_matrix();
  void form_reduced();
  void form_law(const ScaledFriction::Block& b, double* D) const;
  void invert_law(const ScaledFriction::Block& b, double* D) const;
  void form_right(double tau, std::span<double> x) const;
  void slack_changes(double tau, double keep);
  bool get_on_curve();
  bool find_tangent();
  bool correct(int steps);
  void form_slope(double tau);
  double distance(const Point& from) const;
  double square(double forces) const { return forces / (size_ * size_ * static_cast<double>(slack_.size())); }
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
  std::vector<double> slack_;  // by row: u_n at normals and stops, s at the first tangent and boxes
  std::vector<double> df_, dslack_;
  std::vector<double> inverse_;  // where it reduces: of the laws of each block, 3 x 3 numbers or fewer
  std::vector<double> y_;

  // Of step_along().
  Point last_, from_, ahead_, aim_;                       // ahead_: the tangent; aim_: where it leads
  std::vector<double> from_slack_, slope_, slope_slack_;  // slope: what log tau changes
  double log_ = 0.0, length_ = 0.0, softness_ = 0.0;
  bool on_curve_ = false;
};

}  // namespace amble
