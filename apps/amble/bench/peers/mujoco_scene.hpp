#pragma once

#include "bench/scene.hpp"

namespace amble::bench {

std::vector<SceneSetting> mujoco_scene_settings();

}  // namespace amble::bench
