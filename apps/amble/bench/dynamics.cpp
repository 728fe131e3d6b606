#include "amble/dynamics/dynamics.hpp"

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/stack.hpp"
#include "bench/area.hpp"
#include "bench/charts.hpp"
#include "bench/peers.hpp"

namespace amble::bench {

namespace {

/// A robot and all that its functions are called with.
struct Bed {
  Mechanism m;
  Workspace w;
  StackWorkspace stacks;      ///< of one thread: the time is that of one core
  std::string tip;            ///< the body with the most joints before it
  std::vector<State> states;  ///< kStates
  RowMatrix q, v, a, tau;     ///< kStack of them, a row each
  RowMatrix vectors, A, B, C; ///< results of stacks
  std::vector<LaneStack> lanes = {};  ///< q, v, a, tau, a vector and a matrix, kept in lanes
};

enum InLanes { kQ, kV, kA, kTau, kVector, kMatrix };

/// A result that a peer's is compared with; empty where a function has none of that kind.
struct Result {
  Result() = default;
  template <class Plain>
  Result(const View<Plain>& x) : data(x.data()), rows(x.rows()), cols(x.cols()) {}  // NOLINT: seen as it is
  const double* data = nullptr;
  Eigen::Index rows = 0, cols = 0;
};

using At = const State&;

/// States in a stack: as many as leave the results, matrices among them, in the cache of one core.
constexpr int kStack = 64;

struct Function {
  const char* what;
  Result (*run)(Bed& bed, At state);
  bool linear = false;  ///< its cost grows as the number of bodies
  int states = 1;       ///< how many one call evaluates: more for functions that take stacks, which ignore `state`
  const char* core = nullptr;  ///< Task::core, if any
};

constexpr bool kLinear = true;

// Every function, one line each.
constexpr Function kFunctions[] = {
    {"forward_kinematics", [](Bed& b, At s) { return forward_kinematics(b.m, b.w, s.q), Result(); }, kLinear},
    {"pose", [](Bed& b, At s) { return pose(b.m, b.w, s.q, b.tip), Result(); }},
    {"jacobian", [](Bed& b, At s) -> Result { return jacobian(b.m, b.w, s.q, b.tip); }},
    {"jacobian_dot", [](Bed& b, At s) -> Result { return jacobian_dot(b.m, b.w, s.q, s.v, b.tip); }},
    {"center_of_mass", [](Bed& b, At s) { return center_of_mass(b.m, b.w, s.q), Result(); }, kLinear},
    {"inverse_dynamics", [](Bed& b, At s) -> Result { return inverse_dynamics(b.m, b.w, s.q, s.v, s.a); }, kLinear},
    {"bias_forces", [](Bed& b, At s) -> Result { return bias_forces(b.m, b.w, s.q, s.v); }},
    {"gravity_forces", [](Bed& b, At s) -> Result { return gravity_forces(b.m, b.w, s.q); }},
    {"mass_matrix", [](Bed& b, At s) -> Result { return mass_matrix(b.m, b.w, s.q); }},
    {"inverse_mass_matrix", [](Bed& b, At s) -> Result { return inverse_mass_matrix(b.m, b.w, s.q); }},
    {"coriolis_matrix", [](Bed& b, At s) -> Result { return coriolis_matrix(b.m, b.w, s.q, s.v); }},
    {"momentum_matrix", [](Bed& b, At s) -> Result { return momentum_matrix(b.m, b.w, s.q); }},
    {"momentum_matrix_dot", [](Bed& b, At s) -> Result { return momentum_matrix_dot(b.m, b.w, s.q, s.v); }},
    {"forward_dynamics", [](Bed& b, At s) -> Result { return forward_dynamics(b.m, b.w, s.q, s.v, s.tau); }, kLinear},
    {"hamiltonian_rates",  // any numbers are momenta
     [](Bed& b, At s) -> Result { return hamiltonian_rates(b.m, b.w, s.q, s.v, s.tau).pdot; }, kLinear, 1,
     "forward_dynamics"},
    {"inverse_dynamics_derivatives",
     [](Bed& b, At s) -> Result { return inverse_dynamics_derivatives(b.m, b.w, s.q, s.v, s.a).dq; }},
    {"forward_dynamics_derivatives",
     [](Bed& b, At s) -> Result { return forward_dynamics_derivatives(b.m, b.w, s.q, s.v, s.tau).dq; }},
    {"inverse_dynamics", [](Bed& b, At) { return inverse_dynamics(b.m, b.stacks, b.q, b.v, b.a, b.vectors), Result(); },
     false, kStack},
    {"mass_matrix", [](Bed& b, At) { return mass_matrix(b.m, b.stacks, b.q, b.A), Result(); }, false, kStack},
    {"forward_dynamics", [](Bed& b, At) { return forward_dynamics(b.m, b.stacks, b.q, b.v, b.tau, b.vectors), Result(); },
     false, kStack},
    {"inverse_dynamics_derivatives",
     [](Bed& b, At) { return inverse_dynamics_derivatives(b.m, b.stacks, b.q, b.v, b.a, b.A, b.B, b.C), Result(); },
     false, kStack},
    {"forward_dynamics_derivatives",
     [](Bed& b, At) { return forward_dynamics_derivatives(b.m, b.stacks, b.q, b.v, b.tau, b.A, b.B, b.C), Result(); },
     false, kStack},
    {"inverse_dynamics (kept in lanes)",
     [](Bed& b, At) {
       return inverse_dynamics(b.m, b.stacks, b.lanes[kQ], b.lanes[kV], b.lanes[kA], b.lanes[kVector]), Result();
     },
     false, kStack},
    {"mass_matrix (kept in lanes)",
     [](Bed& b, At) { return mass_matrix(b.m, b.stacks, b.lanes[kQ], b.lanes[kMatrix]), Result(); }, false, kStack},
    {"forward_dynamics (kept in lanes)",
     [](Bed& b, At) {
       return forward_dynamics(b.m, b.stacks, b.lanes[kQ], b.lanes[kV], b.lanes[kTau], b.lanes[kVector]), Result();
     },
     false, kStack},
};

std::string deepest_body(const Mechanism& m) {
  std::vector<int> depth(m.links().size(), 0);
  for (std::size_t i = 1; i < depth.size(); ++i) depth[i] = depth[m.links()[i].parent] + 1;
  const auto less = [&](const Body& a, const Body& b) { return depth[a.link] < depth[b.link]; };
  return std::max_element(m.bodies().begin(), m.bodies().end(), less)->name;
}

void fill_stacks(Bed& bed) {
  const Eigen::Index nv = bed.m.nv();
  bed.q.resize(kStack, bed.m.nq());
  for (RowMatrix* x : {&bed.v, &bed.a, &bed.tau, &bed.vectors}) x->resize(kStack, nv);
  for (RowMatrix* x : {&bed.A, &bed.B, &bed.C}) x->resize(kStack, nv * nv);
  for (int i = 0; i < kStack; ++i) {
    const State& s = bed.states[i];
    bed.q.row(i) = s.q.transpose(), bed.v.row(i) = s.v.transpose();
    bed.a.row(i) = s.a.transpose(), bed.tau.row(i) = s.tau.transpose();
  }
  for (const RowMatrix* x : {&bed.q, &bed.v, &bed.a, &bed.tau, &bed.vectors, &bed.A}) {
    LaneStack& lanes = bed.lanes.emplace_back(kStack, x->cols());
    for (int i = 0; i < kStack; ++i) lanes.set_row(i, x->row(i).transpose());
  }
}

std::shared_ptr<Bed> make_bed(const Mechanism& m) {
  auto bed = std::make_shared<Bed>(Bed{m, Workspace(m), StackWorkspace(m, 1), deepest_body(m), random_states(m)});
  fill_stacks(*bed);
  return bed;
}

Eigen::MatrixXd result(Bed& bed, const std::string& what, int state) {
  for (const Function& f : kFunctions)
    if (f.what == what) {
      const Result view = f.run(bed, bed.states[state]);
      return Eigen::Map<const RowMatrix>(view.data, view.rows, view.cols);
    }
  return {};
}

void add_ours(const std::shared_ptr<Bed>& bed, bool only_linear, std::vector<Task>& tasks, Notes& notes) {
  for (const Function& f : kFunctions) {
    if (only_linear && !f.linear) continue;
    try {
      f.run(*bed, bed->states.front());
      tasks.push_back({f.what, "amble", [bed, &f](int i) { f.run(*bed, bed->states[i]); }, f.states});
      if (f.core != nullptr) tasks.back().core = {f.core};
    } catch (const Error& e) {  // such as a singular mass matrix
      add_note(notes, std::string(f.what) + ": " + e.what());
    }
  }
}

void add_peers(Bed& bed, std::vector<Task>& tasks, Notes& notes) {
  const auto ours = [&](const std::string& what, int state) { return result(bed, what, state); };
  try {
    for (Task& task : peer_tasks(tree_of(bed.m), bed.states, ours, notes)) tasks.push_back(std::move(task));
  } catch (const Error& e) {
    add_note(notes, std::string("no other library: ") + e.what());
  }
}

}  // namespace

std::vector<Task> dynamics_tasks(const Subject& subject, Notes& notes) {
  if (subject.closed.size() > 0 || subject.stands.size() > 0 || !subject.walker.empty()) return {};
  const std::shared_ptr<Bed> bed = make_bed(subject.robot);
  std::vector<Task> tasks;
  add_ours(bed, subject.growth, tasks, notes);
  if (!subject.growth) add_chart_tasks(bed->m, bed->states, tasks, notes);
  if (!subject.growth) add_peers(*bed, tasks, notes);
  return tasks;
}

}  // namespace amble::bench
