#pragma once

#include "amble/contact/parametric_surface.hpp"
#include "amble/geometry/se3.hpp"

// Smooth surfaces through measured points or the corners of a mesh (DS 3.1.2, 6.2), for differential contact
// kinematics.
namespace amble {

/// A surface and how far the points are from it.
struct FittedSurface {
  ParametricSurface surface;
  double rms = 0.0, largest = 0.0;  ///< along z of the frame, or along the ray from the centre (m)
};

/// A height over the x-y plane of `frame`, as cubic B-splines on a grid of cells that holds all points, by
/// least squares; the surface is in the axes of the points. What few points say is held smooth by a little
/// weight on second differences.
struct HeightFit {
  Pose frame;
  int cells_x = 8, cells_y = 8;
  double smoothing =
      1e-6;  ///< weight of a squared second difference against the mean of squared misses; more than 0
};
FittedSurface fit_height(const std::vector<Vector3<double>>& points, const HeightFit& fit);

/// The plane that is nearest to the points in least squares, as a frame for fit_height(): z normal to it,
/// upwards rather than down.
Pose plane_through(const std::vector<Vector3<double>>& points);

/// A closed surface that every ray from `centre` meets once: its radius as a polynomial of this degree in the
/// direction, (degree + 1)^2 numbers, by least squares.
struct StarFit {
  Vector3<double> centre = Vector3<double>::Zero();
  int degree = 8;
};
FittedSurface fit_star(const std::vector<Vector3<double>>& points, const StarFit& fit);

}  // namespace amble
