#pragma once

#include <string>
#include <vector>

namespace amble {

/// What one element did over a motion (J): supplied = delivered + stored + dissipated, each its own quadrature or, for
/// what is stored, the difference of an energy.
struct LedgerEntry {
  std::string name;
  double supplied = 0.0;    ///< from outside into the element
  double delivered = 0.0;   ///< from the element into the mechanism
  double stored = 0.0;      ///< change of the element's own energy
  double dissipated = 0.0;  ///< turned into heat
  double gap() const { return supplied - delivered - stored - dissipated; }
};

/// The books of a motion (J): final - initial = sum of delivered - losses, up to `residual`.
struct Ledger {
  double initial = 0.0, final = 0.0;  ///< energy of the mechanism, kinetic and in gravity
  std::vector<LedgerEntry> entries;
  double losses = 0.0;     ///< taken by events
  double exchanged = 0.0;  ///< what went to and fro between the elements and the mechanism, added up without sign
  double residual() const {
    double sum = final - initial + losses;
    for (const LedgerEntry& e : entries) sum -= e.delivered;
    return sum;
  }
};

}  // namespace amble
