#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amble/geometry/so3.hpp"

namespace amble {

/// Coordinates theta of a chart, and matrices with one column or row for each; at most nine, so nothing is
/// allocated.
inline constexpr int kMaxChartSize = 9;
using ChartVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::DontAlign, kMaxChartSize, 1>;
using ChartJacobian = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::DontAlign, 3, kMaxChartSize>;
using ChartMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::DontAlign, kMaxChartSize, kMaxChartSize>;
using ChartArgument = Eigen::Ref<const Eigen::VectorXd>;
/// d rho / d theta_i; entries beyond the chart's size are not meaningful.
using ChartPartials = std::array<Matrix3<double>, kMaxChartSize>;
/// d^2 rho / d theta_i d theta_j
using ChartSecondPartials = std::array<ChartPartials, kMaxChartSize>;

/// As for quaternions and matrices everywhere: beyond typing errors.
inline constexpr double kConstraintTolerance = 1e-6;

/// A chart at a place: the rotation and its partials, and J_omega in both axes.
struct ChartPlace {
  Matrix3<double> R;
  ChartPartials partials;
  ChartJacobian J_global;  ///< omega in world axes is J_global thetadot
  ChartJacobian J_base;    ///< the same in body axes
};

/// How that changes along a motion.
struct ChartRates {
  Matrix3<double> R_dot;
  ChartJacobian J_global_dot, J_base_dot;
};

/// A parametrisation of SO(3) as in BK II: coordinates theta in R^d (d = 3 to 9), a map rho to rotation
/// matrices R_WB (body to world), and d - 3 equality constraints C(theta) = 0 where d > 3 (BK (27), Table
/// II). Immutable; any number of threads may use one.
///
/// rho(), its derivatives and the Jacobians evaluate their formulas wherever they are asked, also off the
/// constraint (solvers and integrators need that); rotation() and the conversions refuse what is not a
/// rotation.
class Chart {
 public:
  virtual ~Chart() = default;

  const std::string& name() const { return name_; }
  /// d, the number of coordinates.
  int size() const { return size_; }
  int constraint_count() const { return constraint_count_; }

  Matrix3<double> rho(const ChartArgument& theta) const;
  ChartPartials partials(const ChartArgument& theta) const;
  ChartSecondPartials second_partials(const ChartArgument& theta) const;

  /// J with omega = J thetadot, omega in world axes, BK (10), for any chart.
  ChartJacobian angular_velocity_jacobian_global(const ChartArgument& theta) const;
  /// The same in body axes, BK (13).
  ChartJacobian angular_velocity_jacobian_base(const ChartArgument& theta) const;
  /// Time derivatives of the two along thetadot.
  ChartJacobian angular_velocity_jacobian_global_dot(const ChartArgument& theta,
                                                     const ChartArgument& thetadot) const;
  ChartJacobian angular_velocity_jacobian_base_dot(const ChartArgument& theta,
                                                   const ChartArgument& thetadot) const;

  /// All of these at once, at the price of one.
  ChartPlace place(const ChartArgument& theta) const;
  ChartRates place_rates(const ChartPlace& place, const ChartArgument& theta, const ChartArgument& thetadot) const;

  /// C(theta), zero on the manifold; BK (27), (28).
  ChartVector constraints(const ChartArgument& theta) const;
  /// G = dC/dtheta
  ChartMatrix constraint_jacobian(const ChartArgument& theta) const;
  /// Gdot thetadot, so that d^2 C/dt^2 = G thetaddot + this; BK (30) without its factor 1/2.
  ChartVector constraint_bias(const ChartArgument& theta, const ChartArgument& thetadot) const;

  /// How far the chart is from losing a direction of rotation: the smallest (third) singular value of J_omega
  /// on the tangent space of the constraint, in rad per unit of theta. 0 is singular. Constant for
  /// "quaternion" (2) and "matrix" (1/sqrt 2); sqrt(1 - |sin p|) for "rpy" with pitch p; |sin(a/2)|/(a/2) for
  /// "exponential" with angle a.
  double singularity_measure(const ChartArgument& theta) const;

  /// The rotation at theta. An Error when theta has the wrong size, is not finite, or violates a constraint
  /// by more than twice `tolerance` (a quaternion whose length is off by more than that, say); smaller violations are
  /// removed.
  SO3<double> rotation(const ChartArgument& theta, double tolerance = kConstraintTolerance) const;

  /// Coordinates of a rotation: with a hint, those nearest to it among the equivalent ones (sign of a
  /// quaternion, full turns, the two triples of Euler angles), otherwise the usual ones (w >= 0, angles
  /// within a turn, middle angle in
  /// [-pi/2, pi/2] or [0, pi]). Where Euler angles are not unique (gimbal lock) the first turn of the
  /// sequence is the hint's, or 0. Throws an Error when `R` is not a rotation, and for a user's chart when
  /// the search fails.
  ChartVector from_rotation(const Matrix3<double>& R,
                            const std::optional<ChartVector>& hint = std::nullopt) const;

  /// The rates with J_omega thetadot = omega (body axes) that keep the constraints, the smallest if there are
  /// many. An Error where singularity_measure() is below 1e-9: there some omega have none.
  ChartVector rates(const ChartArgument& theta, const Vector3<double>& omega_base) const;

 protected:
  /// Throws an Error unless 3 <= size <= 9.
  Chart(std::string name, int size, int constraint_count);

  /// Throws an Error naming `what` unless it has size() numbers.
  void check_size(const ChartArgument& vector, const char* what) const;

  /// R and its partials, and the rates of the partials along thetadot; by the functions below unless there is a shorter
  /// way.
  virtual void do_place(const double* theta, ChartPlace& out) const;
  virtual void do_partial_rates(const ChartPlace& place, const double* theta, const double* thetadot,
                                ChartPartials& out) const;

 private:
  // Called with arguments of the right size.
  virtual Matrix3<double> do_rho(const double* theta) const = 0;
  virtual void do_partials(const double* theta, ChartPartials& out) const = 0;
  virtual void do_second_partials(const double* theta, ChartSecondPartials& out) const = 0;
  virtual void do_constraints(const double* theta, ChartVector& out) const;
  virtual void do_constraint_jacobian(const double* theta, ChartMatrix& out) const;
  virtual void do_constraint_bias(const double* theta, const double* thetadot, ChartVector& out) const;
  /// `hint` is null when there is none.
  virtual ChartVector do_from_rotation(const SO3<double>& R, const ChartVector* hint) const = 0;

  std::string name_, label_;  // the label is how messages call rho
  int size_, constraint_count_;
};

using ChartPtr = std::shared_ptr<const Chart>;

/// A built-in chart. Lower-case Euler sequences such as "xyz" and "zxz" are intrinsic: R = R_first R_second
/// R_third with the coordinates in the order of the name. "rpy" is R = Rz(y) Ry(p) Rx(r) with coordinates (r,
/// p, y). "quaternion" is (w, x, y, z) with the homogeneous form of rho, so that J_omega theta = 0. "matrix"
/// is R column by column. "exponential" is the rotation vector. Any other name is an Error that lists the
/// valid ones.
ChartPtr chart(std::string_view name);
/// The names chart() knows.
std::vector<std::string> chart_names();

/// The same rotation, and the same angular velocity, in the coordinates of another chart.
ChartVector convert(const Chart& from, const ChartArgument& theta, const Chart& to,
                    const std::optional<ChartVector>& hint = std::nullopt);
/// `theta_to` are the coordinates of the same rotation in `to`. An Error where `to` is singular, as rates()
/// says.
ChartVector convert_rates(const Chart& from, const ChartArgument& theta, const ChartArgument& thetadot,
                          const Chart& to, const ChartArgument& theta_to);

}  // namespace amble
