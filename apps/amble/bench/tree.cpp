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
               .R_PN = link.X_PN.rotation().matrix(),
               .p_PN = link.X_PN.translation(),
               .mass = link.inertia.mass(),
               .com = link.inertia.com(),
               .inertia = link.inertia.about_com()};
  out.armature = m.armature()[link.v.start];
  return out;
}

}  // namespace

Tree tree_of(const Mechanism& m) {
  for (const Joint& joint : m.joints())
    if (joint.leader >= 0)
      throw Error(fmt::format("joint '{}' follows another, which none has; --mimic free lets it go", joint.name));
  Tree tree{.gravity = m.gravity(), .nq = m.nq(), .nv = m.nv()};
  for (const Link& link : m.links().subspan(1)) tree.links.push_back(tree_link(m, link));
  return tree;
}

}  // namespace amble::bench
