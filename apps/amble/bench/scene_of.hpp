#pragma once

#include "amble/contact/contact_scene.hpp"
#include "bench/scene.hpp"

namespace amble::bench {

inline constexpr double kSceneFriction = 0.8, kSceneStep = 1e-3;

/// A mechanism on the plane z = 0 as peers are told it; `contacts` is ours, for what it leaves out. Throws an
/// Error for shapes and joints with springs, damping or limits that no peer has.
Scene scene_of(const Mechanism& mechanism, const ContactScene& contacts);

/// Poses of the links at `q`.
std::vector<LinkPose> link_poses(const Mechanism& mechanism, const OwnedVector& q);

/// Our own stepper.
std::unique_ptr<SceneStepper> our_stepper(const Mechanism& mechanism,
                                          const std::shared_ptr<const ContactScene>& contacts);

}  // namespace amble::bench
