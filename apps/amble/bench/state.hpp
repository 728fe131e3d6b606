#pragma once

#include <Eigen/Core>
#include <vector>

namespace amble {
class Mechanism;
}

namespace amble::bench {

/// Calls go through this many random states in turn, so that no branch is learnt by heart.
inline constexpr int kStates = 256;

/// What the functions of a robot are called with.
struct State {
  Eigen::VectorXd q, v, a, tau;
};

/// kStates of them, the same every time.
std::vector<State> random_states(const Mechanism& m);

}  // namespace amble::bench
