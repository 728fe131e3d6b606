#include "amble/mechanism/compare.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

class Comparison {
 public:
  Comparison(const Mechanism& a, const Mechanism& b, double tolerance) : a_(a), b_(b), tolerance_(tolerance) {}

  std::vector<std::string> run() {
    compare_array("gravity", a_.gravity(), b_.gravity());
    if (std::abs(a_.mass() - b_.mass()) > tolerance_ * std::max(1.0, std::abs(a_.mass())))
      say("total mass", fmt::format("{} kg", a_.mass()), fmt::format("{} kg", b_.mass()));
    compare_bodies();
    compare_joints();
    compare_loops();
    compare_frames();
    if (lines_.empty()) compare_order();
    return std::move(lines_);
  }

 private:
  void say(const std::string& what, const std::string& first, const std::string& second) {
    lines_.push_back(fmt::format("{}: {} | {}", what, first, second));
  }

  template <class X, class Y>
  void compare_array(const std::string& what, const X& x, const Y& y) {
    bool same = x.size() == y.size();
    for (Eigen::Index i = 0; same && i < x.size(); ++i) {
      const double u = x.coeff(i), w = y.coeff(i);
      same = u == w || std::abs(u - w) <= tolerance_ * std::max({1.0, std::abs(u), std::abs(w)});
    }
    const auto text = [](const auto& m) { return fmt::format("[{:.10g}]", fmt::join(m.data(), m.data() + m.size(), ", ")); };
    if (!same) say(what, text(x), text(y));
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
      compare_array(what + "mass", Matrix<double, 1, 1>(x.inertia.mass()), Matrix<double, 1, 1>(y.inertia.mass()));
      compare_array(what + "first moment of mass", x.inertia.first_moment(), y.inertia.first_moment());
      compare_array(what + "inertia", x.inertia.about_origin(), y.inertia.about_origin());
      if (held_by(a_, x) != held_by(b_, y)) return say(what + "is carried by", held_by(a_, x), held_by(b_, y));
      compare_array(what + "place", placement(a_, x.link, x.X_LB), placement(b_, y.link, y.X_LB));
    });
  }

  /// A pose on a link as seen from the body that the link's joint holds: link frames are not the user's.
  static Matrix4<double> placement(const Mechanism& m, int link, const Pose& X_L) {
    const int joint = m.links()[link].joint;
    return joint < 0 ? X_L.matrix() : (m.bodies()[m.joints()[joint].child].X_LB.inverse() * X_L).matrix();
  }

  void compare_joints() {
    const auto skip = [](const Joint& j) { return j.link < 0; };
    pair_up("joint", a_.joints(), b_.joints(), skip, [&](const Joint& x, const Joint& y) {
      const std::string what = fmt::format("joint '{}' ", x.name);
      if (x.kind != y.kind) return say(what + "type", x.type, y.type);
      compare_coupling(what, x, y);
      compare_motion(what, x, y);
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

  void compare_motion(const std::string& what, const Joint& x, const Joint& y) {
    Random random(1);
    for (int sample = 0; sample < 3; ++sample) {
      std::array<double, kMostJointCoordinates> lower, upper, q{};
      lower.fill(-1.0), upper.fill(1.0);
      visit_joint(x.kind, x.parameters, [&](const auto& joint) {
        sample == 0 ? joint.neutral(q.data()) : joint.random(random, lower.data(), upper.data(), q.data());
      });
      const std::size_t before = lines_.size();
      compare_array(what + (sample == 0 ? "pose at zero" : "motion"), relative(a_, x, q.data()), relative(b_, y, q.data()));
      if (lines_.size() > before) return;
    }
  }

  /// The child's pose as seen from the parent's link, so that fixed bodies in between do not matter.
  static Matrix4<double> relative(const Mechanism& m, const Joint& j, const double* q) {
    if (j.parent < 0) return joint_pose(j, q).matrix();
    const Body& parent = m.bodies()[j.parent];
    return placement(m, parent.link, parent.X_LB * joint_pose(j, q));
  }

  void compare_properties(const std::string& what, const Joint& x, const Joint& y) {
    if (x.leader >= 0 || y.leader >= 0) return;
    const auto part = [&](const char* name, const OwnedVector& u, Slice su, const OwnedVector& w, Slice sw) {
      compare_array(what + name, u.segment(su.start, su.size).eval(), w.segment(sw.start, sw.size).eval());
    };
    part("lower limit", a_.lower(), x.q, b_.lower(), y.q);
    part("upper limit", a_.upper(), x.q, b_.upper(), y.q);
    part("velocity limit", a_.velocity_limit(), x.v, b_.velocity_limit(), y.v);
    part("effort limit", a_.effort_limit(), x.v, b_.effort_limit(), y.v);
    part("damping", a_.damping(), x.v, b_.damping(), y.v);
    part("friction", a_.friction(), x.v, b_.friction(), y.v);
    part("armature", a_.armature(), x.v, b_.armature(), y.v);
    part("stiffness", a_.stiffness(), x.v, b_.stiffness(), y.v);
  }

  void compare_loops() {
    const auto none = [](const Loop&) { return false; };
    pair_up("loop", a_.loops(), b_.loops(), none, [&](const Loop& x, const Loop& y) {
      if (x.kind != y.kind) say(fmt::format("loop '{}' type", x.name), x.type, y.type);
      const auto ends = [](const Mechanism& m, const Loop& l) {
        const auto name = [&](int body) { return body < 0 ? std::string(kWorld) : m.bodies()[body].name; };
        return name(l.body_a) + " - " + name(l.body_b);
      };
      if (ends(a_, x) != ends(b_, y)) say(fmt::format("loop '{}' joins", x.name), ends(a_, x), ends(b_, y));
    });
  }

  void compare_frames() {
    const auto none = [](const Frame&) { return false; };
    pair_up("frame", a_.frames(), b_.frames(), none, [&](const Frame& x, const Frame& y) {
      const auto on_body = [](const Mechanism& m, const Frame& f) {
        return f.body < 0 ? f.X_LF.matrix() : (m.bodies()[f.body].X_LB.inverse() * f.X_LF).matrix();
      };
      compare_array(fmt::format("frame '{}'", x.name), on_body(a_, x), on_body(b_, y));
    });
  }

  void compare_order() {
    const auto joined = [](const Mechanism& m) { return fmt::format("{}", fmt::join(m.joint_names(), ", ")); };
    if (joined(a_) != joined(b_)) say("order of coordinates", joined(a_), joined(b_));
  }

  const Mechanism &a_, &b_;
  double tolerance_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> differences(const Mechanism& a, const Mechanism& b, double tolerance) {
  return Comparison(a, b, tolerance).run();
}

}  // namespace amble
