#pragma once

#include "amble/mechanism/mechanism.hpp"

// Mechanisms whose geometry is known in closed form.
namespace amble {

/// Two links that turn in one plane, about y, hanging down at q = 0; q2 is the angle between them.
struct DoublePendulum {
  double mass_1 = 1.0, com_1 = 0.5,
         inertia_1 = 1.0 / 12.0;  ///< com: from the link's joint; inertia: about its com
  double mass_2 = 1.0, com_2 = 0.5, inertia_2 = 1.0 / 12.0;
  double length_1 = 1.0;

  Mechanism mechanism() const;
  /// The Gauss curvature of its torus: b cos q2 (a d - b^2) / (a d - b^2 cos^2 q2)^2 with the metric
  /// ((a, b cos q2), (b cos q2, d)) in the angles of the links against the vertical. (Brioschi's formula.)
  double curvature(double q2) const;
};

/// A body that moves freely, its frame at its centre of mass, with principal moments of inertia. Its joint is
/// free, or spherical when it only turns.
Mechanism rigid_body(double mass, const Vector3<double>& moments, bool turns_only = false);

/// A point mass on a slider that turns about z: polar coordinates of the plane, which is flat. q = (angle,
/// radius).
Mechanism polar_arm(double mass);

/// Slides along x, y and x again, with these masses: the metric is constant. The frame "tool" is on the last.
Mechanism gantry(double mass_1, double mass_2, double mass_3);

/// A chain of massless links of 0.3 m whose joints turn in space, with these inertias of the drives: M is
/// constant and diagonal. The frame "tool" is at its end.
Mechanism drive_chain(const std::vector<double>& armatures);

/// Equal uniform rods of 1 m and 1 kg that turn about z, one after another along x. The frame "tool" is at
/// the end.
Mechanism planar_arm(int links);

}  // namespace amble
