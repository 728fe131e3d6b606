#pragma once

#include "amble/base/random.hpp"
#include "amble/contact/contact_scene.hpp"
#include "amble/control/test/standing_robot.hpp"
#include "amble/simulation/simulator.hpp"

// The humanoid in simulation: whole-body control at 1 kHz against the contact engine, pushed at random.
namespace amble {

/// A force on a body for a while, now and then: horizontal, from any side.
class Pushes : public Controller {
 public:
  Pushes(std::string body, double impulse, std::uint64_t seed, double every = 2.0, double lasting = 0.1)
      : body_(std::move(body)), impulse_(impulse), every_(every), lasting_(lasting), random_(seed) {}

  void update(const ControllerState& at, double t, OwnedVector& tau) override {
    const int index = static_cast<int>(t / every_);
    if (index != index_) index_ = index, angle_ = random_.uniform(0.0, 6.283185307179586), start_ = random_.uniform(0.2, 0.8) * every_;
    const double inside = t - index * every_ - start_;
    if (inside < 0.0 || inside >= lasting_ || index == 0) return;
    const JacobianOptions there{.frame = JacobianFrame::aligned};
    const Eigen::Vector3d force = impulse_ / lasting_ * Eigen::Vector3d(std::cos(angle_), std::sin(angle_), 0.0);
    tau = Eigen::MatrixXd(jacobian(at.mechanism, at.work, at.q, body_, there)).topRows(3).transpose() * force;
  }

 private:
  std::string body_;
  double impulse_, every_, lasting_;
  Random random_;
  int index_ = -1;
  double angle_ = 0.0, start_ = 0.0;
};

struct PushedStanding {
  Standing robot;
  Mechanism plant;
  std::unique_ptr<Simulator> simulator;

  /// `plant` is what is simulated, which need not be what the controller believes.
  explicit PushedStanding(const Mechanism& real, double impulse = 0.0, std::uint64_t seed = 1) : plant(real) {
    std::vector<ElementPtr> elements = {
        contact_scene("contacts", plant, {.material = {.friction = 0.8}, .between_bodies = false}),
        sampled("balance", robot.controller, plant, {.period = 1e-3})};
    if (impulse > 0.0)
      elements.push_back(sampled("pushes", std::make_shared<Pushes>("torso", impulse, seed), plant, {.period = 1e-3}));
    SimulatorOptions options;
    options.method = "time_stepping", options.integrator.step = 1e-3;
    simulator = std::make_unique<Simulator>(plant, elements, std::vector<ConstraintPtr>{}, options);
    simulator->reset(robot.q, robot.v);
  }
  double height() {
    Workspace work(plant);
    return pose(plant, work, simulator->q(), "torso").translation()[2];
  }
};

}  // namespace amble
