#pragma once

#include <gtest/gtest.h>

#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/constraints/coordinate_constraints.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "amble/constraints/rolling_constraints.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {

inline const std::vector<std::string> kPairTypes = {"fixed",  "revolute",  "prismatic", "helical",       "cylindrical",   "universal",
                                                    "planar", "spherical", "parallel",  "point_on_axis", "point_on_plane"};

/// A random mechanism in motion with a frame on two of its links.
struct PairState {
  RandomState s;
  LinkFrame a, b;
};

inline PairState pair_state(std::uint64_t seed) {
  PairState x{random_state(seed, {.bodies = 6 + static_cast<int>(seed % 5), .roots = seed % 3 == 0 ? 2 : 1, .fixed = 0.0}), {}, {}};
  Random random(seed + 31);
  const int links = static_cast<int>(x.s.m.links().size());
  x.a = {seed % 4 == 0 ? 0 : 1 + static_cast<int>(seed % (links - 2)), random_pose(random)};
  x.b = {links - 1, random_pose(random)};
  if (x.a.link == x.b.link) x.a.link = 0;
  return x;
}

inline JointParameters pair_parameters() { return {.pitch = 0.23, .angle = 1.1}; }

/// A, bias and violation of one constraint at a state.
struct Rows {
  Eigen::MatrixXd A;
  Eigen::VectorXd bias, violation, target;
};

inline Rows rows_of(const Mechanism& m, const ConstraintPtr& c, const VectorRef& q, const VectorRef& v) {
  ConstraintKinematics at(m);
  at.set_state(q, v);
  RowMatrix A = RowMatrix::Zero(c->rows(), m.nv());
  Rows out{{}, Eigen::VectorXd::Zero(c->rows()), Eigen::VectorXd::Zero(c->rows()), Eigen::VectorXd::Zero(c->rows())};
  c->evaluate(at, {A.data(), out.bias.data(), out.violation.data(), out.target.data()});
  out.A = A;
  return out;
}

/// A is the derivative of phi, and the bias that of A v, anywhere: also where the constraint is violated.
inline void expect_derivatives(const Mechanism& m, const ConstraintPtr& c, const OwnedVector& q, const Eigen::VectorXd& v,
                               double tolerance = 1e-9) {
  const Rows here = rows_of(m, c, q, v);
  const double scale = 1.0 + here.A.norm() * (1.0 + v.squaredNorm());
  const Eigen::VectorXd phi_dot =
      slope_at_zero([&](double t) { return rows_of(m, c, m.integrate(q, t * v), v).violation; });
  for (int i = 0; i < c->rows(); ++i)
    EXPECT_TRUE(!c->holonomic(i) || std::abs((here.A * v)[i] - phi_dot[i]) < tolerance * scale) << c->name() << " row " << i;
  const Eigen::VectorXd rate = slope_at_zero([&](double t) -> Eigen::VectorXd {
    const Rows there = rows_of(m, c, m.integrate(q, t * v), v);
    return there.A * v - there.target;
  });
  EXPECT_LT((here.bias - rate).norm(), 10.0 * tolerance * scale) << c->name();
}

}  // namespace amble
