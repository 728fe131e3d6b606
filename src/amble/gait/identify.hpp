#pragma once

#include <functional>

#include "amble/gait/free_parameters.hpp"
#include "amble/gait/motion_pieces.hpp"

// What a model's numbers are, from a recorded motion of the real thing: DS 6.2.
namespace amble {

struct IdentifyOptions {
  std::vector<std::string> free;  ///< as FreeParameters has them
  /// The motion is fitted in pieces this long (s), each from a start of its own, which is found along: long
  /// pieces tell most, short ones are safe where motions part quickly. 0: all of it at once.
  double piece = 1.0;
  /// Standard deviations of what was measured (of q in its own units, and of v). 0: found from what the fit
  /// leaves over.
  double q_noise = 0.0, v_noise = 0.0;
  double confidence = 0.95;  ///< of the intervals
  int iterations = 40;
  double tolerance = 1e-12;  ///< of the integrator
  /// A direction that moves the motion less than this, relative to the one that moves it most, is not seen in
  /// it; numbers are counted in their own sizes, or tenths where these are small.
  double rank_tolerance = 1e-5;
  std::function<bool(int iteration, double residual)> watch = {};  ///< false stops
  void validate() const;
};

/// A number that was found. Where the motion does not tell it, it stays as near to its start as what the
/// motion does tell allows, and its deviation is infinite.
struct IdentifiedValue {
  std::string name;
  double start = 0.0, value = 0.0;
  double deviation = 0.0;           ///< standard, of the estimate
  double lower = 0.0, upper = 0.0;  ///< interval of the confidence that was asked for
  bool identified = false;          ///< the motion tells this number by itself
};

/// value + sum of factors times other values: what a motion tells of numbers that it does not tell one by
/// one.
struct IdentifiedCombination {
  std::string text;  ///< "upper.mass + 0.25 lower.mass"
  double value = 0.0, deviation = 0.0;
};

struct Identification {
  Mechanism mechanism;  ///< with what was found
  std::vector<IdentifiedValue> values;
  OwnedMatrix covariance;  ///< of the values; zero along the directions that are not seen
  int rank = 0;            ///< how many directions of the free numbers the motion tells
  /// Changes of the values, a column each, that leave the motion as it is, in as few of them as can be; and
  /// in words.
  OwnedMatrix unseen;
  std::vector<std::string> unseen_names;
  /// Where there are such, the combinations that the motion does tell, to first order about the values.
  std::vector<IdentifiedCombination> combinations;
  double q_noise = 0.0, v_noise = 0.0;  ///< found, or as given
  double misfit = 0.0;                  ///< root of the mean square of what is left over, in those noises
  int samples = 0, iterations = 0;
  bool converged = false;
};

/// Fits the free numbers so that the simulated motion is the measured one (least squares, Gauss and Newton's
/// method on trajectories), starting from those of the mechanism. No acceleration is needed. Works for
/// whatever Simulator takes: springs, damping and dry friction of joints, loops, wheels. Throws an Error for
/// a motion that does not fit the mechanism, or that tells nothing.
Identification identify(const Mechanism& mechanism, const MeasuredMotion& motion,
                        const IdentifyOptions& options);

}  // namespace amble
