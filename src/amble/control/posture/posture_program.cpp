#include "amble/control/posture/posture_program.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/control/posture/joint_bounds.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/mechanism/coordinate_names.hpp"

namespace amble {

namespace {

/// Cones are taken a little inside their tip, where they have no slope: friction f_n >= sqrt(|f_t|^2 + kTip^2), in shares
/// of the weight. Every point bears kTip / friction; sharper tips keep IPOPT from converging where a contact has nothing to bear.
constexpr double kTip = 1e-3;

std::vector<KinematicTarget> all_targets(const std::vector<PostureContact>& contacts, const PostureSettings& settings) {
  std::vector<KinematicTarget> out;
  for (const PostureContact& c : contacts) out.push_back(target_of(c));
  out.insert(out.end(), settings.targets.begin(), settings.targets.end());
  return out;
}

}  // namespace

KinematicTarget target_of(const PostureContact& contact) {
  KinematicTarget t = pose_target(contact.patch.place, contact.X_ST);
  t.X_PF = contact.patch.X_PC, t.reference = contact.patch.support;
  switch (contact.hold) {
    case ContactHold::pose: break;
    case ContactHold::position: t.weights << 1.0, 1.0, 1.0, 0.0, 0.0, 0.0; break;
    case ContactHold::plane: t.weights << 0.0, 0.0, 1.0, 1.0, 1.0, 0.0; break;
    case ContactHold::height: t.weights << 0.0, 0.0, 1.0, 0.0, 0.0, 0.0; break;
  }
  return t;
}

PostureProgram::PostureProgram(const Mechanism& m, const std::vector<PostureContact>& contacts, const OwnedVector& q0,
                               const OwnedVector& preferred, const PostureSettings& settings)
    : mechanism_(m), work_(m), contacts_(contacts), settings_(settings), q0_(q0), preferred_(m.difference(q0, preferred)),
      nv_(m.nv()), weight_(m.mass() * m.gravity().norm()), driven_(nv_, true), effort_(nv_), counted_(nv_),
      places_(m, all_targets(contacts, settings)), zero_(nv_) {
  if (weight_ == 0.0) weight_ = 1.0;
  add_points();
  find_drives();
  effort_ = m.effort_limit() * (settings.torque_share / weight_);
  if (!settings.apart.empty()) distances_.emplace(m, BodyDistanceOptions{settings.apart, settings.ground});
  S_ = OwnedMatrix(nv_, nv_), d_loads_ = OwnedMatrix(nv_, variables()), J_ = OwnedRowMatrix(constraints(), variables());
}

void PostureProgram::add_points() {
  const auto on_body = [&](const Place& place) {
    return place.body < 0 ? place.X_LP : mechanism_.bodies()[place.body].X_LB.inverse() * place.X_LP;
  };
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ContactPatch& patch = contacts_[c].patch;
    const Place place = mechanism_.place(patch.place);
    const Place support = patch.support == "world" ? Place() : mechanism_.place(patch.support);
    const Matrix3<double> R_AT = (on_body(support) * contacts_[c].X_ST).rotation().matrix();
    for (const Vector3<double>& p : patch.points)
      points_.push_back({static_cast<int>(c), place.body, on_body(place) * patch.X_PC * p, support.body, R_AT});
  }
}

void PostureProgram::find_drives() {
  for (const Joint& joint : mechanism_.joints()) {
    if (joint.type != "free") continue;
    for (int k = 0; k < joint.v.size; ++k) driven_[joint.v.start + k] = false;
  }
  for (int k = 0; k < nv_; ++k) counted_[k] = driven_[k] ? settings_.posture_weight : 0.0;
  for (const int k : held_velocities(mechanism_, settings_.unactuated)) driven_[k] = false;
}

int PostureProgram::constraints() const {
  return nv_ + places_.rows() + static_cast<int>(points_.size() + contacts_.size()) +
         (distances_ ? static_cast<int>(distances_->size()) : 0);
}

void PostureProgram::variable_bounds(Numbers lower, Numbers upper) const {
  step_bounds(mechanism_, q0_, lower.data(), upper.data());
  for (int k = 0; k < nv_; ++k) {
    const double room = std::min(settings_.limit_margin, 0.5 * (upper[k] - lower[k]));
    if (room > 0.0) lower[k] += room, upper[k] -= room;
    if (lower[k] > upper[k]) lower[k] = upper[k] = 0.5 * (lower[k] + upper[k]);
  }
  for (const int k : held_velocities(mechanism_, settings_.held)) lower[k] = upper[k] = 0.0;
}

void PostureProgram::constraint_bounds(Numbers lower, Numbers upper) const {
  int row = 0;
  const auto put = [&](double from, double to) { lower[row] = from, upper[row] = to, ++row; };
  for (int k = 0; k < nv_; ++k) driven_[k] ? put(-effort_[k], effort_[k]) : put(0.0, 0.0);
  for (int i = 0; i < places_.rows(); ++i) put(0.0, 0.0);
  for (std::size_t i = 0; i < points_.size(); ++i) put(0.0, kInfinity);
  for (const PostureContact& c : contacts_) put(c.patch.least_force / weight_, c.patch.largest_force / weight_);
  while (row < constraints()) put(settings_.clearance, kInfinity);
}

void PostureProgram::start(Numbers x) const {
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t i = 0; i < points_.size(); ++i) x[nv_ + 3 * i + 2] = 1.0 / static_cast<double>(points_.size());
}

void PostureProgram::go_to(const VectorRef& x) {
  if (x_.size() == x.size() && x_ == x) return;
  x_ = x, q_ = configuration(x), slopes_known_ = false;
  find_wrenches();
  loads_ = inverse_dynamics(mechanism_, work_, q_, zero_, zero_, wrenches_) / weight_;
}

Pose PostureProgram::body_pose(int body) {
  return body < 0 ? Pose() : pose(mechanism_, work_, q_, mechanism_.bodies()[body].name);
}

/// In body axes.
OwnedRowMatrix PostureProgram::body_jacobian(int body, const Vector3<double>& point) {
  if (body < 0) return OwnedRowMatrix(6, nv_);
  return amble::jacobian(mechanism_, work_, q_, mechanism_.bodies()[body].name, {.point = point, .frame = JacobianFrame::local});
}

void PostureProgram::find_wrenches() {
  wrenches_.clear();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const ForcePoint& at = points_[i];
    const Pose X_AB = body_pose(at.support).inverse() * body_pose(at.body);
    const Vector3<double> f_A = at.R_AT * Vector3<double>(weight_ * force(x_, i)), f_B = X_AB.rotation().inverse() * f_A;
    wrenches_.push_back({at.body, {f_B, cross<double>(at.p_B, f_B)}});
    if (at.support >= 0) wrenches_.push_back({at.support, {-f_A, -cross<double>(Vector3<double>(X_AB * at.p_B), f_A)}});
  }
}

OwnedVector PostureProgram::loads(const VectorRef& x) {
  go_to(x);
  return weight_ * loads_;
}

double PostureProgram::objective(const VectorRef& x) {
  go_to(x);
  const auto d = x.head(nv_) - preferred_;
  double sum = d.dot(counted_.cwiseProduct(d)) + settings_.force_weight * x.tail(x.size() - nv_).squaredNorm();
  for (int k = 0; k < nv_; ++k)
    if (driven_[k]) sum += settings_.torque_weight * std::pow(loads_[k] / torque_unit(k), 2);
  return 0.5 * sum;
}

double PostureProgram::torque_unit(int k) const { return std::isfinite(effort_[k]) && effort_[k] > 0.0 ? effort_[k] : 1.0; }

void PostureProgram::gradient(const VectorRef& x, Numbers df) {
  slopes_at(x);
  Eigen::Map<Eigen::VectorXd> out(df.data(), variables());
  out.head(nv_) = counted_.cwiseProduct(x.head(nv_) - preferred_);
  out.tail(variables() - nv_) = settings_.force_weight * x.tail(variables() - nv_);
  for (int k = 0; k < nv_; ++k)
    if (driven_[k])
      out += settings_.torque_weight * loads_[k] / std::pow(torque_unit(k), 2) * d_loads_.row(k).transpose();
}

void PostureProgram::slopes_at(const VectorRef& x) {
  go_to(x);
  if (slopes_known_) return;
  S_ = mechanism_.local_jacobian(q0_, x.head(nv_));
  load_slopes();
  slopes_known_ = true;
}

void PostureProgram::load_slopes() {
  Eigen::MatrixXd dq = inverse_dynamics_derivatives(mechanism_, work_, q_, zero_, zero_, wrenches_).dq;
  for (std::size_t i = 0; i < points_.size(); ++i) add_point_slopes(i, dq);
  d_loads_.leftCols(nv_).noalias() = dq * S_ / weight_;
}

/// The force is fixed to its support A: it turns against the supported body B, and its point moves on A.
void PostureProgram::add_point_slopes(std::size_t i, Eigen::MatrixXd& dq) {
  const ForcePoint& at = points_[i];
  const Pose X_AB = body_pose(at.support).inverse() * body_pose(at.body);
  const Matrix3<double> R_AB = X_AB.rotation().matrix();
  const OwnedRowMatrix J_B = body_jacobian(at.body, at.p_B), J_A = body_jacobian(at.support, X_AB * at.p_B);
  const Vector3<double> f_A = at.R_AT * Vector3<double>(weight_ * force(x_, i)), f_B = R_AB.transpose() * f_A;
  const Eigen::MatrixXd turn = J_B.bottomRows(3) - R_AB.transpose() * J_A.bottomRows(3);
  dq.noalias() -= J_B.topRows(3).transpose() * (skew<double>(f_B) * turn);
  const Eigen::MatrixXd slide = R_AB * J_B.topRows(3) - J_A.topRows(3);
  dq.noalias() -= J_A.bottomRows(3).transpose() * (skew<double>(f_A) * slide);
  d_loads_.middleCols(nv_ + 3 * i, 3) = -slide.transpose() * at.R_AT;
}

double PostureProgram::cone(const VectorRef& x, std::size_t i) const {
  const Vector3<double> f = force(x, i);
  return friction(i) * f[2] - std::sqrt(f.head<2>().squaredNorm() + kTip * kTip);
}

double PostureProgram::friction(std::size_t i) const {
  return settings_.friction_share * contacts_[points_[i].contact].patch.friction;
}

void PostureProgram::constraint_values(const VectorRef& x, Numbers g) {
  go_to(x);
  Eigen::Map<Eigen::VectorXd> out(g.data(), constraints());
  out.setZero();
  out.head(nv_) = loads_;
  int row = nv_;
  out.segment(row, places_.rows()) = places_.evaluate(q_), row += places_.rows();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    out[row + i] = cone(x, i);
    out[row + points_.size() + points_[i].contact] += force(x, i)[2];
  }
  row += static_cast<int>(points_.size() + contacts_.size());
  if (distances_)
    for (const BodyDistance& d : distances_->evaluate(q_)) out[row++] = d.at.distance;
}

void PostureProgram::fill_jacobian(const VectorRef& x) {
  slopes_at(x);
  J_.setZero();
  J_.topRows(nv_) = d_loads_;
  int row = nv_;
  J_.block(row, 0, places_.rows(), nv_).noalias() = places_.jacobian(q_) * S_, row += places_.rows();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Vector3<double> f = force(x, i);
    const auto at = nv_ + 3 * static_cast<int>(i);
    const double across = std::sqrt(f.head<2>().squaredNorm() + kTip * kTip);
    J_.block<1, 3>(row + i, at) << -f[0] / across, -f[1] / across, friction(i);
    J_(row + points_.size() + points_[i].contact, at + 2) = 1.0;
  }
  row += static_cast<int>(points_.size() + contacts_.size());
  if (!distances_) return;
  distances_->evaluate(q_);
  Eigen::RowVectorXd slope(nv_);
  for (std::size_t i = 0; i < distances_->size(); ++i) distances_->gradient(i, slope.data()), J_.row(row + i).head(nv_) = slope * S_;
}

std::vector<MatrixPlace> PostureProgram::jacobian_places() const {
  std::vector<MatrixPlace> out;
  for (int i = 0; i < constraints(); ++i)
    for (int k = 0; k < variables(); ++k) out.push_back({i, k});
  return out;
}

void PostureProgram::jacobian(const VectorRef& x, Numbers values) {
  fill_jacobian(x);
  std::copy_n(J_.data(), values.size(), values.data());
}

std::vector<MatrixPlace> PostureProgram::hessian_places() const {
  std::vector<MatrixPlace> out;
  for (int i = 0; i < variables(); ++i)
    for (int k = 0; k <= i; ++k) out.push_back({i, k});
  return out;
}

void PostureProgram::hessian(const VectorRef& x, double weight, const VectorRef& lambda, Numbers values) {
  constexpr double kStep = 1e-5;
  const int n = variables(), first_cone = nv_ + places_.rows();
  Eigen::VectorXd at = x, df(n), smooth = lambda;
  smooth.segment(first_cone, static_cast<int>(points_.size())).setZero();
  const auto slope = [&] {
    gradient(at, {df.data(), static_cast<std::size_t>(n)});
    fill_jacobian(at);
    return Eigen::VectorXd(weight * df + J_.transpose() * smooth);
  };
  Eigen::MatrixXd H(n, n);
  for (int k = 0; k < n; ++k) {
    at[k] = x[k] + kStep;
    const Eigen::VectorXd after = slope();
    at[k] = x[k] - kStep;
    H.col(k) = (after - slope()) / (2.0 * kStep);
    at[k] = x[k];
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Eigen::Vector2d f = force(x, i).head<2>();
    const double across = std::sqrt(f.squaredNorm() + kTip * kTip);
    H.block<2, 2>(nv_ + 3 * i, nv_ + 3 * i) -=
        lambda[first_cone + i] / across * (Eigen::Matrix2d::Identity() - f * f.transpose() / (across * across));
  }
  std::size_t place = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k <= i; ++k) values[place++] = 0.5 * (H(i, k) + H(k, i));
}

std::vector<Vector3<double>> PostureProgram::world_forces(const VectorRef& x) {
  go_to(x);
  std::vector<Vector3<double>> out;
  for (std::size_t i = 0; i < points_.size(); ++i)
    out.push_back(body_pose(points_[i].support).rotation() * Vector3<double>(points_[i].R_AT * (weight_ * force(x, i))));
  return out;
}

std::string PostureProgram::variable_name(int i) const {
  if (i < nv_) return v_names(mechanism_)[i];
  return fmt::format("force {} at a point of '{}'", "xyz"[(i - nv_) % 3], contacts_[points_[(i - nv_) / 3].contact].patch.name);
}

std::string PostureProgram::constraint_name(int i) const {
  if (i < nv_) return fmt::format("{} '{}'", driven_[i] ? "torque of" : "balance along", v_names(mechanism_)[i]);
  if ((i -= nv_) < places_.rows()) return places_.row_name(i);
  if ((i -= places_.rows()) < static_cast<int>(points_.size())) return fmt::format("friction cone of '{}'", contacts_[points_[i].contact].patch.name);
  if ((i -= static_cast<int>(points_.size())) < static_cast<int>(contacts_.size())) return fmt::format("normal force of '{}'", contacts_[i].patch.name);
  const BodyPair& pair = settings_.apart[i - contacts_.size()];
  return fmt::format("distance of '{}' from '{}'", pair.first, pair.second);
}

}  // namespace amble
