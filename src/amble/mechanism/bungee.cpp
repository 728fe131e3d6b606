#include "amble/mechanism/bungee.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/mechanism/builder.hpp"

namespace amble {

Mechanism bungee(const BungeeParameters& p) {
  if (p.segments < 1) throw Error(fmt::format("a bungee rope of {} segments: expected one or more", p.segments));
  const double n = p.segments;
  Builder b("bungee");
  std::string above = kWorld;
  for (int i = 1; i <= p.segments; ++i) {
    const bool last = i == p.segments;
    const std::string name = last ? "person" : fmt::format("rope_{}", i);
    const double mass = p.rope_mass / n + (last ? p.person_mass : 0.0);
    b.body({.name = name, .inertia = Inertia<double>::from_com(mass, {0, 0, 0}, Matrix3<double>::Zero())});
    b.joint({.name = fmt::format("stretch_{}", i),
             .type = "prismatic",
             .parent = above,
             .child = name,
             .X_PF = Pose(Vector3<double>(0, 0, i == 1 ? p.height : 0.0)),
             .axis = {0, 0, -1},
             .properties = {.damping = {n * p.damping}, .stiffness = {n * p.stiffness}}});
    above = name;
  }
  return b.build();
}

}  // namespace amble
