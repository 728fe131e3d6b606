#include "amble/io/urdf/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace amble {

namespace {

[[noreturn]] void refuse(const std::string& element, const std::string& reason) {
  throw Error(fmt::format("{}: {}", element, reason));
}

void check_finite(const std::string& element, std::initializer_list<bool> all_finite) {
  for (bool finite : all_finite)
    if (!finite) refuse(element, "a number that is not finite cannot be written to URDF");
}

bool is_finite(const Pose& X) { return X.matrix().allFinite(); }
bool is_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}
bool any_nan(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}

/// Empty, or the default written out.
bool says_nothing(const std::vector<double>& values, double usual) {
  return std::all_of(values.begin(), values.end(), [&](double x) { return x == usual; });
}

bool is_identity(const Pose& X) { return X.matrix() == Matrix4<double>::Identity(); }

void check_shape(const std::string& element, const PlacedShape& s, bool is_collision) {
  if (s.shape.kind == Shape::Kind::ellipsoid || s.shape.kind == Shape::Kind::plane)
    refuse(element, fmt::format("URDF has no shape '{}'", shape_name(s.shape.kind)));
  if (is_collision && s.color) refuse(element, "a collision shape has no color in URDF");
  check_finite(element, {is_finite(s.X_BS), s.shape.size.allFinite()});
}

void check_body(const BodyDescription& b) {
  const std::string element = fmt::format("body '{}'", b.name);
  const Inertia<double>& I = b.inertia;
  if (b.auxiliary)
    refuse(element, "a massless frame between stacked joints would become a link of its own in URDF");
  check_finite(element,
               {std::isfinite(I.mass()), I.first_moment().allFinite(), I.about_origin().allFinite()});
  if (I.mass() == 0.0 && !I.first_moment().isZero(0.0))
    refuse(element, "a first moment without mass is not for URDF");
  for (const PlacedShape& s : b.visuals) check_shape(element, s, false);
  for (const PlacedShape& s : b.collisions) check_shape(element, s, true);
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void check_several_axes(const std::string& element, const JointDescription& j) {
  const JointProperties& p = j.properties;
  const bool silent = says_nothing(p.lower, -kUnlimited) && says_nothing(p.upper, kUnlimited) &&
                      says_nothing(p.velocity, kUnlimited) && says_nothing(p.effort, kUnlimited) &&
                      says_nothing(p.damping, 0.0) && says_nothing(p.friction, 0.0);
  if (!silent) refuse(element, fmt::format("URDF gives a {} joint no limits, damping or friction", j.type));
  if (j.mimic) refuse(element, fmt::format("URDF has no mimic for a {} joint", j.type));
}

void check_one_axis(const std::string& element, const JointProperties& p) {
  for (const auto* values : {&p.lower, &p.upper, &p.velocity, &p.effort, &p.damping, &p.friction})
    if (values->size() > 1) refuse(element, fmt::format("{} numbers for one axis", values->size()));
  check_finite(element, {is_finite(p.damping), is_finite(p.friction), !any_nan(p.lower), !any_nan(p.upper),
                         !any_nan(p.velocity), !any_nan(p.effort)});
}

void check_joint(const JointDescription& j) {
  const std::string element = fmt::format("joint '{}'", j.name);
  const JointProperties& p = j.properties;
  const bool one_axis = is_one_of(j.type, {"revolute", "continuous", "prismatic"});
  if (!one_axis && !is_one_of(j.type, {"planar", "spherical", "free", "fixed"}))
    refuse(element, fmt::format("URDF has no joint of type '{}'", j.type));
  if (j.type != "fixed" && !is_identity(j.X_CM))
    refuse(element,
           "in URDF a joint's frame is its child's frame; this one stands elsewhere in the child (X_CM)");
  if (!says_nothing(p.armature, 0.0)) refuse(element, "URDF has no armature");
  if (!says_nothing(p.stiffness, 0.0) || !says_nothing(p.reference, 0.0))
    refuse(element, "URDF has no joint springs");
  check_finite(element, {is_finite(j.X_PF), is_finite(j.X_CM), j.axis.allFinite()});
  if (j.mimic) check_finite(element, {std::isfinite(j.mimic->ratio), std::isfinite(j.mimic->offset)});
  one_axis ? check_one_axis(element, p) : check_several_axes(element, j);
}

/// URDF is one tree: one root, one parent each.
void check_tree(const ModelDescription& model) {
  std::map<std::string, std::string> parent_joint;
  for (const JointDescription& j : model.joints) {
    const auto [first, is_new] = parent_joint.try_emplace(j.child, j.name);
    if (!is_new)
      refuse(fmt::format("joint '{}'", j.name),
             fmt::format("body '{}' already hangs on joint '{}', and URDF has no loops", j.child,
                         first->second));
  }
  std::string root;
  const auto on_world = [](const JointDescription& j) { return j.parent == kWorld; };
  if (std::any_of(model.joints.begin(), model.joints.end(), on_world)) root = kWorld;
  for (const BodyDescription& b : model.bodies) {
    if (parent_joint.contains(b.name) || b.name == root) continue;
    if (!root.empty())
      refuse(fmt::format("body '{}'", b.name), fmt::format("URDF has one root, and that is '{}'", root));
    root = b.name;
  }
}

}  // namespace

void check_urdf_can_say(const ModelDescription& model) {
  const std::string element = fmt::format("model '{}'", model.name);
  if (model.gravity != Vector3<double>(ModelDescription{}.gravity))
    refuse(element, fmt::format("URDF cannot say its gravity ({}, {}, {})", model.gravity[0],
                                model.gravity[1], model.gravity[2]));
  if (!model.loops.empty()) refuse(fmt::format("loop '{}'", model.loops.front().name), "URDF has no loops");
  if (!model.springs.empty())
    refuse(fmt::format("spring '{}'", model.springs.front().name), "URDF has no springs between bodies");
  if (!model.rollings.empty())
    refuse(fmt::format("rolling '{}'", model.rollings.front().name), "URDF has no rolling wheels");
  if (!model.drives.empty())
    refuse(fmt::format("drive '{}'", model.drives.front().name), "URDF has no drives");
  if (!model.keyframes.empty())
    refuse(fmt::format("keyframe '{}'", model.keyframes.front().name), "URDF has no keyframes");
  if (!model.frames.empty())
    refuse(fmt::format("frame '{}'", model.frames.front().name), "URDF has no named frames on a body");
  if (!model.world_visuals.empty() || !model.world_collisions.empty())
    refuse(element, "URDF has no scenery; give its shapes to a body");
  for (const BodyDescription& b : model.bodies) check_body(b);
  for (const JointDescription& j : model.joints) check_joint(j);
  check_tree(model);
}

}  // namespace amble
