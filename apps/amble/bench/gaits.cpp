#include "amble/gait/basin.hpp"
#include "amble/gait/walker_search.hpp"
#include "amble/walkers/walkers.hpp"
#include "bench/area.hpp"
#include "bench/instructions.hpp"
#include "bench/state.hpp"

// Walkers: a step of the return map, the fate of a start, the search for an efficient gait. No other library
// has these.
namespace amble::bench {

namespace {

/// Where steps start: a stable cycle, and starts all over the walker's region.
struct Starts {
  std::shared_ptr<StepModel> model;
  std::vector<Gait> cycles;
  OwnedVector gait;
};

Starts starts_of(const std::string& walker) {
  Starts starts{.model = make_walker(walker)};
  starts.cycles = find_cycles(*starts.model, region_of(*starts.model)).cycles;
  for (const Gait& gait : starts.cycles)
    if (gait.stable()) starts.gait = gait.x;
  return starts;
}

}  // namespace

std::vector<Task> gait_tasks(const Subject& subject, Notes& notes) {
  if (subject.walker.empty() || counting()) return {};
  const Starts starts = starts_of(subject.walker);
  std::vector<Task> tasks;
  for (const auto& [what, tolerance, want] :
       {std::tuple{"step of the return map to 1e-12", 1e-12, ReturnMap::Want::state},
        {"the same with its derivative", 1e-12, ReturnMap::Want::derivative},
        {"step of the return map to 1e-7", 1e-7, ReturnMap::Want::state}}) {
    const auto map = std::make_shared<ReturnMap>(*starts.model, ReturnMap::Options{.tolerance = tolerance});
    tasks.push_back({what, "amble", [map, want = want, x = starts.gait](int) { (*map)(x, want); }});
  }
  for (const auto& [what, cells, lanes] : {std::tuple{"basin of 4096 starts in lanes, one core", 4096, true},
                                           {"basin of 512 starts one by one, one core", 512, false}})
    tasks.push_back({what, "amble",
                     [starts, cells = cells, lanes = lanes](int) {
                       find_basin(*starts.model, starts.cycles, region_of(*starts.model),
                                  {.total = cells, .threads = 1, .lanes = lanes});
                     },
                     cells});
  add_note(notes, "a basin of 10^6 starts takes 10^6 times the time of a start, over the cores");
  tasks.push_back({"efficient gait from cold starts", "amble", [name = subject.walker](int) {
                     search_gaits(search_problem(name, {{"gravity", 9.8}}, {.foot_speed = 0.5}));
                   }});
  return tasks;
}

}  // namespace amble::bench
