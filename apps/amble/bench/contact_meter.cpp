#include "bench/contact_meter.hpp"

#include <algorithm>
#include <cmath>

namespace amble::bench {

namespace {

constexpr double kMargin = 2e-3;      // m: where links touch, or nearly
constexpr double kLoad = 1e-3;        // of the weight, between two links
constexpr double kPointLoad = 1e-4;   // of the weight, at a point
constexpr double kInside = 0.95;      // of what friction allows
constexpr double kMostSteps = 0.9;    // of all steps
constexpr double kSlip = 1e-6;        // m/s
constexpr int kPenetrationSteps = 5;  // between looks at all pairs of shapes

CollisionShape shape_of(const SceneShape& s) {
  switch (s.kind) {
    case SceneShape::Kind::box:
      return box_shape(2.0 * s.size);
    case SceneShape::Kind::sphere:
      return sphere_shape(s.size[0]);
    case SceneShape::Kind::capsule:
      return capsule_shape(s.size[0], 2.0 * s.size[1]);
    case SceneShape::Kind::cylinder:
      return cylinder_shape(s.size[0], 2.0 * s.size[1]);
    case SceneShape::Kind::plane:
      break;
  }
  return plane_shape();
}

Pose pose_of(const LinkPose& X) { return Pose(SO3<double>(X.R), X.p); }
Pose pose_of(int link, const std::vector<LinkPose>& poses) {
  return link < 0 ? Pose() : pose_of(poses[link]);
}

bool joined(const Tree& tree, int a, int b) {
  return a == b || (a >= 0 && b >= 0 && (tree.links[a].parent == b || tree.links[b].parent == a));
}

std::pair<int, int> ordered(int a, int b) { return std::minmax({a, b}); }

double normal_force(const SceneContact& c) { return c.force.dot(c.normal); }
Eigen::Vector3d friction_force(const SceneContact& c) { return c.force - normal_force(c) * c.normal; }

/// Forces between two links, summed.
struct Load {
  double normal = 0.0, tangential = 0.0;
};
using Loads = std::map<std::pair<int, int>, Load>;
Loads loads_of(const std::vector<SceneContact>& contacts) {
  Loads out;
  for (const SceneContact& c : contacts) {
    Load& load = out[ordered(c.link_a, c.link_b)];
    load.normal += normal_force(c), load.tangential += friction_force(c).norm();
  }
  return out;
}

}  // namespace

ContactMeter::ContactMeter(const Scene& scene) : friction_(scene.friction), step_(scene.step), weight_(0.0) {
  for (const TreeLink& link : scene.tree.links) weight_ += link.mass * scene.tree.gravity.norm();
  for (const SceneShape& s : scene.shapes) {
    const CollisionShape shape = shape_of(s);
    solids_.push_back({s.link, shape, Pose(SO3<double>(s.R_LS), s.p_LS), shape.reach()});
  }
  const auto apart = [&](int a, int b) {
    return joined(scene.tree, a, b) ||
           std::any_of(scene.apart.begin(), scene.apart.end(),
                       [&](const auto& pair) { return ordered(pair.first, pair.second) == ordered(a, b); });
  };
  for (int i = 0; i < static_cast<int>(solids_.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(solids_.size()); ++j)
      if (!apart(solids_[i].link, solids_[j].link)) pairs_.emplace_back(i, j);
}

double ContactMeter::height(const std::vector<LinkPose>& poses) const {
  constexpr double kFar = 1e3;
  double lowest = kFar;
  ContactManifold found;
  for (const Solid& s : solids_) {
    if (s.link < 0) continue;
    collide(plane_shape(), Pose(), s.shape, pose_of(s.link, poses) * s.X_LS, kFar, found);
    for (int k = 0; k < found.count; ++k) lowest = std::min(lowest, found.points[k].distance);
  }
  return lowest;
}

void ContactMeter::start(const std::vector<LinkPose>& poses) {
  slips_.clear(), sticking_.clear();
  steps_ = 0, penetration_ = cone_violation_ = friction_error_ = loaded_ = 0.0;
  before_ = poses;
}

/// Where pairs of solids touch or nearly do, in order.
template <class Wanted, class Found>
void ContactMeter::look(const std::vector<LinkPose>& poses, double margin, Wanted wanted, Found found) const {
  std::vector<Pose> X_WS;
  for (const Solid& s : solids_) X_WS.push_back(pose_of(s.link, poses) * s.X_LS);
  ContactManifold manifold;
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const auto [i, j] = pairs_[p];
    const double far = solids_[i].reach + solids_[j].reach + margin;
    if ((X_WS[i].translation() - X_WS[j].translation()).squaredNorm() > far * far) continue;
    if (!wanted(solids_[i].link, solids_[j].link)) continue;
    collide(solids_[i].shape, X_WS[i], solids_[j].shape, X_WS[j], margin, manifold);
    for (int k = 0; k < manifold.count; ++k) found(p, manifold.points[k], manifold.keys[k]);
  }
}

void ContactMeter::add_penetration(const std::vector<LinkPose>& poses) {
  const auto deeper = [&](std::size_t, const ContactPoint& at, std::uint32_t) {
    penetration_ = std::max(penetration_, -at.distance);
  };
  look(
      poses, 0.0, [](int, int) { return true; }, deeper);
}

/// How far the point `p` of b moves along a, from `before_` to `poses`.
Vector3<double> ContactMeter::slip(const std::vector<LinkPose>& poses, int a, int b, const Vector3<double>& p,
                                   const Vector3<double>& normal) const {
  const auto moved = [&](int link) -> Vector3<double> {
    return pose_of(link, poses) * (pose_of(link, before_).inverse() * p) - p;
  };
  const Vector3<double> way = moved(b) - moved(a);
  return way - way.dot(normal) * normal;
}

/// From `before_` to `poses`.
void ContactMeter::add_slip(const std::vector<LinkPose>& poses, const std::vector<SceneContact>& contacts) {
  const Loads loads = loads_of(contacts);
  const auto sticks = [&](int a, int b) {
    const auto at = loads.find(ordered(a, b));
    return at != loads.end() && at->second.normal > kLoad * weight_ &&
           at->second.tangential <= kInside * friction_ * at->second.normal;
  };
  for (const auto& [links, load] : loads)
    if (sticks(links.first, links.second)) ++sticking_[links];
  look(before_, kMargin, sticks, [&](std::size_t pair, const ContactPoint& at, std::uint32_t key) {
    const int a = solids_[pairs_[pair].first].link, b = solids_[pairs_[pair].second].link;
    Slip& sum = slips_[(std::uint64_t(pair) << 32) ^ key];
    sum.links = ordered(a, b), sum.sum += slip(poses, a, b, 0.5 * (at.p_a + at.p_b), at.normal);
  });
}

void ContactMeter::add_forces(const std::vector<LinkPose>& poses, const std::vector<SceneContact>& contacts) {
  for (const SceneContact& c : contacts) {
    const double normal = normal_force(c);
    if (!(normal > kPointLoad * weight_)) continue;
    loaded_ += 1.0;
    const Vector3<double> friction = friction_force(c),
                          way = slip(poses, c.link_a, c.link_b, c.point, c.normal);
    const double outside = std::max(0.0, friction.norm() / normal - friction_);
    cone_violation_ = std::max(cone_violation_, outside);
    const bool slips = way.norm() > kSlip * step_;
    const double error = slips ? (friction / normal + friction_ * way.normalized()).norm() : outside;
    friction_error_ = std::max(friction_error_, error);
  }
}

void ContactMeter::add_step(const std::vector<LinkPose>& poses, const std::vector<SceneContact>& contacts) {
  ++steps_;
  add_forces(poses, contacts);
  add_slip(poses, contacts);
  if (steps_ % kPenetrationSteps == 0) add_penetration(poses);
  before_ = poses;
}

ContactMeasures ContactMeter::measures() const {
  double drift = NAN;
  for (const auto& [key, slip] : slips_) {
    const auto stuck = sticking_.find(slip.links);
    if (stuck->second >= kMostSteps * steps_) drift = std::fmax(drift, slip.sum.norm() / (steps_ * step_));
  }
  return {penetration_, drift, cone_violation_, friction_error_, loaded_ / steps_};
}

}  // namespace amble::bench
