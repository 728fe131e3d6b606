#pragma once

#include "amble/geometry/user_chart.hpp"

// First and second derivatives of anything written for dual numbers, one pair of directions at a time.
namespace amble::detail {

/// theta with direction i in the inner and j in the outer dual part; negative means none.
inline std::array<SecondOrder, kMaxChartSize> seeded(const double* theta, int size, int i, int j) {
  std::array<SecondOrder, kMaxChartSize> x;
  for (int k = 0; k < size; ++k) {
    x[k].value.value = theta[k];
    if (k == i) x[k].value.grad[0] = 1.0;
    if (k == j) x[k].grad[0].value = 1.0;
  }
  return x;
}

/// theta with direction i in the inner part and time, along thetadot, in the outer.
inline std::array<SecondOrder, kMaxChartSize> along(const double* theta, const double* thetadot, int size, int i) {
  std::array<SecondOrder, kMaxChartSize> x = seeded(theta, size, i, -1);
  for (int k = 0; k < size; ++k) x[k].grad[0].value = thetadot[k];
  return x;
}

inline double first_part(const SecondOrder& x) { return x.value.grad[0]; }
inline double second_part(const SecondOrder& x) { return x.grad[0].grad[0]; }

template <class Rho>
void partials_of(const Rho& rho, const double* theta, int size, ChartPartials& out) {
  for (int i = 0; i < size; ++i)
    out[i] = Matrix3<SecondOrder>(rho(seeded(theta, size, i, -1).data())).unaryExpr(&first_part);
}

template <class Rho>
void second_partials_of(const Rho& rho, const double* theta, int size, ChartSecondPartials& out) {
  for (int i = 0; i < size; ++i)
    for (int j = i; j < size; ++j) {
      out[i][j] = Matrix3<SecondOrder>(rho(seeded(theta, size, i, j).data())).unaryExpr(&second_part);
      out[j][i] = out[i][j];
    }
}

}  // namespace amble::detail
