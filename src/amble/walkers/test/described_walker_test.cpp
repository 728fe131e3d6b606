#include "amble/walkers/described_walker.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/walkers/foot_angles.hpp"

namespace amble {
namespace {

using Symmetry = WalkerDescription::Symmetry;

/// A pelvis with two legs, each with a hip and a knee; `width` between the hips (m), `knees` or none.
Mechanism biped(double width, bool in_space) {
  Builder b("biped");
  const auto inertia = [](double mass, const Vector3<double>& com) {
    return Inertia<double>::from_com(mass, com,
                                     Matrix3<double>(Vector3<double>(0.03, 0.04, 0.02).asDiagonal()));
  };
  b.body({.name = "pelvis", .inertia = inertia(4.0, {0.01, 0.0, 0.1})});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "pelvis"});
  for (const auto& [side, y] : {std::pair{"left", 1.0}, {"right", -1.0}}) {
    const std::string s = side;
    std::string parent = "pelvis";
    Pose at(Vector3<double>(0.0, 0.5 * y * width, 0.0));
    if (in_space) {
      b.body({.name = s + "_hip_body", .inertia = inertia(0.3, {0.0, 0.0, 0.0})});
      b.joint({.name = s + "_hip_roll",
               .type = "revolute",
               .parent = parent,
               .child = s + "_hip_body",
               .X_PF = at,
               .axis = {1, 0, 0}});
      parent = s + "_hip_body", at = Pose();
    }
    b.body({.name = s + "_thigh", .inertia = inertia(1.0, {0.02, 0.01 * y * width, -0.2})});
    b.body({.name = s + "_shank", .inertia = inertia(0.7, {-0.01, 0.0, -0.25})});
    b.joint({.name = s + "_hip",
             .type = "revolute",
             .parent = parent,
             .child = s + "_thigh",
             .X_PF = at,
             .axis = {0, 1, 0}});
    JointDescription knee{.name = s + "_knee",
                          .type = "revolute",
                          .parent = s + "_thigh",
                          .child = s + "_shank",
                          .X_PF = Pose(Vector3<double>(0.0, 0.0, -0.45)),
                          .axis = {0, 1, 0}};
    knee.properties.stiffness = {3.0}, knee.properties.damping = {0.1}, knee.properties.reference = {0.2};
    b.joint(knee);
  }
  return b.build();
}

WalkerDescription described(bool in_space, Symmetry::Return returns, double radius = 0.0) {
  WalkerDescription w{
      .name = "biped", .model = biped(0.2, in_space), .planar = !in_space, .slope = in_space ? 0.0 : 0.05};
  w.feet = {{"left", "left_shank", {0.03, 0.0, -0.5}, radius},
            {"right", "right_shank", {0.03, 0.0, -0.5}, radius}};
  w.phases = {{.name = "swing",
               .stance = "left",
               .swing = "right",
               .stop = WalkerDescription::Stop{"right_knee", 0.1, false},
               .locked = {{"left_knee", 0.1}}},
              {.name = "straight",
               .stance = "left",
               .swing = "right",
               .locked = {{"left_knee", 0.1}, {"right_knee", 0.1}},
               .passing = {{"left_hip", 1.0}, {"right_hip", -1.0}}}};
  w.symmetry = Symmetry{returns, {}, {{"left", "right"}, {"right", "left"}}};
  const auto pair = [&](const std::string& joint, double sign) {
    w.symmetry->joints["left_" + joint] = {"right_" + joint, sign};
    w.symmetry->joints["right_" + joint] = {"left_" + joint, sign};
  };
  pair("hip", 1.0), pair("knee", 1.0);
  if (in_space) pair("hip_roll", -1.0);
  w.bounds = {{"pitch", -1.5, 1.5, "falls over"}, {"right_knee", 0.0, 3.0, "bends its knee back"}};
  w.region = {{"pitch", -0.4, -0.1}, {"dpitch", 0.3, 1.5}};
  w.start = {{"right_hip", {0.0, {{"pitch", -2.0}}}}, {"right_knee", {0.1, {}}}};
  return w;
}

std::vector<WalkerDescription> all_walkers() {
  return {described(false, Symmetry::Return::step),      described(false, Symmetry::Return::stride),
          described(false, Symmetry::Return::step, 0.1), described(false, Symmetry::Return::stride, 0.1),
          described(true, Symmetry::Return::step),       described(true, Symmetry::Return::stride)};
}

OwnedVector random_numbers(int size, Random& random, double reach = 0.4) {
  OwnedVector x(size);
  for (double& number : x) number = random.uniform(-reach, reach);
  return x;
}

TEST(FootAngles, TheyAndTheirRatesHaveTheDerivativesOfDifferences) {
  Random random(1);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ModelDescription d = random_mechanism(seed, {.bodies = 6, .types = {"revolute", "prismatic", "helical"}})
                             .mechanism.description();
    const std::string body = d.bodies.back().name;
    const Mechanism m = compile(std::move(d));
    Workspace work(m);
    const OwnedVector q = random_numbers(m.nq(), random, 1.0), v = random_numbers(m.nv(), random, 1.0);
    for (const bool mirrored : {false, true}) {
      const FootAngles here = foot_angles(m, work, q, v, body, mirrored, true);
      if (std::cos(here.angles[1]) < 0.2) continue;
      const double h = 1e-4;
      for (int k = 0; k < m.nv(); ++k) {
        Vector3<double> angles = Vector3<double>::Zero(), rates = angles;
        for (const auto& [share, weight] :
             {std::pair{1, 45.0}, {-1, -45.0}, {2, -9.0}, {-2, 9.0}, {3, 1.0}, {-3, -1.0}}) {
          OwnedVector moved = q;
          moved[k] += share * h;
          const FootAngles there = foot_angles(m, work, moved, v, body, mirrored, false);
          Vector3<double> change = there.angles - here.angles;
          for (double& angle : change) angle = std::remainder(angle, 2.0 * M_PI);
          angles += weight * change / (60.0 * h), rates += weight * (there.rates - here.rates) / (60.0 * h);
        }
        EXPECT_LT((here.J.col(k) - angles).norm(), 1e-8 * (1.0 + angles.norm())) << seed;
        EXPECT_LT((here.drates.col(k) - rates).norm(), 1e-7 * (1.0 + rates.norm())) << seed;
      }
      EXPECT_LT((here.J * v - here.rates).norm(), 1e-12 * (1.0 + here.rates.norm()));
    }
  }
}

TEST(DescribedWalker, NothingJumpsAtAnEvent) {
  Random random(2);
  for (const WalkerDescription& w : all_walkers()) {
    DescribedWalker walker(w);
    const Mechanism& full = walker.spec().full;
    Workspace work(full);
    for (int i = 0; i < walker.phases(); ++i)
      for (int trial = 0; trial < 5; ++trial) {
        const int m = walker.phase(i).freedoms(), next = (i + 1) % walker.phases(),
                  k = walker.phase(next).freedoms();
        const OwnedVector x = random_numbers(2 * m, random);
        OwnedVector after(2 * k);
        walker.phase(i).reset(x.data(), after.data(), nullptr);
        // Where a knee stops, it is at its stop before: this state need not be, so only what stands on feet
        // is compared.
        const FloorPlace start{.x = 0.3, .y = w.planar ? 0.0 : -0.2, .turn = w.planar ? 0.0 : 0.7};
        const auto before = walker.full_state_at(start, i, x.data());
        const auto then =
            walker.full_state_at(start.then(walker.next_place(i, x.data())), next, after.data());
        if (walker.mechanism_phase(i).spec().stop) continue;
        OwnedVector change = before.first - then.first;
        // A foot that lands above the floor in a random state is put on it: heights differ by that alone.
        const int z = full.v_slice("z").start;
        const double height = walker.mechanism_phase(i).clearance(x.data());
        EXPECT_NEAR(change[z], height, 1e-12);
        change[z] = 0.0;
        for (double& angle : change) angle = std::remainder(angle, 2.0 * M_PI);
        EXPECT_LT(change.norm(), 1e-11) << w.planar << " phase " << i << "\n"
                                        << before.first.transpose() << "\n"
                                        << then.first.transpose();
      }
  }
}

TEST(DescribedWalker, ResetsHaveTheDerivativeOfDifferences) {
  Random random(3);
  for (const WalkerDescription& w : all_walkers()) {
    DescribedWalker walker(w);
    for (int i = 0; i < walker.phases(); ++i) {
      const int n = 2 * walker.phase(i).freedoms(),
                k = 2 * walker.phase((i + 1) % walker.phases()).freedoms();
      OwnedVector x = random_numbers(n, random), next(k);
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> d(k, n);
      walker.phase(i).reset(x.data(), next.data(), d.data());
      const double h = 1e-3;
      for (int column = 0; column < n; ++column) {
        Eigen::VectorXd slope = Eigen::VectorXd::Zero(k);
        for (const auto& [share, weight] :
             {std::pair{1, 45.0}, {-1, -45.0}, {2, -9.0}, {-2, 9.0}, {3, 1.0}, {-3, -1.0}}) {
          OwnedVector moved = x, out(k);
          moved[column] += share * h;
          walker.phase(i).reset(moved.data(), out.data(), nullptr);
          slope += weight * (out - next) / (60.0 * h);
        }
        EXPECT_LT((d.col(column) - slope).norm(), 1e-8 * (1.0 + slope.norm())) << w.planar << i << column;
      }
    }
  }
}

TEST(DescribedWalker, TheUsersOwnMechanismHasTheSameEnergy) {
  Random random(4);
  for (const WalkerDescription& w : all_walkers()) {
    DescribedWalker walker(w);
    Workspace work(walker.model());
    for (int i = 0; i < walker.phases(); ++i) {
      const OwnedVector x = random_numbers(2 * walker.phase(i).freedoms(), random);
      const auto [q_full, v_full] = walker.full_state(i, x.data());
      const auto [q, v] = walker.model_state(q_full, v_full);
      EXPECT_NEAR(kinetic_energy(walker.model(), work, q, v), walker.phase(i).kinetic_energy(x.data()),
                  1e-11);
      const auto [back_q, back_v] = walker.full_of_model_state(q, v);
      EXPECT_LT((back_q - q_full).norm() + (back_v - v_full).norm(), 1e-11);
    }
  }
}

TEST(DescribedWalker, AStrideOfASymmetricWalkerIsTwoStepsOfIt) {
  Random random(5);
  for (const bool in_space : {false, true}) {
    DescribedWalker step(described(in_space, Symmetry::Return::step)),
        stride(described(in_space, Symmetry::Return::stride));
    ASSERT_EQ(stride.phases(), 2 * step.phases());
    EXPECT_EQ(step.footfalls(), 1);
    EXPECT_EQ(stride.footfalls(), 2);
    for (int i = 0; i < 2; ++i) {
      const int m = step.phase(i).freedoms();
      const OwnedVector x = random_numbers(2 * m, random);
      // What the other side does is the same in the mirror.
      OwnedVector a(m), b(m);
      step.phase(i).acceleration(x.data(), a.data(), nullptr);
      const auto& names = step.mechanism_phase(i).spec().stance.joint_names();
      const auto& other_names = stride.mechanism_phase(i + 2).spec().stance;
      OwnedVector mirrored(2 * m);
      const auto other = [](std::string name) {
        if (name.starts_with("left")) return "right" + name.substr(4);
        if (name.starts_with("right")) return "left" + name.substr(5);
        return name;
      };
      const auto sign = [](const std::string& name) {
        return name.ends_with("roll") || name == "yaw" ? -1.0 : 1.0;
      };
      for (int k = 0; k < m; ++k) {
        const int at = other_names.v_slice(other(names[k])).start;
        mirrored[at] = sign(names[k]) * x[k], mirrored[m + at] = sign(names[k]) * x[m + k];
      }
      stride.phase(i + 2).acceleration(mirrored.data(), b.data(), nullptr);
      for (int k = 0; k < m; ++k)
        EXPECT_NEAR(b[other_names.v_slice(other(names[k])).start], sign(names[k]) * a[k],
                    1e-9 * (1.0 + a.norm()))
            << names[k];
      EXPECT_NEAR(stride.phase(i + 2).guard(mirrored.data(), nullptr), step.phase(i).guard(x.data(), nullptr),
                  1e-12);
    }
  }
}

TEST(DescribedWalker, OnALevelFloorHeadingsAreCountedFromTheFootThatStands) {
  const WalkerDescription level = described(true, Symmetry::Return::stride);
  WalkerDescription sloping = level;
  sloping.slope = 0.05;
  DescribedWalker walker(level);
  EXPECT_EQ(walker.cyclic(), std::vector<std::string>{"yaw"});
  EXPECT_TRUE(DescribedWalker(sloping).cyclic().empty());
  EXPECT_TRUE(DescribedWalker(described(false, Symmetry::Return::step)).cyclic().empty());
  Random random(6);
  const int m = walker.phase(1).freedoms(), k = walker.phase(2).freedoms();
  OwnedVector x = random_numbers(2 * m, random), next(2 * k), turned(2 * k);
  walker.phase(1).reset(x.data(), next.data(), nullptr);
  const double turn = walker.next_place(1, x.data()).turn;
  x[0] += 0.8;
  walker.phase(1).reset(x.data(), turned.data(), nullptr);
  EXPECT_EQ(next[0], 0.0);
  EXPECT_LT((turned - next).norm(), 1e-12);
  EXPECT_NEAR(walker.next_place(1, x.data()).turn, turn + 0.8, 1e-12);
}

// ---- bad input

std::string refusal(const std::function<void(WalkerDescription&)>& change, bool in_space = false) {
  WalkerDescription w = described(in_space, Symmetry::Return::step);
  change(w);
  return message_of([&] { DescribedWalker walker(w); });
}

TEST(DescribedWalker, WhatDoesNotFitIsNamed) {
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_EQ(refusal([](auto& w) { w.gravity = 0.0; }),
            "walker 'biped': its gravity is 0: expected more than 0");
  EXPECT_EQ(refusal([](auto& w) { w.slope = 2.0; }), "walker 'biped': its floor is upright");
  EXPECT_EQ(refusal([](auto& w) { w.feet.pop_back(); }),
            "walker 'biped': it has 1 feet: expected two or more");
  EXPECT_EQ(refusal([](auto& w) { w.feet[1].name = "left"; }), "walker 'biped': it has several feet 'left'");
  EXPECT_EQ(refusal([](auto& w) { w.feet[0].body = "left_shnk"; }),
            "walker 'biped': foot 'left' names the body 'left_shnk', which it does not have (did you mean "
            "'left_shank'?); it has "
            "pelvis, left_thigh, left_shank, right_thigh, right_shank");
  EXPECT_EQ(refusal([](auto& w) { w.feet[0].radius = -1.0; }),
            "walker 'biped': foot 'left' has the radius -1: expected 0 or more");
  EXPECT_NE(refusal([](auto& w) { w.feet[0].radius = 0.1; }, true).find("foot 'left' is round: in space"),
            std::string::npos);
  EXPECT_EQ(refusal([](auto& w) { w.phases.clear(); }), "walker 'biped': it has no phases");
  EXPECT_EQ(refusal([](auto& w) { w.phases[0].swing = "left"; }),
            "walker 'biped': phase 'swing' stands on foot 'left' and swings it");
  EXPECT_NE(refusal([](auto& w) { w.phases[0].stance = "lft"; }).find("phase 'swing' names the foot 'lft'"),
            std::string::npos);
  EXPECT_NE(
      refusal([](auto& w) { w.phases[0].locked["knee"] = 0.0; }).find("phase 'swing' names the joint 'knee'"),
      std::string::npos);
  EXPECT_NE(refusal([](auto& w) { w.phases[0].locked["pitch"] = 0.0; }).find("names the joint 'pitch'"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& w) { w.phases[1].passing["hop"] = 1.0; }).find("names the coordinate 'hop'"),
            std::string::npos);
  EXPECT_EQ(refusal([](auto& w) { w.phases[0].stop->joint = "left_knee"; }),
            "walker 'biped': phase 'swing' ends with joint 'left_knee', which is locked in it");
  EXPECT_EQ(refusal([](auto& w) { w.phases[0].rest["left_hip"] = 0.1; }),
            "walker 'biped': phase 'swing' says where the spring of joint 'left_hip' rests, which has none");
  EXPECT_EQ(refusal([](auto& w) { w.phases[1].locked["right_knee"] = 0.2; }),
            "walker 'biped': phase 'straight' has joint 'right_knee' locked at 0.2, but it need not be there "
            "when phase 'swing' ends");
  EXPECT_EQ(
      refusal([](auto& w) { w.phases[1].stance = "right", w.phases[1].swing = "left"; }),
      "walker 'biped': after phase 'swing' it stands on foot 'left', but phase 'straight' stands on 'right'");
  EXPECT_EQ(refusal([](auto& w) { w.symmetry->joints["left_hip"].second = -1.0; }),
            "walker 'biped': the symmetry takes joint 'left_hip' to 'right_hip', but not back");
  EXPECT_EQ(refusal([](auto& w) { w.symmetry->feet["left"] = "left"; }),
            "walker 'biped': the symmetry takes foot 'right' to 'left', but not back");
  EXPECT_NE(
      refusal([](auto& w) { w.bounds[0].coordinate = "lean"; }).find("a bound names the coordinate 'lean'"),
      std::string::npos);
  EXPECT_EQ(refusal([](auto& w) { w.bounds[0].lower = 2.0; }),
            "walker 'biped': 'pitch' is bounded by 2 and 1.5: expected the smaller first");
  EXPECT_EQ(refusal([](auto& w) { w.region.clear(); }),
            "walker 'biped': it has no region to look for cycles in");
  EXPECT_EQ(refusal([](auto& w) { w.region[0].lower = 1.0; }),
            "walker 'biped': its region has 'pitch' from 1 to -0.1: expected the smaller first");
  EXPECT_NE(refusal([](auto& w) {
              w.region[0].name = "pich";
            }).find("its region names 'pich' (did you mean 'pitch'?)"),
            std::string::npos);
  EXPECT_EQ(refusal([](auto& w) { w.start["pitch"].constant = 1.0; }),
            "walker 'biped': 'pitch' has a start, but its region bounds it");
  EXPECT_EQ(refusal([](auto& w) { w.start["left_hip"].multiples["dleft_hip"] = 1.0; }),
            "walker 'biped': the start of 'left_hip' is a multiple of 'dleft_hip', which the region does not "
            "bound");
}

TEST(DescribedWalker, MechanismsThatCannotWalkLikeThatAreRefused) {
  EXPECT_EQ(refusal([](auto& w) {
              w.model = with_payload(w.model, "left_thigh",
                                     Inertia<double>::from_com(0.5, {0, 0, -0.1}, Matrix3<double>::Zero()));
            })
                .find("walker 'biped' is not as its symmetry says: with left and right exchanged its kinetic "
                      "energy is"),
            0u);
  EXPECT_EQ(
      refusal([](auto& w) { w.feet[1].point[2] = -0.6; }).find("walker 'biped' is not as its symmetry says"),
      0u);
  EXPECT_EQ(refusal([](auto& w) {
              w.model = biped(0.2, true);
            }).find("walker 'biped' walks in the plane of x and z, but joint"),
            0u);
  EXPECT_EQ(refusal([](auto& w) {
              w.model = with_properties(w.model, "left_knee",
                                        {.damping = {0.2}, .stiffness = {3.0}, .reference = {0.2}});
            }).find("walker 'biped' is not as its symmetry says: its springs or dampers differ"),
            0u);
  EXPECT_EQ(refusal([](auto& w) { w.model = with_properties(w.model, "left_hip", {.friction = {0.2}}); }),
            "walker 'biped': joint 'left_hip' has dry friction, which gaits do not know");
  EXPECT_EQ(refusal([](auto& w) {
              w.model = with_locked(w.model, {{"root", {0, 0, 0, 0, 0, 0, 1}}});
            }),
            "walker 'biped': its model 'biped' has to have one root, with a free joint to the world");
  EXPECT_EQ(refusal([](auto& w) {
              for (auto& foot : w.feet) foot.point[2] = 2.0;
            }).find("walker 'biped': its centre of mass is"),
            0u);
}

}  // namespace
}  // namespace amble
