#include "amble/contact/contact_tracker.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "amble/base/error.hpp"
#include "amble/contact/collide.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/contact/shape_pair.hpp"
#include "amble/contact/test/moving_frames.hpp"

namespace amble {
namespace {

using namespace testing;
constexpr double kPi = std::numbers::pi;
const LinkFrame kFirst{0, Pose()}, kSecond{1, Pose()};

TEST(ParametricSurface, TangentMapsAreThoseOfDifferences) {
  const auto saddle = [](const auto& u) {
    using T = typename std::decay_t<decltype(u)>::Scalar;
    return Vector3<T>(u[0] + T(0.1) * u[1] * u[1], u[1], u[0] * u[0] * u[1] - T(0.3) * sin(u[1]));
  };
  const std::vector<ParametricSurface> surfaces{
      ellipsoid_surface({0.5, 0.3, 0.2}), sine_surface(0.1, 0.7, 2.0), torus_surface(1.0, 0.3),
      plane_surface(1.0), parametric_surface(saddle, {-1.0, -1.0}, {1.0, 1.0})};
  for (const ParametricSurface& surface : surfaces)
    for (int seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      const int chart = seed % static_cast<int>(surface.charts().size());
      const Vector2<double> u(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
      const SurfaceJet at = surface.at({chart, u});
      EXPECT_NEAR(at.g.norm(), 1.0, 1e-14);
      EXPECT_NEAR((at.f_u.transpose() * at.g).norm(), 0.0, 1e-13);
      for (int i = 0; i < 2; ++i) {
        const auto place = [&](double t) { return surface.at({chart, u + t * Vector2<double>::Unit(i)}); };
        EXPECT_NEAR((slope_of([&](double t) -> V { return place(t).f; }, 2e-3) - at.f_u.col(i)).norm(), 0.0,
                    1e-10);
        EXPECT_NEAR((slope_of([&](double t) -> V { return place(t).g; }, 2e-3) - at.g_u.col(i)).norm(), 0.0,
                    1e-9);
      }
      const Matrix3<double> bend = bending(at);
      EXPECT_NEAR((bend * at.f_u - at.g_u).norm() + (bend - bend.transpose()).norm() + (bend * at.g).norm(),
                  0.0, 1e-11);
    }
}

TEST(ParametricSurface, AnEllipsoidLooksOutwardInBothChartsAndChangesBetweenThem) {
  const V S(0.5, 0.3, 0.2);
  const ParametricSurface egg = ellipsoid_surface(S);
  for (int seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const SurfacePlace place{seed % 2, {random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0)}};
    const SurfaceJet at = egg.at(place), again = egg.at(egg.better(place));
    EXPECT_NEAR(at.f.cwiseQuotient(S).norm(), 1.0, 1e-14);
    EXPECT_NEAR((at.g - at.f.cwiseQuotient(S).cwiseQuotient(S).normalized()).norm(), 0.0, 1e-12);
    EXPECT_NEAR((at.f - again.f).norm() + (at.g - again.g).norm(), 0.0, 1e-13);
    EXPECT_NEAR((bending(at) - bending(again)).norm(), 0.0, 1e-9);
    EXPECT_LE(egg.better(place).u.squaredNorm(), 2.0);
  }
}

TEST(ParametricSurface, TheBooksGaussMapOfTheSineFloorTurnsTheWrongWay) {
  const double A = 0.1, f = 0.7, y = 0.23, w = 2.0 * kPi * f;
  const SurfaceJet at = sine_surface(A, f, 2.0).at({0, {0.4, y}});
  const double root = std::pow(1.0 + std::pow(A * w * std::cos(w * y), 2), 1.5);
  const V printed = A * w * w / root *
                    V(0.0, -std::sin(w * y), 0.5 * w * A * std::sin(2.0 * w * y));  // the column of DS (3.11)
  EXPECT_NEAR(at.g_u(1, 1), -printed.y(), 1e-14);
  EXPECT_NEAR(at.g_u(2, 1), printed.z(), 1e-14);
  EXPECT_GT(std::abs(printed.y()), 0.1);
}

/// Rates of coordinates against differences of seated places.
void expect_rates(const ParametricSurface& a, const ParametricSurface& b, const Pose& X_AB,
                  const SurfacePlace* near, int seed, const std::string& name) {
  Random random(seed);
  const V omega = random_vector(random, 1.0), v = random_vector(random, 1.0);
  const auto pose = [&](double t) {
    return Pose(SO3<double>::exp(t * omega) * X_AB.rotation(), X_AB.translation() + t * v);
  };
  RelativeMotion motion{X_AB, Twist<double>(v - cross<double>(omega, X_AB.translation()), omega)};
  ContactPlaces at = search_contact(a, b, X_AB);
  if (near) at.a = *near;
  const auto seated = [&](double t) {
    ContactPlaces now = at;
    EXPECT_TRUE(seat_contact(a, b, pose(t), now));
    return now;
  };
  EXPECT_LT(contact_residual(a.at(at.a), b.at(at.b), X_AB), 1e-12) << name;
  const ContactRates rates = contact_rates(a.at(at.a), b.at(at.b), motion);
  const double h = 1e-3, tolerance = 1e-8 * (1.0 + rates.u_a.norm() + rates.u_b.norm());
  EXPECT_NEAR((slope_of([&](double t) -> Vector2<double> { return seated(t).a.u; }, h) - rates.u_a).norm(),
              0.0, tolerance)
      << name << seed;
  EXPECT_NEAR((slope_of([&](double t) -> Vector2<double> { return seated(t).b.u; }, h) - rates.u_b).norm(),
              0.0, tolerance)
      << name << seed;
  EXPECT_NEAR(slope_of([&](double t) { return seated(t).distance; }, h), rates.distance, tolerance)
      << name << seed;
}

TEST(ContactRates, OfTheTheoremAreThoseOfDifferences) {
  const ParametricSurface egg = ellipsoid_surface({0.5, 0.3, 0.2}), ball = ellipsoid_surface({0.4, 0.4, 0.4}),
                          floor = sine_surface(0.05, 0.4, 2.0), ring = torus_surface(1.0, 0.3),
                          plane = plane_surface(2.0);
  for (int seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const SO3<double> R = SO3<double>::exp(random_vector(random, 3.0));
    for (const double height : {0.6, 0.15}) {  // apart, and sunk in
      const V above(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), height);
      expect_rates(plane, egg, Pose(R, above), nullptr, seed, "egg over plane ");
      expect_rates(floor, egg, Pose(R, above), nullptr, seed, "egg over floor ");
    }
    const V aside = V(random.normal(), random.normal(), random.normal()).normalized();
    expect_rates(ball, egg, Pose(R, 1.2 * aside), nullptr, seed, "egg at ball ");
    expect_rates(egg, ball, Pose(R, 1.1 * aside), nullptr, seed, "ball at egg ");
    const double angle = random.uniform(-3.0, 3.0);
    expect_rates(ring, egg, Pose(R, V(1.8 * std::cos(angle), 1.8 * std::sin(angle), 0.2)), nullptr, seed,
                 "egg at torus ");
  }
}

TEST(ContactRates, OfSurfacesThatBendAlikeAreRefused) {
  const SurfaceJet flat = plane_surface(1.0).at({});
  RelativeMotion still{Pose(SO3<double>::exp({kPi, 0.0, 0.0}), V(0.0, 0.0, 0.1)),
                       Twist<double>(V::Zero(), V::Zero())};
  EXPECT_THROW(contact_rates(flat, flat, still), Error);
}

TEST(ContactTracker, DriftIsOfFourthOrderAndSeatingEndsIt) {
  const ParametricSurface egg = ellipsoid_surface({0.5, 0.3, 0.2}), floor = sine_surface(0.05, 0.4, 3.0);
  const V omega(0.9, 0.4, -0.2), v(0.1, 0.3, 0.0);
  const auto motion = [&](double t) {
    const V p = V(0.0, 0.0, 0.6) + t * v;
    return RelativeMotion{Pose(SO3<double>::exp(t * omega), p),
                          Twist<double>(v - cross<double>(omega, p), omega)};
  };
  std::array<double, 2> drift;
  for (int k = 0; k < 2; ++k) {
    ContactTracker tracker(floor, egg, {.step = k == 0 ? 0.02 : 0.01, .reseat = 1.0});
    tracker.start(motion(0.0).X_AB);
    tracker.follow(motion, 0.0, 4.0);
    drift[k] = tracker.residual(motion(4.0).X_AB);
    EXPECT_EQ(tracker.reseated(), 0);
  }
  EXPECT_LT(drift[0], 1e-4);
  EXPECT_GT(drift[0] / drift[1], 10.0);
  ContactTracker tracker(floor, egg, {.step = 0.02, .reseat = 1e-9});
  tracker.start(motion(0.0).X_AB);
  tracker.follow(motion, 0.0, 4.0);
  EXPECT_GE(tracker.reseated(), 2);
  EXPECT_LT(tracker.residual(motion(4.0).X_AB), 2e-9);
  EXPECT_GT(tracker.drift(), 1e-9);
}

/// An ellipsoid that rolls without slip on waves: turned as told, it goes where its touching point is at
/// rest.
struct RollingEgg {
  V axes{0.5, 0.3, 0.2};
  double amplitude = 0.04, frequency = 0.35;
  ParametricSurface floor = sine_surface(0.04, 0.35, 4.0), egg = ellipsoid_surface(axes);
  GroundPtr ground = sine_ground({.amplitude = 0.04, .frequency = 0.35, .direction_deg = 90.0});

  static V omega(double t) { return {-1.2 + 0.3 * std::sin(t), 0.4 * std::cos(0.7 * t), 0.2}; }

  struct State {
    Pose X_WB;
    ContactPlaces at;
  };
  struct Rate {
    V omega, p;
    ContactRates u;
  };
  Rate rate(const State& state, double t) const {
    const SurfaceJet on_floor = floor.at(state.at.a), on_egg = egg.at(state.at.b);
    const V w = omega(t), p = state.X_WB.translation();
    Rate out{w, cross<double>(w, p - on_floor.f), {}};
    out.u = contact_rates(on_floor, on_egg, {state.X_WB, Twist<double>(out.p - cross<double>(w, p), w)});
    return out;
  }
  static State moved(State state, const Rate& by, double h) {
    state.X_WB =
        Pose(SO3<double>::exp(h * by.omega) * state.X_WB.rotation(), state.X_WB.translation() + h * by.p);
    state.at.a.u += h * by.u.u_a;
    state.at.b.u += h * by.u.u_b;
    return state;
  }
  /// By two midpoints.
  State step(const State& from, double t, double h) const {
    const auto midpoint = [&](State s, double t0, double dt) {
      return moved(s, rate(moved(s, rate(s, t0), 0.5 * dt), t0 + 0.5 * dt), dt);
    };
    State out = midpoint(midpoint(from, t, 0.5 * h), t + 0.5 * h, 0.5 * h);
    out.at.a = floor.better(out.at.a);
    out.at.b = egg.better(out.at.b);
    return out;
  }
};

/// What FCL finds: of a floor in thin blocks the one that is nearest, its point then settled on the smooth
/// surfaces.
ContactPlaces by_library(const RollingEgg& scene, const Pose& X_WB, const V& near) {
  constexpr double kCell = 0.02;
  const double j0 = std::floor(near.y() / kCell);
  ContactPlaces best;
  double least = std::numeric_limits<double>::infinity();
  for (int j = -6; j <= 6; ++j) {
    std::vector<V> corners;
    for (const double y : {(j0 + j) * kCell, (j0 + j + 1) * kCell})
      for (const double x : {near.x() - 0.5, near.x() + 0.5})
        for (const double depth : {0.0, 0.3})
          corners.emplace_back(x, y, scene.ground->at(x, y).height - depth);
    const CollisionShape block = mesh_shape(std::make_shared<ConvexMesh>(corners));
    const ContactPairPtr pair = shape_pair("block", kFirst, block, kSecond, ellipsoid_shape(scene.axes));
    FrameMotion world, egg;
    egg.R = X_WB.rotation().matrix();
    egg.p = X_WB.translation();
    const ContactPoint at = pair->nearest(world, egg);
    if (at.distance >= least) continue;
    least = at.distance;
    const V on_egg = (X_WB.inverse() * at.p_b).cwiseQuotient(scene.axes).normalized();
    best.a = {0, at.p_a.head<2>()};
    best.b = on_egg.z() < 0.0 ? SurfacePlace{0, on_egg.head<2>() / (1.0 - on_egg.z())}
                              : SurfacePlace{1, on_egg.head<2>() / (1.0 + on_egg.z())};
  }
  EXPECT_TRUE(seat_contact(scene.floor, scene.egg, X_WB, best));
  return best;
}

TEST(ContactTracker, AnEllipsoidRollsOnWavesAlikeByAllThreeRoutes) {
  const RollingEgg scene;
  RollingEgg::State state{Pose(SO3<double>::exp({0.3, -0.2, 0.1}), V(0.0, 0.0, 0.5)), {}};
  state.at = search_contact(scene.floor, scene.egg, state.X_WB);
  state.X_WB = Pose(state.X_WB.rotation(),
                    state.X_WB.translation() - state.at.distance * scene.floor.at(state.at.a).g);
  ASSERT_TRUE(seat_contact(scene.floor, scene.egg, state.X_WB, state.at));
  ASSERT_NEAR(state.at.distance, 0.0, 1e-12);

  const ContactPairPtr direct =
      tip_on_ground_pair("egg", kFirst, scene.ground, kSecond, ellipsoid_tip(scene.axes));
  const double h = 2e-4;
  double rolled = 0.0, worst_direct = 0.0, worst_library = 0.0;
  int charts = 0;
  for (int i = 0; i < 20000; ++i) {
    const V before = state.X_WB.translation();
    const int chart = state.at.b.chart;
    state = scene.step(state, i * h, h);
    charts += chart != state.at.b.chart;
    rolled += (state.X_WB.translation() - before).norm();
    if (i % 500 == 0) {
      ASSERT_TRUE(seat_contact(scene.floor, scene.egg, state.X_WB, state.at));
    }
    if (i % 500 != 250) continue;  // half way from one seating to the next
    const ContactPoint mine{0,
                            1,
                            scene.floor.at(state.at.a).f,
                            state.X_WB * scene.egg.at(state.at.b).f,
                            scene.floor.at(state.at.a).g,
                            0.0};
    FrameMotion world, egg;
    egg.R = state.X_WB.rotation().matrix();
    egg.p = state.X_WB.translation();
    const ContactPoint at = direct->nearest(world, egg);
    worst_direct = std::max({worst_direct, (at.p_a - mine.p_a).norm(), (at.p_b - mine.p_b).norm(),
                             (at.normal - mine.normal).norm()});
    EXPECT_NEAR(at.distance, 0.0, 1e-6);  // rolling keeps touch, but for the steps
    if (i % 2000 != 250) continue;
    const ContactPlaces library = by_library(scene, state.X_WB, mine.p_a);
    worst_library = std::max({worst_library, (scene.floor.at(library.a).f - at.p_a).norm(),
                              (state.X_WB * scene.egg.at(library.b).f - at.p_b).norm()});
  }
  EXPECT_LT(worst_direct, 1e-8);
  EXPECT_LT(worst_library, 1e-8);
  EXPECT_GT(rolled, 1.0);
  EXPECT_GT(charts, 0);
}

TEST(ContactTracker, EllipsoidsTrackedAreWhereTheLibraryFindsThem) {
  const V Sa(0.6, 0.5, 0.4), Sb(0.5, 0.3, 0.2);
  const ContactPairPtr shapes = shape_pair("eggs", kFirst, ellipsoid_shape(Sa), kSecond, ellipsoid_shape(Sb));
  const ContactPairPtr searched =
      parametric_pair("eggs", kFirst, ellipsoid_surface(Sa), kSecond, ellipsoid_surface(Sb));
  for (int seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    const MovingFrame a = moving(random, random_pose(random, 0.1));
    MovingFrame b = moving(random, random_pose(random, 0.1));
    b.start =
        Pose(b.start.rotation(), V(V(random.normal(), random.normal(), random.normal()).normalized() * 0.95));
    b.v *= 0.2;
    const auto motion = [&](double t) { return relative_motion(a.at(t), b.at(t)); };
    ContactTracker tracker(ellipsoid_surface(Sa), ellipsoid_surface(Sb));
    tracker.start(motion(0.0).X_AB);
    for (int i = 0; i < 10; ++i) {
      const double t = 0.05 * (i + 1);
      tracker.follow(motion, t - 0.05, t);
      const ContactPoint library = shapes->nearest(a.at(t), b.at(t)), mine = tracker.point(motion(t).X_AB);
      if (library.distance < -0.05) break;  // deep in, the way out may be another
      const Pose X_WA(SO3<double>(a.at(t).R), a.at(t).p);
      EXPECT_NEAR((X_WA * mine.p_a - library.p_a).norm() + (X_WA * mine.p_b - library.p_b).norm(), 0.0, 1e-8)
          << seed << " at " << t;
      EXPECT_NEAR(mine.distance, library.distance, 1e-9);
    }
    const ContactPoint at = searched->nearest(a.at(0.0), b.at(0.0)),
                       library = shapes->nearest(a.at(0.0), b.at(0.0));
    EXPECT_NEAR((at.p_a - library.p_a).norm(), 0.0, 1e-9);
    const ContactMotion x = searched->motion(at, a.at(0.0), b.at(0.0)),
                        y = shapes->motion(library, a.at(0.0), b.at(0.0));
    EXPECT_LT(difference(x, y), 1e-7 * (1.0 + size_of(x)));
    const auto cx = curvatures(*searched, at, a.at(0.0), b.at(0.0)),
               cy = curvatures(*shapes, library, a.at(0.0), b.at(0.0));
    EXPECT_NEAR((cx->a.principal - cy->a.principal).norm() + (cx->b.principal - cy->b.principal).norm(), 0.0,
                1e-6);
  }
}

TEST(ContactTracker, WhatCannotBeFollowedIsRefused) {
  EXPECT_THROW(ContactTracker(plane_surface(1.0), plane_surface(1.0), {.step = 0.0}), Error);
  EXPECT_THROW(ContactTracker(plane_surface(1.0), plane_surface(1.0), {.reseat = -1.0}), Error);
  EXPECT_THROW(search_contact(plane_surface(1.0), plane_surface(1.0), Pose(V(0.0, 0.0, 1.0))),
               Error);  // back to back
  EXPECT_THROW(torus_surface(0.2, 0.3), Error);
  EXPECT_THROW(sine_surface(0.1, 0.0, 1.0), Error);
  EXPECT_THROW(ParametricSurface({}), Error);
  const ParametricSurface cone = parametric_surface(
      [](const auto& u) {
        using T = typename std::decay_t<decltype(u)>::Scalar;
        return Vector3<T>(u[0] * u[0] * u[0], u[1], T(0.0) * u[0]);
      },
      {-1.0, -1.0}, {1.0, 1.0});
  EXPECT_THROW(cone.at({}), Error);
}

}  // namespace
}  // namespace amble
