#include <cmath>

#include "amble/dynamics/momentum.hpp"
#include "amble/walkers/described_walker.hpp"

// A walker of a user's own looks as its own model does.
namespace amble {

namespace {

class DescribedFigure : public WalkerFigure {
 public:
  explicit DescribedFigure(std::unique_ptr<StepModel> walker)
      : owner_(std::move(walker)), walker_(dynamic_cast<DescribedWalker&>(*owner_)) {}

  const Mechanism& mechanism() const override { return walker_.model(); }

  Posture at(const WalkMoment& m) override {
    const double* const x = m.x.data();
    MechanismPhase& phase = walker_.mechanism_phase(m.phase);
    auto [q_full, v_full] = walker_.full_state_at(m.place, m.phase, x);
    auto [q, v] = walker_.model_state(q_full, v_full);
    Posture out{.q = std::move(q), .v = std::move(v)};
    const WalkerDescription::Foot& foot = walker_.stance_foot(m.place, m.phase);
    out.foot = foot.body;
    const Vector3<double> touched = phase.stance_place(x), force = phase.ground_force(x, m.a.data());
    const FloorPlace point = m.place.then({.x = touched.x(), .y = touched.y()}),
                     pushed = FloorPlace{.turn = m.place.turn, .mirrored = m.place.mirrored}.then(
                         {.x = force.x(), .y = force.y()});
    out.point = {point.x, point.y, -m.drop}, out.force = {pushed.x, pushed.y, force.z()};
    out.spring_energy = phase.potential_energy(x) - phase.height_energy(x);
    return out;
  }

 private:
  std::unique_ptr<StepModel> owner_;
  DescribedWalker& walker_;
};

}  // namespace

std::unique_ptr<WalkerFigure> DescribedWalker::figure() const { return std::make_unique<DescribedFigure>(clone()); }

}  // namespace amble
