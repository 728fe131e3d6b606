#include "amble/simulation/reduced_momentum_flow.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"

namespace amble {

namespace {

using Numbers = Eigen::Map<const Eigen::VectorXd>;

/// Others are chosen when a dependent coordinate moves this many times as much as the independent ones.
constexpr double kPoorChoice = 20.0;

}  // namespace

ReducedMomentumFlow::ReducedMomentumFlow(ConstrainedDynamics dynamics, const VectorRef& q, Drive drive, double drift)
    : dynamics_(std::move(dynamics)),
      work_(dynamics_.mechanism()),
      drive_(std::move(drive)),
      drift_(drift),
      q_(q),
      v_(dynamics_.mechanism().nv()),
      tau_(dynamics_.mechanism().nv()),
      still_(dynamics_.mechanism().nv()) {
  dynamics_.set_state(q_, still_);
  if (dynamics_.velocity_error().norm() > 0.0)
    throw Error("reduced momenta are for constraints A v = 0, but one of these has a speed of its own");
  choose();
  set(q_);
}

/// Independent rows of A at the state of `dynamics_`, and as many columns, the most independent.
void ReducedMomentumFlow::choose() {
  const std::vector<int> redundant = dynamics_.redundant_rows();
  rows_.clear(), dependent_.clear(), independent_.clear();
  for (int i = 0; i < dynamics_.rows(); ++i)
    if (!std::binary_search(redundant.begin(), redundant.end(), i)) rows_.push_back(i);
  const Eigen::MatrixXd A = dynamics_.A()(rows_, Eigen::all);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  for (Eigen::Index i = 0; i < A.cols(); ++i)
    (i < A.rows() ? dependent_ : independent_).push_back(qr.colsPermutation().indices()[i]);
  std::sort(dependent_.begin(), dependent_.end());
  std::sort(independent_.begin(), independent_.end());
}

/// Z for the state of `dynamics_`: independent coordinates move by themselves, the others follow. The largest entry
/// of Z.
double ReducedMomentumFlow::follow() {
  const auto& A = dynamics_.A();
  A_dependent_ = A(rows_, dependent_);
  const Eigen::MatrixXd share = -A_dependent_.partialPivLu().solve(Eigen::MatrixXd(A(rows_, independent_)));
  Z_ = OwnedMatrix(A.cols(), size());
  for (int j = 0; j < size(); ++j) {
    Z_(independent_[j], j) = 1.0;
    for (std::size_t i = 0; i < dependent_.size(); ++i) Z_(dependent_[i], j) = share(i, j);
  }
  return Z_.size() == 0 ? 0.0 : Z_.cwiseAbs().maxCoeff();
}

void ReducedMomentumFlow::set(const VectorRef& q) {
  dynamics_.set_state(q, still_);
  follow();
  M_ = mass_matrix(dynamics_.mechanism(), work_, q);
}

/// (dZ/dt)^T p along v_: from A Z = 0 it is -Z^T (dA/dt)^T mu with A_dependent^T mu = p_dependent.
Eigen::VectorXd ReducedMomentumFlow::pull_back_rate(const Eigen::VectorXd& p) {
  const Eigen::VectorXd mu = A_dependent_.transpose().partialPivLu().solve(Eigen::VectorXd(p(dependent_)));
  const Eigen::VectorXd change = slope_at_zero([&](double t) -> Eigen::VectorXd {
    dynamics_.set_state(dynamics_.mechanism().integrate(q_, t * v_), still_);
    return dynamics_.A()(rows_, Eigen::all).transpose() * mu;
  });
  return -(Z_.transpose() * change);
}

void ReducedMomentumFlow::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  const Mechanism& m = dynamics_.mechanism();
  q_ = Numbers(q, m.nq());
  set(q_);
  const Eigen::MatrixXd reduced = Z_.transpose() * M_ * Z_;  // DS (2.97)
  v_ = Z_ * reduced.llt().solve(Numbers(x, size()));
  tau_.setZero();
  if (drive_) drive_(t, q_, v_, tau_);
  const Eigen::VectorXd p = M_ * v_;
  const Eigen::VectorXd pdot = hamiltonian_rates(m, work_, q_, p, tau_).pdot;
  std::copy_n(v_.data(), m.nv(), v);
  Eigen::Map<Eigen::VectorXd>(xdot, size()) = Z_.transpose() * pdot + pull_back_rate(p);
}

bool ReducedMomentumFlow::after_step(double, double* q, double* x) {
  q_ = Numbers(q, dynamics_.mechanism().nq());
  v_ = velocity(q_, Numbers(x, size()));
  const bool drifted = dynamics_.violation().cwiseAbs().maxCoeff() > drift_;
  if (drifted) {
    dynamics_.project_state(q_, v_);
    ++projections_;
  }
  const bool poor = follow() > kPoorChoice;
  if (poor) {
    choose();
    ++changes_;
  }
  if (!drifted && !poor) return false;
  const OwnedVector alpha = state(q_, v_);
  std::copy_n(q_.data(), q_.size(), q);
  std::copy_n(alpha.data(), alpha.size(), x);
  return true;
}

OwnedVector ReducedMomentumFlow::state(const VectorRef& q, const VectorRef& v) {
  set(q);
  return OwnedVector(Z_.transpose() * (M_ * v));
}

OwnedVector ReducedMomentumFlow::velocity(const VectorRef& q, const VectorRef& alpha) {
  set(q);
  const Eigen::MatrixXd reduced = Z_.transpose() * M_ * Z_;
  return OwnedVector(Z_ * reduced.llt().solve(alpha));
}

std::vector<std::string> ReducedMomentumFlow::independent() const {
  const Mechanism& m = dynamics_.mechanism();
  std::vector<std::string> names;
  for (int i : independent_)
    for (const std::string& joint : m.joint_names()) {
      const Slice v = m.v_slice(joint);
      if (i >= v.start && i < v.start + v.size)
        names.push_back(v.size == 1 ? joint : fmt::format("{}[{}]", joint, i - v.start));
    }
  return names;
}

}  // namespace amble
