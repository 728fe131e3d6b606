#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "amble/dynamics/linearization.hpp"

// A mechanism that stands on something: M a + bias = tau + sum J^T F + J^T f, with f such that the contacts hold.
// Contacts here are bilateral (they can pull) and do not slip; general constraints are in constrained_dynamics.hpp.
namespace amble {

/// In which axes the rows of a contact, and with them its force, are given.
enum class ContactAxes {
  body,   ///< of the contact frame, which turns with the body
  world,  ///< of the world, at the contact's origin
};

/// A frame on a body that is held against the world: six rows, force and moment; or three, a point that may turn.
struct BodyContact {
  std::string place;  ///< a body or frame of the mechanism
  Pose X_PC = {};     ///< the contact frame on it
  bool point = false;
  ContactAxes axes = ContactAxes::body;
};

struct ContactOptions {
  /// J a + (dJ/dt) v = -damping J v (1/s): brings contacts that move to rest.
  double damping = 0.0;
  /// Rows whose share not explained by others is smaller than this (relative, in the metric of M^-1) are redundant.
  double redundancy = 1e-10;

  void validate() const;
};

/// Derivatives on the manifold, in q along integrate(q, e_k): accelerations nv x nv, forces rows x nv.
struct ContactDerivatives {
  OwnedRowMatrix a_dq, a_dv, a_dtau, f_dq, f_dv, f_dtau;
};

/// Dynamics of a mechanism with contacts, single states at kernel speed. Owns its memory, and nothing allocates after
/// construction; one per thread. The way is as sparse as the tree, with a dense step in the rows of the contacts;
/// with joints that follow others, or rows that (nearly) repeat each other, it is dense throughout.
///
/// Redundant rows (a foot held at four points, two welds on one chain) have many forces that do the same: theirs is
/// the smallest, in the numbers of forces(). They agree at any velocity when given in the axes of one body; in world
/// axes only while that body does not turn. Where the rank changes in q, there are no derivatives.
class ContactDynamics {
 public:
  /// Throws an Error when there is no contact, for a place that does not exist, a pose or option that is no number.
  ContactDynamics(const Mechanism& mechanism, std::vector<BodyContact> contacts, const ContactOptions& options = {});
  ContactDynamics(ContactDynamics&&) noexcept;
  ContactDynamics& operator=(ContactDynamics&&) noexcept;
  ~ContactDynamics();

  const Mechanism& mechanism() const;
  std::span<const BodyContact> contacts() const;
  int rows() const;
  int row(int contact) const;  ///< where the rows of a contact start

  /// Accelerations under forces of the joints and wrenches from outside. Throws an Error naming the joint where M is
  /// singular, or the contact whose rows cannot hold together with the others.
  const OwnedVector& solve(const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                           std::span<const ExternalWrench> external = {});
  /// solve(), and its derivatives. Wrenches from outside stay fixed to their bodies. Throws an Error also where
  /// redundant rows come apart in some direction of q, so that there are no derivatives.
  const ContactDerivatives& derivatives(const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                                        std::span<const ExternalWrench> external = {});
  /// Velocities after an impact on all contacts at once: M (v+ - v) = J^T p, J v+ = -restitution J v. The impulses p
  /// are then forces(). Throws as solve() does.
  const OwnedVector& impact(const VectorRef& q, const VectorRef& v, double restitution = 0.0);

  /// Of the last call above: accelerations (of impact(), velocities), and what the contacts do on the mechanism, each
  /// force before moment in the axes of its contact.
  const OwnedVector& accelerations() const;
  const OwnedVector& forces() const;
  /// The force of one contact at its origin; no moment for a point.
  Wrench<double> force(int contact) const;
  /// How many rows were independent there.
  int rank() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// The motion on the contacts near a state, as linearize() of a mechanism gives it. Throws as derivatives() does.
Linearization linearize(ContactDynamics& dynamics, const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                        std::span<const ExternalWrench> external = {});

}  // namespace amble
