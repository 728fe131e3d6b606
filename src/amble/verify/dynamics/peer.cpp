#include <mujoco/mujoco.h>

#include <algorithm>
#include <memory>

#include "amble/dynamics/dynamics.hpp"
#include "amble/io/writers.hpp"
#include "amble/verify/dynamics/themes.hpp"
#include "amble/verify/evidence.hpp"

namespace amble {

namespace {

/// A mechanism of hinges and slides inside MuJoCo, whose velocities for those are ours.
class Peer {
 public:
  explicit Peer(const Mechanism& m)
      : model_(compiled(write_mjcf(m.description()))), data_(mj_makeData(model_.get())) {
    for (const std::string& joint : m.joint_names())
      place_.push_back(model_->jnt_dofadr[mj_name2id(model_.get(), mjOBJ_JOINT, joint.c_str())]);
  }

  void go_to(const Motion& s) {
    for (std::size_t i = 0; i < place_.size(); ++i)
      data_->qpos[place_[i]] = s.q[static_cast<int>(i)], data_->qvel[place_[i]] = s.v[static_cast<int>(i)];
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    mj_crb(model_.get(), data_.get());
    mj_factorM(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), 0, data_->qfrc_bias);
  }

  Eigen::MatrixXd mass_matrix() const {
    Eigen::MatrixXd M(model_->nv, model_->nv);
    mj_fullM(model_.get(), M.data(), data_->qM);
    return M(place_, place_);
  }
  Eigen::VectorXd bias() const { return Eigen::Map<const Eigen::VectorXd>(data_->qfrc_bias, model_->nv)(place_); }
  Eigen::VectorXd accelerations(const Eigen::VectorXd& tau) {
    Eigen::VectorXd force(model_->nv), a(model_->nv);
    force(place_) = tau - bias();
    mj_solveM(model_.get(), data_.get(), a.data(), force.data(), 1);
    return a(place_);
  }

 private:
  struct Free {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  using Model = std::unique_ptr<mjModel, Free>;

  static Model compiled(const std::string& mjcf) {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(mjcf.size()));
    std::copy(mjcf.begin(), mjcf.end(), static_cast<char*>(files->filedata[0]));
    char why[1000] = "";
    Model model(mj_loadXML("model.xml", files.get(), why, sizeof why));
    mj_deleteVFS(files.get());
    if (model == nullptr) throw Error(std::string("MuJoCo refuses the model: ") + why);
    return model;
  }

  Model model_;
  std::unique_ptr<mjData, Free> data_;
  std::vector<int> place_;  // in MuJoCo's order, of each of our coordinates
};

template <class F>
VerificationEntry entry(const std::string& name, const std::string& what, F error) {
  const std::string source = "MuJoCo's " + what + ", random trees of hinges and slides";
  const Claim claim{"dynamics.mujoco_" + name, source, "peer", 1e-9};
  return worst_entry(claim, 40, [error](std::uint64_t seed) {
    const Motion s = random_motion(seed, {.bodies = 20, .types = {"revolute", "prismatic", "fixed"}, .roots = 2});
    Workspace work(s.m);
    Peer peer(s.m);
    peer.go_to(s);
    return error(s, work, peer);
  });
}

}  // namespace

std::vector<VerificationEntry> dynamics_peer() {
  return {
      entry("mass_matrix", "mj_crb",
            [](const Motion& s, Workspace& work, Peer& peer) {
              return relative_error(mass_matrix(s.m, work, s.q), peer.mass_matrix());
            }),
      entry("bias", "mj_rne",
            [](const Motion& s, Workspace& work, Peer& peer) {
              return relative_error(bias_forces(s.m, work, s.q, s.v), peer.bias());
            }),
      entry("forward_dynamics", "mj_factorM and mj_solveM",
            [](const Motion& s, Workspace& work, Peer& peer) {
              return relative_error(forward_dynamics(s.m, work, s.q, s.v, s.a), peer.accelerations(s.a));
            }),
  };
}

}  // namespace amble
