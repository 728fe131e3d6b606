#include "amble/control/tasks/clearance_task.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"

namespace amble {

namespace {

int count_pairs(const std::string& name, const Mechanism& m, const BodyDistanceOptions& options) {
  const std::size_t pairs = options.pairs.empty() ? meeting_bodies(m).size() : options.pairs.size();
  if (pairs == 0) throw Error(fmt::format("task '{}': '{}' has no bodies that may meet", name, m.name()));
  return static_cast<int>(pairs);
}

}  // namespace

ClearanceTask::ClearanceTask(std::string name, const Mechanism& m, const BodyDistanceOptions& options)
    : Task(name, count_pairs(name, m, options)),
      now_(m, options),
      next_(m, options),
      found_(&now_.evaluate(m.neutral())),
      q_(m.nq()),
      step_(m.nv()),
      row_(m.nv()) {
  level = 0;
}

void ClearanceTask::validate() const {
  const auto check = [&](const char* what, double value, bool fine) {
    if (!fine || !std::isfinite(value)) throw Error(fmt::format("task '{}': {} is {}", name(), what, value));
  };
  check("clearance, expected 0 or more,", clearance, clearance >= 0.0);
  check("range, expected above the clearance,", range, range > clearance);
  check("ahead, expected above 0,", ahead, ahead > 0.0);
  check("the time of braking, expected above 0,", braking.time, braking.time > 0.0);
  check("the deceleration of braking, expected above 0,", braking.deceleration, braking.deceleration > 0.0);
}

double ClearanceTask::speed(const BodyDistances& distances, std::size_t pair, const OwnedVector& v) {
  row_.setZero();
  distances.gradient(pair, row_.data());
  return row_.dot(v);
}

const BodyDistance& ClearanceTask::nearest() const {
  return *std::min_element(found_->begin(), found_->end(), [](const BodyDistance& a, const BodyDistance& b) {
    return a.at.distance < b.at.distance;
  });
}

int ClearanceTask::evaluate(const TaskSight& at, const TaskRows& out) {
  const OwnedVector &q = at.motion.q(), &v = at.motion.v();
  now_.evaluate(q);
  const double least = nearest().at.distance;
  error_ = std::max(0.0, clearance - least);
  if (least >= range) return 0;
  step_ = ahead * v;
  at.motion.mechanism().integrate_unchecked(q.data(), step_.data(), q_.data());
  next_.evaluate(q_);
  int count = 0;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const double distance = (*found_)[i].at.distance;
    if (distance >= range) continue;
    double* row = out.row(count);
    const double later = speed(next_, i, v), moving = speed(now_, i, v);
    const double bias = std::clamp((later - moving) / ahead, -braking.deceleration, braking.deceleration);
    std::copy(row_.begin(), row_.end(), row);
    out.lower[count] = -braking.most_acceleration(distance - clearance, -moving) - bias;
    out.upper[count++] = kInfinity;
  }
  return count;
}

}  // namespace amble
