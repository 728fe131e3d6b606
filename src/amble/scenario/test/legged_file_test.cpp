#include "amble/scenario/legged_file.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"

namespace amble {
namespace {

LeggedRobotSettings read(const std::string& text) { return read_legged_settings(text, "legs.toml"); }
std::string refusal(const std::string& text) {
  return message_of([&] { read(text); });
}

TEST(LeggedFiles, EveryKeyArrives) {
  const LeggedRobotSettings s = read(R"(
[legs]
forward = [-1, 0, 0]
up = [0, 0, 1]
torso = "chest"
hip_height = 0.7
stance_width = 0.2
unmirrored_limits = true
posture = { elbow = -0.5 }
[[feet]]
body = "left"
corners = [[0.1, 0.05, 0], [-0.1, 0.05, 0], [-0.1, -0.05, 0]]
[[feet]]
body = "right"
radius = 0.02
center = [0, 0, -0.3]
)");
  EXPECT_EQ((*s.forward)[0], -1.0);
  EXPECT_EQ((*s.up)[2], 1.0);
  EXPECT_EQ(s.torso, "chest");
  EXPECT_EQ(*s.hip_height, 0.7);
  EXPECT_EQ(*s.stance_width, 0.2);
  EXPECT_TRUE(s.unmirrored_limits);
  EXPECT_EQ(s.posture.at("elbow"), -0.5);
  ASSERT_EQ(s.feet.size(), 2u);
  EXPECT_EQ(s.feet[0].corners.size(), 3u);
  EXPECT_EQ(s.feet[0].corners[1][0], -0.1);
  EXPECT_EQ(s.feet[1].radius, 0.02);
  EXPECT_EQ((*s.feet[1].center)[2], -0.3);
}

TEST(LeggedFiles, AnEmptyFileSaysNothing) {
  const LeggedRobotSettings s = read("");
  EXPECT_TRUE(s.feet.empty());
  EXPECT_FALSE(s.forward || s.up || s.hip_height || s.stance_width);
}

TEST(LeggedFiles, ErrorsNameTheKeyAndTheLine) {
  EXPECT_EQ(refusal("[legs]\nforwards = [1, 0, 0]\n").substr(0, 12), "legs.toml:2:");
  EXPECT_NE(
      refusal("[legs]\nforwards = [1, 0, 0]\n").find("'legs.forwards': is not a key that is known here"),
      std::string::npos);
  EXPECT_NE(refusal("[legs]\nforward = [1, 0]\n").find("legs.toml:2: 'legs.forward'"), std::string::npos);
  EXPECT_NE(refusal("[[feet]]\nlength = 0.2\n").find("feet"), std::string::npos);
  EXPECT_NE(refusal("[[feet]]\nbody = 'a'\ncorners = [[1, 2]]\n").find("rows of three numbers"),
            std::string::npos);
  EXPECT_NE(refusal("[[feet]]\nbody = 'a'\nlength = 0.2\n[[feet]]\nbody = 'b'\n").find("expected both"),
            std::string::npos);
  EXPECT_NE(refusal("[[feet]]\nbody = 'a'\nradius = 0.2\nlength = 1\nwidth = 1\n[[feet]]\nbody = 'b'\n")
                .find("or a radius"),
            std::string::npos);
  EXPECT_NE(refusal("[legs]\nhip_height = -1\n").find("hip_height is -1"), std::string::npos);
  EXPECT_NE(refusal("[legs]\nup = [0, 0, 0]\n").find("expected a direction"), std::string::npos);
}

}  // namespace
}  // namespace amble
