#include "amble/io/urdf/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "amble/io/split_joints.hpp"
#include "amble/mechanism/problems.hpp"
#include "amble/mechanism/spanning_tree.hpp"

namespace amble {

namespace {

bool is_identity(const Pose& X) { return X.matrix() == Matrix4<double>::Identity(); }

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Drops the numbers unless they are the default, written out or not. True when something was lost.
bool drop(std::vector<double>& values, double usual) {
  const bool says = std::any_of(values.begin(), values.end(), [&](double x) { return x != usual; });
  values.clear();
  return says;
}

class Reduction {
 public:
  Reduction(const ModelDescription& model, Problems& left_out) : m_(model), left_out_(left_out) {}

  ModelDescription run() {
    drop_cut_joints();
    drop_lists();
    if (m_.gravity != Vector3<double>(ModelDescription{}.gravity)) {
      say("gravity", fmt::format("({}, {}, {}) is left out: URDF has none", m_.gravity[0], m_.gravity[1],
                                 m_.gravity[2]));
      m_.gravity = ModelDescription{}.gravity;
    }
    split_joints(m_, {"universal", "cylindrical"}, left_out_);
    for (BodyDescription& b : m_.bodies) reduce_body(b);
    for (JointDescription& j : m_.joints) reduce_properties(j);
    const auto elsewhere = [](const JointDescription& j) {
      return j.type != "fixed" && !is_identity(j.X_CM);
    };
    add_joint_frames(m_, elsewhere, left_out_);
    collect_names();
    add_frames();
    hang_on_world();
    return std::move(m_);
  }

 private:
  void collect_names() {
    for (const BodyDescription& b : m_.bodies) body_names_.insert(b.name);
    for (const JointDescription& j : m_.joints) joint_names_.insert(j.name);
  }
  void say(const std::string& element, const std::string& reason) {
    left_out_.push_back({Severity::warning, "", 0, element, reason});
  }
  static std::string quoted(const char* kind, const std::string& name) {
    return fmt::format("{} '{}'", kind, name);
  }

  static std::string free_name(const std::string& wish, std::set<std::string>& taken) {
    std::string name = wish;
    for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", wish, i);
    return name;
  }

  /// Of the joints that hold one body, the tree of the mechanism keeps one; the others close loops.
  void drop_cut_joints() {
    Problems problems = find_problems(m_);
    throw_problems(problems, Severity::error);
    const SpanningTree tree = spanning_tree(m_, problems);
    throw_problems(problems, Severity::error);
    std::vector<int> cut(tree.cut_joints.begin(), tree.cut_joints.end());
    std::sort(cut.rbegin(), cut.rend());
    for (const int j : cut) {
      say(quoted("loop", m_.joints[static_cast<std::size_t>(j)].name), "is left out: URDF has no loops");
      m_.joints.erase(m_.joints.begin() + j);
    }
  }

  template <class List>
  void drop_list(List& list, const char* kind, const char* reason) {
    for (const auto& entry : list) say(quoted(kind, entry.name), reason);
    list.clear();
  }
  void drop_lists() {
    drop_list(m_.loops, "loop", "is left out: URDF has no loops");
    drop_list(m_.springs, "spring", "is left out: URDF has no springs between bodies");
    drop_list(m_.rollings, "rolling", "is left out: URDF has no rolling wheels");
    drop_list(m_.drives, "drive", "is left out: URDF has no drives");
    drop_list(m_.keyframes, "keyframe", "is left out: URDF has no keyframes");
  }

  void reduce_shapes(const std::string& body, std::vector<PlacedShape>& shapes, bool are_collisions) {
    for (PlacedShape& s : shapes) {
      const bool unknown = s.shape.kind == Shape::Kind::ellipsoid || s.shape.kind == Shape::Kind::plane;
      if (unknown)
        say(quoted("shape", s.name),
            fmt::format("of '{}' is left out: URDF has no {}", body, shape_name(s.shape.kind)));
      else if (are_collisions && s.color)
        say(quoted("shape", s.name), fmt::format("of '{}': a collision has no color in URDF", body));
      if (are_collisions) s.color.reset();
    }
    std::erase_if(shapes, [](const PlacedShape& s) {
      return s.shape.kind == Shape::Kind::ellipsoid || s.shape.kind == Shape::Kind::plane;
    });
  }

  void reduce_body(BodyDescription& b) {
    const std::string element = quoted("body", b.name);
    if (std::exchange(b.auxiliary, false))
      say(element, "is a frame between stacked joints and becomes a massless link");
    reduce_shapes(b.name, b.visuals, false);
    reduce_shapes(b.name, b.collisions, true);
    if (b.inertia.mass() == 0.0 && !b.inertia.first_moment().isZero(0.0)) {
      say(element, "its first moment without mass is left out");
      b.inertia = Inertia<double>::from_com(0.0, Vector3<double>::Zero(), b.inertia.about_origin());
    }
  }

  void reduce_properties(JointDescription& j) {
    const std::string element = quoted("joint", j.name);
    JointProperties& p = j.properties;
    const bool armature = drop(p.armature, 0.0), spring = drop(p.stiffness, 0.0);
    p.reference.clear();
    if (armature) say(element, "its armature is left out: URDF has none");
    if (spring) say(element, "its spring is left out: URDF has none");
    if (is_one_of(j.type, {"revolute", "continuous", "prismatic", "helical"})) return;
    const bool bounds = drop(p.lower, -kUnlimited) | drop(p.upper, kUnlimited) |
                        drop(p.velocity, kUnlimited) | drop(p.effort, kUnlimited);
    const bool losses = drop(p.damping, 0.0) | drop(p.friction, 0.0);
    if (bounds || losses)
      say(element,
          fmt::format("its limits, damping and friction are left out: URDF has none for a {} joint", j.type));
    if (j.type == "spherical")
      say(element, "the type spherical is an extension of URDF, which few programs read");
  }

  void add_frames() {
    for (const FrameDescription& f : m_.frames) {
      BodyDescription link;
      link.name = free_name(f.name, body_names_);
      say(quoted("frame", f.name),
          fmt::format("becomes the massless link '{}', fixed on '{}'", link.name, f.body));
      m_.joints.push_back({.name = free_name(f.name + "_fixed", joint_names_),
                           .type = "fixed",
                           .parent = f.body,
                           .child = link.name,
                           .X_PF = f.X_BF});
      added_.push_back(std::move(link));
    }
    m_.frames.clear();
    m_.bodies.insert(m_.bodies.end(), added_.begin(), added_.end());
  }

  /// The link `world` holds scenery and, where there would be several, the roots.
  void hang_on_world() {
    std::set<std::string> held{kWorld};
    bool needs_world = !m_.world_visuals.empty() || !m_.world_collisions.empty();
    for (const JointDescription& j : m_.joints) held.insert(j.child), needs_world |= j.parent == kWorld;
    std::vector<std::string> roots;
    for (const BodyDescription& b : m_.bodies) {
      needs_world |= b.name == kWorld;
      if (!held.contains(b.name)) roots.push_back(b.name);
    }
    if (!needs_world && roots.size() < 2) return;
    for (const std::string& root : roots)
      m_.joints.push_back({.name = free_name(root + "_fixed", joint_names_),
                           .type = "fixed",
                           .parent = kWorld,
                           .child = root});
    move_scenery();
  }

  void move_scenery() {
    reduce_shapes(kWorld, m_.world_visuals, false);
    reduce_shapes(kWorld, m_.world_collisions, true);
    const auto is_world = [](const BodyDescription& b) { return b.name == kWorld; };
    auto world = std::find_if(m_.bodies.begin(), m_.bodies.end(), is_world);
    if (world == m_.bodies.end()) {
      world = m_.bodies.insert(m_.bodies.begin(), BodyDescription{});
      world->name = kWorld;
    }
    world->visuals.insert(world->visuals.end(), m_.world_visuals.begin(), m_.world_visuals.end());
    world->collisions.insert(world->collisions.end(), m_.world_collisions.begin(), m_.world_collisions.end());
    m_.world_visuals.clear(), m_.world_collisions.clear();
  }

  ModelDescription m_;
  Problems& left_out_;
  std::set<std::string> body_names_, joint_names_;
  std::vector<BodyDescription> added_;
};

}  // namespace

ModelDescription reduce_to_urdf(const ModelDescription& model, Problems& left_out) {
  return Reduction(model, left_out).run();
}

}  // namespace amble
