#include "amble/dynamics/test/mjcf_reference.hpp"
#include "amble/ports/carried_elements.hpp"
#include "amble/ports/drive_forces.hpp"

// Forces of drives, and those that robots carry, against the numbers of MuJoCo 3.12.
namespace amble {
namespace {

using namespace test;  // NOLINT: of this file alone

class MjcfReferenceForces : public MjcfReference {};

TEST_F(MjcfReferenceForces, OfDrivesAgree) {
  int compared = 0;
  for (const fs::path& file : references()) {
    SCOPED_TRACE(file.string());
    const Reference r(file);
    Workspace work(r.robot);
    for (const json& at : r.numbers["states"]) {
      const State s(r, at);
      const auto u = at["ctrl"].get<std::vector<double>>();
      const DriveForces ours = drive_forces(r.robot, work, s.q, s.v, u,
                                            std::vector<double>(activation_names(r.robot).size(), 0.0));
      const Eigen::VectorXd force = vector(at["actuator_force"]),
                            tau = s.T.transpose() * vector(at["qfrc_actuator"]);
      for (Eigen::Index i = 0; i < force.size(); ++i, ++compared)
        EXPECT_NEAR(ours.force[i], force[i], 1e-9 * (1.0 + std::abs(force[i])))
            << r.robot.description().drives[static_cast<std::size_t>(i)].name;
      EXPECT_LT((ours.tau - tau).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + tau.cwiseAbs().maxCoeff()));
    }
  }
  EXPECT_GT(compared, 300);
}

/// MuJoCo has dry friction among its constraints, and fluids among what is passive.
TEST_F(MjcfReferenceForces, OfSpringsAndDampersAgree) {
  int compared = 0;
  for (const fs::path& file : references()) {
    const Reference r(file);
    if (file.string().find("skydio_x2") != std::string::npos) continue;  // flies in air
    SCOPED_TRACE(file.string());
    Workspace work(r.robot);
    for (const json& at : r.numbers["states"]) {
      const State s(r, at);
      Eigen::VectorXd ours = carried_forces(r.robot, work, s.q, s.v);
      for (Eigen::Index i = 0; i < ours.size(); ++i)
        ours[i] += r.robot.friction()[i] * s.v[i] / std::hypot(s.v[i], 1e-3);
      const Eigen::VectorXd passive = s.T.transpose() * vector(at["passive"]);
      EXPECT_LT((ours - passive).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + passive.cwiseAbs().maxCoeff()));
      ++compared;
    }
  }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace amble
