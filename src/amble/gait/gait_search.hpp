#pragma once

#include <string>
#include <vector>

#include "amble/gait/gait_program.hpp"

namespace amble {

struct GaitSearchSettings {
  GaitProgramSettings program;
  NlpSettings solver;  ///< its watch sees every start and can end the search
  /// Cold starts. With a free speed: as many speeds, the best of which are let go. With a given one, or where
  /// none can be given: steps of several lengths and durations.
  int starts = 6;
  /// A start that fails is tried again with polynomials of this order first, raised when they have converged.
  int low_order = 5;
  int most = 5;        ///< gaits reported
  double same = 1e-4;  ///< two gaits are one when cost, duration and first state agree to this, relative
  int rounds = 5;      ///< of a search over speeds: how often each is improved from its neighbours, at most
  double time_limit = kInfinity;  ///< s, for the whole search

  void validate() const;
};

/// A local optimum of DS Definition 4.2.
struct FoundGait {
  StepMotion motion;
  double objective = 0.0;  ///< DS (4.3)
  double duration = 0.0, step_length = 0.0, speed = 0.0;
  OwnedVector q, v;  ///< at the start of the step, just after impact
  NlpStatus status = NlpStatus::internal_error;
  NlpCertificate certificate;
  NlpMultipliers multipliers;
  int iterations = 0;
};

/// What became of one start.
struct SearchAttempt {
  double step_length = 0.0, duration = 0.0;  ///< of the guess
  NlpStatus status = NlpStatus::internal_error;
  std::string message;
  double objective = 0.0, violation = 0.0;
  int iterations = 0;
};

struct GaitSearchResult {
  std::vector<FoundGait> gaits;  ///< different ones, best first; empty when none was found
  FoundGait closest;             ///< where the conditions were violated least, if no gait was found
  std::vector<SearchAttempt> attempts;
  double seconds = 0.0;

  bool found() const { return !gaits.empty(); }
};

/// Puts what `from` has better or new into `to`, best first; true when the best got better.
bool merge(GaitSearchResult& to, GaitSearchResult from, const GaitSearchSettings& settings);

/// A direction in posture that steps: one that the resets of a step turn round, q + d from q - d, that keeps
/// the conditions at the start, and along which the step grows fastest.
OwnedVector step_direction(const SearchProblem& problem);

/// A motion to start a search from: from rest + d to rest - d, scaled such that the step has this length,
/// bent on the way. Later phases take coordinates of the first one by their names. Resets and dynamics are
/// not met.
StepMotion step_guess(const SearchProblem& problem, double step_length, double duration, int order);

/// Searches from cold starts: needs no guess. Throws an Error for a problem or settings that do not fit; that
/// no gait was found is a result.
GaitSearchResult search_gaits(const SearchProblem& problem, const GaitSearchSettings& settings = {});

/// From this motion alone.
GaitSearchResult search_gaits_from(const SearchProblem& problem, const StepMotion& start,
                                   const GaitSearchSettings& settings = {});

/// The best gaits at several speeds (m/s): cold starts at each, then improved from their neighbours, upwards
/// and downwards, until none gets better. `settings.program.speed` is not looked at;
/// the time limit is for all.
std::vector<GaitSearchResult> search_speeds(const SearchProblem& problem, const std::vector<double>& speeds,
                                            const GaitSearchSettings& settings = {});

}  // namespace amble
