#pragma once

#include <string>

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// One coordinate of a joint, whose rate is one velocity: of any joint but those that turn freely in space. A joint
/// that follows another has the coordinate ratio q + offset of its leader.
struct Coordinate {
  int q = 0, v = 0;  ///< places in q and v
  double ratio = 1.0, offset = 0.0;
  std::string name;  ///< of the joint; with its axis where it has several

  double value(const VectorRef& q_all) const { return ratio * q_all[q] + offset; }
  double rate(const VectorRef& v_all) const { return ratio * v_all[v]; }
  /// A force along the coordinate, paired with its rate.
  void push(double force, OwnedVector& tau) const { tau[v] += ratio * force; }
};

/// The coordinate `axis` of a joint. Throws an Error that names `user` for a joint that has no such one.
Coordinate coordinate_of(const Mechanism& mechanism, const std::string& user, const std::string& joint, int axis = 0);

}  // namespace amble
