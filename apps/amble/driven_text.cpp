#include "driven_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/gait/drive_sweep.hpp"
#include "ledger_report.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(); }

void print_powers(const DrivenWalk& w) {
  const auto row = [](const char* what, double power) { fmt::print("  {:44} {:9.4f} W\n", what, power); };
  row("battery into the drive", w.battery + w.burnt);
  row("  heat of the winding", w.copper);
  row("  given back by the motor and burnt", w.burnt);
  row("  shaft of the motor", w.shaft);
  row("    heat of the gearbox", w.gearbox);
  row("    joint", w.joint);
  row("      lost where feet come down", w.feet);
  row("      lost where knees strike", w.knees);
  if (w.joints != 0.0) row("      heat of dampers at joints", w.joints);
  row("magnets of the knees", w.magnets);
  row("electronics", w.electronics);
  row("battery in all", w.total());
}

}  // namespace

Json driven_json(const DrivenWalk& w) {
  Json out{{"fell", w.fell}, {"failure", w.fell ? Json(w.failure) : Json()}, {"steps", w.steps}, {"measured_steps", w.measured_steps}};
  for (const DrivenFigure& figure : driven_figures()) out[figure.name] = number_or_null(figure.value(w));
  out["energy_residual"] = w.ledger.residual(), out["exchanged"] = w.ledger.exchanged;
  return out;
}

void print_driven(const DrivenWalk& w) {
  if (w.fell)
    fmt::print("after {} steps, at {:.4g} s, the walker {}\n", w.steps, w.walked, w.failure);
  else
    fmt::print("walked {:.6g} s, {} steps\n", w.walked, w.steps);
  if (w.measured_steps == 0) return;
  fmt::print("measured over the last {} steps:\n", w.measured_steps);
  fmt::print("  {:.5f} m/s: steps of {:.5f} m in {:.5f} s, which vary by {:.2g} s; asymmetry {:.3g}\n", w.speed, w.step_length,
             w.period, w.period_spread, w.asymmetry);
  fmt::print("  swing foot {:.2f} mm over the floor at its lowest ({:.2f} mm in the worst step), {:.2f} mm in the mean\n",
             1e3 * w.clearance, 1e3 * w.lowest_clearance, 1e3 * w.swing_height);
  fmt::print("  peak current {:.3f} A\n", w.peak_current);
  print_powers(w);
  fmt::print("  cost of transport {:.4f} of the shaft, signed (DS (5.30)); {:.4f} of the drive, nothing given back; {:.4f} in all\n",
             w.cost_of_transport, w.electric_cost, w.total_cost);
  fmt::print("residual {:.3g} J of {:.6g} J exchanged\n", w.ledger.residual(), w.ledger.exchanged);
}

}  // namespace amble::app
