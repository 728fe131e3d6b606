#include <cmath>
#include <numbers>

#include "amble/geometry/charts.hpp"

namespace amble {

namespace {

/// The turn by `angle` about a coordinate axis, or its first or second derivative.
Matrix3<double> turn(int axis, double angle, int derivative) {
  Matrix3<double> m = SO3<double>::about(axis, angle).matrix();
  const Matrix3<double> generator = skew<double>(Vector3<double>::Unit(axis));
  for (int k = 0; k < derivative; ++k) m = generator * m;
  return m;
}

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

  Matrix3<double> product(const double* theta, const std::array<int, 3>& derivative) const {
    Matrix3<double> m = Matrix3<double>::Identity();
    for (int s = 0; s < 3; ++s) m = m * turn(axes_[s], theta[order_[s]], derivative[s]);
    return m;
  }

  Matrix3<double> do_rho(const double* theta) const override { return product(theta, {0, 0, 0}); }

  void do_partials(const double* theta, ChartPartials& out) const override {
    for (int s = 0; s < 3; ++s) {
      std::array<int, 3> derivative{};
      ++derivative[s];
      out[order_[s]] = product(theta, derivative);
    }
  }

  void do_second_partials(const double* theta, ChartSecondPartials& out) const override {
    for (int s = 0; s < 3; ++s)
      for (int t = 0; t < 3; ++t) {
        std::array<int, 3> derivative{};
        ++derivative[s];
        ++derivative[t];
        out[order_[s]][order_[t]] = product(theta, derivative);
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
