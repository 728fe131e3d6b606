#pragma once

#include "amble/contact/impact.hpp"
#include "amble/contact/rigid_contact.hpp"

namespace amble {

/// The rigid contacts among the elements of a motion, as they are at an instant, and what becomes of them all
/// together: who is struck, who opens, who slides.
class ContactEvents {
 public:
  ContactEvents(const Mechanism& mechanism, const std::vector<ElementPtr>& elements);
  bool any() const { return !contacts_.empty(); }
  /// Their places among the elements.
  const std::vector<std::size_t>& elements() const { return elements_; }
  const RigidContact& contact(std::size_t i) const { return *contacts_[i]; }

  /// The instant that the rest is about. `memories`: of each contact. `held`: constraints of others that
  /// hold, at this state, or null. Those that are closed, struck or apart by less than their clearance take
  /// part.
  void set_state(const OwnedVector& q, const OwnedVector& v, std::span<double* const> memories,
                 const ConstrainedDynamics* held);

  bool struck() const;
  /// Velocities after all impacts of the instant; those of `strikes` are others'. Returns what they took (J),
  /// and says so.
  double strike(const std::vector<Strike>& strikes, OwnedVector& v, std::vector<std::string>& log);

  /// The modes that follow for those that do not part by their velocity, from the acceleration `a` (nv)
  /// without contact forces, and writes them, and what changed to `log`. Throws an Error that names the
  /// contacts where no forces meet their laws, or several.
  void decide(const OwnedVector& a, std::vector<std::string>& log);

  /// Above zero when closed contacts cannot stay as they are: `forces` are their multipliers, one pointer for
  /// each contact, null for those that are open.
  double guard(const OwnedVector& a, std::span<const double* const> forces);

  /// Redundant contacts that stick share their load such that all forces are inside their cones, if they can: then their
  /// `forces` point to such numbers, valid until the next call. False where they cannot.
  bool share(std::span<const double*> forces);

 private:
  using Mode = RigidContact::Mode;
  /// One that takes part.
  struct Part {
    int contact = 0;
    Mode mode = Mode::open;
    Matrix3<double> axes;  // columns (normal, t1, t2), world axes
    Vector3<double> u;     // velocity along them
  };
  struct Decision {
    Mode mode = Mode::open;
    Vector3<double> direction = Vector3<double>::Zero();
  };

  const RigidContact& contact(const Part& part) const { return *contacts_[part.contact]; }
  void reduce(const ConstrainedDynamics* held);
  void set_mobility(const OwnedVector& a);
  std::vector<FewContactsLaw> laws(const std::vector<int>& together) const;
  std::vector<Decision> decisions();
  void check_sliding(const std::vector<int>& together, const std::vector<FewContactsLaw>& laws) const;
  Eigen::MatrixXd closed_matrix(const std::vector<Decision>& modes, std::vector<int>& rows,
                                std::vector<int>& normals) const;
  void lay_down(std::vector<Decision>& out) const;
  double violation(const Part& part, const double* forces, double& paradox) const;
  [[noreturn]] void throw_paradox(const std::string& who) const;

  Mechanism mechanism_;
  std::vector<std::size_t> elements_;
  std::vector<const RigidContact*> contacts_;
  ConstraintKinematics kinematics_;
  std::vector<double*> memories_;
  std::vector<Part> parts_;
  Eigen::MatrixXd inverse_mass_, reduced_;  // reduced: of what others' constraints leave free
  ImpactRows rows_;
  OwnedVector bias_;
  Eigen::MatrixXd G_;
  OwnedVector shared_;  // forces
  Eigen::VectorXd w_;  // accelerations along the rows without contact forces
};

}  // namespace amble
