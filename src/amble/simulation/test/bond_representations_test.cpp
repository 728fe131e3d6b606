#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/test/message_of.hpp"
#include "amble/ports/bonds/test/graphs.hpp"
#include "amble/ports/bonds/test/random_graph.hpp"
#include "amble/simulation/bond_simulator.hpp"

namespace amble {
namespace {

using enum BondRepresentation;

BondSimulator moved(const BondGraph& graph, BondRepresentation representation, double duration) {
  BondSimulator run(graph, {.tolerance = 1e-12}, representation);
  run.advance(duration);
  return run;
}

void expect_closed(BondSimulator& run) {
  ASSERT_TRUE(run.has_books());
  const Ledger books = run.ledger();
  EXPECT_GT(books.exchanged, 0.0);
  EXPECT_LT(std::abs(books.residual()), 1e-10 * books.exchanged);
}

TEST(BondRepresentations, RandomLinearGraphsMoveTheSameWayInAllThree) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const BondGraph graph = RandomBondGraph(seed).build(2 + static_cast<int>(seed % 4));
    BondSimulator by_blocks = moved(graph, block, 5.0), by_relations = moved(graph, behaviour, 5.0),
                  by_matrices = moved(graph, port_hamiltonian, 5.0);
    ASSERT_EQ(by_relations.state_names(), by_blocks.state_names());
    ASSERT_EQ(by_matrices.state_names(), by_blocks.state_names());
    EXPECT_GT(by_blocks.states().norm(), 1e-3);
    EXPECT_LT((by_relations.states() - by_blocks.states()).norm(), 1e-9);
    EXPECT_LT((by_matrices.states() - by_blocks.states()).norm(), 1e-9);
    for (const char* name : {"m0.e", "push0.f", "v1.f", "F1.e"}) {
      EXPECT_NEAR(by_relations.value(name), by_blocks.value(name), 1e-9) << name;
      EXPECT_NEAR(by_matrices.value(name), by_blocks.value(name), 1e-9) << name;
    }
    EXPECT_NEAR(by_relations.energy(), by_blocks.energy(), 1e-9);
    EXPECT_NEAR(by_matrices.energy(), by_blocks.energy(), 1e-9);
    for (BondSimulator* run : {&by_blocks, &by_relations, &by_matrices}) expect_closed(*run);
  }
}

/// Laws used backwards, an exponential and heat: Newton's method on all relations, beside the solution by
/// causality.
TEST(BondRepresentations, ANonlinearGraphMovesTheSameWayWithAndWithoutCausality) {
  BondGraphBuilder b("diode and brake");
  b.parameter("J", 0.4).parameter("c", 5.0);
  b.element({.name = "drive", .type = "MSe", .value = "2*cos(t) + 0.3*wheel.f"});
  b.element({.name = "wheel", .type = "I", .value = "J", .states = {"p"}, .initial = {1.0}});
  b.element({.name = "brake", .type = "RS", .law = "effort", .value = "0.3*f + 2*tanh(f)"});
  b.element({.name = "block", .type = "C", .law = "energy", .value = "c*290*exp(S/c)", .states = {"S"}});
  b.element({.name = "diode", .type = "R", .law = "flow", .value = "0.1*(exp(e) - 1)"});
  b.element({.name = "spring", .type = "C", .law = "energy", .value = "q^2 + q^4", .states = {"q"}});
  b.junction("shaft", 1).junction("coupling", 0);
  b.bond({.from = "drive", .to = "shaft"})
      .bond({.from = "shaft", .to = "wheel"})
      .bond({.from = "shaft", .to = "brake"});
  b.bond({.from = "brake", .to = "block"}).bond({.from = "shaft", .to = "diode"});
  b.bond({.from = "shaft", .to = "coupling"}).bond({.from = "coupling", .to = "spring"});
  b.signal({.name = "angle", .value = "shaft.f", .integrated = true, .initial = 0.2});
  b.signal({.name = "twice", .value = "2*angle"});
  const BondGraph graph = b.build();
  BondSimulator by_blocks = moved(graph, block, 3.0), by_relations = moved(graph, behaviour, 3.0);
  EXPECT_LT((by_relations.states() - by_blocks.states()).norm(), 1e-9);
  for (const char* name : {"diode.e", "block.e", "twice", "shaft.f"})
    EXPECT_NEAR(by_relations.value(name), by_blocks.value(name), 1e-9) << name;
  EXPECT_NEAR(by_relations.value("twice"), 2 * by_relations.value("angle"), 1e-12);
  expect_closed(by_relations);
  EXPECT_LT(by_relations.largest_gap(), 1e-10 * by_relations.ledger().exchanged);
}

TEST(BondRepresentations, DependentStorageIsNamedWhereRelationsAreSingular) {
  const std::string message = message_of([] { BondSimulator(geared_inertias().build(), {}, behaviour); });
  for (const char* word :
       {"'geared inertias' is singular", "I 'rotor'", "TF 'gear'", "I 'load'", "block diagram"})
    EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  EXPECT_EQ(message.find("drive"), std::string::npos) << message;
}

TEST(BondRepresentations, DependentStorageMovesTheSameWayByMatrices) {
  BondSimulator by_blocks = moved(geared_inertias().build(), block, 2.0),
                by_matrices = moved(geared_inertias().build(), port_hamiltonian, 2.0);
  EXPECT_LT((by_matrices.states() - by_blocks.states()).norm(), 1e-10);
  EXPECT_NEAR(by_matrices.value("load.f"), by_blocks.value("load.f"), 1e-10);
  expect_closed(by_matrices);
}

/// u - R - C in series: the current is not what the matrices alone answer.
BondGraph filter() {
  BondGraphBuilder b("filter");
  b.element({.name = "u", .type = "Se", .value = 2.0}).element({.name = "R", .type = "R", .value = 0.5});
  b.element({.name = "C", .type = "C", .value = 0.3}).junction("loop", 1);
  b.bond({.from = "u", .to = "loop"}).bond({.from = "loop", .to = "R"}).bond({.from = "loop", .to = "C"});
  return b.build();
}

TEST(BondRepresentations, AResistorBetweenSourceAndStorageLeavesTheMatricesWithoutBooks) {
  BondSimulator run = moved(filter(), port_hamiltonian, 0.2);
  EXPECT_NEAR(run.value("C.e"), 2.0 * (1.0 - std::exp(-0.2 / (0.5 * 0.3))), 1e-11);
  EXPECT_FALSE(run.has_books());
  EXPECT_NE(message_of([&] { run.ledger(); }).find("has no books"), std::string::npos);
}

TEST(BondRepresentations, WhatHasNoMatricesIsRefusedWithTheReason) {
  const auto refused = [](BondGraphBuilder b) {
    return message_of([&] { BondSimulator(b.build(), {}, port_hamiltonian); });
  };
  BondGraphBuilder integrated = series_circuit(), fed_back = series_circuit(), offset = series_circuit();
  integrated.signal({.name = "charge_passed", .value = "coil.f", .integrated = true});
  EXPECT_NE(refused(integrated).find("signal 'charge_passed' of bond graph 'series circuit' is integrated"),
            std::string::npos);
  fed_back.element({.name = "gain", .type = "MSe", .value = "charge"}).bond({.from = "gain", .to = "loop"});
  EXPECT_NE(refused(fed_back).find("MSe 'gain' depends on 'charge'"), std::string::npos) << refused(fed_back);
  offset.element({.name = "dry", .type = "R", .law = "effort", .value = "1 + 2*f"})
      .bond({.from = "loop", .to = "dry"});
  EXPECT_NE(refused(offset).find("where all states and sources are zero"), std::string::npos)
      << refused(offset);
}

TEST(BondRepresentations, AnUnknownNameIsAnsweredWithTheNearest) {
  EXPECT_EQ(bond_representation("port-hamiltonian"), port_hamiltonian);
  EXPECT_NE(message_of([] { bond_representation("behavior"); }).find("behaviour"), std::string::npos);
}

}  // namespace
}  // namespace amble
