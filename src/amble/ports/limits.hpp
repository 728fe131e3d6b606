#pragma once

#include <vector>

#include "amble/ports/coordinate.hpp"

namespace amble {

/// One end of the way of a coordinate.
struct JointLimit {
  Coordinate coordinate;
  double at = 0.0;    ///< m, rad
  bool upper = true;  ///< whether the coordinate stays below, or above

  double sign() const { return upper ? -1.0 : 1.0; }
  /// How far the coordinate is from it, negative beyond, and the rate of that.
  double gap(const VectorRef& q) const { return sign() * (coordinate.value(q) - at); }
  double gap_rate(const VectorRef& v) const { return sign() * coordinate.rate(v); }
  /// "knee above", for reports.
  std::string name() const;
};

/// Every finite Mechanism::lower() and upper().
std::vector<JointLimit> limits_of(const Mechanism& mechanism);

/// Those of one joint's axis; `lower` and `upper` are given, an infinite one is none. Throws an Error that names
/// `user` when they are not in order.
std::vector<JointLimit> limits_of_joint(const Mechanism& mechanism, const std::string& user, const std::string& joint,
                                        double lower, double upper, int axis = 0);
/// As the mechanism has them; an Error when it has none there.
std::vector<JointLimit> limits_of_joint(const Mechanism& mechanism, const std::string& user, const std::string& joint,
                                        int axis = 0);

}  // namespace amble
