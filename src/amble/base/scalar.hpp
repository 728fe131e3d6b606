#pragma once

#include "amble/base/batch.hpp"
#include "amble/base/dual.hpp"

namespace amble {

template <class T>
inline constexpr bool is_batch = false;
template <int W>
inline constexpr bool is_batch<Batch<W>> = true;

/// The number of a scalar, without derivatives.
inline double value_of(double x) { return x; }
template <class T, int N>
double value_of(const Dual<T, N>& x) {
  return value_of(x.value);
}

inline double select(bool m, double yes, double no) { return m ? yes : no; }
template <class T, int N>
Dual<T, N> select(bool m, const Dual<T, N>& yes, const Dual<T, N>& no) {
  return m ? yes : no;
}

/// Evaluates one of two formulas where the choice is one truth value, both where it differs by lane.
/// `Yes` and `No` return the same type, which must have an overload of select().
template <class Condition, class Yes, class No>
auto branch(const Condition& condition, Yes yes, No no) {
  if constexpr (std::is_same_v<Condition, bool>) {
    return condition ? yes() : no();
  } else {
    return select(condition, yes(), no());
  }
}

/// Calls `f` with the doubles of each lane in turn and puts the results side by side: for formulas with branches that
/// lanes cannot share. `f(lane_inputs...)` takes and returns Eigen matrices of double.
template <int W, class F, class... In>
auto lane_by_lane(F f, const In&... in) {
  const auto lane = [](const auto& m, int i) {
    return m.unaryExpr([i](const Batch<W>& x) { return x.lane[i]; }).template cast<double>().eval();
  };
  using Out = decltype(f(lane(in, 0)...));
  Eigen::Matrix<Batch<W>, Out::RowsAtCompileTime, Out::ColsAtCompileTime, Eigen::DontAlign> out;
  for (int i = 0; i < W; ++i) {
    const Out one = f(lane(in, i)...);
    for (Eigen::Index k = 0; k < out.size(); ++k) out.coeffRef(k).lane[i] = one.coeff(k);
  }
  return out;
}

}  // namespace amble
