#include "bench/state.hpp"

#include "amble/base/random.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble::bench {

std::vector<State> random_states(const Mechanism& m) {
  Random random(1);
  const auto numbers = [&] {
    return Eigen::VectorXd::NullaryExpr(m.nv(), [&](Eigen::Index) { return random.uniform(-1.0, 1.0); }).eval();
  };
  std::vector<State> states;
  for (int i = 0; i < kStates; ++i) {
    const OwnedVector q = m.integrate(m.random(random), 0.1 * numbers());  // moves joints with lower = upper too
    states.push_back({q, numbers(), numbers(), numbers()});
  }
  return states;
}

}  // namespace amble::bench
