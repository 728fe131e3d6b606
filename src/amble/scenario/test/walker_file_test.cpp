#include "amble/scenario/walker_file.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/gait/basin.hpp"
#include "amble/gait/continuation.hpp"
#include "amble/gait/driven_walk.hpp"
#include "amble/gait/walk.hpp"
#include "amble/io/source.hpp"

namespace amble {
namespace {

std::string path_of(const std::string& name) { return source_dir() + "/scenarios/walkers/" + name; }
WalkerKind shipped(const std::string& name) { return load_walker(path_of(name)); }

std::vector<Gait> cycles_of(const StepModel& model, int starts = 80) {
  return find_cycles(model, region_of(model), {.starts = starts, .threads = 2}).cycles;
}

OwnedVector state(std::initializer_list<double> numbers) {
  OwnedVector x(static_cast<Eigen::Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), x.begin());
  return x;
}

/// The largest difference to the derivative that differences of order six have.
double derivative_error(const StepModel& model, const OwnedVector& x, double h = 2e-4) {
  ReturnMap map(model);
  const Step step = map(x, ReturnMap::Want::derivative);
  EXPECT_TRUE(step.completed) << step.failure;
  Eigen::MatrixXd differences(x.size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const auto at = [&](double share) {
      OwnedVector moved = x;
      moved[i] += share * h;
      const Step there = map(moved);
      EXPECT_TRUE(there.completed) << there.failure;
      return Eigen::VectorXd(there.x);
    };
    differences.col(i) = (45.0 * (at(1) - at(-1)) - 9.0 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60.0 * h);
  }
  return (step.derivative - differences).norm() / (1.0 + differences.norm());
}

/// Every cycle that is found of one is one of the other; angles are counted the other way round.
void expect_cycles_of(const StepModel& one, const StepModel& other) {
  const std::vector<Gait> cycles = cycles_of(one);
  ASSERT_FALSE(cycles.empty());
  ReturnMap map(other);
  for (const Gait& gait : cycles) {
    const NewtonResult found = find_cycle(map, -gait.x);
    ASSERT_TRUE(found.converged);
    const Gait same = gait_at(map, found.x);
    EXPECT_LT((same.x + gait.x).norm(), 1e-8);
    EXPECT_NEAR(same.period, gait.period, 1e-9);
    EXPECT_NEAR(same.step_length, gait.step_length, 1e-9);
    EXPECT_NEAR(same.energy_lost, gait.energy_lost, 1e-8);
    ASSERT_EQ(same.multipliers.size(), gait.multipliers.size());
    for (std::size_t k = 0; k < gait.multipliers.size(); ++k)
      EXPECT_LT(std::abs(same.multipliers[k] - gait.multipliers[k]),
                1e-8 * (1.0 + std::abs(gait.multipliers[k])));
  }
}
void expect_same_gaits(const StepModel& ours, const StepModel& builtin) {
  expect_cycles_of(ours, builtin);
  expect_cycles_of(builtin, ours);
}

TEST(WalkerFile, TheCompassFromAFileIsTheOneThatComesWithAmble) {
  expect_same_gaits(*make_walker(shipped("compass.toml")), *make_walker("compass"));
  // With other numbers, and with arcs for feet.
  const std::string text = read_text(path_of("compass.toml"));
  std::string round = text;
  for (std::size_t at = 0; (at = round.find("point = [0, 0, -1]", at)) != std::string::npos; at += 10)
    round.replace(at, 18, "point = [0, 0, -0.8]\nradius = 0.2");
  round.replace(round.find("value = 1.0"), 11,
                "value = 0.8");  // of right_leg_length, down to the foot's centre
  const WalkerKind kind = read_walker(round, path_of("round.toml"));
  expect_same_gaits(
      *make_walker(kind, {{"slope_deg", 2.5}, {"hip_stiffness", 0.5}, {"hip_damping", 0.01}}),
      *make_walker(
          "compass",
          {{"foot_radius", 0.2}, {"slope_deg", 2.5}, {"hip_stiffness", 0.5}, {"hip_damping", 0.01}}));
}

/// Whatever the format of the model is; a file that holds its root to the world is no walker.
TEST(WalkerFile, ModelsOfOtherFormatsWalkAlike) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "amble_walker_file";
  std::filesystem::create_directories(folder);
  std::string text = read_text(path_of("compass.toml"));
  const std::string model = "../../models/compass_walker.urdf";
  text.replace(text.find(model), model.size(), "compass.xml");
  const OwnedVector x = state({-0.3, 0.6, 1.1, -0.7});
  const auto urdf = make_walker(shipped("compass.toml"));
  const OwnedVector expected = ReturnMap(*urdf)(x).x;
  const std::string inertia =
      R"(<inertial pos="0 0 -0.14285714285714285" mass="3.5" diaginertia="0.17857142857142858 0.17857142857142858 1e-6"/>)";
  const auto walker_with = [&](const std::string& root) {
    std::ofstream(folder / "compass.xml")
        << "<mujoco model='compass'><compiler angle='radian'/><worldbody><body name='left_leg'>" << root
        << inertia << "<body name='right_leg'><joint name='hip' type='hinge' axis='0 1 0'/>" << inertia
        << "</body></body></worldbody></mujoco>";
    return make_walker(read_walker(text, (folder / "compass.toml").string()));
  };
  const Step step = ReturnMap(*walker_with("<freejoint name='root'/>"))(x);
  ASSERT_TRUE(step.completed) << step.failure;
  EXPECT_LT((step.x - expected).norm(), 1e-10);
  EXPECT_NE(message_of([&] { walker_with(""); }).find("the file itself fixes its root to the world"),
            std::string::npos);
}

/// The same in SDFormat, with its joint seen from another frame; two legs of the same masses in a stride of both sides.
TEST(WalkerFile, ASdformatModelWalksAlike) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "amble_walker_sdf";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& more) {
    const auto leg = [](const std::string& name) {
      return "<link name='" + name +
             "'><inertial><pose>0 0 -0.14285714285714285 0 0 0</pose><mass>3.5</mass><inertia>"
             "<ixx>0.17857142857142858</ixx><iyy>0.17857142857142858</iyy><izz>1e-6</izz></inertia></inertial></link>";
    };
    std::ofstream(folder / "compass.sdf")
        << "<sdf version='1.9'><model name='compass'>" << leg("left_leg") << leg("right_leg")
        << "<joint name='hip' type='revolute'><pose relative_to='right_leg'>0 0 0 0 0 1.5707963267948966</pose>"
           "<parent>left_leg</parent><child>right_leg</child><axis><xyz>1 0 0</xyz></axis></joint>"
        << more << "</model></sdf>";
  };
  const auto walker = [&](const char* file) {
    std::string text = read_text(path_of(file));
    const std::string model = "../../models/compass_walker.urdf";
    text.replace(text.find(model), model.size(), "compass.sdf");
    return make_walker(read_walker(text, (folder / file).string()), {{"slope_deg", 2.7}, {"hip_stiffness", 0.4}});
  };
  write("");
  expect_same_gaits(*walker("compass.toml"), *make_walker("compass", {{"slope_deg", 2.7}, {"hip_stiffness", 0.4}}));
  const OwnedVector x = state({-0.3, 0.6, 1.1, -0.7});
  const Step stride = ReturnMap(*walker("compass_stride.toml"))(x),
             expected = ReturnMap(*make_walker(shipped("compass_stride.toml"), {{"slope_deg", 2.7}, {"hip_stiffness", 0.4}}))(x);
  ASSERT_TRUE(stride.completed) << stride.failure;
  EXPECT_LT((stride.x - expected.x).norm(), 1e-10);
  write("<joint name='bolt' type='fixed'><parent>world</parent><child>left_leg</child></joint>");
  EXPECT_NE(message_of([&] { walker("compass.toml"); }).find("fixes its root to the world"), std::string::npos)
      << message_of([&] { walker("compass.toml"); });
}

TEST(WalkerFile, DribbelFromAFileIsTheOneThatComesWithAmble) {
  expect_same_gaits(*make_walker(shipped("kneed.toml")), *make_walker("dribbel"));
}

/// In the plane, the walker with a trunk takes the same steps, and what disturbs them in the plane grows
/// alike.
TEST(WalkerFile, TheTrunkFromAFileWalksAsTheOneThatComesWithAmbleInThePlane) {
  const auto ours = make_walker(shipped("trunk.toml")), builtin = make_walker("trunk", {{"slope_deg", 4.0}});
  ASSERT_EQ(ours->coordinates(), (std::vector<std::string>{"pitch", "left_hip", "right_hip"}));
  // (pitch, left_hip, right_hip) to q4 .. q9: legs and trunk against the floor.
  Eigen::MatrixXd angles = Eigen::MatrixXd::Zero(6, 3), T = Eigen::MatrixXd::Zero(12, 6);
  angles.row(0) << 1, 0, 0;
  angles.row(2) << 1, -1, 1;
  angles.row(4) << 1, -1, 0;
  T.topLeftCorner(6, 3) = angles, T.bottomRightCorner(6, 3) = angles;
  ReturnMap map(*ours), other(*builtin);
  int completed = 0;
  for (const auto& [trunk, rate] :
       {std::pair{-0.2, -0.2}, {-0.1, 0.0}, {-0.1, -0.3}, {0.0, -0.5}, {0.1, -0.6}}) {
    const double pitch = 0.1, swing = -0.2, dpitch = 1.2, dswing = 0.1;  // the leg is about to come down
    const OwnedVector x = state({pitch, pitch - trunk, swing - trunk, dpitch, dpitch - rate, dswing - rate});
    const Step a = map(x, ReturnMap::Want::derivative),
               b = other(OwnedVector(T * x), ReturnMap::Want::derivative);
    ASSERT_TRUE(a.completed && b.completed) << a.failure << b.failure;
    ++completed;
    EXPECT_NEAR(a.period, b.period, 1e-10);
    EXPECT_NEAR(a.length, b.length, 1e-10);
    EXPECT_LT((T * a.x - b.x).norm(), 1e-9);
    EXPECT_LT((T * a.derivative - b.derivative * T).norm(), 1e-8 * b.derivative.norm());
  }
  EXPECT_EQ(completed, 5);
}

TEST(WalkerFile, WithoutASymmetryAStrideIsTheReturn) {
  const auto step = make_walker(shipped("compass.toml")),
             stride = make_walker(shipped("compass_stride.toml"));
  EXPECT_EQ(stride->phases(), 2);
  const std::vector<Gait> single = cycles_of(*step);
  ReturnMap map(*stride);
  for (const Gait& gait : single) {
    const NewtonResult found = find_cycle(map, gait.x);
    ASSERT_TRUE(found.converged);
    const Gait both = gait_at(map, found.x);
    EXPECT_NEAR(both.period, gait.period, 1e-10);
    EXPECT_NEAR(both.step_length, gait.step_length, 1e-10);
    ASSERT_EQ(both.multipliers.size(), gait.multipliers.size());
    for (std::size_t k = 0; k < gait.multipliers.size(); ++k) {
      const std::complex<double> square = gait.multipliers[k] * gait.multipliers[k];
      double nearest = 1.0;
      for (const auto& z : both.multipliers)
        nearest = std::min(nearest, std::abs(z - square) / (1.0 + std::abs(square)));
      EXPECT_LT(nearest, 1e-8);
    }
  }
  // The same from phases that are all written down, without a word about symmetry.
  std::string text = read_text(path_of("compass.toml"));
  const std::size_t from = text.find("[symmetry]"), to = text.find("[[bounds]]");
  text.replace(from, to - from,
               "[[phases]]\nname = \"other swing\"\nstance = \"right\"\nswing = \"left\"\npassing = { hip = "
               "1.0 }\n\n");
  const auto plain = make_walker(read_walker(text, path_of("plain.toml")));
  ReturnMap plain_map(*plain);
  const OwnedVector x = single.front().x * 1.001;
  EXPECT_LT((plain_map(x).x - map(x).x).norm(), 1e-12);
}

TEST(WalkerFile, GaitsOfLegsThatDifferAreFollowedFromThoseOfLegsThatDoNot) {
  const WalkerKind kind = shipped("compass_stride.toml");
  const std::vector<Gait> even = cycles_of(*make_walker(shipped("compass.toml")));
  const auto stable = std::find_if(even.begin(), even.end(), [](const Gait& g) { return g.stable(); });
  ASSERT_NE(stable, even.end());
  for (const auto& [parameter, from, to] :
       {std::tuple{"left_leg_mass", 3.5, 3.8}, {"right_leg_length", 1.0, 1.002}}) {
    const WalkerFamily family{parameter, [&, name = std::string(parameter)](double value) {
                                return make_walker(kind, {{name, value}});
                              }};
    const std::vector<Branch> branches =
        continue_cycle(family, *stable, {.from = from, .to = to, .step = 0.25, .doublings = 0});
    ASSERT_EQ(branches[0].end, "end of the range") << parameter;
    const Gait& last = branches[0].points.back().gait;
    const auto uneven = family.make(to);
    ReturnMap map(*uneven);
    const Step walked = map(last.x, ReturnMap::Want::books);
    ASSERT_EQ(walked.phase_times.size(), 2u);
    EXPECT_GT(std::abs(walked.phase_times[0] - walked.phase_times[1]), 1e-4) << parameter;
    EXPECT_LT((walked.x - last.x).norm(), 1e-9);
    EXPECT_NEAR(walked.kinetic_after - walked.kinetic_before,
                walked.gravity_work + walked.spring_work + walked.damper_work - walked.lost, 1e-9);
    EXPECT_LT(derivative_error(*uneven, last.x), 1e-7) << parameter;
  }
}

TEST(WalkerFile, DerivativesOfReturnMapsAreThoseOfDifferences) {
  EXPECT_LT(derivative_error(*make_walker(shipped("compass.toml")), state({-0.3, 0.6, 1.1, -0.7})), 3e-8);
  EXPECT_LT(derivative_error(*make_walker(shipped("compass_stride.toml"), {{"left_leg_mass", 3.7}}),
                             state({-0.3, 0.6, 1.1, -0.7})),
            1e-7);
  EXPECT_LT(
      derivative_error(*make_walker(shipped("kneed.toml")), state({-0.27, 0.54, 0.0, 1.14, -0.33, 0.0})),
      3e-8);
  EXPECT_LT(derivative_error(*make_walker(shipped("trunk.toml")), state({-0.25, -0.25, 0.25, 1.2, 1.2, 1.4})),
            3e-8);
}

/// A basin goes through states side by side, in lanes; a walker of a file has the ends of its phases there as
/// well.
TEST(WalkerFile, BasinsAreThoseOfTheWalkersThatComeWithAmble) {
  const auto ours = make_walker(shipped("kneed.toml")), builtin = make_walker("dribbel");
  const auto basin = [](const StepModel& model, double sign) {
    Region region{OwnedVector(3), OwnedVector(3)};
    region.lower << 0.2, -1.6, 0.1;
    region.upper << 0.35, -0.8, 0.7;
    if (sign < 0.0) {
      const OwnedVector lower = -region.upper;
      region.upper = -region.lower, region.lower = lower;
    }
    return find_basin(model, cycles_of(model), region, {.total = 216, .most_steps = 40, .threads = 2});
  };
  const Basin a = basin(*ours, -1.0), b = basin(*builtin, 1.0);
  EXPECT_GT(a.converged, 0);
  EXPECT_EQ(a.converged, b.converged);
  EXPECT_NEAR(a.volume, b.volume, 1e-9 * b.volume);
  EXPECT_TRUE(std::equal(a.fate.begin(), a.fate.end(), b.fate.rbegin()));
}

/// The angular momentum about the vertical through a foot that is a point: nothing changes it while the foot
/// stands.
double vertical_momentum(StepModel& model, int phase, const OwnedVector& x) {
  const int m = model.phase(phase).freedoms();
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(m, m);
  model.phase(phase).mass_matrix(x.data(), M.data());
  return M.row(0).dot(x.segment(m, m));
}

/// The gait with a foot that stands out, followed from the one that walks straight.
Gait turning_gait(const WalkerKind& kind, const Gait& straight, const std::string& foot) {
  const WalkerFamily family{foot, [&](double value) { return make_walker(kind, {{foot, value}}); }};
  const std::vector<Branch> branches =
      continue_cycle(family, straight, {.to = 0.01, .step = 0.5, .doublings = 0});
  EXPECT_EQ(branches[0].end, "end of the range");
  return branches[0].points.back().gait;
}

TEST(WalkerFile, AGaitInSpaceThatTurns) {
  const WalkerKind kind = shipped("compass_in_space.toml");
  EXPECT_TRUE(kind.powered);
  const std::vector<Gait> cycles = cycles_of(*make_walker(kind), 20);
  ASSERT_FALSE(cycles.empty());
  EXPECT_NEAR(cycles[0].turn, 0.0, 1e-12);
  const Gait right = turning_gait(kind, cycles[0], "right_foot_out"),
             left = turning_gait(kind, cycles[0], "left_foot_out");
  EXPECT_GT(right.turn, 0.2);
  EXPECT_NEAR(left.turn, -right.turn, 1e-9);  // the same in the mirror
  EXPECT_NEAR(left.period, right.period, 1e-10);
  // Of eight numbers of a state one is the heading, and one is told by both feet being on the floor.
  ASSERT_EQ(right.multipliers.size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_LT(std::abs(left.multipliers[k] - right.multipliers[k]),
              1e-7 * (1.0 + std::abs(right.multipliers[k])));
    EXPECT_GT(std::abs(right.multipliers[k] - 1.0), 0.1);
  }
  const auto model = make_walker(kind, {{"right_foot_out", 0.01}});
  EXPECT_LT(derivative_error(*model, right.x), 1e-7);

  ReturnMap map(*model);
  double momentum = 0.0;
  int last = -1;
  map(right.x, ReturnMap::Want::state, [&](int phase, double, const OwnedVector& x, bool) {
    if (phase != last) momentum = vertical_momentum(map.model(), phase, x), last = phase;
    EXPECT_NEAR(vertical_momentum(map.model(), phase, x), momentum, 1e-10);
  });
  EXPECT_EQ(last, 1);

  // Stride by stride the walker is where it was, turned about one point of the floor.
  const Walk walked = walk(map, right.x, 3);
  ASSERT_FALSE(walked.fell);
  std::vector<OwnedVector> starts;
  for (const WalkSample& s : walked.samples)
    if (s.step == static_cast<int>(starts.size())) starts.push_back(s.q);
  ASSERT_EQ(starts.size(), 3u);
  const auto chord = [&](int i) { return Eigen::Vector2d(starts[i + 1].head(2) - starts[i].head(2)); };
  EXPECT_LT((Eigen::Rotation2Dd(right.turn) * chord(0) - chord(1)).norm(), 1e-9);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(starts[i + 1][3] - starts[i][3], right.turn, 1e-9);
    EXPECT_LT((starts[i + 1].tail(4) - starts[i].tail(4)).norm() - std::abs(starts[i + 1][3] - starts[i][3]),
              1e-9);
  }
}

// ---- bad files

/// What is said about the compass's file with some text exchanged, without the name of the file.
std::string complaint(const std::string& from, const std::string& to) {
  std::string text = read_text(path_of("compass.toml"));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const std::string file = path_of("bad.toml"), said = message_of([&] { read_walker(text, file); });
  const std::size_t name = said.find(file);
  return name == std::string::npos ? said : said.substr(name + file.size());
}

void expect_complaint(const std::string& from, const std::string& to, const std::string& said) {
  EXPECT_NE(complaint(from, to).find(said), std::string::npos) << complaint(from, to);
}

TEST(WalkerFile, WhatIsWrongIsToldWithItsPlace) {
  EXPECT_EQ(complaint("name = \"my", "name = \"my"), "");
  expect_complaint("motion = \"planar\"", "motion = \"flat\"",
                   ":5: 'motion': is 'flat', expected one of planar, space");
  expect_complaint("summary", "sumary",
                   "'sumary': is not a key that is known here (did you mean 'summary'?)");
  expect_complaint("name = \"my_compass\"", "name = \"my compass\"",
                   "'name': is not made of letters, digits, _ and -");
  expect_complaint("[model]\nfile", "[model]\nfil", "'model.file': is missing");
  expect_complaint("compass_walker.urdf", "nothing.urdf", "nothing.urdf");
  expect_complaint("slope_deg = 3.0", "slope_deg = \"3\"",
                   "'floor.slope_deg': has something that is not a finite number");
  expect_complaint("slope_deg = 3.0", "slope_deg = 95.0",
                   "parameter 'slope_deg' is 95: expected between -90 and 90 degrees");
  expect_complaint("gravity = 9.81", "gravity = 0.0", "parameter 'gravity' is 0: expected more than 0");
  expect_complaint("quantity = \"mass\"", "quantity = \"weight\"",
                   "'parameters[0].sets[0].quantity': is 'weight', expected one of mass, inertia_scale");
  expect_complaint("of = \"left_leg\" }", "of = \"left_lg\" }",
                   "parameter 'left_leg_mass': the mass of 'left_lg' cannot be set: there is no such body "
                   "(did you mean 'left_leg'?)");
  expect_complaint("factor = -1.0", "factor = 0.0",
                   "'parameters[1].sets[0].factor': is 0: the parameter would change nothing");
  expect_complaint("name = \"left_leg_mass\"", "name = \"slope_deg\"", "is one that every walker has");
  expect_complaint("name = \"left_leg_mass\"", "name = \"hip_damping\"",
                   "there are several parameters 'hip_damping'");
  expect_complaint("sets = [{ quantity = \"mass\", of = \"left_leg\" }]", "",
                   "'parameters[0].sets': is missing: a parameter sets one quantity or more");
  expect_complaint("point = [0, 0, -1]", "point = [0, -1]", "'feet[0].point': has 2 numbers, expected 3");
  expect_complaint("body = \"left_leg\"", "body = \"lft_leg\"",
                   "foot 'left' names the body 'lft_leg', which it does not have (did you mean 'left_leg'?)");
  expect_complaint("stance = \"left\"", "stanze = \"left\"", "'phases[0].stance': is missing");
  expect_complaint("passed = 0.01", "ends = \"never\"",
                   "'phases[0].ends': is 'never', expected one of touchdown");
  expect_complaint("passed = 0.01", "ends = { at = 0.0 }", "'phases[0].ends.joint': is missing");
  expect_complaint("passing = { hip = -1.0 }", "passing = { hop = -1.0 }",
                   "phase 'swing' names the coordinate 'hop', which it does not have (did you mean 'hip'?)");
  expect_complaint("returns = \"step\"", "returns = \"leap\"",
                   "'symmetry.returns': is 'leap', expected one of step, stride");
  expect_complaint("joints = { hip = \"-hip\" }", "joints = { hip = \"-\" }",
                   "'symmetry.joints.hip': is empty");
  expect_complaint("joints = { hip = \"-hip\" }", "joints = { hip = \"hip\" }",
                   "is not as its symmetry says");
  expect_complaint("feet = { left = \"right\" }", "", "'symmetry.feet': is missing");
  expect_complaint("upper = 1.5707963267948966", "", "'bounds[0].upper': is missing");
  expect_complaint("dpitch = [0.15, 2.5]", "dpitch = 2.5", "'region.dpitch': has 1 numbers, expected 2");
  expect_complaint("dpitch = [0.15, 2.5]", "dpich = [0.15, 2.5]",
                   "its region names 'dpich' (did you mean 'dpitch'?)");
  expect_complaint("hip = { pitch = -2.0 }", "hip = { yaw = -2.0 }",
                   "the start of 'hip' is a multiple of 'yaw', which the region does not bound");
  expect_complaint("passed = 0.01", "holds_feet = [\"left\"]\nholds_joints = [\"hip\"]",
                   "phase 'swing' ends with feet 'left', 'right' and joint 'hip' brought to rest: 5 velocities, of which "
                   "only 4 are independent");
  expect_complaint("[start]", "[search]\nlongest_step = -1.0\n[start]", "'search.longest_step': is below 0");
  expect_complaint("name = \"my_compass\"", "name = ", ":3: ");
}

TEST(WalkerFile, ParametersSetWhatTheySay) {
  const WalkerKind kind = shipped("compass_stride.toml");
  const auto value = [&](const char* name) {
    return std::find_if(kind.parameters.begin(), kind.parameters.end(),
                        [&](const auto& p) { return p.name == name; })
        ->value;
  };
  EXPECT_NEAR(value("left_leg_mass"), 3.5, 1e-12);  // what the model has
  EXPECT_EQ(value("right_leg_length"), 1.0);
  EXPECT_EQ(value("slope_deg"), 3.0);
  EXPECT_EQ(make_walker(kind)->section().names, (std::vector<std::string>{"pitch", "dpitch", "dhip"}));
  const auto heavy =
      make_walker(kind, {{"left_leg_mass", 7.0}, {"right_leg_length", 0.9}, {"hip_stiffness", 2.0}});
  const auto& full = dynamic_cast<const MechanismWalker&>(*heavy).spec();
  EXPECT_NEAR(full.full.mass(), 10.5, 1e-12);
  EXPECT_NEAR(full.full.bodies()[full.full.body_index("left_leg")].inertia.about_com()(1, 1),
              2.0 * 0.17857142857142858, 1e-12);
  EXPECT_EQ(full.phases[0].stance.stiffness()[1], 2.0);
  EXPECT_NEAR(full.full.place("foot:right").X_LP.translation().norm(), 0.9, 1e-12);
  EXPECT_EQ(message_of([&] {
              make_walker(kind, {{"left_leg_mass", -1.0}});
            }),
            path_of("compass_stride.toml") +
                ": parameter 'left_leg_mass': the mass of 'left_leg' would be -1: expected 0 or more");
  EXPECT_EQ(message_of([&] {
              find_walker("compas");
            }).find("there is no walker 'compas' (did you mean 'compass'?)"),
            0u);
}

TEST(WalkerFile, WhatIsWrongWithADriveIsTold) {
  std::string text = read_text(path_of("dribbel_driven.toml"));
  text.replace(text.find("../../models"), 12, source_dir() + "/models");
  const std::string file = testing::TempDir() + "amble_drive_test.toml";
  // What is said of the file with a line replaced, when it is walked.
  const auto said = [&](const std::string& key, const std::string& with) {
    std::string changed = text;
    const std::size_t drive = changed.find("[drive]"), at = changed.find("\n" + key + " = ", drive) + 1;
    changed.replace(at, changed.find('\n', at) - at, with);
    std::ofstream(file) << changed;
    const std::string message = message_of([&] {
      const DrivenKind kind = find_driven_walker(file);
      walk_driven(kind(kind.driven), {.duration = 0.02});
    });
    return message.starts_with(file) ? message.substr(file.size()) : message;
  };
  EXPECT_EQ(said("period", "period = 0.02"), "");
  const std::string walker = ": walker 'dribbel_driven': ";
  EXPECT_EQ(said("joint", "joint = \"hop\""),
            walker + "its drive is at joint 'hop', which is none that turns about an axis (did you mean 'hip'?)");
  EXPECT_NE(said("joint", "").find("'drive.joint': is missing"), std::string::npos);
  EXPECT_NE(said("directions", "").find("'drive.directions': is missing"), std::string::npos);
  EXPECT_EQ(said("directions", "directions = { left = 1.0, right = 1.0 }"),
            walker + "the directions of its drive for feet 'left' and 'right' are not those of two sides");
  EXPECT_EQ(said("directions", "directions = { lft = -1.0, right = 1.0 }"), walker + "its drive has no direction for foot 'left'");
  EXPECT_EQ(said("constant", "constant = -1"), ": parameter 'motor_constant' is -1: expected more than 0");
  EXPECT_EQ(said("ratio", "ratio = 0"), ": parameter 'gear_ratio' is 0: expected more than 0");
  EXPECT_EQ(said("period", "period = -0.01"), ": parameter 'sample_period' is -0.01: expected 0 or more");
  EXPECT_NE(said("proportional", "proportional = \"much\"").find("'drive.proportional': has something that is not a finite number"),
            std::string::npos);
  EXPECT_NE(said("set_point", "set_pont = 0.3").find("did you mean 'set_point'?"), std::string::npos);
  EXPECT_NE(said("current_limit", "current_limit = -8").find("has a current limit of -8: expected a number, not negative"), std::string::npos);
  EXPECT_NE(said("electronics_power", "electronics_power = -1").find("has a power of -1: expected a number, not negative"), std::string::npos);
  EXPECT_NE(said("start", "start = { pich = 1 }").find("the start of its drive names 'pich', but its region has pitch, dpitch, dhip"),
            std::string::npos);
  EXPECT_EQ(message_of([] { find_driven_walker(path_of("kneed.toml")); }),
            path_of("kneed.toml") + ": walker 'kneed' has no drive: expected a table [drive]");
}

}  // namespace
}  // namespace amble
