#pragma once

#include "amble/gait/walker_search.hpp"
#include "walker_choice.hpp"

// Gaits that a search found, as JSON and as text.
namespace amble::app {

/// What is asked of the swing leg of a gait that is searched for.
void add_swing_options(CLI::App& command, WalkerSearch& search);

nlohmann::ordered_json found_gait_json(const WalkerChoice& walker, const WalkerSearch& search,
                                       const FoundGait& gait);
/// Why there is none.
std::string no_search_text(std::optional<double> speed, const GaitSearchResult& found);
void print_found_gaits(const WalkerChoice& walker, const WalkerSearch& search,
                       const std::vector<FoundGait>& gaits);

}  // namespace amble::app
