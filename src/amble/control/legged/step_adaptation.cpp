#include "amble/control/legged/step_adaptation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amble {

namespace {

constexpr int kCandidates = 16;      // durations between the earliest and the latest
constexpr double kMissWeight = 1e3;  // of what is beyond reach, over that of moving the place
constexpr double kChange = 5e-3;     // m^2/s: cost of another duration than the last, against chatter

struct Candidate {
  StepChoice choice;
  double cost = std::numeric_limits<double>::infinity();
};

/// The DCM's error e now grows by E until touchdown; a ZMP that is off by dp all the time takes (E - 1) dp of
/// it back.
Candidate evaluate(const StepProblem& p, double time) {
  const double E = std::exp(p.timing.omega * (time - p.elapsed)), k = p.timing.share();
  const Vector2<double> goal = k * p.nominal + p.timing.decay() * p.next_offset;
  Candidate out;
  out.choice.time = time;
  double moved = 0.0, miss = 0.0;
  for (int i = 0; i < 2; ++i) {
    const double e = p.dcm[i] - goal[i] / E, wanted = e / (1.0 - 1.0 / E);
    const double zmp = std::clamp(wanted, -p.ankle[i], p.ankle[i]);
    const double left = wanted == zmp ? 0.0 : zmp + E * (e - zmp);
    const double place = p.nominal[i] + left / k, reached = std::clamp(place, p.least[i], p.most[i]);
    out.choice.place[i] = reached;
    moved += (reached - p.nominal[i]) * (reached - p.nominal[i]),
        miss += (place - reached) * (place - reached);
  }
  out.choice.miss = std::sqrt(miss);
  const double late = time - p.timing.single_support;
  out.cost = moved + p.time_weight * late * late + kMissWeight * miss + kChange * std::abs(time - p.time);
  return out;
}

}  // namespace

StepChoice adapt_step(const StepProblem& p) {
  Candidate best = evaluate(p, std::clamp(p.time, p.earliest, p.latest));
  if (!(p.latest > p.earliest)) return best.choice;
  const auto compare = [&](double time) {
    if (const Candidate c = evaluate(p, time); c.cost < best.cost) best = c;
  };
  compare(std::clamp(p.timing.single_support, p.earliest, p.latest));
  for (int i = 0; i < kCandidates; ++i) compare(p.earliest + (p.latest - p.earliest) * i / (kCandidates - 1));
  return best.choice;
}

}  // namespace amble
