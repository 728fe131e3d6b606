#include "amble/riemann/known_geometry.hpp"

#include <cmath>

#include "amble/mechanism/builder.hpp"

namespace amble {

namespace {

using V3 = Vector3<double>;

Inertia<double> of_mass(double mass, const V3& com, const V3& moments) {
  return Inertia<double>::from_com(mass, com, moments.asDiagonal().toDenseMatrix());
}

std::string numbered(const char* word, std::size_t i) { return word + std::to_string(i + 1); }

/// Of a rod that turns about y only: moments that a body can have.
V3 about_y(double inertia) { return {inertia, inertia, 0.0}; }

}  // namespace

Mechanism DoublePendulum::mechanism() const {
  Builder b("double_pendulum");
  b.body({.name = "upper", .inertia = of_mass(mass_1, {0, 0, -com_1}, about_y(inertia_1))});
  b.body({.name = "lower", .inertia = of_mass(mass_2, {0, 0, -com_2}, about_y(inertia_2))});
  b.joint({.name = "shoulder", .type = "revolute", .parent = "world", .child = "upper", .axis = {0, 1, 0}});
  b.joint({.name = "elbow",
           .type = "revolute",
           .parent = "upper",
           .child = "lower",
           .X_PF = Pose(V3(0, 0, -length_1)),
           .axis = {0, 1, 0}});
  return b.build();
}

double DoublePendulum::curvature(double q2) const {
  const double a = inertia_1 + mass_1 * com_1 * com_1 + mass_2 * length_1 * length_1;
  const double d = inertia_2 + mass_2 * com_2 * com_2, b = mass_2 * length_1 * com_2, c = std::cos(q2);
  return b * c * (a * d - b * b) / std::pow(a * d - b * b * c * c, 2);
}

Mechanism rigid_body(double mass, const V3& moments, bool turns_only) {
  Builder b("rigid_body");
  b.body({.name = "body", .inertia = of_mass(mass, V3::Zero(), moments)});
  b.joint({.name = "base", .type = turns_only ? "spherical" : "free", .parent = "world", .child = "body"});
  return b.build();
}

Mechanism polar_arm(double mass) {
  Builder b("polar_arm");
  b.body({.name = "guide"}).body({.name = "slider", .inertia = of_mass(mass, V3::Zero(), V3::Zero())});
  b.joint({.name = "turn", .type = "revolute", .parent = "world", .child = "guide"});
  b.joint({.name = "slide", .type = "prismatic", .parent = "guide", .child = "slider", .axis = {1, 0, 0}});
  return b.build();
}

Mechanism gantry(double mass_1, double mass_2, double mass_3) {
  const double masses[] = {mass_1, mass_2, mass_3};
  Builder b("gantry");
  for (std::size_t i = 0; i < 3; ++i) {
    b.body({.name = numbered("slide", i), .inertia = of_mass(masses[i], V3::Zero(), V3::Ones() * masses[i])});
    b.joint({.name = numbered("joint", i),
             .type = "prismatic",
             .parent = i == 0 ? "world" : numbered("slide", i - 1),
             .child = numbered("slide", i),
             .axis = i == 1 ? V3(0, 1, 0) : V3(1, 0, 0)});
  }
  b.frame({.name = "tool", .body = "slide3"});
  return b.build();
}

Mechanism drive_chain(const std::vector<double>& armatures) {
  Builder b("drive_chain");
  const V3 axes[] = {{0, 0, 1}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  const V3 link(0.05, 0.0, 0.3);
  for (std::size_t i = 0; i < armatures.size(); ++i) {
    b.body({.name = numbered("link", i)});
    b.joint({.name = numbered("joint", i),
             .type = "revolute",
             .parent = i == 0 ? "world" : numbered("link", i - 1),
             .child = numbered("link", i),
             .X_PF = i == 0 ? Pose() : Pose(link),
             .axis = axes[i % 7],
             .properties = {.armature = {armatures[i]}}});
  }
  b.frame({.name = "tool", .body = numbered("link", armatures.size() - 1), .X_BF = Pose(link)});
  return b.build();
}

Mechanism planar_arm(int links) {
  Builder b("planar_arm");
  for (int i = 0; i < links; ++i) {
    b.body(
        {.name = numbered("link", i), .inertia = of_mass(1.0, {0.5, 0, 0}, {0.0, 1.0 / 12.0, 1.0 / 12.0})});
    b.joint({.name = numbered("joint", i),
             .type = "revolute",
             .parent = i == 0 ? "world" : numbered("link", i - 1),
             .child = numbered("link", i),
             .X_PF = i == 0 ? Pose() : Pose(V3(1, 0, 0))});
  }
  b.frame({.name = "tool", .body = numbered("link", links - 1), .X_BF = Pose(V3(1, 0, 0))});
  return b.build();
}

}  // namespace amble
