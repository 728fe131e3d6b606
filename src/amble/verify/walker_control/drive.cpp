#include <cmath>
#include <memory>
#include <optional>

#include "amble/gait/cycles.hpp"
#include "amble/gait/drive_sweep.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/walker_control/themes.hpp"
#include "amble/walkers/described_walker.hpp"

namespace amble {

namespace {

using Entries = std::vector<VerificationEntry>;

DrivenWalker dribbel(const WalkerValues& more) {
  const DrivenKind kind = driven_kind("dribbel");
  WalkerValues values = kind.driven;
  for (const auto& [name, value] : more) values[name] = value;
  return kind(values);
}

/// A walk that several entries are about: made once, when the first of them is run.
class SharedWalk {
 public:
  explicit SharedWalk(WalkerValues values, double duration = 10.0) : values_(std::move(values)), duration_(duration) {}
  const DrivenWalk& operator()() const {
    if (!*walk_) *walk_ = walk_driven(dribbel(values_), {.duration = duration_});
    return **walk_;
  }

 private:
  WalkerValues values_;
  double duration_;
  std::shared_ptr<std::optional<DrivenWalk>> walk_ = std::make_shared<std::optional<DrivenWalk>>();
};

VerificationEntry of_walk(const char* name, const char* source, const char* kind, double reference, double tolerance,
                          const SharedWalk& walk, double (*ours)(const DrivenWalk&)) {
  return number_entry({std::string("walker-control.drive.") + name, source, kind, tolerance}, reference,
                      [walk, ours] { return ours(walk()); });
}

/// The gait of a controller that acts all the time, from the return map.
Gait gait_of(const DrivenWalker& walker) {
  const DescribedWalker model(with_drive_as_spring(walker));
  for (const Gait& gait : find_cycles(model, region_of(model), {.starts = 120}).cycles)
    if (gait.stable()) return gait;
  throw Error("no stable cycle was found");
}

/// Walks five steps from that gait in the simulator.
double footfall_error() {
  DrivenWalker walker = dribbel({{"sample_period", 0.0}});
  const Gait gait = gait_of(walker);
  walker.drive.start = {{"pitch", gait.x[0]}, {"dpitch", gait.x[3]}, {"dhip", gait.x[4]}};
  const DrivenWalk walk = walk_driven(walker, {.duration = 5.5 * gait.period, .measured_from = 0.0, .tolerance = 1e-11});
  if (walk.footfalls.size() != 5) return std::nan("");
  double worst = 0.0;
  for (int i = 0; i < 5; ++i) worst = std::max(worst, std::abs(walk.footfalls[static_cast<std::size_t>(i)] - (i + 1) * gait.period));
  return worst;
}

}  // namespace

Entries walker_control_drive() {
  using W = const DrivenWalk&;
  const SharedWalk walk({}), lossy({{"gear_efficiency", 0.72}});
  const char* const reference = "Kp = 10 A/rad, set point 0.3 rad, 30.2 mN m/A, gear ratio 66: computed independently";
  return {
      of_walk("walks", "DS 5.3.1: stable for ten seconds", "published", 0.0, 0.0, walk, [](W w) { return w.fell ? 1.0 : 0.0; }),
      of_walk("speed", reference, "two routes", 0.47, 0.04, walk, [](W w) { return w.speed; }),
      of_walk("cost_of_transport", reference, "two routes", 0.20, 0.05, walk, [](W w) { return w.cost_of_transport; }),
      of_walk("current_within_limit", "DS 5.3.1: below 8 A", "published", 1.0, 0.0, walk, [](W w) { return w.peak_current < 8.0 ? 1.0 : 0.0; }),
      of_walk("residual", "the ledger closes, of what was exchanged", "closed form", 0.0, 1e-7, lossy,
              [](W w) { return w.ledger.residual() / w.ledger.exchanged; }),
      of_walk("battery", "battery = winding + shaft (W)", "closed form", 0.0, 1e-6, lossy, [](W w) { return w.battery - w.copper - w.shaft; }),
      of_walk("gearbox", "shaft = gearbox + joint (W)", "closed form", 0.0, 1e-6, lossy, [](W w) { return w.shaft - w.gearbox - w.joint; }),
      of_walk("electronics", "DS 5.3.2: 11.2 W", "published", 11.2, 1e-9, walk, [](W w) { return w.electronics; }),
      number_entry({"walker-control.drive.footfalls", "the simulator with contacts, magnets and switches against the return map (s)",
                    "two routes", 1e-4},
                   0.0, footfall_error),
      number_entry({"walker-control.drive.stable", "a stable cycle of the return map on level ground", "two routes", 0.0}, 1.0,
                   [] { return gait_of(dribbel({})).stable() ? 1.0 : 0.0; }),
  };
}

}  // namespace amble
