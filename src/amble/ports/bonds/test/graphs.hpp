#pragma once

#include "amble/ports/bonds/bond_graph.hpp"

// Graphs that several tests use.
namespace amble {

/// Voltage u, resistor R, coil L and capacitor C in series.
inline BondGraphBuilder series_circuit() {
  BondGraphBuilder b("series circuit");
  b.parameter("R", 2.0).parameter("L", 0.5).parameter("C", 0.1).parameter("u", 3.0);
  b.element({.name = "source", .type = "Se", .value = "u", .domain = "electrical"});
  b.element({.name = "resistor", .type = "R", .value = "R"});
  b.element({.name = "coil", .type = "I", .value = "L", .states = {"lambda"}});
  b.element({.name = "capacitor", .type = "C", .value = "C", .states = {"charge"}});
  b.junction("loop", 1);
  b.bond({.from = "source", .to = "loop"});
  for (const char* to : {"resistor", "coil", "capacitor"}) b.bond({.from = "loop", .to = to});
  return b;
}

/// Two inertias on a stiff gear of ratio n, driven by a torque.
inline BondGraphBuilder geared_inertias() {
  BondGraphBuilder b("geared inertias");
  b.parameter("J1", 0.3).parameter("J2", 2.0).parameter("n", 4.0).parameter("torque", 1.5);
  b.element({.name = "drive", .type = "Se", .value = "torque"});
  b.element({.name = "rotor", .type = "I", .value = "J1", .states = {"p"}, .initial = {0.06}});
  b.element({.name = "load", .type = "I", .value = "J2"});
  b.element({.name = "gear", .type = "TF", .law = "effort_ratio", .value = "n"});
  b.junction("shaft", 1, "rotation");
  b.bond({.from = "drive", .to = "shaft"})
      .bond({.from = "shaft", .to = "rotor"})
      .bond({.from = "shaft", .to = "gear"});
  b.bond({.from = "gear", .to = "load"});
  return b;
}

}  // namespace amble
