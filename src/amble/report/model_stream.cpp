#include "amble/report/model_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/constraints/assembly.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/contact/contact_scene.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/coordinate_names.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/report/model_shapes.hpp"
#include "amble/report/scene_format.hpp"
#include "amble/report/scene_model.hpp"
#include "amble/version.hpp"

namespace amble {

namespace {

using namespace scene_format;

constexpr std::size_t kMostNotes = 500, kMostKeyframes = 500, kMostContacts = 2000, kMostShapes = 20'000;
constexpr std::array kMotions{"turn", "slide", "helix", "ball", "free", "custom"};  // as Elementary

/// Infinite numbers are null.
Json finite(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json list_of(const OwnedVector& x, Slice slice) {
  Json out = Json::array();
  for (int k = 0; k < slice.size; ++k) out.push_back(finite(x[slice.start + k]));
  return out;
}

Json list_of(const OwnedVector& x) { return list_of(x, {0, static_cast<int>(x.size())}); }

Json place_json(const Slice& s) { return {s.start, s.size}; }

// ---- shapes

/// Corners as whole numbers of a step in each direction: 65535 of them across the mesh.
Json mesh_json(const Triangles& mesh, Blocks& blocks) {
  constexpr double kSteps = 65535.0;
  Vector3<double> low = mesh.corners.front(), high = low;
  for (const Vector3<double>& p : mesh.corners) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const Vector3<double> step = (high - low) / kSteps;
  std::vector<double> corners;
  corners.reserve(3 * mesh.corners.size());
  for (const Vector3<double>& p : mesh.corners)
    for (int k = 0; k < 3; ++k)
      corners.push_back(step[k] > 0.0 ? std::round((p[k] - low[k]) / step[k]) : 0.0);
  std::vector<std::uint32_t> faces;
  faces.reserve(3 * mesh.faces.size());
  for (const std::array<int, 3>& f : mesh.faces) faces.insert(faces.end(), f.begin(), f.end());
  const bool wide = mesh.corners.size() > 65536;
  return {{"low", json_of(low)},
          {"step", json_of(step)},
          {"corners", blocks.add<std::uint16_t>(corners)},
          {"corner_count", mesh.corners.size()},
          {"wide", wide},
          {"faces", wide ? blocks.add<std::uint32_t>(faces) : blocks.add<std::uint16_t>(faces)},
          {"face_count", mesh.faces.size()}};
}

Json shape_json(const ModelShape& s) {
  Json out{{"kind", shape_name(s.kind)},
           {"size", json_of(s.size)},
           {"pose", json_of(s.X_LS)},
           {"body", s.body},
           {"link", s.link},
           {"collision", s.collision},
           {"made_up", s.made_up},
           {"wire", s.wire},
           {"color", nullptr}};
  if (s.color) out["color"] = *s.color;
  if (s.mesh >= 0) out["mesh"] = s.mesh;
  return out;
}

// ---- the tree

Json steps_json(const JointSteps& steps) {
  Json out = Json::array();
  for (int i = 0; i < steps.count; ++i)
    out.push_back(
        {{"motion", kMotions[static_cast<std::size_t>(steps.steps[static_cast<std::size_t>(i)].motion)]},
         {"turn", json_of(steps.steps[static_cast<std::size_t>(i)].R)}});
  return out;
}

/// How a joint moves its frame: pose(q) of any type, as a chain. A custom joint stays where it is at `q`.
Json motion_json(int kind, const JointParameters& parameters, const double* q) {
  return visit_joint(kind, parameters, [&](const auto& joint) -> Json {
    const JointSteps steps = joint.steps();
    Json out{{"steps", steps_json(steps)}, {"after", json_of(steps.after)}, {"pitch", parameters.pitch}};
    if (steps.count > 0 && steps.steps[0].motion == Elementary::custom && q != nullptr)
      out["held"] = json_of(Pose(joint.pose(q)));
    return out;
  });
}

/// The axis of joints that have one, in the frame that the file gives it in.
Json axis_json(const Joint& j) {
  const int axes = visit_joint_type(j.kind, []<class Type>() { return Type::kAxes; });
  return axes > 0 ? json_of(Vector3<double>(j.R_FN.matrix().col(2))) : Json(nullptr);
}

bool has_custom(const Mechanism& m) {
  return std::any_of(m.links().begin(), m.links().end(),
                     [](const Link& l) { return l.kind == kJointKind<Custom>; });
}

Json body_json(const Body& b) {
  Json out{{"name", b.name},           {"link", b.link},
           {"joint", b.joint},         {"parent", b.parent},
           {"pose", json_of(b.X_LB)},  {"auxiliary", b.auxiliary},
           {"mass", b.inertia.mass()}, {"com", json_of(b.inertia.com())}};
  const PrincipalMoments principal = principal_moments(b.inertia);
  out["moments"] = json_of(principal.moments);
  out["axes"] = json_of(SO3<double>(principal.axes));
  out["ellipsoid"] = json_of(inertia_ellipsoid(b.inertia.mass(), principal.moments));
  return out;
}

// ---- constraints

/// Largest violation of the loops, as constraints have it (m or sines of angles).
double loop_violation(const Mechanism& m, const std::vector<ConstraintPtr>& loops, ConstraintKinematics& at,
                      const VectorRef& q) {
  at.set_state(q, OwnedVector::Zero(m.nv()));
  double worst = 0.0;
  for (const ConstraintPtr& loop : loops) {
    const std::size_t rows = static_cast<std::size_t>(loop->rows());
    std::vector<double> A(rows * static_cast<std::size_t>(m.nv())), bias(rows), violation(rows, 0.0),
        target(rows);
    loop->evaluate(at, {A.data(), bias.data(), violation.data(), target.data()});
    for (const double phi : violation) worst = std::max(worst, std::abs(phi));
  }
  return worst;
}

std::vector<ConstraintPtr> loop_list(const Mechanism& m) {
  std::vector<ConstraintPtr> all = constraints_of(m);
  all.resize(std::min(all.size(), m.loops().size()));
  return all;
}

// ---- the ground, and what touches

/// Where the ground of the picture is, and why.
struct PictureGround {
  Pose plane;
  const char* why = "z = 0";
  bool solid = true;  ///< things can touch it
};

/// From the lowest point of the bodies to the highest; none: not finite.
struct Heights {
  double low = INFINITY, high = -INFINITY;
};

Heights heights_of(const ModelShapes& shapes, const LinkPoses& poses) {
  Heights out;
  for (const ModelShape& s : shapes.shapes) {
    if (s.body < 0) continue;
    const Pose X_WS = poses[static_cast<std::size_t>(s.link)] * s.X_LS;
    const auto see = [&](const Vector3<double>& p) {
      const double z = (X_WS * p).z();
      out.low = std::min(out.low, z), out.high = std::max(out.high, z);
    };
    if (s.mesh >= 0)
      for (const Vector3<double>& p : shapes.meshes[static_cast<std::size_t>(s.mesh)].corners)
        see(s.size.cwiseProduct(p));
    else
      for (const Vector3<double>& p : triangles_of({.kind = s.kind, .size = s.size}).corners) see(p);
  }
  return out;
}

PictureGround picture_ground(const Mechanism& m, const ModelShapes& shapes, const LinkPoses& poses) {
  if (shapes.ground) return {*shapes.ground, "a plane of the scenery", true};
  // Feet that a file sinks into the ground by a little stand on it.
  constexpr double kSunk = 0.02;  // of the height
  const Heights z = heights_of(shapes, poses);
  if (!std::isfinite(z.low) || z.low >= -kSunk * (z.high - z.low) || !m.rollings().empty()) return {};
  return {Pose(Vector3<double>(0.0, 0.0, z.low)), "the lowest point of the posture shown first", false};
}

class ModelWriter {
 public:
  ModelWriter(const Mechanism& m, const ModelStreamSettings& settings)
      : m_(m),
        settings_(settings),
        work_(m),
        q_(settings.q ? m.checked_configuration(*settings.q) : nominal_posture(m)),
        shapes_(model_shapes(m, settings.most_triangles)) {}

  std::string write() {
    Json head{{"format", "amble model"}, {"version", 1}, {"name", m_.name()}, {"file", settings_.file}};
    head["amble"] = kVersion;
    head["mass"] = m_.mass(), head["gravity"] = json_of(m_.gravity());
    head["links"] = links();
    head["bodies"] = bodies();
    head["joints"] = joints();
    head["coordinates"] = coordinates();
    head["frames"] = frames();
    head["springs"] = springs_json(m_);
    head["loops"] = loops();
    head["keyframes"] = keyframes();
    head["q"] = list_of(q_);
    add_shapes(head);
    add_contacts(head);
    head["references"] = references();
    head["notes"] = notes_;
    return joined(head, blocks_);
  }

 private:
  Json links() const {
    const std::vector<std::string> names = link_names(m_);
    Json out = Json::array();
    for (std::size_t i = 0; i < m_.links().size(); ++i) {
      const Link& link = m_.links()[i];
      Json one{{"name", names[i]},  {"parent", link.parent}, {"pose", json_of(link.X_PN)},
               {"q", link.q.start}, {"ratio", link.ratio},   {"offset", link.offset}};
      one.update(i == 0 ? motion_json(kJointKind<Fixed>, {}, nullptr)
                        : motion_json(link.kind, link.parameters, q_.data() + link.q.start));
      out.push_back(std::move(one));
    }
    return out;
  }

  Json bodies() const {
    Json out = Json::array();
    for (const Body& b : m_.bodies()) out.push_back(body_json(b));
    return out;
  }

  Json joints() const {
    Json out = Json::array();
    for (const Joint& j : m_.joints()) {
      Json one{{"name", j.name},     {"type", j.type},   {"parent", j.parent},
               {"child", j.child},   {"link", j.link},   {"q", place_json(j.q)},
               {"leader", j.leader}, {"ratio", j.ratio}, {"offset", j.offset}};
      one["axis"] = axis_json(j);
      one["pitch"] = j.parameters.pitch;
      if (j.link >= 0 && j.leader < 0)
        for (const auto& [key, numbers] : {std::pair{"velocity", &m_.velocity_limit()},
                                           {"effort", &m_.effort_limit()},
                                           {"damping", &m_.damping()},
                                           {"friction", &m_.friction()},
                                           {"armature", &m_.armature()},
                                           {"stiffness", &m_.stiffness()}})
          one[key] = list_of(*numbers, j.v);
      out.push_back(std::move(one));
    }
    return out;
  }

  Json coordinates() const {
    const std::vector<std::string> names = q_names(m_), units = q_units(m_);
    const OwnedVector neutral = m_.neutral();
    Json out = Json::array();
    for (int i = 0; i < m_.nq(); ++i)
      out.push_back({{"name", names[static_cast<std::size_t>(i)]},
                     {"unit", units[static_cast<std::size_t>(i)]},
                     {"neutral", neutral[i]},
                     {"lower", finite(m_.lower()[i])},
                     {"upper", finite(m_.upper()[i])}});
    return out;
  }

  Json frames() const {
    Json out = Json::array();
    for (const Frame& f : m_.frames())
      out.push_back({{"name", f.name}, {"body", f.body}, {"link", f.link}, {"pose", json_of(f.X_LF)}});
    return out;
  }

  Json loops() const {
    Json out = Json::array();
    for (const Loop& l : m_.loops()) {
      Json one{{"name", l.name},
               {"type", l.type},
               {"body_a", l.body_a},
               {"body_b", l.body_b},
               {"link_a", l.link_a},
               {"link_b", l.link_b},
               {"pose_a", json_of(l.X_AN)},
               {"pose_b", json_of(l.X_BN)},
               {"kind", visit_joint_type(l.kind, []<class Type>() { return Type::kName; })},
               {"pitch", l.parameters.pitch},
               {"angle", l.parameters.angle}};
      out.push_back(std::move(one));
    }
    return out;
  }

  Json keyframes() {
    Json out = Json::array();
    for (const Keyframe& k : m_.keyframes()) {
      if (out.size() == kMostKeyframes) {
        note(fmt::format("of {} keyframes the first {} are shown", m_.keyframes().size(), kMostKeyframes));
        break;
      }
      out.push_back({{"name", k.name}, {"q", list_of(k.q)}});
    }
    return out;
  }

  void add_shapes(Json& head) {
    Json meshes = Json::array(), shapes = Json::array(), missing = Json::array();
    for (const Triangles& mesh : shapes_.meshes) meshes.push_back(mesh_json(mesh, blocks_));
    for (const ModelShape& shape : shapes_.shapes)
      if (shapes.size() < kMostShapes) shapes.push_back(shape_json(shape));
    if (shapes_.shapes.size() > kMostShapes)
      note(fmt::format("of {} shapes the first {} are shown", shapes_.shapes.size(), kMostShapes));
    for (const MissingMesh& m : shapes_.missing)
      if (missing.size() < kMostNotes)
        missing.push_back({{"body", m.body}, {"file", m.file}, {"reason", m.reason}});
    head["meshes"] = std::move(meshes), head["shapes"] = std::move(shapes),
    head["missing"] = std::move(missing);
    if (shapes_.cell > 0.0)
      note(fmt::format(
          "of {} triangles of meshes {} are drawn: corners are moved by at most {:.2g} m, parts smaller than "
          "that are left out",
          shapes_.triangles_before, shapes_.triangles, std::sqrt(3.0) * shapes_.cell));
    if (has_custom(m_))
      note("custom joints stay where they are in the posture shown first: their motion is code");
    if (!m_.rollings().empty()) note("wheels that roll on the ground are not kept there by the sliders");
  }

  void add_contacts(Json& head) {
    const LinkPoses poses = forward_kinematics(m_, work_, q_);
    const PictureGround ground = picture_ground(m_, shapes_, poses);
    head["ground"] = {{"pose", json_of(ground.plane)}, {"why", ground.why}, {"solid", ground.solid}};
    Json out = Json::array();
    for (const ContactPoint& c : contacts(poses, ground)) {
      if (out.size() == kMostContacts) break;
      out.push_back({{"link_a", c.link_a},
                     {"link_b", c.link_b},
                     {"point", json_of(0.5 * (c.p_a + c.p_b))},
                     {"normal", json_of(c.normal)},
                     {"distance", c.distance}});
    }
    head["contacts"] = std::move(out);
  }

  /// Where things touch in the posture shown first, as a simulation would have it.
  std::vector<ContactPoint> contacts(const LinkPoses& poses, const PictureGround& ground) {
    std::vector<ContactPoint> out;
    try {
      ContactSceneOptions options;
      if (!ground.solid) options.ground = GroundPtr();
      const ContactScene scene("page", m_, options);
      std::vector<Pose> X_WL;
      for (std::size_t i = 0; i < poses.size(); ++i) X_WL.push_back(poses[i]);
      const std::vector<double> still(X_WL.size(), 0.0);
      const OwnedVector v = OwnedVector::Zero(m_.nv());
      std::vector<StepBlock> blocks;
      scene.add_blocks({0.0, 0.0, q_, v, X_WL, still, still, m_}, blocks);
      for (const StepBlock& block : blocks)
        if (block.kind == StepBlock::Kind::contact && block.at.distance <= options.margin)
          out.push_back(block.at);
    } catch (const Error& e) {
      note(fmt::format("contacts are not shown: {}", e.what()));
    }
    return out;
  }

  /// Poses of all bodies at a few postures, and how far their loops are open there.
  Json references() {
    constexpr int kRandom = 3;
    Json out = Json::array();
    out.push_back(reference(q_));
    const bool plain = !has_custom(m_) && m_.bodies().size() <= 2000;
    for (int seed = 1; plain && seed <= kRandom; ++seed)
      out.push_back(reference(m_.random(static_cast<std::uint64_t>(seed))));
    return out;
  }

  Json reference(const OwnedVector& q) {
    const LinkPoses poses = forward_kinematics(m_, work_, q);
    std::vector<double> numbers;
    for (const Body& b : m_.bodies()) {
      const std::array<double, 7> pose = numbers_of(poses[static_cast<std::size_t>(b.link)] * b.X_LB);
      numbers.insert(numbers.end(), pose.begin(), pose.end());
    }
    Json out{{"q", list_of(q)}, {"poses", blocks_.add<double>(numbers)}};
    out["com"] = m_.mass() > 0.0 ? json_of(Vector3<double>(center_of_mass(m_, work_, q))) : Json(nullptr);
    out["violation"] = nullptr;
    if (!m_.loops().empty()) try {
        ConstraintKinematics at(m_);
        out["violation"] = loop_violation(m_, loop_list(m_), at, q);
      } catch (const Error&) {
        // a loop closed by a custom joint has no rows
      }
    return out;
  }

  void note(std::string text) {
    if (notes_.size() < kMostNotes) notes_.push_back(std::move(text));
  }

  const Mechanism& m_;
  const ModelStreamSettings& settings_;
  Workspace work_;
  OwnedVector q_;
  ModelShapes shapes_;
  Blocks blocks_;
  std::vector<std::string> notes_;
};

}  // namespace

OwnedVector nominal_posture(const Mechanism& m) {
  OwnedVector q = m.neutral();
  if (!m.keyframes().empty()) {
    const auto home = std::find_if(m.keyframes().begin(), m.keyframes().end(),
                                   [](const Keyframe& k) { return k.name == "home"; });
    q = home == m.keyframes().end() ? m.keyframes().front().q : home->q;
  }
  if (m.loops().empty()) return q;
  try {
    return assemble(m, q, {.tolerance = 1e-9, .most_iterations = 50, .attempts = 1}).q;
  } catch (const Error&) {
    return q;  // the page says how far its loops are open
  }
}

std::string model_stream(const Mechanism& mechanism, const ModelStreamSettings& settings) {
  return ModelWriter(mechanism, settings).write();
}

}  // namespace amble
