#include "amble/scenario/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "amble/base/error.hpp"
#include "amble/mechanism/coordinate_names.hpp"
#include "amble/scenario/walk_run.hpp"

namespace amble {

namespace {

/// Something that is not as it was.
struct Difference {
  double t;
  std::string words;
};
using Differences = std::vector<Difference>;

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// Adds one and says true when two numbers differ.
bool differs(double t, const std::string& name, double then, double now, Differences& out) {
  if (same(then, now)) return false;
  out.push_back({t, fmt::format("{} at {} s: {} was recorded, now it is {}", name, t, then, now)});
  return true;
}

/// The first row of numbers, by their names, that is not the same.
void compare_rows(const std::vector<double>& t, const std::vector<std::string>& names, const double* then,
                  const double* now, std::size_t rows, Differences& out) {
  const std::size_t columns = names.size();
  for (std::size_t i = 0; i < rows * columns; ++i)
    if (differs(t[i / columns], names[i % columns], then[i], now[i], out)) return;
}

std::vector<std::string> with_prefix(const char* prefix, std::vector<std::string> names) {
  for (std::string& name : names) name.insert(0, prefix);
  return names;
}

void compare_states(const Recording& then, const Recording& now, Differences& out) {
  const std::size_t rows = std::min(then.rows(), now.rows());
  const Mechanism& m = then.mechanism();
  compare_rows(then.t(), {"the time"}, then.t().data(), now.t().data(), rows, out);
  compare_rows(then.t(), with_prefix("q:", q_names(m)), then.q().data(), now.q().data(), rows, out);
  compare_rows(then.t(), with_prefix("v:", v_names(m)), then.v().data(), now.v().data(), rows, out);
  compare_rows(then.t(), {"the kinetic energy"}, then.kinetic().data(), now.kinetic().data(), rows, out);
  compare_rows(then.t(), {"the potential energy"}, then.potential().data(), now.potential().data(), rows, out);
  if (now.rows() < then.rows())
    out.push_back({then.t()[rows], fmt::format("the motion now ends before {} s", then.t()[rows])});
}

void compare_events(const Recording& then, const Recording& now, Differences& out) {
  for (std::size_t i = 0; i < then.events().size(); ++i) {
    const RecordedEvent& e = then.events()[i];
    const RecordedEvent* const other = i < now.events().size() ? &now.events()[i] : nullptr;
    if (other != nullptr && same(e.t, other->t) && e.name == other->name && same(e.lost, other->lost)) continue;
    out.push_back(
        {e.t, fmt::format("the event '{}' at {} s: now {}", e.name, e.t,
                          other == nullptr ? "there is none" : fmt::format("'{}' at {} s", other->name, other->t))});
    return;
  }
}

void compare_ledgers(const LedgerHistory& then, const LedgerHistory& now, Differences& out) {
  if (then.names() != now.names()) return out.push_back({0.0, "the entries of the ledger are others"});
  const std::size_t rows = std::min(then.rows(), now.rows());
  compare_rows(then.t(), {"the ledger's time"}, then.t().data(), now.t().data(), rows, out);
  compare_rows(then.t(), {"the ledger's energy"}, then.energy().data(), now.energy().data(), rows, out);
  compare_rows(then.t(), {"the ledger's losses"}, then.losses().data(), now.losses().data(), rows, out);
  for (std::size_t k = 0; k < LedgerHistory::kParts.size(); ++k)
    compare_rows(then.t(), with_prefix(fmt::format("ledger/{}:", LedgerHistory::kParts[k]).c_str(), then.names()),
                 then.part(k).data(), now.part(k).data(), rows, out);
}

/// A hint at what may be behind a difference.
std::string circumstances(const RecordingOrigin& then, const RecordingOrigin& now) {
  std::string out;
  if (then.version != now.version)
    out += fmt::format("; recorded by Amble {}, this is {}", then.version, now.version);
  if (then.instructions != now.instructions)
    out += fmt::format("; recorded with {} instructions, these are {}", then.instructions, now.instructions);
  return out;
}

/// Runs as far as the recording goes.
void run_alike(ScenarioRun& run, const Recording& recording, const std::function<bool(double t)>& watch) {
  const double end = std::max(recording.rows() > 0 ? recording.t().back() : 0.0,
                              recording.ledgers().rows() > 0 ? recording.ledgers().t().back() : 0.0);
  try {
    run.run([&](double t) { return t < end && (!watch || watch(t)); });
  } catch (const Error&) {
    // A motion that could not go on then cannot now; if it could, the rows that are missing tell.
  }
}

Recording run_again(const Recording& recording, const std::function<bool(double t)>& watch) {
  const RecordingOrigin& origin = recording.origin();
  if (is_walk_scenario(origin.scenario, origin.file))
    return run_walk_scenario(read_walk_scenario(origin.scenario, origin.file, origin.settings)).recording;
  ScenarioRun run(read_scenario(origin.scenario, origin.file, origin.settings), recording.mechanism());
  run_alike(run, recording, watch);
  return run.recording();
}

}  // namespace

Replay replay(const Recording& recording, const std::function<bool(double t)>& watch) {
  const RecordingOrigin& origin = recording.origin();
  if (origin.scenario.empty()) throw Error("the recording comes from no scenario: there is nothing to run again");
  bool stopped = false;
  const auto watch_and_remember = [&](double t) { return !(stopped = watch && !watch(t)); };
  const Recording now = run_again(recording, watch_and_remember);
  Differences found;
  compare_states(recording, now, found), compare_ledgers(recording.ledgers(), now.ledgers(), found);
  if (!stopped) compare_events(recording, now, found);
  if (stopped) std::erase_if(found, [&](const Difference& d) { return now.rows() > 0 && d.t > now.t().back(); });
  Replay out{.same = found.empty(), .rows = std::min(recording.rows(), now.rows()), .difference = {}};
  if (out.same) return out;
  const auto first =
      std::min_element(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
  out.difference = first->words + circumstances(origin, now.origin());
  return out;
}

}  // namespace amble
