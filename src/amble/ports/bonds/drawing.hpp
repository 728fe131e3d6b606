#pragma once

#include "amble/ports/bonds/causality.hpp"

namespace amble {

/// A bond graph as a picture (SVG): elements with their values, half arrows, causal strokes, double lines for
/// multi-bonds, dashed arrows for signals, one colour for each domain. The program `dot` of Graphviz finds the
/// places; throws an Error when it is not there.
std::string bond_graph_svg(const BondGraph& graph);

}  // namespace amble
