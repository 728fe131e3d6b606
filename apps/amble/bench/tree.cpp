#include "bench/tree.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble::bench {

namespace {

TreeLink tree_link(const Mechanism& m, const Link& link) {
  TreeLink out{.joint = m.joints()[link.joint].name,
               .type = std::string(visit_joint_type(link.kind, []<class Type>() { return Type::kName; })),
               .parent = link.parent - 1,  // our link 0 is the world
               .q = link.q.start,
               .v = link.v.start,
               .nq = link.q.size,
               .nv = link.v.size,
               .pitch = link.parameters.pitch,
               .angle = link.parameters.angle,
               .R_PN = link.X_PN.rotation().matrix(),
               .p_PN = link.X_PN.translation(),
               .mass = link.inertia.mass(),
               .com = link.inertia.com(),
               .inertia = link.inertia.about_com()};
  out.armature = m.armature()[link.v.start];
  return out;
}

TreeLoop tree_loop(const Loop& loop) {
  return {.name = loop.name,
          .type = std::string(visit_joint_type(loop.kind, []<class Type>() { return Type::kName; })),
          .link_a = loop.link_a - 1,
          .link_b = loop.link_b - 1,
          .R_A = loop.X_AN.rotation().matrix(),
          .R_B = loop.X_BN.rotation().matrix(),
          .p_A = loop.X_AN.translation(),
          .p_B = loop.X_BN.translation()};
}

}  // namespace

std::vector<TreeLoop> loops_of(const Mechanism& m) {
  std::vector<TreeLoop> out;
  for (const Loop& loop : m.loops()) out.push_back(tree_loop(loop));
  return out;
}

Tree tree_of(const Mechanism& m) {
  for (const Joint& joint : m.joints())
    if (joint.leader >= 0)
      throw Error(fmt::format("joint '{}' follows another, which none has; --mimic free lets it go", joint.name));
  Tree tree{.gravity = m.gravity(), .nq = m.nq(), .nv = m.nv()};
  for (const Link& link : m.links().subspan(1)) tree.links.push_back(tree_link(m, link));
  return tree;
}

}  // namespace amble::bench
