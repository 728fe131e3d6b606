#include "amble/control/walking/momentum_split.hpp"

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

MomentumSplit::MomentumSplit(const Mechanism& m, Workspace& work, const VelocityField& field,
                             const VectorRef& q, const VectorRef& v)
    : w(m.nv()) {
  const OwnedVector at = m.checked_configuration(q);
  field(at, w);
  const Eigen::MatrixXd M = mass_matrix(m, work, at);
  Mw = M * w;
  length = std::sqrt(w.dot(Mw));
  if (!std::isfinite(length)) throw Error("a velocity field gives numbers that are not finite");
  if (length == 0.0)
    throw Error(
        "a velocity field is zero where the mechanism is: it says nothing of where to move, DS (5.2)");
  alpha = Mw.dot(v) / length;
  along = alpha / length * w;
  across = v - along;
  M_along = M * along, M_across = M * across;
  // e' = (w' - w <w, nabla w> / |w|^2) / |w| in the covariant sense: the part of M nabla_v w across w.
  const OwnedVector slope = rate_along(m, field, at, v);
  const OwnedVector covariant = M * slope + coriolis_matrix(m, work, at, v) * w;
  M_turning = (covariant - Mw * (w.dot(covariant) / (length * length))) / length;
}

OwnedMatrix momentum_frame(const Eigen::Ref<const Eigen::MatrixXd>& M, const VectorRef& w) {
  const int n = static_cast<int>(w.size());
  Eigen::MatrixXd E = Eigen::MatrixXd::Zero(n, n);  // orthonormal in M
  E.col(0) = w / std::sqrt(w.dot(M * w));
  for (int k = 1; k < n; ++k) {
    double longest = -1.0;
    for (int axis = 0; axis < n; ++axis) {
      Eigen::VectorXd x = Eigen::VectorXd::Unit(n, axis) / std::sqrt(M(axis, axis));
      for (int pass = 0; pass < 2; ++pass) x -= E.leftCols(k) * (E.leftCols(k).transpose() * (M * x));
      const double size = std::sqrt(x.dot(M * x));
      if (size > longest + 1e-9) longest = size, E.col(k) = x / size;
    }
  }
  return M * E;
}

}  // namespace amble
