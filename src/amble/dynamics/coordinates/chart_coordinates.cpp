#include "amble/dynamics/coordinates/chart_coordinates.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

bool takes_chart(const Joint& joint) { return joint.kind == kJointKind<Free> || joint.kind == kJointKind<Spherical>; }
bool has_coordinates(const Joint& joint) { return joint.leader < 0 && joint.v.size > 0; }

/// Only where integrate(q, d) is q + d are the velocities of a custom joint the rates of its coordinates.
bool adds(const CustomJoint& joint) {
  if (joint.nq() != joint.nv()) return false;
  std::array<double, kMostJointCoordinates> q{}, d{}, out{};
  joint.neutral(q.data());
  for (int i = 0; i < joint.nv(); ++i) d[i] = 0.1 + 0.07 * i;
  joint.integrate(q.data(), d.data(), out.data());
  for (int i = 0; i < joint.nv(); ++i)
    if (!(std::abs(out[i] - q[i] - d[i]) < 1e-12)) return false;
  return true;
}

Vector3<double> omega_of(const ChartBlock& b, const VectorRef& v) { return v.segment<3>(b.v.start + (b.floats ? 3 : 0)); }

}  // namespace

void throw_in_joint(const std::string& joint, const Error& error) {
  throw Error(fmt::format("joint '{}': {}", joint, error.what()));
}

ChartCoordinates::ChartCoordinates(const Mechanism& mechanism, ChartPtr chart,
                                   const std::map<std::string, ChartPtr>& by_joint)
    : mechanism_(mechanism) {
  for (const auto& [name, own] : by_joint) {
    const Joint& joint = mechanism_.joints()[mechanism_.joint_index(name)];
    if (!takes_chart(joint))
      throw Error(fmt::format("joint '{}' is {}: only free and spherical joints take a chart", name, joint.type));
  }
  const std::span<const Joint> joints = mechanism_.joints();
  for (int i = 0; i < static_cast<int>(joints.size()); ++i) {
    const Joint& joint = joints[i];
    if (!has_coordinates(joint)) continue;
    if (!takes_chart(joint)) {
      add_plain(joint);
      continue;
    }
    const auto own = by_joint.find(joint.name);
    const ChartPtr& taken = own == by_joint.end() ? chart : own->second;
    if (taken == nullptr) throw Error(fmt::format("joint '{}' has no chart", joint.name));
    const bool floats = joint.kind == kJointKind<Free>;
    const Slice theta{size_ + (floats ? 3 : 0), taken->size()};
    blocks_.push_back({i, taken, floats, size_, theta, joint.q, joint.v, constraint_count_});
    size_ = theta.start + theta.size;
    constraint_count_ += taken->constraint_count();
  }
}

void ChartCoordinates::add_plain(const Joint& joint) {
  if (joint.parameters.custom != nullptr && !adds(*joint.parameters.custom))
    throw Error(fmt::format("custom joint '{}' has coordinates that do not add: it has no chart form", joint.name));
  const Run next{size_, joint.q.start, joint.v.start, joint.v.size};
  size_ += next.count;
  if (!plain_.empty()) {
    Run& last = plain_.back();
    if (last.chart + last.count == next.chart && last.q + last.count == next.q && last.v + last.count == next.v) {
      last.count += next.count;
      return;
    }
  }
  plain_.push_back(next);
}

void ChartCoordinates::check(const VectorRef& x, std::string_view what) const {
  if (x.size() != size_)
    throw Error(fmt::format("{} has {} numbers, but '{}' needs {} in these charts", what, x.size(), mechanism_.name(),
                            size_));
  for (int i = 0; i < size_; ++i)
    if (!std::isfinite(x[i])) throw Error(fmt::format("{}[{}] is {}", what, i, x[i]));
}

const ChartBlock& ChartCoordinates::block(std::string_view name) const {
  const int joint = mechanism_.joint_index(name);
  for (const ChartBlock& b : blocks_)
    if (b.joint == joint) return b;
  throw Error(fmt::format("joint '{}' has no chart: it is neither free nor spherical", name));
}

Slice ChartCoordinates::slice(std::string_view name) const {
  const Joint& joint = mechanism_.joints()[mechanism_.joint_index(name)];
  if (joint.leader >= 0) return slice(mechanism_.joints()[joint.leader].name);
  if (takes_chart(joint)) return {block(name).start, block(name).size()};
  for (const Run& run : plain_)
    if (joint.v.start >= run.v && joint.v.start < run.v + run.count)
      return {run.chart + joint.v.start - run.v, joint.v.size};
  return {0, 0};
}

OwnedVector ChartCoordinates::from_configuration(const VectorRef& given, const VectorRef& hint) const {
  const OwnedVector q = mechanism_.checked_configuration(given);
  if (hint.size() > 0) check(hint, "hint");
  OwnedVector out(size_);
  for_each_plain([&](int chart, int at, int, int count) { out.segment(chart, count) = q.segment(at, count); });
  for_each_block([&](const ChartBlock& b) {
    if (b.floats) out.segment<3>(b.start) = q.segment<3>(b.q.start);
    const SO3<double> R(Quaternion<double>::from_xyzw(q.data() + b.q.start + (b.floats ? 3 : 0)));
    std::optional<ChartVector> near;
    if (hint.size() > 0) near = ChartVector(hint.segment(b.theta.start, b.theta.size));
    out.segment(b.theta.start, b.theta.size) = b.chart->from_rotation(R.matrix(), near);
  });
  return out;
}

OwnedVector ChartCoordinates::configuration(const VectorRef& q_chart) const {
  check(q_chart, "q_chart");
  OwnedVector q(mechanism_.nq());
  for_each_plain([&](int chart, int at, int, int count) { q.segment(at, count) = q_chart.segment(chart, count); });
  for_each_block([&](const ChartBlock& b) {
    if (b.floats) q.segment<3>(b.q.start) = q_chart.segment<3>(b.start);
    const SO3<double> R = b.chart->rotation(q_chart.segment(b.theta.start, b.theta.size));
    R.quaternion().to_xyzw(q.data() + b.q.start + (b.floats ? 3 : 0));
  });
  return q;
}

OwnedVector ChartCoordinates::velocity(const VectorRef& q_chart, const VectorRef& rates) const {
  check(q_chart, "q_chart"), check(rates, "qdot_chart");
  OwnedVector v(mechanism_.nv());
  for_each_plain([&](int chart, int, int at, int count) { v.segment(at, count) = rates.segment(chart, count); });
  for_each_block([&](const ChartBlock& b) {
    const auto theta = q_chart.segment(b.theta.start, b.theta.size);
    if (b.floats)
      v.segment<3>(b.v.start) = b.chart->rotation(theta).matrix().transpose() * rates.segment<3>(b.start);
    v.segment<3>(b.v.start + (b.floats ? 3 : 0)) =
        b.chart->angular_velocity_jacobian_base(theta) * rates.segment(b.theta.start, b.theta.size);
  });
  return v;
}

OwnedVector ChartCoordinates::rates(const VectorRef& q_chart, const VectorRef& v) const {
  check(q_chart, "q_chart"), mechanism_.check_velocity(v, "v");
  OwnedVector out(size_);
  for_each_plain([&](int chart, int, int at, int count) { out.segment(chart, count) = v.segment(at, count); });
  for_each_block([&](const ChartBlock& b) {
    const auto theta = q_chart.segment(b.theta.start, b.theta.size);
    if (b.floats) out.segment<3>(b.start) = b.chart->rotation(theta).matrix() * v.segment<3>(b.v.start);
    out.segment(b.theta.start, b.theta.size) = b.chart->rates(theta, omega_of(b, v));
  });
  return out;
}

void ChartCoordinates::joint_forces(const VectorRef& u, OwnedVector& tau) const {
  int driven = mechanism_.nv();
  for (const ChartBlock& b : blocks_) driven -= b.floats ? b.v.size : 0;
  if (u.size() != mechanism_.nv() && u.size() != driven)
    throw Error(fmt::format("u has {} numbers, but '{}' needs {} (all joints but free ones) or {} (all joints)", u.size(),
                            mechanism_.name(), driven, mechanism_.nv()));
  if (!u.allFinite()) throw Error("u has a number that is not finite");
  if (u.size() == mechanism_.nv()) {
    tau = u;
    return;
  }
  tau.setZero();
  int at = 0;
  for (const Joint& joint : mechanism_.joints()) {
    if (!has_coordinates(joint) || joint.kind == kJointKind<Free>) continue;
    tau.segment(joint.v.start, joint.v.size) = u.segment(at, joint.v.size);
    at += joint.v.size;
  }
}

OwnedVector ChartCoordinates::constraints(const VectorRef& q_chart) const {
  check(q_chart, "q_chart");
  OwnedVector C(constraint_count_);
  for (const ChartBlock& b : blocks_)
    C.segment(b.constraint, b.chart->constraint_count()) =
        b.chart->constraints(q_chart.segment(b.theta.start, b.theta.size));
  return C;
}

}  // namespace amble
