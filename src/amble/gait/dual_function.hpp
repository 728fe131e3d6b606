#pragma once

#include <array>
#include <memory>

#include "amble/base/dual.hpp"
#include "amble/gait/search_function.hpp"

namespace amble {

/// A SearchFunction of N coordinates and P parameters from a formula for any kind of number, with exact first
/// and second derivatives: `f(q, v, a, p, out)` takes arrays of T and writes `Rows` numbers of T. Instantiate
/// it for double numbers, dual numbers and dual numbers of those: a generic lambda does.
template <int Rows, int N, int P, class F>
class DualFunction final : public SearchFunction {
 public:
  static constexpr int kInputs = 3 * N + P;
  using First = Dual<double, kInputs>;
  using Second = Dual<First, kInputs>;

  explicit DualFunction(F f) : f_(f) {}

  int rows() const override { return Rows; }

  void evaluate(const SearchPoint& at, SearchValues& out) const override {
    const auto values = call<First>(at, [](double x, int i) { return First::variable(x, i); });
    for (int r = 0; r < Rows; ++r) {
      out.value[r] = values[r].value;
      for (int i = 0; i < kInputs; ++i) out.slopes(r, i) = values[r].grad[i];
    }
  }

  void curvature(const SearchPoint& at, const VectorRef& weights,
                 Eigen::Ref<Eigen::MatrixXd> out) const override {
    const auto values =
        call<Second>(at, [](double x, int i) { return Second::variable(First::variable(x, i), i); });
    for (int i = 0; i < kInputs; ++i)
      for (int j = 0; j < kInputs; ++j) {
        out(i, j) = 0.0;
        for (int r = 0; r < Rows; ++r) out(i, j) += weights[r] * values[r].grad[i].grad[j];
      }
  }

 private:
  template <class T, class Variable>
  std::array<T, Rows> call(const SearchPoint& at, const Variable& variable) const {
    std::array<T, N> q, v, a;
    std::array<T, P> p;
    for (int i = 0; i < N; ++i) {
      q[i] = variable(at.q[i], i);
      v[i] = variable(at.v[i], N + i);
      a[i] = variable(at.a[i], 2 * N + i);
    }
    for (int i = 0; i < P; ++i) p[i] = variable(at.p[i], 3 * N + i);
    std::array<T, Rows> out{};
    f_(q, v, a, p, out);
    return out;
  }

  F f_;
};

/// `dual_function<Rows, N, P>(f)`
template <int Rows, int N, int P, class F>
std::shared_ptr<const SearchFunction> dual_function(F f) {
  return std::make_shared<DualFunction<Rows, N, P, F>>(f);
}

}  // namespace amble
