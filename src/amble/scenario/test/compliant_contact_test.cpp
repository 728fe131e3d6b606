#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/scenario/run.hpp"
#include "amble/scenario/stage.hpp"

namespace amble {
namespace {

Scenario ball(const std::string& contact, const std::string& world = "") {
  const std::string text = "[model]\nfile = '" + source_dir() + "/models/ball.urdf'\nbase = 'floating'\n" +
                           world +
                           "[initial.q]\nroot_joint = [0, 0, 0.3, 0, 0, 0, 1]\n[simulation]\nduration = 0.5\n"
                           "[[elements]]\ntype = 'compliant_contact'\nname = 'contact'\n" +
                           contact;
  return read_scenario(text, "s.toml");
}

TEST(ScenarioContact, TheBouncingBallOfTheScenariosDoesWhatItsChecksSay) {
  ScenarioRun run(load_scenario(source_dir() + "/scenarios/bouncing_ball_compliant.toml"));
  run.run();
  for (const CheckResult& check : run.checks()) EXPECT_TRUE(check.holds) << check.name << ": " << check.value;
}

TEST(ScenarioContact, EveryNumberOfAContactIsRead) {
  const Scenario s = ball(
      "body = 'ball'\npoint = [0.1, 0.2, 0.3]\nradius = 0.05\nnormal_law = 'kelvin_voigt'\nstiffness = "
      "1\ndamping = 2\n"
      "exponent = 3\nsliding_law = 'lugre'\nfriction = 4\nsliding_stiffness = [5, 6]\nrelaxation = "
      "7\nslip_exponent = 8\n"
      "static_friction = 9\nstribeck_speed = 10\nbristle_damping = 11\nviscosity = 12\ntwist_stiffness = 13\n"
      "twist_friction = 14\ntwist_relaxation = 15\nrolling_arm = 16\nrolling_creep = 17\nrolling_damping = "
      "18\nrelief = 19\n"
      "share_a = 0.2\nfading = 20\n");
  const auto& c = std::get<scenario_elements::CompliantContact>(s.elements.at(0).kind);
  EXPECT_EQ(c.point[2], 0.3);
  EXPECT_EQ(c.radius, 0.05);
  EXPECT_EQ(c.normal_law + " " + c.sliding_law, "kelvin_voigt lugre");
  const double read[] = {c.normal.stiffness,
                         c.normal.damping,
                         c.normal.exponent,
                         c.sliding.friction,
                         c.sliding.stiffness,
                         c.sliding.stiffness_across,
                         c.sliding.relaxation,
                         c.sliding.exponent,
                         c.sliding.static_friction,
                         c.sliding.stribeck_speed,
                         c.sliding.damping,
                         c.sliding.viscosity,
                         c.twist.stiffness,
                         c.twist.friction,
                         c.twist.relaxation,
                         c.roll.arm,
                         c.roll.creep,
                         c.roll.damping,
                         c.roll.relief,
                         c.fading};
  for (int i = 0; i < 20; ++i) EXPECT_EQ(read[i], i + 1.0) << i;
  EXPECT_EQ(c.share_a, 0.2);
}

TEST(ScenarioContact, ABallRestsOnTheGroundOfTheWorld) {
  for (const char* world : {"[world]\nground = { type = 'plane', slope_deg = 10 }\n",
                            "[world]\nground = { type = 'sine', amplitude = 0.02, frequency = 0.5 }\n"}) {
    ScenarioRun run(ball(
        "body = 'ball'\nradius = 0.1\nnormal_law = 'kelvin_voigt'\nstiffness = 1e4\ndamping = 100\n", world));
    run.run();
    const Recording& r = run.recording();
    EXPECT_GE(r.events().size(), 1u) << world;
    EXPECT_GT(r.q()(r.rows() - 1, 2), 0.0) << world;
    EXPECT_LT(std::abs(r.ledger().residual()), 1e-7 * r.ledger().exchanged) << world;
  }
}

TEST(ScenarioContact, WhatMakesNoContactIsRefused) {
  const auto refusal = [](const std::string& contact) { return message_of([&] { set_up(ball(contact)); }); };
  EXPECT_EQ(refusal("stiffness = 1e4\n"), "s.toml:8: 'elements[0].body': is missing");
  EXPECT_EQ(refusal("body = 'ball'\n"), "s.toml:8: 'elements[0].stiffness': is missing");
  EXPECT_NE(refusal("body = 'ball'\nstiffness = 1e4\nnormal_law = 'herz'\n").find("(did you mean 'hertz'?)"),
            std::string::npos);
  EXPECT_NE(refusal("body = 'ball'\nstiffness = 1e4\nsliding_stiffness = [1, 2, 3]\n")
                .find("has 3 numbers, expected 1 or 2"),
            std::string::npos);
}

}  // namespace
}  // namespace amble
