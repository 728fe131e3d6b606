#include "amble/ports/bonds/drawing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "amble/base/test/message_of.hpp"
#include "amble/ports/bonds/layout.hpp"
#include "amble/ports/bonds/test/graphs.hpp"

namespace amble {
namespace {

int count(const std::string& text, const std::string& word) {
  int n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(Drawing, ShowsEveryElementAndABondWithBarbAndStroke) {
  const std::string svg = bond_graph_svg(series_circuit().build());
  for (const char* name :
       {">source<", ">resistor<", ">coil<", ">capacitor<", ">loop<", "electrical", "series circuit"})
    EXPECT_EQ(count(svg, name) > 0, true) << name;
  EXPECT_EQ(count(svg, "<line"), 4 * 3 + 1);  // line, barb and stroke of four bonds, and the legend
  EXPECT_EQ(count(svg, "<tspan class=\"value\">\u00A0:\u00A0L</tspan>"), 1);
}

TEST(Drawing, MultiBondsAreDoubleAndSignalsDashed) {
  BondGraphBuilder b("a < b");
  b.element({.name = "body", .type = "I", .value = 2.0}).junction("j", 1);
  b.element({.name = "turn", .type = "GY", .value = BondValue::matrix({{0.0, "p_body_1"}, {"-p_body_1", 0.0}})});
  b.bond({.from = "j", .to = "body", .dimension = 2}).bond({.from = "j", .to = "turn", .dimension = 2});
  const std::string svg = bond_graph_svg(b.build());
  EXPECT_EQ(count(svg, "<line"), 2 * 4);
  EXPECT_EQ(count(svg, "stroke-dasharray"), 1);
  EXPECT_EQ(count(svg, "a &lt; b"), 1);
}

TEST(Drawing, NodesDoNotOverlap) {
  for (const BondGraphBuilder& b : {series_circuit(), geared_inertias()}) {
    const BondLayout layout = lay_out(b.build());
    for (const DrawnNode& m : layout.nodes)
      for (const DrawnNode& n : layout.nodes) {
        const bool apart =
            std::abs(m.x - n.x) >= (m.width + n.width) / 2 || std::abs(m.y - n.y) >= (m.height + n.height) / 2;
        EXPECT_TRUE(&m == &n || apart) << m.name << ", " << n.name;
      }
  }
}

TEST(Drawing, AGraphWithAConflictIsDrawnWithoutTheStroke) {
  BondGraphBuilder b("conflict");
  b.element({.name = "a", .type = "Se", .value = 1.0})
      .element({.name = "b", .type = "Sf", .value = 1.0})
      .element({.name = "c", .type = "Se", .value = 1.0});
  b.junction("j", 0).bond({.from = "a", .to = "j"}).bond({.from = "b", .to = "j"}).bond({.from = "c", .to = "j"});
  EXPECT_GT(bond_graph_svg(b.build()).size(), 500u);
}

TEST(Drawing, AProgramThatIsNotThereIsNamed) {
  EXPECT_EQ(message_of([] { output_of({"no-such-program"}, ""); }), "the program 'no-such-program' is not found");
  EXPECT_NE(message_of([] {
              output_of({"dot", "-Tplain"}, "not a graph");
            }).find("'dot -Tplain' failed"),
            std::string::npos);
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const std::string said = message_of([] { bond_graph_svg(series_circuit().build()); });
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(
      said,
      "a bond graph is laid out by Graphviz: the program 'dot' is not found; the Debian package graphviz has it");
}

}  // namespace
}  // namespace amble
