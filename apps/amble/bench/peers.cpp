#include "bench/peers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/base/library_part.hpp"

namespace amble::bench {

namespace {

struct KnownPeer {
  const char *name, *module, *package;
};

// Every peer, one line each; the module is built when its library is found (cmake/find_peers.cmake).
constexpr KnownPeer kPeers[] = {
    {"MuJoCo", "amble_bench_mujoco.so", "libmujoco-dev"},
    {"DART", "amble_bench_dart.so", "libdart-dev"},
    {"Simbody", "amble_bench_simbody.so", "libsimbody-dev"},
    {"ODE", "amble_bench_ode.so", "libode-dev"},
};

constexpr double kAgreement = 1e-9;  ///< relative, in norm
constexpr int kComparedStates = 20;

/// Null, with a note, when it cannot be opened. It stays open: libraries leave threads and exit handlers
/// behind.
const PeerModule* open(const KnownPeer& peer, Notes& notes) {
  const std::string module = detail::library_part(peer.module);
  if (void* handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr)
    if (void* entry = dlsym(handle, "amble_bench_peer"); entry != nullptr)
      return reinterpret_cast<decltype(&amble_bench_peer)>(entry)();
  const std::string reason = dlerror();
  const bool absent = reason.starts_with(module);
  add_note(notes, absent ? fmt::format("{}: not installed when Amble was built (Debian: {})", peer.name,
                                       peer.package)
                         : fmt::format("{}: {}", peer.name, reason));
  return nullptr;
}

Peers open_all() {
  Peers out;
  for (const KnownPeer& known : kPeers) {
    const PeerModule* module = open(known, out.notes);
    if (module == nullptr) continue;
    out.modules.push_back(module);
    if (!module->remark.empty()) add_note(out.notes, fmt::format("{}: {}", module->name, module->remark));
  }
  return out;
}

/// The first difference from ours over some states that is too large, relative; 0 when there is none.
double disagreement(const PeerFunction& function, const OurResult& ours, int states) {
  for (int i = 0; i < std::min(states, kComparedStates) && function.result; ++i) {
    const Eigen::MatrixXd expected = ours(function.what, i);
    if (expected.size() == 0) continue;
    function.run(i);
    const Eigen::MatrixXd theirs = function.result(i);
    const double size = expected.norm(), off = (theirs - expected).norm() / (size > 0.0 ? size : 1.0);
    if (!(off < kAgreement)) return off;  // also when it is not a number
  }
  return 0.0;
}

void check_agreement(const std::vector<PeerFunction>& functions, const OurResult& ours, int states) {
  for (const PeerFunction& function : functions)
    if (const double off = disagreement(function, ours, states); off != 0.0)
      throw Error(
          fmt::format("its {} differs from ours by {:.1e} of its size: not timed", function.what, off));
}

void add_tasks(const PeerModule& module, const Tree& tree, const std::vector<State>& states,
               const OurResult& ours, std::vector<Task>& tasks) {
  const std::shared_ptr<Peer> peer = module.make(tree, states);
  const std::vector<PeerFunction> functions = peer->functions();
  check_agreement(functions, ours, static_cast<int>(states.size()));
  for (const PeerFunction& function : functions)
    tasks.push_back({function.what, module.name, [peer, run = function.run](int i) { run(i); }});
}

}  // namespace

const Peers& peers() {
  static const Peers opened = open_all();
  return opened;
}

std::vector<Task> peer_tasks(const Tree& tree, const std::vector<State>& states, const OurResult& ours,
                             Notes& notes) {
  std::vector<Task> tasks;
  for (const PeerModule* module : peers().modules) {
    if (module->make == nullptr || (!tree.loops.empty() && !module->closes_loops)) continue;
    try {
      add_tasks(*module, tree, states, ours, tasks);
    } catch (const std::exception& e) {
      const std::string reason = e.what();
      add_note(notes, fmt::format("{}: {}", module->name, reason.substr(0, reason.find('\n'))));
    }
  }
  return tasks;
}

}  // namespace amble::bench
