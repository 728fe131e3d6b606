#include "amble/walkers/legged/posed_links.hpp"

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

PosedLinks::PosedLinks(const Mechanism& m, const VectorRef& at) : mechanism(m), q(at) {
  Workspace work(m);
  com = center_of_mass(m, work, q);
  const LinkPoses poses = forward_kinematics(m, work, q);
  for (std::size_t i = 0; i < poses.size(); ++i) X_WL.push_back(poses[i]);
}

Vector3<double> PosedLinks::center(int link) const {
  const Inertia<double>& I = mechanism.links()[link].inertia;
  return I.mass() > 0.0 ? X_WL[link] * I.com() : origin(link);
}

}  // namespace amble
