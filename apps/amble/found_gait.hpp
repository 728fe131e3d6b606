#pragma once

#include "amble/gait/walker_search.hpp"
#include "walker_choice.hpp"

// Gaits that a search found, as JSON and as text.
namespace amble::app {

nlohmann::ordered_json found_gait_json(const WalkerChoice& walker, const WalkerSearch& search,
                                       const FoundGait& gait);
void print_found_gaits(const WalkerChoice& walker, const WalkerSearch& search,
                       const std::vector<FoundGait>& gaits);

}  // namespace amble::app
