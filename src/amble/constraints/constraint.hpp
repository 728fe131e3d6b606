#pragma once

#include <memory>
#include <string>
#include <vector>

#include "amble/dynamics/workspace.hpp"

namespace amble {

/// Where a frame is and how it moves, in world axes.
struct FrameMotion {
  Matrix3<double> R = Matrix3<double>::Identity();
  Vector3<double> p = Vector3<double>::Zero();      ///< its origin
  Vector3<double> omega = Vector3<double>::Zero();  ///< its angular velocity
  Vector3<double> p_dot = Vector3<double>::Zero();  ///< the velocity of its origin
};

/// A frame on a link of a mechanism; link 0 is the world.
struct LinkFrame {
  int link = 0;
  Pose X_LF;
};

/// One scalar condition on how two links move against each other: the power of a unit wrench that acts on link B, and
/// back on link A, is zero. The wrench is a force and a moment at a point, in world axes, with their rates of change.
struct WrenchRow {
  Vector3<double> force = Vector3<double>::Zero(), moment = Vector3<double>::Zero(), point = Vector3<double>::Zero();
  Vector3<double> force_rate = Vector3<double>::Zero(), moment_rate = Vector3<double>::Zero(),
                  point_rate = Vector3<double>::Zero();
};

/// Poses and velocities of all links at a state, and rows of Jacobians from wrenches: what constraints are written with.
/// Owns its memory.
class ConstraintKinematics {
 public:
  explicit ConstraintKinematics(const Mechanism& mechanism);
  ConstraintKinematics(ConstraintKinematics&&) noexcept;
  ~ConstraintKinematics();

  void set_state(const VectorRef& q, const VectorRef& v);
  /// For constraints that change with time (s); 0 unless set.
  void set_time(double t);
  double t() const;
  const Mechanism& mechanism() const;
  Workspace& workspace();
  const OwnedVector& q() const;
  const OwnedVector& v() const;

  FrameMotion frame(const LinkFrame& frame) const;

  /// The row of A for a wrench on B against A (nv numbers, overwritten), and the bias with A a + bias = d/dt (A v).
  void put_row(const WrenchRow& wrench, int link_a, int link_b, double* row, double& bias) const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// What a constraint writes: rows of A (nv numbers each, one after another) and their biases, for A v = target and
/// A a + bias = 0.
struct ConstraintRows {
  double* A;
  double* bias;
  double* violation;  ///< phi(q) of holonomic rows; zero unless written
  double* target;     ///< b of A v = b; zero unless written
};

/// Conditions on the motion of a mechanism, linear in the velocities: A(q) v = b(t). A holonomic one is the derivative of
/// phi(q, t) = 0. Its multiplier is the force along each row that holds it, which does no work when b = 0. Immutable; made by
/// the functions of this folder, each for one mechanism.
class Constraint {
 public:
  virtual ~Constraint() = default;
  const std::string& name() const { return name_; }
  int rows() const { return rows_; }
  /// Whether a row is the derivative of a phi(q).
  virtual bool holonomic(int row) const;
  /// What the multiplier of a row is, for people: "force along x of 'crank' (N)".
  virtual std::string meaning(int row) const = 0;
  virtual void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const = 0;
  /// False where phi = 0 is reached the wrong way round, as axes that point against each other.
  virtual bool on_branch(const ConstraintKinematics& at) const;

 protected:
  Constraint(std::string name, int rows, bool holonomic)
      : name_(std::move(name)), rows_(rows), holonomic_(holonomic) {}

 private:
  std::string name_;
  int rows_;
  bool holonomic_;  // all rows, unless overridden
};

using ConstraintPtr = std::shared_ptr<const Constraint>;

}  // namespace amble
