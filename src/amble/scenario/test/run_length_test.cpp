#include "amble/scenario/run_length.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "amble/base/limits.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/scenario/bond_file.hpp"
#include "amble/scenario/run.hpp"
#include "amble/scenario/walk_scenario.hpp"
#include "amble/scenario/walker_file.hpp"
#include "amble/simulation/integrators.hpp"

namespace amble {
namespace {

class RunLengths : public testing::Test {
 protected:
  void TearDown() override { reset_limits(); }
};

const std::string kFile = source_dir() + "/scenarios/test.toml";

std::string refusal(const std::string& simulation, const std::string& rest = "") {
  const std::string text =
      "[model]\nfile = '../models/double_pendulum.urdf'\n[simulation]\n" + simulation + "\n" + rest + "\n";
  const std::string message = message_of([&] { ScenarioRun run(read_scenario(text, kFile)); });
  return message.starts_with(kFile) ? message.substr(kFile.size()) : message;
}

TEST_F(RunLengths, ARunThatCannotEndIsRefusedBeforeItStarts) {
  EXPECT_EQ(refusal("duration = 10.0\ninterval = 1e-32"),
            ": 'simulation.interval' is 1e-32 s: the number of rows in 10 s is 1e+33; at most 1e+07 (limit "
            "'rows')");
  EXPECT_EQ(
      refusal("duration = 10.0\nstep = 1e-9\nintegrator = 'rkmk4'"),
      ": 'simulation.step' is 1e-09 s: the number of steps in 10 s is 1e+10; at most 1e+09 (limit 'steps')");
  EXPECT_EQ(refusal("duration = 100.0\nstep = 1e-6\ninterval = 0\nintegrator = 'rkmk4'"),
            ": 'simulation.step' is 1e-06 s: the number of steps, each of them a row, in 100 s is 1e+08; at "
            "most 1e+07 "
            "(limit 'rows')");
  EXPECT_EQ(refusal("duration = 1e9\ninterval = 0\nstep = 1e-9"), "") << "rkmk45 does not read the step";
  EXPECT_EQ(refusal("duration = 1e300"),
            ":4: 'simulation.duration': a number is 1e+300 s; at most 1e+10 s (limit 'time')");
}

TEST_F(RunLengths, TheLimitsCanBeRaised) {
  set_limit("rows", 1e40);
  EXPECT_EQ(refusal("duration = 10.0\ninterval = 1e-32"), "");
}

TEST_F(RunLengths, ControllersThatAreAskedTooOftenAreRefused) {
  EXPECT_EQ(refusal("duration = 10.0",
                    "[[elements]]\ntype = 'joint_impedance'\nname = 'hold'\njoint = 'shoulder'\nstiffness = "
                    "1\nset_point = "
                    "0\nperiod = 1e-9"),
            ": the period of 'hold' is 1e-09 s: the number of samples in 10 s is 1e+10; at most 1e+09 (limit "
            "'steps')");
}

/// The table says which integrators read the step; so does what they do.
TEST_F(RunLengths, IntegratorsOfFixedStepsTakeAsManyAsTheStepSays) {
  for (const std::string& name : integrator_names()) {
    const auto steps = [&](double step) {
      ScenarioRun run(
          read_scenario(fmt::format("[model]\nfile = '../models/double_pendulum.urdf'\n[simulation]\n"
                                    "duration = 0.1\nstep = {}\nintegrator = '{}'\n",
                                    step, name),
                        kFile));
      run.run();
      return run.report().steps;
    };
    EXPECT_EQ(steps(0.005) == 2 * steps(0.01), takes_fixed_steps(name)) << name;
  }
  EXPECT_FALSE(takes_fixed_steps("none"));
}

constexpr const char* kBonds = R"(
[parameters]
zero = 0.0
[[element]]
name = "source"
type = "Se"
effort = 1
[[element]]
name = "mass"
type = "I"
inertance = 2
[[bond]]
from = "source"
to = "mass"
[[signal]]
name = "inverse"
value = "1/p_mass"
)";

std::string bond_refusal(const std::string& rest) {
  return message_of([&] {
    const BondFile f = read_bond_file(std::string(kBonds) + rest, "g.toml");
    BondFileRun(f, f.simulation.value_or(BondRunSettings{})).run();
  });
}

TEST_F(RunLengths, BondGraphsHaveTheSameLimits) {
  EXPECT_EQ(bond_refusal("[simulation]\nduration = 1\ninterval = 1e-32"),
            "g.toml:20: 'simulation.interval': is 1e-32 s: the number of rows in 1 s is 1e+32; at most 1e+07 "
            "(limit 'rows')");
  EXPECT_EQ(bond_refusal("[simulation]\nduration = 100\ninterval = 1\nstep = 1e-9\nintegrator = 'rkmk4'"),
            "g.toml:21: 'simulation.step': is 1e-09 s: the number of steps in 100 s is 1e+11; at most 1e+09 "
            "(limit 'steps')");
  const BondFile f = read_bond_file(kBonds, "g.toml");
  EXPECT_NE(message_of([&] { BondFileRun(f, {.duration = 1.0, .interval = 1e-32}); }).find("(limit 'rows')"),
            std::string::npos);
}

TEST_F(RunLengths, DivisionByZeroIsNamed) {
  EXPECT_EQ(bond_refusal("[simulation]\nrecord = ['inverse']"),
            "'inverse' is inf at t = 0 s: is something divided by zero?");
  EXPECT_NE(bond_refusal("[[element]]\nname = 'r'\ntype = 'R'\nresistance = '1/zero'\n").find("g.toml: "),
            std::string::npos);
  std::string text = kBonds;
  text.replace(text.find("zero = 0.0"), 10, "zero = 0.0\nmore = '1/zero'");
  EXPECT_EQ(message_of([&] { read_bond_file(text, "g.toml"); }),
            "g.toml:4: 'parameters.more': parameter 'more' = 1/zero is inf: expected a finite number");
  text = kBonds;
  text.replace(text.find("inertance = 2"), 13, "inertance = '2/zero'");
  EXPECT_EQ(message_of([&] { read_bond_file(text, "g.toml"); }),
            "g.toml: I 'mass': its inertance 2/zero is inf: expected finite numbers");
}

TEST_F(RunLengths, BondGraphsAreBoundedInSize) {
  std::string chain = "[[element]]\nname = 'source'\ntype = 'Se'\neffort = 1\n", bonds;
  std::string last = "source";
  for (int i = 0; i < 999; ++i) {
    const std::string name = i == 998 ? "mass" : fmt::format("j{}", i);
    chain += fmt::format("[[element]]\nname = '{}'\ntype = '{}'\n{}", name, i == 998 ? "I" : "1",
                         i == 998 ? "inertance = 1\n" : "");
    bonds += fmt::format("[[bond]]\nfrom = '{}'\nto = '{}'\n", last, name);
    last = name;
  }
  const BondFile f = read_bond_file(chain + bonds, "g.toml");
  EXPECT_EQ(BondFileRun(f, {.duration = 0.1}).simulator().state_names().size(), 1u)
      << "a chain of the longest works";
  EXPECT_NE(
      message_of([&] { read_bond_file(chain + bonds + "[[element]]\nname = 'x'\ntype = '0'\n", "g.toml"); })
          .find("g.toml: bond graph 'bond graph': the number of elements is 1001; at most 1000 (limit "
                "'bond_elements')"),
      std::string::npos);
  EXPECT_NE(message_of([&] {
              read_bond_file(
                  std::string(kBonds) + "[[bond]]\nfrom = 'source'\nto = 'mass'\ndimension = 500\n",
                  "g.toml");
            }).find("'bond[1].dimension': it is 500; at most 100 (limit 'bond_dimension')"),
            std::string::npos);
}

TEST_F(RunLengths, NumbersOfScenariosAreRefusedAboveTheLimitOfTheirKind) {
  const std::pair<const char*, const char*> cases[] = {
      {"[world]\ngravity = [0, 0, -2e9]",
       ":6: 'world.gravity': a number is -2e+09 m/s^2; at most 1e+06 m/s^2 (limit 'acceleration')"},
      {"[initial.q]\nshoulder = 1e308", "(limit 'length')"},
      {"[initial.v]\nshoulder = -1e308", "(limit 'speed')"},
      {"[[elements]]\ntype = 'joint_spring'\njoint = 'shoulder'\nstiffness = 1e300", "(limit 'stiffness')"},
      {"[[elements]]\ntype = 'joint_damper'\njoint = 'shoulder'\ndamping = 1e300", "(limit 'damping')"},
      {"[[elements]]\ntype = 'push'\nbody = 'upper_arm'\nforce = [1e300, 0, 0]", "(limit 'force')"},
      {"[[checks]]\nquantity = 'residual'\nabove = 1e300",
       "'checks[0].above': a number is 1e+300; at most 1e+18 (limit 'number')"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal("duration = 1", text);
    EXPECT_NE(message.find(expected), std::string::npos) << text << "\n" << message;
  }
  const auto walk = [](const std::string& text) {
    return message_of([&] { read_walk_scenario("[walker]\nname = 'simplest'\n" + text, "w.toml"); });
  };
  EXPECT_NE(
      walk("steps = 1e9").find("w.toml:3: 'walker.steps': a number is 1e+09; at most 1e+07 (limit 'rows')"),
      std::string::npos);
  EXPECT_NE(walk("[placement]\nspeeds = [[1e17, 1]]").find("is not [footfall, speed]"), std::string::npos);
}

}  // namespace
}  // namespace amble
