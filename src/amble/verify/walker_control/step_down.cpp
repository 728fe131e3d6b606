#include <cmath>

#include "amble/gait/cycles.hpp"
#include "amble/gait/step_down.hpp"
#include "amble/gait/walk_controllers.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/walker_control/themes.hpp"

namespace amble {

namespace {

/// DS 4.2.3: the stable gait on 3 degrees.
struct Book {
  std::unique_ptr<StepModel> walker = make_walker("compass", {{"gravity", 9.8}});
  Gait gait;
  GaitMotion motion;

  Book() {
    ReturnMap map(*walker);
    const Eigen::Vector4d guess(0.2993, -0.5986, -1.073, 0.7084);
    const NewtonResult found = find_cycle(map, guess);
    if (!found.converged) throw Error("the gait of the book was not found");
    gait = gait_at(map, found.x);
    motion = gait_motion(*walker, gait);
  }
  ControlledWalker under(const char* controller, const WalkerValues& values = {}) const {
    return controlled_walker(*walker, motion, controller, values);
  }
};
const Book& book() {
  static const Book one;
  return one;
}

/// Whether it survives a step of each of these heights, as a number of those it does.
double survived(const char* controller, const std::vector<double>& heights, const WalkerValues& values = {}) {
  const auto results =
      sweep_step_down(book().under(controller, values), book().gait.x, {.heights = heights, .steps = 15, .tolerance = 1e-9});
  return static_cast<double>(std::count_if(results.begin(), results.end(), [](const auto& r) { return r.survived; }));
}

struct Flat {
  double torque, spent, miss;
};
/// On a floor without steps.
const Flat& flat() {
  static const Flat one = [] {
    ReturnMap map(book().under("port"));
    const Walk w = walk(map, book().gait.x, 4, WalkOptions{.samples = false});
    return Flat{dynamic_cast<ControlledWalker&>(map.model()).figures().peak_torque.maxCoeff(), w.spent(),
                (w.x - book().gait.x).norm()};
  }();
  return one;
}

/// What books miss after a step down of 5 cm, of all that was exchanged.
double books_of(const char* controller) {
  ReturnMap map(book().under(controller));
  const Walk w = walk(map, book().gait.x, 10, {.floor = {{0.05, 5}}, .samples = false});
  return w.residual() / w.exchanged();
}

/// Work of a law that may have none, of all that was exchanged.
double work_without_power() {
  ReturnMap map(book().under("port"));
  const Walk w = walk(map, book().gait.x, 10, {.floor = {{0.05, 5}}, .samples = false});
  double worst = 0.0;
  for (const StepLedger& step : w.steps)
    for (std::size_t law = 0; law < w.laws.size(); ++law)
      if (w.laws[law] == "nominal" || w.laws[law] == "asymptotic") worst = std::max(worst, std::abs(step.laws[law]));
  return worst / w.exchanged();
}

}  // namespace

std::vector<VerificationEntry> walker_control_step_down() {
  const std::string step = "DS 5.2.3, m = 1, mH = 5, 3 degrees, g = 9.8, step down at the fifth footfall";
  return {
      number_entry({"walker-control.step_down.none_survives_2cm", step, "published", 0.0}, 2.0,
                   [] { return survived("none", {0.01, 0.02}); }),
      number_entry({"walker-control.step_down.none_falls_at_5cm", step, "published", 0.0}, 0.0,
                   [] { return survived("none", {0.05}); }),
      number_entry({"walker-control.step_down.port_survives_5cm", step, "published", 0.0}, 1.0,
                   [] { return survived("port", {0.05}); }),
      number_entry({"walker-control.step_down.port_survives_11cm", step, "published", 0.0}, 1.0,
                   [] { return survived("port", {0.11}); }),
      number_entry({"walker-control.step_down.flat_torque", "DS Fig 5.11: (N m) a field along the gait asks for none",
                    "published", 0.1},
                   0.0, [] { return flat().torque; }),
      number_entry({"walker-control.step_down.flat_work", step + ", (J) of four steps", "closed form", 1e-3}, 0.0,
                   [] { return flat().spent; }),
      number_entry({"walker-control.step_down.gait_is_kept", step, "two routes", 1e-6}, 0.0, [] { return flat().miss; }),
      number_entry({"walker-control.step_down.books_none", step, "two routes", 1e-9}, 0.0, [] { return books_of("none"); }),
      number_entry({"walker-control.step_down.books_port", step, "two routes", 1e-10}, 0.0, [] { return books_of("port"); }),
      number_entry({"walker-control.step_down.books_pd", step, "two routes", 1e-10}, 0.0, [] { return books_of("pd"); }),
      number_entry({"walker-control.step_down.laws_without_power", "DS Theorem 5.3, (5.18)", "closed form", 1e-10}, 0.0,
                   work_without_power)};
}

}  // namespace amble
