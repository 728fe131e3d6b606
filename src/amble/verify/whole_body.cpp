#include <algorithm>
#include <cmath>

#include "amble/control/tasks/com_task.hpp"
#include "amble/control/tasks/orientation_task.hpp"
#include "amble/control/tasks/posture_task.hpp"
#include "amble/control/whole_body_controller.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/verify/whole_body/biped.hpp"
#include "amble/verify/whole_body/themes.hpp"

// Whole-body control: the three formulations of BK, and what balance asks for.
namespace amble {

namespace {

struct Stand {
  Mechanism m = verified_biped();
  OwnedVector q = bent(m), v = OwnedVector(m.nv());
  std::shared_ptr<ComTask> com = std::make_shared<ComTask>("com", m);
  std::shared_ptr<OrientationTask> trunk = std::make_shared<OrientationTask>("trunk", m, "trunk");
  std::shared_ptr<PostureTask> posture = std::make_shared<PostureTask>("posture", m);
  std::unique_ptr<WholeBodyController> control;
  Vector3<double> home;

  explicit Stand(Formulation formulation) {
    Workspace work(m);
    home = com->position = center_of_mass(m, work, q);
    posture->q = q, posture->weight = 1e-3, trunk->weight = 0.1;
    WholeBodySettings settings;
    settings.formulation = formulation;
    control = std::make_unique<WholeBodyController>(m, std::vector<TaskPtr>{com, trunk, posture}, soles(), settings);
    control->hold(0), control->hold(1);
  }

  /// Sways, squats and leans for five seconds; every state, one after another. None when a tick was not solved.
  std::vector<OwnedVector> states() {
    constexpr double kStep = 0.01;
    std::vector<OwnedVector> all;
    for (int i = 0; i < 500; ++i) {
      const double t = kStep * i;
      com->position = home + Vector3<double>(0.02 * std::sin(2 * t), 0.03 * std::sin(3 * t), -0.03 * (1 - std::cos(3 * t)));
      trunk->rotation = SO3<double>::exp({0.1 * std::sin(t), 0.2 * std::sin(2 * t), 0.2 * std::sin(t)});
      const WholeBodyResult& r = control->solve(q, v, t);
      if (!r.solved()) return {};
      v += kStep * r.a, q = m.integrate(q, kStep * v);
      all.push_back(q);
    }
    return all;
  }
};

Verification same_motion(const std::string& id, const std::string& source, Formulation other) {
  const std::vector<OwnedVector> lie = Stand(Formulation::lie_algebra).states(), chart = Stand(other).states();
  double apart = lie.empty() || chart.empty() ? kInfinity : 0.0;
  for (std::size_t i = 0; i < std::min(lie.size(), chart.size()); ++i) apart = std::max(apart, (lie[i] - chart[i]).cwiseAbs().maxCoeff());
  return {id, source, 0.0, apart, 1e-6, "two routes"};
}

Verification weight_on_feet() {
  Stand s(Formulation::lie_algebra);
  s.control->solve(s.q, s.v);
  const double up = s.control->contact_wrench(0).linear()[2] + s.control->contact_wrench(1).linear()[2];
  Workspace work(s.m);
  const Vector6<double> rate = Eigen::MatrixXd(momentum_matrix(s.m, work, s.q)) * s.control->result().a;
  return {"whole-body.weight", "Newton: the forces of the feet are weight and change of momentum", 9.81 * s.m.mass() + rate[2],
          up, 1e-7, "closed form"};
}

Verification equation_of_motion() {
  Stand s(Formulation::lie_algebra);
  for (int j = 0; j < s.m.nv(); ++j) s.v[j] = 0.1 * std::sin(j + 1.0);
  const WholeBodyResult& r = s.control->solve(s.q, s.v);
  Workspace work(s.m);
  const Eigen::VectorXd needed = inverse_dynamics(s.m, work, s.q, s.v, r.a);
  Eigen::VectorXd given = r.tau;
  for (int foot = 0; foot < 2; ++foot) {
    const std::string place = foot == 0 ? "left_foot" : "right_foot";
    const JacobianOptions there{.point = {0, 0, -kBipedSole}, .frame = JacobianFrame::aligned};
    given += Eigen::MatrixXd(jacobian(s.m, work, s.q, place, there)).transpose() * s.control->contact_wrench(foot).vector();
  }
  return {"whole-body.equation_of_motion", "BK (24), by inverse dynamics, in motion", 0.0,
          (needed - given).cwiseAbs().maxCoeff(), 1e-7, "two routes"};
}

}  // namespace

VerificationArea verify_whole_body() {
  const std::string projected = "whole-body.formulation.projected", multiplier = "whole-body.formulation.multiplier";
  VerificationArea area{
      "whole-body",
      {{projected, [=] { return same_motion(projected, "BK (36), (37): one motion over 5 s", Formulation::chart_projected); }},
       {multiplier, [=] { return same_motion(multiplier, "BK (36), (38): one motion over 5 s", Formulation::chart_multiplier); }},
       {"whole-body.weight", weight_on_feet},
       {"whole-body.equation_of_motion", equation_of_motion}}};
  for (auto theme : {whole_body_programs, whole_body_stances})
    for (VerificationEntry& entry : theme()) area.entries.push_back(std::move(entry));
  return area;
}

}  // namespace amble
