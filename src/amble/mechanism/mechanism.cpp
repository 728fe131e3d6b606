#include "amble/mechanism/mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/names.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

template <class Map>
[[noreturn]] void throw_unknown(const char* what, std::string_view name, const Map& known) {
  std::vector<std::string> names;
  for (const auto& [key, index] : known) names.push_back(key);
  throw Error(fmt::format("there is no {} '{}'{}", what, name, suggestion(name, names)));
}

/// f(joint object, record) for every joint that has coordinates of its own.
template <class F>
void for_each_coordinate_joint(std::span<const Joint> joints, F f) {
  for (const Joint& record : joints)
    if (record.leader < 0 && record.v.size > 0)
      visit_joint(record.kind, record.parameters, [&](const auto& joint) { f(joint, record); });
}

void check_size(const VectorRef& x, int expected, std::string_view what, std::string_view mechanism) {
  if (x.size() != expected)
    throw Error(fmt::format("{} has {} numbers, but '{}' needs {}", what, x.size(), mechanism, expected));
}

}  // namespace

int Mechanism::body_index(std::string_view name) const {
  const auto found = body_index_.find(name);
  if (found == body_index_.end()) throw_unknown("body", name, body_index_);
  return found->second;
}

int Mechanism::joint_index(std::string_view name) const {
  const auto found = joint_index_.find(name);
  if (found == joint_index_.end()) throw_unknown("joint", name, joint_index_);
  return found->second;
}

int Mechanism::tendon_index(std::string_view name) const {
  for (std::size_t i = 0; i < tendons_.size(); ++i)
    if (tendons_[i].name == name) return static_cast<int>(i);
  std::vector<std::string> names;
  for (const Tendon& t : tendons_) names.push_back(t.name);
  throw Error(fmt::format("there is no tendon '{}'{}", name, suggestion(name, names)));
}

Place Mechanism::place(std::string_view name) const {
  if (const auto found = frame_index_.find(name); found != frame_index_.end()) {
    const Frame& frame = frames_[found->second];
    return {frame.body, frame.link, frame.X_LF};
  }
  const int body = body_index(name);
  if (body < 0) return {};
  return {body, bodies_[body].link, bodies_[body].X_LB};
}

const Keyframe& Mechanism::keyframe(std::string_view name) const {
  std::vector<std::string> names;
  for (const Keyframe& k : keyframes_) {
    if (k.name == name) return k;
    names.push_back(k.name);
  }
  constexpr std::size_t kMostNamed = 10;
  const std::vector<std::string> named(names.begin(), names.begin() + std::min(names.size(), kMostNamed));
  const std::string others = names.empty() ? "the model has none"
                                           : fmt::format("there are {}{}", fmt::join(named, ", "),
                                                         names.size() > kMostNamed ? ", ..." : "");
  throw Error(fmt::format("there is no keyframe '{}'{}; {}", name, suggestion(name, names), others));
}

Slice Mechanism::q_slice(std::string_view joint) const { return joints_[joint_index(joint)].q; }
Slice Mechanism::v_slice(std::string_view joint) const { return joints_[joint_index(joint)].v; }

OwnedVector Mechanism::neutral() const {
  OwnedVector q(nq_);
  for_each_coordinate_joint(joints_, [&](const auto& joint, const Joint& at) { joint.neutral(q.data() + at.q.start); });
  return q;
}

OwnedVector Mechanism::random(Random& random) const {
  OwnedVector q(nq_);
  for_each_coordinate_joint(joints_, [&](const auto& joint, const Joint& at) {
    joint.random(random, lower_.data() + at.q.start, upper_.data() + at.q.start, q.data() + at.q.start);
  });
  return q;
}

OwnedVector Mechanism::random(std::uint64_t seed) const {
  Random generator(seed);
  return random(generator);
}

OwnedVector Mechanism::integrate(const VectorRef& q, const VectorRef& dv) const {
  const OwnedVector start = checked_configuration(q);
  check_velocity(dv, "dv");
  OwnedVector out(nq_);
  integrate_unchecked(start.data(), dv.data(), out.data());
  return out;
}

void Mechanism::integrate_unchecked(const double* q, const double* d, double* out) const {
  for_each_coordinate_joint(joints_, [&](const auto& joint, const Joint& at) {
    joint.integrate(q + at.q.start, d + at.v.start, out + at.q.start);
  });
}

OwnedMatrix Mechanism::local_jacobian(const VectorRef& q, const VectorRef& d) const {
  const OwnedVector start = checked_configuration(q);
  check_velocity(d, "d");
  OwnedMatrix out(nv_, nv_);
  Matrix6<double> S;
  for_each_coordinate_joint(joints_, [&](const auto& joint, const Joint& at) {
    joint.local_jacobian(start.data() + at.q.start, d.data() + at.v.start, S);
    out.block(at.v.start, at.v.start, at.v.size, at.v.size) = S.topLeftCorner(at.v.size, at.v.size);
  });
  return out;
}

void Mechanism::local_rates_unchecked(const double* q, const double* d, const double* v, double* ddot) const {
  for_each_coordinate_joint(joints_, [&](const auto& joint, const Joint& at) {
    joint.local_rates(q + at.q.start, d + at.v.start, v + at.v.start, ddot + at.v.start);
  });
}

OwnedVector Mechanism::difference(const VectorRef& q0, const VectorRef& q1) const {
  const OwnedVector from = checked_configuration(q0), to = checked_configuration(q1);
  OwnedVector out(nv_);
  for_each_coordinate_joint(joints_, [&](const auto& joint, const Joint& at) {
    joint.difference(from.data() + at.q.start, to.data() + at.q.start, out.data() + at.v.start);
  });
  return out;
}

OwnedVector Mechanism::checked_configuration(const VectorRef& q) const {
  OwnedVector out(nq_);
  check_configuration(q, out);
  return out;
}

void Mechanism::check_configuration(const VectorRef& q, OwnedVector& out) const {
  constexpr double kUnit = 1e-6;
  check_size(q, nq_, "q", name());
  for_each_coordinate_joint(joints_, [&](const auto& joint, const Joint& at) {
    const double* given = q.data() + at.q.start;
    for (int k = 0; k < at.q.size; ++k)
      if (!std::isfinite(given[k]))
        throw Error(fmt::format("q[{}], joint '{}', is {}", at.q.start + k, at.name, given[k]));
    if (const double off = joint.project(given, out.data() + at.q.start); !(off <= kUnit))
      throw Error(fmt::format("the quaternion of joint '{}' is {:.3g} away from unit length; at most {} is normalised",
                              at.name, off, kUnit));
  });
}

void Mechanism::check_velocity(const VectorRef& v, std::string_view what) const {
  check_size(v, nv_, what, name());
  for (int i = 0; i < nv_; ++i)
    if (!std::isfinite(v[i])) throw Error(fmt::format("{}[{}] is {}", what, i, v[i]));
}

int Mechanism::counted_mobility() const {
  int freedoms = nv_;
  for (const Loop& loop : loops_) freedoms -= 6 - loop.freedoms;
  freedoms -= static_cast<int>(description_->couplings.size());
  return freedoms - kRollingRows * static_cast<int>(rollings_.size());
}

}  // namespace amble
