#pragma once

#include "amble/walkers/mechanism_walker.hpp"
#include "amble/walkers/walker_description.hpp"

namespace amble {

int foot_index(const WalkerDescription& walker, const std::string& name);
const WalkerDescription::Foot& foot_named(const WalkerDescription& walker, const std::string& name);

/// Throws an Error for what is wrong with the description itself: names, numbers, the order of phases.
void check_description(const WalkerDescription& walker);

/// And for what its mechanism, hung up by each of its feet, cannot do: leave the plane that it walks in, or
/// be another than its own image in the mirror when a step is to be a return.
void check_models(const WalkerDescription& walker, const std::vector<Mechanism>& by_foot);

/// And for events that bring to rest more than can move, so that impulses are not told.
void check_strikes(const WalkerDescription& walker, const MechanismWalkerSpec& spec);

}  // namespace amble
