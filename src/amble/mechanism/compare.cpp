#include "amble/mechanism/compare.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <cmath>

#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

class Comparison {
 public:
  Comparison(const Mechanism& a, const Mechanism& b, double tolerance)
      : a_(a), b_(b), tolerance_(tolerance), properties_a_(properties_of(a)), properties_b_(properties_of(b)) {}

  std::vector<std::string> run() {
    compare_array("gravity", a_.gravity(), b_.gravity());
    if (std::abs(a_.mass() - b_.mass()) > tolerance_ * std::max(1.0, std::abs(a_.mass())))
      say("total mass", fmt::format("{} kg", a_.mass()), fmt::format("{} kg", b_.mass()));
    compare_bodies();
    compare_joints();
    compare_loops();
    compare_springs();
    compare_rollings();
    compare_frames();
    compare_drives();
    compare_keyframes();
    if (lines_.empty()) compare_order();
    return std::move(lines_);
  }

 private:
  void say(const std::string& what, const std::string& first, const std::string& second) {
    lines_.push_back(fmt::format("{}: {} | {}", what, first, second));
  }

  /// Equal to the tolerance, relative to the largest entry of both or to `size`, whichever is more.
  template <class X, class Y>
  void compare_array(const std::string& what, const X& x, const Y& y, double size = 1.0) {
    bool same = x.size() == y.size();
    for (Eigen::Index i = 0; same && i < x.size(); ++i)
      for (double e : {x.coeff(i), y.coeff(i)})
        if (std::isfinite(e)) size = std::max(size, std::abs(e));
    for (Eigen::Index i = 0; same && i < x.size(); ++i)
      same = x.coeff(i) == y.coeff(i) || std::abs(x.coeff(i) - y.coeff(i)) <= tolerance_ * size;
    const auto text = [](const auto& m) { return fmt::format("[{:.10g}]", fmt::join(m.data(), m.data() + m.size(), ", ")); };
    if (!same) say(what, text(x), text(y));
  }

  void compare_number(const std::string& what, double x, double y) {
    compare_array(what, Matrix<double, 1, 1>(x), Matrix<double, 1, 1>(y));
  }

  /// Pairs items of two lists by name; f(x, y) for each pair, a line for each that stands alone.
  template <class Items, class Skip, class F>
  void pair_up(const char* what, const Items& first, const Items& second, Skip skip, F f) {
    std::map<std::string_view, const typename Items::value_type*> others;
    for (const auto& y : second)
      if (!skip(y)) others.emplace(y.name, &y);
    for (const auto& x : first) {
      if (skip(x)) continue;
      const auto found = others.find(x.name);
      if (found == others.end()) {
        say(fmt::format("{} '{}'", what, x.name), "there", "missing");
        continue;
      }
      f(x, *found->second);
      others.erase(found);
    }
    for (const auto& [name, y] : others) say(fmt::format("{} '{}'", what, name), "missing", "there");
  }

  static std::string held_by(const Mechanism& m, const Body& body) {
    // Through fixed joints down to the moving one: how a file chains fixed bodies is not physics.
    const int joint = m.links()[body.link].joint;
    return joint < 0 ? "the world" : fmt::format("joint '{}'", m.joints()[joint].name);
  }

  void compare_bodies() {
    const auto skip = [](const Body& b) { return b.auxiliary || (b.name == kWorld && b.inertia.mass() == 0.0); };
    pair_up("body", a_.bodies(), b_.bodies(), skip, [&](const Body& x, const Body& y) {
      const std::string what = fmt::format("body '{}' ", x.name);
      const double mass = std::max(std::abs(x.inertia.mass()), std::abs(y.inertia.mass()));
      compare_array(what + "mass", Matrix<double, 1, 1>(x.inertia.mass()), Matrix<double, 1, 1>(y.inertia.mass()), 0.0);
      compare_array(what + "first moment of mass", x.inertia.first_moment(), y.inertia.first_moment(), 1e-3 * mass);
      compare_array(what + "inertia", x.inertia.about_origin(), y.inertia.about_origin(), 1e-4 * mass);
      if (held_by(a_, x) != held_by(b_, y)) return say(what + "is carried by", held_by(a_, x), held_by(b_, y));
      for (int sample = 0; sample < 3; ++sample) {
        const std::size_t before = lines_.size();
        compare_array(what + (sample == 0 ? "place" : "motion"), seen_from_carrier(a_, x, sample),
                      seen_from_carrier(b_, y, sample));
        if (lines_.size() > before) break;
      }
    });
  }

  /// A pose on a link as seen from the body that the link's joint holds: link frames are not the user's.
  static Pose placement(const Mechanism& m, int link, const Pose& X_L) {
    const int joint = m.links()[link].joint;
    return joint < 0 ? X_L : m.bodies()[m.joints()[joint].child].X_LB.inverse() * X_L;
  }

  /// Coordinates of a joint for one of a few samples, the same for joints of the same name; sample 0 is neutral.
  static std::array<double, kMostJointCoordinates> coordinates(const Joint& j, int sample) {
    std::array<double, kMostJointCoordinates> lower, upper, q{};
    lower.fill(-1.0), upper.fill(1.0);
    std::uint64_t seed = static_cast<std::uint64_t>(sample);
    for (char c : j.name) seed = 31 * seed + static_cast<unsigned char>(c);
    Random random(seed);
    visit_joint(j.kind, j.parameters, [&](const auto& joint) {
      sample == 0 ? joint.neutral(q.data()) : joint.random(random, lower.data(), upper.data(), q.data());
    });
    return q;
  }

  /// Where a body is as seen from the link that carries it, through frames that only stand between stacked joints.
  static Matrix4<double> seen_from_carrier(const Mechanism& m, const Body& body, int sample) {
    if (body.joint < 0 || m.joints()[body.joint].link < 0) return placement(m, body.link, body.X_LB).matrix();
    Pose X;
    const Body* at = &body;
    while (true) {
      const Joint& j = m.joints()[at->joint];
      X = joint_pose(j, coordinates(j, sample).data()) * X;
      if (j.parent < 0) return X.matrix();
      at = &m.bodies()[j.parent];
      if (!at->auxiliary) return placement(m, at->link, at->X_LB * X).matrix();
    }
  }

  void compare_joints() {
    const auto skip = [](const Joint& j) { return j.link < 0; };
    pair_up("joint", a_.joints(), b_.joints(), skip, [&](const Joint& x, const Joint& y) {
      const std::string what = fmt::format("joint '{}' ", x.name);
      if (x.kind != y.kind) return say(what + "type", x.type, y.type);
      compare_coupling(what, x, y);
      compare_properties(what, x, y);
    });
  }

  static std::string leader_name(const Mechanism& m, const Joint& j) {
    return j.leader < 0 ? "nothing" : m.joints()[j.leader].name;
  }
  void compare_coupling(const std::string& what, const Joint& x, const Joint& y) {
    if (leader_name(a_, x) != leader_name(b_, y)) say(what + "follows", leader_name(a_, x), leader_name(b_, y));
    compare_array(what + "ratio and offset", Vector2<double>(x.ratio, x.offset), Vector2<double>(y.ratio, y.offset));
  }

  using Properties = std::map<std::string_view, const JointProperties*>;
  static Properties properties_of(const Mechanism& m) {
    Properties out;
    for (const JointDescription& j : m.description().joints) out.emplace(j.name, &j.properties);
    return out;
  }

  void compare_properties(const std::string& what, const Joint& x, const Joint& y) {
    const JointProperties &p = *properties_a_.at(x.name), &r = *properties_b_.at(y.name);
    const int nv = freedoms(x);
    const auto part = [&](const char* name, const std::vector<double>& u, const std::vector<double>& w, double fallback) {
      const auto filled = [&](const std::vector<double>& values) {
        Eigen::VectorXd out = Eigen::VectorXd::Constant(nv, fallback);
        for (int k = 0; k < std::min<int>(nv, static_cast<int>(values.size())); ++k) out[k] = values[k];
        return out;
      };
      compare_array(what + name, filled(u), filled(w));
    };
    part("lower limit", p.lower, r.lower, -kUnlimited);
    part("upper limit", p.upper, r.upper, kUnlimited);
    part("velocity limit", p.velocity, r.velocity, kUnlimited);
    part("effort limit", p.effort, r.effort, kUnlimited);
    part("damping", p.damping, r.damping, 0.0);
    part("friction", p.friction, r.friction, 0.0);
    part("armature", p.armature, r.armature, 0.0);
    part("stiffness", p.stiffness, r.stiffness, 0.0);
    part("spring reference", p.reference, r.reference, 0.0);
  }
  static int freedoms(const Joint& j) {
    return visit_joint(j.kind, j.parameters, [](const auto& joint) { return joint.nv(); });
  }

  void compare_loops() {
    const auto none = [](const Loop&) { return false; };
    pair_up("loop", a_.loops(), b_.loops(), none, [&](const Loop& x, const Loop& y) {
      const std::string what = fmt::format("loop '{}' ", x.name);
      if (x.kind != y.kind) return say(what + "type", x.type, y.type);
      if (ends(a_, x) != ends(b_, y)) return say(what + "joins", ends(a_, x), ends(b_, y));
      for (int sample = 0; sample < 3; ++sample)
        if (!allows(y, closed_pose(a_, x, sample))) return say(what + "closes at", "one place", "another");
    });
  }
  template <class Closure>
  static std::string ends(const Mechanism& m, const Closure& l) {
    const auto name = [&](int body) { return body < 0 ? std::string(kWorld) : m.bodies()[body].name; };
    return name(l.body_a) + " - " + name(l.body_b);
  }
  static Pose on_link(const Mechanism& m, int body) { return body < 0 ? Pose() : m.bodies()[body].X_LB; }

  /// The second body in the first, with the loop closed at one of a few positions of its joint.
  static Pose closed_pose(const Mechanism& m, const Loop& l, int sample) {
    const Joint joint{.name = l.name, .kind = l.kind, .parameters = l.parameters};
    const Pose X = visit_joint(l.kind, l.parameters, [&](const auto& j) { return j.pose(coordinates(joint, sample).data()); });
    return on_link(m, l.body_a).inverse() * l.X_AN * X * l.X_BN.inverse() * on_link(m, l.body_b);
  }

  /// Whether the loop of the second mechanism can be closed with its bodies like this: Gauss-Newton for its coordinates.
  bool allows(const Loop& l, const Pose& X_AB) const {
    const Pose wanted = (on_link(b_, l.body_a).inverse() * l.X_AN).inverse() * X_AB * on_link(b_, l.body_b).inverse() * l.X_BN;
    return visit_joint(l.kind, l.parameters, [&](const auto& joint) {
      std::array<double, kMostJointCoordinates> q{};
      joint.neutral(q.data());
      Vector6<double> gap;
      for (int step = 0; step < 20; ++step) {
        gap = (joint.pose(q.data()).inverse() * wanted).log().vector();
        if (joint.nv() == 0) break;
        std::array<Twist<double>, 6> S;
        joint.subspace(q.data(), S.data());
        Eigen::MatrixXd J(6, joint.nv());
        for (int k = 0; k < joint.nv(); ++k) J.col(k) = S[k].vector();
        const Eigen::VectorXd d = J.colPivHouseholderQr().solve(Eigen::VectorXd(gap));
        joint.integrate(q.data(), d.data(), q.data());
      }
      gap = (joint.pose(q.data()).inverse() * wanted).log().vector();
      return gap.cwiseAbs().maxCoeff() <= std::max(tolerance_, 1e-12) * (1.0 + wanted.translation().norm());
    });
  }

  static Vector3<double> on_body(const Mechanism& m, int body, const Vector3<double>& p_L) {
    return on_link(m, body).inverse() * p_L;
  }

  void compare_springs() {
    const auto none = [](const Spring&) { return false; };
    pair_up("spring", a_.springs(), b_.springs(), none, [&](const Spring& x, const Spring& y) {
      const std::string what = fmt::format("spring '{}' ", x.name);
      if (ends(a_, x) != ends(b_, y)) return say(what + "joins", ends(a_, x), ends(b_, y));
      compare_array(what + "point_a", on_body(a_, x.body_a, x.p_A), on_body(b_, y.body_a, y.p_A));
      compare_array(what + "point_b", on_body(a_, x.body_b, x.p_B), on_body(b_, y.body_b, y.p_B));
      compare_number(what + "stiffness", x.stiffness, y.stiffness);
      compare_number(what + "length", x.length, y.length);
      compare_number(what + "damping", x.damping, y.damping);
    });
  }

  void compare_rollings() {
    const auto none = [](const RollingWheel&) { return false; };
    pair_up("rolling", a_.rollings(), b_.rollings(), none, [&](const RollingWheel& x, const RollingWheel& y) {
      const std::string what = fmt::format("rolling '{}' ", x.name);
      const std::string &first = a_.bodies()[x.body].name, &second = b_.bodies()[y.body].name;
      if (first != second) return say(what + "is of", first, second);
      const Pose X = on_link(a_, x.body).inverse() * x.X_LW, Y = on_link(b_, y.body).inverse() * y.X_LW;
      compare_array(what + "center", X.translation(), Y.translation());
      // An axis and its opposite are the same wheel.
      const Vector3<double> axis = X.rotation().matrix().col(2), other = Y.rotation().matrix().col(2);
      compare_array(what + "axis", axis, Vector3<double>(axis.dot(other) < 0.0 ? -other : other));
      compare_number(what + "radius", x.radius, y.radius);
    });
  }

  void compare_frames() {
    const auto none = [](const Frame&) { return false; };
    pair_up("frame", a_.frames(), b_.frames(), none, [&](const Frame& x, const Frame& y) {
      const std::string what = fmt::format("frame '{}' ", x.name);
      const auto body = [](const Mechanism& m, const Frame& f) { return f.body < 0 ? kWorld : m.bodies()[f.body].name; };
      if (body(a_, x) != body(b_, y)) return say(what + "is on", body(a_, x), body(b_, y));
      compare_array(what + "pose", (on_link(a_, x.body).inverse() * x.X_LF).matrix(),
                    (on_link(b_, y.body).inverse() * y.X_LF).matrix());
    });
  }

  template <std::size_t N>
  static Eigen::VectorXd column(const std::array<double, N>& values) {
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(N));
  }
  static Eigen::VectorXd column(const std::vector<double>& values) {
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }

  void compare_drives() {
    if (a_.description().drives.empty() || b_.description().drives.empty()) return;  // most formats have none
    const auto none = [](const DriveDescription&) { return false; };
    pair_up("drive", a_.description().drives, b_.description().drives, none,
            [&](const DriveDescription& x, const DriveDescription& y) {
              const std::string what = fmt::format("drive '{}' ", x.name);
              if (x.joint != y.joint) return say(what + "drives", x.joint, y.joint);
              if (x.tendon != y.tendon) return say(what + "drives tendon", x.tendon, y.tendon);
              if (x.frame != y.frame) return say(what + "drives frame", x.frame, y.frame);
              if (x.reference != y.reference) return say(what + "has the reference frame", x.reference, y.reference);
              if (x.slider != y.slider) return say(what + "has the slider frame", x.slider, y.slider);
              compare_array(what + "gear", column(x.gear), column(y.gear));
              compare_array(what + "gain", column(x.gain), column(y.gain));
              compare_array(what + "bias", column(x.bias), column(y.bias));
              compare_array(what + "control range", column(x.control), column(y.control));
              compare_array(what + "force range", column(x.force), column(y.force));
            });
  }

  /// Those with a name.
  void compare_keyframes() {
    if (a_.keyframes().empty() || b_.keyframes().empty()) return;
    const auto unnamed = [](const Keyframe& k) { return k.name.empty(); };
    pair_up("keyframe", a_.keyframes(), b_.keyframes(), unnamed, [&](const Keyframe& x, const Keyframe& y) {
      const std::string what = fmt::format("keyframe '{}' ", x.name);
      compare_number(what + "time", x.time, y.time);
      compare_array(what + "q", x.q, y.q);
      compare_array(what + "v", x.v, y.v);
      compare_array(what + "ctrl", column(x.ctrl), column(y.ctrl));
    });
  }

  void compare_order() {
    const auto joined = [](const Mechanism& m) { return fmt::format("{}", fmt::join(m.joint_names(), ", ")); };
    if (joined(a_) != joined(b_)) say("order of coordinates", joined(a_), joined(b_));
  }

  const Mechanism &a_, &b_;
  double tolerance_;
  Properties properties_a_, properties_b_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> differences(const Mechanism& a, const Mechanism& b, double tolerance) {
  return Comparison(a, b, tolerance).run();
}

}  // namespace amble
