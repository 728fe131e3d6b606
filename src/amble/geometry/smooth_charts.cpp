#include <cmath>
#include <numbers>

#include "amble/geometry/charts.hpp"
#include "amble/geometry/second_order.hpp"

namespace amble {

namespace {

/// (w, x, y, z); rho is the homogeneous quadratic form, BK (11) with the diagonal of the errata.
class QuaternionChart : public Chart {
 public:
  QuaternionChart() : Chart("quaternion", 4, 1) {}

 private:
  static Quaternion<double> quaternion(const double* t) { return {{t[1], t[2], t[3]}, t[0]}; }

  Matrix3<double> do_rho(const double* t) const override { return quaternion(t).matrix(); }
  /// BK (12), with the homogeneous diagonal.
  void do_partials(const double* t, ChartPartials& out) const override {
    const double w = 2.0 * t[0], x = 2.0 * t[1], y = 2.0 * t[2], z = 2.0 * t[3];
    out[0] << w, -z, y, z, w, -x, -y, x, w;
    out[1] << x, y, z, y, -x, -w, z, w, -x;
    out[2] << -y, x, w, x, y, z, -w, z, -y;
    out[3] << -z, -w, x, w, -z, y, x, y, z;
  }
  /// The partials are linear: those at a unit vector are their derivatives.
  void do_second_partials(const double*, ChartSecondPartials& out) const override {
    for (int i = 0; i < 4; ++i) do_partials(Vector4<double>::Unit(i).eval().data(), out[i]);
  }
  void do_partial_rates(const ChartPlace&, const double*, const double* tdot, ChartPartials& out) const override {
    do_partials(tdot, out);  // they are linear
  }

  void do_constraints(const double* t, ChartVector& out) const override {
    out[0] = Eigen::Map<const Eigen::Vector4d>(t).squaredNorm() - 1.0;
  }
  void do_constraint_jacobian(const double* t, ChartMatrix& out) const override {
    out.row(0) = 2.0 * Eigen::Map<const Eigen::RowVector4d>(t);
  }
  void do_constraint_bias(const double*, const double* tdot, ChartVector& out) const override {
    out[0] = 2.0 * Eigen::Map<const Eigen::Vector4d>(tdot).squaredNorm();
  }

  ChartVector do_from_rotation(const SO3<double>& R, const ChartVector* hint) const override {
    const Quaternion<double> q = R.quaternion().normalized();
    const Vector4<double> theta(q.w, q.v[0], q.v[1], q.v[2]);
    return hint && hint->dot(theta) < 0.0 ? -theta : theta;
  }
};

/// The nine entries of R, column by column, with the six products of columns as constraints: first the three
/// squares, then (0,1), (0,2), (1,2).
class MatrixChart : public Chart {
 public:
  MatrixChart() : Chart("matrix", 9, 6) {}

 private:
  static constexpr int kPairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  using Map = Eigen::Map<const Eigen::Matrix3d>;

  Matrix3<double> do_rho(const double* t) const override { return Map(t); }
  void do_partials(const double*, ChartPartials& out) const override {
    for (int i = 0; i < 9; ++i) {
      out[i].setZero();
      out[i](i % 3, i / 3) = 1.0;
    }
  }
  void do_second_partials(const double*, ChartSecondPartials& out) const override {
    for (ChartPartials& row : out) row.fill(Matrix3<double>::Zero());
  }
  void do_partial_rates(const ChartPlace&, const double*, const double*, ChartPartials& out) const override {
    out.fill(Matrix3<double>::Zero());
  }

  void do_constraints(const double* t, ChartVector& out) const override {
    const Map R(t);
    for (int k = 0; k < 6; ++k) {
      const auto [i, j] = kPairs[k];
      out[k] = R.col(i).dot(R.col(j)) - (i == j ? 1.0 : 0.0);
    }
  }
  void do_constraint_jacobian(const double* t, ChartMatrix& out) const override {
    const Map R(t);
    for (int k = 0; k < 6; ++k) {
      const auto [i, j] = kPairs[k];
      out.block<1, 3>(k, 3 * i) += R.col(j).transpose();
      out.block<1, 3>(k, 3 * j) += R.col(i).transpose();
    }
  }
  void do_constraint_bias(const double*, const double* tdot, ChartVector& out) const override {
    const Map Rdot(tdot);
    for (int k = 0; k < 6; ++k) out[k] = 2.0 * Rdot.col(kPairs[k][0]).dot(Rdot.col(kPairs[k][1]));
  }

  ChartVector do_from_rotation(const SO3<double>& R, const ChartVector*) const override {
    return Eigen::Map<const Eigen::Matrix<double, 9, 1>>(R.matrix().data());
  }
};

/// The rotation vector. dR/dtheta_i = R [J e_i] x with J the right Jacobian of exp(); further derivatives are taken
/// automatically: the series are smooth through zero.
class ExponentialChart : public Chart {
 public:
  ExponentialChart() : Chart("exponential", 3, 0) {}

 private:
  static Matrix3<SecondOrder> exp(const SecondOrder* t) {
    return SO3<SecondOrder>::exp({t[0], t[1], t[2]}).matrix();
  }

  Matrix3<double> do_rho(const double* t) const override {
    return SO3<double>::exp({t[0], t[1], t[2]}).matrix();
  }
  void do_place(const double* t, ChartPlace& out) const override {
    const Vector3<double> theta(t);
    const Matrix3<double> J = SO3<double>::right_jacobian(theta);
    out.R = SO3<double>::exp(theta).matrix();
    for (int i = 0; i < 3; ++i) out.partials[i] = out.R * skew<double>(J.col(i));
  }
  void do_partials(const double* t, ChartPartials& out) const override {
    ChartPlace at;
    do_place(t, at);
    out = at.partials;
  }
  void do_second_partials(const double* t, ChartSecondPartials& out) const override {
    detail::second_partials_of(exp, t, 3, out);
  }
  /// J_base is the right Jacobian; its rate by a dual number along thetadot.
  void do_partial_rates(const ChartPlace& at, const double* t, const double* tdot, ChartPartials& out) const override {
    using Along = Dual<double, 1>;
    Vector3<Along> theta(t[0], t[1], t[2]);
    for (int i = 0; i < 3; ++i) theta[i].grad[0] = tdot[i];
    const Matrix3<double> J_dot =
        SO3<Along>::right_jacobian(theta).unaryExpr([](const Along& x) { return x.grad[0]; });
    const Matrix3<double> R_dot = at.R * skew<double>(at.J_base * Vector3<double>(tdot));
    for (int i = 0; i < 3; ++i)
      out[i] = R_dot * skew<double>(at.J_base.col(i)) + at.R * skew<double>(J_dot.col(i));
  }

  /// All vectors w + 2 pi k w/|w| are the same rotation; about the hint's own axis when the rotation is none.
  ChartVector do_from_rotation(const SO3<double>& R, const ChartVector* hint) const override {
    const Vector3<double> w = R.log();
    if (!hint) return w;
    const double angle = w.norm();
    const Vector3<double> axis =
        angle > 0.0 ? Vector3<double>(w / angle) : Vector3<double>(hint->normalized());
    return (angle +
            2.0 * std::numbers::pi * std::round((axis.dot(*hint) - angle) / (2.0 * std::numbers::pi))) *
           axis;
  }
};

}  // namespace

ChartPtr quaternion_chart() { return std::make_shared<QuaternionChart>(); }
ChartPtr matrix_chart() { return std::make_shared<MatrixChart>(); }
ChartPtr exponential_chart() { return std::make_shared<ExponentialChart>(); }

}  // namespace amble
