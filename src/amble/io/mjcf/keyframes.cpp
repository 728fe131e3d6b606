#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/limits.hpp"
#include "amble/io/mjcf/describe.hpp"
#include "amble/io/xml/numbers.hpp"

// Keyframes: MuJoCo's qpos and qvel, joint by joint, in Amble's order and coordinates.
namespace amble {

namespace {

using Type = CompiledJoint::Type;

/// MuJoCo has w first, Amble last. A quaternion that is zero stands for no turn, as in MuJoCo.
void put_quaternion(const double* wxyz, double* xyzw) {
  Quaternion<double> q{{wxyz[1], wxyz[2], wxyz[3]}, wxyz[0]};
  const double square = q.squared_norm();
  q = square > 1e-30 && std::isfinite(square) ? q.normalized() : Quaternion<double>();
  q.to_xyzw(xyzw);
}

std::vector<double> coordinates(const CompiledJoint& joint, const double* qpos) {
  std::vector<double> q(qpos, qpos + joint.coordinates());
  if (joint.type == Type::ball) put_quaternion(qpos, q.data());
  if (joint.type == Type::free) put_quaternion(qpos + 3, q.data() + 3);
  return q;
}

/// A free joint's velocity is linear in the world there, in the body here.
std::vector<double> velocities(const CompiledJoint& joint, const std::vector<double>& q, const double* qvel) {
  std::vector<double> v(qvel, qvel + joint.freedoms());
  if (joint.type != Type::free) return v;
  const SO3<double> R_WB(Quaternion<double>::from_xyzw(q.data() + 3));
  const Vector3<double> linear = R_WB.inverse() * Vector3<double>(v[0], v[1], v[2]);
  for (int i = 0; i < 3; ++i) v[static_cast<std::size_t>(i)] = linear[i];
  return v;
}

std::vector<double> qpos_as_drawn(const CompiledModel& model) {
  std::vector<double> out(static_cast<std::size_t>(model.nq), 0.0);
  for (const CompiledBody& body : model.bodies)
    for (const CompiledJoint& j : body.joints) {
      double* q = out.data() + j.q;
      const Quaternion<double> r = body.X_WB.rotation().quaternion();
      const double turn[] = {r.w, r.v[0], r.v[1], r.v[2]};
      if (j.type == Type::hinge || j.type == Type::slide) *q = j.ref;
      if (j.type == Type::ball) *q = 1.0;
      if (j.type == Type::free) {
        for (int i = 0; i < 3; ++i) q[i] = body.X_WB.translation()[i];
        std::copy(std::begin(turn), std::end(turn), q + 3);
      }
    }
  return out;
}

class KeyframeDescriber {
 public:
  explicit KeyframeDescriber(MjcfDescriber& d) : d_(d), drawn_(qpos_as_drawn(d.model)) {}

  void add(const MjcfElement& e) {
    const MjcfValues values(e, nullptr);
    std::vector<double> qpos, qvel, ctrl;
    if (!numbers(values, "qpos", drawn_.size(), qpos) || !numbers(values, "qvel", velocity_count(), qvel))
      return;
    // Some drives that are not described take several numbers: then those of the others cannot be told apart.
    if (!numbers(values, "ctrl", d_.out.drives.size(), ctrl)) ctrl.clear();
    count_ += static_cast<double>(drawn_.size() + velocity_count() + ctrl.size());
    check_limit(Limit::keyframe_numbers, count_, *e.file + ": the number of coordinates in keyframes");
    std::copy(drawn_.begin() + static_cast<std::ptrdiff_t>(qpos.size()), drawn_.end(),
              std::back_inserter(qpos));
    qvel.resize(velocity_count());
    if (!ctrl.empty()) ctrl.resize(d_.out.drives.size());
    KeyframeDescription key{e.get("name"), values.number("time", 0.0), {}, std::move(ctrl),
                            d_.line(e),    activation(values)};
    for (const CompiledBody& body : d_.model.bodies)
      for (const CompiledJoint& j : body.joints) {
        std::vector<double> q = coordinates(j, qpos.data() + j.q), v = velocities(j, q, qvel.data() + j.v);
        key.joints.push_back({d_.names.joint(&j), std::move(q), std::move(v)});
      }
    d_.out.keyframes.push_back(std::move(key));
  }

 private:
  /// One number for each drive with dynamics, as far as these are described.
  std::vector<double> activation(const MjcfValues& e) {
    std::vector<double> out;
    if (!e.has("act")) return out;
    const auto count = static_cast<std::size_t>(
        std::count_if(d_.out.drives.begin(), d_.out.drives.end(),
                      [](const DriveDescription& x) { return x.dynamics != DriveDynamics::none; }));
    if (!numbers(e, "act", count, out)) out.clear();
    if (!out.empty()) out.resize(count);
    return out;
  }

  std::size_t velocity_count() const { return static_cast<std::size_t>(d_.model.nv); }

  /// False, with a warning, for more numbers than there may be.
  bool numbers(const MjcfValues& e, const char* attribute, std::size_t most, std::vector<double>& out) {
    out = parse_numbers(e.text(attribute)).value_or(std::vector<double>{});
    if (out.size() <= most) return true;
    d_.say(
        Severity::warning, e.element(),
        fmt::format("{} is not read: it has {} numbers; expected at most {}", attribute, out.size(), most));
    return false;
  }

  MjcfDescriber& d_;
  const std::vector<double> drawn_;
  double count_ = 0.0;
};

}  // namespace

void describe_keyframes(MjcfDescriber& d) {
  KeyframeDescriber describer(d);
  for (const MjcfElement& section : d.sources[0]->root.children)
    if (section.name == "keyframe")
      for (const MjcfElement& e : section.children)
        if (e.tag == MjcfTag::key) describer.add(e);
}

}  // namespace amble
