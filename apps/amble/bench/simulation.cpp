#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

#include "amble/base/error.hpp"
#include "amble/simulation/simulator.hpp"
#include "bench/area.hpp"
#include "bench/instructions.hpp"
#include "bench/interrupt.hpp"
#include "bench/peers.hpp"

// A robot that falls freely from random states, to equal errors of its configuration at the end: each library by the
// best of its integrators, with the step or the tolerance that just gives the error.
namespace amble::bench {

namespace {

constexpr double kDuration = 1.0;                 // s
constexpr int kFalls = 2;                         // states that it falls from
constexpr double kErrors[] = {1e-3, 1e-6, 1e-9};  // rad or m, of the coordinate that is off most

/// An integrator that gets better with effort, the logarithm (10) of its steps or of 1 / tolerance.
struct Faller {
  std::string library, scheme;
  double least, most;
  bool fixed;
  std::function<Eigen::VectorXd(int state, double effort)> fall;
  std::map<double, double> errors = {};  ///< by effort, as far as known
};

struct Bed {
  Mechanism m;
  std::vector<State> states;
  std::vector<Eigen::VectorXd> exact;  ///< of kFalls
  std::vector<Faller> fallers;
};

/// Without damping, friction and springs of its joints: peers are told nothing of them.
Mechanism undamped(const Mechanism& m) {
  ModelDescription description = m.description();
  for (JointDescription& joint : description.joints)
    joint.properties.damping.clear(), joint.properties.friction.clear(), joint.properties.stiffness.clear();
  return compile(description, Physics::warn);
}

Faller ours(const Bed& bed, const std::string& method, bool fixed) {
  struct Made {
    double effort = -1.0;
    std::unique_ptr<Simulator> run;
  };
  const auto fall = [&m = bed.m, &states = bed.states, method, fixed, made = std::make_shared<Made>()](
                        int i, double effort) -> Eigen::VectorXd {
    if (made->effort != effort) {
      SimulatorOptions options{.method = method};
      (fixed ? options.integrator.step : options.integrator.tolerance) = std::pow(10.0, -effort);
      made->run = std::make_unique<Simulator>(m, std::vector<ElementPtr>(), std::vector<ConstraintPtr>(), options);
      made->effort = effort;
    }
    made->run->reset(states[i].q, states[i].v);
    made->run->advance(kDuration);
    return made->run->q();
  };
  return {"amble", method, fixed ? 1.0 : 2.0, fixed ? 3.5 : 13.5, fixed, fall};
}

void add_peers(Bed& bed, Notes& notes) {
  for (const PeerModule* module : peers().modules) try {
      if (module->make == nullptr) continue;
      const std::shared_ptr<Peer> peer = module->make(tree_of(bed.m), bed.states);
      for (const PeerIntegrator& integrator : peer->integrators())
        bed.fallers.push_back(
            {module->name, integrator.name, 1.0, 3.75, true, [peer, run = integrator.run](int i, double effort) {
               return run(i, kDuration, std::lround(std::pow(10.0, effort)));
             }});
    } catch (const std::exception& e) {
      add_note(notes, fmt::format("{}: {}", module->name, e.what()));
    }
}

/// The largest error over all falls.
double error_of(const Bed& bed, Faller& faller, double effort) {
  if (const auto known = faller.errors.find(effort); known != faller.errors.end()) return known->second;
  double worst = 0.0;
  for (int i = 0; i < kFalls; ++i) {
    check_interrupt();
    const Eigen::VectorXd end = faller.fall(i, effort);
    const double error = end.allFinite() ? bed.m.difference(bed.exact[i], end).cwiseAbs().maxCoeff() : HUGE_VAL;
    worst = std::max(worst, error);
  }
  return faller.errors[effort] = worst;
}

/// The least effort that gives an error, by halving; infinite when the most does not.
double effort_for(const Bed& bed, Faller& faller, double error) {
  double low = faller.least, high = low;
  while (error_of(bed, faller, high) > error) {
    if (high >= faller.most) return HUGE_VAL;
    low = high, high = std::min(high + 0.5, faller.most);
  }
  for (int i = 0; i < 6 && high > low; ++i) {
    const double middle = 0.5 * (low + high);
    (error_of(bed, faller, middle) > error ? low : high) = middle;
  }
  return high;
}

double seconds_of(const Faller& faller, double effort) {
  timespec a{}, b{};
  double best = HUGE_VAL;
  for (int i = 0; i < kFalls; ++i) {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    faller.fall(i, effort);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    best =
        std::min(best, static_cast<double>(b.tv_sec - a.tv_sec) + 1e-9 * static_cast<double>(b.tv_nsec - a.tv_nsec));
  }
  return best;
}

std::string setting(const Faller& faller, double effort) {
  return faller.fixed ? fmt::format("{}, steps of {:.2g} s", faller.scheme, kDuration * std::pow(10.0, -effort))
                      : fmt::format("{}, tolerance {:.1g}", faller.scheme, std::pow(10.0, -effort));
}

/// The best integrator of a library for an error.
void add_best(const std::shared_ptr<Bed>& bed, const std::string& library, double error, std::vector<Task>& tasks,
              Notes& notes) {
  const Faller* best = nullptr;
  double effort = 0.0, least = HUGE_VAL;
  for (Faller& faller : bed->fallers) {
    if (faller.library != library) continue;
    const double needed = effort_for(*bed, faller, error);
    const double seconds = std::isfinite(needed) ? seconds_of(faller, needed) : HUGE_VAL;
    if (seconds < least) best = &faller, effort = needed, least = seconds;
  }
  const std::string what = fmt::format("fall of {:g} s to {:.0e}", kDuration, error);
  if (best == nullptr) return add_note(notes, fmt::format("{}: no integrator of {} gets there", what, library));
  tasks.push_back({what, library, [bed, best, effort](int i) { best->fall(i % kFalls, effort); }});
  add_note(notes, fmt::format("{}: {} by {}, {:.3g} simulated seconds per second", what, library,
                              setting(*best, effort), kDuration / least));
}

std::shared_ptr<Bed> make_bed(const Mechanism& robot, Notes& notes) {
  const Mechanism m = undamped(robot);
  const auto bed = std::make_shared<Bed>(Bed{m, random_states(m), {}, {}});
  const Faller exact = ours(*bed, "rkmk45", false);
  for (int i = 0; i < kFalls; ++i) bed->exact.push_back(exact.fall(i, 14.0));
  bed->fallers = {exact, ours(*bed, "rkmk4", true), ours(*bed, "semi_implicit", true)};
  add_peers(*bed, notes);
  return bed;
}

bool floats(const Mechanism& m) {
  return m.loops().empty() && m.rollings().empty() && !m.joints().empty() && m.joints().front().type == "free";
}

}  // namespace

std::vector<Task> simulation_tasks(const Subject& subject, Notes& notes) {
  if (subject.growth || subject.closed.size() > 0 || subject.stands.size() > 0 || !subject.walker.empty() || counting()) return {};
  if (!floats(subject.robot)) return {};
  std::vector<Task> tasks;
  try {
    const std::shared_ptr<Bed> bed = make_bed(subject.robot, notes);
    std::vector<std::string> libraries;
    for (const Faller& faller : bed->fallers)
      if (std::find(libraries.begin(), libraries.end(), faller.library) == libraries.end())
        libraries.push_back(faller.library);
    for (const double error : kErrors)
      for (const std::string& library : libraries) add_best(bed, library, error, tasks, notes);
  } catch (const Error& e) {
    add_note(notes, std::string("no fall: ") + e.what());
  }
  return tasks;
}

}  // namespace amble::bench
