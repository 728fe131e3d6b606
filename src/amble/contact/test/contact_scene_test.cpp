#include "amble/contact/contact_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/io/load.hpp"
#include "amble/io/test/temporary_folder.hpp"
#include "amble/io/writers.hpp"
#include "amble/mechanism/serialize.hpp"

namespace amble {
namespace {

using Names = std::set<std::string>;

ContactSceneOptions in_the_air() { return {.ground = GroundPtr()}; }

std::string key(const TouchingPair& p) {
  const std::string a = p.a.shape, b = p.b.shape;
  return a < b ? a + " " + b : b + " " + a;
}

Names touching(const ContactScene& scene) {
  Names out;
  for (const TouchingPair& p : scene.pairs()) out.insert(key(p));
  return out;
}

TouchLaw law(const ContactScene& scene, const std::string& name) {
  for (const TouchingPair& p : scene.pairs())
    if (key(p) == name) return p.law;
  ADD_FAILURE() << name << " does not touch";
  return {};
}

/// Balls of 0.1 m, each free and 1 m from the next, named a, b, c, ...: their attributes.
Mechanism balls(const std::vector<std::string>& attributes, const std::string& sections = "") {
  std::string text = "<mujoco>" + sections + "<worldbody>";
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    text += "<body name='" + name + "' pos='" + std::to_string(i) + " 0 1'><freejoint/><geom name='" + name +
            "' size='0.1' " + attributes[i] + "/></body>";
  }
  return load_text(text + "</worldbody></mujoco>", "balls.xml");
}

TEST(ContactScene, MasksOfAFileDecideWhatTouches) {
  const Mechanism m = balls(
      {"contype='1' conaffinity='2'", "contype='2' conaffinity='0'", "contype='4' conaffinity='4'", ""});
  EXPECT_EQ(touching(ContactScene("c", m, in_the_air())), (Names{"a b", "a d"}));
}

TEST(ContactScene, WhatOnlyLooksTouchesNothingUnlessAPairNamesIt) {
  const Mechanism m =
      balls({"contype='0' conaffinity='0'", "contype='0' conaffinity='0'", ""},
            "<contact><pair geom1='a' geom2='c' friction='0.4 0.4' margin='0.01'/></contact>");
  const ContactScene scene("c", m, in_the_air());
  EXPECT_EQ(scene.shapes(), 2u) << "b is a picture";
  EXPECT_EQ(touching(scene), Names{"a c"});
  EXPECT_EQ(law(scene, "a c"), (TouchLaw{0.4, 0.0, 0.01}));
}

TEST(ContactScene, ExcludedBodiesDoNotTouchButForPairs) {
  const std::string exclude = "<exclude body1='a' body2='b'/><exclude body1='c' body2='b'/>";
  EXPECT_EQ(
      touching(ContactScene("c", balls({"", "", ""}, "<contact>" + exclude + "</contact>"), in_the_air())),
      Names{"a c"});
  const Mechanism paired =
      balls({"", "", ""}, "<contact>" + exclude + "<pair geom1='b' geom2='a'/></contact>");
  EXPECT_EQ(touching(ContactScene("c", paired, in_the_air())), (Names{"a b", "a c"}));
}

/// hip: one joint to the torso; foot: two joints on one body; toe is fixed to the foot.
Mechanism leg(const std::string& option) {
  return load_text(
      "<mujoco>" + option + R"(<worldbody><body name="torso"><freejoint/><geom name="torso" size="0.1"/>
      <body pos="0 0 -1"><joint/><geom name="hip" size="0.1"/>
      <body pos="0 0 -1"><joint axis="1 0 0"/><joint axis="0 1 0"/><geom name="foot" size="0.1"/>
      <body pos="1 0 0"><geom name="toe" size="0.1"/></body></body></body></body></worldbody></mujoco>)",
      "leg.xml");
}

TEST(ContactScene, BodiesThatJointsConnectDoNotTouchHoweverManyJoints) {
  EXPECT_EQ(touching(ContactScene("c", leg(""), in_the_air())), (Names{"foot torso", "toe torso"}));
  const std::string all = "<option><flag filterparent='disable'/></option>";
  EXPECT_EQ(touching(ContactScene("c", leg(all), in_the_air())),
            (Names{"foot torso", "toe torso", "hip torso", "foot hip", "hip toe"}));
  EXPECT_EQ(touching(ContactScene("c", leg("<option><flag contact='disable'/></option>"), in_the_air())),
            Names{});
}

TEST(ContactScene, FrictionOfAFileIsTheLargerOneUnlessOneHasPriority) {
  const Mechanism m = balls({"friction='0.3'", "friction='0.7'", "friction='0.2' priority='1'",
                             "condim='1' friction='0.5'", "condim='1' priority='1'"});
  const ContactScene scene("c", m, in_the_air());
  EXPECT_EQ(law(scene, "a b").friction, 0.7);
  EXPECT_EQ(law(scene, "b c").friction, 0.2);
  EXPECT_EQ(law(scene, "a d").friction, 0.5) << "one of them has friction";
  EXPECT_EQ(law(scene, "a e").friction, 0.0) << "priority";
  EXPECT_EQ(law(scene, "c e").friction, 1.0) << "the same priority";
}

TEST(ContactScene, FrictionWithTheGroundIsTheMeanAndPriorityWins) {
  const ContactScene scene("c", balls({"friction='0.2'", "friction='0.3' priority='1'"}));
  EXPECT_DOUBLE_EQ(law(scene, " a").friction, std::sqrt(0.8 * 0.2));
  EXPECT_EQ(law(scene, " b").friction, 0.3);
}

TEST(ContactScene, OptionsStandInPlaceOfTheFile) {
  const Mechanism m = balls({"friction='0.2' priority='2' condim='1'", "friction='0.3'", ""},
                            "<contact><pair geom1='a' geom2='c' friction='0.1 0.1'/></contact>");
  const ContactScene all("c", m, {.material = {.friction = 0.6}});
  for (const char* pair : {" a", " b", "a b", "a c", "b c"}) EXPECT_EQ(law(all, pair).friction, 0.6) << pair;
  const ContactScene one("c", m, {.materials = {{"a", {.friction = 0.4}}}});
  EXPECT_DOUBLE_EQ(law(one, "a b").friction, std::sqrt(0.4 * 0.3));
  EXPECT_DOUBLE_EQ(law(one, "a c").friction, std::sqrt(0.4 * 1.0)) << "the pair's own number gives way too";
  EXPECT_EQ(law(one, "b c").friction, 1.0);
  const ContactScene bouncing("c", m, {.material = {.restitution = 0.5}});
  EXPECT_EQ(law(bouncing, "b c"), (TouchLaw{1.0, 0.5, 0.0})) << "friction is still the file's";
}

TEST(ContactScene, MarginsOfTwoShapesAddUp) {
  const Mechanism m = balls({"margin='0.002'", "margin='0.003'", ""});
  const ContactScene scene("c", m);
  EXPECT_EQ(law(scene, "a b").margin, 0.005);
  EXPECT_EQ(law(scene, " a").margin, 0.002);
  EXPECT_EQ(law(scene, " c").margin, 0.0);
}

/// What a step from q looks at, where every link comes this fast (m/s).
std::vector<StepBlock> blocks(const ContactScene& scene, const Mechanism& m, const OwnedVector& q,
                              double speed) {
  Workspace work(m);
  const LinkPoses found = forward_kinematics(m, work, q);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < m.links().size(); ++i) poses.push_back(found[i]);
  const std::vector<double> speeds(poses.size(), speed), turns(poses.size(), 0.0);
  static double t = 0.0;
  std::vector<StepBlock> out;
  scene.add_blocks({t += 1.0, 1e-3, q, OwnedVector(m.nv()), poses, speeds, turns, m}, out);
  return out;
}

TEST(ContactScene, StepsMeetTheLayersOfShapesAndTheFrictionOfThePair) {
  const std::string floor =
      "<worldbody><geom name='floor' type='plane' size='0 0 1' margin='0.004' friction='0.1'/></worldbody>"
      "<contact><pair geom1='b' geom2='floor' friction='0.7 0.7' margin='0.05'/></contact>";
  const Mechanism m = balls({"margin='0.006' friction='0.3'", ""}, floor);
  const ContactScene scene("c", m);
  OwnedVector q = m.neutral();
  const int a = m.q_slice(m.joints()[0].name).start, b = m.q_slice(m.joints()[1].name).start;
  q[b] = 1.0;
  const auto at = [&](double z_a, double z_b, double speed) {
    q[a + 2] = z_a, q[b + 2] = z_b;
    return blocks(scene, m, q, speed);
  };
  EXPECT_TRUE(at(0.1103, 0.1503, 0.0).empty()) << "0.3 mm above what they stop at";
  std::vector<StepBlock> near = at(0.1101, 0.1503, 0.0);
  ASSERT_EQ(near.size(), 1u);
  EXPECT_NEAR(near[0].at.distance, 0.0001, 1e-15);
  EXPECT_NEAR(near[0].at.p_a.z(), 0.01, 1e-15);
  EXPECT_NEAR(near[0].at.normal.dot(near[0].at.p_b - near[0].at.p_a), near[0].at.distance, 1e-15);
  EXPECT_EQ(near[0].friction, 0.3);
  near = at(0.2, 0.149, 0.0);
  ASSERT_EQ(near.size(), 1u);
  EXPECT_NEAR(near[0].at.distance, -0.001, 1e-15);
  EXPECT_EQ(near[0].friction, 0.7);
  near = at(0.115, 0.155, 10.0);
  ASSERT_EQ(near.size(), 2u) << "15 mm may come in the step";
  for (const StepBlock& block : near) EXPECT_NEAR(block.at.distance, 0.005, 1e-15);
  EXPECT_TRUE(at(0.126, 0.166, 10.0).empty());
}

TEST(ContactScene, ShapesThatOverlapAsTheRobotIsPutTogetherAreLeftOutUnlessAPairNamesThem) {
  const auto arm = [](const std::string& sections) {
    return load_text(
        "<mujoco>" + sections +
            R"(<worldbody><body name="a"><freejoint/><geom name="a" size="0.1"/><body name="b" pos="1 0 0"><joint/>
        <geom name="b" size="0.1"/><body name="c" pos="-1 0 0.1"><joint/><geom name="c" size="0.1"/></body></body></body></worldbody></mujoco>)",
        "arm.xml");
  };
  const ContactScene scene("c", arm(""), in_the_air());
  EXPECT_EQ(touching(scene), Names{});
  ASSERT_EQ(scene.overlapping().size(), 1u);
  EXPECT_EQ(scene.overlapping()[0], (std::pair<std::string, std::string>("a", "c")));
  EXPECT_EQ(touching(ContactScene("c", arm("<contact><pair geom1='a' geom2='c'/></contact>"), in_the_air())),
            Names{"a c"});
}

TEST(ContactScene, WhatCannotBeUsedIsSkippedWithTheReason) {
  const Mechanism m = load_text(
      R"(<robot name="r"><link name="base"><collision name="far"><geometry><mesh filename="nowhere/far.stl"/></geometry></collision>
      <collision name="thin"><geometry><box size="1 0 1"/></geometry></collision>
      <collision name="ball"><geometry><sphere radius="0.1"/></geometry></collision></link></robot>)",
      "r.urdf", {.base = Base::floating});
  const ContactScene scene("c", m);
  ASSERT_EQ(scene.skipped().size(), 2u);
  EXPECT_EQ(scene.skipped()[0].shape.shape, "far");
  EXPECT_NE(scene.skipped()[0].reason.find("'nowhere/far.stl' was not found when its model was loaded"),
            std::string::npos);
  EXPECT_EQ(scene.skipped()[1].reason, "a box with edge 0: expected more than 0");
  EXPECT_EQ(touching(scene), Names{" ball"});
  EXPECT_EQ(law(scene, " ball").friction, 0.8) << "nothing says otherwise";
}

TEST(ContactScene, SerializedMechanismsKeepWhatTheFileSays) {
  const Mechanism m = balls({"friction='0.3' priority='-1' contype='6' margin='0.01'",
                             "condim='1' conaffinity='5'", "contype='0' conaffinity='0'"},
                            "<option><flag filterparent='disable'/></option><contact><pair name='p' "
                            "geom1='a' geom2='c' friction='0.4 0.4'/>"
                            "<exclude body1='b' body2='c'/></contact>");
  const ModelDescription &d = m.description(), again = deserialize(serialize(d));
  for (std::size_t i = 0; i < d.bodies.size(); ++i)
    for (std::size_t k = 0; k < d.bodies[i].collisions.size(); ++k)
      EXPECT_EQ(again.bodies[i].collisions[k].surface, d.bodies[i].collisions[k].surface) << d.bodies[i].name;
  ASSERT_EQ(again.contact.pairs.size(), 1u);
  EXPECT_EQ(again.contact.pairs[0].name, "p");
  EXPECT_EQ(again.contact.pairs[0].friction, 0.4);
  ASSERT_EQ(again.contact.exclusions.size(), 1u);
  EXPECT_EQ(again.contact.exclusions[0].body_b, "c");
  EXPECT_TRUE(again.contact.neighbors_touch);
  EXPECT_EQ(serialize(again), serialize(d));
}

TEST(ContactScene, MjcfWritesWhatItReads) {
  const Mechanism m =
      balls({"friction='0.3' priority='-1' contype='6' margin='0.01'", "condim='1' conaffinity='5'",
             "contype='0' conaffinity='0'", "friction='0.25'"},
            "<option><flag filterparent='disable'/></option><contact><pair name='p' geom1='a' geom2='c' "
            "friction='0.4 0.4'/>"
            "<pair geom1='b' geom2='c' condim='1' margin='0.02'/><exclude body1='a' body2='d'/></contact>");
  const Mechanism again = load_text(write_mjcf(m.description()), "again.xml");
  EXPECT_TRUE(again.description().contact.neighbors_touch);
  const ContactScene before("c", m), after("c", again);
  EXPECT_EQ(touching(after), touching(before));
  for (const std::string& pair : touching(before)) EXPECT_EQ(law(after, pair), law(before, pair)) << pair;
}

TEST(ContactScene, HullsAreReadOnceUntilTheirFileChanges) {
  const TemporaryFolder folder;
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n";
  const std::string file = folder.write("hull.obj", text);
  const auto first = load_convex_mesh(file);
  EXPECT_EQ(load_convex_mesh(file), first);
  EXPECT_NE(load_convex_mesh(file, {2.0, 1.0, 1.0}), first);
  folder.write("hull.obj", text + "v 1 1 1\nf 2 3 5\n");
  EXPECT_EQ(load_convex_mesh(file)->vertices().size(), 5u);
  std::filesystem::remove(file);
  EXPECT_THROW(load_convex_mesh(file), Error);
}

TEST(ContactScene, DescriptionsThatCannotBeAreRefused) {
  const auto refusal = [](auto change) {
    ModelDescription d = balls({"", ""}).description();
    change(d);
    try {
      compile(std::move(d));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal([](auto& d) {
              d.contact.pairs.push_back({"p", {"a", "a"}, {"b", "x"}});
            }).find("contact pair 'p': body 'b' has no collision shape 'x'"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& d) {
              d.contact.pairs.push_back({"p", {"a", "a"}, {"b", "b"}, -1.0});
            }).find("has a friction of -1; expected 0 or more"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& d) {
              d.contact.exclusions.push_back({"a", "z"});
            }).find("second body 'z' does not exist"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& d) {
              d.bodies[0].collisions[0].surface->margin = kUnlimited;
            }).find("has a margin of inf"),
            std::string::npos);
}

}  // namespace
}  // namespace amble
