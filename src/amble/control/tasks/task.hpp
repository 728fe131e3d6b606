#pragma once

#include <memory>
#include <span>
#include <string>

#include "amble/control/motion_state.hpp"

namespace amble {

/// e'' + damping e' + stiffness e = 0 for the error of a task: 1/s^2 and 1/s.
struct TaskGains {
  double stiffness = 100.0, damping = 20.0;
  void validate(const std::string& task) const;
};

/// Where the forces of a contact stand among the unknowns while it is held.
struct TaskContact {
  const std::string* name = nullptr;
  bool held = false;
  int column = 0;  ///< of its first force; three per point: along x, y, z of the contact frame
  int points = 0;
};

/// What a task sees.
struct TaskSight {
  const MotionState& motion;
  std::span<const TaskContact> contacts;
};

/// Where a task writes what it asks for: lower <= row . (a, f) <= upper, equal for an equation. Rows are zero before. A
/// row that is one unknown alone writes its number into `column` (else -1) and nothing into the row, which is cheaper.
struct TaskRows {
  double* rows;
  int stride;
  double *lower, *upper;
  int* column;

  double* row(int i) const { return rows + static_cast<long>(i) * stride; }
  void ask(int i, double value) const { lower[i] = upper[i] = value; }
};

/// Something that a whole-body controller is to achieve, linear in accelerations and contact forces at each instant.
/// Shared by its user, who changes targets, weights and levels between ticks as he likes, and the controller.
class Task {
 public:
  virtual ~Task() = default;
  const std::string& name() const { return name_; }
  int rows() const { return rows_; }  ///< at most

  double weight = 1.0;   ///< of each row, squared; relative to others of its level
  int level = 1;         ///< strict priority: 1 before 2, ...; 0 is a constraint, held before all tasks
  bool enabled = true;

  /// An Error naming what does not fit: gains, sizes. Asked once, when a controller takes the task.
  virtual void validate() const {}
  /// Writes its rows for the state; returns how many, 0 when there is nothing to ask.
  virtual int evaluate(const TaskSight& at, const TaskRows& out) = 0;
  /// Of row i, beside `weight`.
  virtual double share(int row) const { return (void)row, 1.0; }
  /// Of the last evaluation, in its own units; zero for tasks without one.
  double error() const { return error_; }

 protected:
  Task(std::string name, int rows) : name_(std::move(name)), rows_(rows) {}
  double error_ = 0.0;

 private:
  std::string name_;
  int rows_;
};

using TaskPtr = std::shared_ptr<Task>;

/// The frame of a body, of a frame of the mechanism, or of the "world"; an Error for other names.
LinkFrame task_frame(const Mechanism& mechanism, const std::string& place);

}  // namespace amble
