#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "amble/base/limits.hpp"
#include "amble/io/mjcf/fold.hpp"
#include "amble/io/mjcf/inertial.hpp"
#include "amble/io/mjcf/printer.hpp"
#include "amble/io/mjcf/unused.hpp"
#include "amble/io/mjcf/write_parts.hpp"
#include "amble/io/split_joints.hpp"
#include "amble/io/writers.hpp"
#include "amble/io/xml/names.hpp"

namespace amble {

namespace {

/// A body stands in <mujoco> and <worldbody> and holds elements of its own.
/// <mujoco>, <worldbody> and what is in the body are elements too.
int deepest_body() { return static_cast<int>(limit(Limit::xml_nesting)) - 3; }

[[noreturn]] void cannot(const std::string& what, const std::string& why) {
  throw Error(fmt::format("{}: MJCF cannot say {}", what, why));
}

std::string quoted(const char* kind, const std::string& name) { return fmt::format("{} '{}'", kind, name); }

bool is_identity(const Matrix4<double>& m) {
  return (m - Matrix4<double>::Identity()).cwiseAbs().maxCoeff() <= 1e-12;
}

bool all_equal(const std::vector<double>& values, double x) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == x; });
}

const char* mjcf_type(const JointDescription& j) {
  if (j.type == "revolute" || j.type == "continuous") return "hinge";
  if (j.type == "prismatic") return "slide";
  if (j.type == "spherical") return "ball";
  if (j.type == "free") return "free";
  cannot(quoted("joint", j.name), fmt::format("the type {}", j.type));
}

bool has_one_axis(const JointDescription& j) { return j.type != "spherical" && j.type != "free"; }

class MjcfWriter {
 public:
  MjcfWriter(const ModelDescription& d, const LeftOut& left_out)
      : d_(d), tree_(mjcf_fold(d)), shapes_(d, out_), left_out_(left_out) {}

  std::string write() {
    add_loop_sites();
    out_.open("mujoco");
    out_.put("model", d_.name);
    write_settings();
    write_custom();
    shapes_.write_assets();
    write_world();
    shapes_.write_contacts(d_.contact);
    leave_out_elements();
    write_equalities();
    const std::vector<std::size_t> drives = write_mjcf_drives(d_, out_, left_out_);
    write_mjcf_keyframes(d_, tree_, drives, out_);
    out_.close();
    return out_.text();
  }

 private:
  void write_settings() {
    out_.open("compiler");
    out_.put("angle", "radian");
    out_.put("inertiafromgeom", "false");
    out_.put("autolimits", "false");
    out_.close();
    out_.open("option");
    out_.put("gravity", d_.gravity);
    if (d_.contact.neighbors_touch) out_.open("flag"), out_.put("filterparent", "disable"), out_.close();
    out_.close();
  }

  /// What MJCF has no element for, in the fields it keeps for that.
  void write_custom() {
    MjcfSection custom(out_, "custom");
    const auto field = [&](const char* element, const std::string& name, const std::string& data) {
      custom.entry(element);
      out_.put("name", name);
      out_.put("data", data);
      out_.close();
    };
    for (const JointDescription& j : d_.joints) {
      const auto &velocity = j.properties.velocity, &effort = j.properties.effort;
      if (!all_equal(velocity, kUnlimited))
        field("numeric", kMjcfVelocityLimit + j.name, format_numbers(velocity));
      if (!all_equal(effort, kUnlimited) && mjcf_effort_range(d_, j).empty())
        field("numeric", kMjcfEffortLimit + j.name, format_numbers(effort));
    }
    for (const MjcfBody& b : tree_.bodies)
      if (b.fixed != nullptr && b.fixed->name != b.body->name + "_fixed")
        field("text", kMjcfFixedJoint + b.body->name, b.fixed->name);
  }

  void write_world() {
    out_.open("worldbody");
    shapes_.write_geoms(d_.world_visuals, d_.world_collisions, kWorld, false);
    for (const BodyDescription& b : d_.bodies) {
      if (b.name != kWorld) continue;
      if (b.inertia.mass() != 0.0) cannot("body 'world'", "the mass of the world");
      shapes_.write_geoms(b.visuals, b.collisions, kWorld, false);
    }
    write_sites(kWorld);
    for (const int child : tree_.bodies[0].children) write_body(child, false);
    out_.close();
  }

  void write_body(int id, bool parent_moves) {
    const MjcfBody& b = tree_.bodies[id];
    if (b.depth > deepest_body())
      cannot(quoted("body", b.body->name),
             fmt::format("more than {} bodies nested in each other", deepest_body()));
    const bool moves = parent_moves || !b.joints.empty();
    out_.open("body");
    out_.put("name", b.body->name);
    out_.put_pose(b.X_PB);
    write_inertial(id);
    for (const MjcfStackedJoint& j : b.joints) write_joint(j, b);
    shapes_.write_geoms(b.body->visuals, b.body->collisions, b.body->name, moves);
    write_sites(b.body->name);
    for (const int child : b.children) write_body(child, moves);
    out_.close();
  }

  /// MuJoCo's rule: a body with joints needs mass, its own or that of a body fixed to it.
  bool can_move(int id) const {
    const MjcfBody& b = tree_.bodies[id];
    if (mjcf_inertial(b.body->inertia, b.body->name).can_move()) return true;
    return std::any_of(b.children.begin(), b.children.end(),
                       [&](int child) { return tree_.bodies[child].joints.empty() && can_move(child); });
  }

  void write_inertial(int id) {
    const MjcfBody& b = tree_.bodies[id];
    const MjcfInertial inertial = mjcf_inertial(b.body->inertia, b.body->name);
    if (!b.joints.empty() && !can_move(id))
      cannot(
          quoted("body", b.body->name),
          fmt::format(
              "a body that moves with mass {} kg and principal moments {}, {}, {} kg m^2; MuJoCo wants all "
              "of them above 1e-15",
              inertial.mass, inertial.moments[0], inertial.moments[1], inertial.moments[2]));
    if (inertial.mass == 0.0 && inertial.moments.isZero(0.0)) return;
    out_.open("inertial");
    out_.put("pos", inertial.com);
    if (inertial.q_BI.w != 1.0) out_.put("quat", inertial.q_BI);
    out_.put("mass", inertial.mass);
    out_.put("diaginertia", inertial.moments);
    out_.close();
  }

  void write_joint(const MjcfStackedJoint& stacked, const MjcfBody& b) {
    const JointDescription& j = *stacked.joint;
    const std::string type = mjcf_type(j);
    out_.open("joint");
    out_.put("name", j.name);
    out_.put("type", type);
    if (type == "free")
      check_free(stacked, b);
    else if (!stacked.X_BN.translation().isZero(0.0))
      out_.put("pos", stacked.X_BN.translation());
    if (has_one_axis(j)) out_.put("axis", Vector3<double>(stacked.X_BN.rotation() * j.axis));
    if (type == "ball" && !is_identity(Pose(stacked.X_BN.rotation()).matrix()))
      cannot(quoted("joint", j.name), "a ball joint whose axes differ from its body's");
    write_properties(j);
    out_.close();
  }

  void check_free(const MjcfStackedJoint& stacked, const MjcfBody& b) const {
    if (b.depth > 1)
      cannot(quoted("joint", stacked.joint->name), "a free joint that does not start from the world");
    if (!is_identity(b.X_PB.matrix()) || !is_identity(stacked.X_BN.matrix()))
      cannot(quoted("joint", stacked.joint->name),
             "a free joint with frames other than the world's and its body's");
  }

  void write_properties(const JointDescription& j) {
    const JointProperties& p = j.properties;
    if (j.type != "free") write_limits(j);
    const auto put = [&](const char* name, const std::vector<double>& values) {
      if (all_equal(values, 0.0)) return;
      if (all_equal(values, values[0])) return out_.put(name, values[0]);
      left_out_.add(quoted("joint", j.name),
                    fmt::format("MJCF cannot say {} that differs between the freedoms of a joint", name));
    };
    put("damping", p.damping);
    put("frictionloss", p.friction);
    put("armature", p.armature);
    if (all_equal(p.stiffness, 0.0)) return;
    if (j.type == "free")
      return left_out_.add(quoted("joint", j.name),
                           "MJCF cannot say a spring on a free joint that Amble would read back");
    if (!has_one_axis(j) && !all_equal(p.reference, 0.0))
      return left_out_.add(quoted("joint", j.name),
                           "MJCF cannot say a spring of a ball joint that rests away from zero");
    put("stiffness", p.stiffness);
    if (has_one_axis(j)) put("springref", p.reference);
  }

  void write_limits(const JointDescription& j) {
    const JointProperties& p = j.properties;
    const double lower = p.lower.empty() ? -kUnlimited : p.lower[0],
                 upper = p.upper.empty() ? kUnlimited : p.upper[0];
    const bool limited = lower > -kUnlimited || upper < kUnlimited;
    if (const std::vector<double> effort = mjcf_effort_range(d_, j); !effort.empty()) {
      out_.put("actuatorfrclimited", "true");
      out_.put("actuatorfrcrange", format_numbers(effort));
    }
    out_.put("limited", limited ? "true" : "false");
    if (!limited) return;
    if (!(lower < upper))
      cannot(quoted("joint", j.name), fmt::format("limits {} and {} that leave no range", lower, upper));
    out_.put("range", format_numbers(std::array{lower, upper}));
  }

  void write_sites(const std::string& body) {
    for (const auto* list : {&d_.frames, &std::as_const(loop_sites_)})
      for (const FrameDescription& f : *list) {
        if (f.body != body) continue;
        out_.open("site");
        out_.put("name", f.name);
        out_.put_pose(f.X_BF);
        out_.close();
      }
  }

  void leave_out_elements() const {
    for (const SpringDescription& s : d_.springs)
      left_out_.add(quoted("spring", s.name),
                    "MJCF cannot say a spring between bodies that Amble would read back");
    for (const RollingDescription& r : d_.rollings)
      left_out_.add(quoted("rolling", r.name), "MJCF cannot say a wheel that rolls without slip");
  }

  void write_equalities() {
    MjcfSection equality(out_, "equality");
    for (const JointDescription& j : d_.joints)
      if (j.mimic) write_mimic(j, equality);
    for (const LoopDescription& l : tree_.loops) write_loop(l, equality);
  }

  void write_mimic(const JointDescription& j, MjcfSection& equality) {
    equality.entry("joint");
    out_.put("joint1", j.name);
    out_.put("joint2", j.mimic->leader);
    out_.put("polycoef", format_numbers(std::array{j.mimic->offset, j.mimic->ratio, 0.0, 0.0, 0.0}));
    out_.close();
  }

  void write_loop(const LoopDescription& l, MjcfSection& equality) {
    const bool connect = l.type == "spherical";
    if (!connect && l.type != "fixed")
      return left_out_.add(quoted("loop", l.name), fmt::format("MJCF cannot say a loop of type {}", l.type));
    equality.entry(connect ? "connect" : "weld");
    out_.put("name", l.name);
    if (const auto sites = sites_of_loop_.find(l.name); sites != sites_of_loop_.end()) {
      out_.put("site1", sites->second.first);
      out_.put("site2", sites->second.second);
    } else {
      out_.put("body1", l.body_a);
      out_.put("body2", l.body_b);
      if (connect)
        out_.put("anchor", l.X_AF.translation());
      else
        write_relative_pose(l.X_AF * l.X_BM.inverse());
    }
    out_.close();
  }

  /// How far apart the points of a ball joint are at q = 0.
  double gap_of(const LoopDescription& l) const {
    const Vector3<double> at_a = tree_.bodies[tree_.find(l.body_a)].X_WB * l.X_AF.translation();
    const Vector3<double> at_b = tree_.bodies[tree_.find(l.body_b)].X_WB * l.X_BM.translation();
    return (at_a - at_b).norm();
  }

  /// MJCF gives the anchor on one body only; on the other it is where the first one is at q = 0. A ball joint
  /// that is open there joins sites, which have to be added.
  void add_loop_sites() {
    constexpr double kClosed = 1e-9;
    std::set<std::string> taken;
    for (const FrameDescription& f : d_.frames) taken.insert(f.name);
    const auto unused = [&](const std::string& wish) {
      std::string name = wish;
      for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", wish, i);
      return name;
    };
    for (const LoopDescription& l : tree_.loops) {
      const double gap = l.type == "spherical" ? gap_of(l) : 0.0;
      if (gap <= kClosed) continue;
      left_out_.add(
          quoted("loop", l.name),
          fmt::format("MJCF cannot say a ball joint that is open at q = 0 (its points are {} m apart) but "
                      "between sites, which are added",
                      gap));
      const std::string a = unused(l.name + "_a"), b = unused(l.name + "_b");
      for (const std::string& name : {a, b}) left_out_.add(quoted("frame", name), "is added");
      loop_sites_.push_back({a, l.body_a, l.X_AF, 0});
      loop_sites_.push_back({b, l.body_b, l.X_BM, 0});
      sites_of_loop_.emplace(l.name, std::pair(a, b));
    }
  }

  void write_relative_pose(const Pose& X_AB) {
    const Quaternion<double> q = X_AB.rotation().quaternion();
    const Vector3<double>& p = X_AB.translation();
    out_.put("relpose", format_numbers(std::array{p[0], p[1], p[2], q.w, q.v[0], q.v[1], q.v[2]}));
  }

  const ModelDescription& d_;
  MjcfTree tree_;
  MjcfPrinter out_;
  MjcfShapeWriter shapes_;
  const LeftOut& left_out_;
  std::vector<FrameDescription> loop_sites_;
  std::map<std::string, std::pair<std::string, std::string>> sites_of_loop_;
};

}  // namespace

std::string write_mjcf(const ModelDescription& description, Problems* left_out) {
  ModelDescription sayable = description;
  if (left_out != nullptr) {
    split_joints(sayable, {"universal", "cylindrical", "planar"}, *left_out);
    const auto turned = [](const JointDescription& j) {
      return j.type == "spherical" && !is_identity(Pose(j.X_CM.rotation()).matrix());
    };
    add_joint_frames(sayable, turned, *left_out);
  }
  check_xml_can_say_names(sayable);
  return MjcfWriter(sayable, LeftOut(left_out)).write();
}

}  // namespace amble
