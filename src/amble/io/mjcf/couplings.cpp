#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>

#include "amble/io/mjcf/model.hpp"

// Equality constraints and actuators: what ties joints and bodies together or drives them.
namespace amble {

namespace {

using Kind = MjcfView::Kind;

std::map<std::string, JointDescription*> joints_by_name(ModelDescription& out) {
  std::map<std::string, JointDescription*> joints;
  for (JointDescription& j : out.joints) joints.emplace(j.name, &j);
  return joints;
}

class EqualityReader {
 public:
  EqualityReader(const MjcfView& view, bool mimic, ModelDescription& out)
      : view_(view), m_(view.model()), mimic_(mimic), out_(out), joints_(joints_by_name(out)) {}

  void read(int id) {
    const bool off = (m_.opt.disableflags & mjDSBL_EQUALITY) != 0 || !m_.eq_active[id];
    if (off) return say(id, Severity::note, "not used: it is switched off");
    switch (m_.eq_type[id]) {
      case mjEQ_CONNECT:
        return add_loop(id, "spherical", Pose(data(id, 0)), Pose(data(id, 3)));
      case mjEQ_WELD:
        // The point data[0..2] of body 2 is to be at data[3..5] of body 1, turned by the quaternion
        // data[6..9].
        return add_loop(id, "fixed", mjcf_pose(at(id) + 3, at(id) + 6), Pose(data(id, 0)));
      case mjEQ_JOINT:
        return add_mimic(id);
      default:
        return say(id, Severity::warning, "not used: no such constraint here");
    }
  }

 private:
  const double* at(int id) const { return m_.eq_data + mjNEQDATA * id; }
  Vector3<double> data(int id, int first) const { return mjcf_vector(at(id) + first); }

  void say(int id, Severity severity, const std::string& reason) {
    out_.findings.push_back(view_.problem(severity, Kind::equality, id, reason));
  }

  void add_loop(int id, const std::string& type, const Pose& X_AF, const Pose& X_BM) {
    LoopDescription loop;
    loop.name = view_.equality(id);
    loop.type = type;
    loop.body_a = view_.body(m_.eq_obj1id[id]);
    loop.body_b = view_.body(m_.eq_obj2id[id]);
    loop.X_AF = X_AF;
    loop.X_BM = X_BM;
    loop.line = view_.line(Kind::equality, id);
    out_.loops.push_back(loop);
  }

  /// MuJoCo: y - y0 = c0 + c1 (x - x0) + ... + c4 (x - x0)^4, where x0 and y0 are the joints' ref.
  void add_mimic(int id) {
    if (!mimic_) return;
    const double* c = at(id);
    const int follower = m_.eq_obj1id[id], leader = m_.eq_obj2id[id];
    if (c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0)
      return say(id, Severity::warning, "not used: the coupling is not linear (polycoef)");
    if (leader < 0)
      return say(id, Severity::warning, "not used: it holds a joint in place instead of coupling two");
    JointDescription& joint = *joints_.at(view_.joint(follower));
    if (joint.mimic)
      return say(id, Severity::warning,
                 fmt::format("not used: joint '{}' follows another already", joint.name));
    const double y0 = m_.qpos0[m_.jnt_qposadr[follower]], x0 = m_.qpos0[m_.jnt_qposadr[leader]];
    joint.mimic = Mimic{view_.joint(leader), c[1], y0 + c[0] - c[1] * x0};
  }

  const MjcfView& view_;
  const mjModel& m_;
  const bool mimic_;
  ModelDescription& out_;
  const std::map<std::string, JointDescription*> joints_;
};

/// A motor in MuJoCo's sense: its control is a force on one hinge or slide joint, without dynamics of its
/// own.
bool is_plain_motor(const mjModel& m, int id) {
  if (m.actuator_trntype[id] != mjTRN_JOINT && m.actuator_trntype[id] != mjTRN_JOINTINPARENT) return false;
  const int type = m.jnt_type[m.actuator_trnid[2 * id]];
  return (type == mjJNT_HINGE || type == mjJNT_SLIDE) && m.actuator_dyntype[id] == mjDYN_NONE &&
         m.actuator_gaintype[id] == mjGAIN_FIXED && m.actuator_biastype[id] == mjBIAS_NONE;
}

double largest(const double* range) { return std::max(std::abs(range[0]), std::abs(range[1])); }

/// The largest force or torque the motor puts on its joint.
double motor_effort(const mjModel& m, int id) {
  double force = kUnlimited;
  if (m.actuator_forcelimited[id]) force = largest(m.actuator_forcerange + 2 * id);
  if (m.actuator_ctrllimited[id])
    force =
        std::min(force, std::abs(m.actuator_gainprm[mjNGAIN * id]) * largest(m.actuator_ctrlrange + 2 * id));
  return force == kUnlimited ? force : std::abs(m.actuator_gear[6 * id]) * force;
}

}  // namespace

void add_mjcf_equalities(const MjcfView& view, bool mimic, ModelDescription& out) {
  EqualityReader reader(view, mimic, out);
  for (int id = 0; id < view.model().neq; ++id) reader.read(id);
}

/// Motors limit the effort of their joint, several together by their sum; a joint with any other drive is
/// left unlimited.
void add_mjcf_actuators(const MjcfView& view, ModelDescription& out) {
  const mjModel& m = view.model();
  std::map<int, double> effort;
  int unused = 0, first_unused = 0;
  for (int id = 0; id < m.nu; ++id) {
    const bool on_joint =
        m.actuator_trntype[id] == mjTRN_JOINT || m.actuator_trntype[id] == mjTRN_JOINTINPARENT;
    const bool plain = is_plain_motor(m, id);
    if (!plain && unused++ == 0) first_unused = id;
    if (on_joint) effort[m.actuator_trnid[2 * id]] += plain ? motor_effort(m, id) : kUnlimited;
  }
  const auto joints = joints_by_name(out);
  for (const auto& [joint, limit] : effort)
    if (limit < kUnlimited) joints.at(view.joint(joint))->properties.effort = {limit};
  if (unused > 0) {
    Problem note = view.problem(Severity::note, Kind::actuator, first_unused, "");
    note.element = "actuator";
    note.reason =
        fmt::format("{} not used: only motors on hinge and slide joints are, for their effort limit", unused);
    out.findings.push_back(note);
  }
}

}  // namespace amble
