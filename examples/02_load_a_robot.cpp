// Any URDF, SDFormat or MJCF file: what is in it, and where are its bodies?
#include <amble/amble.hpp>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: 02_load_a_robot MODEL\n";
    return 2;
  }
  try {
    const amble::Mechanism robot = amble::load(argv[1]);
    std::cout << robot.name() << ": nq " << robot.nq() << ", nv " << robot.nv() << ", " << robot.mass() << " kg\n";
    for (const amble::Problem& p : robot.findings()) std::cout << "noticed: " << p.text() << "\n";
    amble::Workspace work(robot);
    const amble::OwnedVector q = robot.neutral();
    for (const std::string& body : robot.body_names())
      std::cout << body << " at " << amble::pose(robot, work, q, body).translation().transpose() << "\n";
    // Everyday changes make new mechanisms; the old one stays as it is.
    const amble::Mechanism on_the_moon = amble::with_gravity(robot, {0.0, 0.0, -1.62});
    std::cout << "gravity there: " << on_the_moon.gravity().transpose() << " m/s^2\n";
  } catch (const amble::Error& e) {
    std::cerr << "error: " << e.what() << "\n";
    return 1;
  }
}
