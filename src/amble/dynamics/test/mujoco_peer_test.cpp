#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/mujoco_peer.hpp"
#include "amble/io/load.hpp"

// Poses and Jacobians against MuJoCo's own, which reads the same files by itself.
namespace amble {
namespace {

double worst_disagreement(const Mechanism& m, const Peer& peer, int states) {
  const mjModel* model = peer.model.get();
  mjData* data = peer.data.get();
  Workspace work(m);
  double worst = 0.0;
  int bodies = 0;
  for (int state = 0; state < states; ++state) {
    const OwnedVector q = m.random(static_cast<std::uint64_t>(state));
    set_state(m, q, model, data);
    mj_kinematics(model, data);
    mj_comPos(model, data);
    for (const std::string& name : m.body_names()) {
      const int id = mj_name2id(model, mjOBJ_BODY, name.c_str());
      if (id < 0) continue;  // a URDF's root is MuJoCo's world
      ++bodies;
      const Pose X = pose(m, work, q, name);
      const Eigen::Map<const Eigen::Vector3d> p(data->xpos + 3 * id);
      const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(data->xmat + 9 * id);
      worst = std::max(worst, (X.translation() - p).cwiseAbs().maxCoeff());
      worst = std::max(worst, (X.rotation().matrix() - R).cwiseAbs().maxCoeff());
      const Eigen::MatrixXd J = jacobian(m, work, q, name, {.frame = JacobianFrame::aligned});
      Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> theirs(6, model->nv);
      mj_jacBody(model, data, theirs.data(), theirs.data() + 3 * model->nv, id);
      for (const Joint& j : m.joints()) {
        if (j.link < 0) continue;
        const int start = model->jnt_dofadr[mj_name2id(model, mjOBJ_JOINT, j.name.c_str())];
        Eigen::MatrixXd columns = theirs.middleCols(start, j.v.size);
        // MuJoCo's free joint moves along world axes, ours along the body's own.
        if (j.v.size == 6) {
          const Pose root = pose(m, work, q, m.bodies()[j.child].name);
          columns.leftCols<3>() = columns.leftCols<3>() * root.rotation().matrix();
        }
        worst = std::max(worst, (columns - J.middleCols(j.v.start, j.v.size)).cwiseAbs().maxCoeff());
      }
    }
  }
  EXPECT_GT(bodies, 0);
  return worst;
}

class UrdfPeer : public testing::TestWithParam<const char*> {};

TEST_P(UrdfPeer, PosesAndJacobiansAgree) {
  const std::string path = find_file(GetParam());
  if (path.empty()) GTEST_SKIP() << GetParam() << " is not on this machine";
  const Mechanism m = load(path, {.mimic = false});
  const Peer peer = peer_of(without_shapes(read_text(path)));
  EXPECT_LT(worst_disagreement(m, peer, 100), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Files, UrdfPeer,
                         testing::Values("models/arm7.urdf", "models/quadruped.urdf", "models/double_pendulum.urdf",
                                         "robots/double_pendulum.urdf", "panda.urdf", "simple_humanoid.urdf", "solo12.urdf",
                                         "ur5_robot.urdf", "talos_full_v2.urdf"),
                         [](const auto& info) { return test_name(info.param); });

TEST(MjcfPeer, PosesAndJacobiansAgreeForFreeBallHingeAndSlide) {
  const std::string text = R"(
<mujoco><compiler angle="radian" inertiafromgeom="true"/><worldbody>
  <body name="trunk" pos="0 0 1"><freejoint name="root"/><geom size="0.1"/>
    <body name="arm" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3"><joint name="ball" type="ball" pos="0.05 0 0.1"/><geom size="0.1"/>
      <body name="wrist" pos="0 0 0.5" quat="0.8 0 0.6 0">
        <joint name="roll" type="hinge" axis="1 2 3" pos="0.1 0.1 0"/><joint name="slide" type="slide" axis="0 1 1"/>
        <joint name="turn" type="hinge" axis="0 0 1" pos="0 0.2 0" ref="0.3"/><geom size="0.1"/>
      </body></body></body>
</worldbody></mujoco>)";
  EXPECT_LT(worst_disagreement(load_text(text, "model.xml"), peer_of(text), 100), 1e-10);
}

}  // namespace
}  // namespace amble
