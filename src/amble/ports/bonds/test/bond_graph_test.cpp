#include "amble/ports/bonds/bond_graph.hpp"

#include <gtest/gtest.h>

#include "amble/base/error.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/ports/bonds/test/graphs.hpp"

namespace amble {
namespace {

std::string refusal(const BondGraphBuilder& b) {
  return message_of([&] { b.build(); });
}

void expect_refused(const BondGraphBuilder& b, const std::string& words) {
  const std::string said = refusal(b);
  EXPECT_NE(said.find(words), std::string::npos) << said;
}

TEST(BondGraph, KnowsItsPartsAndSpreadsDomains) {
  const BondGraph g = series_circuit().build();
  EXPECT_EQ(g.elements().size(), 5u);
  EXPECT_EQ(g.element("coil").states[0], "lambda");
  EXPECT_EQ(g.element("coil").energy.text(), "lambda^2/(2*L)");
  for (const Bond& b : g.bonds()) EXPECT_EQ(b.domain, "electrical");
  EXPECT_EQ(bond_domain("electrical").effort, "voltage");
  EXPECT_EQ(message_of([&] { g.element("coill"); }),
            "bond graph 'series circuit' has no element 'coill' (did you mean 'coil'?)");
}

TEST(BondGraph, ModulatedStorageIsRefusedWithTheReason) {
  BondGraphBuilder typed = series_circuit(), by_time = series_circuit(), by_other = series_circuit();
  typed.element({.name = "x", .type = "MC", .value = 1.0}).bond({.from = "loop", .to = "x"});
  expect_refused(typed, "element 'x': is a modulated storage element: its energy would change without power");
  by_time.element({.name = "x", .type = "C", .value = "1 + t"}).bond({.from = "loop", .to = "x"});
  expect_refused(by_time, "depends on more than parameters: a modulated storage element");
  by_other.element({.name = "x", .type = "C", .law = "energy", .value = "lambda*q_x^2"})
      .bond({.from = "loop", .to = "x"});
  expect_refused(by_other, "its energy depends on 'lambda', which is not its own state");
}

TEST(BondGraph, ModulatedStaticElementsGetAnM) {
  BondGraphBuilder b = series_circuit();
  b.element({.name = "x", .type = "R", .value = "R*(1 + charge^2)"}).bond({.from = "loop", .to = "x"});
  const BondGraph g = b.build();
  EXPECT_EQ(g.element("x").symbol, "MR");
  EXPECT_EQ(g.element("x").modulated_by, std::vector<std::string>{"charge"});
  EXPECT_EQ(g.element("resistor").symbol, "R");
}

TEST(BondGraph, WhatDoesNotFitIsRefusedByName) {
  const auto with = [](BondElementDescription d) {
    BondGraphBuilder b = series_circuit();
    const bool source = d.type.ends_with("Se") || d.type == "Sf";
    b.element(d).bond({.from = source ? d.name : "loop", .to = source ? "loop" : d.name});
    return b;
  };
  expect_refused(with({.name = "x", .type = "Q"}), "element 'x': is of type 'Q': expected I, C, IC, R");
  expect_refused(with({.name = "x", .type = "R", .law = "resistence", .value = 1.0}), "did you mean 'resistance'?");
  expect_refused(with({.name = "x", .type = "R", .value = -1.0}), "R 'x': its resistance -1 would create energy");
  expect_refused(with({.name = "x", .type = "I", .value = 0.0}), "I 'x': its inertance 0 must be above zero");
  expect_refused(with({.name = "x", .type = "R"}), "element 'x': has no value");
  expect_refused(with({.name = "x", .type = "TF", .value = 1.0}), "TF 'x': has 1 bonds: expected 2");
  expect_refused(with({.name = "x", .type = "GY", .value = 1.0}), "makes sense for a multi-bond");
  expect_refused(with({.name = "coil", .type = "R", .value = 1.0}), "element 'coil': has a name that is used before");
  expect_refused(with({.name = "x y", .type = "R", .value = 1.0}), "is not a name");
  expect_refused(with({.name = "x", .type = "R", .value = "Q"}), "R 'x': uses 'Q', which nothing is called");
  expect_refused(with({.name = "x", .type = "I", .value = 1.0, .domain = "thermal"}),
                 "is thermal, but 1-junction 'loop' makes it electrical");
}

TEST(BondGraph, BondsThatPointTheWrongWayAreRefused) {
  BondGraphBuilder b = series_circuit(), into_source = series_circuit();
  b.element({.name = "x", .type = "R", .value = 1.0}).bond({.from = "x", .to = "loop"});
  expect_refused(b, "R 'x': its bonds must point to it");
  into_source.element({.name = "s", .type = "Se", .value = 1.0}).bond({.from = "loop", .to = "s"});
  expect_refused(into_source, "Se 's': its bond must point away from it");
}

/// What DS says of the displacement holds for the momentum: entropy is the integral of the entropy flow.
TEST(BondGraph, ThereIsNoThermalInertia) {
  BondGraphBuilder b;
  b.element({.name = "source", .type = "Se", .value = 300.0, .domain = "thermal"})
      .element({.name = "x", .type = "I", .value = 1.0});
  b.bond({.from = "source", .to = "x"});
  expect_refused(b, "I 'x': is in the thermal domain, where no integral of the effort stores energy");
  EXPECT_TRUE(bond_domain("thermal").momentum.empty());
  EXPECT_EQ(bond_domain("thermal").displacement, "entropy");
}

TEST(BondGraph, DomainsMeetOnlyInTransformersAndGyrators) {
  BondGraphBuilder b = series_circuit();
  b.element({.name = "x", .type = "R", .value = 1.0, .domain = "hydraulic"}).bond({.from = "loop", .to = "x"});
  expect_refused(b, "a TF or GY goes from one domain to another");
  EXPECT_NE(message_of([] { bond_domain("electric"); }).find("did you mean 'electrical'?"), std::string::npos);
}

TEST(BondGraph, EveryProblemIsReportedAtOnce) {
  BondGraphBuilder b = series_circuit();
  b.element({.name = "x", .type = "Q"}).element({.name = "y", .type = "P"});
  const std::string said = refusal(b);
  EXPECT_NE(said.find("'x'"), std::string::npos);
  EXPECT_NE(said.find("'y'"), std::string::npos);
}

TEST(BondGraph, MatricesMustFitTheirBonds) {
  const auto gyrator = [](BondValue Y) {
    BondGraphBuilder b;
    b.element({.name = "body", .type = "I", .value = 1.0})
        .element({.name = "turn", .type = "GY", .value = std::move(Y)});
    b.junction("j", 1)
        .bond({.from = "j", .to = "body", .dimension = 2})
        .bond({.from = "j", .to = "turn", .dimension = 2});
    return b;
  };
  EXPECT_NO_THROW(gyrator(BondValue::matrix({{0.0, "p_body_1"}, {"-p_body_1", 0.0}})).build());
  expect_refused(gyrator(BondValue::matrix({{0.0, 1.0}, {1.0, 0.0}})), "must be skew-symmetric");
  expect_refused(gyrator(BondValue::matrix({{0.0, 1.0, 2.0}})), "its impedance has 1 x 3 entries: expected 2 x 2");
  BondGraphBuilder mixed;
  mixed.element({.name = "a", .type = "I", .value = 1.0})
      .element({.name = "b", .type = "I", .value = 1.0})
      .junction("j", 1);
  mixed.bond({.from = "j", .to = "a", .dimension = 2}).bond({.from = "j", .to = "b"});
  expect_refused(mixed, "1-junction 'j': joins bonds of dimension 2 and 1");
  EXPECT_NE(message_of([] {
              BondValue::matrix({{1.0}, {1.0, 2.0}});
            }).find("a row of 2 beside one of 1"),
            std::string::npos);
}

TEST(BondGraph, AMatrixWithoutEntriesIsRefused) {
  const std::vector<std::vector<Expression>> none, empty_row(1);
  EXPECT_EQ(message_of([&] { BondValue::matrix(none); }), "a matrix has no entries");
  EXPECT_EQ(message_of([&] { BondValue::matrix(empty_row); }), "a matrix has no entries");
}

TEST(BondGraph, ParametersAreNumbersByParametersBefore) {
  BondGraphBuilder b;
  b.parameter("a", 2.0).parameter("b", "3*a");
  EXPECT_NE(message_of([&] { b.parameter("c", "d"); }).find("parameter 'c' = d: 'd' has no value"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { b.parameter("a", 1.0); }), "parameter 'a' is given twice");
  EXPECT_NE(refusal(b).find("has no element"), std::string::npos);
}

TEST(BondGraph, SignalsMustNotDefineEachOther) {
  BondGraphBuilder b = series_circuit();
  b.signal({.name = "one", .value = "two + 1"}).signal({.name = "two", .value = "one"});
  expect_refused(b, "is defined by itself");
}

}  // namespace
}  // namespace amble
