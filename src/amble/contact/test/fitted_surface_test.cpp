#include "amble/contact/fitted_surface.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "amble/base/error.hpp"
#include "amble/contact/contact_tracker.hpp"
#include "amble/contact/test/moving_frames.hpp"

namespace amble {
namespace {

using namespace testing;
const V kAxes(0.5, 0.4, 0.35);

std::vector<V> on_ellipsoid(int count, double noise, const Pose& X) {
  Random random(11);
  std::vector<V> out;
  for (int i = 0; i < count; ++i) {
    const V d = V(random.normal(), random.normal(), random.normal()).normalized();
    out.push_back(X * V(kAxes.cwiseProduct(d) * (1.0 + noise * random.normal())));
  }
  return out;
}

std::vector<V> on_waves(int count, double noise, const Pose& X) {
  Random random(12);
  std::vector<V> out;
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform(-1.0, 1.0), y = random.uniform(-1.0, 1.0);
    out.push_back(X * V(x, y, 0.05 * std::sin(2.0 * std::numbers::pi * 0.4 * y) + noise * random.normal()));
  }
  return out;
}

void expect_jets(const ParametricSurface& surface, double reach) {
  for (int seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const int chart = seed % static_cast<int>(surface.charts().size());
    const Vector2<double> u(random.uniform(-reach, reach), random.uniform(-reach, reach));
    const SurfaceJet at = surface.at({chart, u});
    for (int i = 0; i < 2; ++i) {
      const auto place = [&](double t) { return surface.at({chart, u + t * Vector2<double>::Unit(i)}); };
      EXPECT_NEAR((slope_of([&](double t) -> V { return place(t).f; }, 1e-4) - at.f_u.col(i)).norm(), 0.0,
                  1e-8);
      EXPECT_NEAR((slope_of([&](double t) -> V { return place(t).g; }, 1e-4) - at.g_u.col(i)).norm(), 0.0,
                  1e-4);
    }
  }
}

TEST(FittedSurface, OfAnEllipsoidIsTheEllipsoid) {
  const Pose X(V(0.3, -0.2, 1.0));
  double last = 1.0;
  for (const int degree : {4, 8, 12}) {
    const FittedSurface fit =
        fit_star(on_ellipsoid(3000, 0.0, X), {.centre = X.translation(), .degree = degree});
    EXPECT_LT(fit.largest, 0.2 * last);  // each four degrees more are five times nearer at least
    EXPECT_LE(fit.rms, fit.largest);
    last = fit.largest;
  }
  EXPECT_LT(last, 1e-5);
  const FittedSurface fit = fit_star(on_ellipsoid(3000, 0.0, X), {.centre = X.translation(), .degree = 12});
  expect_jets(fit.surface, 1.0);
  for (int seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const SurfaceJet at = fit.surface.at({seed % 2, {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)}});
    const V p = at.f - X.translation();
    EXPECT_NEAR(p.cwiseQuotient(kAxes).norm(), 1.0, 1e-4);
    EXPECT_NEAR((at.g - p.cwiseQuotient(kAxes).cwiseQuotient(kAxes).normalized()).norm(), 0.0, 1e-3);
  }
}

TEST(FittedSurface, NoiseIsWhatTheResidualSays) {
  const FittedSurface star = fit_star(on_ellipsoid(5000, 1e-3, Pose()), {.degree = 8});
  EXPECT_NEAR(star.rms, 1e-3 * 0.42, 1e-4);  // of a radius between 0.35 and 0.5
  const FittedSurface height = fit_height(on_waves(5000, 1e-3, Pose()), {});
  EXPECT_NEAR(height.rms, 1e-3, 1e-4);
}

TEST(FittedSurface, OfWavesTouchesWhereTheWavesDo) {
  Random random(4);
  const Pose X(SO3<double>::exp({0.2, -0.1, 0.0}), V(0.0, 0.0, 0.3));
  const std::vector<V> points = on_waves(8000, 0.0, X);
  const FittedSurface fit = fit_height(points, {.frame = X, .cells_x = 6, .cells_y = 24, .smoothing = 1e-9});
  EXPECT_LT(fit.largest, 1e-5);
  expect_jets(fit.surface, 0.9);
  const ParametricSurface egg = ellipsoid_surface({0.3, 0.2, 0.15}), waves = sine_surface(0.05, 0.4, 1.0);
  for (int i = 0; i < 10; ++i) {
    const Pose above(SO3<double>::exp(random_vector(random, 3.0)),
                     V(random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), 0.35));
    const ContactPlaces fitted = search_contact(fit.surface, egg, X * above),
                        exact = search_contact(waves, egg, above);
    EXPECT_NEAR(fitted.distance, exact.distance, 1e-5);
    EXPECT_NEAR((fit.surface.at(fitted.a).f - X * waves.at(exact.a).f).norm(), 0.0, 1e-4);
  }
}

TEST(FittedSurface, ThePlaneThroughPointsIsTheirs) {
  const Pose X(SO3<double>::exp({0.3, 0.2, -0.5}), V(1.0, 2.0, 3.0));
  std::vector<V> points;
  Random random(2);
  for (int i = 0; i < 100; ++i)
    points.push_back(X * V(random.uniform(-2.0, 2.0), random.uniform(-1.0, 1.0), 0.0));
  const Pose plane = plane_through(points);
  EXPECT_NEAR((plane.rotation() * V::UnitZ() - X.rotation() * V::UnitZ()).norm(), 0.0, 1e-12);
  for (const V& p : points) EXPECT_NEAR((plane.inverse() * p).z(), 0.0, 1e-12);
}

TEST(FittedSurface, WhatCannotBeFittedIsRefused) {
  EXPECT_THROW(fit_star(on_ellipsoid(20, 0.0, Pose()), {.degree = 8}), Error);
  EXPECT_THROW(fit_star(on_ellipsoid(200, 0.0, Pose()), {.degree = 0}), Error);
  EXPECT_THROW(fit_height(on_waves(5, 0.0, Pose()), {}), Error);
  EXPECT_THROW(fit_height(on_waves(50, 0.0, Pose()), {.cells_x = 0}), Error);
  EXPECT_THROW(fit_height(on_waves(50, 0.0, Pose()), {.smoothing = 0.0}), Error);
  EXPECT_THROW(fit_height(std::vector<V>(20, V::Ones()), {}), Error);
}

}  // namespace
}  // namespace amble
