#include "amble/control/whole_body_program.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/ports/carried_elements.hpp"

namespace amble::detail {

namespace {

/// Where velocity j is the rate of a coordinate, that coordinate.
std::vector<int> plain_positions(const Mechanism& m) {
  std::vector<int> position(m.nv(), -1);
  for (const Joint& joint : m.joints())
    for (int k = 0; joint.leader < 0 && joint.q.size == joint.v.size && k < joint.v.size; ++k)
      position[joint.v.start + k] = joint.q.start + k;
  return position;
}

std::vector<char> driven_velocities(const Mechanism& m, const WholeBodySettings& settings) {
  std::vector<char> driven(m.nv(), 1);
  const auto without = [&](const Joint& joint) {
    std::fill_n(driven.begin() + joint.v.start, joint.v.size, 0);
  };
  for (const Joint& joint : m.joints())
    if (joint.type == "free") without(joint);
  for (const std::string& name : settings.passive_joints) without(m.joints()[m.joint_index(name)]);
  return driven;
}

/// The direction of points on a line, from their middle.
Vector3<double> line_of(const std::vector<Vector3<double>>& points) {
  Vector3<double> line = Vector3<double>::Zero();
  for (const Vector3<double>& p : points)
    if (p.norm() > line.norm()) line = p;
  return line.normalized();
}

/// Which of three forces and three moments hold points that are spread like these from their middle.
Eigen::MatrixXd held_rows(const std::vector<Vector3<double>>& points, int count) {
  Eigen::MatrixXd basis = Eigen::MatrixXd::Identity(count, 6);
  if (count != 5) return basis;
  const Matrix3<double> axes = rotation_from_z(line_of(points)).matrix();
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) basis(3 + i, 3 + k) = axes(k, i);
  return basis;
}

/// The axes of a contact that is held now, turned as the body may turn until z is the normal.
SO3<double> upright(const SO3<double>& R_SC, const HeldContact& c) {
  const bool face = c.motion_rows() == 6;
  if (face || !(c.patch.normal || c.patch.support == "world")) return R_SC;
  const Vector3<double> n = R_SC.inverse() * c.patch.normal.value_or(Vector3<double>::UnitZ()).normalized();
  if (c.motion_rows() == 3) return R_SC * rotation_from_z(n);
  const Vector3<double> line = line_of(c.points);
  const Vector3<double> across = n - n.dot(line) * line, z = Vector3<double>::UnitZ() - line.z() * line;
  return R_SC * SO3<double>::exp(std::atan2(line.dot(z.cross(across)), z.dot(across)) * line);
}

}  // namespace

WholeBodyProgram::WholeBodyProgram(const Mechanism& m, std::vector<TaskPtr> tasks,
                                   const std::vector<ContactPatch>& contacts,
                                   const WholeBodySettings& settings)
    : settings_(settings),
      nv_(m.nv()),
      capacity_(m.nv()),
      driven_(driven_velocities(m, settings)),
      limit_(settings.torque_limit.size() > 0 ? settings.torque_limit : m.effort_limit()),
      bias_(m.nv()),
      carried_(m.nv()),
      position_of_(plain_positions(m)),
      springs_(carried_springs(m)),
      spring_flows_(m.nv()) {
  for (const ContactPatch& patch : contacts) add_contact(patch, m);
  const int first_task = capacity_;
  for (TaskPtr& task : tasks) {
    task->validate();
    tasks_.push_back({std::move(task), capacity_});
    capacity_ += tasks_.back().task->rows();
  }
  const int rows = capacity_ - first_task;
  for (ListedTask& listed : tasks_) listed.first_row -= first_task;
  first_task_ = first_task;
  J_ = OwnedRowMatrix(forces_, nv_), rows_ = OwnedRowMatrix(6, nv_);
  task_rows_ = OwnedRowMatrix(rows, most_variables());
  task_lower_ = task_upper_ = OwnedVector(rows);
  task_column_.resize(rows), dirty_.resize(rows);
}

void WholeBodyProgram::add_contact(const ContactPatch& patch, const Mechanism& m) {
  patch.validate(m);
  HeldContact c;
  c.patch = patch;
  c.frame = task_frame(m, patch.place), c.support = task_frame(m, patch.support);
  c.middle.setZero();
  for (const Vector3<double>& p : patch.points) c.middle += p / static_cast<double>(patch.points.size());
  for (const Vector3<double>& p : patch.points) c.points.push_back(p - c.middle);
  c.frame.X_LF = c.frame.X_LF * patch.X_PC * Pose(c.middle);
  c.basis = held_rows(c.points, patch.rows());
  c.first_row = capacity_, c.force = forces_;
  capacity_ += c.rows(), forces_ += c.forces();
  contacts_.push_back(std::move(c));
  sight_.resize(contacts_.size());
}

void WholeBodyProgram::place(const MotionState& at, HeldContact& contact) {
  if (contact.placed) return;
  const FrameMotion body = at.frame(contact.frame), support = at.frame(contact.support);
  const Pose now = Pose(SO3<double>(support.R), support.p).inverse() * Pose(SO3<double>(body.R), body.p);
  contact.X_SC = Pose(upright(now.rotation(), contact), now.translation());
  contact.placed = true;
}

void WholeBodyProgram::begin(const MotionState& at) {
  unknowns_ = nv_;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    HeldContact& c = contacts_[i];
    c.column = c.held ? unknowns_ : -1;
    if (c.held) place(at, c), unknowns_ += c.forces();
    sight_[i] = {&c.patch.name, c.held, c.column, static_cast<int>(c.points.size())};
  }
  for (std::size_t i = 0; i < dirty_.size(); ++i) {
    task_column_[i] = -1;
    if (dirty_[i]) task_rows_.row(i).setZero(), dirty_[i] = 0;
  }
  for (ListedTask& listed : tasks_) {
    listed.count = 0;
    if (!listed.task->enabled || !(listed.task->weight > 0.0)) continue;
    const int first = listed.first_row;
    if (listed.task->rows() == 0) continue;
    listed.count =
        listed.task->evaluate({at, sight_}, {task_rows_.data() + static_cast<long>(first) * task_rows_.cols(),
                                             static_cast<int>(task_rows_.cols()), task_lower_.data() + first,
                                             task_upper_.data() + first, task_column_.data() + first});
    for (int k = 0; k < listed.count; ++k) dirty_[first + k] = task_column_[first + k] < 0;
  }
}

/// C v + gravity forces, and what springs and dampers of the mechanism itself do.
void WholeBodyProgram::find_bias(const MotionState& at) {
  const Mechanism& m = at.mechanism();
  carried_ = m.damping().cwiseProduct(at.v());
  for (const ElementPtr& spring : springs_) {
    spring_flows_.tau.setZero();
    spring->evaluate({at.t(), at.q(), at.v(), m, at.workspace(), nullptr, nullptr}, nullptr, spring_flows_,
                     nullptr);
    carried_ -= spring_flows_.tau;
  }
  bias_ = Eigen::Map<const Eigen::VectorXd>(at.bias_forces(), nv_) + carried_;
}

void WholeBodyProgram::assemble(const MotionState& at, RowProgram& program) {
  program.start(unknowns_);
  program.d.head(nv_).setConstant(settings_.acceleration_weight);
  program.d.segment(nv_, unknowns_ - nv_).setConstant(settings_.force_weight);
  for (HeldContact& c : contacts_)
    if (c.held) add_contact_rows(at, c, program), add_cones(c, program);
  find_bias(at);
  add_dynamics(at, program);
  add_limits(at, program);
  for (const ListedTask& listed : tasks_)
    if (listed.task->level == 0) add_task(listed, true, program);
}

/// The body does not move against its support, and comes back to where it is held; forces at points are sums
/// of the same six rows. A ball's point is its lowest one, wherever it has rolled to: that comes back along the normal
/// alone.
void WholeBodyProgram::add_contact_rows(const MotionState& at, HeldContact& c, RowProgram& program) {
  const FrameMotion body = at.frame(c.frame), support = at.frame(c.support);
  const Pose X_SC_now = Pose(SO3<double>(support.R), support.p).inverse() * Pose(SO3<double>(body.R), body.p);
  const Matrix3<double> axes = support.R * c.X_SC.rotation().matrix();
  const Vector3<double> lowest = -c.patch.radius * axes.col(2);
  rows_.setZero();
  double bias[6] = {};
  at.add_forces(axes, support.omega, body.p + lowest,
                body.p_dot + cross<double>(support.omega, lowest), c.support.link, c.frame.link, rows_.data(), nv_, bias);
  at.add_moments(axes, support.omega, c.support.link, c.frame.link, rows_.data() + 3 * nv_, nv_, bias + 3);

  const Vector3<double> arm = body.p + lowest - support.p, point_rate = body.p_dot + cross<double>(body.omega, lowest);
  Vector6<double> off, moving, wanted;
  off << c.X_SC.rotation().inverse() * Vector3<double>(X_SC_now.translation() - c.X_SC.translation()),
      (c.X_SC.rotation().inverse() * X_SC_now.rotation()).log();
  if (c.patch.radius > 0.0) off[0] = off[1] = 0.0;
  moving << axes.transpose() * (point_rate - support.p_dot - cross<double>(support.omega, arm)),
      axes.transpose() * (body.omega - support.omega);
  for (int k = 0; k < 6; ++k)
    wanted[k] =
        -settings_.contact_gains.stiffness * off[k] - settings_.contact_gains.damping * moving[k] - bias[k];
  for (int i = 0; i < c.motion_rows(); ++i) {
    double value = 0.0;
    for (int k = 0; k < 6; ++k) value += c.basis(i, k) * wanted[k];
    double* row = program.add_row(c.first_row + i, value, value);
    for (int k = 0; k < 6; ++k)
      if (c.basis(i, k) != 0.0) Eigen::Map<Eigen::RowVectorXd>(row, nv_) += c.basis(i, k) * rows_.row(k);
  }
  c.turn = axes.transpose() * body.R;
  for (std::size_t p = 0; p < c.points.size(); ++p) {
    const Matrix3<double> arms = skew<double>(c.turn * c.points[p]);
    for (int k = 0; k < 3; ++k)
      J_.row(c.force + 3 * static_cast<int>(p) + k) =
          rows_.row(k) + arms(0, k) * rows_.row(3) + arms(1, k) * rows_.row(4) + arms(2, k) * rows_.row(5);
  }
}

/// Facets whose edges lie on Coulomb's cone: f_t . d_k <= friction cos(pi / facets) f_n.
void WholeBodyProgram::add_cones(const HeldContact& c, RowProgram& program) {
  const double slope = c.patch.friction * std::cos(std::numbers::pi / c.patch.facets);
  int name = c.first_row + c.motion_rows();
  for (std::size_t p = 0; p < c.points.size(); ++p) {
    const int column = c.column + 3 * static_cast<int>(p);
    for (int k = 0; k < c.patch.facets; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / c.patch.facets;
      double* row = program.add_row(name++, -kInfinity, 0.0);
      row[column] = std::cos(angle), row[column + 1] = std::sin(angle), row[column + 2] = -slope;
    }
    program.x_lower[column + 2] = 0.0;
  }
  double* sum = program.add_row(name, c.patch.least_force, c.patch.largest_force);
  for (std::size_t p = 0; p < c.points.size(); ++p) sum[c.column + 3 * static_cast<int>(p) + 2] = 1.0;
}

/// BK (24) row by row, torques eliminated.
void WholeBodyProgram::add_dynamics(const MotionState& at, RowProgram& program) {
  const double* M = at.mass_matrix();
  for (int j = 0; j < nv_; ++j) {
    const double limit = driven_[j] ? torque_bound(j) : 0.0;
    if (!std::isfinite(limit)) continue;
    double* row = program.add_row(j, -limit - bias_[j], limit - bias_[j]);
    std::copy_n(M + static_cast<long>(j) * nv_, nv_, row);
    for (const HeldContact& c : contacts_)
      for (int k = 0; c.held && k < c.forces(); ++k) row[c.column + k] = -J_(c.force + k, j);
  }
}

/// A joint may move towards a limit as fast as it can still brake, and near it so that it comes to rest
/// there.
void WholeBodyProgram::add_limits(const MotionState& at, RowProgram& program) {
  const Mechanism& m = at.mechanism();
  const Braking braking{settings_.limit_time, settings_.braking};
  for (int j = 0; j < nv_; ++j) {
    const int i = settings_.position_limits ? position_of_[j] : -1;
    const double fastest = settings_.velocity_limits ? m.velocity_limit()[j] : kInfinity, v = at.v()[j];
    const double kept = i >= 0 ? std::min(settings_.limit_margin, 0.5 * (m.upper()[i] - m.lower()[i])) : 0.0;
    program.x_upper[j] =
        braking.most_acceleration(i >= 0 ? m.upper()[i] - kept - at.q()[i] : kInfinity, v, fastest);
    program.x_lower[j] =
        -braking.most_acceleration(i >= 0 ? at.q()[i] - kept - m.lower()[i] : kInfinity, -v, fastest);
    if (program.x_lower[j] > program.x_upper[j])
      program.x_lower[j] = program.x_upper[j];  // limits that cross
  }
}

void WholeBodyProgram::add_task(const ListedTask& listed, bool hard, RowProgram& program) {
  const double weight = listed.task->weight;
  for (int k = 0; k < listed.count; ++k) {
    const int i = listed.first_row + k, column = task_column_[i];
    const double share = weight * listed.task->share(k);
    if (column >= 0 && !hard) {
      program.d[column] += share, program.g[column] -= share * task_upper_[i];
      continue;
    }
    double* row = program.add_row(first_task_ + i, task_lower_[i], task_upper_[i], hard ? 0.0 : 1.0 / share);
    if (column >= 0)
      row[column] = 1.0;
    else
      std::copy_n(task_rows_.data() + static_cast<long>(i) * task_rows_.cols(), unknowns_, row);
  }
}

void WholeBodyProgram::add_level(int level, RowProgram& program) {
  for (const ListedTask& listed : tasks_)
    if (listed.task->level == level) add_task(listed, false, program);
}

void WholeBodyProgram::fix_level(int level, const OwnedVector& x, RowProgram& program) {
  program.d.head(nv_).setConstant(settings_.acceleration_weight);
  program.d.segment(nv_, unknowns_ - nv_).setConstant(settings_.force_weight);
  program.g.setZero();
  for (int k = 0; k < program.rows(); ++k) {
    const int i = program.name(k) - first_task_;
    if (i < 0 || program.softness[k] == 0.0) continue;
    double value = 0.0;
    for (int j = 0; j < unknowns_; ++j) value += program.row(k)[j] * x[j];
    program.lower[k] = std::min(program.lower[k], value),
    program.upper[k] = std::max(program.upper[k], value);
    if (task_lower_[i] == task_upper_[i]) program.lower[k] = program.upper[k] = value;
    program.softness[k] = 0.0;
  }
  for (const ListedTask& listed : tasks_)
    for (int k = 0; listed.task->level == level && k < listed.count; ++k) {
      const int column = task_column_[listed.first_row + k];
      if (column >= 0)
        program.x_lower[column] = program.x_upper[column] = x[column], program.x_softness[column] = 0.0;
    }
}

int WholeBodyProgram::next_level(int level) const {
  int next = -1;
  for (const ListedTask& listed : tasks_)
    if (listed.count > 0 && listed.task->level > level && (next < 0 || listed.task->level < next))
      next = listed.task->level;
  return next;
}

void WholeBodyProgram::torques(const MotionState& at, const OwnedVector& x, OwnedVector& tau) const {
  const Eigen::Map<const RowMatrix> M(at.mass_matrix(), nv_, nv_);
  tau.noalias() = M.lazyProduct(x.head(nv_));
  tau += bias_;
  for (const HeldContact& c : contacts_)
    if (c.acts())
      tau.noalias() -=
          J_.middleRows(c.force, c.forces()).transpose().lazyProduct(x.segment(c.column, c.forces()));
  for (int j = 0; j < nv_; ++j) {
    if (!driven_[j]) tau[j] = 0.0;
    if (settings_.torque_limits) tau[j] = std::clamp(tau[j], -limit_[j], limit_[j]);
  }
}

double WholeBodyProgram::residual(const ListedTask& listed, const OwnedVector& x) const {
  double most = 0.0;
  for (int k = 0; k < listed.count; ++k) {
    const int i = listed.first_row + k, column = task_column_[i];
    double value = column >= 0 ? x[column] : 0.0;
    if (column < 0) value = task_rows_.row(i).head(unknowns_).dot(x.head(unknowns_));
    most = std::max({most, task_lower_[i] - value, value - task_upper_[i]});
  }
  return most;
}

int WholeBodyProgram::contact_of(int name) const {
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    if (name >= contacts_[i].first_row && name < contacts_[i].first_row + contacts_[i].motion_rows())
      return static_cast<int>(i);
  return -1;
}

int WholeBodyProgram::constraint_task_of(int name) const {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const int first = first_task_ + tasks_[i].first_row;
    if (tasks_[i].task->level == 0 && name >= first && name < first + tasks_[i].task->rows())
      return static_cast<int>(i);
  }
  return -1;
}

}  // namespace amble::detail
