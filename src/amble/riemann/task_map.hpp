#pragma once

#include <functional>
#include <memory>

#include "amble/dynamics/workspace.hpp"

// What a mechanism is there to move: a map from configurations to a workspace, with velocities of the
// workspace in a frame of its own, as those of the mechanism are.
namespace amble {

class TaskMap {
 public:
  virtual ~TaskMap() = default;
  const std::string& name() const { return name_; }
  const Mechanism& mechanism() const { return mechanism_; }
  int dimension() const { return dimension_; }  ///< of its velocities

  /// Where it is: numbers for a workspace of vectors, a quaternion (x, y, z, w) for orientations, both for
  /// poses.
  virtual OwnedVector value(const VectorRef& q) = 0;
  /// dimension x nv: the velocity of the workspace is J v.
  virtual OwnedMatrix jacobian(const VectorRef& q) = 0;
  /// The rate of the numbers of J along v.
  virtual OwnedMatrix jacobian_rate(const VectorRef& q, const VectorRef& v) = 0;

  // The workspace's own group, as integrate(), difference() and local_jacobian() of Mechanism are of
  // configurations. Of vectors, unless overridden.
  virtual OwnedVector integrate(const VectorRef& x, const VectorRef& d) const;
  virtual OwnedVector difference(const VectorRef& x0, const VectorRef& x1) const;
  virtual OwnedMatrix local_jacobian(const VectorRef& x, const VectorRef& d) const;

 protected:
  TaskMap(const Mechanism& mechanism, std::string name, int dimension)
      : mechanism_(mechanism), work_(mechanism_), name_(std::move(name)), dimension_(dimension) {}
  Mechanism mechanism_;
  Workspace work_;

 private:
  std::string name_;
  int dimension_;
};
using TaskMapPtr = std::shared_ptr<TaskMap>;

/// Of a body or frame: a point of it (in its coordinates) in world axes; its orientation, with the angular
/// velocity in its own axes; its pose, with the twist in its own axes, linear part first (the Jacobian is AL
/// (3)).
TaskMapPtr position_task(const Mechanism& mechanism, const std::string& place,
                      const Vector3<double>& point = Vector3<double>::Zero());
TaskMapPtr orientation_task(const Mechanism& mechanism, const std::string& place);
TaskMapPtr pose_task(const Mechanism& mechanism, const std::string& place);
/// In world axes.
TaskMapPtr center_of_mass_task(const Mechanism& mechanism);

/// A user's map into vectors: x(q) and, unless empty, its Jacobian in the velocity frame. What is not given
/// is differenced (order eight, to about 1e-12; the rate of a differenced Jacobian to about 1e-9).
using TaskFunction = std::function<OwnedVector(const VectorRef& q)>;
using TaskJacobian = std::function<OwnedMatrix(const VectorRef& q)>;
TaskMapPtr user_task(const Mechanism& mechanism, std::string name, int dimension, TaskFunction value,
                  TaskJacobian jacobian = {});

/// Some of the numbers of a task whose workspace is vectors, by their places.
TaskMapPtr selected_task(TaskMapPtr task, std::vector<int> rows);
/// Several at once, one after another; of one mechanism.
TaskMapPtr stacked_task(std::vector<TaskMapPtr> tasks);

}  // namespace amble
