// A joint type of one's own: a cam follower that rises as it turns. Only its motion is written; what the library needs
// beyond that (motion subspace, its derivative) follows by automatic differentiation.
#include <amble/amble.hpp>
#include <iostream>

struct Cam : amble::CustomJointOf<Cam, 1> {
  std::string name() const override { return "cam"; }
  template <class T>
  amble::SE3<T> motion(const T* q) const {
    using std::cos;
    const T lift = T(0.05) * (T(1.0) - cos(q[0]));
    return amble::SE3<T>(amble::SO3<T>::about(2, q[0]), amble::Vector3<T>(T(0.0), T(0.0), lift));
  }
};

int main() {
  amble::Builder b("cam_follower");
  b.body({.name = "follower",
          .inertia = amble::Inertia<double>::from_com(1.0, {0.0, 0.0, 0.0}, amble::Matrix3<double>::Identity())});
  b.joint({.name = "cam", .type = "custom", .parent = "world", .child = "follower",
           .custom = std::make_shared<Cam>()});
  const amble::Mechanism mechanism = b.build();
  amble::Workspace work(mechanism);
  Eigen::VectorXd q(1);
  q << 1.0;
  const auto& J = amble::jacobian(mechanism, work, q, "follower");
  std::cout << "lift rate per radian: " << J(2, 0) << " (0.05 sin 1 = " << 0.05 * std::sin(1.0) << ")\n";
  return std::abs(J(2, 0) - 0.05 * std::sin(1.0)) < 1e-15 ? 0 : 1;
}
