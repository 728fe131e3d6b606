#pragma once

#include <map>

#include "amble/contact/collide.hpp"
#include "bench/scene.hpp"

namespace amble::bench {

/// How well contact is kept over a stretch of steps. One measure for all libraries: it looks at poses of
/// links with our own collision functions, and takes only the forces from the library.
struct ContactMeasures {
  double penetration = 0.0;  ///< the deepest that shapes enter each other (m)
  double drift = 0.0;  ///< of the point that slips most where all should stick (m/s); NaN when none should
  double cone_violation =
      0.0;  ///< the largest (|tangential| - friction normal) / normal of a point; zero or more
  double friction_error =
      0.0;  ///< the same where points stick; where they slip, how far it is from opposing that fully
  double points = 0.0;  ///< that carry load, in the mean
};

/// A point slips at more than 1e-6 m/s. It should stick while its two links carry at least a thousandth of
/// the weight, in nine of ten steps, and their tangential forces are at most 0.95 of what friction allows.
/// How it slips is summed step by step at the place where the links touch, so that rolling is no slip.
class ContactMeter {
 public:
  explicit ContactMeter(const Scene& scene);

  void start(const std::vector<LinkPose>& poses);
  void add_step(const std::vector<LinkPose>& poses, const std::vector<SceneContact>& contacts);
  ContactMeasures measures() const;

  /// How high the lowest shape is above the plane (m).
  double height(const std::vector<LinkPose>& poses) const;

 private:
  struct Solid {
    int link;
    CollisionShape shape;
    Pose X_LS;
    double reach;
  };
  struct Slip {
    std::pair<int, int> links;
    Vector3<double> sum = Vector3<double>::Zero();
  };

  template <class Wanted, class Found>
  void look(const std::vector<LinkPose>& poses, double margin, Wanted wanted, Found found) const;
  void add_penetration(const std::vector<LinkPose>& poses);
  void add_slip(const std::vector<LinkPose>& poses, const std::vector<SceneContact>& contacts);
  void add_forces(const std::vector<LinkPose>& poses, const std::vector<SceneContact>& contacts);
  Vector3<double> slip(const std::vector<LinkPose>& poses, int a, int b, const Vector3<double>& p,
                       const Vector3<double>& normal) const;

  double friction_, step_, weight_;
  std::vector<Solid> solids_;
  std::vector<std::pair<int, int>> pairs_;  // of solids
  std::vector<LinkPose> before_;
  std::map<std::uint64_t, Slip> slips_;          // by pair and point
  std::map<std::pair<int, int>, int> sticking_;  // steps, by links
  int steps_ = 0;
  double penetration_ = 0.0, cone_violation_ = 0.0, friction_error_ = 0.0, loaded_ = 0.0;
};

}  // namespace amble::bench
