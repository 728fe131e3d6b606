#include "amble/mechanism/bungee.hpp"

#include <algorithm>
#include <cmath>

#include "amble/ports/watch.hpp"
#include "amble/simulation/bond_simulator.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/simulation/themes.hpp"

namespace amble {

namespace {

// DS Example 1.1, recomputed independently: the lowest points of the jumper and their times.
constexpr double kLumpedDepth = 1.36732370, kLumpedTime = 5.471795;
constexpr double kDistributedDepth = -1.84445962, kDistributedTime = 5.575462;

struct Lowest {
  double height = 0.0, t = 0.0;
};

Lowest lowest_of(const BungeeParameters& p) {
  const Mechanism m = bungee(p);
  Simulator run(m, {watch("lowest", rise_of(m, "person"), 0.0, 1)}, {}, {.integrator = {.tolerance = 1e-12}});
  run.reset(m.neutral(), Eigen::VectorXd::Zero(m.nv()));
  while (run.events().empty()) run.step_towards(20.0);
  return {p.height - run.q().sum(), run.t()};
}

/// The jumper as a bond graph: gravity, mass, spring and damper move together.
BondGraph lumped_graph(const BungeeParameters& p) {
  BondGraphBuilder b("bungee");
  b.element({.name = "gravity", .type = "Se", .value = p.person_mass * 9.81});
  b.element({.name = "person", .type = "I", .value = p.person_mass});
  b.element({.name = "spring", .type = "C", .law = "stiffness", .value = p.stiffness, .states = {"stretch"}});
  b.element({.name = "damper", .type = "R", .value = p.damping});
  b.junction("fall", 1);
  b.bond({.from = "gravity", .to = "fall"}).bond({.from = "fall", .to = "person"});
  b.bond({.from = "fall", .to = "spring"}).bond({.from = "fall", .to = "damper"});
  return b.build();
}

constexpr int kLumpedSegments = 1;
BungeeParameters lumped() { return {.rope_mass = 0.0, .segments = kLumpedSegments}; }

VerificationEntry representation_entry(const std::string& name, BondRepresentation representation) {
  return number_entry({"simulation.bungee_as_" + name, "DS Example 1.2: the lumped jump as " + name + ", height at its lowest",
                       "recomputed", 1e-7},
                      kLumpedDepth, [representation] {
                        BondSimulator run(lumped_graph(lumped()), {.tolerance = 1e-12}, representation);
                        run.reset();
                        run.advance(kLumpedTime);
                        return lumped().height - run.value("stretch");
                      });
}

}  // namespace

std::vector<VerificationEntry> simulation_bungee() {
  const auto claim = [](const char* id, const char* what) {
    return Claim{std::string("simulation.bungee_") + id, std::string("DS Example 1.1, ") + what, "recomputed", 1e-6};
  };
  return {
      number_entry(claim("lumped_depth", "lumped: lowest point (m)"), kLumpedDepth, [] { return lowest_of(lumped()).height; }),
      number_entry(claim("lumped_time", "lumped: its time (s)"), kLumpedTime, [] { return lowest_of(lumped()).t; }),
      number_entry(claim("distributed_depth", "ten pieces: lowest point (m)"), kDistributedDepth,
                   [] { return lowest_of({}).height; }),
      number_entry(claim("distributed_time", "ten pieces: its time (s)"), kDistributedTime, [] { return lowest_of({}).t; }),
      representation_entry("block_diagram", BondRepresentation::block),
      representation_entry("behaviour", BondRepresentation::behaviour),
      representation_entry("port_hamiltonian", BondRepresentation::port_hamiltonian),
  };
}

}  // namespace amble
