#include "amble/ports/bonds/block_diagram.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/ports/bonds/bond_equations.hpp"
#include "amble/ports/bonds/test/graphs.hpp"
#include "amble/ports/bonds/test/random_graph.hpp"

namespace amble {
namespace {

/// Each block from those before it; none may need a later one.
std::map<std::string, double> computed(const BondGraph& graph, const BlockDiagram& diagram, double t,
                                       const OwnedVector& x) {
  std::map<std::string, double> values = graph.parameters();
  values["t"] = t;
  for (std::size_t i = 0; i < diagram.integrators.size(); ++i)
    values[diagram.integrators[i].state] = x[static_cast<Eigen::Index>(i)];
  for (const SignalBlock& b : diagram.blocks) {
    EXPECT_EQ(b.kind, SignalBlock::Kind::assignment);
    values[b.output] = b.value.evaluate(values);
  }
  return values;
}

TEST(BlockDiagram, BlocksInTheirOrderGiveTheRatesOfTheEquations) {
  int without_loops = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const BondGraph graph = RandomBondGraph(seed).build(3);
    const BlockDiagram diagram = block_diagram(graph);
    BondEquations equations(graph);
    EXPECT_EQ(diagram.loops.empty(), equations.system().loops.empty()) << seed;
    if (!diagram.loops.empty()) continue;
    ++without_loops;
    Random random(seed);
    const OwnedVector x = random_numbers(random, equations.size());
    const OwnedVector rates = equations.rates_at(0.7, x);
    std::map<std::string, double> values = computed(graph, diagram, 0.7, x);
    for (int i = 0; i < equations.size(); ++i)
      EXPECT_NEAR(values.at(equations.state_names()[i] + "'"), rates[i], 1e-12) << seed;
  }
  EXPECT_GT(without_loops, 5);
}

TEST(BlockDiagram, ACircuitIsWrittenInTheOrderOfItsCausality) {
  EXPECT_EQ(block_diagram_text(series_circuit().build()), R"(block diagram of bond graph 'series circuit'
  computed in this order
    source.e = u                                  Se 'source'
    coil.f = lambda/L                             I 'coil'
    resistor.f = coil.f                           1-junction 'loop'
    resistor.e = R*resistor.f                     R 'resistor'
    capacitor.e = charge/C                        C 'capacitor'
    coil.e = source.e - resistor.e - capacitor.e  1-junction 'loop'
    lambda' = coil.e                              I 'coil'
    capacitor.f = coil.f                          1-junction 'loop'
    charge' = capacitor.f                         C 'capacitor'
    source.f = coil.f                             1-junction 'loop'
  integrated
    lambda from lambda', 0 at first
    charge from charge', 0 at first
)");
}

TEST(BlockDiagram, DampersInSeriesAreNamedAsALoop) {
  BondGraphBuilder b = series_circuit();
  b.junction("split", 0).bond({.from = "loop", .to = "split"});
  b.element({.name = "Ra", .type = "R", .value = 1.0}).element({.name = "Rb", .type = "R", .value = 2.0});
  b.bond({.from = "split", .to = "Ra"}).bond({.from = "split", .to = "Rb"});
  const BlockDiagram diagram = block_diagram(b.build());
  ASSERT_EQ(diagram.loops.size(), 1u);
  const std::set<std::string> loop(diagram.loops[0].begin(), diagram.loops[0].end());
  EXPECT_TRUE(loop.contains("Ra.e") && loop.contains("Ra.f") && loop.contains("Rb.e") &&
              loop.contains("Rb.f"));
  EXPECT_FALSE(loop.contains("coil.f"));
  EXPECT_NE(block_diagram_text(b.build()).find("algebraic loop: "), std::string::npos);
}

TEST(BlockDiagram, DependentStorageDifferentiates) {
  const BlockDiagram diagram = block_diagram(geared_inertias().build());
  ASSERT_EQ(diagram.integrators.size(), 1u);
  EXPECT_EQ(diagram.integrators[0].state, "p");
  const std::string text = block_diagram_text(geared_inertias().build());
  EXPECT_NE(text.find("p_load = load.f*J2"), std::string::npos) << text;
  EXPECT_NE(text.find("p_load' = d/dt p_load"), std::string::npos) << text;
  EXPECT_NE(text.find("load.e = p_load'"), std::string::npos) << text;
}

TEST(BlockDiagram, AConflictIsRefused) {
  BondGraphBuilder b("two batteries");
  b.element({.name = "one", .type = "Se", .value = 1.0}).element({.name = "two", .type = "Se", .value = 2.0});
  b.junction("node", 0).bond({.from = "one", .to = "node"}).bond({.from = "two", .to = "node"});
  EXPECT_NE(message_of([&] { block_diagram(b.build()); }).find("causality conflict"), std::string::npos);
}

}  // namespace
}  // namespace amble
