#include "amble/gait/search_function.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

using Degree = SearchFunction::Degree;

/// Of number i of z = (q, v, a, p).
Degree degree_of(const SearchFunction::Degrees& degrees, Eigen::Index i, Eigen::Index n) {
  return i < n ? degrees.q : i < 2 * n ? degrees.v : i < 3 * n ? degrees.a : Degree::any;
}

}  // namespace

void SearchFunction::curvature(const SearchPoint& at, const VectorRef& weights,
                               Eigen::Ref<Eigen::MatrixXd> out) const {
  constexpr double kStep = 1e-5;
  const Eigen::Index n = at.q.size(), np = at.p.size(), size = 3 * n + np;
  Eigen::VectorXd z(size), here, ahead(size), back(size);
  z << at.q, at.v, at.a, at.p;
  SearchValues values(rows(), int(n), int(np));
  const auto gradient = [&](Eigen::VectorXd& to) {
    values.slopes.setZero();
    evaluate({z.head(n), z.segment(n, n), z.segment(2 * n, n), z.tail(np)}, values);
    to.noalias() = values.slopes.transpose() * weights;
  };
  const Degrees known = degrees();
  const auto differs = [&](Eigen::Index i) { return degree_of(known, i, n) >= Degree::quadratic; };
  if (known.q == Degree::quadratic || known.v == Degree::quadratic || known.a == Degree::quadratic)
    gradient(here);
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!differs(i)) continue;
    const bool straight =
        degree_of(known, i, n) == Degree::quadratic;  // the gradient is, so any step will do
    const double centre = z[i], scale = std::max(1.0, std::abs(centre)), h = straight ? scale : kStep * scale;
    z[i] = centre + h;
    gradient(ahead);
    z[i] = centre - h;
    if (!straight) gradient(back);
    out.col(i) = straight ? Eigen::VectorXd((ahead - here) / h) : Eigen::VectorXd((ahead - back) / (2.0 * h));
    z[i] = centre;
  }
  // A gradient is straight along what a function is quadratic in only by that itself: else the other column is right.
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const Degree di = degree_of(known, i, n), dj = degree_of(known, j, n);
      const double entry = di > dj ? out(j, i) : dj > di ? out(i, j) : 0.5 * (out(i, j) + out(j, i));
      out(i, j) = out(j, i) = differs(i) || differs(j) ? entry : 0.0;
    }
}

}  // namespace amble
