#pragma once

#include <vector>

#include "amble/base/dual.hpp"
#include "amble/optimize/nlp.hpp"

namespace amble {

/// A program of N variables from functions that take any kind of number: derivatives by dual numbers, dense.
/// `F` has `T f(std::array<T, N>)` and `void g(std::array<T, N>, T* out)`.
template <int N, class F>
class DualProgram : public NonlinearProgram {
 public:
  using First = Dual<double, N>;
  using Second = Dual<First, N>;
  struct Bounds {
    double lower, upper;
  };

  DualProgram(F functions, std::vector<double> start, std::vector<Bounds> rows, std::vector<Bounds> box = {})
      : functions_(functions), start_(start), rows_(rows), box_(box) {}

  bool hessian_given = true;

  int variables() const override { return N; }
  int constraints() const override { return int(rows_.size()); }
  void variable_bounds(Numbers lower, Numbers upper) const override { fill(box_, lower, upper); }
  void constraint_bounds(Numbers lower, Numbers upper) const override { fill(rows_, lower, upper); }
  void start(Numbers x) const override { std::copy(start_.begin(), start_.end(), x.begin()); }

  double objective(const VectorRef& x) override { return functions_.f(seed<First>(x)).value; }
  void gradient(const VectorRef& x, Numbers df) override {
    const First f = functions_.f(seed<First>(x));
    std::copy(f.grad.begin(), f.grad.end(), df.begin());
  }
  void constraint_values(const VectorRef& x, Numbers g) override {
    const std::vector<First> all = rows<First>(x);
    for (std::size_t i = 0; i < all.size(); ++i) g[i] = all[i].value;
  }
  std::vector<MatrixPlace> jacobian_places() const override {
    std::vector<MatrixPlace> places;
    for (int i = 0; i < constraints(); ++i)
      for (int j = 0; j < N; ++j) places.push_back({i, j});
    return places;
  }
  void jacobian(const VectorRef& x, Numbers values) override {
    const std::vector<First> all = rows<First>(x);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = all[k / N].grad[k % N];
  }
  bool has_hessian() const override { return hessian_given; }
  std::vector<MatrixPlace> hessian_places() const override {
    std::vector<MatrixPlace> places;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j <= i; ++j) places.push_back({i, j});
    return places;
  }
  void hessian(const VectorRef& x, double weight, const VectorRef& lambda, Numbers values) override {
    Second sum = functions_.f(seed<Second>(x)) * Second(weight);
    const std::vector<Second> all = rows<Second>(x);
    for (std::size_t i = 0; i < all.size(); ++i) sum += all[i] * Second(lambda[i]);
    std::size_t k = 0;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j <= i; ++j) values[k++] = sum.grad[i].grad[j];
  }

 private:
  static void fill(const std::vector<Bounds>& bounds, Numbers lower, Numbers upper) {
    for (std::size_t i = 0; i < bounds.size(); ++i) lower[i] = bounds[i].lower, upper[i] = bounds[i].upper;
  }
  template <class T>
  static std::array<T, N> seed(const VectorRef& x) {
    std::array<T, N> all;
    for (int i = 0; i < N; ++i) {
      if constexpr (std::is_same_v<T, First>)
        all[i] = First::variable(x[i], i);
      else
        all[i] = Second::variable(First::variable(x[i], i), i);
    }
    return all;
  }
  template <class T>
  std::vector<T> rows(const VectorRef& x) const {
    std::vector<T> all(rows_.size());
    functions_.g(seed<T>(x), all.data());
    return all;
  }

  F functions_;
  std::vector<double> start_;
  std::vector<Bounds> rows_, box_;
};

}  // namespace amble
