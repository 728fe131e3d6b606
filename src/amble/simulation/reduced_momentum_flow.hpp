#pragma once

#include "amble/simulation/motion_flows.hpp"

namespace amble {

/// (q, alpha) of DS Theorem 2.21 for any mechanism and any constraints A v = 0: x is alpha, nv - rank numbers. The
/// momenta that the constraints allow are p = S alpha with A M^-1 S = 0; here S = M Z (Z^T M Z)^-1, so that alpha =
/// Z^T p, where the columns of Z are the motions of some coordinates, the independent ones, with all others as A
/// makes them follow:
///     v = Z (Z^T M Z)^-1 alpha,   d alpha/dt = Z^T pdot + (dZ/dt)^T p,
/// and pdot that of the mechanism without constraints (Theorem 2.18, so joints on groups are as good as others, DS
/// Fig 2.9). No multiplier occurs, and A v = 0 holds without stabilisation; phi(q) is held as in ConstrainedFlow.
/// When the independent coordinates become a poor choice, others are taken.
class ReducedMomentumFlow : public Flow {
 public:
  /// For motions that start near q. Throws an Error for constraints A v = b with b other than zero.
  ReducedMomentumFlow(ConstrainedDynamics dynamics, const VectorRef& q, Drive drive = {}, double drift = 1e-11);
  const Mechanism* mechanism() const override { return &dynamics_.mechanism(); }
  int size() const override { return static_cast<int>(independent_.size()); }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;
  bool after_step(double t, double* q, double* x) override;

  /// alpha of a velocity that the constraints allow, and back.
  OwnedVector state(const VectorRef& q, const VectorRef& v);
  OwnedVector velocity(const VectorRef& q, const VectorRef& alpha);

  /// Names of the coordinates that alpha belongs to: "joint" or "joint[2]".
  std::vector<std::string> independent() const;
  /// How often other coordinates were taken, and how often q was brought back.
  long changes() const { return changes_; }
  long projections() const { return projections_; }

 private:
  void choose();
  double follow();
  void set(const VectorRef& q);
  Eigen::VectorXd pull_back_rate(const Eigen::VectorXd& p);

  ConstrainedDynamics dynamics_;
  Workspace work_;
  Drive drive_;
  double drift_;
  std::vector<int> rows_, dependent_, independent_;
  long changes_ = 0, projections_ = 0;
  OwnedMatrix A_dependent_, Z_, M_;  // at the configuration last set
  OwnedVector q_, v_, tau_, still_;
};

}  // namespace amble
