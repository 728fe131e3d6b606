#include "amble/walkers/legged/limbs.hpp"

#include <algorithm>

#include "amble/mechanism/joints/list.hpp"

namespace amble {

double carried_mass(const Mechanism& m, int link) {
  double sum = 0.0;
  for (const int i : carried_links(m, link)) sum += m.links()[i].inertia.mass();
  return sum;
}

std::vector<int> carried_links(const Mechanism& m, int link) {
  std::vector<int> out{link};
  for (int i = link + 1; i < static_cast<int>(m.links().size()); ++i)  // parents come before children
    if (std::find(out.begin(), out.end(), m.links()[i].parent) != out.end()) out.push_back(i);
  return out;
}

int floating_link(const Mechanism& m) {
  int best = -1;
  double most = -1.0;
  for (int i = 1; i < static_cast<int>(m.links().size()); ++i) {
    if (m.links()[i].parent != 0 || m.links()[i].kind != kJointKind<Free>) continue;
    if (const double mass = carried_mass(m, i); mass > most) most = mass, best = i;
  }
  return best;
}

std::vector<Limb> limbs(const Mechanism& m, int base_link) {
  const std::vector<int> links = carried_links(m, base_link);
  std::vector<char> carries(m.links().size(), 0);
  for (const int i : links) carries[m.links()[i].parent] = 1;
  std::vector<Limb> out;
  for (const int end : links) {
    if (carries[end] || end == base_link) continue;
    Limb limb;
    for (int i = end; i != base_link; i = m.links()[i].parent) limb.links.push_back(i);
    std::reverse(limb.links.begin(), limb.links.end());
    out.push_back(std::move(limb));
  }
  return out;
}

const Body& main_body(const Mechanism& m, int link) {
  return m.bodies()[m.joints()[m.links()[link].joint].child];
}

}  // namespace amble
