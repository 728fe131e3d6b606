#include "amble/gait/search_function.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

void SearchFunction::curvature(const SearchPoint& at, const VectorRef& weights,
                               Eigen::Ref<Eigen::MatrixXd> out) const {
  constexpr double kStep = 1e-5;
  const Eigen::Index n = at.q.size(), np = at.p.size();
  Eigen::VectorXd z(3 * n + np);
  z << at.q, at.v, at.a, at.p;
  SearchValues values(rows(), int(n), int(np));
  const auto gradient = [&]() -> Eigen::VectorXd {
    values.slopes.setZero();
    evaluate({z.head(n), z.segment(n, n), z.segment(2 * n, n), z.tail(np)}, values);
    return values.slopes.transpose() * weights;
  };
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double centre = z[i], h = kStep * std::max(1.0, std::abs(centre));
    z[i] = centre + h;
    const Eigen::VectorXd ahead = gradient();
    z[i] = centre - h;
    out.col(i) = (ahead - gradient()) / (2.0 * h);
    z[i] = centre;
  }
  out = (0.5 * (out + out.transpose())).eval();
}

}  // namespace amble
