#pragma once

#include "amble/walkers/mechanism_walker.hpp"
#include "amble/walkers/walker_description.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {

/// The step model of a walker of one's own. The analysis model of each phase is the mechanism hung up by the
/// foot that stands; the full model is the mechanism hung up by the stance foot of the first phase, free to
/// be anywhere.
class DescribedWalker : public MechanismWalker {
 public:
  /// Throws an Error that names what does not fit: names that are not there, phases that do not follow one
  /// another, a symmetry that the mechanism does not have.
  explicit DescribedWalker(const WalkerDescription& description, Scuffing scuffing = Scuffing::ignore);
  std::unique_ptr<StepModel> clone() const override;

  FloorPlace next_place(int phase, const double* x_before) override;
  double length_of(const FloorPlace& place) const override;
  int footfalls() const override;
  std::vector<std::string> cyclic() const override;
  std::unique_ptr<WalkerFigure> figure() const override;
  std::pair<OwnedVector, OwnedVector> full_state(int phase, const double* x) override;
  std::pair<OwnedVector, OwnedVector> full_state_at(const FloorPlace& place, int phase,
                                                    const double* x) override;

  /// The user's own mechanism with its free root, on this floor: its gravity is that of the walker.
  const Mechanism& model() const;
  bool planar() const { return spec().planar; }
  /// The foot that stands in a phase whose axes lie at `place`.
  const WalkerDescription::Foot& stance_foot(const FloorPlace& place, int phase) const;
  /// A state of the full model as one of the user's own mechanism, and back. A walker in the plane has its
  /// root there: what leaves the plane is refused with an Error.
  std::pair<OwnedVector, OwnedVector> model_state(const VectorRef& q_full, const VectorRef& v_full);
  std::pair<OwnedVector, OwnedVector> full_of_model_state(const VectorRef& q, const VectorRef& v);

 private:
  struct Plan;
  struct Memory;
  explicit DescribedWalker(std::shared_ptr<const Plan> plan);
  static std::shared_ptr<const Plan> plan_of(const WalkerDescription& description, Scuffing scuffing);

  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<Memory> memory_;
};

}  // namespace amble
