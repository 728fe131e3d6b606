#pragma once

#include <optional>

#include "amble/control/posture/static_posture.hpp"
#include "amble/dynamics/dynamics.hpp"

// The nonlinear program of static_posture(); of interest to its tests.
namespace amble {

/// Where one force acts and how.
struct ForcePoint {
  int contact = 0;
  int body = 0;              ///< that is supported
  Vector3<double> p_B;       ///< the point on it
  int support = -1;          ///< body that supports; -1 is the world
  Matrix3<double> R_AT;      ///< axes of the force on that body, or in the world
};

/// The target that a contact is for its place: rows for what it holds.
KinematicTarget target_of(const PostureContact& contact);

/// x = (d, f): the configuration integrate(q0, d), and the forces as shares of the weight, in the axes that each contact
/// frame has at its place on the support, z the normal.
/// Rows: drives and balance (nv), contacts and targets, cones, sums of normal forces, distances.
class PostureProgram : public NonlinearProgram {
 public:
  PostureProgram(const Mechanism& mechanism, const std::vector<PostureContact>& contacts, const OwnedVector& q0,
                 const OwnedVector& preferred, const PostureSettings& settings);

  int variables() const override { return nv_ + 3 * static_cast<int>(points_.size()); }
  int constraints() const override;
  void variable_bounds(Numbers lower, Numbers upper) const override;
  void constraint_bounds(Numbers lower, Numbers upper) const override;
  void start(Numbers x) const override;
  double objective(const VectorRef& x) override;
  void gradient(const VectorRef& x, Numbers df) override;
  void constraint_values(const VectorRef& x, Numbers g) override;
  std::vector<MatrixPlace> jacobian_places() const override;
  void jacobian(const VectorRef& x, Numbers values) override;
  bool has_hessian() const override { return true; }
  std::vector<MatrixPlace> hessian_places() const override;
  /// By central differences of the exact gradient of the Lagrangian; of cones, which bend sharply at their tips, exact.
  void hessian(const VectorRef& x, double weight, const VectorRef& lambda, Numbers values) override;
  std::string variable_name(int i) const override;
  std::string constraint_name(int i) const override;

  OwnedVector configuration(const VectorRef& x) const { return mechanism_.integrate(q0_, x.head(nv_)); }
  /// At every point, in newtons, world axes.
  std::vector<Vector3<double>> world_forces(const VectorRef& x);
  /// As a share of the weight, axes of the contact.
  Vector3<double> force(const VectorRef& x, std::size_t point) const { return x.segment<3>(nv_ + 3 * point); }
  const std::vector<ForcePoint>& points() const { return points_; }
  /// What drives and, where there are none, nothing must bear (N, N m).
  OwnedVector loads(const VectorRef& x);
  const std::vector<bool>& driven() const { return driven_; }
  double weight() const { return weight_; }
  KinematicRows& places() { return places_; }
  BodyDistances* distances() { return distances_ ? &*distances_ : nullptr; }

 private:
  void go_to(const VectorRef& x);
  void slopes_at(const VectorRef& x);
  void load_slopes();
  void find_wrenches();
  void add_points();
  void find_drives();
  void add_point_slopes(std::size_t point, Eigen::MatrixXd& dq);
  Pose body_pose(int body);
  OwnedRowMatrix body_jacobian(int body, const Vector3<double>& point);
  double cone(const VectorRef& x, std::size_t point) const;
  void fill_jacobian(const VectorRef& x);
  double torque_unit(int k) const;
  double friction(std::size_t point) const;

  Mechanism mechanism_;
  Workspace work_;
  std::vector<PostureContact> contacts_;
  PostureSettings settings_;
  OwnedVector q0_, preferred_;
  int nv_;
  double weight_;
  std::vector<ForcePoint> points_;
  std::vector<bool> driven_;
  OwnedVector effort_, counted_;  // effort limits as shares of the weight; weights of d
  KinematicRows places_;
  std::optional<BodyDistances> distances_;

  OwnedVector x_, q_, loads_, zero_;   // where go_to() was
  bool slopes_known_ = false;
  OwnedMatrix S_, d_loads_;            // v = S ddot; loads by x
  OwnedRowMatrix J_;                   // of all rows
  std::vector<ExternalWrench> wrenches_;
};

}  // namespace amble
