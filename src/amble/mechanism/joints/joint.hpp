#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string_view>

#include "amble/base/random.hpp"
#include "amble/geometry/se3.hpp"

// What a joint type is made of. A joint relates frame M (on the child) to frame F (on the parent):
//   pose(q)              X_FM, DS Def 2.10
//   subspace(q, S)       V_FM_M = sum_k S[k] v[k], the derivative of the pose
//   bias(q, v)           Sdot v, the acceleration that is there when v does not change
//   integrate(q, d, out) F_Q(d), DS Def 2.10: where the joint is after the velocity d for unit time along its group
//   difference(q0, q1, d) the inverse: integrate(q0, d) = q1
//   local_jacobian(q, d, S)  v = S ddot for the motion integrate(q, d(t)), DS (2.72); the identity at d = 0
//   local_rates(q, d, v, ddot)  the inverse: the rates of d that give v
//   neutral(q), random(...)
//   steps()              the chain of elementary motions it stands for
//   project(q, out)      the nearest valid coordinates; returns how far off q was (0 where any numbers will do)
// Types are normalised: one-axis joints turn about or slide along z; normalise() says how the user's frame is turned
// for that. A type is one file and one line in list.hpp.
namespace amble {

class CustomJoint;

inline constexpr int kMostJointCoordinates = 7;

/// How the user gave the joint: unit axes in their frame F.
struct JointGeometry {
  Vector3<double> axis{0.0, 0.0, 1.0}, axis2{1.0, 0.0, 0.0};
  double pitch = 0.0;
  std::shared_ptr<const CustomJoint> custom;
};

/// The numbers a normalised joint still needs.
struct JointParameters {
  double pitch = 0.0;  ///< helical: metres per radian
  double angle = 0.0;  ///< universal: between its two axes
  const CustomJoint* custom = nullptr;
};

struct NormalisedJoint {
  SO3<double> R_FN;  ///< the normalised frame in the user's frame
  JointParameters parameters;
};

/// A rotation that takes z to `axis` by the shortest way; exact (entries 0 and 1) for coordinate axes.
SO3<double> rotation_from_z(const Vector3<double>& axis);

/// Motions with the axis z that inner loops know; every joint type is a chain of them.
enum class Elementary { turn, slide, helix, ball, free, custom };

/// A joint as a chain: for each step, turn the frame by R, then move by the next coordinate(s); at the end, turn the
/// frame by `after`. pose(q) is the product.
struct JointSteps {
  struct Step {
    Elementary motion = Elementary::turn;
    SO3<double> R;
  };
  std::array<Step, 3> steps;
  int count = 0;
  SO3<double> after;
};

/// Shared by joints whose coordinates form a vector space: N numbers that add.
template <int N>
struct VectorCoordinates {
  static constexpr int nq() { return N; }
  static constexpr int nv() { return N; }

  template <class T>
  void integrate(const T* q, const T* d, T* out) const {
    for (int i = 0; i < N; ++i) out[i] = q[i] + d[i];
  }
  template <class T>
  void difference(const T* q0, const T* q1, T* d) const {
    for (int i = 0; i < N; ++i) d[i] = q1[i] - q0[i];
  }
  template <class T>
  void local_jacobian(const T*, const T*, Matrix6<T>& S) const {
    S.setIdentity();
  }
  void local_rates(const double*, const double*, const double* v, double* ddot) const { std::copy_n(v, N, ddot); }
  void neutral(double* q) const { std::fill_n(q, N, 0.0); }
  double project(const double* q, double* out) const {
    std::copy_n(q, N, out);
    return 0.0;
  }
  template <class T>
  Twist<T> bias(const T*, const T*) const {
    return {};
  }
};

/// Uniform between the limits. Limits more than 2e6 apart are no limits but a file's way to say so: then within
/// `reach` of zero, or of the limit that is nearest to zero.
inline double random_coordinate(Random& random, double lower, double upper, double reach) {
  constexpr double kWide = 1e6;
  if (!(0.5 * upper - 0.5 * lower <= kWide)) {
    const double middle = std::clamp(0.0, std::min(lower + reach, upper), std::max(upper - reach, lower));
    lower = std::max(lower, middle - reach), upper = std::min(upper, middle + reach);
  }
  return random.uniform(lower, upper);
}
inline constexpr double kTurn = std::numbers::pi;  ///< an unlimited angle is drawn from a full turn
inline constexpr double kReach = 1.0;              ///< an unlimited length is drawn from -1 m to 1 m

/// Normalises a quaternion; returns how far its norm was from 1.
inline double project_quaternion(const double* q, double* out) {
  const Quaternion<double> given = Quaternion<double>::from_xyzw(q);
  given.normalized().to_xyzw(out);
  return std::abs(std::sqrt(given.squared_norm()) - 1.0);
}

inline Quaternion<double> random_quaternion(Random& random) {
  Quaternion<double> q{{random.normal(), random.normal(), random.normal()}, random.normal()};
  return q.normalized();
}

}  // namespace amble
