#pragma once

#include <array>

#include "amble/geometry/se3.hpp"

// How drives on frames act: the length that they see, and the forces that one unit of theirs puts on bodies.
namespace amble {

/// In world axes, at a point of the world.
struct UnitForce {
  Vector3<double> force{0.0, 0.0, 0.0}, moment{0.0, 0.0, 0.0}, point{0.0, 0.0, 0.0};
};

struct Transmission {
  double length = 0.0;
  UnitForce on_frame, on_reference;  ///< the second is zero where there is none
};

/// A wrench in the axes of a frame.
Transmission frame_transmission(const std::array<double, 6>& gear, const Pose& X_WF);

/// Where a frame is and how it is fixed on its body.
struct PlacedFrame {
  Pose X_WF;
  SO3<double> R_BF;
  SO3<double> R_WB() const { return X_WF.rotation() * R_BF.inverse(); }
};

/// Along the position and rotation vector of a frame in another. The forces are not quite the derivatives of
/// that length, but what MuJoCo takes for them; and the rotation vector is that of R_BF R_WB, as there, which
/// is R_WF only for a frame that is not turned on its body.
Transmission relative_transmission(const std::array<double, 6>& gear, const PlacedFrame& frame,
                                   const PlacedFrame& reference);

/// Along z of a slider, from where a rod reaches the frame; where the rod is too short, as if it stood square
/// to z.
Transmission slider_transmission(double gear, double rod, const Pose& X_WF, const Pose& X_WS);

}  // namespace amble
