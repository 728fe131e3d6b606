#include "amble/report/walk_report.hpp"

#include <fmt/format.h>

#include <numbers>

#include "amble/report/gait_figures.hpp"
#include "amble/report/notebook_view.hpp"
#include "amble/base/palette.hpp"

namespace amble {

namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --muted: #56606b; --line: #e3e6ea; --card: #f6f8fa; --note: #eef5fa; --bad: #fdf1e7; --accent: #0072b2; }
body { font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; color: var(--ink); background: var(--paper); max-width: 820px; margin: 2.2rem auto; padding: 0 1.2rem; }
h1 { margin: 0; font-size: 2rem; letter-spacing: -.01em; } h2 { margin: 2.4rem 0 .6rem; font-size: 1.2rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
.lead { color: var(--muted); margin: .1rem 0 1rem; } .note { background: var(--note); border-left: 4px solid var(--accent); border-radius: 0 6px 6px 0; padding: .6rem .9rem; }
.note.bad { background: var(--bad); border-color: #d55e00; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(125px, 1fr)); gap: .6rem; margin: 0 0 1.1rem; padding: 0; list-style: none; }
.facts li { background: var(--card); border-radius: 10px; padding: .5rem .8rem .6rem; color: var(--muted); font-size: .82rem; } .facts b { display: block; color: var(--ink); font-size: 1.22rem; font-weight: 650; font-variant-numeric: tabular-nums; white-space: nowrap; }
.viewer { display: block; width: min(1200px, calc(100vw - 2.4rem)); height: min(640px, 85vh); position: relative; left: 50%; transform: translateX(-50%); border: 1px solid var(--line); border-radius: 12px; margin: 0 0 .4rem; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; } th { text-align: left; color: var(--muted); font-weight: 600; }
td, th { padding: .3rem .6rem; border-bottom: 1px solid var(--line); } td.n, th.n { text-align: right; } tr:hover td { background: var(--card); }
svg { max-width: 100%; height: auto; display: block; margin: .6rem auto; } code { background: var(--card); padding: .15rem .4rem; border-radius: 5px; overflow-wrap: anywhere; } .wide { overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ecf1; --paper: #14181d; --muted: #a3aebb; --line: #2e3640; --card: #1e242b; --note: #172733; --bad: #33210f; --accent: #56b4e9; }
  svg { filter: invert(.92) hue-rotate(180deg); }
}
@media print { .viewer { display: none; } }
)";

std::string multiplier(const std::complex<double>& z) {
  return z.imag() == 0.0
             ? fmt::format("{:.6g}", z.real())
             : fmt::format("{:.6g} {} {:.6g}i", z.real(), z.imag() < 0.0 ? "-" : "+", std::abs(z.imag()));
}

std::string gait_table(const WalkReport& r) {
  std::string rows;
  for (const Gait& gait : r.cycles) {
    std::string all;
    for (const auto& z : gait.multipliers) all += (all.empty() ? "" : ", ") + multiplier(z);
    rows += fmt::format(
        "<tr{}><td class=n>{:.6f}</td><td class=n>{:.6f}</td><td "
        "class=n>{:.6f}</td><td>{}</td><td>{}</td></tr>\n",
        gait.x == r.gait.x ? " style='font-weight:600'" : "", gait.speed, gait.step_length, gait.period,
        gait.stable() ? "stable" : "not stable", escaped(all));
  }
  return "<div class=wide><table><tr><th class=n>speed (m/s)</th><th class=n>step (m)</th><th class=n>period "
         "(s)</th><th>stability</th>"
         "<th>multipliers</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string ledger_table(const Walk& walk) {
  std::string rows;
  for (std::size_t i = 0; i < walk.steps.size(); ++i) {
    const StepLedger& s = walk.steps[i];
    rows += fmt::format(
        "<tr><td class=n>{}</td><td class=n>{:.6f}</td><td class=n>{:.6f}</td><td class=n>{:.6f}</td><td "
        "class=n>{:.6f}</td><td class=n>{:.6f}</td>"
        "<td class=n>{:.6f}</td><td class=n>{:.1e}</td></tr>\n",
        i + 1, s.gravity, s.springs, s.dampers, s.supplied, -s.lost, s.kinetic, s.residual());
  }
  return "<div class=wide><table><tr><th class=n>step</th><th class=n>gravity</th><th "
         "class=n>springs</th><th class=n>dampers</th><th class=n>actuators</th>"
         "<th class=n>impacts</th><th class=n>change of kinetic</th><th class=n>residual</th></tr>\n" +
         rows + "</table></div>\n" +
         fmt::format(
             "<p>Energies in J, each its own sum or integral. Residual of all steps: {:.2e} J of {:.6g} J "
             "exchanged.</p>\n",
             walk.residual(), walk.exchanged());
}

std::string assumption_table(const Walk& walk) {
  std::string rows;
  for (const Assumption& a : walk.assumptions)
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td class=n>{:.4g} {}</td></tr>\n",
                        a.holds() ? "holds" : "<b>does not hold</b>", escaped(a.name), a.margin,
                        a.unit == "1" ? "" : escaped(a.unit));
  return "<table><tr><th></th><th>assumed</th><th class=n>margin</th></tr>\n" + rows + "</table>\n";
}

std::string parameter_table(const auto& r) {
  std::string rows;
  for (const auto& [name, value, unit] : r.parameters)
    rows += fmt::format("<tr><td><code>{}</code></td><td class=n>{:.10g}</td><td>{}</td></tr>\n",
                        escaped(name), value, unit == "1" ? "" : escaped(unit));
  return "<table><tr><th>parameter</th><th class=n>value</th><th>unit</th></tr>\n" + rows + "</table>\n";
}

std::string end_of(const Walk& walk) {
  return walk.fell
             ? fmt::format("After {} of {} steps the walker {}.", walk.steps.size(), walk.asked, walk.failure)
             : fmt::format("It walked {} steps, {:.3f} m in {:.3f} s.", walk.steps.size(), walk.distance(),
                           walk.duration());
}

/// The page up to the first sentence.
std::string head_of(const StepModel& model, const auto& r) {
  return fmt::format(
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport "
      "content='width=device-width, initial-scale=1'>\n"
      "<title>{0}: a walk</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p class=lead>{2}, on "
      "a floor of {3:.6g}°</p>\n",
      escaped(r.walker), kStyle, escaped(r.summary), model.slope() * 180.0 / std::numbers::pi);
}

/// The walk in space, and how to look at it again.
std::string viewer_of(const auto& r) {
  std::string out;
  if (!r.scene.empty())
    out = fmt::format("<iframe class=viewer title='The walk in 3D, with plots and energy' srcdoc='{}'></iframe>\n",
                      quoted_page(r.scene));
  if (!r.recording.empty())
    out += fmt::format("<p class=lead>Recorded in <code>{0}</code>; <code>amble view {0}</code> shows it alone.</p>\n",
                       escaped(r.recording));
  return out;
}

/// Numbers that people ask for first: what they are, and a unit.
std::string facts(const std::vector<std::pair<std::string, std::string>>& all) {
  std::string out;
  for (const auto& [value, meaning] : all)
    out += fmt::format("<li><b>{}</b>{}</li>", escaped(value), escaped(meaning));
  return "<ul class=facts>" + out + "</ul>\n";
}

/// What both pages end with.
std::string foot_of(const auto& r, const Walk& walk) {
  std::string out;
  if (!walk.assumptions.empty()) out += "<h2>What the model assumes</h2>\n" + assumption_table(walk);
  return out + "<h2>Parameters</h2>\n" + parameter_table(r) +
         fmt::format("<p>Made by <code>{}</code></p>\n</body>\n</html>\n", escaped(r.command));
}

std::string found_table(const EfficientWalkReport& r) {
  std::string rows;
  for (const FoundGait& gait : r.gaits)
    rows += fmt::format(
        "<tr{}><td class=n>{:.6g}</td><td class=n>{:.6f}</td><td class=n>{:.6f}</td><td "
        "class=n>{:.6f}</td><td "
        "class=n>{:.1e}</td></tr>\n",
        &gait == r.gaits.data() ? " style='font-weight:600'" : "", gait.objective, gait.speed,
        gait.step_length, gait.duration, gait.certificate.residual());
  return "<div class=wide><table><tr><th class=n>cost</th><th class=n>speed (m/s)</th><th class=n>step "
         "(m)</th><th class=n>period (s)</th><th class=n>KKT residual</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string spring_table(const EfficientWalkReport& r) {
  std::string rows;
  for (const ActuatorCurve& c : r.curves) {
    const ActuatorCurve::Spring s = c.spring();
    rows += fmt::format(
        "<tr><td><code>{}</code></td><td class=n>{:.5g}</td><td class=n>{:.5g}</td><td class=n>{:.3g} "
        "%</td></tr>\n",
        escaped(c.name), s.stiffness, s.rest, 100.0 * s.share);
  }
  return "<table><tr><th>actuator</th><th class=n>nearest spring (N m/rad)</th><th class=n>at rest "
         "(rad)</th><th class=n>share of the torque's square</th></tr>\n" +
         rows + "</table>\n";
}

}  // namespace

std::string walk_page(StepModel& model, const WalkReport& r, const Walk& walk) {
  const Gait& gait = r.gait;
  std::string page = head_of(model, r);
  page += facts({{fmt::format("{:.4f} m/s", gait.speed), "speed"},
                 {fmt::format("{:.4f} m", gait.step_length), "step"},
                 {fmt::format("{:.4f} s", gait.period), "period of a step"},
                 {fmt::format("{:.4f}", std::abs(gait.leading())), gait.stable() ? "largest multiplier: stable" : "largest multiplier: not stable"},
                 {fmt::format("{:.4f}", gait.cost_of_transport), "cost of transport"}});
  page += viewer_of(r);
  page += fmt::format("<p>{}</p>\n", escaped(end_of(walk))) + stick_figures(model, walk);
  page +=
      fmt::format("<p class='note{}'>{}.</p>\n", gait.stable() ? "" : " bad", escaped(stability_note(gait)));
  page += "<h2>Gaits found</h2>\n" + gait_table(r);
  page += "<h2>Every joule</h2>\n" + energy_per_step(walk) +
          fmt::format("<p>A step loses {:.6f} J; cost of transport {:.6f}.</p>\n", gait.energy_lost,
                      gait.cost_of_transport) +
          ledger_table(walk);
  page += r.further + "<h2>Motion</h2>\n" + svg(phase_portrait(model, walk)) + svg(return_map(model, gait));
  return page + foot_of(r, walk);
}

std::string walk_page(StepModel& model, const EfficientWalkReport& r, const Walk& walk) {
  const FoundGait& gait = r.gaits.front();
  const SearchFigures& f = r.figures;
  const double transport = f.weight * gait.step_length;
  std::string page = head_of(model, r);
  page += facts({{fmt::format("{:.4f} m/s", gait.speed), "speed"},
                 {fmt::format("{:.4f} m", gait.step_length), "step"},
                 {fmt::format("{:.4f} s", gait.duration), "period of a step"},
                 {fmt::format("{:.4g} J", f.positive_work), "actuators deliver in a step"},
                 {fmt::format("{:.4f}", f.lost / transport), "cost of transport"}});
  page += viewer_of(r);
  page += fmt::format("<p>{}</p>\n", escaped(end_of(walk))) + stick_figures(model, walk);
  page += fmt::format("<p class=note>{}.</p>\n", escaped(r.stability));
  page += "<h2>Gaits found</h2>\n" + found_table(r);
  page += "<h2>Actuators</h2>\n" + svg(torque_over_time(r.curves)) + svg(power_over_time(r.curves)) +
          svg(torque_over_angle(r.curves)) + spring_table(r);
  page += "<h2>Every joule</h2>\n" + energy_per_step(walk) +
          fmt::format(
              "<p>In a step actuators deliver {:.6f} J and take back {:.6f} J; impacts and dampers take "
              "{:.6f} J. Cost of transport {:.6f}; counting what is delivered alone, {:.6f}.</p>\n",
              f.positive_work, f.positive_work - f.actuator_work, f.lost, f.lost / transport,
              f.positive_work / transport) +
          ledger_table(walk);
  page += "<h2>Motion</h2>\n" + svg(phase_portrait(model, walk));
  return page + foot_of(r, walk);
}

}  // namespace amble
