#pragma once

#include "amble/control/walking/velocity_field.hpp"
#include "amble/dynamics/dynamics.hpp"

namespace amble {

/// Motion along a field w and across it, orthogonal in the kinetic metric: v = along + across, DS 5.2.1. In
/// the book's words along is alpha_1 (in units where Mbar = 1, alpha_1 = <w, v> / |w|) and across is alpha_2;
/// nothing here depends on which columns S_2 has.
struct MomentumSplit {
  MomentumSplit(const Mechanism& mechanism, Workspace& work, const VelocityField& field, const VectorRef& q,
                const VectorRef& v);

  OwnedVector w;                      ///< the field here
  OwnedVector along, across;          ///< velocities
  OwnedVector Mw, M_along, M_across;  ///< as momenta
  OwnedVector M_turning;              ///< M nabla_v e, e = w / |w|: how the direction turns along the motion
  double length = 0.0;                ///< |w|, of the kinetic metric
  double alpha = 0.0;                 ///< alpha_1; its square is twice the kinetic energy along
  double energy_along() const { return 0.5 * alpha * alpha; }
  double energy_across() const { return 0.5 * across.dot(M_across); }
};

/// S^T of DS 5.2.1: columns that are orthonormal in the metric M^-1, so Mbar = 1, the first along M w. The
/// others follow from the coordinate axes in the order in which they stand out most from those before: smooth
/// until that order changes.
OwnedMatrix momentum_frame(const Eigen::Ref<const Eigen::MatrixXd>& M, const VectorRef& w);

}  // namespace amble
