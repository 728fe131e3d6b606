#include "amble/geometry/ground.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/geometry/ground_description.hpp"

namespace amble {
namespace {

HeightField hills() {
  HeightField field{.x0 = -1.0, .y0 = 0.5, .spacing = 0.2, .heights = {}};
  for (int i = 0; i < 12; ++i) {
    field.heights.emplace_back();
    for (int j = 0; j < 9; ++j) field.heights.back().push_back(0.3 * std::sin(0.7 * i) * std::cos(0.5 * j));
  }
  return field;
}

/// Slopes and curvatures against differences of the height.
void expect_derivatives(const Ground& ground, double x, double y) {
  const double h = 1e-5;
  const GroundPoint at = ground.at(x, y);
  const auto slope = [&](double dx, double dy) {
    return (ground.at(x + dx, y + dy).height - ground.at(x - dx, y - dy).height) / (2.0 * h);
  };
  EXPECT_NEAR(at.gradient.x(), slope(h, 0), 1e-8);
  EXPECT_NEAR(at.gradient.y(), slope(0, h), 1e-8);
  const Eigen::Vector2d along_x = (ground.at(x + h, y).gradient - ground.at(x - h, y).gradient) / (2.0 * h);
  const Eigen::Vector2d along_y = (ground.at(x, y + h).gradient - ground.at(x, y - h).gradient) / (2.0 * h);
  EXPECT_LT((at.curvature.col(0) - along_x).norm(), 1e-6);
  EXPECT_LT((at.curvature.col(1) - along_y).norm(), 1e-6);
  EXPECT_NEAR(at.normal().norm(), 1.0, 1e-15);
  EXPECT_NEAR(at.normal().dot(Vector3<double>(1.0, 0.0, at.gradient.x())), 0.0, 1e-15);
  EXPECT_NEAR(at.normal().dot(Vector3<double>(0.0, 1.0, at.gradient.y())), 0.0, 1e-15);
}

TEST(Ground, DerivativesAreThoseOfTheHeight) {
  Random random(1);
  const GroundPtr grounds[] = {plane_ground(7.0, 0.3), sine_ground({0.2, 1.5, 35.0}), height_field_ground(hills())};
  for (const GroundPtr& ground : grounds)
    for (int i = 0; i < 50; ++i) {
      const double x = -0.9 + 1.9 * random.uniform(), y = 0.6 + 1.4 * random.uniform();
      if (std::abs(std::remainder(x + 1.0, 0.2)) < 1e-4 || std::abs(std::remainder(y - 0.5, 0.2)) < 1e-4) continue;  // seams
      expect_derivatives(*ground, x, y);
    }
}

TEST(Ground, ASlopeFallsAlongX) {
  EXPECT_NEAR(plane_ground(3.0)->at(1.0, 5.0).height, -std::tan(3.0 * std::numbers::pi / 180.0), 1e-15);
  EXPECT_NEAR(plane_ground(3.0)->clearance({1.0, 0.0, 0.0}), std::tan(3.0 * std::numbers::pi / 180.0), 1e-15);
}

TEST(Ground, StairsAreLevelBetweenRisers) {
  const GroundPtr stairs = stairs_ground({.start = 1.0, .length = 0.5, .rise = -0.2, .count = 2});
  EXPECT_EQ(stairs->at(0.99, 0.0).height, 0.0);
  EXPECT_EQ(stairs->at(1.01, 0.0).height, -0.2);
  EXPECT_EQ(stairs->at(1.6, 0.0).height, -0.4);
  EXPECT_EQ(stairs->at(9.0, 0.0).height, -0.4);
}

TEST(Ground, TheSineOfTheBookRunsAlongY) {
  const GroundPtr ground = sine_ground({0.1, 2.0, 90.0});
  EXPECT_NEAR(ground->at(0.3, 0.07).height, 0.1 * std::sin(2.0 * std::numbers::pi * 2.0 * 0.07), 1e-15);
}

TEST(Ground, AHeightFieldGoesThroughItsGridAndIsExactForASlope) {
  const HeightField field = hills();
  const GroundPtr ground = height_field_ground(field);
  EXPECT_NEAR(ground->at(-1.0 + 3 * 0.2, 0.5 + 4 * 0.2).height, field.heights[3][4], 1e-15);
  EXPECT_NEAR(ground->at(-5.0, 0.5).height, field.heights[0][0], 1e-15);
  EXPECT_EQ(ground->at(-5.0, 0.7).gradient.x(), 0.0);
  HeightField slope{.spacing = 0.5, .heights = {}};
  for (int i = 0; i < 4; ++i) slope.heights.push_back({0.1 * i, 0.1 * i + 0.2, 0.1 * i + 0.4});
  EXPECT_NEAR(height_field_ground(slope)->at(0.23, 0.61).height, 0.2 * 0.23 + 0.4 * 0.61, 1e-15);
}

TEST(Ground, IsMadeAgainFromItsDescription) {
  for (const GroundPtr& ground :
       {plane_ground(3.0, 0.2), stairs_ground({1.0, 0.5, -0.2, 2}), sine_ground({0.1, 2.0, 30.0}), height_field_ground(hills())}) {
    const GroundPtr again = ground_of(description_of(*ground));
    for (double x = -2.0; x < 3.0; x += 0.37)
      for (double y = -2.0; y < 3.0; y += 0.41) EXPECT_EQ(again->at(x, y).height, ground->at(x, y).height);
  }
  EXPECT_EQ(ground_of({}), nullptr);
  EXPECT_NE(message_of([] { ground_of({"sea", {}}); }).find("kind 'sea'"), std::string::npos);
  EXPECT_NE(message_of([] { ground_of({"plane", {1.0}}); }).find("has 1 numbers: expected 2"), std::string::npos);
  EXPECT_NE(message_of([] { ground_of({"stairs", {0.0, 1.0, 1.0, 0.5}}); }).find("count of 0.5"), std::string::npos);
  EXPECT_NE(message_of([] { ground_of({"height_field", {0.0, 0.0, 1.0, 2.0, 1.0, 2.0, 3.0}}); }).find("as many in each row"),
            std::string::npos);
}

TEST(Ground, WhatMakesNoGroundIsRefused) {
  EXPECT_NE(message_of([] { plane_ground(90.0); }).find("slope_deg of 90"), std::string::npos);
  EXPECT_NE(message_of([] { stairs_ground({.length = 0.0}); }).find("step length"), std::string::npos);
  EXPECT_NE(message_of([] { height_field_ground({.heights = {{0.0, 1.0}, {0.0}}}); }).find("row of heights"), std::string::npos);
  EXPECT_NE(message_of([] { height_field_ground({}); }).find("count of heights"), std::string::npos);
}

}  // namespace
}  // namespace amble
