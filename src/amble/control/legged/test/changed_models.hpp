#pragma once

#include <map>

#include "amble/base/random.hpp"
#include "amble/mechanism/mechanism.hpp"

// The same robot, described otherwise.
namespace amble {

/// Every name replaced by a random one; `names` says which.
inline ModelDescription renamed(ModelDescription d, std::uint64_t seed,
                                std::map<std::string, std::string>& names) {
  Random random(seed);
  const auto fresh = [&](std::string& name) {
    if (name.empty() || name == kWorld) return;
    auto [at, added] = names.try_emplace(name);
    while (added && at->second.size() < 12)
      at->second += static_cast<char>('a' + static_cast<int>(random.uniform(0.0, 25.99)));
    name = at->second;
  };
  fresh(d.name);
  for (BodyDescription& b : d.bodies) fresh(b.name);
  for (JointDescription& j : d.joints) {
    fresh(j.name), fresh(j.parent), fresh(j.child);
    if (j.mimic) fresh(j.mimic->leader);
  }
  for (FrameDescription& f : d.frames) fresh(f.name), fresh(f.body);
  for (DriveDescription& x : d.drives) fresh(x.name), fresh(x.joint);
  for (KeyframeDescription& k : d.keyframes)
    for (KeyframeJoint& j : k.joints) fresh(j.joint);
  d.findings.clear();
  return d;
}

/// The frame of `body` turned by R on it: all that it carries stays where it is.
inline ModelDescription turned(ModelDescription d, const std::string& body, const SO3<double>& R) {
  const Pose X_NB(R.inverse(), Vector3<double>::Zero());
  for (BodyDescription& b : d.bodies) {
    if (b.name != body) continue;
    b.inertia = X_NB * b.inertia;
    for (PlacedShape& s : b.visuals) s.X_BS = X_NB * s.X_BS;
    for (PlacedShape& s : b.collisions) s.X_BS = X_NB * s.X_BS;
  }
  for (JointDescription& j : d.joints)
    if (j.parent == body) j.X_PF = X_NB * j.X_PF;
  for (FrameDescription& f : d.frames)
    if (f.body == body) f.X_BF = X_NB * f.X_BF;
  return d;
}

/// Everything seen in a mirror: y of every frame changes sign. Coordinates of joints stay what they are.
inline ModelDescription mirrored(ModelDescription d) {
  const Vector3<double> s(1.0, -1.0, 1.0);
  const Matrix3<double> S = s.asDiagonal();
  const auto pose = [&](const Pose& X) {
    return Pose(SO3<double>(Matrix3<double>(S * X.rotation().matrix() * S)),
                Vector3<double>(S * X.translation()));
  };
  for (BodyDescription& b : d.bodies) {
    if (b.inertia.mass() > 0.0)
      b.inertia = Inertia<double>::from_com(b.inertia.mass(), S * b.inertia.com(),
                                            Matrix3<double>(S * b.inertia.about_com() * S));
    for (PlacedShape& p : b.visuals) p.X_BS = pose(p.X_BS);
    for (PlacedShape& p : b.collisions) p.X_BS = pose(p.X_BS);
  }
  for (JointDescription& j : d.joints) {
    j.X_PF = pose(j.X_PF), j.X_CM = pose(j.X_CM);
    j.axis = j.type == "prismatic" ? Vector3<double>(S * j.axis) : Vector3<double>(-(S * j.axis));
  }
  for (FrameDescription& f : d.frames) f.X_BF = pose(f.X_BF);
  return d;
}

}  // namespace amble
