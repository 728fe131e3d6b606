#include "amble/ports/bonds/causality.hpp"

#include <gtest/gtest.h>

#include "amble/base/error.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/ports/bonds/bond_equations.hpp"
#include "amble/ports/bonds/test/graphs.hpp"

namespace amble {
namespace {

using Stroke = BondCausality::Stroke;

TEST(Causality, OfTheSeriesCircuitIsThatOfTheTextbook) {
  const BondCausality c = assign_causality(series_circuit().build());
  // The coil alone brings the flow: the effort goes to it, and from the other elements to the junction.
  EXPECT_EQ(c.strokes, (std::vector<Stroke>{Stroke::head, Stroke::tail, Stroke::head, Stroke::tail}));
  EXPECT_TRUE(c.conflicts.empty());
  EXPECT_TRUE(c.dependent.empty());
}

TEST(Causality, TwoEffortSourcesOnA0JunctionAreNamedBoth) {
  BondGraphBuilder b("two batteries");
  b.element({.name = "battery", .type = "Se", .value = 12.0})
      .element({.name = "charger", .type = "Se", .value = 14.0});
  b.element({.name = "lamp", .type = "R", .value = 3.0}).junction("node", 0);
  b.bond({.from = "battery", .to = "node"})
      .bond({.from = "charger", .to = "node"})
      .bond({.from = "node", .to = "lamp"});
  const BondGraph g = b.build();
  const std::string said = message_of([&] { BondEquations{g}; });
  EXPECT_EQ(said,
            "bond graph 'two batteries' has a causality conflict: Se 'battery' and Se 'charger' both set the effort "
            "of the bond "
            "from Se 'charger' to 0-junction 'node'");
  EXPECT_NE(causality_report(g).find("conflict: Se 'battery' and Se 'charger' both set the effort"),
            std::string::npos);
}

TEST(Causality, TwoFlowSourcesInARowAreNamedThroughATransformer) {
  BondGraphBuilder b;
  b.element({.name = "pump", .type = "Sf", .value = 1.0}).element({.name = "other", .type = "Sf", .value = 1.0});
  b.element({.name = "ram", .type = "TF", .value = 2.0}).junction("line", 1);
  b.bond({.from = "pump", .to = "ram"}).bond({.from = "ram", .to = "line"}).bond({.from = "other", .to = "line"});
  const BondCausality c = assign_causality(b.build());
  ASSERT_EQ(c.conflicts.size(), 1u);
  EXPECT_NE(c.conflicts[0].find("Sf 'pump' and Sf 'other' both set the flow"), std::string::npos) << c.conflicts[0];
}

TEST(Causality, NothingThatSetsAQuantityIsAConflictToo) {
  BondGraphBuilder b;
  b.element({.name = "battery", .type = "Se", .value = 1.0})
      .junction("end", 1)
      .bond({.from = "battery", .to = "end"});
  const BondCausality c = assign_causality(b.build());
  ASSERT_EQ(c.conflicts.size(), 1u);
  EXPECT_NE(c.conflicts[0].find("Se 'battery' together leave nothing that sets the flow"), std::string::npos)
      << c.conflicts[0];
}

TEST(Causality, StorageThatDependsIsReportedWithWhatItDependsOn) {
  const BondGraph g = geared_inertias().build();
  const BondCausality c = assign_causality(g);
  ASSERT_EQ(c.dependent.size(), 1u);
  EXPECT_EQ(g.elements()[c.dependent[0].element].name, "load");
  ASSERT_EQ(c.dependent[0].on.size(), 1u);
  EXPECT_EQ(g.elements()[c.dependent[0].on[0]].name, "rotor");
  EXPECT_NE(causality_report(g).find(
                "I 'load' does not integrate (differential causality): its flow follows from I 'rotor'"),
            std::string::npos);
}

TEST(Causality, AlgebraicLoopsNameTheirResistors) {
  BondGraphBuilder b("bridge");
  b.element({.name = "source", .type = "Se", .value = 10.0}).element({.name = "upper", .type = "R", .value = 2.0});
  b.element({.name = "lower", .type = "R", .value = 3.0}).element({.name = "side", .type = "R", .value = 6.0});
  b.junction("row", 1).junction("node", 0);
  b.bond({.from = "source", .to = "row"}).bond({.from = "row", .to = "upper"}).bond({.from = "row", .to = "node"});
  b.bond({.from = "node", .to = "lower"}).bond({.from = "node", .to = "side"});
  const std::string report = causality_report(b.build());
  EXPECT_NE(report.find("an algebraic loop through R 'upper', R 'lower'"), std::string::npos) << report;
}

TEST(Causality, ARatioThatIsDividedByIsNoted) {
  BondGraphBuilder b;
  b.element({.name = "mass", .type = "I", .value = 1.0})
      .element({.name = "lever", .type = "MTF", .law = "flow_ratio", .value = "sin(t)"});
  b.element({.name = "wheel", .type = "I", .value = 1.0})
      .element({.name = "spring", .type = "C", .value = 1.0})
      .junction("j", 0);
  b.junction("k", 1)
      .bond({.from = "k", .to = "mass"})
      .bond({.from = "k", .to = "lever"})
      .bond({.from = "lever", .to = "j"});
  b.bond({.from = "j", .to = "spring"}).bond({.from = "j", .to = "wheel"});
  EXPECT_TRUE(assign_causality(b.build()).notes.empty());
  BondGraphBuilder backwards;
  backwards.element({.name = "drive", .type = "Se", .value = 1.0})
      .element({.name = "lever", .type = "MTF", .value = "2 + sin(t)"});
  backwards.element({.name = "wheel", .type = "I", .value = 1.0})
      .bond({.from = "drive", .to = "lever"})
      .bond({.from = "lever", .to = "wheel"});
  const BondCausality c = assign_causality(backwards.build());
  ASSERT_EQ(c.notes.size(), 1u);
  EXPECT_EQ(c.notes[0], "MTF 'lever': its flow_ratio is divided by, so it must not become zero");
}

}  // namespace
}  // namespace amble
