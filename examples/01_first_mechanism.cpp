// A double pendulum in code: where is its tip, and how does the tip move?
#include <amble/amble.hpp>
#include <iostream>

int main() {
  const auto rod = amble::Inertia<double>::from_com(
      1.0, {0.0, 0.0, -0.5}, amble::Matrix3<double>(amble::Vector3<double>(1.0 / 12, 1.0 / 12, 0.001).asDiagonal()));
  amble::Builder b("double_pendulum");
  b.body({.name = "upper", .inertia = rod});
  b.body({.name = "lower", .inertia = rod});
  b.joint({.name = "shoulder", .type = "revolute", .parent = "world", .child = "upper", .axis = {0, 1, 0}});
  b.joint({.name = "elbow", .type = "revolute", .parent = "upper", .child = "lower",
           .X_PF = amble::Pose(amble::Vector3<double>(0, 0, -1)), .axis = {0, 1, 0}});
  b.frame({.name = "tip", .body = "lower", .X_BF = amble::Pose(amble::Vector3<double>(0, 0, -1))});
  const amble::Mechanism pendulum = b.build();

  amble::Workspace work(pendulum);  // all memory this thread needs
  Eigen::Vector2d q(0.3, -0.5);
  std::cout << "tip at " << amble::pose(pendulum, work, q, "tip").translation().transpose() << " m\n";
  std::cout << "its Jacobian\n"
            << amble::jacobian(pendulum, work, q, "tip", {.frame = amble::JacobianFrame::aligned}) << "\n";
}
