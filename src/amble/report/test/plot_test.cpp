#include "amble/report/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "amble/base/error.hpp"
#include "amble/report/png.hpp"

namespace amble {
namespace {

TEST(Plot, TicksAreRoundAndInTheRange) {
  EXPECT_EQ(ticks(0.0, 1.0, 5), (std::vector<double>{0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0}));
  for (const double scale : {1e-6, 1.0, 3e7})
    for (const double t : ticks(-0.31 * scale, 0.77 * scale))
      EXPECT_TRUE(t >= -0.3101 * scale && t <= 0.7701 * scale);
  EXPECT_EQ(ticks(2.0, 2.0), std::vector<double>{2.0});
}

TEST(Plot, APictureIsMadeOrItIsSaidWhatIsMissing) {
  const std::string drawn = svg(Plot{.curves = {{"", {0, 1}, {1, 2}, "#000000"}}});
  try {
    EXPECT_EQ(png(drawn).substr(1, 3), "PNG");
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("librsvg2-bin"), std::string::npos) << e.what();
  }
  try {
    png("<svg");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("rsvg-convert"), std::string::npos) << e.what();
  }
}

TEST(Plot, PointsThatNobodySeesAreLeftOut) {
  std::vector<std::pair<double, double>> straight, wave;
  for (int i = 0; i <= 1000; ++i) straight.emplace_back(0.5 * i, 0.2 * i), wave.emplace_back(0.5 * i, 100.0 + 80.0 * std::sin(0.02 * i));
  wave[500].second += 1.0;  // a spike is seen
  const auto points_of = [](const std::vector<std::pair<double, double>>& points) {
    Svg picture(500, 200, "");
    picture.polyline(points, "#000000");
    std::vector<std::pair<double, double>> out;
    const std::string text = picture.finish(), list = text.substr(text.find("points='") + 8);
    double x = 0.0, y = 0.0;
    int read = 0;
    for (const char* at = list.c_str(); std::sscanf(at, "%lf,%lf %n", &x, &y, &read) == 2; at += read) out.emplace_back(x, y);
    return out;
  };
  EXPECT_EQ(points_of(straight).size(), 2u);
  const auto drawn = points_of(wave);
  EXPECT_LT(drawn.size(), 200u);
  std::size_t piece = 0;
  for (const auto& [x, y] : wave) {  // every point is near the line that is drawn
    while (piece + 2 < drawn.size() && drawn[piece + 1].first < x) ++piece;
    const auto [x0, y0] = drawn[piece];
    const auto [x1, y1] = drawn[piece + 1];
    EXPECT_NEAR(y, y0 + (x - x0) / (x1 - x0) * (y1 - y0), 0.7) << x;
  }
  EXPECT_TRUE(std::any_of(drawn.begin(), drawn.end(), [&](const auto& p) { return std::abs(p.second - wave[500].second) < 0.01; }));
}

TEST(Plot, TextFromOutsideIsNoMarkup) {
  EXPECT_EQ(escaped("<script>'&\"\x01"), "&lt;script&gt;&#39;&amp;&quot; ");
  const std::string drawn = svg(Plot{.title = "</svg><script>",
                                     .x_label = "x",
                                     .y_label = "y",
                                     .curves = {{"a<b", {0, 1}, {1, 2}, "#000000"}}});
  EXPECT_EQ(drawn.find("<script>"), std::string::npos);
  EXPECT_NE(drawn.find("a&lt;b"), std::string::npos);
}

TEST(Plot, WhatIsNotFiniteIsLeftOut) {
  const std::string drawn =
      svg(Plot{.title = "t", .curves = {{"", {0, NAN, 1}, {1, 2, INFINITY}, "#000000"}}});
  EXPECT_EQ(drawn.find("nan"), std::string::npos);
  EXPECT_EQ(drawn.find("inf"), std::string::npos);
  EXPECT_NE(svg(Plot{.title = "nothing"}).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace amble
