#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/scene.hpp"
#include "bench/state.hpp"
#include "bench/tree.hpp"

// A peer is another dynamics library, wrapped in a module that is opened only when a benchmark runs: the program
// itself depends on none of them.
namespace amble::bench {

/// A function of a peer, ready to be timed.
struct PeerFunction {
  std::string what;                            ///< our function that gives the same numbers
  std::function<void(int)> run;                ///< at one of the states
  std::function<Eigen::MatrixXd(int)> result;  ///< the same call's result in our conventions; may be empty
};

/// An integrator of a peer with fixed steps, for a motion under gravity alone.
struct PeerIntegrator {
  std::string name;
  /// From one of the states, in so many steps; the configuration at the end in our conventions.
  std::function<Eigen::VectorXd(int state, double duration, long steps)> run;
};

/// A mechanism and its states inside a peer.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::vector<PeerFunction> functions() = 0;
  virtual std::vector<PeerIntegrator> integrators() { return {}; }
};

struct PeerModule {
  std::string name, version;
  std::string remark;  ///< what a reader of its times should know; may be empty
  /// Throws a std::exception with the reason when the library cannot hold the mechanism. Null for one that is asked for
  /// contacts only.
  std::unique_ptr<Peer> (*make)(const Tree& tree, const std::vector<State>& states) = nullptr;
  bool closes_loops = false;  ///< whether `make` takes a tree with loops: the peer then has constrained_dynamics only
  std::vector<SceneSetting> scenes = {};  ///< how it steps over contacts; none when it does not
};

}  // namespace amble::bench

/// What every module exports.
extern "C" const amble::bench::PeerModule* amble_bench_peer();
