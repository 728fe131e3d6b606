#include <Eigen/Geometry>

#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/mujoco_peer.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/io/load.hpp"
#include "amble/io/writers.hpp"

// Mass matrix, bias and forward dynamics against MuJoCo's, without its contacts, limits, damping and friction.
namespace amble {
namespace {

constexpr int kStates = 20;
constexpr double kTolerance = 1e-9;  // relative, in norm

/// v' = T v in MuJoCo's order and axes, and the rate of T times v. Its free joints move along world axes and turn
/// about the body's own; ball joints are as ours.
struct Change {
  Eigen::MatrixXd T;
  Eigen::VectorXd T_dot_v;

  Change(const RandomState& s, Workspace& work, const mjModel* model)
      : T(Eigen::MatrixXd::Zero(s.m.nv(), s.m.nv())), T_dot_v(Eigen::VectorXd::Zero(s.m.nv())) {
    for (const Joint& j : s.m.joints()) {
      if (j.link < 0) continue;
      const int at = model->jnt_dofadr[mj_name2id(model, mjOBJ_JOINT, j.name.c_str())], n = j.v.size;
      T.block(at, j.v.start, n, n).setIdentity();
      if (n != 6) continue;
      const Matrix3<double> R = pose(s.m, work, s.q, s.m.bodies()[j.child].name).rotation().matrix();
      const Eigen::Vector3d v = s.v.segment<3>(j.v.start), w = s.v.segment<3>(j.v.start + 3);
      T.block<3, 3>(at, j.v.start) = R;
      T_dot_v.segment<3>(at) = R * w.cross(v);
    }
  }
};

/// MuJoCo's own quantities at a state, in its own coordinates.
struct Theirs {
  Eigen::MatrixXd M;
  Eigen::VectorXd bias, a;

  Theirs(const RandomState& s, const Change& change, const Eigen::VectorXd& tau, const Peer& peer) {
    const mjModel* model = peer.model.get();
    mjData* data = peer.data.get();
    const int nv = model->nv;
    set_state(s.m, s.q, model, data);
    const Eigen::VectorXd v = change.T * s.v;
    std::copy_n(v.data(), nv, data->qvel);
    mj_kinematics(model, data);
    mj_comPos(model, data);
    mj_comVel(model, data);
    mj_crb(model, data);
    mj_factorM(model, data);
    M.resize(nv, nv), bias.resize(nv), a.resize(nv);
    mj_fullM(model, M.data(), data->qM);
    mj_rne(model, data, 0, bias.data());
    const Eigen::VectorXd force = change.T * tau - bias;
    mj_solveM(model, data, a.data(), force.data(), 1);
  }
};

double off(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& theirs) {
  return (ours - theirs).norm() / theirs.norm();
}

void expect_agreement(const Mechanism& m, const Peer& peer) {
  ASSERT_EQ(m.nv(), peer.model->nv);
  Workspace work(m);
  for (std::uint64_t seed = 0; seed < kStates; ++seed) {
    SCOPED_TRACE(seed);
    const RandomState s = in_motion(m, m.random(seed), seed);
    const Eigen::VectorXd tau = 10.0 * s.a;
    const Change c(s, work, peer.model.get());
    const Theirs x(s, c, tau, peer);
    EXPECT_LT(off(mass_matrix(m, work, s.q), c.T.transpose() * x.M * c.T), kTolerance);
    EXPECT_LT(off(bias_forces(m, work, s.q, s.v), c.T.transpose() * (x.bias + x.M * c.T_dot_v)), kTolerance);
    EXPECT_LT(off(forward_dynamics(m, work, s.q, s.v, tau), c.T.transpose() * (x.a - c.T_dot_v)), kTolerance);
  }
}

/// Calls f(body, id in MuJoCo) for every body that both have.
template <class F>
void for_bodies(const Mechanism& m, const Peer& peer, F f) {
  for (const Body& b : m.bodies())
    if (const int id = mj_name2id(peer.model.get(), mjOBJ_BODY, b.name.c_str()); id > 0) f(b.inertia, id);
}

/// MuJoCo has read the inertias of the file; it diagonalises them to about 1e-6.
void expect_inertias(const Mechanism& m, const Peer& peer) {
  for_bodies(m, peer, [&](const Inertia<double>& I, int id) {
    const Eigen::Map<const Eigen::Vector4d> r(peer.model->body_iquat + 4 * id);
    const Eigen::Map<const Eigen::Vector3d> moments(peer.model->body_inertia + 3 * id);
    const Eigen::Map<const Eigen::Vector3d> com(peer.model->body_ipos + 3 * id);
    const Eigen::Matrix3d R = Eigen::Quaterniond(r[0], r[1], r[2], r[3]).toRotationMatrix();
    EXPECT_DOUBLE_EQ(peer.model->body_mass[id], I.mass());
    EXPECT_LT((com - I.com()).norm(), 1e-14);
    EXPECT_LE((R * moments.asDiagonal() * R.transpose() - I.about_com()).norm(), 1e-6 * I.about_com().norm());
  });
}

/// Our inertias into a compiled model.
void put_inertias(const Mechanism& m, const Peer& peer) {
  for_bodies(m, peer, [&](const Inertia<double>& I, int id) {
    const PrincipalMoments p = principal_moments(I);
    const Eigen::Quaterniond r{Eigen::Matrix3d(p.axes)};
    const double quaternion[] = {r.w(), r.x(), r.y(), r.z()};
    peer.model->body_sameframe[id] = 0;  // or the axes would be taken for the body's
    peer.model->body_mass[id] = I.mass();
    std::copy_n(p.moments.data(), 3, peer.model->body_inertia + 3 * id);
    std::copy_n(quaternion, 4, peer.model->body_iquat + 4 * id);
  });
}

/// A file that MuJoCo reads by itself.
void expect_agreement_on_text(const Mechanism& m, const std::string& text) {
  const Peer peer = peer_of(text);
  expect_inertias(m, peer);
  put_inertias(m, peer);
  expect_agreement(m, peer);
}

/// The same URDF on a floating joint named as ours.
std::string floating(const std::string& urdf, const Mechanism& m) {
  tinyxml2::XMLDocument document;
  parse_xml(urdf, "robot.urdf", document);
  tinyxml2::XMLElement* robot = document.RootElement();
  robot->InsertNewChildElement("link")->SetAttribute("name", kWorld);
  tinyxml2::XMLElement* joint = robot->InsertNewChildElement("joint");
  joint->SetAttribute("name", m.joints().front().name.c_str());
  joint->SetAttribute("type", "floating");
  joint->InsertNewChildElement("parent")->SetAttribute("link", kWorld);
  joint->InsertNewChildElement("child")->SetAttribute("link", m.bodies().front().name.c_str());
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

class UrdfDynamicsPeer : public testing::TestWithParam<const char*> {};

TEST_P(UrdfDynamicsPeer, AgreesOnAFixedBase) {
  const std::string path = find_file(GetParam());
  if (path.empty()) GTEST_SKIP() << GetParam() << " is not on this machine";
  expect_agreement_on_text(load(path, {.mimic = false}), without_shapes(read_text(path)));
}

TEST_P(UrdfDynamicsPeer, AgreesOnAFloatingBase) {
  const std::string path = find_file(GetParam());
  if (path.empty()) GTEST_SKIP() << GetParam() << " is not on this machine";
  if (load(path).bodies().front().name == kWorld) GTEST_SKIP() << "the file fixes it to the world";
  const Mechanism m = load(path, {.base = Base::floating, .mimic = false});
  expect_agreement_on_text(m, without_shapes(floating(read_text(path), m)));
}

INSTANTIATE_TEST_SUITE_P(Files, UrdfDynamicsPeer,
                         testing::Values("models/arm7.urdf", "models/quadruped.urdf", "models/double_pendulum.urdf",
                                         "models/humanoid.urdf", "robots/double_pendulum.urdf", "panda.urdf",
                                         "simple_humanoid.urdf", "solo12.urdf", "ur5_robot.urdf",
                                         "talos_full_v2.urdf"),
                         [](const auto& info) { return test_name(info.param); });

/// A mechanism written as MJCF, with inertias that the compiler does not refuse, as it does those of some real
/// robots; tilted, lest it takes shortcuts.
Peer written_peer(const Mechanism& m) {
  ModelDescription d = m.description();
  Matrix3<double> tilted;
  tilted << 2.0, 0.1, 0.2, 0.1, 2.5, 0.3, 0.2, 0.3, 3.0;
  for (BodyDescription& b : d.bodies) {
    if (b.name == kWorld) continue;
    b.inertia = Inertia<double>::from_com(std::max(b.inertia.mass(), 1e-3), b.inertia.com(), tilted);
    b.visuals.clear(), b.collisions.clear();
  }
  for (JointDescription& j : d.joints) j.properties.effort.clear();  // a limit that MuJoCo of 2022 cannot read
  d.loops.clear();
  std::erase_if(d.joints, [&](const JointDescription& j) {  // those that close loops
    return std::none_of(m.joints().begin(), m.joints().end(), [&](const Joint& kept) { return kept.name == j.name; });
  });
  Peer peer = peer_of(write_mjcf(d));
  put_inertias(m, peer);
  return peer;
}

class WrittenDynamicsPeer : public testing::TestWithParam<const char*> {};

TEST_P(WrittenDynamicsPeer, AgreesOnBothBases) {
  const std::string path = find_file(GetParam());
  if (path.empty()) GTEST_SKIP() << GetParam() << " is not on this machine";
  for (const Base base : {Base::fixed, Base::floating}) {
    const Mechanism m = load(path, {.base = base, .mimic = false});
    expect_agreement(m, written_peer(m));
  }
}

// Those that MuJoCo refuses to read, and one that it reads as well.
INSTANTIATE_TEST_SUITE_P(Files, WrittenDynamicsPeer,
                         testing::Values("models/humanoid.urdf", "talos_reduced.urdf", "romeo_small.urdf",
                                         "icub_reduced.urdf", "anymal_b.urdf"),
                         [](const auto& info) { return test_name(info.param); });

TEST(MjcfDynamicsPeer, AgreesOnTheHopper) {
  const std::string text = read_text(find_file("models/hopper.xml"));
  expect_agreement_on_text(load_text(text, "hopper.xml"), text);
}

TEST(MjcfDynamicsPeer, AgreesOnTheTreeOfTheFourBar) {
  const Mechanism m = load(find_file("models/four_bar.sdf"));
  expect_agreement(m, written_peer(m));
}

/// Hinges, slides and balls on a free root.
TEST(MjcfDynamicsPeer, AgreesOnRandomFloatingMechanisms) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    ModelDescription d = random_mechanism(seed, {.bodies = 2 + static_cast<int>(seed),
                                                 .types = {"revolute", "prismatic", "spherical", "fixed"},
                                                 .properties = false})
                             .mechanism.description();
    JointDescription& root = d.joints.front();
    root = {.name = root.name, .type = "free", .parent = kWorld, .child = root.child};
    for (JointDescription& j : d.joints)  // MuJoCo's balls have the axes of their body
      if (j.type == "spherical") j.X_CM = Pose(j.X_CM.translation());
    const Mechanism m = compile(d);
    expect_agreement(m, written_peer(m));
  }
}

}  // namespace
}  // namespace amble
