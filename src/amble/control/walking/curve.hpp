#pragma once

#include <functional>

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// A curve through the configurations of a mechanism, whatever its joints: the subspace Qd of DS 5.2.
class TrackedCurve {
 public:
  /// `position(s)` for s in [0, 1]: smooth and without stops. A closed one goes on from its end to its start;
  /// an open one is asked a little beyond both, where it must go on smoothly. Throws an Error where it gives
  /// no configuration or stands still.
  TrackedCurve(const Mechanism& mechanism, std::function<OwnedVector(double s)> position,
               bool closed = false);
  /// With dq/ds as a velocity, where it is known: faster, and exact.
  TrackedCurve(const Mechanism& mechanism, std::function<OwnedVector(double s)> position,
               std::function<OwnedVector(double s)> tangent, bool closed = false);

  const Mechanism& mechanism() const { return mechanism_; }
  bool closed() const { return closed_; }
  OwnedVector position(double s) const;
  /// dq/ds as a velocity: as given, or by differences of order six.
  OwnedVector tangent(double s) const;
  /// Where the curve is nearest to q: |difference(q, position(s))| is least, each velocity counted times its
  /// weight. Of an open curve perhaps a little beyond its ends.
  double nearest(const VectorRef& q, const VectorRef& weights) const;

 private:
  struct Node {
    OwnedVector position, tangent;
  };
  double slope_of_distance(const OwnedVector& q, const VectorRef& weights, const Node& at) const;

  Mechanism mechanism_;
  std::function<OwnedVector(double)> position_, tangent_;
  bool closed_;
  std::vector<Node> nodes_;
};

/// A smooth curve through samples (a row each, nq numbers), in equal steps of s: polynomials of order four
/// about each sample in its own local coordinates, blended from one to the next, so that joints that turn in
/// space need no chart. Throws an Error for fewer than five samples or one that is no configuration.
TrackedCurve curve_through(const Mechanism& mechanism, const std::vector<OwnedVector>& samples,
                           bool closed = false);

}  // namespace amble
