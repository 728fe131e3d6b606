#pragma once

#include <functional>

#include "amble/dynamics/workspace.hpp"
#include "amble/walkers/walker_figure.hpp"

namespace amble {

/// From coordinates of a model in which one leg stands and the other swings to those in which they have changed places,
/// while nothing moves. Such a model has first where the stance foot is, x, (y,) z, then angles; bodies of the two legs
/// differ by `stance_` and `swing_`, and all are turned by nothing where the angles are zero.
class LegExchange {
 public:
  /// Models in space are mirrored as they change legs, DS (4.34).
  LegExchange(const Mechanism& full, bool planar, double foot_radius);
  std::pair<OwnedVector, OwnedVector> operator()(const VectorRef& q, const VectorRef& v);
  double foot_radius() const { return radius_; }

 private:
  OwnedVector angles(const VectorRef& q);

  Mechanism full_;
  Workspace work_;
  Place foot_;
  bool planar_;
  int places_;
  double radius_;
  OwnedMatrix exchange_;  // of the angles, which is linear
};

/// The figure of a walker whose model always calls the leg that stands so. In the plane, legs are here `outer` and
/// `inner` ones, as machines have them that cannot fall to a side; in space `right` and `left`, the right one standing
/// first.
class LeggedFigure : public WalkerFigure {
 public:
  /// Of the full model, with the axes of its phase at the foot, and the potential energy of the phase.
  struct Motion {
    OwnedVector q, v, a;
    double potential = 0.0;
  };
  using MotionOf = std::function<Motion(const WalkMoment&)>;
  LeggedFigure(const Mechanism& full, bool planar, double foot_radius, MotionOf motion);

  const Mechanism& mechanism() const override { return mechanism_; }
  double foot_radius() const override { return exchange_.foot_radius(); }
  Posture at(const WalkMoment& moment) override;

 private:
  Mechanism full_, mechanism_;
  Workspace work_;
  bool planar_;
  LegExchange exchange_;
  MotionOf motion_;
};

/// For models by formulas, whose state is the angles of the full model and their rates.
LeggedFigure::MotionOf motion_of_angles(const Mechanism& full, std::function<double(const double* x)> potential);

}  // namespace amble
