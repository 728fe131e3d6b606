#pragma once

#include <array>

#include "amble/base/dual.hpp"
#include "amble/walkers/step_model.hpp"

namespace amble {

/// A phase that is written down as formulas, for models that are no mechanism (legs without mass). `Model`
/// has `static constexpr int kFreedoms`, `name()`, and for numbers S that are double or dual
///   template <class S> std::array<S, m> acceleration(const std::array<S, 2m>& x) const;
///   template <class S> S guard(const std::array<S, 2m>& x) const;
///   template <class S> std::array<S, 2m> reset(const std::array<S, 2m>& x) const;
/// and for doubles counts(x), energy_lost(x), kinetic_energy(x), potential_energy(x), powers(x), and failures
/// as a list of names with failure_values(x, values); energy_supplied(x) where events are powered.
/// Derivatives are those of dual numbers.
template <class Model>
class FormulaPhase : public StepPhase {
  static constexpr int m = Model::kFreedoms, n = 2 * m;
  using Number = Dual<double, n>;
  using State = std::array<double, n>;

 public:
  explicit FormulaPhase(Model model) : model_(std::move(model)) {}
  const Model& model() const { return model_; }
  Model& model() { return model_; }

  std::string name() const override { return model_.name(); }
  int freedoms() const override { return m; }

  void acceleration(const double* x, double* a, Derivative da) override {
    if (da == nullptr)
      put(model_.acceleration(state(x)), a);
    else
      put(model_.acceleration(variables(x)), a, da);
  }
  double guard(const double* x, Derivative dguard) override {
    if (dguard == nullptr) return model_.guard(state(x));
    const Number g = model_.guard(variables(x));
    std::copy(g.grad.begin(), g.grad.end(), dguard);
    return g.value;
  }
  bool counts(const double* x) const override { return model_.counts(state(x)); }
  double reset(const double* x, double* next, Derivative dnext) override {
    if (dnext == nullptr)
      put(model_.reset(state(x)), next);
    else
      put(model_.reset(variables(x)), next, dnext);
    return model_.energy_lost(state(x));
  }
  double energy_supplied(const double* x) override {
    if constexpr (requires { model_.energy_supplied(state(x)); })
      return model_.energy_supplied(state(x));
    else
      return 0.0;
  }
  int failures() const override { return static_cast<int>(model_.failures().size()); }
  void failure_values(const double* x, double* values) override { model_.failure_values(state(x), values); }
  std::string failure_name(int failure) const override { return model_.failures()[failure]; }
  double kinetic_energy(const double* x) override { return model_.kinetic_energy(state(x)); }
  double potential_energy(const double* x) override { return model_.potential_energy(state(x)); }
  Powers powers(const double* x) override { return model_.powers(state(x)); }

 private:
  static State state(const double* x) {
    State s;
    std::copy(x, x + n, s.begin());
    return s;
  }
  static std::array<Number, n> variables(const double* x) {
    std::array<Number, n> s;
    for (int i = 0; i < n; ++i) s[i] = Number::variable(x[i], i);
    return s;
  }
  template <std::size_t N>
  static void put(const std::array<double, N>& from, double* to) {
    std::copy(from.begin(), from.end(), to);
  }
  template <std::size_t N>
  static void put(const std::array<Number, N>& from, double* to, Derivative derivative) {
    for (std::size_t i = 0; i < N; ++i) {
      to[i] = from[i].value;
      std::copy(from[i].grad.begin(), from[i].grad.end(), derivative + i * n);
    }
  }

  Model model_;
};

}  // namespace amble
