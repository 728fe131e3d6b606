#include "bench/convention.hpp"

#include <Eigen/Geometry>

namespace amble::bench {

namespace {

bool turns_freely(const TreeLink& link) { return link.nv == 6 || link.type == "spherical"; }

/// The part of T and Tdot v that belongs to a link, into `rows` of the peer.
struct Block {
  const TreeLink& link;
  const Convention& convention;
  int start;

  void put(const State& s, Eigen::MatrixXd& T, Eigen::VectorXd& Tdot_v) const {
    if (!turns_freely(link)) {
      T.block(start, link.v, link.nv, link.nv).setIdentity();
      return;
    }
    const Eigen::Matrix3d R = rotation_at(link, s.q), I = Eigen::Matrix3d::Identity();
    const bool free = link.nv == 6;
    const int linear = start + (convention.angular_first ? 3 : 0);
    const int angular = start + (free && !convention.angular_first ? 3 : 0);
    const int our_angular = link.v + (free ? 3 : 0);
    T.block<3, 3>(angular, our_angular) = convention.angular_in_parent ? R : I;
    if (!free) return;
    T.block<3, 3>(linear, link.v) = convention.linear_in_parent ? R : I;
    // d/dt (R v) = R (vdot + w x v); the angular part has w x w = 0.
    const Eigen::Vector3d v = s.v.segment<3>(link.v), w = s.v.segment<3>(our_angular);
    if (convention.linear_in_parent) Tdot_v.segment<3>(linear) = R * w.cross(v);
  }
};

}  // namespace

Eigen::Matrix3d rotation_at(const TreeLink& link, const Eigen::VectorXd& q) {
  const auto xyzw = q.segment<4>(link.q + link.nq - 4);
  return Eigen::Quaterniond(xyzw[3], xyzw[0], xyzw[1], xyzw[2]).toRotationMatrix();
}

Conversion::Conversion(const Tree& tree, const std::vector<State>& states, const Convention& convention,
                       const std::vector<int>& starts)
    : states_(states) {
  for (const State& s : states) {
    Eigen::MatrixXd T = Eigen::MatrixXd::Zero(tree.nv, tree.nv);
    Eigen::VectorXd Tdot_v = Eigen::VectorXd::Zero(tree.nv);
    for (std::size_t i = 0; i < tree.links.size(); ++i) Block{tree.links[i], convention, starts[i]}.put(s, T, Tdot_v);
    T_.push_back(std::move(T));
    Tdot_v_.push_back(std::move(Tdot_v));
  }
}

Eigen::VectorXd Conversion::velocity(int i) const { return T_[i] * states_[i].v; }
Eigen::VectorXd Conversion::acceleration(int i) const { return T_[i] * states_[i].a + Tdot_v_[i]; }
Eigen::VectorXd Conversion::force(int i) const { return T_[i] * states_[i].tau; }
Eigen::MatrixXd Conversion::our_acceleration(int i, const Eigen::VectorXd& a) const {
  return T_[i].transpose() * (a - Tdot_v_[i]);
}
Eigen::MatrixXd Conversion::our_force(int i, const Eigen::VectorXd& tau) const { return T_[i].transpose() * tau; }
Eigen::MatrixXd Conversion::our_mass_matrix(int i, const Eigen::MatrixXd& M) const {
  return T_[i].transpose() * M * T_[i];
}

}  // namespace amble::bench
