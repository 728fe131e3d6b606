#include <algorithm>

#include "bench/convention.hpp"
#include "bench/peer.hpp"
#include "bench/peers/mujoco_model.hpp"
#include "bench/peers/mujoco_scene.hpp"

namespace amble::bench {

namespace {

class MujocoPeer : public Peer {
 public:
  MujocoPeer(const Tree& tree, const std::vector<State>& states)
      : model_(mujoco_model(tree)),
        data_(mj_makeData(model_.get()), mj_deleteData),
        tree_(tree),
        conversion_(tree, states, {.linear_in_parent = true}, velocity_starts(tree)) {
    for (int i = 0; i < static_cast<int>(states.size()); ++i)
      states_.push_back({mujoco_configuration(*model_, tree, states[i].q), conversion_.velocity(i),
                         conversion_.acceleration(i), conversion_.force(i)});
    result_.resize(model_->nv), M_.resize(model_->nv, model_->nv);
  }

  std::vector<PeerFunction> functions() override {
    const auto our_force = [this](int i) { return conversion_.our_force(i, result_); };
    return {
        {"forward_kinematics", [this](int i) { kinematics(i); }, {}},
        {"inverse_dynamics", [this](int i) { inverse_dynamics(i); }, our_force},
        // At another zero than ours: its accelerations of a free joint are in world axes. So nothing to
        // compare.
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
  int joint(int link) const { return mujoco_joint(*model_, link); }

  std::vector<int> velocity_starts(const Tree& tree) const {
    std::vector<int> starts;
    for (int i = 0; i < static_cast<int>(tree.links.size()); ++i)
      starts.push_back(model_->jnt_dofadr[joint(i)]);
    return starts;
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
    model_->opt.disableflags =
        mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_PASSIVE | mjDSBL_SENSOR;
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
  static const amble::bench::PeerModule module{.name = "MuJoCo",
                                               .version = mj_versionString(),
                                               .make = amble::bench::make,
                                               .scenes = amble::bench::mujoco_scene_settings()};
  return &module;
}
