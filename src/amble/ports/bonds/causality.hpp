#pragma once

#include "amble/ports/bonds/bond_graph.hpp"

namespace amble {

/// A storage element that cannot integrate: other elements set what it should give out.
struct DependentStorage {
  int element = -1, port = -1;
  std::vector<int> on;  ///< the elements that set it
};

/// Which way effort and flow are computed along each bond: the effort travels towards the causal stroke.
struct BondCausality {
  enum class Stroke { none, tail, head };
  std::vector<Stroke> strokes;  ///< of the bonds; none where a conflict left it open
  std::vector<DependentStorage> dependent;
  std::vector<std::string> conflicts;  ///< in words, with the elements that are in each other's way
  std::vector<std::string> notes;      ///< what is worth knowing about the choice, in words

  /// True when the element at this port is given the effort and answers with the flow.
  bool effort_in(const BondPort& port) const { return strokes[port.bond] == (port.in ? Stroke::head : Stroke::tail); }
};

/// Sequential assignment: what is fixed (sources, mechanisms, matrices that cannot be inverted), then storage so that
/// it integrates, in the order of the elements, then resistors as their laws are written, each carried on as far as
/// junctions, TF and GY leave no choice. Conflicts are reported, not thrown.
BondCausality assign_causality(const BondGraph& graph);

}  // namespace amble
