#include "amble/walkers/walker_figure.hpp"

#include <gtest/gtest.h>

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/walkers/legged_figure.hpp"
#include "amble/walkers/mechanism_walker.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

/// Small angles and rates, different for each.
OwnedVector state_of(const Mechanism& m, double scale) {
  OwnedVector out(m.nv());
  for (int i = 0; i < m.nv(); ++i) out[i] = scale * std::sin(1.0 + 2.3 * i);
  return out;
}

Vector3<double> point_of(const Mechanism& m, const VectorRef& q, const std::string& frame) {
  Workspace work(m);
  const Place place = m.place(frame);
  return forward_kinematics(m, work, q)[place.link] * place.X_LP.translation();
}

class LegExchanges : public testing::TestWithParam<const char*> {};

/// The feet have changed places, nothing has moved, the energy is the same; and again they are where they were.
TEST_P(LegExchanges, MoveNothing) {
  const std::unique_ptr<StepModel> walker = make_walker(GetParam());
  const MechanismWalkerSpec& spec = dynamic_cast<MechanismWalker&>(*walker).spec();
  const Mechanism& m = spec.full;
  LegExchange exchange(m, spec.planar, spec.phases.front().stance_foot.radius);
  const OwnedVector q = state_of(m, 0.3), v = state_of(m, 1.7);
  const auto [q1, v1] = exchange(q, v);
  const Vector3<double> mirror(1.0, spec.planar ? 1.0 : -1.0, 1.0);
  for (const auto& [before, after] : {std::pair{"stance_foot", "swing_foot"}, {"swing_foot", "stance_foot"}})
    EXPECT_LT((mirror.cwiseProduct(point_of(m, q, before)) - point_of(m, q1, after)).norm(), 1e-14) << before;
  Workspace work(m);
  EXPECT_NEAR(kinetic_energy(m, work, q, v), kinetic_energy(m, work, q1, v1), 1e-12);
  EXPECT_NEAR(potential_energy(m, work, q), potential_energy(m, work, q1), 1e-12);
  const auto [q2, v2] = exchange(q1, v1);
  EXPECT_LT((q2 - q).norm() + (v2 - v).norm(), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Walkers, LegExchanges, testing::Values("compass", "dribbel", "trunk", "torso", "bisecting", "human"),
                         [](const auto& info) { return std::string(info.param); });

class Figures : public testing::TestWithParam<const char*> {};

/// A foot alone carries the walker: what the floor does to it moves the centre of mass. By differences of the figure's
/// momentum along the motion.
TEST_P(Figures, StandOnWhatMovesTheirMass) {
  const std::unique_ptr<StepModel> walker = make_walker(GetParam());
  const std::unique_ptr<WalkerFigure> figure = walker->figure();
  ASSERT_NE(figure, nullptr);
  StepPhase& phase = walker->phase(0);
  const int m = phase.freedoms();
  const Mechanism& mechanism = figure->mechanism();
  Workspace work(mechanism);
  for (const int footfalls : {0, 1}) {
    WalkMoment now{.place = {.x = 0.7, .y = 0.0, .mirrored = footfalls == 1}, .footfalls = footfalls, .x = OwnedVector(2 * m), .a = OwnedVector(m)};
    for (int i = 0; i < 2 * m; ++i) now.x[i] = 0.2 * std::cos(1.0 + i);
    phase.acceleration(now.x.data(), now.a.data(), nullptr);
    const auto momentum_at = [&](double t) -> Vector3<double> {
      WalkMoment later = now;
      later.x.head(m) += t * now.x.tail(m) + 0.5 * t * t * now.a, later.x.tail(m) += t * now.a;
      const Posture p = figure->at(later);
      return (momentum_matrix(mechanism, work, p.q) * p.v).head<3>();
    };
    const double h = 1e-4;
    const Vector3<double> rate = (8.0 * (momentum_at(h) - momentum_at(-h)) - (momentum_at(2 * h) - momentum_at(-2 * h))) / (12.0 * h);
    const Posture p = figure->at(now);
    EXPECT_LT((p.force + mechanism.mass() * mechanism.gravity() - rate).norm(), 1e-7 * (1.0 + p.force.norm())) << footfalls;
    EXPECT_NEAR(kinetic_energy(mechanism, work, p.q, p.v), phase.kinetic_energy(now.x.data()), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Walkers, Figures,
                         testing::Values("compass", "simplest", "rimless", "dribbel", "trunk", "pointmass3d", "torso", "bisecting", "human"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace amble
