#pragma once

#include <optional>
#include <string>
#include <vector>

namespace amble::app {

/// `amble walk ROBOT_FILE`: a legged robot from its model file walks under whole-body control.
struct RobotWalk {
  std::string file;
  int steps = 20;
  double speed = 0.0, side = 0.0, turn = 0.0;  ///< m/s, m/s, rad/s
  std::string gait;                            ///< of robots with more than two legs; empty: trot
  std::vector<std::string> pushes = {};        ///< FX,FY,FZ@T or FX,FY,FZ@T:DURATION
  double friction = 0.8;
  std::string feet = {};                    ///< a TOML file about its legs, or nothing
  std::string report = {}, recording = {};  ///< files; no recording when empty
  bool json = false;

  /// Whether anything was asked for that only legged robots have.
  bool given() const {
    return side != 0.0 || turn != 0.0 || !gait.empty() || !pushes.empty() || !feet.empty() || friction != 0.8;
  }
};

/// Whether this names a model file (URDF, SDFormat, MJCF) by its ending.
bool is_robot_file(const std::string& name);
int walk_robot(const RobotWalk& walk);

}  // namespace amble::app
