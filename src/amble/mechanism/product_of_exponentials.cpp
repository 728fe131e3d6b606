#include "amble/mechanism/product_of_exponentials.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

/// The screws of one joint in its normalised frame at zero, and how its pose is their product in order.
/// A joint qualifies when pose(q) = exp(S_1(0) q_1) exp(S_2(0) q_2) ...; tested on numbers, not on the joint's name.
bool joint_screws(const Link& link, std::vector<Twist<double>>& screws) {
  return visit_joint(link.kind, link.parameters, [&](const auto& joint) {
    const int n = joint.nv();
    if (joint.nq() != n) return false;
    std::array<double, kMostJointCoordinates> q{};
    std::array<Twist<double>, 6> S;
    joint.subspace(q.data(), S.data());
    Pose product;
    for (int k = 0; k < n; ++k) {
      q[k] = 0.3 + 0.2 * k;
      product = product * Pose::exp(q[k] * S[k]);
    }
    const double off = (product.matrix() - joint.pose(q.data()).matrix()).cwiseAbs().maxCoeff();
    screws.assign(S.begin(), S.begin() + n);
    return off < 1e-12;
  });
}

std::vector<int> chain_to(const Mechanism& m, int link) {
  std::vector<int> chain;
  for (; link > 0; link = m.links()[link].parent) chain.push_back(link);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// The joint that moves along a unit screw.
JointDescription joint_of(const Twist<double>& screw, const std::string& name) {
  const double turn = screw.angular().norm(), unit = turn == 0.0 ? screw.linear().norm() : turn;
  if (!(std::abs(unit - 1.0) < 1e-9))
    throw Error(fmt::format("the screw of joint '{}' has magnitude {}, expected 1", name, unit));
  JointDescription j{.name = name};
  if (turn == 0.0) {
    j.type = Prismatic::kName;
    j.axis = screw.linear();
    return j;
  }
  const Vector3<double> w = screw.angular(), v = screw.linear();
  const double pitch = w.dot(v);
  j.type = std::abs(pitch) < 1e-14 ? Revolute::kName : Helical::kName;
  j.pitch = pitch;
  j.axis = w;
  j.X_PF = j.X_CM = Pose(cross<double>(w, v));
  return j;
}

/// The chain's own name for a screw; where a joint has several screws, or none is given, one made from it.
std::string joint_name(const ProductOfExponentials& chain, std::size_t i) {
  const auto& names = chain.joints;
  const std::string name = i < names.size() ? names[i] : "joint";
  const bool alone = i < names.size() && std::count(names.begin(), names.end(), name) == 1;
  std::string made = alone ? name : fmt::format("{}_{}", name, i + 1);
  while (!alone && std::find(names.begin(), names.end(), made) != names.end()) made += "_";
  return made;
}

/// Screws that share a coordinate follow the first of them.
std::optional<Mimic> coupling(const ProductOfExponentials& c, std::size_t i, const std::vector<std::string>& names) {
  const std::size_t n = c.screws.size();
  if (c.coordinates.size() != n || c.ratios.size() != n || c.offsets.size() != n) return std::nullopt;
  for (std::size_t k = 0; k < i; ++k) {
    if (c.coordinates[k] != c.coordinates[i] || c.ratios[k] == 0.0) continue;
    const double ratio = c.ratios[i] / c.ratios[k];
    return Mimic{names[k], ratio, c.offsets[i] - ratio * c.offsets[k]};
  }
  return std::nullopt;
}

}  // namespace

Pose ProductOfExponentials::pose(const VectorRef& q) const {
  if (q.size() != static_cast<Eigen::Index>(screws.size()))
    throw Error(fmt::format("q has {} numbers, expected one per screw, {}", q.size(), screws.size()));
  Pose X;
  for (std::size_t i = 0; i < screws.size(); ++i) X = X * Pose::exp(q[static_cast<int>(i)] * screws[i]);
  return X * reference;
}

ProductOfExponentials product_of_exponentials(const Mechanism& m, std::string_view place) {
  const Place at = m.place(place);
  ProductOfExponentials chain;
  Pose X_WL;  // of the link at zero coordinates
  for (int index : chain_to(m, at.link)) {
    const Link& link = m.links()[index];
    const Joint& joint = m.joints()[link.joint];
    std::vector<Twist<double>> screws;
    if (!joint_screws(link, screws))
      throw Error(fmt::format("joint '{}' ({}) has no product of exponentials in its own coordinates", joint.name,
                              joint.type));
    X_WL = X_WL * link.X_PN;
    for (int k = 0; k < static_cast<int>(screws.size()); ++k) {
      chain.screws.push_back(X_WL * screws[k]);
      chain.joints.push_back(joint.name);
      chain.coordinates.push_back(link.q.start + k);
      chain.ratios.push_back(link.ratio);
      chain.offsets.push_back(link.offset);
    }
  }
  chain.reference = X_WL * at.X_LP;
  return chain;
}

Mechanism mechanism_of(const ProductOfExponentials& chain, const std::vector<Inertia<double>>& inertias,
                       const std::string& name) {
  if (!inertias.empty() && inertias.size() != chain.screws.size())
    throw Error(fmt::format("{} inertias given for {} screws", inertias.size(), chain.screws.size()));
  Builder b(name);
  std::string parent = kWorld;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < chain.screws.size(); ++i) {
    names.push_back(joint_name(chain, i));
    JointDescription j = joint_of(chain.screws[i], names.back());
    j.mimic = coupling(chain, i, names);
    j.parent = parent;
    j.child = parent = fmt::format("body{}", i + 1);
    b.body({.name = j.child, .inertia = inertias.empty() ? Inertia<double>() : inertias[i]});
    b.joint(j);
  }
  b.frame({.name = "tool", .body = parent, .X_BF = chain.reference});
  return b.build();
}

}  // namespace amble
