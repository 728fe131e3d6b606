#include "amble/geometry/screw.hpp"

#include <cmath>

namespace amble {

namespace {

/// The screw of a pair of vectors: `along` is the same at every point (angular velocity, force), `at_origin`
/// is not (velocity, moment), and the axis is where the two are parallel.
Screw screw_of_pair(const Vector3<double>& along, const Vector3<double>& at_origin) {
  const double magnitude = along.stableNorm();
  if (magnitude > 0.0) {
    const Vector3<double> d = along / magnitude;
    const double parallel = d.dot(at_origin), pitch = parallel / magnitude;
    const Vector3<double> moment = (at_origin - parallel * d) / magnitude;
    if (std::isfinite(pitch) && moment.allFinite())
      return {Line::through(cross<double>(d, moment), d), pitch, magnitude};
  }
  const double free_magnitude = at_origin.stableNorm();
  if (free_magnitude == 0.0) return {};
  return {Line::through(Vector3<double>::Zero(), at_origin), Screw::kInfinitePitch, free_magnitude};
}

struct Pair {
  Vector3<double> along, at_origin;
};

Pair pair_of_screw(const Screw& s) {
  const Vector3<double> vector = s.magnitude * s.axis.direction();
  if (s.has_infinite_pitch()) return {Vector3<double>::Zero(), vector};
  return {vector, s.magnitude * s.axis.moment() + s.pitch * vector};
}

}  // namespace

Screw screw_of(const Twist<double>& V) { return screw_of_pair(V.angular(), V.linear()); }

Twist<double> twist_of(const Screw& screw) {
  const Pair p = pair_of_screw(screw);
  return {p.at_origin, p.along};
}

Screw screw_of(const Wrench<double>& F) { return screw_of_pair(F.linear(), F.angular()); }

Wrench<double> wrench_of(const Screw& screw) {
  const Pair p = pair_of_screw(screw);
  return {p.along, p.at_origin};
}

Screw screw_of(const Pose& X_AB) { return screw_of(X_AB.log()); }

Pose pose_of(const Screw& screw) { return Pose::exp(twist_of(screw)); }

Screw operator*(const Pose& X_AB, const Screw& screw) {
  return {X_AB * screw.axis, screw.pitch, screw.magnitude};
}

}  // namespace amble
