#pragma once

#include <vector>

#include "amble/mechanism/mechanism.hpp"

// Chains of moving links from a free base outwards. Bodies that fixed joints hold are part of their link.
namespace amble {

/// From the first link beyond the base to one under which nothing moves.
struct Limb {
  std::vector<int> links;
  int end() const { return links.back(); }
};

/// The link of the heaviest tree that a free joint on the world carries; -1: there is none.
int floating_link(const Mechanism& mechanism);
/// Mass of a link and of all that it carries (kg).
double carried_mass(const Mechanism& mechanism, int link);
/// `link` and all that it carries, parents first.
std::vector<int> carried_links(const Mechanism& mechanism, int link);
std::vector<Limb> limbs(const Mechanism& mechanism, int base_link);
/// The body of a link that its joint holds.
const Body& main_body(const Mechanism& mechanism, int link);

}  // namespace amble
