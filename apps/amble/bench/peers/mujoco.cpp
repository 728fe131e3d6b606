#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <stdexcept>

#include "bench/convention.hpp"
#include "bench/peer.hpp"

namespace amble::bench {

namespace {

using ModelPointer = std::unique_ptr<mjModel, void (*)(mjModel*)>;
using DataPointer = std::unique_ptr<mjData, void (*)(mjData*)>;

std::string joint_xml(const TreeLink& link) {
  if (link.type == "free") return "<freejoint/>";
  const char* type = link.type == "revolute"    ? "hinge"
                     : link.type == "prismatic" ? "slide"
                     : link.type == "spherical" ? "ball"
                                                : nullptr;
  if (type == nullptr) throw std::runtime_error(fmt::format("no {} joint (joint '{}')", link.type, link.joint));
  return fmt::format("<joint type='{}' axis='0 0 1' armature='{}'/>", type, link.armature);
}

/// Principal moments and their axes.
struct Principal {
  Eigen::Vector3d moments;
  Eigen::Quaterniond axes;
};

Principal principal(const TreeLink& link) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(link.inertia);
  Eigen::Matrix3d axes = solver.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  return {solver.eigenvalues(), Eigen::Quaterniond(axes)};
}

std::string pose_xml(const Eigen::Vector3d& p, const Eigen::Quaterniond& r) {
  return fmt::format("pos='{} {} {}' quat='{} {} {} {}'", p[0], p[1], p[2], r.w(), r.x(), r.y(), r.z());
}

/// A link and what hangs on it. Moments of inertia are put in later: the compiler refuses those of some real robots.
std::string body_xml(const Tree& tree, int index, int depth) {
  if (depth > 90) throw std::runtime_error("its reader takes no chain of more than 90 links");
  const TreeLink& link = tree.links[index];
  std::string out = fmt::format("<body name='{}' {}>", index, pose_xml(link.p_PN, Eigen::Quaterniond(link.R_PN)));
  out += fmt::format("<inertial {} mass='{}' diaginertia='1 1 1'/>{}", pose_xml(link.com, principal(link).axes),
                     link.mass, joint_xml(link));
  for (int i = index + 1; i < static_cast<int>(tree.links.size()); ++i)
    if (tree.links[i].parent == index) out += body_xml(tree, i, depth + 1);
  return out + "</body>";
}

std::string model_xml(const Tree& tree) {
  std::string out = fmt::format("<mujoco><compiler angle='radian'/><option gravity='{} {} {}'/><worldbody>",
                                tree.gravity[0], tree.gravity[1], tree.gravity[2]);
  for (int i = 0; i < static_cast<int>(tree.links.size()); ++i)
    if (tree.links[i].parent < 0) out += body_xml(tree, i, 0);
  return out + "</worldbody></mujoco>";
}

/// A step that is too long for it is seen by its result; it must not write among ours.
void be_silent() { mju_user_warning = [](const char*) {}; }

ModelPointer compile(const std::string& xml) {
  be_silent();
  const auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "model.xml", static_cast<int>(xml.size()));
  std::copy(xml.begin(), xml.end(), static_cast<char*>(vfs->filedata[mj_findFileVFS(vfs.get(), "model.xml")]));
  char error[1000] = "";
  ModelPointer model(mj_loadXML("model.xml", vfs.get(), error, sizeof error), mj_deleteModel);
  mj_deleteVFS(vfs.get());
  if (model == nullptr) throw std::runtime_error(error);
  return model;
}

class MujocoPeer : public Peer {
 public:
  MujocoPeer(const Tree& tree, const std::vector<State>& states)
      : model_(compile(model_xml(tree))),
        data_(mj_makeData(model_.get()), mj_deleteData),
        tree_(tree),
        conversion_(tree, states, {.linear_in_parent = true}, velocity_starts(tree)) {
    for (int i = 0; i < static_cast<int>(tree.links.size()); ++i)
      std::copy_n(principal(tree.links[i]).moments.data(), 3, model_->body_inertia + 3 * body(i));
    for (int i = 0; i < static_cast<int>(states.size()); ++i)
      states_.push_back({configuration(tree, states[i].q), conversion_.velocity(i), conversion_.acceleration(i),
                         conversion_.force(i)});
    result_.resize(model_->nv), M_.resize(model_->nv, model_->nv);
  }

  std::vector<PeerFunction> functions() override {
    const auto our_force = [this](int i) { return conversion_.our_force(i, result_); };
    return {
        {"forward_kinematics", [this](int i) { kinematics(i); }, {}},
        {"inverse_dynamics", [this](int i) { inverse_dynamics(i); }, our_force},
        // At another zero than ours: its accelerations of a free joint are in world axes. So nothing to compare.
        {"bias_forces", [this](int i) { bias(i); }, {}},
        {"mass_matrix", [this](int i) { mass_matrix(i); },
         [this](int i) { return conversion_.our_mass_matrix(i, M_); }},
        {"forward_dynamics", [this](int i) { forward_dynamics(i); },
         [this](int i) { return conversion_.our_acceleration(i, result_); }},
    };
  }

  std::vector<PeerIntegrator> integrators() override {
    const auto by = [this](int kind) {
      return [this, kind](int i, double duration, long steps) { return motion(kind, i, duration, steps); };
    };
    return {{"RK4", by(mjINT_RK4)}, {"implicit", by(mjINT_IMPLICIT)}, {"Euler", by(mjINT_EULER)}};
  }

 private:
  int body(int link) const { return mj_name2id(model_.get(), mjOBJ_BODY, std::to_string(link).c_str()); }
  int joint(int link) const { return model_->body_jntadr[body(link)]; }

  std::vector<int> velocity_starts(const Tree& tree) const {
    std::vector<int> starts;
    for (int i = 0; i < static_cast<int>(tree.links.size()); ++i) starts.push_back(model_->jnt_dofadr[joint(i)]);
    return starts;
  }

  /// Quaternions have w first here.
  Eigen::VectorXd configuration(const Tree& tree, const Eigen::VectorXd& q) const {
    Eigen::VectorXd out(tree.nq);
    for (int i = 0; i < static_cast<int>(tree.links.size()); ++i) {
      const TreeLink& link = tree.links[i];
      double* at = out.data() + model_->jnt_qposadr[joint(i)];
      const double* own = q.data() + link.q;
      std::copy_n(own, link.nq, at);
      if (link.nq >= 4) std::rotate(at + link.nq - 4, at + link.nq - 1, at + link.nq);
    }
    return out;
  }

  Eigen::VectorXd our_configuration(const double* q) const {
    Eigen::VectorXd out(tree_.nq);
    for (int i = 0; i < static_cast<int>(tree_.links.size()); ++i) {
      const TreeLink& link = tree_.links[i];
      double* own = out.data() + link.q;
      std::copy_n(q + model_->jnt_qposadr[joint(i)], link.nq, own);
      if (link.nq >= 4) std::rotate(own + link.nq - 4, own + link.nq - 3, own + link.nq);
    }
    return out;
  }

  /// Contacts and constraints are off, as the model has none.
  Eigen::VectorXd motion(int kind, int i, double duration, long steps) {
    model_->opt.integrator = kind, model_->opt.timestep = duration / static_cast<double>(steps);
    model_->opt.disableflags = mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_PASSIVE | mjDSBL_SENSOR;
    mj_resetData(model_.get(), data_.get());
    std::copy_n(states_[i].q.data(), model_->nq, data_->qpos);
    std::copy_n(states_[i].v.data(), model_->nv, data_->qvel);
    for (long k = 0; k < steps; ++k) mj_step(model_.get(), data_.get());
    return our_configuration(data_->qpos);
  }

  void kinematics(int i) {
    std::copy_n(states_[i].q.data(), model_->nq, data_->qpos);
    mj_kinematics(model_.get(), data_.get());
  }
  void velocities(int i) {
    kinematics(i);
    mj_comPos(model_.get(), data_.get());
    std::copy_n(states_[i].v.data(), model_->nv, data_->qvel);
    mj_comVel(model_.get(), data_.get());
  }
  void inverse_dynamics(int i) {
    velocities(i);
    std::copy_n(states_[i].a.data(), model_->nv, data_->qacc);
    mj_rne(model_.get(), data_.get(), 1, result_.data());
    for (int k = 0; k < model_->nv; ++k) result_[k] += model_->dof_armature[k] * data_->qacc[k];
  }
  void bias(int i) {
    velocities(i);
    mj_rne(model_.get(), data_.get(), 0, result_.data());
  }
  void mass_matrix(int i) {
    kinematics(i);
    mj_comPos(model_.get(), data_.get());
    mj_crb(model_.get(), data_.get());
    mj_fullM(model_.get(), M_.data(), data_->qM);
  }
  /// mj_forward() without contacts, constraints and passive forces.
  void forward_dynamics(int i) {
    velocities(i);
    mj_crb(model_.get(), data_.get());
    mj_factorM(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), 0, data_->qfrc_bias);
    for (int k = 0; k < model_->nv; ++k) data_->qfrc_smooth[k] = states_[i].tau[k] - data_->qfrc_bias[k];
    mj_solveM(model_.get(), data_.get(), result_.data(), data_->qfrc_smooth, 1);
  }

  ModelPointer model_;
  DataPointer data_;
  Tree tree_;
  Conversion conversion_;
  std::vector<State> states_;
  Eigen::VectorXd result_;
  Eigen::MatrixXd M_;
};

std::unique_ptr<Peer> make(const Tree& tree, const std::vector<State>& states) {
  return std::make_unique<MujocoPeer>(tree, states);
}

}  // namespace

}  // namespace amble::bench

extern "C" const amble::bench::PeerModule* amble_bench_peer() {
  static const amble::bench::PeerModule module{"MuJoCo", mj_versionString(), "", amble::bench::make};
  return &module;
}
