#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "amble/base/random.hpp"
#include "amble/io/load.hpp"
#include "amble/io/readers.hpp"
#include "amble/io/test/temporary_folder.hpp"
#include "amble/io/writers.hpp"
#include "amble/mechanism/compare.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/random_mechanism.hpp"

// What is saved reads back as the same mechanism, but for what save() lists.
namespace amble {
namespace {

/// Every name in quotes; without any, what stands before the colon.
std::set<std::string> quoted_names(const std::string& text) {
  std::set<std::string> out;
  for (std::size_t begin = text.find('\''); begin != text.npos;) {
    const auto end = text.find('\'', begin + 1);
    if (end == text.npos) break;
    out.insert(text.substr(begin + 1, end - begin - 1));
    begin = text.find('\'', end + 1);
  }
  if (out.empty()) out.insert(text.substr(0, text.find(':')));
  return out;
}

/// What the list speaks of.
std::set<std::string> subjects(const Problems& left_out) {
  std::set<std::string> out;
  for (const Problem& p : left_out) {
    out.insert(p.element);
    out.merge(quoted_names(p.element));
    out.merge(quoted_names(p.reason));
  }
  return out;
}

std::string lines(const Problems& problems) {
  std::string out;
  for (const Problem& p : problems) out += p.text() + "\n";
  return out;
}

struct Outcome {
  Problems left_out;
  std::vector<std::string> differences;
  Mechanism copy;
};

Outcome round_trip(const Mechanism& m, const std::string& ending) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/copy" + ending;
  Problems left_out = save(m, path);
  Mechanism copy = load(path);
  std::vector<std::string> lines = differences(m, copy);
  return {std::move(left_out), std::move(lines), std::move(copy)};
}

/// Where differences() sees a body is relative to what carries it, which is another link or joint where some
/// were added: expect_same_motion() compares those.
bool is_motion_of_body(const std::string& line) {
  return line.starts_with("body '") &&
         (line.find("' place:") != line.npos || line.find("' motion:") != line.npos ||
          line.find("' is carried by:") != line.npos);
}

void expect_listed(const Outcome& outcome, const std::string& what) {
  const std::set<std::string> listed = subjects(outcome.left_out);
  for (const std::string& line : outcome.differences) {
    std::set<std::string> names = quoted_names(line);
    const bool is_listed =
        std::any_of(names.begin(), names.end(), [&](const auto& n) { return listed.contains(n); });
    const bool is_consequence =
        !listed.empty() && (is_motion_of_body(line) || line.starts_with("order of coordinates"));
    EXPECT_TRUE(is_listed || is_consequence) << what << ": " << line << "\nlisted:\n"
                                             << lines(outcome.left_out);
  }
}

/// The coordinates of `m` in a copy, where joints of several axes may be several joints `NAME`, `NAME_2`,
/// `NAME_3`.
OwnedVector in_copy(const Mechanism& m, const OwnedVector& q, const Mechanism& copy) {
  OwnedVector out = copy.neutral();
  for (const std::string& name : m.joint_names()) {
    const Joint& j = m.joints()[m.joint_index(name)];
    const Joint& first = copy.joints()[copy.joint_index(name)];
    if (first.q.size == j.q.size) {
      out.segment(first.q.start, first.q.size) = q.segment(j.q.start, j.q.size);
      continue;
    }
    for (int k = 0; k < j.q.size; ++k) {
      const std::string part = k == 0 ? name : fmt::format("{}_{}", name, k + 1);
      out[copy.joints()[copy.joint_index(part)].q.start] = q[j.q.start + k];
    }
  }
  return out;
}

/// The product of all joints from the world.
Pose world_pose(const Mechanism& m, const OwnedVector& q, int body) {
  const Body& b = m.bodies()[body];
  if (b.joint < 0) return Pose();
  const Joint& j = m.joints()[b.joint];
  const double followed = j.leader < 0 ? 0.0 : j.ratio * q[j.q.start] + j.offset;
  const Pose X = joint_pose(j, j.leader < 0 ? q.data() + j.q.start : &followed);
  return j.parent < 0 ? X : world_pose(m, q, j.parent) * X;
}

/// Every body is at the same place with the same inertia, at random q.
void expect_same_motion(const Mechanism& m, const Mechanism& copy, const std::string& what) {
  Random random(7);
  EXPECT_NEAR(m.mass(), copy.mass(), 1e-12 * m.mass());
  for (int sample = 0; sample < 3; ++sample) {
    const OwnedVector q = m.random(random);
    const OwnedVector p = in_copy(m, q, copy);
    for (const std::string& name : m.body_names()) {
      const Body &a = m.bodies()[m.body_index(name)], &b = copy.bodies()[copy.body_index(name)];
      const Matrix4<double> X = world_pose(m, q, m.body_index(name)).matrix(),
                            Y = world_pose(copy, p, copy.body_index(name)).matrix();
      EXPECT_LT((X - Y).cwiseAbs().maxCoeff(), 1e-12) << what << ": " << name;
      EXPECT_LT((a.inertia.matrix() - b.inertia.matrix()).cwiseAbs().maxCoeff(), 1e-12)
          << what << ": " << name;
    }
  }
}

constexpr const char* kEndings[] = {".urdf", ".xml"};

/// Of every type, alone and with others: what is not listed reads back.
TEST(RoundTrip, RandomMechanismsReadBackButForWhatIsListed) {
  for (const char* ending : kEndings)
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      RandomMechanismOptions options{.bodies = 8, .types = {}, .roots = 1 + static_cast<int>(seed % 3)};
      const bool urdf = ending == kEndings[0];
      options.types = urdf ? std::vector<std::string>{"revolute",  "prismatic", "planar",     "fixed",
                                                      "spherical", "universal", "cylindrical"}
                           : std::vector<std::string>{"revolute",  "prismatic",   "fixed", "spherical",
                                                      "universal", "cylindrical", "planar"};
      options.loops = static_cast<int>(seed % 2);
      options.mimic = seed % 4 == 0 ? 0.3 : 0.0;
      const Mechanism m = random_mechanism(seed, options).mechanism;
      const Outcome outcome = round_trip(m, ending);
      const std::string what = fmt::format("{} seed {}", ending, seed);
      expect_listed(outcome, what);
      expect_same_motion(m, outcome.copy, what);
    }
}

TEST(RoundTrip, TypesThatAFormatHasNoWordsForAreAnErrorAndLeaveNoFile) {
  for (const auto& [ending, types] :
       {std::pair<std::string, std::vector<std::string>>{".urdf", {"helical"}}, {".xml", {"helical"}}})
    for (const std::string& type : types) {
      const TemporaryFolder folder;
      const std::string path = folder.path() + "/copy" + ending;
      const Mechanism m = random_mechanism(3, {.bodies = 2, .types = {type}}).mechanism;
      EXPECT_THROW(save(m, path), Error) << ending << " " << type;
      EXPECT_FALSE(std::ifstream(path).good());
    }
}

Mechanism everything() {
  return load_text(R"(<mujoco><compiler angle="radian"/><option gravity="0 0 -1"/><worldbody>
    <body name="trunk" pos="0 0 1"><freejoint name="root"/><geom size="0.1" mass="3"/><site name="tip" pos="1 2 3"/>
      <body name="arm" pos="0.1 0 0"><joint name="a" axis="0 1 0" pos="0.01 0 0" range="-1 2" damping="0.1"
        frictionloss="0.2" armature="0.3" stiffness="4" springref="0.5"/><geom type="box" size="0.1 0.2 0.3" mass="1"/>
        <body name="hand" pos="0.3 0 0"><joint name="b" type="slide" axis="1 0 0"/><geom size="0.1" mass="0.5"/>
          <body name="ball" pos="0.3 0 0"><joint name="c" type="ball"/><geom size="0.1" mass="0.5"/></body></body></body>
      <body name="leg" pos="-0.1 0 0"><joint name="d" axis="0 1 0" actuatorfrcrange="-2 2"/><geom size="0.1" mass="1"/>
      </body></body>
    </worldbody>
    <equality><joint name="follow" joint1="d" joint2="a" polycoef="0.1 2 0 0 0"/>
      <connect name="pin" body1="hand" body2="leg" anchor="0.1 0 0"/>
      <weld name="glue" body1="ball" body2="trunk"/></equality>
    <actuator><position name="servo" joint="a" kp="50" kv="3" ctrlrange="-1 1" forcerange="-7 9"/>
      <motor name="push" joint="b" gear="3" ctrlrange="-2 2"/>
      <general name="odd" joint="a" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="4 -5 -6"/>
      <velocity name="speed" joint="d" kv="4"/></actuator>
    <keyframe><key name="home" time="2" qpos="1 2 3 0.6 0.8 0 0 0.2 0.3 0.6 0 0.8 0 0.5"
      qvel="1 2 3 4 5 6 7 8 9 10 11 12" ctrl="0.1 0.2 0.3 0.4"/><key name="other"/></keyframe></mujoco>)",
                   "everything.xml");
}

TEST(RoundTrip, MjcfKeepsDrivesKeyframesAndAllElse) {
  const Mechanism m = everything();
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/copy.xml";
  const Problems left_out = save(m, path);
  EXPECT_TRUE(left_out.empty()) << lines(left_out);
  const Mechanism again = load(path);
  EXPECT_EQ(m.description().drives.size(), 4u);
  EXPECT_EQ(m.keyframes().size(), 2u);
  EXPECT_EQ(differences(m, again, 1e-14), std::vector<std::string>{});
}

TEST(RoundTrip, UrdfListsAllThatItCannotSay) {
  const Outcome outcome = round_trip(everything(), ".urdf");
  const std::set<std::string> listed = subjects(outcome.left_out);
  for (const char* name :
       {"gravity", "pin", "glue", "servo", "push", "odd", "speed", "home", "other", "tip", "a"})
    EXPECT_TRUE(listed.contains(name)) << name << "\n" << lines(outcome.left_out);
  expect_listed(outcome, "everything");
  expect_same_motion(everything(), outcome.copy, "everything");
}

TEST(RoundTrip, DrivesThatLookLikeADampingRatioAreNotTakenForOne) {
  ModelDescription d = everything().description();
  d.drives[0].bias[2] = 0.25;
  const ModelDescription again = read_mjcf(write_mjcf(d), "again.xml");
  EXPECT_EQ(again.drives[0].gain, d.drives[0].gain);
  EXPECT_EQ(again.drives[0].bias, d.drives[0].bias);
}

TEST(RoundTrip, ABallJointThatIsOpenAtZeroJoinsSites) {
  ModelDescription d = everything().description();
  d.loops[0].X_BM = Pose(Vector3<double>(1, 2, 3));
  const Mechanism m = compile(std::move(d), Physics::warn);
  const Outcome outcome = round_trip(m, ".xml");
  EXPECT_EQ(outcome.left_out.size(), 3u) << lines(outcome.left_out);
  EXPECT_EQ(outcome.differences.size(), 2u);  // two frames more
  expect_listed(outcome, "open loop");
}

TEST(RoundTrip, MeshesAreFoundFromWhereTheFileIsSaved) {
  const TemporaryFolder folder;
  folder.write("p/meshes/x.stl", "solid");
  folder.write("out/old.xml", "old");
  const std::string urdf = folder.write(
      "p/m.urdf",
      "<robot name='r'><link name='a'><visual><geometry><mesh "
      "filename='meshes/x.stl'/></geometry></visual><visual>"
      "<geometry><mesh filename='package://p/meshes/x.stl'/></geometry></visual><visual><geometry><mesh "
      "filename='package://p/y.dae'/></geometry></visual></link></robot>");
  const Mechanism m = load(urdf);
  const auto files = [&](const std::string& path) {
    std::vector<std::string> out;
    const Mechanism read = load(path);
    for (const PlacedShape& s : read.description().bodies.at(0).visuals) out.push_back(s.shape.path);
    return out;
  };
  EXPECT_TRUE(save(m, folder.path() + "/out/m.urdf").empty());
  EXPECT_EQ(files(folder.path() + "/out/m.urdf")[0], folder.path() + "/p/meshes/x.stl");
  const Problems left_out = save(m, folder.path() + "/out/m.xml");
  EXPECT_EQ(lines(left_out), folder.path() +
                                 "/out/m.xml: mesh 'package://p/y.dae': was not found; MuJoCo cannot find "
                                 "it by that name\n");
  EXPECT_EQ(files(folder.path() + "/out/m.xml")[1], folder.path() + "/p/meshes/x.stl");
}

TEST(RoundTrip, UrdfHangsRootsAndSceneryOnTheWorld) {
  ModelDescription d =
      random_mechanism(5, {.bodies = 4, .types = {"revolute"}, .loops = 0}).mechanism.description();
  d.joints.erase(d.joints.begin());
  d.world_visuals.push_back({"floor", {Shape::Kind::box, {1, 1, 0.1}, ""}, Pose(), {}});
  const Mechanism m = compile(std::move(d), Physics::warn);
  const Outcome outcome = round_trip(m, ".urdf");
  expect_listed(outcome, "roots");
  expect_same_motion(m, outcome.copy, "roots");
}

}  // namespace
}  // namespace amble
