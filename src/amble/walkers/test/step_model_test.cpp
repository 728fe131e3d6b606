#include "amble/walkers/step_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"
#include "amble/contact/impact.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/walkers/mechanism_walker.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

std::unique_ptr<StepModel> made(const char* name, const WalkerValues& values = {}) {
  return make_walker(name, values);
}
MechanismWalker& mechanism_of(StepModel& model) { return dynamic_cast<MechanismWalker&>(model); }

std::vector<std::unique_ptr<StepModel>> mechanism_walkers() {
  std::vector<std::unique_ptr<StepModel>> all;
  all.push_back(made("compass"));
  all.push_back(made(
      "compass", {{"leg_inertia", 0.03}, {"leg_com", 0.35}, {"hip_stiffness", 2.0}, {"hip_damping", 0.3}}));
  all.push_back(made("compass", {{"foot_radius", 0.3}, {"leg_length", 0.8}}));
  all.push_back(made("dribbel"));
  all.push_back(made("trunk", {{"slope_deg", 4.0}, {"trunk_length", 0.7}}));
  all.push_back(made("torso", {{"slope_deg", 2.0}, {"foot_radius", 0.1}, {"hip_damping", 0.2}}));
  all.push_back(made("bisecting", {{"trunk_inertia", 0.1}, {"hip_stiffness", 4.0}}));
  all.push_back(made("human"));
  all.push_back(made("human", {{"rocker", 0.0}, {"arm_swing", 0.4}}));
  return all;
}

std::vector<double> random_state(int size, Random& random) {
  std::vector<double> x(static_cast<std::size_t>(size));
  for (double& number : x) number = random.uniform(-0.6, 0.6);
  return x;
}

TEST(StepModel, TheStanceModelMovesAsTheFullOneWithItsFootHeld) {
  Random random(1);
  for (const auto& model : mechanism_walkers())
    for (int i = 0; i < model->phases(); ++i) {
      MechanismPhase& phase = mechanism_of(*model).mechanism_phase(i);
      const Mechanism& full = mechanism_of(*model).spec().full;
      Workspace work(full);
      const int m = phase.freedoms();
      for (int trial = 0; trial < 20; ++trial) {
        const std::vector<double> x = random_state(2 * m, random);
        OwnedVector a(m);
        phase.acceleration(x.data(), a.data(), nullptr);
        const OwnedVector q = phase.full_configuration(x.data()), v = phase.full_velocity(x.data());
        const Eigen::VectorXd forces = inverse_dynamics(full, work, q, v, phase.spec().embed * a);
        // Along the motions that are left, only springs and dampers act.
        const Mechanism& s = phase.spec().stance;
        const Eigen::Map<const Eigen::VectorXd> own_q(x.data(), m), own_v(x.data() + m, m);
        const Eigen::VectorXd expected =
            -s.stiffness().cwiseProduct(own_q - s.spring_reference()) - s.damping().cwiseProduct(own_v);
        EXPECT_LT((phase.spec().embed.transpose() * forces - expected).norm(), 1e-11) << full.name();
      }
    }
}

TEST(StepModel, AccelerationsHaveTheDerivativeOfDifferences) {
  Random random(2);
  for (const auto& model : mechanism_walkers())
    for (int i = 0; i < model->phases(); ++i) {
      StepPhase& phase = model->phase(i);
      const int m = phase.freedoms();
      std::vector<double> x = random_state(2 * m, random), a(m), b(m), da(2 * m * m);
      phase.acceleration(x.data(), a.data(), da.data());
      for (int k = 0; k < 2 * m; ++k) {
        const double h = 1e-4, at = x[k];
        std::vector<double> sum(m, 0.0);
        for (const auto& [share, weight] :
             {std::pair{1, 45.0}, {-1, -45.0}, {2, -9.0}, {-2, 9.0}, {3, 1.0}, {-3, -1.0}}) {
          x[k] = at + share * h;
          phase.acceleration(x.data(), b.data(), nullptr);
          for (int r = 0; r < m; ++r) sum[r] += weight * b[r] / (60.0 * h);
        }
        x[k] = at;
        for (int r = 0; r < m; ++r) EXPECT_NEAR(da[r * 2 * m + k], sum[r], 1e-7 * (1.0 + std::abs(sum[r])));
      }
    }
}

TEST(StepModel, AStrikeIsThatOfTheContactFolder) {
  Random random(3);
  for (const char* name : {"compass", "trunk"}) {
    const auto model = made(name);
    MechanismPhase& phase = mechanism_of(*model).mechanism_phase(0);
    const Mechanism& full = mechanism_of(*model).spec().full;
    Workspace work(full);
    int compared = 0;  // strikes that do not part
    for (int trial = 0; trial < 20; ++trial) {
      const std::vector<double> x = random_state(2 * phase.freedoms(), random);
      const OwnedVector q = phase.full_configuration(x.data()), v = phase.full_velocity(x.data());
      OwnedVector next(2 * phase.freedoms());
      const double lost = phase.reset(x.data(), next.data(), nullptr);
      // The same by the general solver: the foot as a point on a body, a normal, friction without bound.
      const Place foot = full.place("swing_foot");
      const Pose X_WL = forward_kinematics(full, work, q)[foot.link];
      ContactPoint at;
      at.link_b = foot.link;
      at.p_a = at.p_b = X_WL * foot.X_LP.translation();
      at.normal = Vector3<double>::UnitZ();
      const ImpactResult other = impact(full, q, v, std::vector<ImpactContact>{{at}});
      const Eigen::VectorXd expected = phase.spec().relabel * other.v;
      if (other.states[0] == ContactState::sticking) {
        ++compared;
        EXPECT_LT((next.tail(phase.freedoms()) - expected).norm(), 1e-9) << name;
        EXPECT_NEAR(lost, other.energy_lost, 1e-9) << name;
      }
    }
    EXPECT_GE(compared, 5) << name;
  }
}

/// By hand: three points, the angular momentum of all about the new foot and of the rear leg about the hip.
TEST(StepModel, TheStrikeOfACompassKeepsItsAngularMomenta) {
  const auto model = made("compass", {{"leg_mass", 1.3}, {"hip_mass", 4.0}, {"leg_com", 0.45}});
  const double m = 1.3, mh = 4.0, c = 0.45;
  const double before[4] = {-0.25, 0.5, -1.4, 0.3};
  double after[4];
  model->phase(0).reset(before, after, nullptr);
  struct Points {
    Eigen::Vector2d hip, stance, swing, foot, hip_v, stance_v, swing_v;
  };
  const auto points = [&](double q3, double q4, double w3, double w4) {
    const auto along = [](double angle) { return Eigen::Vector2d(-std::sin(angle), std::cos(angle)); };
    const auto rate = [](double angle, double w) {
      return Eigen::Vector2d(-std::cos(angle) * w, -std::sin(angle) * w);
    };
    Points p;
    p.hip = along(q3), p.hip_v = rate(q3, w3);
    p.stance = (1.0 - c) * along(q3), p.stance_v = (1.0 - c) * rate(q3, w3);
    p.swing = p.hip - c * along(q3 + q4), p.swing_v = p.hip_v - c * rate(q3 + q4, w3 + w4);
    p.foot = p.hip - along(q3 + q4);
    return p;
  };
  const auto cross = [](const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
    return a.x() * b.y() - a.y() * b.x();
  };
  const Points a = points(before[0], before[1], before[2], before[3]);
  const Points b =
      points(after[0], after[1], after[2], after[3]);  // its origin is the new foot, legs exchanged
  const double all_before = m * cross(a.stance - a.foot, a.stance_v) +
                            m * cross(a.swing - a.foot, a.swing_v) + mh * cross(a.hip - a.foot, a.hip_v);
  const double all_after =
      m * cross(b.stance, b.stance_v) + m * cross(b.swing, b.swing_v) + mh * cross(b.hip, b.hip_v);
  EXPECT_NEAR(all_before, all_after, 1e-12);
  EXPECT_NEAR(m * cross(a.stance - a.hip, a.stance_v), m * cross(b.swing - b.hip, b.swing_v), 1e-12);
}

TEST(StepModel, DribbelHasTheNumbersOfTheBook) {
  const auto model = made("dribbel");
  MechanismWalker& walker = mechanism_of(*model);
  const Mechanism& full = walker.spec().full;
  // DS (4.24)-(4.26), from Table 4.1.
  const auto inertia = [&](const char* body) { return full.bodies()[full.body_index(body)].inertia; };
  const Inertia<double> upper = inertia("stance_upper_legs"), lower = inertia("swing_lower_legs");
  EXPECT_NEAR(upper.mass(), 3.0, 1e-14);
  EXPECT_NEAR(upper.com().z(), 0.3509333333, 1e-10);
  EXPECT_NEAR(upper.about_com()(1, 1), 0.1076813867, 1e-10);
  EXPECT_NEAR(lower.mass(), 1.6, 1e-14);
  EXPECT_NEAR(lower.com().z(), -0.215, 1e-14);
  EXPECT_NEAR(lower.about_com()(1, 1), 0.0591680000, 1e-10);

  // The knee's strike, DS (4.27) with its denominators put right (docs/errata.md).
  for (const double q5 : {0.1, 0.4, 0.9}) {
    const double x[6] = {-0.2, q5, -0.0, 0.3, -0.4, 1.7};
    double next[4];
    walker.phase(0).reset(x, next, nullptr);
    const double c = std::cos(q5);
    EXPECT_NEAR(next[2], 0.3 + 0.0516 * c / (3.2535 - c * c) * 1.7, 2e-4);
    EXPECT_NEAR(next[3], -0.4 + (-0.9990 + 0.0516 * c + 0.2367 * c * c) / (c * c - 3.2535) * 1.7, 3e-4);
  }
}

TEST(Walkers, PeopleHaveTheirMassAndTheirHeight) {
  const auto model = made("human", {{"height", 1.6}, {"mass", 55.0}, {"rocker", 0.0}});
  const Mechanism& m = mechanism_of(*model).spec().full;
  EXPECT_NEAR(m.mass(), 55.0, 1e-9);
  EXPECT_NEAR(mechanism_of(*model).leg_length(), 0.53 * 1.6, 1e-12);
  Workspace work(m);
  const OwnedVector upright(m.nq());
  const Place head = m.place("head");
  EXPECT_NEAR((forward_kinematics(m, work, upright)[head.link] * head.X_LP.translation()).z(), 1.6, 1e-12);
  // Segment by segment, from the tables.
  const double legs = 0.1 * (0.53 - 0.433 * 0.245) + 0.061 * (0.285 - 0.606 * 0.246),
               arms = 0.05 * (0.818 - 0.53 * 0.332), trunk = 0.578 * (0.53 + 0.66 * 0.288);
  EXPECT_NEAR(center_of_mass(m, work, upright).z() / 1.6, 2.0 * (legs + arms) + trunk, 1e-12);
  // Winter prints radii of gyration about the upper (of the trunk: lower) ends as well, to three digits.
  for (const auto& [body, length, mass, gyration] : {std::tuple{"swing_thigh", 0.245, 0.100, 0.540},
                                                     {"swing_shank", 0.246, 0.061, 0.735},
                                                     {"swing_arm", 0.332, 0.050, 0.645},
                                                     {"trunk", 0.288, 0.578, 0.830}}) {
    const Inertia<double>& I = m.bodies()[m.body_index(body)].inertia;
    const double about_end = I.about_com()(1, 1) + I.mass() * I.com().squaredNorm();
    EXPECT_NEAR(std::sqrt(about_end / (mass * 55.0)) / (length * 1.6), gyration, 6e-4) << body;
  }
}

/// Mirrored in time and place, legs exchanged: a walker whose trunk is half way falls forwards as backwards.
TEST(Walkers, ATrunkHalfWayIsThereSeenFromEitherLeg) {
  const auto model = made("bisecting", {{"slope_deg", 0.0}});
  const auto tied = made("torso", {{"hip_stiffness", 15.0}});
  double x[4] = {0.2, 0.1, -0.9, 0.4}, mirrored[4] = {-0.2, -0.1, 0.9, -0.4}, a[2], b[2];
  model->phase(0).acceleration(x, a, nullptr);
  model->phase(0).acceleration(mirrored, b, nullptr);
  EXPECT_NEAR(a[0], -b[0], 1e-12);
  EXPECT_NEAR(a[1], -b[1], 1e-12);
  // In the free walker the same motion of legs and trunk has the same energy.
  const double free[6] = {0.2, 0.1, 0.1, -0.9, 0.4, 0.4};
  EXPECT_NEAR(model->phase(0).kinetic_energy(x), tied->phase(0).kinetic_energy(free), 1e-12);
  EXPECT_NEAR(model->phase(0).potential_energy(x), tied->phase(0).potential_energy(free), 1e-11);
}

TEST(Walkers, WrongParametersAreNamed) {
  for (const auto& [name, values] : {std::pair<const char*, WalkerValues>{"compass", {{"leg_mass", -1.0}}},
                                     {"compass", {{"leg_mass", 0.0}}},
                                     {"compass", {{"foot_radius", 1.0}}},
                                     {"compass", {{"slope_deg", 95.0}}},
                                     {"compass", {{"gravity", 0.0}}},
                                     {"compass", {{"legs", 3.0}}},
                                     {"compass", {{"leg_mass", NAN}}},
                                     {"rimless", {{"spokes", 2.5}}},
                                     {"dribbel", {{"knee_mass", 0.1}}},
                                     {"trunk", {{"trunk_mass", 0.0}}}})
    EXPECT_THROW(make_walker(name, values), Error) << name;
  EXPECT_THROW(make_walker("compas"), Error);
  EXPECT_THROW(scuffing("maybe"), Error);
}

TEST(Walkers, EveryOneDrawsItself) {
  for (const WalkerKind& kind : walker_kinds()) {
    const auto model = make_walker(kind.name);
    std::vector<double> x(static_cast<std::size_t>(2 * model->phase(0).freedoms()), 0.1);
    const auto [q, v] = model->full_state(0, x.data());
    EXPECT_EQ(q.size(), static_cast<Eigen::Index>(model->full_coordinates().size())) << kind.name;
    EXPECT_FALSE(model->sticks(q).empty()) << kind.name;
    EXPECT_EQ(model->coordinates().size(), x.size() / 2) << kind.name;
  }
}

}  // namespace
}  // namespace amble
