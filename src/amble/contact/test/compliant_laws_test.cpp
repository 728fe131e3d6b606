#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/contact/models/surface_law.hpp"
#include "amble/contact/models/table.hpp"

namespace amble {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

NormalNumbers normal_numbers(const std::string& name, Random& random) {
  return {.stiffness = random.uniform(10.0, 1e4),
          .damping = name == "hertz" ? 0.0 : random.uniform(0.0, 50.0),
          .exponent = random.uniform(1.0, 3.0)};
}

/// From ones that never slip in these tests to ones that always do.
SlidingNumbers sliding_numbers(const std::string& name, Random& random) {
  const double friction = random.uniform(0.0, 1.0);
  return {.stiffness = random.uniform(10.0, 1000.0),
          .stiffness_across = name == "lugre" ? 0.0 : random.uniform(10.0, 1000.0),
          .friction = friction,
          .relaxation = std::pow(10.0, random.uniform(-4.0, 0.0)),
          .exponent = random.uniform(0.2, 2.0),
          .static_friction = friction + random.uniform(0.0, 0.5),
          .stribeck_speed = random.uniform(0.01, 1.0),
          .damping = random.uniform(0.0, 100.0),
          .viscosity = random.uniform(0.0, 10.0)};
}

Vector2<double> random_pair(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size)};
}

// ---- along the normal

TEST(NormalLaws, TheEnergyIsNotNegativeItsSlopeIsTheElasticForceAndWhatIsLeftDissipates) {
  for (const NormalLawKind& kind : normal_laws())
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      Random random(seed);
      const NormalLawPtr law = kind.make(normal_numbers(kind.name, random));
      const double depth = random.uniform(1e-3, 0.1), rate = random.uniform(-2.0, 2.0),
                   factor = random.uniform(0.3, 3.0);
      const NormalForce here = law->at(depth, rate, factor);
      const double h = 1e-3 * depth;
      const auto energy = [&](double x) { return law->at(x, rate, factor).energy; };
      const double slope =
          (8.0 * (energy(depth + h) - energy(depth - h)) - energy(depth + 2 * h) + energy(depth - 2 * h)) /
          (12 * h);
      EXPECT_GE(here.energy, 0.0) << kind.name << " seed " << seed;
      EXPECT_NEAR(slope, here.elastic, 1e-10 * here.elastic) << kind.name << " seed " << seed;
      EXPECT_GE((here.push - here.elastic) * rate, 0.0) << kind.name << " seed " << seed;
      if (std::string(kind.name) != "kelvin_voigt_pulling") {
        EXPECT_GE(here.push, 0.0) << kind.name << " seed " << seed;
      }
    }
}

TEST(NormalLaws, AFactorMultipliesTheStoredEnergy) {
  for (const NormalLawKind& kind : normal_laws()) {
    Random random(3);
    const NormalLawPtr law = kind.make(normal_numbers(kind.name, random));
    EXPECT_NEAR(law->at(0.02, 0.1, 2.5).energy, 2.5 * law->at(0.02, 0.1, 1.0).energy, 1e-14) << kind.name;
  }
}

TEST(NormalLaws, TheStiffnessOfRoundBodiesIsThatOfHertz) {
  // A steel ball of 10 mm on a steel plane: E* = 2e11 / (2 (1 - 0.09)), k = 4/3 E* sqrt(0.01).
  const ElasticBody ball{.radius = 0.01, .modulus = 2e11}, plane{.radius = kNone, .modulus = 2e11};
  EXPECT_NEAR(hertz_stiffness(ball, plane), 1.4652014652014652e10, 1.0);
}

TEST(NormalLaws, NumbersThatMakeNoLawAreRefused) {
  EXPECT_EQ(message_of([] { kelvin_voigt({.stiffness = 0.0}); }),
            "'Kelvin-Voigt contact' has a stiffness of 0: expected a number above 0");
  EXPECT_EQ(message_of([] { kelvin_voigt({.damping = -1.0}); }),
            "'Kelvin-Voigt contact' has a damping of -1: expected a number, not negative");
  EXPECT_EQ(message_of([] { hertz({.damping = 0.1}); }),
            "'Hertz contact' has a damping of 0.1: it is elastic, expected 0 (hunt_crossley has damping)");
  EXPECT_EQ(message_of([] { hunt_crossley({.exponent = 0.5}); }),
            "'Hunt-Crossley contact' has an exponent of 0.5: expected 1 or more");
  EXPECT_EQ(message_of([] {
              hertz_stiffness({.radius = kNone, .modulus = 1.0}, {.radius = kNone, .modulus = 1.0});
            }),
            "'elastic body' has radii of inf and inf: expected one finite at least, and a curvature above 0");
  EXPECT_EQ(message_of([] {
              hertz_stiffness({.radius = 1.0, .modulus = 1.0, .poisson = 0.6},
                              {.radius = 1.0, .modulus = 1.0});
            }),
            "'elastic body' has a Poisson's ratio of 0.6: expected above -1, at most 0.5");
  EXPECT_EQ(message_of([] { normal_law("hunt_crosley", {}); }),
            "a contact has the normal law 'hunt_crosley' (did you mean 'hunt_crossley'?); known are hertz, "
            "hunt_crossley, "
            "kelvin_voigt, kelvin_voigt_pulling");
}

// ---- sliding

TEST(SlidingLaws, PowerIsStoredOrDissipatedAndNeverGiven) {
  for (const SlidingLawKind& kind : sliding_laws()) {
    if (kind.make == nullptr) continue;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      Random random(seed);
      const SlidingLawPtr law = kind.make(sliding_numbers(kind.name, random));
      Sliding x{.stretch = random_pair(random, 0.1),
                .velocity = random_pair(random, seed % 3 == 0 ? 0.01 : 3.0),
                .push = seed % 5 == 0 ? 0.0 : random.uniform(0.0, 100.0),
                .factor = random.uniform(0.3, 3.0)};
      if (seed % 7 == 0) x.stretch.setZero();
      const SlidingForce out = law->at(x);
      const double size =
          std::abs(out.force.dot(x.velocity)) + std::abs(out.pull.dot(out.rate)) + out.dissipated;
      EXPECT_NEAR(out.force.dot(x.velocity), out.pull.dot(out.rate) + out.dissipated, 1e-13 * size)
          << kind.name << " seed " << seed;
      EXPECT_GE(out.dissipated, -1e-13 * size) << kind.name << " seed " << seed;
      EXPECT_GE(out.energy, 0.0);
    }
  }
}

TEST(SlidingLaws, ThePullIsTheSlopeOfTheEnergy) {
  for (const SlidingLawKind& kind : sliding_laws()) {
    if (kind.make == nullptr) continue;
    Random random(11);
    const SlidingLawPtr law = kind.make(sliding_numbers(kind.name, random));
    const Sliding x{.stretch = {0.03, -0.02}, .velocity = {0.1, 0.4}, .push = 20.0, .factor = 1.4};
    for (int i = 0; i < 2; ++i) {
      const auto energy = [&](double h) {
        Sliding moved = x;
        moved.stretch[i] += h;
        return law->at(moved).energy;
      };
      EXPECT_NEAR((energy(1e-4) - energy(-1e-4)) / 2e-4, law->at(x).pull[i], 1e-9) << kind.name;
    }
  }
}

TEST(SlidingLaws, StickSlipIsNeverAboveTheLimitAndSlidesAtItAgainstTheMotion) {
  const SlidingLawPtr law = stick_slip({.stiffness = 1e4, .friction = 0.4, .relaxation = 1e-3});
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const Sliding x{.stretch = random_pair(random, 0.01),
                    .velocity = random_pair(random, 1.0),
                    .push = random.uniform(0.0, 100.0)};
    EXPECT_LE(law->at(x).force.norm(), 0.4 * x.push * (1.0 + 1e-14));
  }
  const Vector2<double> velocity(0.3, -0.4);
  const Sliding steady{
      .stretch = 0.4 * 50.0 / 1e4 * velocity.normalized(), .velocity = velocity, .push = 50.0};
  EXPECT_LT((law->at(steady).force - 20.0 * velocity.normalized()).norm(), 1e-12);
  EXPECT_LT(law->at(steady).rate.norm(), 1e-12);
}

TEST(SlidingLaws, StickSlipBelowTheLimitHoldsWithoutSlip) {
  const SlidingLawPtr law = stick_slip({.stiffness = 1e4, .friction = 0.4});
  const Sliding x{
      .stretch = {0.0019, 0.0}, .velocity = Vector2<double>::Zero(), .push = 50.0};  // 19 N of 20 N
  EXPECT_EQ(law->at(x).rate.norm(), 0.0);
  EXPECT_EQ(law->at(x).dissipated, 0.0);
  EXPECT_DOUBLE_EQ(law->at(x).force[0], 19.0);
}

/// The force after sliding slowly by `distance`.
double pulled(const SlidingLaw& law, double distance, double push) {
  const int steps = 20000;
  const double speed = 1e-6, h = distance / speed / steps;
  Sliding x{.velocity = {speed, 0.0}, .push = push};
  for (int i = 0; i < steps; ++i) {  // by the midpoint rule
    Sliding half = x;
    half.stretch += 0.5 * h * law.at(x).rate;
    x.stretch += h * law.at(half).rate;
  }
  return law.at(x).force[0];
}

TEST(SlidingLaws, MicroSlipFollowsMindlinsCurve) {
  const double K = 1e4, mu = 0.4, N = 50.0;
  const SlidingLawPtr law = micro_slip({.stiffness = K, .friction = mu, .relaxation = 1e-6});
  for (const double share : {0.2, 0.5, 0.8, 0.95}) {  // of the distance at which all of it slips
    const double distance = share * 1.5 * mu * N / K;
    EXPECT_NEAR(pulled(*law, distance, N), mu * N * (1.0 - std::pow(1.0 - share, 1.5)), 1e-6 * mu * N);
  }
}

TEST(SlidingLaws, MicroSlipWithExponentOneIsTheSlipFunction) {  // DS (3.26): a' = v (1 - a / a_max)
  const double K = 1e4, mu = 0.4, N = 50.0;
  const SlidingLawPtr law = micro_slip({.stiffness = K, .friction = mu, .relaxation = 1e-6, .exponent = 1.0});
  for (const double share : {0.3, 1.0, 3.0})
    EXPECT_NEAR(pulled(*law, share * mu * N / K, N), mu * N * (1.0 - std::exp(-share)), 1e-6 * mu * N);
}

TEST(SlidingLaws, LuGreSlidesWithTheForceOfStribecksCurve) {
  const double mu = 0.3, mu_static = 0.5, v_s = 0.02, N = 40.0, viscosity = 2.0;
  const SlidingNumbers numbers{.stiffness = 1e4,
                               .friction = mu,
                               .relaxation = 1e-4,
                               .static_friction = mu_static,
                               .stribeck_speed = v_s,
                               .damping = 5.0,
                               .viscosity = viscosity};
  const SlidingLawPtr law = lugre(numbers);
  for (const double speed : {1e-3, 0.01, 0.03, 0.5}) {
    Sliding x{.velocity = {0.0, speed}, .push = N};
    const double h = 0.02 * (mu_static * N / numbers.stiffness / speed + numbers.relaxation);
    for (int i = 0; i < 3000; ++i) x.stretch += h * law->at(x).rate;
    const double expected =
        N * (mu + (mu_static - mu) * std::exp(-speed * speed / v_s / v_s)) + viscosity * speed;
    EXPECT_NEAR(law->at(x).force[1], expected, 1e-9) << speed;
  }
}

TEST(SlidingLaws, NumbersThatMakeNoLawAreRefused) {
  EXPECT_EQ(message_of([] { stick_slip({.relaxation = 0.0}); }),
            "'stick-slip friction' has a relaxation of 0: expected a number above 0");
  EXPECT_EQ(message_of([] { stick_slip({.friction = -0.1}); }),
            "'stick-slip friction' has a friction of -0.1: expected a number, not negative");
  EXPECT_EQ(message_of([] { micro_slip({.exponent = 0.0}); }),
            "'micro-slip friction' has a slip exponent of 0: expected a number above 0");
  EXPECT_EQ(message_of([] { lugre({.friction = 0.5, .static_friction = 0.3}); }),
            "'LuGre friction' has a static friction of 0.3: expected at least the kinetic one, 0.5");
  EXPECT_EQ(message_of([] { lugre({.stiffness = 1.0, .stiffness_across = 2.0}); }),
            "'LuGre friction' has a stiffness across of 2: expected that along, 1");
  EXPECT_EQ(message_of([] { viscous({.viscosity = -1.0}); }),
            "'viscous sliding' has a viscosity of -1: expected a number, not negative");
  EXPECT_EQ(message_of([] { sliding_law("stick", {}); }),
            "a contact has the sliding law 'stick'; known are frictionless, lugre, micro_slip, stick_slip, "
            "viscous");
}

// ---- sliding, twisting and rolling together

SurfaceMotion random_motion(Random& random) {
  return {.strain = {.stretch = random_pair(random, 0.1),
                     .stretch_b = random_pair(random, 0.1),
                     .twist = random.uniform(-1.0, 1.0)},
          .slide = random_pair(random, 1.0),
          .spin = random.uniform(-3.0, 3.0),
          .roll = random_pair(random, 3.0),
          .push = random.uniform(0.0, 100.0),
          .factor = random.uniform(0.3, 3.0)};
}

std::vector<SurfaceLawPtr> random_surfaces(Random& random) {
  const TwistNumbers twist{.stiffness = random.uniform(1.0, 50.0),
                           .friction = random.uniform(0.0, 0.3),
                           .relaxation = random.uniform(1e-3, 0.1)};
  const RollNumbers roll{.arm = random.uniform(0.0, 0.1),
                         .creep = 0.1,
                         .damping = random.uniform(0.0, 1.0),
                         .relief = random.uniform(0.0, 5.0)};
  std::vector<SurfaceLawPtr> out;
  for (const SlidingLawKind& kind : sliding_laws())
    out.push_back(slipping_surface(sliding_law(kind.name, sliding_numbers(kind.name, random)), twist, roll));
  out.push_back(slipping_surface(nullptr));
  out.push_back(printed_map({.stiffness = 500.0,
                             .twist_stiffness = 20.0,
                             .damping = 3.0,
                             .twist_damping = 0.4,
                             .most_stretch = 0.15,
                             .most_twist = 1.5,
                             .relief = 2.0}));
  return out;
}

TEST(SurfaceLaws, PowerIsStoredOrDissipatedAndNeverGiven) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    for (const SurfaceLawPtr& law : random_surfaces(random)) {
      const SurfaceMotion x = random_motion(random);
      const SurfaceForce out = law->at(x);
      const auto energy = [&](double h) {
        Strain moved = x.strain;
        moved.stretch += h * (out.slide_d + out.spin_d * turned(x.strain.stretch_b));
        moved.twist += h * out.spin_d;
        return law->energy(moved, x.factor).energy;
      };
      const double slope = (energy(1e-4) - energy(-1e-4)) / 2e-4;  // exact for a quadratic energy
      const double power = out.force.dot(x.slide) + out.moment * x.spin + out.roll_moment.dot(x.roll);
      const double size = std::abs(power) + std::abs(slope) + out.dissipated + out.energy;
      EXPECT_NEAR(power, slope + out.dissipated, 1e-10 * size) << "seed " << seed;
      EXPECT_GE(out.dissipated, -1e-13 * size) << "seed " << seed;
      EXPECT_GE(out.energy, 0.0);
      EXPECT_NEAR(out.energy, law->energy(x.strain, x.factor).energy, 1e-12 * (1.0 + out.energy));
    }
  }
}

TEST(SurfaceLaws, RollingReliefMakesHeatAndNoMoment) {
  const SurfaceLawPtr law =
      slipping_surface(stick_slip({.stiffness = 100.0, .friction = kNone}), {}, {.relief = 3.0});
  const SurfaceMotion x{.strain = {.stretch = {0.1, 0.0}}, .roll = {0.0, 2.0}, .push = 1.0};
  const SurfaceForce out = law->at(x);
  EXPECT_NEAR(out.slide_d[0], -3.0 * 2.0 * 0.1, 1e-15);
  EXPECT_NEAR(out.dissipated, 6.0 * 100.0 * 0.1 * 0.1, 1e-13);
  EXPECT_EQ(out.roll_moment.norm(), 0.0);
}

TEST(SurfaceLaws, ThePrintedMapTransmitsNoForceWhereTheStretchIsAtItsMost) {
  const SurfaceLawPtr law = printed_map({.stiffness = 1e4, .most_stretch = 2e-3});
  const SurfaceMotion sliding{.strain = {.stretch = {2e-3, 0.0}}, .slide = {1.0, 0.0}, .push = 50.0};
  EXPECT_EQ(law->at(sliding).force.norm(), 0.0);  // whatever presses, and 20 N are in the spring
  EXPECT_DOUBLE_EQ(law->energy(sliding.strain, 1.0).pull[0], 20.0);
  SurfaceMotion back = sliding;
  back.slide = -sliding.slide;
  EXPECT_DOUBLE_EQ(law->at(back).force[0], 20.0);  // and the other way it is all there
}

TEST(SurfaceLaws, ThePrintedMapDrivesRollingByTheStrainItRelieves) {
  const SurfaceLawPtr law = printed_map({.stiffness = 1e4, .most_stretch = 2e-3, .relief = 3.0});
  const SurfaceMotion rolling{.strain = {.stretch = {1e-3, 0.0}}, .roll = {0.5, 0.0}, .push = 50.0};
  EXPECT_NEAR(law->at(rolling).roll_moment.dot(rolling.roll), -3.0 * 1e4 * 1e-6 * 0.5,
              1e-15);  // it gives power
}

TEST(SurfaceLaws, NumbersThatMakeNoLawAreRefused) {
  EXPECT_EQ(message_of([] { slipping_surface(nullptr, {.friction = 0.1}); }),
            "'twisting contact' has a friction of 0.1 and no stiffness: expected one above 0");
  EXPECT_EQ(message_of([] { slipping_surface(nullptr, {}, {.arm = -0.1}); }),
            "'rolling contact' has a lever arm of -0.1: expected a number, not negative");
  EXPECT_EQ(message_of([] { printed_map({.most_stretch = 0.0}); }),
            "'printed map' has a most stretch of 0: expected a number above 0");
}

}  // namespace
}  // namespace amble
