#pragma once

#include "amble/gait/gait_search.hpp"
#include "amble/walkers/walkers.hpp"

// Gait search for the walkers that are mechanisms: DS Definition 4.2 from their analysis models.
namespace amble {

/// What is asked of a search beside DS Definition 4.2.
struct WalkerSearch {
  double foot_speed = 0.0;  ///< the swing foot comes down at least this fast (m/s), DS (4.23); 0: as it likes
  double clearance = 0.0;   ///< the swing foot is at least this high (m), DS (4.36); 0: as it likes
  double clear_from =
      0.1;  ///< where that begins in the first phase, and ends before the end of the last, as a share
  /// A knee that has a stop is bent at least so far in the middle of its swing (rad), and less towards both ends,
  /// where it is straight; 0: it is not beyond its stop, and may lean on it.
  double knee_bend = 0.0;
  std::vector<std::string> unactuated;  ///< coordinates without an actuator
  double torque_limit = kInfinity;      ///< of every coordinate (N m)
  /// The floor pushes the stance foot, within a cone of this coefficient, at all nodes; 0: is not looked at.
  double friction = 0.0;
  /// Coordinates that stay between bounds at all nodes, by name (rad).
  std::map<std::string, std::pair<double, double>, std::less<>> limits;
  SearchCost cost = {};
  /// How much the square of a coordinate's torque counts, by name; 1 where none is given.
  std::map<std::string, double, std::less<>> torque_weights;
  std::vector<SearchParameter> design;  ///< parameters of the walker that are searched for as well, by name
  std::vector<SearchTie> ties;          ///< among them
};

/// What a gait that was found does in a step, by quadrature along it.
struct SearchFigures {
  double effort = 0.0;         ///< integral of tau^T tau (N^2 m^2 s)
  double actuator_work = 0.0;  ///< what actuators deliver, all in all (J)
  double positive_work = 0.0;  ///< what they deliver when nothing that they take back counts (J)
  double lost = 0.0;           ///< in impacts and dampers (J)
  double damper_loss = 0.0;    ///< in dampers alone (J)
  double gravity_work = 0.0;   ///< J
  double spring_work = 0.0;    ///< what springs give, zero unless they are hung anew at each step (J)
  double step_width = 0.0;     ///< m
  double weight = 0.0;         ///< N
  WalkerValues values;         ///< all parameters, those of the design as they were found
  std::vector<Assumption> assumptions;  ///< along the motion
  /// What the books of a step miss: actuators, springs and gravity give what impacts and dampers take (J).
  double residual() const { return actuator_work + gravity_work + spring_work - lost; }
};
SearchFigures figures_of(const WalkerKind& walker, const WalkerValues& values, const WalkerSearch& search,
                         const FoundGait& gait);
SearchFigures figures_of(std::string_view walker, const WalkerValues& values, const WalkerSearch& search,
                         const FoundGait& gait);

/// The problem of a walker, with parameters by their names. Derivatives in the state are exact; in
/// parameters of the design they are differences of order four, exact for masses, springs and dampers, on
/// which forces depend linearly, and right to 1e-10 for lengths (tested). Throws an Error for a walker that
/// is no mechanism, a name that it does not have, a parameter that is not free to change.
SearchProblem search_problem(const WalkerKind& walker, const WalkerValues& values,
                             const WalkerSearch& search = {});
SearchProblem search_problem(std::string_view walker, const WalkerValues& values,
                             const WalkerSearch& search = {});

}  // namespace amble
