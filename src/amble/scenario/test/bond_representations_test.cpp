#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/test/source_dir.hpp"
#include "amble/mechanism/bungee.hpp"
#include "amble/scenario/bond_file.hpp"
#include "amble/simulation/simulator.hpp"

// The bungee jump of DS Examples 1.1 and 1.2: one bond graph in three representations, beside the mechanism.
namespace amble {
namespace {

struct Jump {
  const char* file;
  BungeeParameters mechanism;
  double lowest, when;
};

const Jump kLumped{"bungee.toml", {.rope_mass = 0.0, .segments = 1}, 1.36732370, 5.471795};
const Jump kDistributed{"bungee_distributed.toml", {}, -1.84445962, 5.575462};

BondFileRun jumped(const Jump& jump, BondRepresentation representation) {
  const BondFile file = load_bond_file(source_dir() + "/scenarios/bonds/" + jump.file);
  BondRunSettings how = *file.simulation;
  how.representation = representation;
  BondFileRun run(file, how);
  run.run();
  return run;
}

/// Heights and velocities (downwards) of the person at the times of a record.
OwnedRowMatrix of_mechanism(const Jump& jump, const std::vector<double>& times) {
  const Mechanism m = bungee(jump.mechanism);
  Simulator run(m, {}, {}, {.integrator = {.tolerance = 1e-12}});
  run.reset(m.neutral(), OwnedVector(m.nv()));
  OwnedRowMatrix out(static_cast<Eigen::Index>(times.size()), 2);
  for (std::size_t i = 0; i < times.size(); ++i) {
    run.advance(times[i]);
    out(static_cast<Eigen::Index>(i), 0) = jump.mechanism.height - run.q().sum();
    out(static_cast<Eigen::Index>(i), 1) = run.v().sum();
  }
  return out;
}

class BungeeRepresentations : public testing::TestWithParam<Jump> {};

TEST_P(BungeeRepresentations, AllThreeMoveAsTheMechanismDoes) {
  for (const std::string& name : bond_representation_names()) {
    SCOPED_TRACE(name);
    BondFileRun run = jumped(GetParam(), bond_representation(name));
    const BondRecord record = run.record();
    ASSERT_GT(record.t.size(), 100u);
    EXPECT_EQ(record.t.back(), 10.0);
    EXPECT_LT((record.values - of_mechanism(GetParam(), record.t)).cwiseAbs().maxCoeff(), 1e-9);
    const Ledger books = run.simulator().ledger();
    EXPECT_LT(std::abs(books.residual()), 1e-10 * books.exchanged);
  }
}

TEST_P(BungeeRepresentations, AllThreeReachTheLowestPointOfTheReference) {
  for (const std::string& name : bond_representation_names()) {
    SCOPED_TRACE(name);
    const BondFileRun run = jumped(GetParam(), bond_representation(name));
    ASSERT_EQ(run.lowest().size(), 1u);
    EXPECT_NEAR(run.lowest()[0].value, GetParam().lowest, 1e-7);
    EXPECT_NEAR(run.lowest()[0].t, GetParam().when, 1e-6);  // as many digits as the reference has
  }
}

INSTANTIATE_TEST_SUITE_P(Jumps, BungeeRepresentations, testing::Values(kLumped, kDistributed),
                         [](const auto& jump) {
                           return jump.param.mechanism.segments == 1 ? "Lumped" : "Distributed";
                         });

}  // namespace
}  // namespace amble
