#pragma once

#include <fmt/format.h>

#include "amble/base/random.hpp"
#include "amble/ports/bonds/bond_graph.hpp"

namespace amble {

/// Bodies in a tree, each pushed and hung on another by a spring and a damper (in parallel), with side
/// branches: a damper behind a lever, two dampers in series (an algebraic loop), a coil behind a gyrator, a
/// spring that a prescribed velocity pulls. Linear, and all storage integrates.
class RandomBondGraph {
 public:
  explicit RandomBondGraph(std::uint64_t seed) : random_(seed), b_(fmt::format("random graph {}", seed)) {}

  BondGraph build(int bodies) {
    for (int i = 0; i < bodies; ++i) body(i);
    for (int i = 0; i < bodies; ++i) branch(i, static_cast<int>(random_.uniform(0.0, 5.0)));
    return b_.build();
  }

 private:
  double positive() { return random_.uniform(0.5, 3.0); }
  std::string one_port(const std::string& name, const std::string& type, const BondValue& value) {
    BondElementDescription d{.name = name, .type = type, .value = value};
    if (type == "I" || type == "C") d.initial = {random_.uniform(-1.0, 1.0)};
    b_.element(d);
    return name;
  }
  void join(const std::string& from, const std::string& to) { b_.bond({.from = from, .to = to}); }

  void body(int i) {
    const std::string at = fmt::format("v{}", i), seg = fmt::format("s{}", i);
    b_.junction(at, 1).junction(seg, 1);
    join(at, one_port(fmt::format("m{}", i), "I", positive()));
    join(one_port(fmt::format("push{}", i), "Se", fmt::format("{}*sin({}*t)", positive(), positive())), at);
    join(seg, one_port(fmt::format("k{}", i), "C", positive()));
    join(seg, one_port(fmt::format("d{}", i), "R", positive()));
    if (i == 0) return join(at, seg);
    const std::string force = fmt::format("F{}", i);
    b_.junction(force, 0);
    join(at, force), join(force, seg),
        join(force, fmt::format("v{}", static_cast<int>(random_.uniform(0.0, i))));
  }

  void branch(int i, int kind) {
    const std::string at = fmt::format("v{}", i), x = fmt::format("x{}", i), y = fmt::format("y{}", i);
    if (kind == 1) {
      b_.element({.name = x, .type = "TF", .law = "flow_ratio", .value = positive()});
      join(at, x), join(x, one_port(y, "R", positive()));
    } else if (kind == 2) {
      b_.junction(x, 0);
      join(at, x), join(x, one_port(y, "R", positive())), join(x, one_port(y + "b", "R", positive()));
    } else if (kind == 3) {
      b_.element({.name = x, .type = "GY", .value = positive()});
      join(at, x), join(x, one_port(y, "I", positive()));
    } else if (kind == 4) {
      b_.junction(x, 0);
      join(at, x), join(x, one_port(y, "C", positive())),
          join(one_port(y + "s", "Sf", fmt::format("cos({}*t)", positive())), x);
    }
  }

  Random random_;
  BondGraphBuilder b_;
};

}  // namespace amble
