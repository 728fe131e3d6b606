#include "amble/gait/power_function.hpp"

namespace amble {

void PowerFunction::evaluate(const SearchPoint& at, SearchValues& out) const {
  torques_->evaluate(at, out);
  out.slopes = OwnedMatrix(at.v.asDiagonal() * out.slopes);
  out.by_v() += Eigen::MatrixXd(out.value.asDiagonal());
  out.value = OwnedVector(out.value.cwiseProduct(at.v));
}

/// d2 (tau v) = v d2 tau + dtau dv + dv dtau.
void PowerFunction::curvature(const SearchPoint& at, const VectorRef& weights,
                              Eigen::Ref<Eigen::MatrixXd> out) const {
  const Eigen::Index n = at.q.size();
  torques_->curvature(at, weights.cwiseProduct(at.v), out);
  SearchValues tau(rows(), static_cast<int>(n), static_cast<int>(at.p.size()));
  torques_->evaluate(at, tau);
  const Eigen::MatrixXd slopes = weights.asDiagonal() * tau.slopes;
  out.middleRows(n, n) += slopes;
  out.middleCols(n, n) += slopes.transpose();
}

}  // namespace amble
