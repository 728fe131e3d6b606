#pragma once

#include "amble/riemann/jacobi_fields.hpp"

namespace amble {

/// Places on the way from q0 to q1, joined by short geodesics, each run through in the time 1 / segments. Its
/// energy is a function of the inner places, with exact first and second derivatives: the first are the jumps
/// of momentum there, the second come from Jacobi fields. Morse's finite-dimensional picture of the space of
/// paths.
class BrokenGeodesic {
 public:
  BrokenGeodesic(const Mechanism& mechanism, std::vector<OwnedVector> places, double tolerance);

  int segments() const { return static_cast<int>(places_.size()) - 1; }
  const std::vector<OwnedVector>& places() const { return places_; }
  /// At the start of each segment.
  const std::vector<OwnedVector>& velocities() const { return velocities_; }

  /// Moves the inner places by x, nv numbers for each, and closes the segments again. False, with nothing
  /// changed, when one cannot be closed or the energy were more than `most`.
  bool move(const VectorRef& x, double most);
  /// False when a segment could not be closed at all.
  bool closed() const { return closed_; }

  double energy() const { return energy_; }
  const Eigen::VectorXd& slope() const { return slope_; }
  const Eigen::MatrixXd& second() const { return second_; }
  /// The metric of M at the inner places, in the scale of second(): what that would be without curvature, but
  /// for the couplings of neighbours.
  const Eigen::MatrixXd& metric() const { return metric_; }
  /// The largest jump of the velocity at an inner place, relative to the velocity.
  double kink() const;

 private:
  bool close(const std::vector<OwnedVector>& places, std::vector<OwnedVector>& velocities,
             std::vector<GeodesicVariation>& ends);
  bool close_segment(const OwnedVector& from, const OwnedVector& to, OwnedVector& v, GeodesicVariation& end);
  double energy_of(const std::vector<OwnedVector>& places, const std::vector<OwnedVector>& velocities);
  void differentiate();

  Mechanism mechanism_;
  Workspace work_;
  VariationalRun run_;
  double tolerance_;
  std::vector<OwnedVector> places_, velocities_;
  std::vector<GeodesicVariation> ends_;
  bool closed_ = false;
  double energy_ = 0.0;
  Eigen::VectorXd slope_;
  Eigen::MatrixXd second_, metric_;
};

}  // namespace amble
