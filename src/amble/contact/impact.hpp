#pragma once

#include <limits>
#include <string>
#include <vector>

#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/contact/contact_rows.hpp"
#include "amble/contact/few_contacts.hpp"

// Velocities right after an instant of impulses. DS 3.3.2, 3.3.5, 4.2.2, ZB 4.
namespace amble {

/// What a restitution e from 0 to 1 is about. Both are plastic at 0, the projection DS (3.44).
enum class ImpactLaw {
  newton,   ///< speeds: a contact that was approached at u leaves at least at -e u
  poisson,  ///< impulses: contacts are first pressed until none is approached, then pushed by e times what
            ///< that took
};
ImpactLaw impact_law(std::string_view name);  ///< throws an Error for any other than "newton" and "poisson"
const char* name_of(ImpactLaw law);

/// Two surfaces that touch.
struct ImpactContact {
  ContactPoint at;
  double friction = std::numeric_limits<double>::infinity();  ///< Coulomb's coefficient of the impulses;
                                                              ///< infinite: no slip after
  double restitution = 0.0;
};
ImpactContact impact_contact(const ConstraintKinematics& at, const ContactSpec& spec);

/// An impact in numbers: velocities v+ = v + M^-1 (held^T r + contacts^T p).
struct ImpactRows {
  OwnedRowMatrix held;  ///< bilateral: held v+ = after
  OwnedVector after;
  OwnedRowMatrix contacts;  ///< three rows (normal, t1, t2) for each contact, of b against a
  struct Surface {
    double friction, restitution;
  };
  std::vector<Surface> surfaces;  ///< one for each contact
};

struct ImpactSolution {
  OwnedVector v;
  OwnedVector held_impulses, impulses;  ///< along the rows
  std::vector<ContactState> states;     ///< of the contacts after it
  /// What all impulses took (J): minus the sum of each times the mean of its velocity before and after. DS
  /// (3.45).
  double energy_lost = 0.0;
  ImpactLaw law = ImpactLaw::newton;  ///< that was used
  std::string note = {};              ///< where it is not the one asked for, or not in full: why
};

/// Normal impulses push; a contact that has one does not move further in, and one that was at rest opens or
/// is struck with the others, DS (3.57). With friction Newton's law can create energy: Poisson's then takes
/// its place; and where that would create some, it pushes only as far as energy lasts. Throws an Error when
/// impulses contradict each other or cannot be found.
ImpactSolution solve_impact(const Eigen::Ref<const Eigen::MatrixXd>& inverse_mass, const ImpactRows& rows,
                            const VectorRef& v, ImpactLaw law = ImpactLaw::newton);

struct ImpactOptions {
  ImpactLaw law = ImpactLaw::newton;
  std::vector<ConstraintPtr> constraints = {};  ///< that hold before and after
  /// Play and flexibility take more (DS 6.2): of the velocity that these rows (any number x nv) still see
  /// after the impact, this share is projected out as well, in the metric M, while contacts stay closed and
  /// constraints hold.
  OwnedRowMatrix play = {};
  double play_share = 1.0;
};

struct ImpactResult {
  OwnedVector v;
  std::vector<Vector3<double>> impulses;  ///< on b of each contact, world axes (N s)
  std::vector<ContactState> states;
  double energy_lost = 0.0;   ///< J
  double lost_in_play = 0.0;  ///< J, beyond that
  ImpactLaw law = ImpactLaw::newton;
  std::string note = {};
};

/// Velocities after an impact on contacts of a mechanism, all at once.
ImpactResult impact(const Mechanism& mechanism, const VectorRef& q, const VectorRef& v,
                    const std::vector<ImpactContact>& contacts, const ImpactOptions& options = {});
ImpactResult impact(const Mechanism& mechanism, const VectorRef& q, const VectorRef& v,
                    const std::vector<ContactSpec>& contacts, const ImpactOptions& options = {});

/// From motion on M1 to motion on M2 through an impact on M3, where M3 lies in both (ZB 4): momentum changes
/// along the rows of `at` (of M3) alone; the speed along them is reversed by the restitution, and then what
/// the rows of `after` (of M2, combinations of those of `at`) do not allow is taken. With `after` = `at` that
/// is plastic; with M2 = M1 a bounce. Any rows of nv numbers.
OwnedVector impact_between(const Eigen::Ref<const Eigen::MatrixXd>& inverse_mass, const OwnedRowMatrix& at,
                           const OwnedRowMatrix& after, const VectorRef& v, double restitution = 0.0);

/// What share of the kinetic energy a plastic impact without slip can take at a configuration, DS
/// (4.16)-(4.21): shares from the largest to the smallest, and the velocities before the impact (columns, v^T
/// M v = 1) and momenta M v that lose just that. These are the columns of G^-1 U with M = G^T G (DS prints
/// G^-1 U^T).
struct ImpactLoss {
  OwnedVector shares;
  OwnedMatrix velocities, momenta;
};

/// Contacts without friction hold their normal alone; a coefficient between that and infinity is refused.
/// Velocities before the impact are those that `constraints` and the contacts of `before`, which open, allow.
ImpactLoss impact_loss(const Mechanism& mechanism, const VectorRef& q,
                       const std::vector<ImpactContact>& contacts,
                       const std::vector<ImpactContact>& before = {},
                       const std::vector<ConstraintPtr>& constraints = {});
ImpactLoss impact_loss(const Mechanism& mechanism, const VectorRef& q,
                       const std::vector<ContactSpec>& contacts, const std::vector<ContactSpec>& before = {},
                       const std::vector<ConstraintPtr>& constraints = {});

}  // namespace amble
