#pragma once

#include <functional>

#include "amble/contact/contact_pair.hpp"
#include "amble/contact/models/normal_law.hpp"
#include "amble/contact/models/surface_law.hpp"
#include "amble/ports/element.hpp"

namespace amble {

/// A number above zero as a function of time, that multiplies the stiffnesses of a contact: the energy that
/// it takes to change them is supplied from outside. Its rate is taken by differences of order eight when it
/// is not given.
struct StiffnessFactor {
  std::function<double(double t)> value = {};  ///< 1 when empty
  std::function<double(double t)> rate = {};   ///< 1/s
};

struct CompliantOptions {
  NormalLawPtr normal = hunt_crossley({.stiffness = 1e6, .damping = 0.5});
  SurfaceLawPtr surface = slipping_surface(stick_slip({}));
  /// Of the deformation, what surface a takes: k_b / (k_a + k_b) of DS (3.21), (3.28). 0 when a is rigid.
  double share_a = 0.5;
  /// A direction in frame a: the first axis of the plane lies along it at touch.
  Vector3<double> grain = Vector3<double>::UnitX();
  /// s: after release the strain along the plane fades with this time constant, and what is left counts at
  /// the next touch (DS Fig 3.13). 0: it is gone at once, and its energy is heat of that instant
  /// (Remark 3.10).
  double fading = 0.0;
  StiffnessFactor factor = {};

  /// Throws an Error that names the contact.
  void validate(const std::string& name) const;
};

/// A pair of surfaces that give way (DS 3.2): pressed into each other they push, and resist sliding, twisting
/// and rolling. The wrench acts at a point between the two nearest points, closer to the stiffer body, and
/// the other way round on a. Stored is what presses and strains the surfaces; each touch and parting is an
/// event. Its own numbers are, in this order, the first axis of the plane (3, in frame a), the stretch (2),
/// its part on the side of b (2), the twist (1). How deep the surfaces are is no number of its own: the
/// distance of the nearest points changes by exactly the velocity along the normal that does the work.
ElementPtr compliant_contact(std::string name, const Mechanism& mechanism, ContactPairPtr pair,
                             const CompliantOptions& options = {});

/// A point of a body, or a ball about it, over a plane that does not move: the pair of it for a mechanism.
/// The axes of the plane's frame are the normal and what of the world's x lies across it.
struct OverPlane {
  std::string body;                                   ///< a body or frame of the mechanism
  Vector3<double> point = Vector3<double>::Zero();    ///< in its coordinates (m)
  double radius = 0.0;                                ///< of the ball (m); 0 for a point
  Vector3<double> normal = Vector3<double>::UnitZ();  ///< of the plane, towards the body; any length
  double offset = 0.0;                                ///< of the plane along it from the world's origin (m)
};
ContactPairPtr over_plane(std::string name, const Mechanism& mechanism, const OverPlane& where);

}  // namespace amble
