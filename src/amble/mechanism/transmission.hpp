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

/// Along the position and rotation vector of a frame in another. Its derivative, for joints that move one of the two, but for
/// the turning of the reference under a force: what MuJoCo takes for it.
Transmission relative_transmission(const std::array<double, 6>& gear, const Pose& X_WF, const Pose& X_WR);

/// Along z of a slider, from where a rod reaches the frame; where the rod is too short, as if it stood square to z.
Transmission slider_transmission(double gear, double rod, const Pose& X_WF, const Pose& X_WS);

}  // namespace amble
