#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/compare.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/serialize.hpp"

// Springs and rolling wheels: what a mechanism carries beside its joints.
namespace amble {
namespace {

const Inertia<double> kBlock = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity());

/// A frame on a free joint, a wheel on an axle, a plate fixed to the frame, a spring from the plate to the world.
Builder cart() {
  Builder b("cart");
  for (const char* name : {"frame", "wheel", "plate"}) b.body({.name = name, .inertia = kBlock});
  b.joint({.name = "base", .type = "free", .parent = kWorld, .child = "frame"});
  b.joint({.name = "axle",
           .type = "revolute",
           .parent = "frame",
           .child = "wheel",
           .X_PF = Pose(Vector3<double>(0.3, 0, -0.1)),
           .axis = {0, 1, 0}});
  b.joint({.name = "bolt",
           .type = "fixed",
           .parent = "frame",
           .child = "plate",
           .X_PF = Pose(Vector3<double>(0, 0, 0.2))});
  b.spring({.name = "tether",
            .body_a = "plate",
            .body_b = kWorld,
            .point_a = {0.1, 0, 0},
            .point_b = {2, 1, 0},
            .stiffness = 100.0,
            .length = 0.5,
            .damping = 3.0});
  b.rolling({.name = "axle", .body = "wheel", .radius = 0.35, .axis = {0, 1, 0}, .center = {0, 0.05, 0}});
  return b;
}

TEST(Elements, AreWhereTheirBodiesAre) {
  const Mechanism m = cart().build();
  ASSERT_EQ(m.springs().size(), 1u);
  const Spring& s = m.springs()[0];
  EXPECT_EQ(s.link_a, m.bodies()[m.body_index("frame")].link);  // the plate is bolted to it
  EXPECT_EQ(s.link_b, 0);
  EXPECT_LT((m.bodies()[m.body_index("frame")].X_LB.inverse() * s.p_A - Vector3<double>(0.1, 0, 0.2)).norm(), 1e-15);
  EXPECT_EQ(s.p_B, Vector3<double>(2, 1, 0));
  EXPECT_EQ(s.stiffness, 100.0);
  EXPECT_EQ(s.length, 0.5);
  EXPECT_EQ(s.damping, 3.0);
  ASSERT_EQ(m.rollings().size(), 1u);
  const RollingWheel& r = m.rollings()[0];
  const Pose X_BW = m.bodies()[r.body].X_LB.inverse() * r.X_LW;
  EXPECT_EQ(m.bodies()[r.body].name, "wheel");
  EXPECT_LT((X_BW.translation() - Vector3<double>(0, 0.05, 0)).norm(), 1e-15);
  EXPECT_LT((X_BW.rotation().matrix().col(2) - Vector3<double>(0, 1, 0)).norm(), 1e-15);
  EXPECT_EQ(r.radius, 0.35);
}

TEST(Elements, RollingTakesThreeFreedomsByCounting) { EXPECT_EQ(cart().build().counted_mobility(), 7 - 3); }

TEST(Elements, AllThatIsWrongIsSaidAtOnce) {
  const double nan = std::nan("");
  Builder b = cart();
  b.spring(
      {.name = "tether", .body_a = "plat", .body_b = "wheel", .stiffness = -1.0, .length = nan, .damping = -0.5});
  b.spring({.name = "short", .body_a = "wheel", .body_b = "wheel", .point_a = {nan, 0, 0}});
  b.spring({.body_a = "frame", .body_b = "wheel", .stiffness = kUnlimited});
  b.rolling({.name = "r", .body = "whel", .radius = 0.0, .axis = {0, 0, 0}});
  b.rolling({.name = "s", .body = kWorld, .radius = nan, .axis = {0, 2, 0}, .center = {0, nan, 0}});
  b.rolling({.name = "axle", .body = "wheel", .radius = -1.0, .axis = {nan, 0, 0}});
  const std::string message = message_of([&] { b.build(); });
  for (const char* words :
       {"spring 'tether': the name is used twice",
        "spring 'tether': first body 'plat' does not exist (did you mean 'plate'?)",
        "spring 'tether': stiffness -1 is not allowed", "spring 'tether': length nan is not allowed",
        "spring 'tether': damping -0.5 is not allowed", "spring 'short': joins body 'wheel' to itself",
        "spring 'short': point_a (nan, 0, 0) is not finite", "spring: has no name", "stiffness inf is not allowed",
        "rolling 'r': its body 'whel' does not exist (did you mean 'wheel'?)", "rolling 'r': radius 0 is not allowed",
        "rolling 'r': axis is zero", "rolling 's': the world cannot roll", "rolling 's': radius nan is not allowed",
        "rolling 's': axis (0, 2, 0) has length 2, expected 1", "rolling 's': center (0, nan, 0) is not finite",
        "rolling 'axle': the name is used twice", "rolling 'axle': radius -1 is not allowed",
        "rolling 'axle': axis is not finite"})
    EXPECT_NE(message.find(words), std::string::npos) << words << " is not in\n" << message;
}

TEST(Elements, SurviveChangesAndSerialising) {
  const Mechanism m = cart().build();
  const Inertia<double> brick = Inertia<double>::from_com(2.0, {0, 0, 0}, Matrix3<double>::Identity());
  for (const Mechanism& changed :
       {with_gravity(m, {0, 0, -1.62}), with_locked(m, {{"axle", {0.3}}}), with_payload(m, "plate", brick),
        with_inertia(m, "plate", brick), with_properties(m, "axle", {.damping = {1.0}}),
        Builder(m.description()).build()}) {
    EXPECT_EQ(changed.springs().size(), 1u);
    EXPECT_EQ(changed.rollings().size(), 1u);
  }
  const std::string text = serialize(m.description());
  EXPECT_EQ(serialize(deserialize(text)), text);
  EXPECT_TRUE(differences(m, compile(deserialize(text)), 0.0).empty());
}

TEST(Elements, OfALockedWheelStayWhereItIs) {
  const Mechanism m = cart().build(), locked = with_locked(m, {{"axle", {0.3}}});
  const RollingWheel& r = locked.rollings()[0];
  EXPECT_EQ(r.link, locked.bodies()[locked.body_index("frame")].link);
  const Pose X_FW = locked.bodies()[locked.body_index("frame")].X_LB.inverse() * r.X_LW;
  EXPECT_LT((X_FW.translation() - Vector3<double>(0.3, 0.05, -0.1)).norm(), 1e-15);
}

TEST(Elements, DescriptionsOfEarlierVersionsHaveNone) {
  Builder b("block");
  b.body({.name = "block", .inertia = kBlock});
  b.joint({.name = "base", .type = "free", .parent = kWorld, .child = "block"});
  std::string text = serialize(b.build().description());
  const auto cut = [&](const std::string& words, const std::string& with) {
    const auto at = text.find(words);
    ASSERT_NE(at, std::string::npos) << words;
    text.replace(at, words.size(), with);
  };
  cut("\"amble_description\":3", "\"amble_description\":1");
  cut("\"springs\":[],", "");
  cut("\"rollings\":[]", "\"unknown\":0");
  EXPECT_TRUE(compile(deserialize(text)).springs().empty());
  cut("\"amble_description\":1", "\"amble_description\":4");
  EXPECT_NE(message_of([&] { deserialize(text); }).find("another version"), std::string::npos);
}

TEST(Elements, AreCompared) {
  const auto lines = [](auto change) {
    ModelDescription d = cart().build().description();
    change(d);
    return differences(cart().build(), compile(d));
  };
  const auto says = [&](auto change, const char* words) {
    const std::vector<std::string> out = lines(change);
    ASSERT_EQ(out.size(), 1u) << words;
    EXPECT_NE(out[0].find(words), std::string::npos) << out[0];
  };
  EXPECT_TRUE(lines([](auto&) {}).empty());
  EXPECT_TRUE(lines([](auto& d) { d.rollings[0].axis *= -1.0; }).empty());
  says([](auto& d) { d.springs.clear(); }, "spring 'tether': there | missing");
  says([](auto& d) { d.springs[0].body_b = "wheel"; }, "spring 'tether' joins: plate - world | plate - wheel");
  says([](auto& d) { d.springs[0].point_a[2] = 1; }, "spring 'tether' point_a");
  says([](auto& d) { d.springs[0].point_b[2] = 1; }, "spring 'tether' point_b");
  says([](auto& d) { d.springs[0].stiffness = 101; }, "spring 'tether' stiffness");
  says([](auto& d) { d.springs[0].length = 0.6; }, "spring 'tether' length");
  says([](auto& d) { d.springs[0].damping = 0; }, "spring 'tether' damping");
  says([](auto& d) { d.rollings.clear(); }, "rolling 'axle': there | missing");
  says([](auto& d) { d.rollings[0].body = "frame"; }, "rolling 'axle' is of: wheel | frame");
  says([](auto& d) { d.rollings[0].radius = 0.36; }, "rolling 'axle' radius");
  says([](auto& d) { d.rollings[0].axis = {1, 0, 0}; }, "rolling 'axle' axis");
  says([](auto& d) { d.rollings[0].center[0] = 1; }, "rolling 'axle' center");
}

}  // namespace
}  // namespace amble
