#include "amble/io/mjcf/joints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "amble/io/mjcf/orientation.hpp"

namespace amble {

namespace {

using Type = CompiledJoint::Type;

constexpr std::string_view kTypes[] = {"free", "ball", "slide", "hinge"};

Type type_of(const MjcfValues& e) {
  if (e.element().tag == MjcfTag::freejoint) return Type::free;
  const auto found = std::find(std::begin(kTypes), std::end(kTypes), e.text("type", "hinge"));
  return static_cast<Type>(found - std::begin(kTypes));
}

/// Only limited ranges of angles are converted: an unlimited one stays as the file says it.
void read_range(const MjcfValues& e, const MjcfSettings& settings, double unit, CompiledJoint& out) {
  out.raw_range = e.numbers<2>("range");
  const bool empty_ball = out.type == Type::ball && !(out.raw_range[0] < out.raw_range[1]);
  if (out.type == Type::free || empty_ball) return;
  out.range = mjcf_range(e, settings, "limited", "range");
  if (!out.range) return;
  for (double& x : *out.range) x *= unit;
  out.raw_range = *out.range;
  if (out.type == Type::ball && (*out.range)[0] != 0.0)
    refuse(e.element(), fmt::format("range of a ball joint starts at {}; expected 0", (*out.range)[0]));
}

/// The first of up to three: of free joints, which MuJoCo moves along other axes, a polynomial is not read.
void warn_polynomial(const MjcfValues& e, const char* name, const std::array<double, 3>& c,
                     Problems& findings) {
  if (c[1] != 0.0 || c[2] != 0.0)
    findings.push_back(e.element().problem(
        Severity::warning,
        fmt::format("{} of a free joint is a polynomial, of which only the first number is used", name)));
}

}  // namespace

MjcfRange mjcf_range(const MjcfValues& e, const MjcfSettings& settings, const char* limited,
                     const char* range) {
  const auto x = e.numbers<2>(range);
  const auto decided = e.decided(limited);
  if (!decided && !settings.autolimits && e.has(range) && x != std::array{0.0, 0.0} && !e.has(limited))
    refuse(e.element(),
           fmt::format("has {} but not {}, which autolimits=\"false\" asks for", range, limited));
  if (!decided.value_or(settings.autolimits && x[0] < x[1])) return {};
  if (!(x[0] < x[1]))
    refuse(e.element(),
           fmt::format("{} is ({}, {}); expected a lower and a higher number", range, x[0], x[1]));
  return x;
}

CompiledJoint read_joint(const MjcfValues& e, const MjcfSource& source, const Pose& X_BF,
                         Problems& findings) {
  CompiledJoint out;
  out.element = &e.element();
  out.name = e.element().get("name");
  out.type = type_of(e);
  if (e.element().tag == MjcfTag::freejoint) return out;
  const bool angle = out.type == Type::hinge || out.type == Type::ball;
  const double unit = angle && source.settings.degrees ? std::numbers::pi / 180.0 : 1.0;
  if (out.type != Type::free) out.anchor = X_BF * e.vector("pos");
  if (out.type == Type::hinge || out.type == Type::slide)
    out.axis = X_BF.rotation() * mjcf_direction(e.element(), e.vector("axis", {0.0, 0.0, 1.0}), "axis");
  read_range(e, source.settings, unit, out);
  out.force = mjcf_range(e, source.settings, "actuatorfrclimited", "actuatorfrcrange");
  const double angle_unit = out.type == Type::hinge ? unit : 1.0;
  out.ref = angle_unit * e.number("ref", 0.0), out.springref = angle_unit * e.number("springref", 0.0);
  out.stiffness = e.numbers<3>("stiffness"), out.damping = e.numbers<3>("damping");
  if (out.type == Type::free) {
    warn_polynomial(e, "stiffness", out.stiffness, findings);
    warn_polynomial(e, "damping", out.damping, findings);
  }
  out.drives_compensate_gravity = e.flag("actuatorgravcomp", false);
  out.armature = e.number("armature", 0.0), out.frictionloss = e.number("frictionloss", 0.0);
  return out;
}

void check_stack(const CompiledBody& body) {
  int freedoms = 0;
  bool after_ball = false;
  for (const CompiledJoint& j : body.joints) {
    freedoms += j.freedoms();
    if (j.type == Type::free && (body.joints.size() > 1 || body.parent != 0))
      refuse(*j.element, "a free joint must be the only one, on a body in the world");
    if (after_ball && j.type != Type::slide)
      refuse(*j.element, "a ball joint must be the last one that turns");
    after_ball |= j.type == Type::ball;
    if (freedoms > 6)
      refuse(*j.element,
             fmt::format("body '{}' has {} degrees of freedom; expected 6 at most", body.name, freedoms));
  }
}

}  // namespace amble
