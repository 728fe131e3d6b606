#pragma once

#include "amble/walkers/walker_description.hpp"

namespace amble {

/// Whether left and right are exchanged after a step, which then is a return.
inline bool returns_after_step(const WalkerDescription& walker) {
  return walker.symmetry && walker.symmetry->returns == WalkerDescription::Symmetry::Return::step;
}

/// What things are called on the other side of a walker.
class SideNames {
 public:
  SideNames() = default;
  explicit SideNames(const WalkerDescription::Symmetry& symmetry) : symmetry_(symmetry) {}

  /// A coordinate's name there, and the sign that it changes by. Left and right are exchanged as in a mirror:
  /// what turns about x or z, or slides along y, does so the other way round; what has no other name is in
  /// the middle.
  std::pair<std::string, double> coordinate(const std::string& name) const {
    if (name == "y" || name == "yaw" || name == "roll") return {name, -1.0};
    const auto found = symmetry_.joints.find(name);
    return found == symmetry_.joints.end() ? std::pair{name, 1.0} : found->second;
  }
  std::string foot(const std::string& name) const {
    const auto found = symmetry_.feet.find(name);
    return found == symmetry_.feet.end() ? name : found->second;
  }

  /// From coordinates of a model that is hung up by a foot to those of one hung up by the other.
  OwnedMatrix exchange(const Mechanism& from, const Mechanism& to) const {
    OwnedMatrix T(to.nv(), from.nv());
    for (const std::string& name : to.joint_names()) {
      const auto [other, sign] = coordinate(name);
      T(to.v_slice(name).start, from.v_slice(other).start) = sign;
    }
    return T;
  }

 private:
  WalkerDescription::Symmetry symmetry_;
};

}  // namespace amble
