#include "bench/loops.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"
#include "amble/constraints/assembly.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "bench/peers.hpp"

namespace amble::bench {

namespace {

constexpr const char* kFunction = "constrained_dynamics";

struct Method {
  const char* name;  ///< behind the form in the name of a row
  ConstraintMethod method;
};

// Every method, one line each; peers are compared with the first.
constexpr Method kMethods[] = {
    {"", ConstraintMethod::multipliers},
    {", pseudo_velocities", ConstraintMethod::pseudo_velocities},
    {", reduced_momenta", ConstraintMethod::reduced_momenta},
};

/// A way to write the loops down, and all that its functions are called with.
struct Bed {
  std::string form;
  std::vector<TreeLoop> loops;
  ConstrainedDynamics dynamics;
  std::vector<State> states;  ///< kStates

  const OwnedVector& run(int state, ConstraintMethod method) {
    const State& s = states[state];
    dynamics.set_state(s.q, s.v);
    return dynamics.accelerations(s.tau, {}, method);
  }
};

Eigen::VectorXd numbers(Random& random, int size) {
  return Eigen::VectorXd::NullaryExpr(size, [&](Eigen::Index) { return random.uniform(-1.0, 1.0); });
}

/// Velocities that the constraints allow where `d` is, the largest 1.
Eigen::VectorXd allowed_velocity(ConstrainedDynamics& d, Random& random) {
  const Eigen::VectorXd v = d.project_velocity(numbers(random, d.mechanism().nv()));
  const double largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 1e-9)) throw Error("its loops leave nothing that can move");
  return v / largest;
}

/// Up to 0.7 (m or rad) from `start` along what the loops allow there, less where that leads nowhere.
State closed_state(ConstrainedDynamics& d, const OwnedVector& start, Random& random) {
  const Mechanism& m = d.mechanism();
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(m.nv());
  for (double reach = 0.7;; reach /= 2.0) {
    d.set_state(start, rest);
    OwnedVector q = m.integrate(start, random.uniform(-reach, reach) * allowed_velocity(d, random)), v(rest);
    try {
      d.project_state(q, v);
      return {q, allowed_velocity(d, random), rest, numbers(random, m.nv())};
    } catch (const Error&) {
      if (reach < 1e-3) throw;
    }
  }
}

std::vector<State> closed_states(ConstrainedDynamics& d, const OwnedVector& start) {
  Random random(1);
  std::vector<State> out;
  for (int i = 0; i < kStates; ++i) out.push_back(closed_state(d, start, random));
  return out;
}

std::shared_ptr<Bed> as_they_are(const Subject& subject) {
  const Mechanism& m = subject.robot;
  const OwnedVector start = subject.closed.size() > 0 ? subject.closed : assemble(m, m.neutral()).q;
  auto bed = std::make_shared<Bed>(Bed{"loops", loops_of(m), ConstrainedDynamics(m, loop_constraints(m)), {}});
  bed->states = closed_states(bed->dynamics, start);
  return bed;
}

/// Where everything moves in a plane, a hinge that closes a loop need only keep a point on its axis: the same motion
/// with two rows in the place of five. Null where that is not so.
std::shared_ptr<Bed> as_points_on_axes(const Mechanism& m, Bed& full) {
  std::vector<TreeLoop> loops = full.loops;
  std::vector<ConstraintPtr> constraints = loop_constraints(m);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].type != "revolute") continue;
    const Loop& loop = m.loops()[i];
    loops[i].type = "point_on_axis";
    constraints[i] = pair_constraint(m, loop.name, loops[i].type, {loop.link_a, loop.X_AN}, {loop.link_b, loop.X_BN});
  }
  auto bed = std::make_shared<Bed>(
      Bed{"points on axes", std::move(loops), ConstrainedDynamics(m, std::move(constraints)), full.states});
  if (bed->dynamics.rows() == full.dynamics.rows()) return nullptr;
  for (const State& s : full.states) {
    for (Bed* b : {&full, bed.get()}) b->dynamics.set_state(s.q, s.v);
    if (bed->dynamics.rank() != full.dynamics.rank()) return nullptr;
  }
  return bed;
}

void add_ours(const std::shared_ptr<Bed>& bed, std::vector<Task>& tasks, Notes& notes) {
  for (const Method& m : kMethods) {
    const std::string what = fmt::format("{} ({}{})", kFunction, bed->form, m.name);
    bed->run(0, m.method);
    tasks.push_back({what, "amble", [bed, method = m.method](int i) { bed->run(i, method); }});
  }
  add_note(notes, fmt::format("{}: {} rows of rank {}", bed->form, bed->dynamics.rows(), bed->dynamics.rank()));
}

void add_peers(const Mechanism& m, Bed& bed, std::vector<Task>& tasks, Notes& notes) {
  Tree tree = tree_of(m);
  tree.loops = bed.loops;
  const auto ours = [&](const std::string&, int i) { return bed.run(i, kMethods[0].method); };
  Notes said;
  for (Task& task : peer_tasks(tree, bed.states, ours, said)) {
    task.what = fmt::format("{} ({})", task.what, bed.form);
    tasks.push_back(std::move(task));
  }
  for (const std::string& note : said) add_note(notes, bed.form + ": " + note);
}

}  // namespace

void add_loop_tasks(const Subject& subject, std::vector<Task>& tasks, Notes& notes) try {
  const std::shared_ptr<Bed> full = as_they_are(subject);
  for (const auto& bed : {full, as_points_on_axes(subject.robot, *full)}) {
    if (bed == nullptr) continue;
    add_ours(bed, tasks, notes);
    add_peers(subject.robot, *bed, tasks, notes);
  }
} catch (const Error& e) {  // such as loops that cannot be closed
  add_note(notes, std::string("loops: ") + e.what());
}

}  // namespace amble::bench
