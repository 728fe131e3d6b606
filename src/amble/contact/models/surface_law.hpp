#pragma once

#include "amble/contact/models/sliding_law.hpp"

// What two surfaces do to each other in the plane of their contact: sliding, twisting, rolling (DS 3.2).
namespace amble {

/// How the surfaces are strained along the plane: H_d of DS (3.24) without the depth, in axes carried by a.
struct Strain {
  Vector2<double> stretch = Vector2<double>::Zero();    ///< x_d, y_d (m)
  Vector2<double> stretch_b = Vector2<double>::Zero();  ///< its part on the side of b: x_2, y_2 (m)
  double twist = 0.0;                                   ///< theta_d (rad)
};

/// The twist of b against a at the contact, DS (3.22), and what presses.
struct SurfaceMotion {
  Strain strain;
  Vector2<double> slide = Vector2<double>::Zero();  ///< m/s
  double spin = 0.0;                                ///< about the normal (rad/s)
  Vector2<double> roll = Vector2<double>::Zero();   ///< about the axes of the plane (rad/s)
  double push = 0.0;                                ///< the normal force; not negative (N)
  double factor = 1.0;                              ///< on all stiffnesses
};

/// The slope of the stored energy.
struct StrainEnergy {
  double energy = 0.0;                             ///< J
  Vector2<double> pull = Vector2<double>::Zero();  ///< in the stretch (N)
  double moment = 0.0;                             ///< in the twist (N m)
};

/// What resists, and the deformation twist T_d of DS (3.23): the rates of strain are stretch' = slide_d +
/// spin_d J stretch_b, twist' = spin_d, DS (3.33). Its powers are force . slide + moment spin + roll_moment .
/// roll = d/dt energy + dissipated.
struct SurfaceForce {
  Vector2<double> force = Vector2<double>::Zero();        ///< against the sliding of b (N)
  double moment = 0.0;                                    ///< against its spin (N m)
  Vector2<double> roll_moment = Vector2<double>::Zero();  ///< against its rolling (N m)
  Vector2<double> slide_d = Vector2<double>::Zero();
  double spin_d = 0.0;
  double energy = 0.0;
  double dissipated = 0.0;
  double corner = -1.0, twist_corner = -1.0;  ///< change their sign where a law has a corner
};

/// Immutable.
class SurfaceLaw {
 public:
  virtual ~SurfaceLaw() = default;
  virtual SurfaceForce at(const SurfaceMotion& motion) const = 0;
  virtual StrainEnergy energy(const Strain& strain, double factor) const = 0;
};

using SurfaceLawPtr = std::shared_ptr<const SurfaceLaw>;

/// The quarter turn J about the normal.
inline Vector2<double> turned(const Vector2<double>& x) { return {-x[1], x[0]}; }

/// A torsion spring with a damper beside it, behind a slider: as stick_slip(), about the normal. Without
/// stiffness nothing resists.
struct TwistNumbers {
  double stiffness = 0.0;    ///< N m/rad
  double friction = 0.0;     ///< m: the largest moment is this times the normal force; infinite: no slip
  double relaxation = 1e-3;  ///< s: the damping is stiffness times this
};

/// What resists rolling, DS Remark 3.9: the moment arm push w / sqrt(|w|^2 + creep^2) + damping w against the
/// rolling w.
struct RollNumbers {
  double arm = 0.0;      ///< m
  double creep = 1e-3;   ///< rad/s: below this the body creeps instead of standing still
  double damping = 0.0;  ///< N m s/rad
  /// 1/rad, beta of DS (3.25): rolling brings unstrained surface into contact; what it relieves is heat.
  double relief = 0.0;
};

/// Slip transmits the force in full, and dissipates: of what the surfaces slide against each other, the
/// strain takes a part, the rest times the force is heat. Without a law of sliding nothing resists sliding.
SurfaceLawPtr slipping_surface(SlidingLawPtr sliding, const TwistNumbers& twist = {},
                               const RollNumbers& roll = {});

/// Numbers of printed_map().
struct PrintedNumbers {
  double stiffness = 1e5;        ///< K_t (N/m)
  double twist_stiffness = 0.0;  ///< K_r (N m/rad)
  double damping = 0.0;          ///< W_d = r T_d, of sliding (N s/m)
  double twist_damping = 0.0;    ///< and of twisting (N m s/rad)
  double most_stretch = 1e-3;    ///< a_max of DS (3.26) along both axes (m)
  double most_twist = 0.1;       ///< and about the normal (rad)
  double relief = 0.0;           ///< beta of DS (3.25) (1/rad)
};

/// DS (3.25)-(3.27) as printed: the map to the deformation twist carries the wrench back transposed, so that
/// slip takes no energy. Then where the stretch is at its most no force is transmitted at all, and rolling is
/// driven by the strain it relieves. For comparison; see docs/contact/compliant.md.
SurfaceLawPtr printed_map(const PrintedNumbers& numbers);

}  // namespace amble
