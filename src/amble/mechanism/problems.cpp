#include "amble/mechanism/problems.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "amble/base/names.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/mechanism/magnitudes.hpp"

namespace amble {

namespace {

std::vector<std::string> joint_type_names() {
  std::vector<std::string> names{"continuous"};
  for (int kind = 0; kind < kJointKinds; ++kind)
    names.emplace_back(visit_joint_type(kind, []<class Type>() { return Type::kName; }));
  return names;
}

bool is_finite(const Pose& X) { return X.matrix().allFinite(); }

/// The walk over a description that collects its problems.
class Finder {
 public:
  explicit Finder(const ModelDescription& d) : d_(d) {
    bodies_.emplace_back(kWorld);
    for (const auto& b : d.bodies) bodies_.push_back(b.name);
    for (const auto& j : d.joints) joints_.push_back(j.name), joint_by_name_.emplace(j.name, &j);
    for (const auto& f : d.frames) frames_.push_back(f.name);
    for (const auto& t : d.tendons) tendons_.push_back(t.name);
    known_places_.insert(frames_.begin(), frames_.end());
    known_tendons_.insert(tendons_.begin(), tendons_.end());
    known_bodies_.insert(bodies_.begin(), bodies_.end());
  }

  Problems run() {
    check_gravity();
    for (const auto& b : d_.bodies) check_body(b);
    for (const auto& j : d_.joints) check_joint(j);
    for (const auto& j : d_.joints) check_mimic(j);
    for (const auto& l : d_.loops) check_loop(l);
    for (const auto& s : d_.springs) check_spring(s);
    for (const auto& r : d_.rollings) check_rolling(r);
    for (const auto& f : d_.frames) check_frame(f);
    for (const auto& t : d_.tendons) check_tendon(t);
    for (const auto& c : d_.couplings) check_coupling(c);
    for (const auto& d : d_.drives) check_drive(d);
    for (const auto& k : d_.keyframes) check_keyframe(k);
    check_surfaces();
    for (const auto& p : d_.contact.pairs) check_pair(p);
    for (const auto& e : d_.contact.exclusions) check_exclusion(e);
    return std::move(problems_);
  }

 private:
  void say(Severity severity, int line, const std::string& element, const std::string& reason) {
    problems_.push_back({severity, d_.file, line, element, reason});
  }
  void error(int line, const std::string& element, const std::string& reason) {
    say(Severity::error, line, element, reason);
  }

  /// For the first problems only: the others are counted, not shown.
  std::string suggest(std::string_view name, const std::vector<std::string>& candidates) const {
    constexpr std::size_t kMostShown = 20;
    return problems_.size() < kMostShown ? suggestion(name, candidates) : "";
  }

  void check_gravity() {
    if (!d_.gravity.allFinite()) error(0, "gravity", "is not finite");
  }

  void check_name(const std::string& kind, const std::string& name, int line, std::set<std::string>& taken) {
    if (name.empty())
      error(line, kind, "has no name");
    else if (!taken.insert(name).second)
      error(line, fmt::format("{} '{}'", kind, name), "the name is used twice");
  }

  void check_body(const BodyDescription& b) {
    const std::string element = fmt::format("body '{}'", b.name);
    check_name("body", b.name, b.line, body_names_);
    const bool finite =
        std::isfinite(b.inertia.mass()) && b.inertia.first_moment().allFinite() && b.inertia.about_origin().allFinite();
    const std::string problem = inertia_problem(b.inertia);
    if (!problem.empty()) say(finite ? Severity::physics : Severity::error, b.line, element, problem);
    check_finite(std::array{b.gravity_compensation}, b.line, element, "gravity compensation");
  }

  void check_body_reference(const std::string& name, int line, const std::string& element, const char* role) {
    if (!known_bodies_.contains(name))
      error(line, element, fmt::format("{} body '{}' does not exist{}", role, name, suggest(name, bodies_)));
  }

  void check_axis(const Vector3<double>& axis, int line, const std::string& element, const char* which) {
    constexpr double kUnit = 1e-6;  // a file's digits; the rest is normalised away
    const double length = axis.norm();
    if (!std::isfinite(length))
      error(line, element, fmt::format("{} is not finite", which));
    else if (length == 0.0)
      error(line, element, fmt::format("{} is zero", which));
    else if (std::abs(length - 1.0) > kUnit)
      error(line, element, fmt::format("{} ({}, {}, {}) has length {}, expected 1", which, axis[0], axis[1], axis[2],
                                       length));
  }

  /// Type, axes and frames: what joints and loops share. Returns the kind, or -1.
  template <class J>
  int check_type(const J& j, const std::string& element, const Pose& X1, const Pose& X2) {
    if (!is_finite(X1) || !is_finite(X2)) error(j.line, element, "its pose is not finite");
    const int kind = joint_kind(j.type);
    if (kind < 0) {
      const auto names = joint_type_names();
      error(j.line, element,
            fmt::format("unknown joint type '{}'{}; known are {}", j.type, suggest(j.type, names),
                        fmt::join(names, ", ")));
      return -1;
    }
    const int axes = visit_joint_type(kind, []<class Type>() { return Type::kAxes; });
    if (axes >= 1) check_axis(j.axis, j.line, element, "axis");
    if (axes >= 2) check_axis(j.axis2, j.line, element, "axis2");
    if (axes >= 2 && cross<double>(j.axis, j.axis2).norm() < 1e-6)
      error(j.line, element, "its two axes are parallel");
    if (kind == kJointKind<Helical> && !std::isfinite(j.pitch)) error(j.line, element, "pitch is not finite");
    if (kind == kJointKind<Custom> && !check_custom(j.custom.get(), j.line, element)) return -1;
    return kind;
  }

  bool check_custom(const CustomJoint* custom, int line, const std::string& element) {
    if (custom == nullptr) {
      error(line, element, "type 'custom' needs a CustomJoint object");
      return false;
    }
    const bool fits = custom->nv() >= 1 && custom->nv() <= 6 && custom->nq() >= custom->nv() && custom->nq() <= 7;
    if (!fits)
      error(line, element, fmt::format("custom joint '{}' has {} coordinates and {} velocities; at most 7 and 6 fit",
                                       custom->name(), custom->nq(), custom->nv()));
    return fits;
  }

  void check_joint(const JointDescription& j) {
    const std::string element = fmt::format("joint '{}'", j.name);
    check_name("joint", j.name, j.line, joint_names_);
    check_body_reference(j.parent, j.line, element, "parent");
    check_body_reference(j.child, j.line, element, "child");
    if (j.child == kWorld) error(j.line, element, "the world cannot be a child");
    if (j.parent == j.child) error(j.line, element, fmt::format("joins body '{}' to itself", j.child));
    const int kind = check_type(j, element, j.X_PF, j.X_CM);
    if (kind >= 0) check_properties(j, element, kind);
  }

  void check_properties(const JointDescription& j, const std::string& element, int kind) {
    const int nv = joint_size(kind, j.custom.get(), false);
    const bool adds = nv == joint_size(kind, j.custom.get(), true);
    const JointProperties& p = j.properties;
    const auto check = [&](const std::vector<double>& values, const char* what, auto good, const char* expected) {
      if (!values.empty() && static_cast<int>(values.size()) != nv)
        error(j.line, element, fmt::format("{} has {} numbers, expected {}", what, values.size(), nv));
      for (double x : values)
        if (!good(x)) error(j.line, element, fmt::format("{} {} is not allowed, expected {}", what, x, expected));
    };
    const auto finite = [](double x) { return std::isfinite(x); };
    const auto bound = [](double x) { return x >= 0.0; };
    const auto positive = [](double x) { return x >= 0.0 && std::isfinite(x); };
    check(p.lower, "lower limit", [](double x) { return x < kUnlimited; }, "a number or -inf");
    check(p.upper, "upper limit", [](double x) { return x > -kUnlimited; }, "a number or inf");
    check(p.velocity, "velocity limit", bound, "at least 0");
    check(p.effort, "effort limit", bound, "at least 0");
    check(p.damping, "damping", positive, "at least 0 and finite");
    check(p.friction, "friction", positive, "at least 0 and finite");
    check(p.armature, "armature", positive, "at least 0 and finite");
    check(p.stiffness, "stiffness", positive, "at least 0 and finite");
    check(p.reference, "spring reference", finite, "finite");
    check_polynomial(p.stiffness_polynomial, j, element, "stiffness polynomial");
    check_range(p.drive_range, j.line, element, "drives' force");
    check_polynomial(p.damping_polynomial, j, element, "damping polynomial");
    if (!adds && !(p.lower.empty() && p.upper.empty()))
      error(j.line, element, fmt::format("a {} joint has no position limits", j.type));
    for (std::size_t i = 0; i < std::min(p.lower.size(), p.upper.size()); ++i)
      if (p.lower[i] > p.upper[i])
        error(j.line, element, fmt::format("lower limit {} is above upper limit {}", p.lower[i], p.upper[i]));
  }

  void check_polynomial(const std::vector<double>& c, const JointDescription& j, const std::string& element,
                        const char* what) {
    if (!c.empty() && c.size() != 2)
      error(j.line, element, fmt::format("{} has {} numbers, expected 2", what, c.size()));
    check_finite(c, j.line, element, what);
  }

  const JointDescription* find_joint(const std::string& name) const {
    const auto found = joint_by_name_.find(name);
    return found == joint_by_name_.end() ? nullptr : found->second;
  }

  static bool one_freedom(const JointDescription& j) {
    const int kind = joint_kind(j.type);
    if (kind < 0 || (kind == kJointKind<Custom> && j.custom == nullptr)) return false;
    return joint_size(kind, j.custom.get(), false) == 1;
  }

  void check_mimic(const JointDescription& j) {
    if (!j.mimic) return;
    const std::string element = fmt::format("joint '{}'", j.name);
    if (!std::isfinite(j.mimic->ratio) || !std::isfinite(j.mimic->offset))
      error(j.line, element, "mimic ratio or offset is not finite");
    if (!one_freedom(j)) error(j.line, element, "only a joint with one degree of freedom can follow another");
    const JointDescription* leader = find_joint(j.mimic->leader);
    if (leader == nullptr)
      return error(j.line, element, fmt::format("follows joint '{}', which does not exist{}", j.mimic->leader,
                                                suggest(j.mimic->leader, joints_)));
    if (!one_freedom(*leader))
      error(j.line, element, fmt::format("follows joint '{}', which has not one degree of freedom", leader->name));
    if (in_circle(&j)) error(j.line, element, "follows itself through other joints");
  }

  /// Whether the chain of leaders comes back to where it was. Chains that were walked before are not walked again.
  bool in_circle(const JointDescription* joint) {
    std::vector<const JointDescription*> path;
    while (joint != nullptr && joint->mimic && !ends_.contains(joint)) {
      ends_.emplace(joint, false);  // until shown otherwise: meeting it again on this path is a circle
      path.push_back(joint);
      joint = find_joint(joint->mimic->leader);
    }
    const bool good = joint == nullptr || !joint->mimic || ends_.at(joint);
    for (const JointDescription* p : path) ends_[p] = good;
    return !path.empty() && !good;
  }

  void check_loop(const LoopDescription& l) {
    const std::string element = fmt::format("loop '{}'", l.name);
    check_name("loop", l.name, l.line, joint_names_);
    check_body_reference(l.body_a, l.line, element, "first");
    check_body_reference(l.body_b, l.line, element, "second");
    if (l.body_a == l.body_b) error(l.line, element, fmt::format("joins body '{}' to itself", l.body_a));
    if (check_type(l, element, l.X_AF, l.X_BM) == kJointKind<Free>)
      error(l.line, element, "a free joint closes nothing");
  }

  void check_point(const Vector3<double>& point, int line, const std::string& element, const char* which) {
    if (!point.allFinite())
      error(line, element, fmt::format("{} ({}, {}, {}) is not finite", which, point[0], point[1], point[2]));
  }

  void check_spring(const SpringDescription& s) {
    const std::string element = fmt::format("spring '{}'", s.name);
    check_name("spring", s.name, s.line, spring_names_);
    check_body_reference(s.body_a, s.line, element, "first");
    check_body_reference(s.body_b, s.line, element, "second");
    if (s.body_a == s.body_b) error(s.line, element, fmt::format("joins body '{}' to itself", s.body_a));
    check_point(s.point_a, s.line, element, "point_a");
    check_point(s.point_b, s.line, element, "point_b");
    for (const auto& [what, x] : {std::pair{"stiffness", s.stiffness}, {"length", s.length}, {"damping", s.damping}})
      if (!(x >= 0.0) || !std::isfinite(x))
        error(s.line, element, fmt::format("{} {} is not allowed, expected at least 0 and finite", what, x));
  }

  void check_rolling(const RollingDescription& r) {
    const std::string element = fmt::format("rolling '{}'", r.name);
    check_name("rolling", r.name, r.line, rolling_names_);
    check_body_reference(r.body, r.line, element, "its");
    if (r.body == kWorld) error(r.line, element, "the world cannot roll");
    if (!(r.radius > 0.0) || !std::isfinite(r.radius))
      error(r.line, element, fmt::format("radius {} is not allowed, expected more than 0 and finite", r.radius));
    check_axis(r.axis, r.line, element, "axis");
    check_point(r.center, r.line, element, "center");
  }

  void check_frame(const FrameDescription& f) {
    const std::string element = fmt::format("frame '{}'", f.name);
    check_name("frame", f.name, f.line, body_names_);  // a frame may stand wherever a body name may
    if (f.name == kWorld) error(f.line, element, "the name is the world's");
    check_body_reference(f.body, f.line, element, "its");
    if (!is_finite(f.X_BF)) error(f.line, element, "its pose is not finite");
  }

  template <class Numbers>
  void check_finite(const Numbers& numbers, int line, const std::string& element, const char* what) {
    for (const double x : numbers)
      if (!std::isfinite(x)) error(line, element, fmt::format("{} {} is not finite", what, x));
  }

  void check_joint_reference(const std::string& name, int line, const std::string& element) {
    if (!joint_by_name_.contains(name))
      error(line, element, fmt::format("there is no joint '{}'{}", name, suggestion(name, joints_)));
  }

  void check_drive(const DriveDescription& d) {
    const std::string element = fmt::format("drive '{}'", d.name);
    check_name("drive", d.name, d.line, drive_names_);
    if ((d.joint.empty() ? 0 : 1) + (d.tendon.empty() ? 0 : 1) + (d.frame.empty() ? 0 : 1) > 1)
      error(d.line, element, "drives several things; expected a joint, a tendon or a frame");
    if (!d.joint.empty()) check_joint_reference(d.joint, d.line, element);
    if (!d.tendon.empty()) check_tendon_reference(d.tendon, d.line, element);
    for (const std::string* frame : {&d.frame, &d.reference, &d.slider})
      if (!frame->empty() && !known_places_.contains(*frame) && !known_bodies_.contains(*frame))
        error(d.line, element, fmt::format("there is no frame '{}'{}", *frame, suggest(*frame, frames_)));
    if (d.frame.empty() && !(d.reference.empty() && d.slider.empty()))
      error(d.line, element, "has a reference or a slider, but no frame");
    if (!d.slider.empty() && !(d.rod > 0.0 && std::isfinite(d.rod)))
      error(d.line, element, fmt::format("the length of its rod is {}; expected more than 0", d.rod));
    check_finite(d.gear, d.line, element, "gear");
    check_finite(d.gain, d.line, element, "gain"), check_finite(d.bias, d.line, element, "bias");
    check_dynamics(d, element);
    for (const auto* muscle : {&d.muscle_gain, &d.muscle_bias})
      if (*muscle) check_muscle(**muscle, d.line, element);
    for (const auto& [what, range] :
         {std::pair{"control", &d.control}, {"force", &d.force}, {"activation", &d.activation}})
      check_range(*range, d.line, element, what);
  }

  void check_range(const std::vector<double>& range, int line, const std::string& element, const char* what) {
    if (!range.empty() && (range.size() != 2 || !(range[0] <= range[1])))
      error(line, element, fmt::format("the range of its {} is not a lower and an upper bound", what));
  }

  void check_dynamics(const DriveDescription& d, const std::string& element) {
    const bool first = d.dynamics == DriveDynamics::filter || d.dynamics == DriveDynamics::muscle;
    const bool second = d.dynamics == DriveDynamics::muscle;
    check_finite(d.time_constants, d.line, element, "time constant");
    if ((first && !(d.time_constants[0] > 0.0)) || (second && !(d.time_constants[1] > 0.0)))
      error(d.line, element, "has a time constant that is not above 0");
    if (second && !(d.time_constants[2] >= 0.0)) error(d.line, element, "has a blending width below 0");
  }

  void check_muscle(const MuscleCurves& m, int line, const std::string& element) {
    check_finite(std::array{m.length_range[0], m.length_range[1], m.range[0], m.range[1], m.peak, m.lmin,
                            m.lmax, m.vmax, m.fpmax, m.fvmax},
                 line, element, "number of its muscle");
    const auto expect = [&](bool good, const char* what) {
      if (!good) error(line, element, fmt::format("is a muscle with {}", what));
    };
    expect(m.length_range[0] < m.length_range[1], "a length range that is not a lower and a higher number");
    expect(m.range[0] < m.range[1], "a range that is not a lower and a higher number");
    expect(m.lmin < 1.0 && 1.0 < m.lmax, "lmin and lmax that do not enclose 1");
    expect(m.vmax > 0.0, "vmax not above 0");
    expect(m.fvmax > 1.0, "fvmax not above 1");
    expect(m.peak >= 0.0 && m.fpmax >= 0.0, "a negative force");
  }

  void check_tendon_reference(const std::string& name, int line, const std::string& element) {
    if (!known_tendons_.contains(name))
      error(line, element, fmt::format("there is no tendon '{}'{}", name, suggest(name, tendons_)));
  }

  void check_tendon(const TendonDescription& t) {
    const std::string element = fmt::format("tendon '{}'", t.name);
    check_name("tendon", t.name, t.line, tendon_names_);
    for (const TendonJoint& j : t.joints) {
      check_joint_reference(j.joint, t.line, element);
      check_finite(std::array{j.coefficient}, t.line, element, "coefficient");
    }
    check_finite(std::array{t.offset, t.friction, t.armature}, t.line, element, "number");
    check_finite(t.stiffness, t.line, element, "stiffness"),
        check_finite(t.damping, t.line, element, "damping");
    check_finite(t.rest, t.line, element, "rest length");
    if (!(t.rest[0] <= t.rest[1]))
      error(t.line, element, "its rest lengths are not a lower and an upper bound");
    if (!(t.friction >= 0.0) || !(t.armature >= 0.0))
      error(t.line, element, "has a friction or armature below 0");
    check_range(t.range, t.line, element, "length"), check_range(t.force, t.line, element, "force");
    check_path(t, element);
  }

  /// Straight pieces run from point to point; a shape stands between two of them, a pulley between two
  /// branches.
  void check_path(const TendonDescription& t, const std::string& element) {
    using Kind = TendonPoint::Kind;
    const auto wraps = [](const TendonPoint& p) {
      return p.kind == Kind::sphere || p.kind == Kind::cylinder;
    };
    const auto is_point = [&](std::size_t i) { return i < t.path.size() && t.path[i].kind == Kind::point; };
    for (std::size_t i = 0; i < t.path.size(); ++i) {
      const TendonPoint& p = t.path[i];
      if (p.kind == Kind::pulley) {
        if (!(p.divisor > 0.0 && std::isfinite(p.divisor)))
          error(t.line, element, "the divisor of a pulley is not above 0");
        continue;
      }
      check_body_reference(p.body, t.line, element, "its");
      if (!is_finite(p.X_BP)) error(t.line, element, "a place of its path is not finite");
      if (!wraps(p)) continue;
      if (!(p.radius > 0.0 && std::isfinite(p.radius)))
        error(t.line, element, fmt::format("wraps round a radius of {}; expected more than 0", p.radius));
      if (i == 0 || !is_point(i - 1) || !is_point(i + 1))
        error(t.line, element, "wraps round a sphere or cylinder that does not stand between two points");
      if (p.side_body.empty()) continue;
      check_body_reference(p.side_body, t.line, element, "side point's");
      check_point(p.side, t.line, element, "side point");
    }
  }

  void check_coupling(const CouplingDescription& c) {
    const std::string element = fmt::format("coupling '{}'", c.name);
    check_name("coupling", c.name, c.line, joint_names_);
    if (c.y.empty() && c.x.empty()) error(c.line, element, "couples nothing");
    for (const std::string* name : {&c.y, &c.x}) {
      if (name->empty()) continue;
      if (c.tendons) check_tendon_reference(*name, c.line, element);
      if (!c.tendons) check_coupled_joint(*name, c.line, element);
    }
    check_finite(std::array{c.y0, c.x0}, c.line, element, "zero"),
        check_finite(c.coefficients, c.line, element, "coefficient");
  }

  void check_coupled_joint(const std::string& name, int line, const std::string& element) {
    check_joint_reference(name, line, element);
    const JointDescription* joint = find_joint(name);
    if (joint != nullptr && !one_freedom(*joint))
      error(line, element, fmt::format("couples joint '{}', which has not one degree of freedom", name));
  }

  void check_keyframe(const KeyframeDescription& k) {
    const std::string element = fmt::format("keyframe '{}'", k.name);
    check_finite(std::array{k.time}, k.line, element, "time");
    check_finite(k.ctrl, k.line, element, "control"),
        check_finite(k.activation, k.line, element, "activation");
    for (const KeyframeJoint& j : k.joints) {
      check_joint_reference(j.joint, k.line, element);
      check_finite(j.q, k.line, element, "coordinate"), check_finite(j.v, k.line, element, "velocity");
    }
    if (!k.ctrl.empty() && k.ctrl.size() != d_.drives.size())
      error(k.line, element, fmt::format("has {} controls for {} drives", k.ctrl.size(), d_.drives.size()));
  }

  void check_friction(double friction, double margin, int line, const std::string& element) {
    if (!(friction >= 0.0)) error(line, element, fmt::format("has a friction of {}; expected 0 or more", friction));
    if (!std::isfinite(margin)) error(line, element, fmt::format("has a margin of {}; expected a finite number", margin));
  }

  void check_surfaces() {
    const auto check = [&](const std::string& body, int line, const std::vector<PlacedShape>& shapes) {
      for (const PlacedShape& s : shapes) {
        collisions_.emplace(body, s.name);
        const std::string element = fmt::format("shape '{}' of body '{}'", s.name, body);
        if (s.surface) check_friction(s.surface->friction.value_or(0.0), s.surface->margin, line, element);
      }
    };
    check(kWorld, 0, d_.world_collisions);
    for (const BodyDescription& b : d_.bodies) check(b.name, b.line, b.collisions);
  }

  void check_pair(const ContactPairDescription& p) {
    const std::string element = fmt::format("contact pair '{}'", p.name);
    for (const ShapeReference& r : {p.a, p.b})
      if (!collisions_.contains({r.body, r.shape}))
        error(p.line, element, fmt::format("body '{}' has no collision shape '{}'", r.body, r.shape));
    check_friction(p.friction, p.margin, p.line, element);
  }

  void check_exclusion(const ContactExclusion& e) {
    check_body_reference(e.body_a, e.line, "contact exclusion", "first");
    check_body_reference(e.body_b, e.line, "contact exclusion", "second");
  }

  const ModelDescription& d_;
  Problems problems_;
  std::set<std::pair<std::string, std::string>> collisions_;  // bodies and their shapes, by name
  std::vector<std::string> bodies_, joints_, frames_, tendons_;
  std::set<std::string> known_places_, known_tendons_, tendon_names_;
  std::set<std::string> known_bodies_, body_names_, joint_names_, spring_names_, rolling_names_, drive_names_;
  std::map<std::string, const JointDescription*> joint_by_name_;
  std::map<const JointDescription*, bool> ends_;  // joints whose chain of leaders is known to end, or not
};

}  // namespace

int joint_kind(std::string_view type) {
  if (type == "continuous") return kJointKind<Revolute>;
  for (int kind = 0; kind < kJointKinds; ++kind)
    if (visit_joint_type(kind, []<class Type>() { return Type::kName; }) == type) return kind;
  return -1;
}

int joint_size(int kind, const CustomJoint* custom, bool configuration) {
  return visit_joint(kind, {.custom = custom}, [&](const auto& j) { return configuration ? j.nq() : j.nv(); });
}

Problems find_problems(const ModelDescription& description) {
  Problems found = find_magnitudes(description);
  for (Problem& p : Finder(description).run()) found.push_back(std::move(p));
  return found;
}

}  // namespace amble
