#include "amble/recording/recording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

/// "hip" for a joint of one coordinate; "base.x", "base.qw" or "base.0" for the others.
void add_names(const Joint& joint, int count, std::initializer_list<const char*> parts, std::vector<std::string>& out) {
  if (count == 1) {
    out.push_back(joint.name);
    return;
  }
  const bool named = static_cast<int>(parts.size()) == count;
  for (int k = 0; k < count; ++k)
    out.push_back(named ? fmt::format("{}.{}", joint.name, parts.begin()[k]) : fmt::format("{}.{}", joint.name, k));
}

std::initializer_list<const char*> q_parts(const Joint& joint) {
  static constexpr std::initializer_list<const char*> kFree = {"x", "y", "z", "qx", "qy", "qz", "qw"};
  static constexpr std::initializer_list<const char*> kBall = {"qx", "qy", "qz", "qw"};
  static constexpr std::initializer_list<const char*> kPlanar = {"x", "y", "angle"};
  static constexpr std::initializer_list<const char*> kCylindrical = {"displacement", "angle"};
  if (joint.kind == kJointKind<Free>) return kFree;
  if (joint.kind == kJointKind<Spherical>) return kBall;
  if (joint.kind == kJointKind<Planar>) return kPlanar;
  if (joint.kind == kJointKind<Cylindrical>) return kCylindrical;
  return {};
}

std::initializer_list<const char*> v_parts(const Joint& joint) {
  static constexpr std::initializer_list<const char*> kTwist = {"vx", "vy", "vz", "wx", "wy", "wz"};
  static constexpr std::initializer_list<const char*> kTurn = {"wx", "wy", "wz"};
  if (joint.kind == kJointKind<Free>) return kTwist;
  if (joint.kind == kJointKind<Spherical>) return kTurn;
  return q_parts(joint);
}

void append(std::vector<double>& to, const VectorRef& numbers) { to.insert(to.end(), numbers.begin(), numbers.end()); }

}  // namespace

void Recording::add(double t, const VectorRef& q, const VectorRef& v, double kinetic, double potential) {
  if (!std::isfinite(t) || (!t_.empty() && !(t > t_.back())))
    throw Error(fmt::format("a state at {} s is recorded after {} s", t, t_.empty() ? 0.0 : t_.back()));
  if (q.size() != mechanism_.nq() || v.size() != mechanism_.nv() || !q.allFinite() || !v.allFinite())
    throw Error(fmt::format("the state to record at {} s is not one of '{}'", t, mechanism_.name()));
  t_.push_back(t);
  append(q_, q), append(v_, v);
  kinetic_.push_back(kinetic), potential_.push_back(potential);
}

std::vector<std::string> Recording::q_names() const {
  std::vector<std::string> out;
  for (const Joint& joint : mechanism_.joints())
    if (joint.leader < 0 && joint.q.size > 0) add_names(joint, joint.q.size, q_parts(joint), out);
  return out;
}

std::vector<std::string> Recording::v_names() const {
  std::vector<std::string> out;
  for (const Joint& joint : mechanism_.joints())
    if (joint.leader < 0 && joint.v.size > 0) add_names(joint, joint.v.size, v_parts(joint), out);
  return out;
}

void Recording::save_csv(const std::string& path) const {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "t");
  for (const std::string& name : q_names()) fmt::format_to(out, ",q:{}", name);
  for (const std::string& name : v_names()) fmt::format_to(out, ",v:{}", name);
  fmt::format_to(out, ",kinetic,potential\n");
  for (Eigen::Index i = 0; i < rows(); ++i) {
    fmt::format_to(out, "{}", t_[i]);
    for (const double x : q().row(i)) fmt::format_to(out, ",{}", x);
    for (const double x : v().row(i)) fmt::format_to(out, ",{}", x);
    fmt::format_to(out, ",{},{}\n", kinetic_[i], potential_[i]);
  }
  write_text_file(path, {text.data(), text.size()});
}

}  // namespace amble
