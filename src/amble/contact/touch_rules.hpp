#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// How a surface touches others, in place of what a model's file says about its shapes.
struct ContactMaterial {
  /// Coulomb's coefficient, 0 to infinity. Not given: the file's, or 0.8 where the file gives none.
  std::optional<double> friction = {};
  double restitution = 0.0;  ///< 0 to 1
};

/// A shape's surface as a scene uses it. The friction has a value; `is_chosen` if the scene's options gave
/// it.
struct SceneSurface {
  ContactSurface of_shape;
  double restitution = 0.0;
  bool is_chosen = false;
};

/// What the file says of a shape, under a material of the scene. A shape without a surface touches all
/// others.
SceneSurface scene_surface(const std::optional<ContactSurface>& of_file, const ContactMaterial& material);

/// What two surfaces make of each other.
struct TouchLaw {
  double friction = 0.0, restitution = 0.0;
  double margin = 0.0;  ///< the distance at which they touch (m)
  bool operator==(const TouchLaw&) const = default;
};
TouchLaw touch_law(const SceneSurface& a, const SceneSurface& b);

/// Whether their masks let two surfaces touch.
bool masks_meet(const ContactSurface& a, const ContactSurface& b);

/// What a mechanism's description says about pairs of shapes and of bodies.
class TouchRules {
 public:
  /// `mechanism` must outlive the rules.
  explicit TouchRules(const Mechanism& mechanism);

  /// Null when the file names no such pair. Shapes by their body's name, "world" for the scenery, and their
  /// own.
  const ContactPairDescription* pair(const ShapeReference& a, const ShapeReference& b) const;
  bool excluded(const std::string& body_a, const std::string& body_b) const;
  /// Whether two moving links are the same, or a joint connects them (or several on one body) and the file
  /// does not let such links touch.
  bool joined(int link_a, int link_b) const;

 private:
  int carrier(int link) const;  // the next link towards the world that has a body of its own

  const Mechanism& m_;
  std::map<std::string, std::vector<const ContactPairDescription*>> pairs_;  // by either shape's name
  std::vector<std::pair<std::string, std::string>> exclusions_;              // sorted, both ways round
  std::vector<char> has_body_;                                               // links
};

}  // namespace amble
