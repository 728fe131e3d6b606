#include "amble/mechanism/joints/custom.hpp"

#include <Eigen/LU>

#include "amble/base/slope.hpp"

namespace amble {

void CustomJoint::local_jacobian(const double* q, const double* d, Matrix6<double>& S) const {
  std::array<double, kMostJointCoordinates> here{}, there{};
  integrate(q, d, here.data());
  for (int j = 0; j < nv(); ++j)
    S.col(j) = slope_at_zero([&](double t) {
      Vector6<double> moved = Vector6<double>::Zero(), v = Vector6<double>::Zero();
      std::copy_n(d, nv(), moved.data());
      moved[j] += t;
      integrate(q, moved.data(), there.data());
      difference(here.data(), there.data(), v.data());
      return v;
    });
}

void Custom::local_rates(const double* q, const double* d, const double* v, double* ddot) const {
  Matrix6<double> S = Matrix6<double>::Identity();
  joint->local_jacobian(q, d, S);
  S.bottomRows(6 - nv()) = Matrix6<double>::Identity().bottomRows(6 - nv());
  S.rightCols(6 - nv()) = Matrix6<double>::Identity().rightCols(6 - nv());
  Vector6<double> velocity = Vector6<double>::Zero();
  std::copy_n(v, nv(), velocity.data());
  const Vector6<double> rates = S.partialPivLu().solve(velocity);
  std::copy_n(rates.data(), nv(), ddot);
}

}  // namespace amble
