#include "amble/riemann/task_map.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

OwnedVector TaskMap::integrate(const VectorRef& x, const VectorRef& d) const { return x + d; }
OwnedVector TaskMap::difference(const VectorRef& x0, const VectorRef& x1) const { return x1 - x0; }
OwnedMatrix TaskMap::local_jacobian(const VectorRef&, const VectorRef&) const {
  return Eigen::MatrixXd::Identity(dimension_, dimension_);
}

namespace {

using Dense = Eigen::MatrixXd;

SO3<double> rotation_of(const double* xyzw) {
  return SO3<double>(Quaternion<double>::from_xyzw(xyzw).normalized());
}
Pose pose_of(const VectorRef& x) { return Pose(rotation_of(x.data() + 3), Vector3<double>(x.head<3>())); }
OwnedVector numbers_of(const Pose& X) {
  OwnedVector out(7);
  out.head<3>() = X.translation();
  X.rotation().quaternion().to_xyzw(out.data() + 3);
  return out;
}
Twist<double> twist_of(const VectorRef& d) { return Twist<double>(Vector6<double>(d)); }

/// Rows of the Jacobian of a place.
class PlaceTask : public TaskMap {
 public:
  OwnedMatrix jacobian(const VectorRef& q) override {
    return amble::jacobian(mechanism_, work_, q, place_, options_).middleRows(first_row_, dimension());
  }
  OwnedMatrix jacobian_rate(const VectorRef& q, const VectorRef& v) override {
    return jacobian_dot(mechanism_, work_, q, v, place_, options_).middleRows(first_row_, dimension());
  }

 protected:
  PlaceTask(const Mechanism& m, const std::string& place, const char* what, int dimension, int first_row,
            const JacobianOptions& options)
      : TaskMap(m, fmt::format("{} of {}", what, place), dimension),
        place_(place),
        first_row_(first_row),
        options_(options) {
    m.place(place);  // throws for a name that is none
  }
  Pose pose(const VectorRef& q) { return amble::pose(mechanism_, work_, q, place_); }

  std::string place_;
  int first_row_;
  JacobianOptions options_;
};

class Position final : public PlaceTask {
 public:
  Position(const Mechanism& m, const std::string& place, const Vector3<double>& point)
      : PlaceTask(m, place, "position", 3, 0, {.point = point, .frame = JacobianFrame::aligned}) {
    if (!point.allFinite())
      throw Error(fmt::format("the point of the position of '{}' is not finite", place));
  }
  OwnedVector value(const VectorRef& q) override { return pose(q) * options_.point; }
};

class Orientation final : public PlaceTask {
 public:
  Orientation(const Mechanism& m, const std::string& place) : PlaceTask(m, place, "orientation", 3, 3, {}) {}
  OwnedVector value(const VectorRef& q) override {
    OwnedVector out(4);
    pose(q).rotation().quaternion().to_xyzw(out.data());
    return out;
  }
  OwnedVector integrate(const VectorRef& x, const VectorRef& d) const override {
    OwnedVector out(4);
    (rotation_of(x.data()) * SO3<double>::exp(Vector3<double>(d))).quaternion().to_xyzw(out.data());
    return out;
  }
  OwnedVector difference(const VectorRef& x0, const VectorRef& x1) const override {
    return (rotation_of(x0.data()).inverse() * rotation_of(x1.data())).log();
  }
  OwnedMatrix local_jacobian(const VectorRef&, const VectorRef& d) const override {
    return SO3<double>::right_jacobian(Vector3<double>(d));
  }
};

class PoseOf final : public PlaceTask {
 public:
  PoseOf(const Mechanism& m, const std::string& place) : PlaceTask(m, place, "pose", 6, 0, {}) {}
  OwnedVector value(const VectorRef& q) override { return numbers_of(pose(q)); }
  OwnedVector integrate(const VectorRef& x, const VectorRef& d) const override {
    return numbers_of(pose_of(x) * Pose::exp(twist_of(d)));
  }
  OwnedVector difference(const VectorRef& x0, const VectorRef& x1) const override {
    return (pose_of(x0).inverse() * pose_of(x1)).log().vector();
  }
  OwnedMatrix local_jacobian(const VectorRef&, const VectorRef& d) const override {
    return Pose::right_jacobian(twist_of(d));
  }
};

class CenterOfMass final : public TaskMap {
 public:
  explicit CenterOfMass(const Mechanism& m) : TaskMap(m, "centre of mass", 3) {
    if (!(m.mass() > 0.0)) throw Error(fmt::format("'{}' has no mass, and no centre of it", m.name()));
  }
  OwnedVector value(const VectorRef& q) override { return center_of_mass(mechanism_, work_, q); }
  OwnedMatrix jacobian(const VectorRef& q) override {
    return momentum_matrix(mechanism_, work_, q).topRows<3>() / mechanism_.mass();
  }
  OwnedMatrix jacobian_rate(const VectorRef& q, const VectorRef& v) override {
    return momentum_matrix_dot(mechanism_, work_, q, v).topRows<3>() / mechanism_.mass();
  }
};

class UserTask final : public TaskMap {
 public:
  UserTask(const Mechanism& m, std::string name, int dimension, TaskFunction value, TaskJacobian jacobian)
      : TaskMap(m, std::move(name), dimension), value_(std::move(value)), jacobian_(std::move(jacobian)) {
    if (dimension < 1 || !value_)
      throw Error(fmt::format("the task '{}' needs a dimension and a value", this->name()));
  }
  OwnedVector value(const VectorRef& q) override {
    OwnedVector x = value_(q);
    check(x.size() == dimension() && x.allFinite(), "a value", dimension(), 1);
    return x;
  }
  OwnedMatrix jacobian(const VectorRef& q) override {
    const OwnedVector at = mechanism_.checked_configuration(q);
    if (jacobian_) {
      OwnedMatrix J = jacobian_(at);
      check(J.rows() == dimension() && J.cols() == mechanism_.nv() && J.allFinite(), "a Jacobian",
            dimension(), mechanism_.nv());
      return J;
    }
    OwnedMatrix J(dimension(), mechanism_.nv());
    for (int k = 0; k < mechanism_.nv(); ++k) {
      const Eigen::VectorXd e = Eigen::VectorXd::Unit(mechanism_.nv(), k);
      J.col(k) =
          slope_at_zero([&](double t) { return Eigen::VectorXd(value(mechanism_.integrate(at, t * e))); });
    }
    return J;
  }
  OwnedMatrix jacobian_rate(const VectorRef& q, const VectorRef& v) override {
    const OwnedVector at = mechanism_.checked_configuration(q);
    const double speed = std::max(v.norm(), 1e-300);
    return speed *
           slope_at_zero([&](double t) { return Dense(jacobian(mechanism_.integrate(at, t / speed * v))); });
  }

 private:
  void check(bool right, const char* what, int rows, int cols) const {
    if (!right)
      throw Error(
          fmt::format("the task '{}' gives {} that is not {} x {} finite numbers", name(), what, rows, cols));
  }
  TaskFunction value_;
  TaskJacobian jacobian_;
};

class SelectedTask final : public TaskMap {
 public:
  SelectedTask(TaskMapPtr task, std::vector<int> rows)
      : TaskMap(task->mechanism(), "part of " + task->name(), static_cast<int>(rows.size())),
        task_(std::move(task)),
        rows_(std::move(rows)) {
    if (task_->value(mechanism_.neutral()).size() != task_->dimension())
      throw Error(
          fmt::format("the {} has no numbers to select: its workspace is not one of vectors", task_->name()));
    for (int row : rows_)
      if (row < 0 || row >= task_->dimension())
        throw Error(fmt::format("the {} has no number {}: expected 0 to {}", task_->name(), row,
                                task_->dimension() - 1));
    if (rows_.empty()) throw Error(fmt::format("nothing of the {} is selected", task_->name()));
  }
  OwnedVector value(const VectorRef& q) override { return task_->value(q)(rows_); }
  OwnedMatrix jacobian(const VectorRef& q) override { return task_->jacobian(q)(rows_, Eigen::all); }
  OwnedMatrix jacobian_rate(const VectorRef& q, const VectorRef& v) override {
    return task_->jacobian_rate(q, v)(rows_, Eigen::all);
  }

 private:
  TaskMapPtr task_;
  std::vector<int> rows_;
};

int total_dimension(const std::vector<TaskMapPtr>& tasks) {
  int sum = 0;
  for (const TaskMapPtr& task : tasks) sum += task->dimension();
  return sum;
}

class StackedTask final : public TaskMap {
 public:
  explicit StackedTask(std::vector<TaskMapPtr> tasks)
      : TaskMap(tasks.at(0)->mechanism(), "stack", total_dimension(tasks)), tasks_(std::move(tasks)) {
    for (const TaskMapPtr& task : tasks_) {
      if (&task->mechanism().description() != &mechanism_.description())
        throw Error("stacked tasks are of one mechanism");
      sizes_.push_back(static_cast<int>(task->value(mechanism_.neutral()).size()));
    }
  }
  OwnedVector value(const VectorRef& q) override {
    std::vector<double> numbers;
    for (const TaskMapPtr& task : tasks_)
      for (double x : task->value(q)) numbers.push_back(x);
    return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  }
  OwnedMatrix jacobian(const VectorRef& q) override {
    OwnedMatrix J(dimension(), mechanism_.nv());
    int row = 0;
    for (const TaskMapPtr& t : tasks_) J.middleRows(row, t->dimension()) = t->jacobian(q), row += t->dimension();
    return J;
  }
  OwnedMatrix jacobian_rate(const VectorRef& q, const VectorRef& v) override {
    OwnedMatrix J(dimension(), mechanism_.nv());
    int row = 0;
    for (const TaskMapPtr& t : tasks_)
      J.middleRows(row, t->dimension()) = t->jacobian_rate(q, v), row += t->dimension();
    return J;
  }
  OwnedVector integrate(const VectorRef& x, const VectorRef& d) const override {
    OwnedVector out(x.size());
    for_each([&](const TaskMap& t, int at, int size, int row) {
      out.segment(at, size) = t.integrate(x.segment(at, size), d.segment(row, t.dimension()));
    });
    return out;
  }
  OwnedVector difference(const VectorRef& x0, const VectorRef& x1) const override {
    OwnedVector out(dimension());
    for_each([&](const TaskMap& t, int at, int size, int row) {
      out.segment(row, t.dimension()) = t.difference(x0.segment(at, size), x1.segment(at, size));
    });
    return out;
  }
  OwnedMatrix local_jacobian(const VectorRef& x, const VectorRef& d) const override {
    OwnedMatrix out(dimension(), dimension());
    for_each([&](const TaskMap& t, int at, int size, int row) {
      out.block(row, row, t.dimension(), t.dimension()) =
          t.local_jacobian(x.segment(at, size), d.segment(row, t.dimension()));
    });
    return out;
  }

 private:
  /// f(task, place and size of its value, place of its velocity).
  template <class F>
  void for_each(F f) const {
    for (std::size_t i = 0, at = 0, row = 0; i < tasks_.size(); ++i) {
      f(*tasks_[i], static_cast<int>(at), sizes_[i], static_cast<int>(row));
      at += sizes_[i], row += tasks_[i]->dimension();
    }
  }
  std::vector<TaskMapPtr> tasks_;
  std::vector<int> sizes_;
};

}  // namespace

TaskMapPtr position_task(const Mechanism& m, const std::string& place, const Vector3<double>& point) {
  return std::make_shared<Position>(m, place, point);
}
TaskMapPtr orientation_task(const Mechanism& m, const std::string& place) {
  return std::make_shared<Orientation>(m, place);
}
TaskMapPtr pose_task(const Mechanism& m, const std::string& place) { return std::make_shared<PoseOf>(m, place); }
TaskMapPtr center_of_mass_task(const Mechanism& m) { return std::make_shared<CenterOfMass>(m); }
TaskMapPtr user_task(const Mechanism& m, std::string name, int dimension, TaskFunction value,
                  TaskJacobian jacobian) {
  return std::make_shared<UserTask>(m, std::move(name), dimension, std::move(value), std::move(jacobian));
}
TaskMapPtr selected_task(TaskMapPtr task, std::vector<int> rows) {
  return std::make_shared<SelectedTask>(std::move(task), std::move(rows));
}
TaskMapPtr stacked_task(std::vector<TaskMapPtr> tasks) {
  if (tasks.empty()) throw Error("a stack of tasks has one at least");
  return std::make_shared<StackedTask>(std::move(tasks));
}

}  // namespace amble
