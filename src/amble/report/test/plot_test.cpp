#include "amble/report/plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

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

TEST(Plot, AFileIsWrittenWholeOrNotAtAll) {
  const std::string folder = testing::TempDir() + "amble_plot_test";
  std::filesystem::create_directories(folder);
  write_text(folder + "/a.svg", "whole");
  EXPECT_EQ(std::filesystem::file_size(folder + "/a.svg"), 5u);
  EXPECT_FALSE(std::filesystem::exists(folder + "/a.svg.part"));
  EXPECT_THROW(write_text(folder + "/none/a.svg", "x"), Error);
}

}  // namespace
}  // namespace amble
