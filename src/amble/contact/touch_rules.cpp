#include "amble/contact/touch_rules.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

constexpr double kFriction = 0.8;  // where nobody says anything

using Combine = ContactSurface::Combine;

double combined(Combine rule, double a, double b) {
  switch (rule) {
    case Combine::larger:
      return std::max(a, b);
    case Combine::smaller:
      return std::min(a, b);
    case Combine::mean:
      break;
  }
  return a == b ? a : std::sqrt(a) * std::sqrt(b);  // which may be infinite
}

double friction_of(const ContactSurface& s) { return s.frictionless ? 0.0 : *s.friction; }

double friction_between(const ContactSurface& a, const ContactSurface& b) {
  if (a.priority != b.priority) return friction_of(a.priority > b.priority ? a : b);
  if (a.frictionless && b.frictionless) return 0.0;
  return combined(a.combine == b.combine ? a.combine : Combine::mean, *a.friction, *b.friction);
}

bool names(const ShapeReference& reference, const ShapeReference& shape) {
  return reference.body == shape.body && reference.shape == shape.shape;
}

}  // namespace

SceneSurface scene_surface(const std::optional<ContactSurface>& of_file, const ContactMaterial& material) {
  constexpr int kAllBits = -1;
  SceneSurface out{of_file.value_or(ContactSurface{.type = kAllBits, .affinity = kAllBits}),
                   material.restitution, material.friction.has_value()};
  ContactSurface& s = out.of_shape;
  if (out.is_chosen) s.priority = 0, s.frictionless = false;
  if (out.is_chosen || !s.friction)
    s.combine = Combine::mean, s.friction = material.friction.value_or(kFriction);
  return out;
}

TouchLaw touch_law(const SceneSurface& a, const SceneSurface& b) {
  return {friction_between(a.of_shape, b.of_shape), std::max(a.restitution, b.restitution),
          a.of_shape.margin + b.of_shape.margin};
}

bool masks_meet(const ContactSurface& a, const ContactSurface& b) {
  return (a.type & b.affinity) != 0 || (b.type & a.affinity) != 0;
}

TouchRules::TouchRules(const Mechanism& m) : m_(m), has_body_(m.links().size(), 0) {
  const ContactRules& rules = m.description().contact;
  for (const ContactPairDescription& p : rules.pairs) {
    pairs_[p.a.shape].push_back(&p);
    if (p.b.shape != p.a.shape) pairs_[p.b.shape].push_back(&p);
  }
  for (const ContactExclusion& e : rules.exclusions) {
    exclusions_.emplace_back(e.body_a, e.body_b);
    exclusions_.emplace_back(e.body_b, e.body_a);
  }
  std::sort(exclusions_.begin(), exclusions_.end());
  for (const Body& b : m.bodies())
    if (!b.auxiliary) has_body_[b.link] = 1;
}

const ContactPairDescription* TouchRules::pair(const ShapeReference& a, const ShapeReference& b) const {
  const auto found = pairs_.find(a.shape);
  if (found == pairs_.end()) return nullptr;
  for (const ContactPairDescription* p : found->second)
    if ((names(p->a, a) && names(p->b, b)) || (names(p->a, b) && names(p->b, a))) return p;
  return nullptr;
}

bool TouchRules::excluded(const std::string& body_a, const std::string& body_b) const {
  return !exclusions_.empty() &&
         std::binary_search(exclusions_.begin(), exclusions_.end(), std::pair(body_a, body_b));
}

int TouchRules::carrier(int link) const {
  int at = m_.links()[link].parent;
  while (at > 0 && !has_body_[at]) at = m_.links()[at].parent;
  return at;
}

bool TouchRules::joined(int a, int b) const {
  if (a == b) return true;
  return !m_.description().contact.neighbors_touch && (carrier(a) == b || carrier(b) == a);
}

}  // namespace amble
