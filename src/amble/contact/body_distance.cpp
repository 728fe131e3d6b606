#include "amble/contact/body_distance.hpp"

#include <fmt/format.h>

#include <optional>

#include "amble/base/error.hpp"
#include "amble/contact/shape_pair.hpp"
#include "amble/dynamics/kinematics.hpp"

namespace amble {

namespace {


bool flat(const CollisionShape& shape) {
  return shape.kind == CollisionShape::Kind::plane || shape.kind == CollisionShape::Kind::ground;
}

/// The link nearest to the world that carries this one.
int root_of(const Mechanism& m, int link) {
  while (link > 0 && m.links()[link].parent > 0) link = m.links()[link].parent;
  return link;
}
bool floats(const Mechanism& m, int root) { return root > 0 && m.joints()[m.links()[root].joint].type == "free"; }

/// Nothing puts them together: where they are in the neutral configuration says nothing.
bool strangers(const Mechanism& m, int a, int b) {
  const int of_a = root_of(m, a), of_b = root_of(m, b);
  return of_a != of_b && (floats(m, of_a) || floats(m, of_b));
}

bool joined(const Mechanism& m, int a, int b) {
  return a == b || (m.links()[a].parent == b && !floats(m, a)) || (m.links()[b].parent == a && !floats(m, b));
}

/// Bodies of the file that collide as something.
std::vector<const BodyDescription*> solid_bodies(const Mechanism& m) {
  std::vector<const BodyDescription*> out;
  for (const BodyDescription& b : m.description().bodies)
    if (!b.collisions.empty()) out.push_back(&b);
  return out;
}

int link_named(const Mechanism& m, const std::string& body) { return m.bodies()[m.body_index(body)].link; }
int link_of(const Mechanism& m, const BodyDescription& b) { return link_named(m, b.name); }

struct Solid {
  LinkFrame frame;
  CollisionShape shape;
};

std::vector<Solid> scenery(const Mechanism& m, const GroundPtr& ground) {
  std::vector<Solid> out;
  for (const PlacedShape& s : m.description().world_collisions) out.push_back({{0, s.X_BS}, collision_shape(s.shape)});
  if (!ground) return out;
  const std::optional<Pose> plane = ground->plane();
  out.push_back({{0, plane ? *plane : Pose()}, plane ? plane_shape() : ground_shape(ground)});
  return out;
}

std::vector<Solid> solids_of(const Mechanism& m, const std::string& name, const GroundPtr& ground) {
  std::vector<Solid> out;
  if (name == kWorld) {
    out = scenery(m, ground);
  } else {
    const Body& body = m.bodies()[m.body_index(name)];
    for (const BodyDescription* b : solid_bodies(m))
      if (b->name == name)
        for (const PlacedShape& s : b->collisions)
          out.push_back({{body.link, body.X_LB * s.X_BS}, collision_shape(s.shape)});
  }
  if (out.empty()) throw Error(fmt::format("'{}' has no collision shape: a distance from it cannot be told", name));
  return out;
}

std::vector<ContactPairPtr> shape_pairs(const std::vector<Solid>& of_a, const std::vector<Solid>& of_b) {
  std::vector<ContactPairPtr> out;
  for (const Solid& a : of_a)
    for (const Solid& b : of_b)
      if (!flat(a.shape) || !flat(b.shape)) out.push_back(shape_pair("distance", a.frame, a.shape, b.frame, b.shape));
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> bodies_without_shapes(const Mechanism& m) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const BodyDescription* body : solid_bodies(m)) {
    try {
      for (const PlacedShape& s : body->collisions) collision_shape(s.shape);
    } catch (const Error& e) {
      out.emplace_back(body->name, e.what());
    }
  }
  return out;
}

std::vector<BodyPair> meeting_bodies(const Mechanism& m, const std::vector<std::string>& left_out) {
  std::vector<const BodyDescription*> bodies = solid_bodies(m);
  std::erase_if(bodies, [&](const BodyDescription* b) { return std::count(left_out.begin(), left_out.end(), b->name) > 0; });
  BodyDistanceOptions all;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = i + 1; j < bodies.size(); ++j)
      if (!joined(m, link_of(m, *bodies[i]), link_of(m, *bodies[j])))
        all.pairs.emplace_back(bodies[i]->name, bodies[j]->name);
  if (all.pairs.empty()) return {};
  std::vector<BodyPair> out;
  BodyDistances distances(m, all);
  for (const BodyDistance& d : distances.evaluate(m.neutral()))
    if (d.at.distance > 0.0 || strangers(m, link_named(m, d.bodies.first), link_named(m, d.bodies.second))) out.push_back(d.bodies);
  return out;
}

BodyDistances::BodyDistances(const Mechanism& m, const BodyDistanceOptions& options)
    : at_(m), rest_(Eigen::VectorXd::Zero(m.nv())) {
  for (const BodyPair& names : options.pairs.empty() ? meeting_bodies(m) : options.pairs) {
    if (names.first == names.second)
      throw Error(fmt::format("body '{}' has no distance from itself: expected two bodies", names.first));
    pairs_.emplace_back();
    for (ContactPairPtr& pair :
         shape_pairs(solids_of(m, names.first, options.ground), solids_of(m, names.second, options.ground)))
      pairs_.back().push_back({std::move(pair)});
    found_.push_back({names, {}});
  }
}

const std::vector<BodyDistance>& BodyDistances::evaluate(const VectorRef& q) {
  at_.set_state(q, rest_);
  for (std::size_t i = 0; i < pairs_.size(); ++i) found_[i].at = nearest(pairs_[i]);
  return found_;
}

ContactPoint BodyDistances::nearest(std::vector<Shapes>& shapes) const {
  ContactPoint best;
  best.distance = std::numeric_limits<double>::infinity();
  for (Shapes& s : shapes) {
    const FrameMotion a = at_.frame(s.pair->a()), b = at_.frame(s.pair->b());
    s.last = s.known ? s.pair->nearest_after(s.last, a, b) : s.pair->nearest(a, b);
    s.known = true;
    if (s.last.distance < best.distance) best = s.last;
  }
  return best;
}

void BodyDistances::gradient(std::size_t pair, double* row) const {
  const ContactPoint& at = found_[pair].at;
  double bias = 0.0;
  at_.put_row({.force = at.normal, .point = at.p_b}, at.link_a, at.link_b, row, bias);
}

}  // namespace amble
