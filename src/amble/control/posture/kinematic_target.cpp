#include "amble/control/posture/kinematic_target.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

constexpr const char* kRowNames[6] = {"position x", "position y", "position z",
                                      "orientation x", "orientation y", "orientation z"};

void check(const Mechanism& m, const KinematicTarget& t) {
  if (!t.place.empty()) m.place(t.place);
  if (t.reference != kWorld) m.place(t.reference);
  if (!t.X_PF.matrix().allFinite() || !t.X_RT.matrix().allFinite() || !t.weights.allFinite())
    throw Error(fmt::format("the target of '{}' has a number that is not finite", t.name()));
  if (!(t.weights.minCoeff() >= 0.0) || !(t.weights.maxCoeff() > 0.0))
    throw Error(fmt::format("the target of '{}' has weights that are negative or all zero: expected some above 0", t.name()));
  if (t.place.empty() && t.weights.tail<3>().maxCoeff() > 0.0)
    throw Error("the centre of mass has no orientation: expected weights of zero for it");
  if (t.place.empty() && t.reference != kWorld)
    throw Error(fmt::format("the centre of mass is wanted on '{}': expected on the world", t.reference));
}

}  // namespace

KinematicTarget pose_target(std::string place, const Pose& X_RT) { return {.place = std::move(place), .X_RT = X_RT}; }

KinematicTarget position_target(std::string place, const Vector3<double>& p_W, const Vector3<double>& point) {
  KinematicTarget t{.place = std::move(place), .X_PF = Pose(point), .X_RT = Pose(p_W)};
  t.weights.tail<3>().setZero();
  return t;
}

KinematicTarget orientation_target(std::string place, const SO3<double>& R_WT) {
  KinematicTarget t{.place = std::move(place), .X_RT = Pose(R_WT)};
  t.weights.head<3>().setZero();
  return t;
}

KinematicTarget center_of_mass_target(const Vector3<double>& p_W) { return position_target("", p_W); }

KinematicRows::KinematicRows(const Mechanism& m, std::vector<KinematicTarget> targets)
    : mechanism_(m), work_(m), targets_(std::move(targets)), residuals_(targets_.size()), room_(6, m.nv()) {
  std::vector<double> weights;
  for (const KinematicTarget& t : targets_) {
    check(m, t);
    first_.push_back(rows_);
    for (int k = 0; k < 6; ++k) {
      if (t.weights[k] == 0.0) continue;
      weights.push_back(t.weights[k]), names_.push_back(fmt::format("{} of '{}'", kRowNames[k], t.name())), ++rows_;
    }
  }
  weights_ = Eigen::Map<const Eigen::VectorXd>(weights.data(), rows_);
  errors_ = OwnedVector(rows_), J_ = OwnedRowMatrix(rows_, m.nv());
}

const OwnedVector& KinematicRows::evaluate(const VectorRef& q) {
  for (std::size_t i = 0; i < targets_.size(); ++i)
    targets_[i].place.empty() ? mass_rows(q, i, false) : place_rows(q, i, false);
  return errors_;
}

const OwnedRowMatrix& KinematicRows::jacobian(const VectorRef& q) {
  for (std::size_t i = 0; i < targets_.size(); ++i)
    targets_[i].place.empty() ? mass_rows(q, i, true) : place_rows(q, i, true);
  return J_;
}

void KinematicRows::place_rows(const VectorRef& q, std::size_t i, bool slopes) {
  const KinematicTarget& t = targets_[i];
  const Pose X_WP = pose(mechanism_, work_, q, t.place);
  const Pose X_WR = t.reference == kWorld ? Pose() : pose(mechanism_, work_, q, t.reference);
  const Pose X_TF = (X_WR * t.X_RT).inverse() * X_WP * t.X_PF;
  const Vector3<double> turn = X_TF.rotation().log();
  Vector6<double> error;
  error << X_TF.translation(), turn;
  if (!slopes) return put(i, error, nullptr);
  relative_jacobian(q, t, X_WP, X_WR);
  const Matrix3<double> R_FP = t.X_PF.rotation().matrix().transpose();
  room_.topRows(3) = (X_TF.rotation().matrix() * R_FP) * room_.topRows(3);
  room_.bottomRows(3) = (SO3<double>::right_jacobian_inverse(turn) * R_FP) * room_.bottomRows(3);
  put(i, error, &room_);
}

/// Of the frame's origin as seen from the reference, in axes of the place.
void KinematicRows::relative_jacobian(const VectorRef& q, const KinematicTarget& t, const Pose& X_WP, const Pose& X_WR) {
  const auto local = [&](const std::string& place, const Vector3<double>& point) {
    return amble::jacobian(mechanism_, work_, q, place, {.point = point, .frame = JacobianFrame::local});
  };
  room_ = local(t.place, t.X_PF.translation());
  if (t.reference == kWorld) return;
  const Pose X_RP = X_WR.inverse() * X_WP;
  const Matrix3<double> R_PR = X_RP.rotation().matrix().transpose();
  const MatrixView J = local(t.reference, X_RP * t.X_PF.translation());
  room_.topRows(3).noalias() -= R_PR * J.topRows(3);
  room_.bottomRows(3).noalias() -= R_PR * J.bottomRows(3);
}

void KinematicRows::mass_rows(const VectorRef& q, std::size_t i, bool slopes) {
  const Pose& X_WT = targets_[i].X_RT;
  const Matrix3<double> R_TW = X_WT.rotation().matrix().transpose();
  Vector6<double> error = Vector6<double>::Zero();
  error.head<3>() = R_TW * (center_of_mass(mechanism_, work_, q) - X_WT.translation());
  if (!slopes) return put(i, error, nullptr);
  room_.setZero();
  room_.topRows(3) = R_TW * momentum_matrix(mechanism_, work_, q).topRows(3) / mechanism_.mass();
  put(i, error, &room_);
}

void KinematicRows::put(std::size_t i, const Vector6<double>& error, const OwnedRowMatrix* slopes) {
  Vector6<double> counted = Vector6<double>::Zero();
  for (int k = 0, row = first_[i]; k < 6; ++k) {
    if (targets_[i].weights[k] == 0.0) continue;
    counted[k] = errors_[row] = error[k];
    if (slopes) J_.row(row) = slopes->row(k);
    ++row;
  }
  residuals_[i] = {counted.head<3>().norm(), counted.tail<3>().norm()};
}

}  // namespace amble
