#pragma once

#include "amble/contact/contact_pair.hpp"
#include "amble/contact/parametric_surface.hpp"
#include "amble/geometry/se3.hpp"

// Differential contact kinematics (DS 3.1.2): how the nearest points of two smooth surfaces run over them
// while the bodies move, as a differential equation for their coordinates; a search to start from, and
// Newton's method against drift.
namespace amble {

/// Where body b is against body a and how it moves: DS's H^i_j and T^{i,i}_j, with a for i and b for j,
/// linear part first.
struct RelativeMotion {
  Pose X_AB;
  Twist<double> V_AB_A;  ///< X_AB' = V~ X_AB
};
RelativeMotion relative_motion(const FrameMotion& a, const FrameMotion& b);

/// Two places and how far apart they are.
struct ContactPlaces {
  SurfacePlace a, b;
  double distance = 0.0;  ///< along the normal of a, DS (3.15)
};

/// DS Theorem 3.7, (3.13), (3.14), (3.17).
struct ContactRates {
  Vector2<double> u_a = Vector2<double>::Zero(), u_b = Vector2<double>::Zero();
  double distance = 0.0;
};
/// Throws an Error where the surfaces bend alike, so that the nearest points are not one pair.
ContactRates contact_rates(const SurfaceJet& a, const SurfaceJet& b, const RelativeMotion& motion);

/// How far two places are from being nearest, DS (3.16): the larger of |P_a + D g_a - P_b| (m) and |g_a +
/// g_b|.
double contact_residual(const SurfaceJet& a, const SurfaceJet& b, const Pose& X_AB);

/// Newton's method on DS (3.16) from `at`; false when it does not settle.
bool seat_contact(const ParametricSurface& a, const ParametricSurface& b, const Pose& X_AB,
                  ContactPlaces& at);

/// All over both surfaces: a grid of `grid` x `grid` places on each chart, Newton's method from the most
/// likely pairs; of what it comes to, the pair that is nearest to touching. Throws an Error when there is
/// none.
ContactPlaces search_contact(const ParametricSurface& a, const ParametricSurface& b, const Pose& X_AB,
                             int grid = 16);

/// Follows the nearest points along a motion.
class ContactTracker {
 public:
  struct Settings {
    double step = 1e-3;  ///< of Runge and Kutta's method of order 4 (s)
    double reseat =
        1e-10;      ///< residual above which Newton's method seats the points again; 0: after every step
    int grid = 16;  ///< of the search
  };
  ContactTracker(ParametricSurface a, ParametricSurface b)
      : ContactTracker(std::move(a), std::move(b), Settings{}) {}
  ContactTracker(ParametricSurface a, ParametricSurface b, const Settings& settings);

  using Motion = std::function<RelativeMotion(double t)>;
  /// Searches all over both surfaces.
  void start(const Pose& X_AB);
  void start(const ContactPlaces& places) { places_ = places; }
  /// From `from` to `to`, in steps no longer than the setting.
  void follow(const Motion& motion, double from, double to);
  /// Newton's method from where the points are; throws an Error when it does not settle.
  void seat(const Pose& X_AB);

  const ContactPlaces& places() const { return places_; }
  /// In the axes of a; links are 0.
  ContactPoint point(const Pose& X_AB) const;
  double residual(const Pose& X_AB) const;
  /// The largest residual before any re-seating, and how often that was done.
  double drift() const { return drift_; }
  int reseated() const { return reseated_; }

 private:
  ParametricSurface a_, b_;
  Settings settings_;
  ContactPlaces places_;
  double drift_ = 0.0;
  int reseated_ = 0;
};

/// A pair of such surfaces. nearest() searches all over both each time, some milliseconds; motion() is
/// Theorem 3.7.
ContactPairPtr parametric_pair(std::string name, const LinkFrame& a, const ParametricSurface& surface_a,
                               const LinkFrame& b, const ParametricSurface& surface_b);

}  // namespace amble
