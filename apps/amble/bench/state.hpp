#pragma once

#include <Eigen/Core>

namespace amble::bench {

/// Calls go through this many random states in turn, so that no branch is learnt by heart.
inline constexpr int kStates = 256;

/// What the functions of a robot are called with.
struct State {
  Eigen::VectorXd q, v, a, tau;
};

}  // namespace amble::bench
