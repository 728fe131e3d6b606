#include "amble/geometry/chart.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "amble/base/error.hpp"

namespace amble {

namespace {

constexpr double kSingular = 1e-9;

/// BK (10) column by column: r3 (r2 . dr1) + r2 (r1 . dr3) + r1 (r3 . dr2). A and B are R and a partial of R,
/// or their time derivatives in the terms of the product rule; C is the R of the outer vectors.
Vector3<double> bk10(const Matrix3<double>& C, const Matrix3<double>& A, const Matrix3<double>& B) {
  return C.col(2) * A.col(1).dot(B.col(0)) + C.col(1) * A.col(0).dot(B.col(2)) +
         C.col(0) * A.col(2).dot(B.col(1));
}

Matrix3<double> along(const ChartPartials& partials, const ChartArgument& direction) {
  Matrix3<double> sum = Matrix3<double>::Zero();
  for (int i = 0; i < direction.size(); ++i) sum += direction[i] * partials[i];
  return sum;
}

/// Singular values of a matrix padded with zeros to a square: at most 9 x 9, so nothing is allocated.
using Svd = Eigen::JacobiSVD<ChartMatrix, Eigen::NoQRPreconditioner>;
Svd padded_svd(const ChartMatrix& m) {
  const Eigen::Index n = std::max(m.rows(), m.cols());
  ChartMatrix square = ChartMatrix::Zero(n, n);
  square.topLeftCorner(m.rows(), m.cols()) = m;
  return Svd(square, Eigen::ComputeFullU | Eigen::ComputeFullV);
}

/// An orthonormal basis of the directions that keep the constraints; all directions when there are none.
ChartMatrix tangent_basis(const Chart& chart, const ChartArgument& theta) {
  const int d = chart.size();
  if (chart.constraint_count() == 0) return ChartMatrix::Identity(d, d);
  const Svd svd = padded_svd(chart.constraint_jacobian(theta));
  return svd.matrixV().rightCols(d - svd.rank());
}

}  // namespace

Chart::Chart(std::string name, int size, int constraint_count)
    : name_(std::move(name)), label_("rho of chart '" + name_ + "'"), size_(size), constraint_count_(constraint_count) {
  if (size < 3 || size > kMaxChartSize)
    throw Error(fmt::format("chart '{}' has {} coordinates: expected 3 to {}", name_, size, kMaxChartSize));
}

void Chart::check_size(const ChartArgument& vector, const char* what) const {
  if (vector.size() != size_)
    throw Error(
        fmt::format("{} of chart '{}' has {} numbers: expected {}", what, name_, vector.size(), size_));
}

Matrix3<double> Chart::rho(const ChartArgument& theta) const {
  check_size(theta, "theta");
  return do_rho(theta.data());
}

ChartPartials Chart::partials(const ChartArgument& theta) const {
  check_size(theta, "theta");
  ChartPartials out;
  do_partials(theta.data(), out);
  return out;
}

ChartSecondPartials Chart::second_partials(const ChartArgument& theta) const {
  check_size(theta, "theta");
  ChartSecondPartials out;
  do_second_partials(theta.data(), out);
  return out;
}

ChartPlace Chart::place(const ChartArgument& theta) const {
  check_size(theta, "theta");
  ChartPlace out;
  do_place(theta.data(), out);
  out.J_global.resize(3, size_);
  for (int i = 0; i < size_; ++i) out.J_global.col(i) = bk10(out.R, out.R, out.partials[i]);
  out.J_base = out.R.transpose().lazyProduct(out.J_global);
  return out;
}

ChartJacobian Chart::angular_velocity_jacobian_global(const ChartArgument& theta) const { return place(theta).J_global; }
ChartJacobian Chart::angular_velocity_jacobian_base(const ChartArgument& theta) const { return place(theta).J_base; }

ChartRates Chart::place_rates(const ChartPlace& place, const ChartArgument& theta,
                              const ChartArgument& thetadot) const {
  check_size(theta, "theta"), check_size(thetadot, "thetadot");
  ChartPartials rates;
  do_partial_rates(place, theta.data(), thetadot.data(), rates);
  const Matrix3<double>& R = place.R;
  const Matrix3<double> R_dot = along(place.partials, thetadot);
  ChartRates out{R_dot, ChartJacobian(3, size_), {}};
  for (int i = 0; i < size_; ++i) {
    const Matrix3<double>& dR = place.partials[i];
    out.J_global_dot.col(i) = bk10(R_dot, R, dR) + bk10(R, R_dot, dR) + bk10(R, R, rates[i]);
  }
  out.J_base_dot = R.transpose().lazyProduct(out.J_global_dot) + R_dot.transpose().lazyProduct(place.J_global);
  return out;
}

ChartJacobian Chart::angular_velocity_jacobian_global_dot(const ChartArgument& theta,
                                                          const ChartArgument& thetadot) const {
  return place_rates(place(theta), theta, thetadot).J_global_dot;
}

ChartJacobian Chart::angular_velocity_jacobian_base_dot(const ChartArgument& theta,
                                                        const ChartArgument& thetadot) const {
  return place_rates(place(theta), theta, thetadot).J_base_dot;
}

ChartVector Chart::constraints(const ChartArgument& theta) const {
  check_size(theta, "theta");
  ChartVector out = ChartVector::Zero(constraint_count_);
  do_constraints(theta.data(), out);
  return out;
}

ChartMatrix Chart::constraint_jacobian(const ChartArgument& theta) const {
  check_size(theta, "theta");
  ChartMatrix out = ChartMatrix::Zero(constraint_count_, size_);
  do_constraint_jacobian(theta.data(), out);
  return out;
}

ChartVector Chart::constraint_bias(const ChartArgument& theta, const ChartArgument& thetadot) const {
  check_size(theta, "theta");
  check_size(thetadot, "thetadot");
  ChartVector out = ChartVector::Zero(constraint_count_);
  do_constraint_bias(theta.data(), thetadot.data(), out);
  return out;
}

void Chart::do_place(const double* theta, ChartPlace& out) const {
  out.R = do_rho(theta);
  do_partials(theta, out.partials);
}
void Chart::do_partial_rates(const ChartPlace&, const double* theta, const double* thetadot, ChartPartials& out) const {
  ChartSecondPartials d2R;
  do_second_partials(theta, d2R);
  for (int i = 0; i < size_; ++i) out[i] = along(d2R[i], Eigen::Map<const Eigen::VectorXd>(thetadot, size_));
}
void Chart::do_constraints(const double*, ChartVector&) const {}
void Chart::do_constraint_jacobian(const double*, ChartMatrix&) const {}
void Chart::do_constraint_bias(const double*, const double*, ChartVector&) const {}

double Chart::singularity_measure(const ChartArgument& theta) const {
  const ChartMatrix J = angular_velocity_jacobian_base(theta) * tangent_basis(*this, theta);
  return padded_svd(J).singularValues()[2];
}

SO3<double> Chart::rotation(const ChartArgument& theta, double tolerance) const {
  check_size(theta, "theta");
  if (!theta.allFinite())
    throw Error(fmt::format("theta of chart '{}' has a number that is not finite", name_));
  const ChartVector C = constraints(theta);
  const double violation = C.size() > 0 ? C.cwiseAbs().maxCoeff() : 0.0;
  if (!(violation <= 2.0 * tolerance))  // constraints are squares of lengths
    throw Error(fmt::format(
        "theta = ({:.9g}) of chart '{}' is not on its manifold: a constraint that must vanish is "
        "off by {:.6g}, more than {:g}",
        fmt::join(theta.data(), theta.data() + size_, ", "), name_, violation, 2.0 * tolerance));
  // A violation within the tolerance may stretch R by a few times as much.
  return check_rotation(do_rho(theta.data()), label_.c_str(), 10.0 * tolerance);
}

ChartVector Chart::from_rotation(const Matrix3<double>& R, const std::optional<ChartVector>& hint) const {
  const SO3<double> checked = check_rotation(R, ("the rotation given to chart '" + name_ + "'").c_str());
  if (!hint) return do_from_rotation(checked, nullptr);
  check_size(*hint, "the hint");
  if (!hint->allFinite())
    throw Error(fmt::format("the hint of chart '{}' has a number that is not finite", name_));
  return do_from_rotation(checked, &*hint);
}

ChartVector Chart::rates(const ChartArgument& theta, const Vector3<double>& omega_base) const {
  const ChartMatrix Z = tangent_basis(*this, theta);
  const ChartMatrix J = angular_velocity_jacobian_base(theta) * Z;
  const Svd svd = padded_svd(J);
  const double measure = svd.singularValues()[2];
  if (!(measure >= kSingular))
    throw Error(
        fmt::format("chart '{}' is singular here: its singularity measure is {:.3g}, less than {:g}, so not "
                    "every angular velocity has rates; use another chart near this rotation",
                    name_, measure, kSingular));
  ChartVector padded = ChartVector::Zero(svd.rows());
  padded.head<3>() = omega_base;
  return Z * svd.solve(padded).head(Z.cols());
}

ChartVector convert(const Chart& from, const ChartArgument& theta, const Chart& to,
                    const std::optional<ChartVector>& hint) {
  return to.from_rotation(from.rotation(theta).matrix(), hint);
}

ChartVector convert_rates(const Chart& from, const ChartArgument& theta, const ChartArgument& thetadot,
                          const Chart& to, const ChartArgument& theta_to) {
  return to.rates(theta_to, from.angular_velocity_jacobian_base(theta) * thetadot);
}

}  // namespace amble
