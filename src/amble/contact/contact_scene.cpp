#include "amble/contact/contact_scene.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "amble/contact/collide.hpp"
#include "amble/contact/contact_sweep.hpp"
#include "amble/contact/nearest_shapes.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

constexpr double kHaste = 1.5;  // forces of a step may speed things up

void check(const std::string& user, const ContactMaterial& m) {
  if (m.friction) check_strength(user, "friction", *m.friction, true);
  if (!(m.restitution >= 0.0 && m.restitution <= 1.0))
    throw Error(fmt::format("'{}' has a restitution of {}: expected 0 to 1", user, m.restitution));
}

using Kind = CollisionShape::Kind;

bool endless(const CollisionShape& s) { return s.kind == Kind::plane || s.kind == Kind::ground; }

/// What holds between two shapes that the file names as a pair: what it says, unless the scene chose a material.
TouchLaw law_of_pair(const ContactPairDescription& pair, const SceneSurface& a, const SceneSurface& b) {
  TouchLaw out = touch_law(a, b);
  if (!a.is_chosen && !b.is_chosen) out.friction = pair.friction;
  out.margin = pair.margin;
  return out;
}

/// How far two sticks, each by its middle and its half as a vector, are from each other at least, squared.
double stick_distance(const Vector3<double>& a, const Vector3<double>& u, const Vector3<double>& b, const Vector3<double>& w) {
  const Vector3<double> d = b - a;
  const double uu = u.squaredNorm(), ww = w.squaredNorm(), uw = u.dot(w), ud = u.dot(d), wd = w.dot(d);
  const double square = uu * ww - uw * uw;
  double s = square > 1e-12 * uu * ww ? std::clamp((ud * ww - wd * uw) / square, -1.0, 1.0) : 0.0;
  const double t = ww > 0.0 ? std::clamp((s * uw - wd) / ww, -1.0, 1.0) : 0.0;
  s = uu > 0.0 ? std::clamp((t * uw + ud) / uu, -1.0, 1.0) : 0.0;
  return (d + t * w - s * u).squaredNorm();
}

int root_of(const Mechanism& m, int link) {
  while (link > 0 && m.links()[link].parent > 0) link = m.links()[link].parent;
  return link;
}

/// Whether two links are of one robot, which the world belongs to unless the robot floats.
bool of_one_structure(const Mechanism& m, int a, int b) {
  constexpr int kAll = 6;
  return b > 0 ? root_of(m, a) == root_of(m, b) : m.links()[root_of(m, a)].v.size < kAll;
}

/// Whether the nearest points of two bodies have to be searched for.
bool searches(const CollisionShape& a, const CollisionShape& b) {
  const auto direct = [](Kind kind) { return kind == Kind::sphere || kind == Kind::capsule || kind == Kind::box; };
  return !endless(a) && !endless(b) && !(direct(a.kind) && direct(b.kind));
}

/// Which shapes overlap in the neutral configuration.
class Overlaps {
 public:
  explicit Overlaps(const Mechanism& m) : work_(m), X_WL_(forward_kinematics(m, work_, m.neutral())) {}

  template <class Solid>
  bool overlap(const Solid& a, const Solid& b) {
    const Pose X_a = X_WL_[a.link] * a.X_LS, X_b = X_WL_[b.link] * b.X_LS;
    if (!endless(a.shape) && !endless(b.shape)) {
      const double reach = a.reach + b.reach;
      if ((X_b.translation() - X_a.translation()).squaredNorm() >= reach * reach) return false;
      if (searches(a.shape, b.shape) && !detail::shapes_overlap(a.shape, X_a, b.shape, X_b)) return false;
      if (a.shape.mesh && b.shape.mesh) return true;
    }
    collide(a.shape, X_a, b.shape, X_b, 0.0, manifold_);
    return manifold_.count > 0;
  }

 private:
  Workspace work_;
  LinkPoses X_WL_;
  ContactManifold manifold_;
};

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// Of one thread, as scenes are shared.
ContactSweep& sweep_of_this_thread() {
  thread_local ContactSweep sweep;
  return sweep;
}

}  // namespace

// ---- what there is

ContactScene::ContactScene(std::string name, const Mechanism& m, const ContactSceneOptions& o)
    : SolvedElement(std::move(name)), id_(next_id()), margin_(o.margin) {
  check_strength(this->name(), "margin", o.margin);
  check(this->name(), o.material);
  for (const auto& [body, material] : o.materials) m.place(body), check(body, material);
  add_solids(m, o);
  find_pairs(m, o.between_bodies);
  for (ContactSpec spec : o.contacts) {
    check(spec.body, {spec.friction, spec.restitution});
    check_strength(spec.body, "radius", spec.radius);
    if (!spec.point.allFinite() || !std::isfinite(spec.offset) || !(spec.normal.norm() > 0.0) || !spec.normal.allFinite())
      throw Error(fmt::format("the contact of '{}' has a point, normal or offset that cannot be", spec.body));
    spec.normal.normalize();
    const Place place = m.place(spec.body);
    points_.push_back({place.link, place.X_LP * spec.point, spec});
  }
}

void ContactScene::add_solid(const Mechanism& m, int body, const PlacedShape& placed, const ContactMaterial& material) {
  Solid s;
  s.link = body < 0 ? 0 : m.bodies()[body].link;
  const ShapeReference name{body < 0 ? kWorld : m.bodies()[body].name, placed.name};
  try {
    s.shape = collision_shape(placed.shape);
  } catch (const Error& e) {
    skipped_.push_back({name, e.what()});
    return;
  }
  s.X_LS = body < 0 ? placed.X_BS : m.bodies()[body].X_LB * placed.X_BS;
  s.reach = s.shape.reach(), s.arm = s.X_LS.translation().norm();
  s.label = static_cast<int>(labels_.size());
  labels_.push_back({name, scene_surface(placed.surface, material)});
  s.layer = std::max(0.0, labels_.back().surface.of_shape.margin);
  enclose(s);
  solids_.push_back(std::move(s));
}

void ContactScene::enclose(Solid& s) {
  const Vector3<double>& size = s.shape.size;
  switch (s.shape.kind) {
    case Kind::capsule:
    case Kind::cylinder: s.half = size[1], s.radius = size[0]; return;
    case Kind::box: {
      size.maxCoeff(&s.axis);
      s.half = size[s.axis], s.radius = std::sqrt(std::max(0.0, size.squaredNorm() - s.half * s.half));
      return;
    }
    default: s.half = 0.0, s.radius = s.reach;
  }
}

void ContactScene::add_ground(const GroundPtr& ground, const ContactMaterial& material) {
  ground_ = ground;
  Solid s;
  const std::optional<Pose> plane = ground->plane();
  s.shape = plane ? plane_shape() : ground_shape(ground);
  if (plane) s.X_LS = *plane;
  s.reach = s.shape.reach(), s.label = static_cast<int>(labels_.size());
  labels_.push_back({{kWorld, ""}, scene_surface({}, material)});
  solids_.push_back(std::move(s));
}

void ContactScene::add_solids(const Mechanism& m, const ContactSceneOptions& o) {
  const auto material = [&](const std::string& body) {
    const auto own = o.materials.find(body);
    return own == o.materials.end() ? o.material : own->second;
  };
  if (o.shapes)
    for (const BodyDescription& b : m.description().bodies)
      for (const PlacedShape& shape : b.collisions) add_solid(m, m.body_index(b.name), shape, material(b.name));
  if (o.shapes)
    for (const PlacedShape& shape : m.description().world_collisions) add_solid(m, -1, shape, material(kWorld));
  const bool own_plane = std::any_of(solids_.begin(), solids_.end(), [](const Solid& s) { return s.link == 0 && endless(s.shape); });
  const GroundPtr ground = o.ground ? *o.ground : own_plane ? nullptr : plane_ground();
  if (ground) add_ground(ground, material(kWorld));
  const auto moves = [](const Solid& s) { return s.link > 0; };
  moving_ = static_cast<int>(std::stable_partition(solids_.begin(), solids_.end(), moves) - solids_.begin());
}

void ContactScene::find_pairs(const Mechanism& m, bool between_bodies) {
  const int n = static_cast<int>(solids_.size());
  may_touch_.assign(n * n, 0), law_of_.assign(n * n, -1);
  const TouchRules rules(m);
  Overlaps overlaps(m);
  for (int i = 0; i < moving_; ++i)
    for (int j = i + 1; j < n; ++j) {
      const Solid &a = solids_[i], &b = solids_[j];
      const bool both = j < moving_;
      if ((endless(a.shape) && endless(b.shape)) || a.link == b.link || (both && !between_bodies)) continue;
      const Label &of_a = label(i), &of_b = label(j);
      if (const ContactPairDescription* pair = rules.pair(of_a.name, of_b.name)) {
        add_touching(i, j, law_of_pair(*pair, of_a.surface, of_b.surface));
        continue;
      }
      if (!masks_meet(of_a.surface.of_shape, of_b.surface.of_shape) || rules.excluded(of_a.name.body, of_b.name.body)) continue;
      if (both && rules.joined(a.link, b.link)) continue;
      if (of_one_structure(m, a.link, b.link) && !endless(b.shape) && overlaps.overlap(a, b))
        note_overlap(of_a.name.body, of_b.name.body);
      else
        add_touching(i, j, touch_law(of_a.surface, of_b.surface));
    }
}

void ContactScene::add_touching(int i, int j, const TouchLaw& law) {
  const int n = static_cast<int>(solids_.size());
  const auto known = std::find(laws_.begin(), laws_.end(), law);
  law_of_[i * n + j] = law_of_[j * n + i] = static_cast<int>(known - laws_.begin());
  if (known == laws_.end()) laws_.push_back(law);
  may_touch_[i * n + j] = may_touch_[j * n + i] = 1;
  // What a pair asks for beyond the layers of its shapes is looked for around one of them.
  const double missing = law.margin - solids_[i].layer - solids_[j].layer;
  if (missing > 0.0) solids_[i].layer += missing;
}

std::vector<TouchingPair> ContactScene::pairs() const {
  const int n = static_cast<int>(solids_.size());
  std::vector<TouchingPair> out;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      if (may_touch_[i * n + j]) out.push_back({label(i).name, label(j).name, laws_[law_of_[i * n + j]]});
  return out;
}

void ContactScene::note_overlap(const std::string& a, const std::string& b) {
  const std::pair names(a, b);
  if (std::find(overlapping_.begin(), overlapping_.end(), names) == overlapping_.end()) overlapping_.push_back(names);
}

// ---- where they touch

double ContactScene::travel(const Solid& s, const StepStart& start) const {
  if (s.link == 0) return 0.0;
  const double arm = std::isfinite(s.reach) ? s.arm + s.reach : s.arm;
  return kHaste * start.h * (start.origin_speed[s.link] + start.turn_speed[s.link] * arm);
}

/// Whether the capsules that hold two shapes are within `margin` of each other.
bool ContactScene::near(int i, int j, double margin, ContactSweep& sweep) const {
  const Solid &a = solids_[i], &b = solids_[j];
  const Pose &X_a = sweep.pose(i), &X_b = sweep.pose(j);
  const double between = (X_a.translation() - X_b.translation()).norm() - a.reach - b.reach;
  if (between > margin) return sweep.note_distance(i, j, between), false;
  const Vector3<double> u = a.half * X_a.rotation().matrix().col(a.axis), w = b.half * X_b.rotation().matrix().col(b.axis);
  const double square = stick_distance(X_a.translation(), u, X_b.translation(), w), held = a.radius + b.radius + margin;
  if (square < held * held) return true;
  return sweep.note_distance(i, j, std::sqrt(square) - a.radius - b.radius), false;
}

/// The same over a plane.
bool ContactScene::low(int plane, int i, double margin, const ContactSweep& sweep) const {
  const Solid& s = solids_[i];
  const Vector3<double> up = sweep.pose(plane).rotation().matrix().col(2);
  const Pose& X = sweep.pose(i);
  const double height = up.dot(X.translation() - sweep.pose(plane).translation());
  return height - s.half * std::abs(up.dot(X.rotation().matrix().col(s.axis))) - s.radius < margin;
}

void ContactScene::collide_pair(int a, int b, double margin, ContactSweep& sweep, ContactManifold& found) const {
  const auto collide_within = [&](double within, const Vector3<double>* near) {
    collide(solids_[a].shape, sweep.pose(a), solids_[b].shape, sweep.pose(b), within, found, near);
  };
  if (solids_[a].shape.kind == Kind::plane && solids_[b].shape.kind == Kind::cylinder) {
    const Vector3<double> way = sweep.last_way(a, b, sweep.down());
    collide_within(margin, &way);
    if (found.count > 0) sweep.keep(a, b, 0.0, 0.0, found);
    return;
  }
  if (!searches(solids_[a].shape, solids_[b].shape)) return collide_within(margin, nullptr);
  if (sweep.carried(a, b, margin, found)) return;
  const double moved = sweep.moved(a, b);
  PairMemory& memory = sweep.memory(a, b);
  collide_again(solids_[a].shape, sweep.pose(a), solids_[b].shape, sweep.pose(b), margin, moved, memory, found);
  sweep.note_distance(a, b, memory.distance);
  sweep.note_memory(a, b);
  if (found.count > 0) sweep.keep(a, b, solids_[a].reach + solids_[b].reach, margin, found);
}

void ContactScene::add_pair(int i, int j, ContactSweep& sweep, std::vector<StepBlock>& out) const {
  // What does not move stands as a, so that normals are those of the ground.
  const int a = j >= moving_ ? j : i, b = j >= moving_ ? i : j;
  const double margin = margin_ + sweep.travel(a) + sweep.travel(b);  // with the layers of both
  ContactManifold& found = sweep.found;
  collide_pair(a, b, margin, sweep, found);
  if (found.count == 0) return;
  const TouchLaw& law = laws_[law_of_[a * static_cast<int>(solids_.size()) + b]];
  const double within = margin - solids_[a].layer - solids_[b].layer;
  for (int k = 0; k < found.count; ++k) {
    if (!(found.points[k].distance - law.margin < within)) continue;
    StepBlock block{.kind = StepBlock::Kind::contact, .at = found.points[k], .friction = law.friction,
                    .restitution = law.restitution};
    if (law.margin != 0.0) block.at.distance -= law.margin, block.at.p_a += law.margin * block.at.normal;
    block.at.link_a = solids_[a].link, block.at.link_b = solids_[b].link;
    block.key = (std::uint64_t(a) << 48) ^ (std::uint64_t(b) << 32) ^ found.keys[k];
    out.push_back(block);
  }
}

void ContactScene::add_points(const StepStart& start, std::vector<StepBlock>& out) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Point& p = points_[i];
    const ContactSpec& spec = p.spec;
    const Vector3<double> center = start.X_WL[p.link] * p.p_L;
    const double distance = center.dot(spec.normal) - spec.offset - spec.radius;
    const double speed = p.link == 0 ? 0.0 : start.origin_speed[p.link] + start.turn_speed[p.link] * (p.p_L.norm() + spec.radius);
    if (distance > margin_ + kHaste * start.h * speed) continue;
    StepBlock block{.kind = StepBlock::Kind::contact, .friction = spec.friction, .restitution = spec.restitution,
                    .key = (std::uint64_t(1) << 63) ^ i};
    block.at.link_b = p.link, block.at.normal = spec.normal, block.at.distance = distance;
    block.at.p_b = center - spec.radius * spec.normal, block.at.p_a = block.at.p_b - distance * spec.normal;
    out.push_back(block);
  }
}

/// Where the shapes are now, in the order that they have along x.
void ContactScene::place_solids(const StepStart& start, ContactSweep& sweep) const {
  const int n = static_cast<int>(solids_.size());
  sweep.start(id_, start.t, n, may_touch_, start.mechanism.gravity());
  auto& order = sweep.order();
  if (order.empty())
    for (int i = 0; i < n; ++i)
      if (!endless(solids_[i].shape)) order.emplace_back(0.0, i);
  for (int i = 0; i < n; ++i) {
    const Solid& s = solids_[i];
    const bool moves = s.link > 0 && !endless(s.shape);
    sweep.place(i, s.link == 0 ? s.X_LS : start.X_WL[s.link] * s.X_LS, moves ? s.reach : -1.0, s.layer + travel(s, start));
  }
  for (auto& [x, i] : order) x = sweep.pose(i).translation().x() - solids_[i].reach - sweep.travel(i);
  sweep.sort();
}

void ContactScene::add_blocks(const StepStart& start, std::vector<StepBlock>& out) const {
  ContactSweep& sweep = sweep_of_this_thread();
  place_solids(start, sweep);
  const int n = static_cast<int>(solids_.size());
  const auto& order = sweep.order();
  for (std::size_t k = 0; k < order.size(); ++k) {
    const int i = order[k].second;
    const double end = order[k].first + 2.0 * (solids_[i].reach + sweep.travel(i)) + margin_;
    for (std::size_t l = k + 1; l < order.size() && order[l].first < end; ++l) {
      const int j = order[l].second;
      if (sweep.apart(i, j, margin_)) continue;
      if (near(i, j, margin_ + sweep.travel(i) + sweep.travel(j), sweep)) add_pair(std::min(i, j), std::max(i, j), sweep, out);
    }
  }
  for (int j = 0; j < n; ++j) {
    if (!endless(solids_[j].shape)) continue;
    const bool plane = solids_[j].shape.kind == Kind::plane;
    for (int i = 0; i < n; ++i) {
      const bool may = may_touch_[i * n + j] && (!plane || low(j, i, margin_ + sweep.travel(i) + sweep.travel(j), sweep));
      if (may) add_pair(std::min(i, j), std::max(i, j), sweep, out);
    }
  }
  add_points(start, out);
}

std::shared_ptr<const ContactScene> contact_scene(std::string name, const Mechanism& m, const ContactSceneOptions& options) {
  return std::make_shared<ContactScene>(std::move(name), m, options);
}

}  // namespace amble
