#include <cmath>
#include <numbers>

#include "amble/geometry/charts.hpp"

namespace amble {

namespace {

/// The angle about `axis` that takes the `from`-th unit vector to `v` (which lies in their plane).
double turned_angle(int axis, int from, const Vector3<double>& v) {
  const int next = (axis + 1) % 3, last = (axis + 2) % 3;
  return from == next ? std::atan2(v[last], v[next]) : std::atan2(-v[next], v[last]);
}

double nearest_turn(double angle, double target) {
  return angle + 2.0 * std::numbers::pi * std::round((target - angle) / (2.0 * std::numbers::pi));
}

class EulerChart : public Chart {
 public:
  EulerChart(std::string name, const std::array<int, 3>& axes, const std::array<int, 3>& order)
      : Chart(std::move(name), 3, 0), axes_(axes), order_(order) {}

 private:
  using Angles = std::array<double, 3>;  // in the order of the turns

  /// The three turns and their first and second derivatives.
  using Turns = std::array<std::array<Matrix3<double>, 3>, 3>;
  Turns turns(const double* theta, int derivatives) const {
    Turns out;
    for (int s = 0; s < 3; ++s) {
      const Matrix3<double> generator = skew<double>(Vector3<double>::Unit(axes_[s]));
      out[s][0] = SO3<double>::about(axes_[s], theta[order_[s]]).matrix();
      for (int k = 0; k < derivatives; ++k) out[s][k + 1] = generator * out[s][k];
    }
    return out;
  }
  static Matrix3<double> product(const Turns& turn, const std::array<int, 3>& derivative) {
    return turn[0][derivative[0]] * turn[1][derivative[1]] * turn[2][derivative[2]];
  }

  Matrix3<double> do_rho(const double* theta) const override { return product(turns(theta, 0), {0, 0, 0}); }

  void do_partials(const double* theta, ChartPartials& out) const override {
    const Turns turn = turns(theta, 1);
    for (int s = 0; s < 3; ++s) {
      std::array<int, 3> derivative{};
      ++derivative[s];
      out[order_[s]] = product(turn, derivative);
    }
  }

  void do_second_partials(const double* theta, ChartSecondPartials& out) const override {
    const Turns turn = turns(theta, 2);
    for (int s = 0; s < 3; ++s)
      for (int t = s; t < 3; ++t) {
        std::array<int, 3> derivative{};
        ++derivative[s];
        ++derivative[t];
        out[order_[s]][order_[t]] = out[order_[t]][order_[s]] = product(turn, derivative);
      }
  }

  /// dR/dtheta_s = [a_s] R with a_s the axis of turn s in the world, column s of J_global.
  void do_place(const double* theta, ChartPlace& out) const override {
    const auto turn = [&](int s) { return SO3<double>::about(axes_[s], theta[order_[s]]).matrix(); };
    const Matrix3<double> first = turn(0), first_two = first * turn(1);
    out.R = first_two * turn(2);
    const std::array<Vector3<double>, 3> axis{Vector3<double>::Unit(axes_[0]), first.col(axes_[1]),
                                              first_two.col(axes_[2])};
    for (int s = 0; s < 3; ++s) out.partials[order_[s]] = skew<double>(axis[s]) * out.R;
  }

  /// The turns before a turn carry its axis, so it moves with their angular velocity.
  void do_partial_rates(const ChartPlace& at, const double*, const double* thetadot, ChartPartials& out) const override {
    const Vector3<double> omega = at.J_global * Vector3<double>(thetadot);
    const Matrix3<double> R_dot = skew<double>(omega) * at.R;
    Vector3<double> before = Vector3<double>::Zero();
    for (const int i : order_) {
      const Vector3<double> axis = at.J_global.col(i);
      out[i] = skew<double>(cross<double>(before, axis)) * at.R + skew<double>(axis) * R_dot;
      before += thetadot[i] * axis;
    }
  }

  /// The first angle, with the middle one in [-pi/2, pi/2] (three axes) or [0, pi] (first axis = last axis).
  double first_angle(const Matrix3<double>& R, double when_locked) const {
    const int i = axes_[0], j = axes_[1], l = 3 - i - j;
    const double s = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
    const Vector3<double> u = R.col(axes_[2]);  // where the last axis points
    if (std::hypot(u[j], u[l]) < 1e-15) return when_locked;
    return axes_[2] == i ? std::atan2(u[j], -s * u[l]) : std::atan2(-s * u[j], u[l]);
  }

  /// The other two are taken from what is left after the first turn, so that the product is R to rounding
  /// even close to gimbal lock, where the first angle is poorly determined.
  Angles angles(const Matrix3<double>& R, double first) const {
    const Matrix3<double> rest = SO3<double>::about(axes_[0], -first).matrix() * R;
    return {first, turned_angle(axes_[1], axes_[2], rest.col(axes_[2])),
            -turned_angle(axes_[2], axes_[1], rest.row(axes_[1]).transpose())};
  }

  ChartVector coordinates(const Angles& angles) const {
    ChartVector theta(3);
    for (int s = 0; s < 3; ++s) theta[order_[s]] = angles[s];
    return theta;
  }

  ChartVector nearest(const Angles& angles, const ChartVector& hint) const {
    ChartVector theta = coordinates(angles);
    for (int c = 0; c < 3; ++c) theta[c] = nearest_turn(theta[c], hint[c]);
    return theta;
  }

  ChartVector do_from_rotation(const SO3<double>& R, const ChartVector* hint) const override {
    const double first = first_angle(R.matrix(), hint ? (*hint)[order_[0]] : 0.0);
    if (!hint) return coordinates(angles(R.matrix(), first));
    const ChartVector one = nearest(angles(R.matrix(), first), *hint);
    const ChartVector other = nearest(angles(R.matrix(), first + std::numbers::pi), *hint);
    return (one - *hint).norm() <= (other - *hint).norm() ? one : other;
  }

  std::array<int, 3> axes_, order_;
};

}  // namespace

ChartPtr euler_chart(std::string name, const std::array<int, 3>& axes, const std::array<int, 3>& order) {
  return std::make_shared<EulerChart>(std::move(name), axes, order);
}

}  // namespace amble
