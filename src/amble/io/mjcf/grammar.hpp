#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace amble {

/// What an element of MJCF is, whatever section it stands in. `unread` ones are known but of no use here.
enum class MjcfTag {
  unknown,
  unread,
  section,  ///< only holds others: asset, contact, actuator, ...
  mujoco,
  include,
  compiler,
  option,
  flag,
  default_class,
  worldbody,
  body,
  frame,
  replicate,
  attach,
  inertial,
  joint,
  freejoint,
  geom,
  site,
  camera,
  light,
  mesh,
  hfield,
  material,
  texture,
  model,
  pair,
  exclude,
  equality_default,
  connect,
  weld,
  joint_equality,
  tendon_equality,
  tendon_default,
  spatial_tendon,
  fixed_tendon,
  tendon_site,
  tendon_geom,
  tendon_pulley,
  tendon_joint,
  general,
  motor,
  position,
  velocity,
  intvelocity,
  orientation,
  pid,
  damper,
  cylinder,
  muscle,
  adhesion,
  dcmotor,
  plugin_drive,
  sensor,
  numeric,
  text,
  key,
};

/// What the value of an attribute must be.
struct MjcfAttribute {
  enum class Type : std::uint8_t { text, number, whole, keyword };
  std::string_view name;
  Type type = Type::text;
  int least = 1, most = 1;                 ///< how many numbers
  std::vector<std::string_view> keywords;  ///< the only values, of a keyword
  bool used = true;                        ///< false: it changes nothing here, which a note says
};

/// One row of the grammar.
struct MjcfRule {
  std::string_view name;
  MjcfTag tag = MjcfTag::unread;
  std::string_view
      holds;  ///< the context of its children; empty when it has none, "*" when none are looked at
  std::string_view meaning;  ///< of what is not read: what it is about
  std::vector<MjcfAttribute> attributes;

  const MjcfAttribute* find(std::string_view attribute) const;
};

/// The grammar of MJCF as of MuJoCo 3.12: what may stand in `context`, the element of that name; null when
/// there is none. Contexts are names of the table: "mujoco", "body", "asset", ...
const MjcfRule* mjcf_rule(std::string_view context, std::string_view element);

/// The names of all elements that may stand in a context, for messages and fuzzing.
std::vector<std::string> mjcf_names(std::string_view context);

}  // namespace amble
