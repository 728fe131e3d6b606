#include "amble/control/posture/inverse_kinematics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "amble/base/error.hpp"
#include "amble/control/posture/joint_bounds.hpp"
#include "amble/optimize/quadratic_program.hpp"

namespace amble {

const char* name_of(IkStatus status) {
  constexpr const char* names[] = {"solved", "unreachable", "iteration_limit"};
  return names[static_cast<int>(status)];
}

void IkSettings::validate() const {
  if (!(tolerance > 0.0)) throw Error(fmt::format("tolerance is {}: expected a number above 0", tolerance));
  if (iterations < 1) throw Error(fmt::format("iterations is {}: expected 1 or more", iterations));
  if (attempts < 1) throw Error(fmt::format("attempts is {}: expected 1 or more", attempts));
  if (!(clearance >= 0.0) || !std::isfinite(clearance))
    throw Error(fmt::format("clearance is {}: expected a length of 0 or more", clearance));
  if (!(apart_weight > 0.0)) throw Error(fmt::format("apart_weight is {}: expected a number above 0", apart_weight));
}

namespace {

constexpr double kLeastGain = 1e-8;  // of the cost in a step: less is a minimum that is not zero
constexpr double kFirstDamping = 1e-6, kLeastDamping = 1e-12, kMostDamping = 1e8;

/// The search from one start.
class Descent {
 public:
  Descent(const Mechanism& m, const std::vector<KinematicTarget>& targets, const IkSettings& settings)
      : m_(m), settings_(settings), rows_(m, targets), pairs_(static_cast<int>(settings.apart.size())),
        program_(m.nv() + pairs_, 0, pairs_), solver_(m.nv() + pairs_, 0, pairs_), held_(held_velocities(m, settings.held)) {
    if (pairs_ > 0) distances_.emplace(m, BodyDistanceOptions{settings.apart, settings.ground});
  }

  IkResult run(const OwnedVector& start) {
    IkResult out;
    out.q = start;
    double damping = kFirstDamping, cost = evaluate(out.q);
    for (; out.iterations < settings_.iterations && worst() > settings_.tolerance; ++out.iterations) {
      linearise(out.q);
      const double better = improve(out.q, cost, damping);
      if (!(better < cost * (1.0 - kLeastGain))) {
        out.status = IkStatus::unreachable;
        break;
      }
      cost = better;
    }
    evaluate(out.q);
    if (worst() <= settings_.tolerance) out.status = IkStatus::solved;
    report(out);
    return out;
  }

 private:
  /// Half the weighted squares, and what bodies are too near.
  double evaluate(const OwnedVector& q) {
    errors_ = rows_.evaluate(q);
    double sum = errors_.dot(rows_.weights().cwiseProduct(errors_));
    nearest_ = kInfinity;
    if (distances_)
      for (const BodyDistance& d : distances_->evaluate(q)) {
        nearest_ = std::min(nearest_, d.at.distance);
        const double missing = std::max(0.0, settings_.clearance - d.at.distance);
        sum += settings_.apart_weight * missing * missing;
      }
    return 0.5 * sum;
  }
  double worst() const {
    const double error = errors_.size() > 0 ? errors_.cwiseAbs().maxCoeff() : 0.0;
    return pairs_ > 0 ? std::max(error, settings_.clearance - nearest_) : error;
  }

  /// Half |W (e + J d)|^2 with the limits of d, and for bodies  slope d + slack >= what is missing.
  void linearise(const OwnedVector& q) {
    const int nv = m_.nv();
    const OwnedRowMatrix& J = rows_.jacobian(q);
    errors_ = rows_.evaluate(q);
    program_.H.setZero();
    H_.noalias() = J.transpose() * rows_.weights().asDiagonal() * J;
    program_.g.setZero();
    program_.g.head(nv).noalias() = J.transpose() * rows_.weights().cwiseProduct(errors_);
    step_bounds(m_, q, program_.x_lower.data(), program_.x_upper.data());
    for (const int k : held_) program_.x_lower[k] = program_.x_upper[k] = 0.0;
    if (distances_) put_pairs(q);
  }
  void put_pairs(const OwnedVector& q) {
    const int nv = m_.nv();
    const std::vector<BodyDistance>& found = distances_->evaluate(q);
    for (int i = 0; i < pairs_; ++i) {
      program_.C.row(i).setZero();
      distances_->gradient(i, &program_.C(i, 0));
      program_.C(i, nv + i) = 1.0;
      program_.lower[i] = settings_.clearance - found[i].at.distance, program_.upper[i] = kInfinity;
      program_.x_lower[nv + i] = 0.0;
      program_.H(nv + i, nv + i) = settings_.apart_weight;
    }
  }

  /// The first step, from this damping on, that lowers the cost; q moves. Returns the cost as it was when none does.
  double improve(OwnedVector& q, double cost, double& damping) {
    const int nv = m_.nv();
    for (; damping < kMostDamping; damping *= 10.0) {
      program_.H.topLeftCorner(nv, nv) = H_;
      program_.H.diagonal().head(nv).array() += damping;
      const QpResult& step = solver_.solve(program_);
      if (!step.x.allFinite()) continue;
      const OwnedVector next = m_.integrate(q, OwnedVector(step.x.head(nv)));
      const double reached = evaluate(next);
      if (!(reached < cost)) continue;
      q = next, damping = std::max(0.1 * damping, kLeastDamping);
      return reached;
    }
    damping = kMostDamping;
    return cost;
  }

  void report(IkResult& out) const {
    out.error = errors_.size() > 0 ? errors_.cwiseAbs().maxCoeff() : 0.0, out.nearest = nearest_;
    for (std::size_t i = 0; i < rows_.targets().size(); ++i) out.residuals.push_back(rows_.residual(i));
  }

  const Mechanism& m_;
  const IkSettings& settings_;
  KinematicRows rows_;
  int pairs_;
  QuadraticProgram program_;
  QpSolver solver_;
  std::vector<int> held_;
  std::optional<BodyDistances> distances_;
  OwnedVector errors_;
  Eigen::MatrixXd H_;
  double nearest_ = kInfinity;
};

/// Drawn within the limits, what is held as the start has it.
OwnedVector drawn(const Mechanism& m, const OwnedVector& start, const IkSettings& settings, int attempt) {
  OwnedVector q = m.random(settings.seed + attempt);
  for (const std::string& joint : settings.held) {
    const Slice at = m.q_slice(joint);
    q.segment(at.start, at.size) = start.segment(at.start, at.size);
  }
  return q;
}

bool better(const IkResult& a, const IkResult& b) {
  return a.solved() != b.solved() ? a.solved() : a.error < b.error;
}

}  // namespace

IkResult inverse_kinematics(const Mechanism& m, const std::vector<KinematicTarget>& targets, const VectorRef& start,
                            const IkSettings& settings) {
  settings.validate();
  if (targets.empty() && settings.apart.empty()) throw Error("inverse kinematics has no target: expected one or more");
  OwnedVector from = m.checked_configuration(start);
  bring_within_limits(m, from);
  Descent descent(m, targets, settings);
  IkResult best = descent.run(from);
  int attempt = 1;
  for (; attempt < settings.attempts && !best.solved(); ++attempt) {
    const IkResult other = descent.run(drawn(m, from, settings, attempt));
    if (better(other, best)) best = other;
  }
  best.attempts = attempt;
  return best;
}

}  // namespace amble
