#include "amble/ports/bonds/behaviour.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/bungee.hpp"
#include "amble/ports/bonds/port_hamiltonian_form.hpp"
#include "amble/ports/bonds/test/graphs.hpp"

namespace amble {
namespace {

/// DS Fig 1.4: the lumped bungee jump.
BondGraph jump() {
  BondGraphBuilder b("bungee jump");
  b.parameter("m", 91.0).parameter("k", 30.0).parameter("d", 1.0).parameter("g", 9.81);
  b.element({.name = "gravity", .type = "Se", .value = "m*g"});
  b.element({.name = "person", .type = "I", .value = "m", .states = {"p"}});
  b.element({.name = "spring", .type = "C", .law = "stiffness", .value = "k", .states = {"stretch"}});
  b.element({.name = "damper", .type = "R", .value = "d"}).junction("fall", 1);
  b.bond({.from = "gravity", .to = "fall"});
  for (const char* to : {"person", "spring", "damper"}) b.bond({.from = "fall", .to = to});
  b.signal({.name = "height", .value = "60 - stretch"});
  return b.build();
}

TEST(Behaviour, TheBungeeJumpReadsComponentByComponent) {
  EXPECT_EQ(behaviour_text(jump()), R"(behaviour of bond graph 'bungee jump'
  Se 'gravity'
    gravity.e = m*g
  I 'person'
    person.f = p/m
    p' = person.e
  C 'spring'
    spring.e = stretch*k
    stretch' = spring.f
  R 'damper'
    damper.e = d*damper.f
  1-junction 'fall'
    gravity.f = person.f
    person.f = spring.f
    spring.f = damper.f
    gravity.e = person.e + spring.e + damper.e
  signals
    height = 60 - stretch
)");
}

TEST(Behaviour, ThereIsARelationForEachUnknown) {
  for (const BondGraph& graph : {jump(), series_circuit().build(), geared_inertias().build()}) {
    const BondRelations all = bond_relations(graph);
    std::size_t relations = 0;
    for (const BondComponent& c : all.components) relations += c.relations.size();
    EXPECT_EQ(relations, all.unknowns.size()) << graph.name();
  }
}

/// The component says the same whatever it is connected to; causality would turn it around.
TEST(Behaviour, AResistorIsWrittenAsGivenWhicheverWayItIsUsed) {
  BondGraphBuilder b("parallel");
  b.element({.name = "C", .type = "C", .value = 2.0}).element({.name = "R", .type = "R", .value = "3"});
  b.junction("node", 0).bond({.from = "node", .to = "C"}).bond({.from = "node", .to = "R"});
  EXPECT_NE(behaviour_text(b.build()).find("R.e = 3*R.f\n"), std::string::npos) << behaviour_text(b.build());
}

TEST(Behaviour, AGraphWithAConflictStillHasRelations) {
  BondGraphBuilder b("two batteries");
  b.element({.name = "one", .type = "Se", .value = 1.0}).element({.name = "two", .type = "Se", .value = 2.0});
  b.junction("node", 0).bond({.from = "one", .to = "node"}).bond({.from = "two", .to = "node"});
  EXPECT_NE(behaviour_text(b.build()).find("one.e = two.e"), std::string::npos) << behaviour_text(b.build());
  BondBehaviour behaviour(b.build());
  const std::string message = message_of([&] { behaviour.evaluate(0.0, nullptr); });
  EXPECT_NE(message.find("relations of Se 'one', Se 'two' set the same quantity"), std::string::npos)
      << message;
}

TEST(Behaviour, AMechanismIsRefused) {
  BondGraphBuilder b("with a mechanism");
  b.element({.name = "rope",
             .type = "mechanism",
             .mechanism = std::make_shared<Mechanism>(bungee({.segments = 1}))});
  b.element({.name = "push", .type = "Se", .value = 1.0}).bond({.from = "push", .to = "rope.stretch_1"});
  EXPECT_NE(message_of([&] { bond_relations(b.build()); }).find("has mechanism 'rope'"), std::string::npos);
}

TEST(Behaviour, AnUnknownQuantityIsAnsweredWithTheNearest) {
  BondBehaviour behaviour(jump());
  behaviour.evaluate(0.0, behaviour.initial().data());
  EXPECT_DOUBLE_EQ(behaviour.value("height"), 60.0);
  EXPECT_DOUBLE_EQ(behaviour.value("p'"), 91.0 * 9.81);
  EXPECT_NE(message_of([&] { behaviour.value("persn.f"); }).find("person.f"), std::string::npos);
  EXPECT_NE(message_of([&] { behaviour.value("person.x"); }).find("no quantity 'person.x'"),
            std::string::npos);
}

TEST(PortHamiltonianForm, TheBungeeJumpReadsAsMatrices) {
  EXPECT_EQ(port_hamiltonian_text(jump()), R"(port-Hamiltonian form of bond graph 'bungee jump'
  x' = (J - R) dH/dx + g u,  H = x . Q x / 2
  x = (p, stretch)
  u = (gravity.e)
  J =           0         -1
                1          0
  R =           1          0
                0          0
  g =           1
                0
  Q =    0.010989          0
                0         30
)");
}

}  // namespace
}  // namespace amble
