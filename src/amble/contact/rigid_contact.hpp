#pragma once

#include "amble/contact/contact_pair.hpp"
#include "amble/contact/contact_spec.hpp"
#include "amble/contact/few_contacts.hpp"
#include "amble/ports/touching.hpp"

// Surfaces that do not give way. DS 3.3.
namespace amble {

struct RigidContactOptions {
  double friction =
      std::numeric_limits<double>::infinity();  ///< Coulomb's coefficient; infinite: never slips, as in DS
  double restitution = 0.0;                     ///< 0 to 1
  /// Impacts slower than this (m/s) leave the surfaces together, whatever the restitution; then they rest,
  /// roll or slide.
  double rest_speed = 1e-3;
  /// How far they part (m) before the next touch counts.
  double clearance = 1e-9;

  void validate(const std::string& name) const;
};

/// Two surfaces that meet: open, sticking (no slip: they roll on each other) or sliding with Coulomb's
/// friction. What happens to it at an event is decided together with all other rigid contacts of a motion, by
/// whoever integrates it: impacts by solve_impact(), opening by the free acceleration, slip by the cone of
/// friction. Impacts are booked as losses, friction as dissipated.
class RigidContact : public Element, public Touching {
 public:
  RigidContact(std::string name, const Mechanism& mechanism, ContactPairPtr pair,
               const RigidContactOptions& options);

  const ContactPair& pair() const { return *pair_; }
  const RigidContactOptions& options() const { return options_; }

  /// What it is now, as memory has it. `leaving`: parted by less than the clearance, or not loaded.
  enum class Mode { open, leaving, sticking, sliding, struck };
  static Mode mode(const double* memory) { return static_cast<Mode>(static_cast<int>(memory[0])); }
  static bool closed(const double* memory) {
    return mode(memory) == Mode::sticking || mode(memory) == Mode::sliding;
  }
  /// `direction` of sliding, unit, in the plane and world axes: read for Mode::sliding alone.
  static void set_mode(double* memory, Mode mode, const Vector3<double>& direction = Vector3<double>::Zero());

  /// Where its surfaces are nearest, and the velocity of b against a there.
  struct Place {
    ContactPoint at;
    Vector3<double> velocity;
  };
  Place place(const PortState& at) const;

  int memory() const override { return 4; }
  void start(const PortState& at, double* x, double* memory) const override;
  void evaluate(const PortState&, const double*, PortFlows&, double*) const override {}
  std::vector<ConstraintPtr> constraints() const override { return {sticking_}; }
  bool holding(const double* memory) const override { return closed(memory); }
  /// How it holds: 0 not at all, 1 sticking, 2 sliding; and by which constraint, which is given these
  /// numbers.
  static int stance(const double* memory);
  const ConstraintPtr& stance_constraint(int stance) const { return stance == 1 ? sticking_ : sliding_; }
  static const double* given(const double* memory) { return memory + 1; }

  enum Guard { kTouch, kClear, kHalts, kTurns };
  int guards() const override { return 4; }
  void guard_values(const PortState& at, const double* x, double* values) const override;
  std::string guard_name(int guard) const override;
  void happen(const PortState& at, PortEvent& event) const override;
  void contact_forces(const PortState& at, const double* x, std::vector<ContactForce>& out) const override;

 private:
  ContactPairPtr pair_;
  RigidContactOptions options_;
  ConstraintPtr sticking_, sliding_;
};

/// For motions by events: few contacts, exactly. Throws an Error for a pair whose links are not there or the
/// same.
ElementPtr rigid_contact(std::string name, const Mechanism& mechanism, ContactPairPtr pair,
                         const RigidContactOptions& options = {});

/// One for each, with friction and restitution of its own; the rest as in `options`.
std::vector<ElementPtr> rigid_contacts(const Mechanism& mechanism, const std::vector<ContactSpec>& specs,
                                       const RigidContactOptions& options = {});

}  // namespace amble
