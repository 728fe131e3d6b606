#include "amble/control/posture/static_posture.hpp"

#include <gtest/gtest.h>


#include "amble/base/error.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/control/posture/posture_program.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/io/load.hpp"
#include "amble/io/test/real_robots.hpp"
#include "amble/optimize/gradient_check.hpp"

namespace amble {
namespace {

using V = Vector3<double>;

Mechanism humanoid() { return load(source_dir() + "/models/humanoid30.urdf", {.base = Base::floating}); }

PostureContact sole(const std::string& side, const V& at, ContactHold hold = ContactHold::pose) {
  return {{.name = side + " foot", .place = side + "_sole", .points = rectangle(0.24, 0.12)}, Pose(at), hold};
}
PostureContact fist(const std::string& side, const V& at, ContactHold hold = ContactHold::pose) {
  return {{.name = side + " hand", .place = side + "_fist", .points = rectangle(0.09, 0.09)}, Pose(at), hold};
}

OwnedVector standing(const Mechanism& m) {
  OwnedVector q = m.neutral();
  q[2] = 0.68;
  for (const std::string side : {"left", "right"}) {
    q[m.q_slice(side + "_hip_pitch").start] = -0.3;
    q[m.q_slice(side + "_knee").start] = 0.6;
    q[m.q_slice(side + "_ankle_pitch").start] = -0.3;
  }
  return q;
}

/// Turned over about y, arms beside the head.
OwnedVector on_hands(const Mechanism& m) {
  OwnedVector q = m.neutral();
  q.head<7>() << 0.0, 0.0, 1.15, 0.0, 1.0, 0.0, 0.0;
  for (const std::string side : {"left", "right"}) q[m.q_slice(side + "_shoulder_pitch").start] = -2.9;
  return q;
}

/// Forces and torques by the mechanism's functions alone: the sum of forces carries the weight, their moment about the
/// centre of mass is zero, and inverse dynamics with them asks for the torques given.
void expect_rest(const Mechanism& m, const std::vector<PostureContact>& contacts, const StaticPosture& p) {
  Workspace work(m);
  const V com = center_of_mass(m, work, p.q);
  V sum = m.mass() * m.gravity(), moment = V::Zero();
  std::vector<ExternalWrench> wrenches;
  const auto push = [&](const std::string& place, const V& at, const V& f) {
    const int body = m.place(place).body;
    const Pose X_WB = pose(m, work, p.q, m.bodies()[body].name);
    const V f_B = X_WB.rotation().inverse() * f;
    wrenches.push_back({body, {f_B, cross<double>(V(X_WB.inverse() * at), f_B)}});
  };
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactPatch& patch = contacts[c].patch;
    const bool on_world = patch.support == "world";
    const Pose X_WC = pose(m, work, p.q, patch.place) * patch.X_PC;
    const V n = (on_world ? contacts[c].X_ST : pose(m, work, p.q, patch.support) * contacts[c].X_ST).rotation().matrix().col(2);
    for (std::size_t i = 0; i < patch.points.size(); ++i) {
      const V f = p.forces[c][i], at = X_WC * patch.points[i];
      EXPECT_GE(patch.friction * f.dot(n) - (f - f.dot(n) * n).norm(), -1e-6);
      push(patch.place, at, f);
      if (on_world)
        sum += f, moment += cross<double>(V(at - com), f);
      else
        push(patch.support, at, -f);
    }
  }
  EXPECT_LT(sum.norm(), 1e-5);
  EXPECT_LT(moment.norm(), 1e-5);
  const OwnedVector zero(Eigen::VectorXd::Zero(m.nv()));
  const Eigen::VectorXd tau = inverse_dynamics(m, work, p.q, zero, zero, wrenches);
  EXPECT_LT((tau - p.torques).cwiseAbs().maxCoeff(), 1e-5);
  for (int k = 0; k < m.nv(); ++k) EXPECT_LE(std::abs(p.torques[k]), m.effort_limit()[k] * (1.0 + 1e-7));
  EXPECT_GE(p.limit_margin, -1e-7);
  EXPECT_LT(p.misplacement, 1e-6);
}

TEST(StaticPosture, DerivativesOfTheProgramAreExact) {
  const Mechanism m = humanoid();
  std::vector<PostureContact> contacts{sole("left", {0.0, 0.1, 0.0}), sole("right", {0.0, -0.1, 0.02}, ContactHold::plane),
                                       fist("left", {0.4, 0.3, 0.1}, ContactHold::position),
                                       fist("right", {0.1, 0.2, 0.3})};
  contacts[3].patch.support = "left_thigh";
  contacts[3].X_ST = Pose(SO3<double>::exp({0.5, 0.4, -0.3}), {0.1, 0.05, -0.1});
  contacts[2].X_ST = Pose(SO3<double>::exp({0.2, -0.3, 0.1}), contacts[2].X_ST.translation());
  contacts[2].patch.X_PC = Pose(SO3<double>::exp({0.7, 0.3, -0.1}), {0.01, 0.02, 0.03});
  PostureSettings settings;
  settings.targets = {center_of_mass_target({0.0, 0.0, 0.6})};
  settings.apart = {{"left_hand", "right_thigh"}};
  PostureProgram program(m, contacts, standing(m), standing(m), settings);
  Random random(5);
  OwnedVector x(program.variables());
  for (double& xi : x) xi = random.uniform(-0.3, 0.3);
  const GradientCheck check = check_gradients(program, x, {.hessian = false});
  EXPECT_LT(check.worst().error, 1e-9) << check.worst().where;
}

TEST(StaticPosture, StandsOnTwoFeetFromAColdStart) {
  const Mechanism m = humanoid();
  const std::vector<PostureContact> contacts{sole("left", {0.0, 0.1, 0.0}), sole("right", {0.0, -0.1, 0.0})};
  const StaticPosture p = static_posture(m, contacts, m.neutral());
  ASSERT_TRUE(p.found()) << p.message;
  expect_rest(m, contacts, p);
  EXPECT_LT(p.torque_use, 0.5);
}

TEST(StaticPosture, StandsOnOneFootWithTheMassAboveIt) {
  const Mechanism m = humanoid();
  Workspace work(m);
  const std::vector<PostureContact> contacts{sole("left", {0.0, 0.0, 0.0})};
  const StaticPosture p = static_posture(m, contacts, standing(m));
  ASSERT_TRUE(p.found()) << p.message;
  expect_rest(m, contacts, p);
  const V com = center_of_mass(m, work, p.q);
  EXPECT_LE(std::abs(com[0]), 0.12 + 1e-6);
  EXPECT_LE(std::abs(com[1]), 0.06 + 1e-6);
}

TEST(StaticPosture, StandsOnItsHands) {
  const Mechanism m = humanoid();
  std::vector<PostureContact> both{fist("left", {0.0, 0.25, 0.0}, ContactHold::plane), fist("right", {0.0, -0.25, 0.0}, ContactHold::plane)};
  const StaticPosture p = static_posture(m, both, on_hands(m));
  ASSERT_TRUE(p.found()) << p.message;
  expect_rest(m, both, p);
  // On one of them, from there (BK Fig 3), and from where it started.
  const std::vector<PostureContact> one{fist("left", {0.0, 0.25, 0.0}, ContactHold::plane)};
  for (const OwnedVector& start : {p.q, on_hands(m)}) {
    const StaticPosture alone = static_posture(m, one, start);
    ASSERT_TRUE(alone.found()) << alone.message;
    expect_rest(m, one, alone);
    Workspace work(m);
    const V off = center_of_mass(m, work, alone.q) - pose(m, work, alone.q, "left_fist").translation();
    EXPECT_LE(off.head<2>().cwiseAbs().maxCoeff(), 0.045 * std::sqrt(2.0) + 1e-6);
  }
}

TEST(StaticPosture, UsesHandsAgainstWalls) {
  const Mechanism m = humanoid();
  // Feet on ice, which carries no weight sideways to speak of, and a hand against a wall in front.
  std::vector<PostureContact> contacts{sole("left", {0.0, 0.1, 0.0}), sole("right", {0.0, -0.1, 0.0}), fist("left", {0.45, 0.25, 0.9})};
  contacts[2].X_ST = Pose(SO3<double>::exp({0.0, -0.5 * std::numbers::pi, 0.0}), {0.45, 0.25, 0.9});
  contacts[2].patch.least_force = 30.0;
  const StaticPosture p = static_posture(m, contacts, standing(m));
  ASSERT_TRUE(p.found()) << p.message;
  expect_rest(m, contacts, p);
  V on_hand = V::Zero();
  for (const V& f : p.forces[2]) on_hand += f;
  EXPECT_LE(on_hand[0], -30.0 + 1e-4);
}

TEST(StaticPosture, KeepsBodiesApartAndTargetsMet) {
  const Mechanism m = humanoid();
  Workspace work(m);
  const std::vector<PostureContact> contacts{sole("left", {0.0, 0.1, 0.0}), sole("right", {0.0, -0.1, 0.0})};
  PostureSettings settings;
  settings.targets = {position_target("left_fist", {0.25, 0.05, 0.55})};
  settings.apart = {{"left_hand", "left_thigh"}, {"left_hand", "right_thigh"}};
  settings.clearance = 0.04;
  const StaticPosture p = static_posture(m, contacts, standing(m), settings);
  ASSERT_TRUE(p.found()) << p.message;
  expect_rest(m, contacts, p);
  EXPECT_GE(p.nearest, 0.04 - 1e-6);
  EXPECT_LT((pose(m, work, p.q, "left_fist").translation() - V(0.25, 0.05, 0.55)).norm(), 1e-6);
}

TEST(StaticPosture, SaysThatThereIsNone) {
  const Mechanism m = humanoid();
  const std::vector<PostureContact> far{sole("left", {0.0, 0.1, 0.0}), sole("right", {0.0, -2.1, 0.0})};
  const StaticPosture apart = static_posture(m, far, standing(m));
  EXPECT_FALSE(apart.found());
  EXPECT_NE(apart.message.find("(out of reach): "), std::string::npos) << apart.message;
  EXPECT_GT(apart.misplacement, 0.3);
  // On a slope steeper than friction.
  PostureContact steep = sole("left", {0.0, 0.0, 0.0});
  steep.X_ST = Pose(SO3<double>::exp({0.0, 0.5, 0.0}), V::Zero());
  steep.patch.friction = 0.3;
  const StaticPosture slides = static_posture(m, {steep}, standing(m));
  EXPECT_FALSE(slides.found());
  EXPECT_NE(slides.message.find("is off by"), std::string::npos) << slides.message;
  // With torques that hold nothing.
  PostureSettings weak;
  weak.torque_share = 1e-3;
  const StaticPosture tired = static_posture(m, {sole("left", {0.0, 0.1, 0.0})}, standing(m), weak);
  EXPECT_FALSE(tired.found()) << tired.message;
}

TEST(StaticPosture, WorksWithOtherRobotsFiles) {
  const std::filesystem::path robots = robots_folder();
  if (!std::filesystem::exists(robots / "talos_reduced.urdf")) GTEST_SKIP() << "the robots' files are not here";
  const Mechanism talos = load((robots / "talos_reduced.urdf").string(), {.base = Base::floating});
  std::vector<PostureContact> contacts;
  for (const auto& [place, y] : {std::pair{"left_sole_link", 0.085}, std::pair{"right_sole_link", -0.085}})
    contacts.push_back({{.name = place, .place = place, .points = rectangle(0.2, 0.12)}, Pose(V(0.0, y, 0.0))});
  const StaticPosture p = static_posture(talos, contacts, talos.neutral());
  ASSERT_TRUE(p.found()) << p.message;
  expect_rest(talos, contacts, p);
}

TEST(StaticPosture, RefusesWhatCannotBe) {
  const Mechanism m = humanoid();
  const auto message = [&](const std::function<void(PostureContact&, PostureSettings&)>& change) -> std::string {
    PostureContact c = sole("left", V::Zero());
    PostureSettings s;
    change(c, s);
    try {
      static_posture(m, {c}, standing(m), s);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([](auto& c, auto&) { c.patch.friction = 0.0; }), "contact 'left foot' has friction 0: expected a number above 0");
  EXPECT_EQ(message([](auto& c, auto&) { c.X_ST = Pose(V(NAN, 0.0, 0.0)); }), "contact 'left foot' rests at a place that is not finite");
  EXPECT_NE(message([](auto& c, auto&) { c.patch.place = "left_sol"; }).find("did you mean 'left_sole'"), std::string::npos);
  EXPECT_EQ(message([](auto&, auto& s) { s.torque_share = 0.0; }), "torque_share is 0: expected above 0, at most 1");
  EXPECT_EQ(message([](auto&, auto& s) { s.limit_margin = -1.0; }), "limit_margin is -1: expected 0 or more");
}

}  // namespace
}  // namespace amble
