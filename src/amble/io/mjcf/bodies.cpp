#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>

#include "amble/io/mjcf/model.hpp"
#include "amble/io/mjcf/unused.hpp"
#include "amble/io/start_note.hpp"
#include "amble/io/xml/numbers.hpp"

// Bodies and joints. MuJoCo stacks any number of joints on one body: with X_PB the body's pose in its parent,
// and p_k the anchor of joint k in the body, the body is at X_PB prod_k T(p_k) J_k(q_k) T(-p_k), the first
// joint nearest to the parent. Each factor becomes a joint with X_CM = T(p_k), all but the last on an
// auxiliary body.
namespace amble {

namespace {

using Kind = MjcfView::Kind;

int freedoms(int type) { return type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1; }

const char* type_name(int type) {
  constexpr const char* kNames[] = {"free", "spherical", "prismatic", "revolute"};
  return kNames[type];
}

/// Empty when all are zero, which is the default of every property that starts here.
std::vector<double> unless_zero(const double* first, int count) {
  const bool zero = std::all_of(first, first + count, [](double x) { return x == 0.0; });
  return zero ? std::vector<double>{} : std::vector<double>(first, first + count);
}

/// The custom field by which the writer says a limit that MJCF has no attribute for.
std::vector<double> custom_limit(const mjModel& m, const std::string& name, int count) {
  const int id = mj_name2id(&m, mjOBJ_NUMERIC, name.c_str());
  if (id < 0 || m.numeric_size[id] != count) return {};
  const double* first = m.numeric_data + m.numeric_adr[id];
  return {first, first + count};
}

class BodyReader {
 public:
  BodyReader(MjcfView& view, const mjModel& inertias, ModelDescription& out)
      : view_(view), m_(view.model()), inertias_(inertias), out_(out) {}

  void read(int id) {
    const int joints = m_.body_jntnum[id], first = m_.body_jntadr[id];
    Pose X_PB = mjcf_pose(m_.body_pos + 3 * id, m_.body_quat + 4 * id);
    std::string parent = view_.body(m_.body_parentid[id]);
    if (joints == 0) add_fixed(id, parent, X_PB);
    for (int k = 0; k < joints; ++k) {
      const bool last = k + 1 == joints;
      const std::string child =
          last ? view_.body(id) : view_.new_body(fmt::format("{}_aux_{}", view_.body(id), k + 1));
      if (!last) add_auxiliary(id, child);
      add_joint(first + k, parent, child, X_PB);
      parent = child, X_PB = Pose();
    }
    out_.bodies.push_back({view_.body(id), inertia(id), {}, {}, false, view_.line(Kind::body, id)});
    if (m_.body_mocapid[id] >= 0)
      out_.findings.push_back(
          view_.problem(Severity::note, Kind::body, id, "not moved from outside (mocap): fixed"));
  }

 private:
  void add_auxiliary(int id, const std::string& name) {
    BodyDescription body;
    body.name = name;
    body.auxiliary = true;
    body.line = view_.line(Kind::body, id);
    out_.bodies.push_back(body);
  }

  void add_fixed(int id, const std::string& parent, const Pose& X_PB) {
    JointDescription joint;
    joint.name = view_.new_joint(fixed_joint_name(view_.body(id)));
    joint.type = "fixed";
    joint.parent = parent;
    joint.child = view_.body(id);
    joint.X_PF = X_PB;
    joint.line = view_.line(Kind::body, id);
    out_.joints.push_back(joint);
  }

  std::string fixed_joint_name(const std::string& body) const {
    const int id = mj_name2id(&m_, mjOBJ_TEXT, (kMjcfFixedJoint + body).c_str());
    return id < 0 ? body + "_fixed" : m_.text_data + m_.text_adr[id];
  }

  void add_joint(int id, const std::string& parent, const std::string& child, const Pose& X_PB) {
    const int type = m_.jnt_type[id];
    JointDescription joint;
    joint.name = view_.joint(id);
    joint.type = type_name(type);
    joint.parent = parent;
    joint.child = child;
    joint.line = view_.line(Kind::joint, id);
    joint.properties = properties(id);
    // A free joint's q is the body's pose in the world, in MuJoCo as here: its frame is the world's.
    if (type == mjJNT_FREE)
      note_start(id, X_PB);
    else
      place(id, X_PB, joint);
    out_.joints.push_back(joint);
  }

  /// MuJoCo's q is `ref` at the pose the file draws; here the joint's two frames coincide at q = 0.
  void place(int id, const Pose& X_PB, JointDescription& joint) const {
    const Pose anchor(mjcf_vector(m_.jnt_pos + 3 * id));
    joint.X_CM = anchor;
    joint.X_PF = X_PB * anchor;
    if (m_.jnt_type[id] == mjJNT_BALL) return;
    joint.axis = mjcf_vector(m_.jnt_axis + 3 * id);
    const double ref = m_.qpos0[m_.jnt_qposadr[id]];
    if (ref == 0.0) return;
    const Vector3<double> back = -ref * joint.axis;
    joint.X_PF = joint.X_PF * (m_.jnt_type[id] == mjJNT_HINGE ? Pose(SO3<double>::exp(back)) : Pose(back));
  }

  void note_start(int id, const Pose& X_PB) {
    if (X_PB.matrix() == Matrix4<double>::Identity()) return;
    const double* q = m_.qpos0 + m_.jnt_qposadr[id];
    out_.findings.push_back(
        view_.problem(Severity::note, Kind::body, m_.jnt_bodyid[id],
                      start_note({q[0], q[1], q[2], q[4], q[5], q[6], q[3]}, view_.joint(id))));
  }

  bool disabled(int flag) const { return (m_.opt.disableflags & flag) != 0; }

  JointProperties properties(int id) {
    const int nv = freedoms(m_.jnt_type[id]), dof = m_.jnt_dofadr[id];
    JointProperties p;
    if (!disabled(mjDSBL_PASSIVE)) p.damping = unless_zero(m_.dof_damping + dof, nv), add_spring(id, p);
    if (!disabled(mjDSBL_FRICTIONLOSS)) p.friction = unless_zero(m_.dof_frictionloss + dof, nv);
    p.armature = unless_zero(m_.dof_armature + dof, nv);
    if (m_.jnt_limited[id] && !disabled(mjDSBL_LIMIT)) add_limits(id, p);
    p.velocity = custom_limit(m_, kMjcfVelocityLimit + view_.joint(id), nv);
    p.effort = custom_limit(m_, kMjcfEffortLimit + view_.joint(id), nv);
    return p;
  }

  void add_limits(int id, JointProperties& p) {
    if (m_.jnt_type[id] == mjJNT_BALL) {
      out_.findings.push_back(
          view_.problem(Severity::warning, Kind::joint, id, "range of a ball joint: not used"));
      return;
    }
    p.lower = {m_.jnt_range[2 * id]};
    p.upper = {m_.jnt_range[2 * id + 1]};
  }

  void add_spring(int id, JointProperties& p) {
    const double stiffness = m_.jnt_stiffness[id];
    if (stiffness == 0.0) return;
    if (m_.jnt_type[id] == mjJNT_FREE) {
      out_.findings.push_back(
          view_.problem(Severity::warning, Kind::joint, id, "spring of a free joint: not used"));
      return;
    }
    const int nv = freedoms(m_.jnt_type[id]);
    p.stiffness.assign(nv, stiffness);
    p.reference.assign(nv, nv == 1 ? m_.qpos_spring[m_.jnt_qposadr[id]] : 0.0);
  }

  Inertia<double> inertia(int id) const {
    const Pose X_BI = mjcf_pose(inertias_.body_ipos + 3 * id, inertias_.body_iquat + 4 * id);
    const Matrix3<double>& R = X_BI.rotation().matrix();
    const Vector3<double> d = mjcf_vector(inertias_.body_inertia + 3 * id);
    const Matrix3<double> about_com = R * d.asDiagonal() * R.transpose();
    return Inertia<double>::from_com(inertias_.body_mass[id], X_BI.translation(),
                                     as_written(id, 0.5 * (about_com + about_com.transpose())));
  }

  /// MuJoCo turns a `fullinertia` into principal axes to about 1e-8. Where that is all it did to the matrix, the
  /// file's own digits are better.
  Matrix3<double> as_written(int id, const Matrix3<double>& compiled) const {
    constexpr double kDiagonalisation = 1e-5;
    const MjcfElement* body = view_.element(Kind::body, id);
    const MjcfElement* inertial = body == nullptr ? nullptr : body->child("inertial");
    const std::string* full = inertial == nullptr ? nullptr : inertial->find("fullinertia");
    const auto f = full == nullptr ? std::nullopt : parse_numbers(*full);
    if (!f || f->size() != 6) return compiled;
    Matrix3<double> written;
    written << (*f)[0], (*f)[3], (*f)[4], (*f)[3], (*f)[1], (*f)[5], (*f)[4], (*f)[5], (*f)[2];
    const double change = (written - compiled).cwiseAbs().maxCoeff();
    return change <= kDiagonalisation * written.cwiseAbs().maxCoeff() ? written : compiled;
  }

  MjcfView& view_;
  const mjModel& m_;
  const mjModel& inertias_;
  ModelDescription& out_;
};

}  // namespace

void add_mjcf_bodies(MjcfView& view, const mjModel_& inertias, ModelDescription& out) {
  BodyReader reader(view, inertias, out);
  for (int id = 1; id < view.model().nbody; ++id) reader.read(id);
}

}  // namespace amble
