#pragma once

#include "amble/gait/walker_search.hpp"

// Morphological expansion, DS Fig 6.1: the optimum of a simple walker is where the search for a more complex
// one starts.
namespace amble {

/// A simpler walker that moves as nearly as it can as one, and how its motion is one of the other.
struct SimplerWalker {
  const WalkerKind* kind;
  WalkerValues values;  ///< masses and lengths as close as possible
  /// Positions of the first phase of the complex walker: lift times those of the simple one + offset.
  OwnedMatrix lift;
  OwnedVector offset;
  double first_share = 1.0;  ///< of the step, that the first phase takes
};

/// Names of the walkers that gaits of this one can start from; the first is the one to choose.
std::vector<std::string> simpler_walkers(std::string_view kind);
/// Throws an Error, with the names that there are, for a pair that is not known.
SimplerWalker simpler_walker(const WalkerKind& kind, const WalkerValues& values, std::string_view simpler);

/// A motion of the simple walker as one of the complex one, to start from.
StepMotion expanded(const SearchProblem& problem, const SimplerWalker& simple, const StepMotion& motion,
                    int order);

/// Searches for gaits of the simple walker, with what it has of `search`, and from each of them for one of
/// the complex walker. `attempts` are those of both.
GaitSearchResult search_gaits_expanding(const WalkerKind& kind, const WalkerValues& values,
                                        const WalkerSearch& search, std::string_view simpler,
                                        const GaitSearchSettings& settings = {});

}  // namespace amble
