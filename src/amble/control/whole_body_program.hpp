#pragma once

#include <vector>

#include "amble/control/braking.hpp"
#include "amble/control/whole_body_controller.hpp"
#include "amble/optimize/row_program.hpp"
#include "amble/ports/element.hpp"

namespace amble::detail {

/// A contact as the program has it.
struct HeldContact {
  ContactPatch patch;
  LinkFrame frame, support;  ///< the frame's origin is at the point, or in the middle of the points
  Eigen::MatrixXd basis;     ///< rows x 6: which of force and moment rows are held
  std::vector<Vector3<double>> points;  ///< from the frame's origin
  Vector3<double> middle;               ///< the origin in the contact frame that was given
  bool held = false, placed = false;
  Pose X_SC;  ///< where it is held; z is the normal
  Matrix3<double> turn =
      Matrix3<double>::Identity();  ///< from the axes of the frame on the body to those it is held in
  int first_row = 0;                ///< name of its first row
  int column = -1;  ///< of its first force among the unknowns of the last tick, -1 if it was not held there
  int force = 0;    ///< of its first force among those of all contacts

  int motion_rows() const { return static_cast<int>(basis.rows()); }
  int rows() const { return motion_rows() + patch.facets * static_cast<int>(points.size()) + 1; }
  int forces() const { return 3 * static_cast<int>(points.size()); }
  /// Held, and assembled so: a contact that hold() was called for takes part from the next tick on.
  bool acts() const { return held && column >= 0; }
};

/// A task and its place.
struct ListedTask {
  TaskPtr task;
  int first_row = 0;  ///< name of its first row, and its place in the task rows
  int count = 0;      ///< rows asked for in this tick
};

/// Writes BK (36) at a state as a RowProgram in (a, f), all but the tasks of levels above 0. Row names:
/// velocities, contacts, tasks.
class WholeBodyProgram {
 public:
  WholeBodyProgram(const Mechanism& mechanism, std::vector<TaskPtr> tasks,
                   const std::vector<ContactPatch>& contacts, const WholeBodySettings& settings);

  /// Places what was just held, counts unknowns, evaluates tasks.
  void begin(const MotionState& at);
  /// The constraints.
  void assemble(const MotionState& at, RowProgram& program);
  /// Tasks of this level join as wishes; and afterwards are nailed to what x reaches.
  void add_level(int level, RowProgram& program);
  void fix_level(int level, const OwnedVector& x, RowProgram& program);
  /// The first level above `level` that a task has, or -1.
  int next_level(int level) const;

  /// M a + bias - J'f where something drives, within the limits.
  void torques(const MotionState& at, const OwnedVector& x, OwnedVector& tau) const;
  /// The largest |row x - wanted| of each task; what lies between bounds counts as zero.
  double residual(const ListedTask& task, const OwnedVector& x) const;

  int most_variables() const { return nv_ + forces_; }
  int capacity() const { return capacity_; }
  int unknowns() const { return unknowns_; }
  int nv() const { return nv_; }
  std::vector<HeldContact>& contacts() { return contacts_; }
  const std::vector<HeldContact>& contacts() const { return contacts_; }
  std::vector<ListedTask>& tasks() { return tasks_; }
  const std::vector<ListedTask>& tasks() const { return tasks_; }
  /// Which contact, or task of level 0, a row of this name belongs to, or -1.
  int contact_of(int name) const;
  int constraint_task_of(int name) const;
  bool is_driven(int j) const { return driven_[j]; }
  double torque_bound(int j) const { return settings_.torque_limits ? limit_[j] : kInfinity; }
  /// C v + gravity forces + carried_forces() (nv).
  const OwnedVector& bias() const { return bias_; }
  /// What springs and dampers of the mechanism take from its drives (nv).
  const OwnedVector& carried_forces() const { return carried_; }
  int forces() const { return forces_; }
  const double* point_rows() const { return J_.data(); }

 private:
  void add_contact(const ContactPatch& patch, const Mechanism& mechanism);
  void place(const MotionState& at, HeldContact& contact);
  void find_bias(const MotionState& at);
  void add_contact_rows(const MotionState& at, HeldContact& contact, RowProgram& program);
  void add_cones(const HeldContact& contact, RowProgram& program);
  void add_dynamics(const MotionState& at, RowProgram& program);
  void add_limits(const MotionState& at, RowProgram& program);
  void add_task(const ListedTask& listed, bool hard, RowProgram& program);

  WholeBodySettings settings_;
  int nv_, forces_ = 0, capacity_ = 0, unknowns_ = 0;
  std::vector<HeldContact> contacts_;
  std::vector<TaskContact> sight_;
  std::vector<ListedTask> tasks_;
  std::vector<char> driven_;
  OwnedVector limit_, bias_, carried_;
  std::vector<int> position_of_;  // of velocity j in q where its rate is v[j], or -1
  std::vector<ElementPtr> springs_;
  mutable PortFlows spring_flows_;
  OwnedRowMatrix J_;     // of all forces by velocities
  OwnedRowMatrix rows_;  // forces and moments of the contact at hand
  int first_task_ = 0;   // name of the first row of the first task
  OwnedRowMatrix task_rows_;
  OwnedVector task_lower_, task_upper_;
  std::vector<int> task_column_;
  std::vector<char> dirty_;
};

}  // namespace amble::detail
