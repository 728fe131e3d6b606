#include <fmt/format.h>

#include "amble/base/limits.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/mechanism/magnitudes.hpp"
#include "amble/mechanism/mechanism.hpp"
#include "amble/mechanism/problems.hpp"
#include "amble/mechanism/spanning_tree.hpp"

namespace amble {

namespace {

template <class J>
JointGeometry geometry_of(const J& j) {
  const auto unit = [](const Vector3<double>& a) { return a.norm() > 0.0 ? Vector3<double>(a.normalized()) : a; };
  return {unit(j.axis), unit(j.axis2), j.pitch, j.custom};
}

NormalisedJoint normalise(int kind, const JointGeometry& geometry) {
  return visit_joint_type(kind, [&]<class Type>() { return Type::normalise(geometry); });
}

}  // namespace

/// Turns a description whose pieces are sound into a Mechanism, step by step.
class MechanismCompiler {
 public:
  MechanismCompiler(std::shared_ptr<ModelDescription> description, Problems& problems)
      : d_(*description), problems_(problems), tree_(spanning_tree(d_, problems)) {
    m_.description_ = description;
  }

  Mechanism run() {
    index_bodies();
    add_links();
    if (!any_at_least(problems_, Severity::error)) assign_coordinates();
    add_loops();
    add_springs();
    add_tendons();
    add_rollings();
    add_frames();
    collect_arrays();
    collect_names();
    if (!any_at_least(problems_, Severity::error))
      for (const KeyframeDescription& k : d_.keyframes) add_keyframe(k);
    return std::move(m_);
  }

 private:
  void error(int line, const std::string& element, const std::string& reason) {
    problems_.push_back({Severity::error, d_.file, line, element, reason});
  }

  void bound(const JointDescription& j, Limit which, double value, const char* what) {
    if (const std::string breach = limit_breach(which, value, what); !breach.empty())
      error(j.line, fmt::format("joint '{}'", j.name), breach);
  }

  void index_bodies() {
    for (int position = 0; position < static_cast<int>(tree_.body_order.size()); ++position)
      m_.body_index_.emplace(d_.bodies[tree_.body_order[position]].name, position);
    m_.body_index_[kWorld] = m_.body_index_.contains(kWorld) ? m_.body_index_[kWorld] : -1;
  }

  int body_at(const std::string& name) const {
    const auto found = m_.body_index_.find(name);
    return found == m_.body_index_.end() ? -1 : found->second;
  }
  int link_at(int body) const { return body < 0 ? 0 : m_.bodies_[body].link; }
  Pose pose_on_link(int body) const { return body < 0 ? Pose() : m_.bodies_[body].X_LB; }

  void add_links() {
    m_.links_.emplace_back();
    for (int index : tree_.body_order) {
      const BodyDescription& b = d_.bodies[index];
      Body body{.name = b.name,
                .inertia = b.inertia,
                .auxiliary = b.auxiliary,
                .gravity_compensation = b.gravity_compensation};
      if (const int joint = tree_.parent_joint[index]; joint >= 0) attach(d_.joints[joint], body);
      m_.bodies_.push_back(body);
      m_.mass_ += b.inertia.mass();
      Link& link = m_.links_[body.link];
      link.inertia = link.inertia + body.X_LB * b.inertia;
    }
  }

  /// Places `body` at the end of its joint: on the parent's link when fixed, else on a link of its own.
  void attach(const JointDescription& j, Body& body) {
    const int kind = joint_kind(j.type);
    const NormalisedJoint normalised = normalise(kind, geometry_of(j));
    Joint joint{.name = j.name, .kind = kind, .type = j.type, .parent = body_at(j.parent),
                .child = static_cast<int>(m_.bodies_.size()), .X_PF = j.X_PF, .X_CM = j.X_CM,
                .R_FN = normalised.R_FN, .parameters = normalised.parameters};
    take_polynomials(j.properties, joint);
    body.joint = static_cast<int>(m_.joints_.size());
    body.parent = joint.parent;
    const Pose X_LF = pose_on_link(joint.parent) * j.X_PF;
    if (kind == kJointKind<Fixed>) {
      body.link = link_at(joint.parent);
      body.X_LB = X_LF * j.X_CM.inverse();
    } else {
      joint.link = body.link = static_cast<int>(m_.links_.size());
      const Pose R(normalised.R_FN);
      body.X_LB = (j.X_CM * R).inverse();
      m_.links_.push_back({.parent = link_at(joint.parent), .kind = kind, .parameters = normalised.parameters,
                           .X_PN = X_LF * R, .joint = body.joint});
    }
    m_.joint_index_.emplace(j.name, body.joint);
    source_joint_.push_back(&j);
    m_.joints_.push_back(joint);
  }

  static void take_polynomials(const JointProperties& p, Joint& joint) {
    const auto copy = [](const std::vector<double>& from, std::array<double, 2>& to) {
      if (from.size() == to.size()) std::copy(from.begin(), from.end(), to.begin());
    };
    copy(p.stiffness_polynomial, joint.stiffness_polynomial),
        copy(p.damping_polynomial, joint.damping_polynomial);
    if (p.reference.size() == 1) joint.spring_reference = p.reference[0];
    if (p.drive_range.size() == 2) joint.drive_lower = p.drive_range[0], joint.drive_upper = p.drive_range[1];
    joint.compensated_by_drives = p.compensated_by_drives;
  }

  void assign_coordinates() {
    for (std::size_t i = 0; i < m_.joints_.size(); ++i) {
      Joint& joint = m_.joints_[i];
      if (source_joint_[i]->mimic) continue;
      joint.q = {m_.nq_, joint_size(joint.kind, joint.parameters.custom, true)};
      joint.v = {m_.nv_, joint_size(joint.kind, joint.parameters.custom, false)};
      m_.nq_ += joint.q.size;
      m_.nv_ += joint.v.size;
    }
    for (std::size_t i = 0; i < m_.joints_.size(); ++i)
      if (source_joint_[i]->mimic) follow(i);
    for (Link& link : m_.links_) {
      if (link.joint < 0) continue;
      const Joint& joint = m_.joints_[link.joint];
      link.q = joint.q, link.v = joint.v, link.ratio = joint.ratio, link.offset = joint.offset;
    }
  }

  /// Couples a joint to the one at the end of its chain of leaders: q = ratio q_leader + offset. Leaders on the way are
  /// coupled first, so that each link of a chain is looked at once.
  void follow(std::size_t first) {
    std::vector<std::size_t> path;
    for (std::size_t i = first; source_joint_[i]->mimic && m_.joints_[i].leader < 0;) {
      path.push_back(i);
      const auto found = m_.joint_index_.find(source_joint_[i]->mimic->leader);
      if (found == m_.joint_index_.end())
        return error(source_joint_[i]->line, fmt::format("joint '{}'", m_.joints_[i].name),
                     fmt::format("follows joint '{}', which closes a loop and has no coordinate",
                                 source_joint_[i]->mimic->leader));
      i = found->second;
    }
    for (auto i = path.rbegin(); i != path.rend(); ++i) {
      Joint& joint = m_.joints_[*i];
      const Mimic& mimic = *source_joint_[*i]->mimic;
      const int next = m_.joint_index_.find(mimic.leader)->second;
      const Joint& ahead = m_.joints_[next];
      joint.leader = ahead.leader < 0 ? next : ahead.leader;
      joint.ratio = mimic.ratio * ahead.ratio;
      joint.offset = mimic.ratio * ahead.offset + mimic.offset;
      bound(*source_joint_[*i], Limit::ratio, joint.ratio, "ratio to the joint that it follows in the end");
      bound(*source_joint_[*i], Limit::length, joint.offset,
            "offset to the joint that it follows in the end");
      joint.q = ahead.q, joint.v = ahead.v;
    }
  }

  void add_loops() {
    for (int cut : tree_.cut_joints) {
      const JointDescription& j = d_.joints[cut];
      if (j.mimic)
        error(j.line, fmt::format("joint '{}'", j.name), "closes a loop, so it cannot follow another joint");
      if (joint_kind(j.type) == kJointKind<Free>)
        error(j.line, fmt::format("joint '{}'", j.name),
              fmt::format("is free, but body '{}' is held by another joint already", j.child));
      add_loop({j.name, j.type, j.parent, j.child, j.X_PF, j.X_CM, j.axis, j.axis2, j.pitch, j.custom, j.line});
    }
    for (const LoopDescription& l : d_.loops) add_loop(l);
  }

  void add_loop(const LoopDescription& l) {
    const int kind = joint_kind(l.type), a = body_at(l.body_a), b = body_at(l.body_b);
    const NormalisedJoint normalised = normalise(kind, geometry_of(l));
    const Pose R(normalised.R_FN);
    m_.loops_.push_back({.name = l.name, .kind = kind, .type = l.type, .body_a = a, .body_b = b,
                         .link_a = link_at(a), .link_b = link_at(b), .X_AN = pose_on_link(a) * l.X_AF * R,
                         .X_BN = pose_on_link(b) * l.X_BM * R, .parameters = normalised.parameters,
                         .freedoms = joint_size(kind, normalised.parameters.custom, false)});
  }

  void add_springs() {
    for (const SpringDescription& s : d_.springs) {
      const int a = body_at(s.body_a), b = body_at(s.body_b);
      m_.springs_.push_back({.name = s.name, .body_a = a, .body_b = b, .link_a = link_at(a), .link_b = link_at(b),
                             .p_A = pose_on_link(a) * s.point_a, .p_B = pose_on_link(b) * s.point_b,
                             .stiffness = s.stiffness, .length = s.length, .damping = s.damping});
    }
  }

  void add_tendons() {
    if (any_at_least(problems_, Severity::error)) return;  // its joints may have no coordinates
    for (const TendonDescription& t : d_.tendons) {
      Tendon tendon{.name = t.name,
                    .offset = t.offset,
                    .stiffness = t.stiffness,
                    .damping = t.damping,
                    .rest = t.rest,
                    .friction = t.friction};
      if (t.range.size() == 2) tendon.lower = t.range[0], tendon.upper = t.range[1];
      for (const TendonJoint& term : t.joints) add_term(t, term, tendon);
      for (const TendonPoint& p : t.path) tendon.path.push_back(tendon_point(p));
      m_.tendons_.push_back(std::move(tendon));
    }
  }

  /// Of a joint that follows another, ratio q + offset of the leader.
  void add_term(const TendonDescription& t, const TendonJoint& term, Tendon& out) {
    const Joint& joint = m_.joints_[m_.joint_index(term.joint)];
    if (joint.v.size != 1)
      return error(t.line, fmt::format("tendon '{}'", t.name),
                   fmt::format("is over joint '{}', which is {}: expected one with one coordinate",
                               term.joint, joint.type));
    out.terms.push_back({joint.q.start, joint.v.start, term.coefficient * joint.ratio});
    out.offset += term.coefficient * joint.offset;
  }

  Tendon::Point tendon_point(const TendonPoint& p) const {
    const int body = body_at(p.body);
    Tendon::Point out{.kind = p.kind,
                      .link = link_at(body),
                      .X_LP = pose_on_link(body) * p.X_BP,
                      .radius = p.radius,
                      .divisor = p.divisor};
    if (p.side_body.empty()) return out;
    const int side = body_at(p.side_body);
    out.side_link = link_at(side), out.side = pose_on_link(side) * p.side;
    return out;
  }

  void add_rollings() {
    for (const RollingDescription& r : d_.rollings) {
      const int body = body_at(r.body);
      const SO3<double> R_BW = normalise(kJointKind<Revolute>, {.axis = r.axis.normalized()}).R_FN;
      m_.rollings_.push_back({.name = r.name, .body = body, .link = link_at(body),
                              .X_LW = pose_on_link(body) * Pose(R_BW, r.center), .radius = r.radius});
    }
  }

  void add_frames() {
    for (const FrameDescription& f : d_.frames) {
      const int body = body_at(f.body);
      m_.frame_index_.emplace(f.name, static_cast<int>(m_.frames_.size()));
      m_.frames_.push_back({f.name, body, link_at(body), pose_on_link(body) * f.X_BF});
    }
  }

  void collect_arrays() {
    const auto filled = [](int n, double x) { return OwnedVector(Eigen::VectorXd::Constant(n, x)); };
    m_.lower_ = filled(m_.nq_, -kUnlimited);
    m_.upper_ = filled(m_.nq_, kUnlimited);
    m_.velocity_limit_ = filled(m_.nv_, kUnlimited);
    m_.effort_limit_ = filled(m_.nv_, kUnlimited);
    for (OwnedVector* a : {&m_.damping_, &m_.friction_, &m_.armature_, &m_.stiffness_, &m_.spring_reference_})
      *a = filled(m_.nv_, 0.0);
    for (bool followers : {false, true})  // a follower's spring adds to its leader's, which must be there
      for (std::size_t i = 0; i < m_.joints_.size(); ++i) {
        const Joint& joint = m_.joints_[i];
        const JointProperties& p = source_joint_[i]->properties;
        if ((joint.leader >= 0) == followers) followers ? collect_followed(joint, p) : collect_own(joint, p);
      }
    note_limited_followers();
  }

  /// Differences of limits must not overflow.
  static std::vector<double> within_reach(std::vector<double> limits) {
    for (double& x : limits)
      if (std::abs(x) >= kAsGoodAsUnlimited) x = std::copysign(kUnlimited, x);
    return limits;
  }

  void collect_own(const Joint& joint, const JointProperties& p) {
    const auto put = [](OwnedVector& array, int start, const std::vector<double>& values) {
      for (std::size_t k = 0; k < values.size(); ++k) array[start + static_cast<int>(k)] = values[k];
    };
    const auto add = [](OwnedVector& array, int start, const std::vector<double>& values) {
      for (std::size_t k = 0; k < values.size(); ++k) array[start + static_cast<int>(k)] += values[k];
    };
    put(m_.lower_, joint.q.start, within_reach(p.lower));
    put(m_.upper_, joint.q.start, within_reach(p.upper));
    put(m_.velocity_limit_, joint.v.start, p.velocity);
    put(m_.effort_limit_, joint.v.start, p.effort);
    put(m_.stiffness_, joint.v.start, p.stiffness);
    put(m_.spring_reference_, joint.v.start, p.reference);
    add(m_.damping_, joint.v.start, p.damping);
    add(m_.friction_, joint.v.start, p.friction);
    add(m_.armature_, joint.v.start, p.armature);
  }

  /// What a following joint adds, seen at its leader: inertia, damping and stiffness by the ratio squared, dry friction
  /// by the ratio. Two springs on one coordinate are one spring with a reference in between.
  void collect_followed(const Joint& joint, const JointProperties& p) {
    const auto add = [&](OwnedVector& array, const std::vector<double>& values, double factor) {
      if (!values.empty()) array[joint.v.start] += factor * values[0];
    };
    add(m_.armature_, p.armature, joint.ratio * joint.ratio);
    add(m_.damping_, p.damping, joint.ratio * joint.ratio);
    add(m_.friction_, p.friction, std::abs(joint.ratio));
    if (!p.stiffness.empty() && p.stiffness[0] > 0.0 && joint.ratio != 0.0) {
      double &k = m_.stiffness_[joint.v.start], &reference = m_.spring_reference_[joint.v.start];
      const double own = p.stiffness[0] * joint.ratio * joint.ratio;
      const double rest = ((p.reference.empty() ? 0.0 : p.reference[0]) - joint.offset) / joint.ratio;
      reference = (k * reference + own * rest) / (k + own);
      k += own;
    }
    if (!(p.lower.empty() && p.upper.empty() && p.velocity.empty() && p.effort.empty()))
      limited_followers_.push_back(joint.name);
  }

  /// A follower's own limits bound nothing: its leader's do. Said once for all of them.
  void note_limited_followers() {
    if (limited_followers_.empty()) return;
    const std::size_t more = limited_followers_.size() - 1;
    problems_.push_back({Severity::note, d_.file, 0, fmt::format("joint '{}'", limited_followers_[0]),
                         fmt::format("follows another joint, whose limits count; its own are not used{}",
                                     more == 0 ? "" : fmt::format(" (also {} more)", more))});
  }

  /// Joints that have become fixed or follow another since the file was read have nothing to set.
  void add_keyframe(const KeyframeDescription& k) {
    Keyframe out{k.name, k.time, m_.neutral(), OwnedVector(m_.nv_), k.ctrl, k.activation};
    for (const KeyframeJoint& x : k.joints) {
      const Joint& joint = m_.joints_[m_.joint_index(x.joint)];
      if (joint.leader >= 0 || joint.v.size == 0) continue;
      put_keyframe(k, x.joint, x.q, joint.q, out.q);
      put_keyframe(k, x.joint, x.v, joint.v, out.v);
    }
    m_.check_configuration(out.q, out.q);
    m_.keyframes_.push_back(std::move(out));
  }

  void put_keyframe(const KeyframeDescription& k, const std::string& joint, const std::vector<double>& values, Slice at,
                    OwnedVector& out) {
    if (values.empty()) return;
    if (static_cast<int>(values.size()) == at.size) return (void)std::copy(values.begin(), values.end(), out.data() + at.start);
    error(k.line, fmt::format("keyframe '{}'", k.name),
          fmt::format("has {} numbers for joint '{}'; expected {}", values.size(), joint, at.size));
  }

  void collect_names() {
    for (const Body& b : m_.bodies_)
      if (!b.auxiliary) m_.body_names_.push_back(b.name);
    for (const Joint& j : m_.joints_)
      if (j.leader < 0 && j.v.size > 0) m_.joint_names_.push_back(j.name);
  }

  const ModelDescription& d_;
  Problems& problems_;
  SpanningTree tree_;
  Mechanism m_;
  std::vector<const JointDescription*> source_joint_;  // by tree joint
  std::vector<std::string> limited_followers_;
};

Mechanism compile(ModelDescription description, Physics physics) {
  const Severity least = physics == Physics::refuse ? Severity::physics : Severity::error;
  Problems problems = find_problems(description);
  throw_problems(problems, least);
  auto shared = std::make_shared<ModelDescription>(std::move(description));
  MechanismCompiler compiler(shared, problems);
  throw_problems(problems, least);
  Mechanism mechanism = compiler.run();
  throw_problems(problems, least);
  // A description that was compiled before carries this function's findings already.
  for (const Problem& p : problems) std::erase(shared->findings, p);
  shared->findings.insert(shared->findings.end(), problems.begin(), problems.end());
  return mechanism;
}

}  // namespace amble
