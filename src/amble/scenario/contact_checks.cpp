#include "amble/scenario/contact_checks.hpp"

#include <algorithm>
#include <cmath>

#include "amble/control/posture/joint_bounds.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/ports/controller.hpp"

namespace amble {

namespace {

/// A row of the table of contacts.
struct Touch {
  double t;
  int a, b;  // bodies, -1 the world
  Vector3<double> point, force, normal;
  double friction;
};
Touch touch_of(const double* row) {
  const auto vector = [&](int at) { return Vector3<double>(row[at], row[at + 1], row[at + 2]); };
  return {row[0], static_cast<int>(row[1]), static_cast<int>(row[2]), vector(3), vector(6), vector(9), row[12]};
}

constexpr double kSameTime = 1e-9;  // s: times of steps and of states are summed up differently

/// f(touch) for every contact that bears.
template <class F>
void for_each_touch(const Recording& r, F f) {
  const double least = 1e-3 * r.mechanism().mass() * r.mechanism().gravity().norm();
  for (std::size_t i = 0; i < r.contacts().rows(); ++i) {
    const Touch touch = touch_of(r.contacts().row(i));
    if (touch.force.dot(touch.normal) > least) f(touch);
  }
}

/// Velocities of points of bodies at the states of a recording.
class PointSpeeds {
 public:
  explicit PointSpeeds(const Recording& r) : r_(r), work_(r.mechanism()) {}

  /// To the state that the step which ends at that time gave: it lies within the step.
  void go_to(double t) {
    while (row_ + 1 < r_.rows() && r_.t()[row_ + 1] <= t + kSameTime) ++row_;
  }
  Vector3<double> at(int body, const Vector3<double>& p_W) {
    if (body < 0) return Vector3<double>::Zero();
    const Mechanism& m = r_.mechanism();
    const std::string& name = m.bodies()[body].name;
    const OwnedVector q = r_.q().row(row_).transpose(), v = r_.v().row(row_).transpose();
    const Vector3<double> p_B = pose(m, work_, q, name).inverse() * p_W;
    return jacobian(m, work_, q, name, {.point = p_B, .frame = JacobianFrame::aligned}).topRows(3) * v;
  }

 private:
  const Recording& r_;
  Workspace work_;
  Eigen::Index row_ = 0;
};

}  // namespace

double fastest_slip(const Recording& r) {
  double fastest = 0.0;
  PointSpeeds speeds(r);
  for_each_touch(r, [&](const Touch& touch) {
    speeds.go_to(touch.t);
    const Vector3<double> v = speeds.at(touch.b, touch.point) - speeds.at(touch.a, touch.point);
    fastest = std::max(fastest, (v - v.dot(touch.normal) * touch.normal).norm());
  });
  return fastest;
}

double cone_use(const Recording& r) {
  double most = 0.0;
  for_each_touch(r, [&](const Touch& touch) {
    const double along = touch.force.dot(touch.normal), across = (touch.force - along * touch.normal).norm();
    if (across > 0.0) most = std::max(most, across / (touch.friction * along));
  });
  return most;
}

double least_limit_margin(const Recording& r) {
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < r.rows(); ++i) least = std::min(least, limit_margin(r.mechanism(), r.q().row(i).transpose()));
  return least;
}

namespace {

/// f(row of the books, torques that act from then on) of every sampled controller.
template <class F>
void for_each_torque(const Recording& r, std::span<const ElementPtr> elements, F f) {
  const LedgerHistory& books = r.ledgers();
  std::size_t first = 0;  // memories come after the states of all elements
  for (const ElementPtr& e : elements) first += e->size();
  for (const ElementPtr& e : elements) {
    for (std::size_t row = 0; row < books.rows() && first < books.numbers_per_row(); ++row)
      if (const double* const tau = acting_forces(*e, books.numbers().data() + row * books.numbers_per_row() + first); tau != nullptr) f(row, tau);
    first += e->memory();
  }
}

}  // namespace

double torque_use(const Recording& r, std::span<const ElementPtr> elements) {
  const OwnedVector& limit = r.mechanism().effort_limit();
  double most = 0.0;
  for_each_torque(r, elements, [&](std::size_t, const double* tau) {
    for (int k = 0; k < limit.size(); ++k)
      if (tau[k] != 0.0) most = std::max(most, std::abs(tau[k]) / limit[k]);
  });
  return most;
}

double positive_joint_work(const Recording& r, std::span<const ElementPtr> elements) {
  double sum = 0.0;
  const int nv = r.mechanism().nv();
  for_each_torque(r, elements, [&](std::size_t row, const double* tau) {
    if (row + 1 >= static_cast<std::size_t>(r.rows())) return;
    const auto i = static_cast<Eigen::Index>(row);
    const double time = r.t()[i + 1] - r.t()[i];
    for (int k = 0; k < nv; ++k) sum += time * std::max(0.0, tau[k] * 0.5 * (r.v()(i, k) + r.v()(i + 1, k)));
  });
  return sum;
}

}  // namespace amble
