#include "amble/mechanism/mechanism.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/compare.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/mechanism/product_of_exponentials.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/mechanism/serialize.hpp"

namespace amble {
namespace {

using Strings = std::vector<std::string>;

Inertia<double> rod(double mass) {
  return Inertia<double>::from_com(mass, {0.5, 0, 0}, Matrix3<double>(Vector3<double>(0.01, 0.1, 0.1).asDiagonal()));
}
JointDescription pin(const std::string& name, const std::string& parent, const std::string& child) {
  return {.name = name, .type = "revolute", .parent = parent, .child = child, .X_PF = Pose(Vector3<double>(1, 0, 0))};
}

Builder two_legs() {
  Builder b("two_legs");
  for (const char* name : {"foot_r", "hip", "foot_l", "shin_l", "shin_r"}) b.body({.name = name, .inertia = rod(1.0)});
  b.joint(pin("ankle_r", "shin_r", "foot_r"));
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "hip"});
  b.joint(pin("knee_l", "hip", "shin_l"));
  b.joint(pin("knee_r", "hip", "shin_r"));
  b.joint({.name = "sole_l", .type = "fixed", .parent = "shin_l", .child = "foot_l", .X_PF = Pose(Vector3<double>(0, 1, 0))});
  return b;
}

std::string build_error(const Builder& b) {
  return message_of([&] { b.build(); });
}

TEST(Mechanism, CoordinatesRunDepthFirstWithChildrenInTheirOrder) {
  const Mechanism m = two_legs().build();
  EXPECT_EQ(Strings(m.joint_names().begin(), m.joint_names().end()), (Strings{"root", "knee_l", "knee_r", "ankle_r"}));
  EXPECT_EQ(Strings(m.body_names().begin(), m.body_names().end()), (Strings{"hip", "shin_l", "foot_l", "shin_r", "foot_r"}));
  EXPECT_EQ(m.nq(), 10);
  EXPECT_EQ(m.nv(), 9);
  EXPECT_EQ(m.v_slice("ankle_r").start, 8);
  EXPECT_EQ(m.q_slice("ankle_r").start, 9);
}

TEST(Mechanism, FixedBodiesAreFusedAndNoMassIsLost) {
  const Mechanism m = two_legs().build();
  EXPECT_EQ(m.links().size(), 5u);  // world, hip, shin_l + foot_l, shin_r, foot_r
  EXPECT_DOUBLE_EQ(m.mass(), 5.0);
  double on_links = 0.0;
  for (const Link& link : m.links()) on_links += link.inertia.mass();
  EXPECT_DOUBLE_EQ(on_links, 5.0);
  EXPECT_EQ(m.bodies()[m.body_index("foot_l")].link, m.bodies()[m.body_index("shin_l")].link);
}

TEST(Mechanism, ParentsComeBeforeChildren) {
  const Mechanism m = random_mechanism(3, {.bodies = 60, .roots = 3}).mechanism;
  for (std::size_t i = 1; i < m.links().size(); ++i) EXPECT_LT(m.links()[i].parent, static_cast<int>(i));
}

TEST(Mechanism, ALoopIsCutAtTheJointFarthestFromTheWorld) {
  Builder b("four_bar");
  for (const char* name : {"crank", "coupler", "rocker"}) b.body({.name = name, .inertia = rod(1.0)});
  b.joint(pin("a", "world", "crank"));
  b.joint(pin("b", "crank", "coupler"));
  b.joint(pin("c", "coupler", "rocker"));
  b.joint(pin("d", "world", "rocker"));
  const Mechanism m = b.build();
  ASSERT_EQ(m.loops().size(), 1u);
  EXPECT_EQ(m.loops()[0].name, "c");
  EXPECT_EQ(m.loops()[0].freedoms, 1);
  EXPECT_EQ(m.nv(), 3);
  EXPECT_EQ(m.counted_mobility(), -2);
}

TEST(Mechanism, JointsThatFollowAddNoCoordinate) {
  Builder b = two_legs();
  b.body({.name = "a", .inertia = rod(1.0)}).body({.name = "b", .inertia = rod(1.0)});
  JointDescription first = pin("first", "hip", "a"), second = pin("second", "a", "b");
  first.mimic = {"knee_l", 2.0, 0.5};
  first.properties.armature = {3.0};
  second.mimic = {"first", -3.0, 1.0};
  const Mechanism m = b.joint(first).joint(second).build();
  EXPECT_EQ(m.nv(), 9);
  const Joint& s = m.joints()[m.joint_index("second")];
  EXPECT_EQ(m.joints()[s.leader].name, "knee_l");
  EXPECT_DOUBLE_EQ(s.ratio, -6.0);
  EXPECT_DOUBLE_EQ(s.offset, -3.0 * 0.5 + 1.0);
  EXPECT_DOUBLE_EQ(m.armature()[m.v_slice("knee_l").start], 12.0);
}

TEST(Mechanism, LimitsAreArrays) {
  Builder b("arm");
  JointDescription j = pin("elbow", "world", "arm");
  j.properties = {.lower = {-1.0}, .upper = {2.0}, .velocity = {3.0}, .effort = {4.0}, .damping = {5.0}};
  const Mechanism m = b.body({.name = "arm", .inertia = rod(1)}).joint(j).build();
  EXPECT_EQ(m.lower()[0], -1.0);
  EXPECT_EQ(m.upper()[0], 2.0);
  EXPECT_EQ(m.velocity_limit()[0], 3.0);
  EXPECT_EQ(m.effort_limit()[0], 4.0);
  EXPECT_EQ(m.damping()[0], 5.0);
}

TEST(Mechanism, IntegrateAndDifferenceAreInverseForEveryJointType) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mechanism m = random_mechanism(seed, {.bodies = 15, .mimic = 0.2}).mechanism;
    Random random(seed);
    Eigen::VectorXd dv(m.nv());
    for (double& x : dv) x = random.uniform(-1, 1);
    const OwnedVector q0 = m.random(random), q1 = m.integrate(q0, dv);
    EXPECT_LT((m.difference(q0, q1) - dv).cwiseAbs().maxCoeff(), 1e-13) << "seed " << seed;
    EXPECT_EQ(m.random(seed), m.random(seed));
  }
}

// Bad input, one message each.
struct Refusal {
  const char* fact;
  std::function<void(Builder&)> spoil;
  std::vector<const char*> words;
};

TEST(Builder, RefusesBadInputByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with_joint = [](auto change) {
    return [change](Builder& b) {
      JointDescription j = pin("extra", "hip", "part");
      change(j);
      b.body({.name = "part", .inertia = rod(1.0)}).joint(j);
    };
  };
  const std::vector<Refusal> cases{
      {"zero axis", with_joint([](auto& j) { j.axis.setZero(); }), {"joint 'extra'", "axis is zero"}},
      {"non-unit axis", with_joint([](auto& j) { j.axis = {0, 0, 2}; }), {"joint 'extra'", "length 2, expected 1"}},
      {"NaN axis", with_joint([&](auto& j) { j.axis[0] = nan; }), {"joint 'extra'", "not finite"}},
      {"parallel axes", with_joint([](auto& j) { j.type = "universal", j.axis2 = j.axis; }), {"'extra'", "parallel"}},
      {"reversed limits", with_joint([](auto& j) { j.properties = {.lower = {1}, .upper = {-1}}; }), {"lower limit 1 is above upper limit -1"}},
      {"too many limits", with_joint([](auto& j) { j.properties.lower = {1, 2}; }), {"has 2 numbers, expected 1"}},
      {"negative effort", with_joint([](auto& j) { j.properties.effort = {-1}; }), {"effort limit -1"}},
      {"NaN damping", with_joint([&](auto& j) { j.properties.damping = {nan}; }), {"damping nan"}},
      {"unknown type", with_joint([](auto& j) { j.type = "revolut"; }), {"unknown joint type 'revolut'", "did you mean 'revolute'"}},
      {"unknown parent", with_joint([](auto& j) { j.parent = "hp"; }), {"parent body 'hp' does not exist", "'hip'"}},
      {"joined to itself", with_joint([](auto& j) { j.parent = "part"; }), {"joins body 'part' to itself"}},
      {"world as child", with_joint([](auto& j) { j.child = "world"; }), {"the world cannot be a child"}},
      {"unknown leader", with_joint([](auto& j) { j.mimic = Mimic{"knee", 1, 0}; }), {"follows joint 'knee', which does not exist"}},
      {"leader with six freedoms", with_joint([](auto& j) { j.mimic = Mimic{"root", 1, 0}; }), {"has not one degree of freedom"}},
      {"following itself", with_joint([](auto& j) { j.mimic = Mimic{"extra", 1, 0}; }), {"follows itself"}},
      {"custom without object", with_joint([](auto& j) { j.type = "custom"; }), {"needs a CustomJoint object"}},
      {"limits on a ball", with_joint([](auto& j) { j.type = "spherical", j.properties.lower = {0, 0, 0}; }), {"has no position limits"}},
      {"duplicate body", [](Builder& b) { b.body({.name = "hip"}); }, {"body 'hip'", "used twice"}},
      {"duplicate joint", [](Builder& b) { b.joint(pin("root", "world", "hip")); }, {"joint 'root'", "used twice"}},
      {"body without joint", [](Builder& b) { b.body({.name = "lost", .inertia = rod(1)}); }, {"body 'lost'", "no joint holds it"}},
      {"no name", [](Builder& b) { b.body({.name = ""}); }, {"body: has no name"}},
      {"negative mass", [](Builder& b) { b.body({.name = "x", .inertia = rod(-1)}); }, {"body 'x'", "mass -1 kg is negative"}},
      {"NaN mass", [&](Builder& b) { b.body({.name = "x", .inertia = rod(nan)}); }, {"body 'x'", "not finite"}},
      {"impossible inertia",
       [](Builder& b) {
         b.body({.name = "x", .inertia = Inertia<double>::from_com(1, {0, 0, 0}, Matrix3<double>(Vector3<double>(1, 1, 3).asDiagonal()))});
       },
       {"body 'x'", "triangle inequality"}},
      {"cycle",
       [](Builder& b) {
         b.body({.name = "p", .inertia = rod(1)}).body({.name = "r", .inertia = rod(1)});
         b.joint(pin("pr", "p", "r")).joint(pin("rp", "r", "p"));
       },
       {"'p'", "'r'", "cycle"}},
      {"loop to nowhere", [](Builder& b) { b.loop({.name = "l", .type = "revolute", .body_a = "hip", .body_b = "nose"}); }, {"loop 'l'", "'nose' does not exist"}},
      {"free loop", [](Builder& b) { b.loop({.name = "l", .type = "free", .body_a = "hip", .body_b = "shin_l"}); }, {"closes nothing"}},
      {"frame on nothing", [](Builder& b) { b.frame({.name = "f", .body = "nose"}); }, {"frame 'f'", "'nose' does not exist"}},
      {"frame named world", [](Builder& b) { b.frame({.name = "world", .body = "hip"}); }, {"frame 'world'", "the world's"}},
      {"lower limit inf", with_joint([](auto& j) { j.properties.lower = {kUnlimited}; }), {"lower limit inf"}},
      {"free joint beyond the tree",
       [](Builder& b) { b.joint({.name = "again", .type = "free", .parent = "foot_r", .child = "shin_l"}); },
       {"joint 'again'", "is free"}},
      {"gravity", [&](Builder& b) { b.gravity({0, 0, nan}); }, {"gravity", "not finite"}},
  };
  for (const Refusal& c : cases) {
    Builder b = two_legs();
    c.spoil(b);
    const std::string message = build_error(b);
    for (const char* word : c.words) EXPECT_NE(message.find(word), std::string::npos) << c.fact << ": " << message;
  }
}

TEST(Builder, ReportsEveryProblemAtOnce) {
  Builder b = two_legs();
  b.body({.name = "x", .inertia = rod(-1)}).body({.name = "hip"});
  const std::string message = build_error(b);
  EXPECT_NE(message.find("negative"), std::string::npos);
  EXPECT_NE(message.find("used twice"), std::string::npos);
}

TEST(Mechanism, RefusesWrongStates) {
  const Mechanism m = two_legs().build();
  Eigen::VectorXd q = m.neutral();
  EXPECT_NE(message_of([&] { m.checked_configuration(q.head(3)); }).find("has 3 numbers"), std::string::npos);
  q[8] = std::nan("");
  EXPECT_NE(message_of([&] { m.checked_configuration(q); }).find("joint 'knee_r', is nan"), std::string::npos);
  q = m.neutral();
  q[6] = 1.1;
  EXPECT_NE(message_of([&] { m.checked_configuration(q); }).find("joint 'root'"), std::string::npos);
  q[6] = 1.0 + 5e-7;
  EXPECT_DOUBLE_EQ(m.checked_configuration(q)[6], 1.0);
  EXPECT_NE(message_of([&] { m.body_index("hipp"); }).find("did you mean 'hip'"), std::string::npos);
  EXPECT_NE(message_of([&] { m.joint_index("kneel"); }).find("there is no joint 'kneel'"), std::string::npos);
}

TEST(Edit, LockedJointsLoseTheirCoordinatesAndStayWhereTheyWere) {
  Builder b = two_legs();
  b.body({.name = "a", .inertia = rod(1.0)});
  JointDescription follower = pin("follower", "hip", "a");
  follower.mimic = {"knee_l", 2.0, 0.1};
  const Mechanism m = b.joint(follower).build();
  const Mechanism locked = with_locked(m, {{"knee_l", {0.3}}});
  EXPECT_EQ(locked.nv(), m.nv() - 1);
  EXPECT_DOUBLE_EQ(locked.mass(), m.mass());
  EXPECT_EQ(locked.joints()[locked.joint_index("follower")].type, "fixed");
  const Body& a = locked.bodies()[locked.body_index("a")];
  const Pose X_hip = locked.bodies()[locked.body_index("hip")].X_LB;
  const double at = 2.0 * 0.3 + 0.1;
  const Pose expected = X_hip * Pose(SO3<double>::about(2, at), {1, 0, 0});
  EXPECT_LT((a.X_LB.matrix() - expected.matrix()).norm(), 1e-15);
  EXPECT_NE(message_of([&] { with_locked(m, {{"follower", {0.0}}}); }).find("follows another"), std::string::npos);
  EXPECT_NE(message_of([&] { with_locked(m, {{"root", {0.0}}}); }).find("expected 7"), std::string::npos);
}

TEST(Edit, APayloadAddsItsMassWhereItSits) {
  const Mechanism m = two_legs().build();
  const Mechanism loaded = with_payload(m, "foot_l", Inertia<double>::from_com(2.0, {0, 0, 1}, Matrix3<double>::Identity()));
  EXPECT_DOUBLE_EQ(loaded.mass(), m.mass() + 2.0);
  const Vector3<double> com = loaded.bodies()[loaded.body_index("foot_l")].inertia.com();
  EXPECT_LT((com - Vector3<double>(0.5 / 3.0, 0, 2.0 / 3.0)).norm(), 1e-15);
  EXPECT_NE(message_of([&] { with_payload(m, "hip", Inertia<double>(-1.0, {0, 0, 0}, Matrix3<double>::Zero())); }).find("negative"), std::string::npos);
}

TEST(Edit, AnObjectStandsBesideARobot) {
  const Mechanism robot = two_legs().build();
  Builder b("thing");
  b.body({.name = "thing", .inertia = rod(3.0)}), b.body({.name = "lid", .inertia = rod(0.5)});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "thing"});
  b.joint(pin("hinge", "thing", "lid"));
  const Mechanism thing = b.build(), both = with_object(robot, thing, "thing"), three = with_object(both, thing, "second", Pose(Vector3<double>(0, 0, 2)));
  EXPECT_EQ(both.nv(), robot.nv() + 7);
  EXPECT_DOUBLE_EQ(both.mass(), robot.mass() + 3.5);
  EXPECT_EQ(both.joints()[both.joint_index("hinge")].type, "revolute");
  EXPECT_EQ(three.nv(), robot.nv() + 14);
  EXPECT_EQ(three.bodies()[three.joints()[three.joint_index("second_hinge")].child].name, "second_lid");  // names that are taken
  EXPECT_EQ(three.joints()[three.joint_index("second_free")].X_PF.translation()[2], 2.0);
  EXPECT_EQ(message_of([&] { with_object(three, thing, "second"); }), "an object named 'second' is there already: 'second_thing' is taken");
  EXPECT_EQ(message_of([&] { with_object(robot, thing, ""); }), "an object has no name");
}

TEST(Edit, GravityIsReplaced) { EXPECT_EQ(with_gravity(two_legs().build(), {0, 0, -1.62}).gravity()[2], -1.62); }

TEST(ProductOfExponentials, GoesOutAndComesBackIn) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 6, .types = {"revolute", "prismatic", "helical"}, .branching = 0.0});
    const ProductOfExponentials out = product_of_exponentials(r.mechanism, "body5");
    const Mechanism in = mechanism_of(out);
    const ProductOfExponentials again = product_of_exponentials(in, "tool");
    Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(6, -0.5, 0.7);
    EXPECT_LT((out.pose(q).matrix() - again.pose(q).matrix()).norm(), 1e-12) << "seed " << seed;
  }
}

TEST(ProductOfExponentials, NamesTheJointThatHasNone) {
  const Mechanism m = two_legs().build();
  EXPECT_NE(message_of([&] { product_of_exponentials(m, "foot_l"); }).find("joint 'root' (free)"), std::string::npos);
  ProductOfExponentials chain{.screws = {Twist<double>({0, 0, 0}, {0, 0, 2})}};
  EXPECT_NE(message_of([&] { mechanism_of(chain); }).find("magnitude 2"), std::string::npos);
}

TEST(RandomMechanism, IsTheSameForTheSameSeedAndHasWhatWasAsked) {
  const RandomMechanismOptions options{.bodies = 40, .roots = 3, .loops = 4, .mimic = 0.3};
  const RandomMechanism a = random_mechanism(5, options), b = random_mechanism(5, options), c = random_mechanism(6, options);
  EXPECT_EQ(serialize(a.mechanism.description()), serialize(b.mechanism.description()));
  EXPECT_NE(serialize(a.mechanism.description()), serialize(c.mechanism.description()));
  EXPECT_EQ(a.mechanism.body_names().size(), 40u);
  EXPECT_EQ(a.mechanism.loops().size(), 4u);
  std::set<std::string> types;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const RandomMechanism r = random_mechanism(seed, options);
    for (const Joint& j : r.mechanism.joints()) types.insert(j.type);
  }
  EXPECT_EQ(static_cast<int>(types.size()), kJointKinds - 1) << "every type but custom";
}

TEST(Serialize, GivesADescriptionBackBitForBit) {
  const Mechanism m = random_mechanism(9, {.bodies = 30, .roots = 2, .loops = 2, .mimic = 0.3}).mechanism;
  const std::string text = serialize(m.description());
  EXPECT_EQ(serialize(deserialize(text)), text);
  EXPECT_TRUE(differences(m, compile(deserialize(text)), 0.0).empty());
  EXPECT_NE(message_of([] { deserialize("{}"); }).find("not a serialized mechanism"), std::string::npos);
}

TEST(Compare, SaysWhatDiffers) {
  const Mechanism m = two_legs().build();
  EXPECT_TRUE(differences(m, m).empty());
  const auto heavier = differences(m, with_payload(m, "hip", rod(0.5)));
  ASSERT_FALSE(heavier.empty());
  EXPECT_NE(heavier[0].find("total mass: 5 kg | 5.5 kg"), std::string::npos);
  const auto moon = differences(m, with_gravity(m, {0, 0, -1.62}));
  ASSERT_EQ(moon.size(), 1u);
  EXPECT_NE(moon[0].find("gravity"), std::string::npos);
}

Builder looped(const Vector3<double>& place, const Vector3<double>& axis) {
  Builder b = two_legs();
  b.loop({.name = "tie", .type = "revolute", .body_a = "foot_l", .body_b = "foot_r", .X_AF = Pose(place), .axis = axis});
  return b;
}

TEST(Compare, LoopsAreComparedByThePosesTheyAllow) {
  const Mechanism m = looped({1, 0, 0}, {0, 0, 1}).build();
  EXPECT_TRUE(differences(m, m).empty());
  EXPECT_FALSE(differences(m, looped({5, 0, 0}, {0, 0, 1}).build()).empty());
  EXPECT_FALSE(differences(m, looped({1, 0, 0}, {1, 0, 0}).build()).empty());
  EXPECT_TRUE(differences(m, looped({1, 0, 0}, {0, 0, -1}).build()).empty()) << "the same pin, counted backwards";
}

TEST(Compare, FramesSpringsAndFollowersAreCompared) {
  const auto build = [](const char* body, double reference, double limit) {
    Builder b = two_legs();
    b.frame({.name = "imu", .body = body});
    b.body({.name = "a", .inertia = rod(1.0)});
    JointDescription j = pin("follower", "hip", "a");
    j.mimic = {"knee_l", 2.0, 0.5};
    j.properties = {.upper = {limit}, .stiffness = {1.0}, .reference = {reference}};
    return b.joint(j).build();
  };
  const Mechanism m = build("hip", 0.1, 1.0);
  EXPECT_TRUE(differences(m, build("hip", 0.1, 1.0)).empty());
  EXPECT_EQ(differences(m, build("foot_l", 0.1, 1.0)).size(), 1u);
  EXPECT_EQ(differences(m, build("hip", 0.2, 1.0)).size(), 1u);
  EXPECT_EQ(differences(m, build("hip", 0.1, 2.0)).size(), 1u);
}

TEST(Mechanism, AFollowersSpringActsOnItsLeaderAndItsUnusedLimitsAreNoted) {
  Builder b = two_legs();
  b.body({.name = "a", .inertia = rod(1.0)});
  JointDescription j = pin("follower", "hip", "a");
  j.mimic = {"knee_l", -2.0, 0.5};
  j.properties = {.lower = {-1.0}, .upper = {1.0}, .stiffness = {3.0}, .reference = {0.1}};
  const Mechanism m = b.joint(j).build();
  const int at = m.v_slice("knee_l").start;
  // The torque -3 (q_f - 0.1) of the follower, times its ratio, at the leader's q.
  const double q = 0.7, torque = -2.0 * -3.0 * ((-2.0 * q + 0.5) - 0.1);
  EXPECT_NEAR(-m.stiffness()[at] * (q - m.spring_reference()[at]), torque, 1e-14);
  ASSERT_EQ(m.findings().size(), 1u);
  EXPECT_NE(m.findings()[0].text().find("joint 'follower'"), std::string::npos);
  EXPECT_EQ(with_gravity(m, {0, 0, 0}).findings().size(), 1u) << "said once, also after a change";
}

TEST(Mechanism, LongChainsOfFollowersAreQuick) {
  Builder b("gears");
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    b.body({.name = "b" + n, .inertia = rod(1.0)});
    JointDescription j = pin("j" + n, "world", "b" + n);
    if (i > 0) j.mimic = {"j" + std::to_string(i - 1), 1.0, 1.0};
    b.joint(j);
  }
  const Mechanism m = b.build();
  EXPECT_EQ(m.nv(), 1);
  EXPECT_EQ(m.joints()[m.joint_index("j19999")].offset, 19999.0);
}

TEST(Builder, GoesOnFromAModelWhoseRootStandsFixed) {
  ModelDescription d;
  d.name = "arm";
  d.bodies.push_back({.name = "base", .inertia = rod(1.0)});
  Builder b(compile(d).description());
  b.body({.name = "arm", .inertia = rod(1.0)}).joint(pin("shoulder", "base", "arm"));
  EXPECT_EQ(b.build().nv(), 1);
  b.body({.name = "lost", .inertia = rod(1.0)});
  EXPECT_NE(build_error(b).find("body 'lost': no joint holds it"), std::string::npos);
}

TEST(RandomMechanism, RefusesWhatItCannotMake) {
  EXPECT_THROW(random_mechanism(1, {.bodies = 3, .types = {"free", "free"}, .loops = 1}), Error);
  EXPECT_THROW(random_mechanism(1, {.branching = std::nan("")}), Error);
  EXPECT_THROW(random_mechanism(1, {.mimic = 5.0}), Error);
  EXPECT_THROW(random_mechanism(1, {.bodies = 0}), Error);
}

TEST(ProductOfExponentials, KeepsCouplingsAndMakesNamesOfItsOwnWhereNeeded) {
  Builder b("chain");
  for (const char* name : {"a", "b", "c"}) b.body({.name = name, .inertia = rod(1.0)});
  JointDescription follower = pin("joint2", "a", "b");
  follower.mimic = {"first", -2.0, 0.3};
  b.joint(pin("first", "world", "a")).joint(follower);
  b.joint({.name = "u", .type = "universal", .parent = "b", .child = "c", .X_PF = Pose(Vector3<double>(1, 0, 0))});
  const Mechanism m = b.build(), back = mechanism_of(product_of_exponentials(m, "c"));
  EXPECT_EQ(back.nv(), m.nv());
  EXPECT_EQ(back.joints()[back.joint_index("joint2")].ratio, -2.0);
}

TEST(Mechanism, LimitsTooWideToMeanAnythingAreDrawnAsNone) {
  Builder b("arm");
  JointDescription j = pin("elbow", "world", "arm");
  j.properties = {.lower = {-1e308}, .upper = {1e308}};
  const Mechanism m = b.body({.name = "arm", .inertia = rod(1)}).joint(j).build();
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_LE(std::abs(m.random(seed)[0]), std::numbers::pi);
}

TEST(Mechanism, AChainOfAHundredThousandBodiesIsBuilt) {
  Builder b("long");
  std::string parent = kWorld;
  for (int i = 0; i < 100000; ++i) {
    const std::string body = "b" + std::to_string(i);
    b.body({.name = body, .inertia = rod(1.0)});
    b.joint(pin("j" + std::to_string(i), parent, body));
    parent = body;
  }
  EXPECT_EQ(b.build().nv(), 100000);
}

}  // namespace
}  // namespace amble
