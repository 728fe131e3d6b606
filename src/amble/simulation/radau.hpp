#pragma once

#include <memory>

#include "amble/simulation/integrator.hpp"

namespace amble {

/// Radau IIA of order 5 with error control, implicit and L-stable: for stiff springs, stops and contacts. A step is a
/// polynomial of collocation in the local coordinates of the configuration's own groups, q = F_q0(d) with d' =
/// S(d)^-1 v, found by a simplified Newton iteration over d and those numbers that the rates depend on; its Jacobian,
/// by differences of the rates, is kept while it serves. Integrals follow by the same quadrature. Owns its memory: no
/// step allocates.
///
/// Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8.
class RadauIntegrator : public Integrator {
 public:
  /// `flow` must outlive this.
  explicit RadauIntegrator(Flow& flow, const IntegratorOptions& options = {});
  ~RadauIntegrator() override;

 protected:
  void take(double end, bool exactly) override;
  /// By the polynomial of the step.
  void interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const override;
  void forget_rates() override;
  void rewind() override;

 private:
  static constexpr int kStages = 3;
  enum class Known { nothing, its_start, its_end };  // which state of the last polynomial the present one is

  // ---- rates of (d, x) in the coordinates about q_
  void evaluate(double t, const Eigen::Ref<const Eigen::VectorXd>& active, Eigen::Ref<Eigen::VectorXd> rates);
  void find_first_rates();
  void restart();
  bool still_at_the_end() const;
  void find_jacobian();
  void difference(int column);
  // ---- a step of length h
  void begin(double h);
  bool attempt(double h);
  bool iterate(double h);
  double correct(double h);
  void take_integrals(double h);
  double error_of(double h);
  void estimate(double h);
  double norm(const double* active) const;
  bool try_step(double h, bool exactly);
  void adapt(double h, bool tried);

  struct Systems;  // the linear ones, factored
  std::unique_ptr<Systems> systems_;
  int n_;           // of d and the active numbers
  double allowed_;  // on the estimate, which is of order 3
  bool first_rates_known_ = false, end_rates_known_ = false, rewritten_ = false;
  bool jacobian_known_ = false, jacobian_fresh_ = false;
  Known known_ = Known::nothing;
  bool careful_ = true;  // the first step, or the last attempt was refused
  double error_ = 0.0, shrink_ = 0.5, contraction_ = 0.0, remainder_ = 1.0, last_h_ = 0.0, polynomial_h_ = 0.0;
  int iterations_ = 0;
  std::string refusal_;
  OwnedVector q_point_, x_point_, v_, v_end_, q_end_, x_end_;
  OwnedVector first_rates_, point_, moved_rates_, error_numbers_, start_;  // of (d, x), or of its active part
  OwnedMatrix jacobian_;                                                   // of all rates in the active numbers
  OwnedMatrix rates_, Z_, W_, change_, polynomial_;                        // a column for each stage
  mutable OwnedVector interpolated_;
};

}  // namespace amble
