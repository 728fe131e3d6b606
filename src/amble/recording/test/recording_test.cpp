#include "amble/recording/recording.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/coordinate_names.hpp"

namespace amble {
namespace {

Mechanism floating_arm() {
  const Inertia<double> unit = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity());
  Builder b("arm");
  b.body({.name = "base", .inertia = unit}).body({.name = "hand", .inertia = unit});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "base"});
  b.joint({.name = "elbow", .type = "revolute", .parent = "base", .child = "hand"});
  return b.build();
}

std::string text_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST(Recording, NamesEveryNumberInATable) {
  const Mechanism m = floating_arm();
  Recording r(m);
  OwnedVector q = m.neutral(), v(m.nv());
  q[2] = 0.1, v[6] = -1.0 / 3.0;
  r.add(0.0, q, v, 1.5, 2.0);
  r.add(0.25, q, v, 1.25, 2.25);
  const std::string path = (std::filesystem::temp_directory_path() / "amble_recording_test.csv").string();
  r.save_csv(path);
  EXPECT_EQ(text_of(path),
            "t,q:root.x,q:root.y,q:root.z,q:root.qx,q:root.qy,q:root.qz,q:root.qw,q:elbow,"
            "v:root.vx,v:root.vy,v:root.vz,v:root.wx,v:root.wy,v:root.wz,v:elbow,kinetic,potential\n"
            "0,0,0,0.1,0,0,0,1,0,0,0,0,0,0,0,-0.3333333333333333,1.5,2\n"
            "0.25,0,0,0.1,0,0,0,1,0,0,0,0,0,0,0,-0.3333333333333333,1.25,2.25\n");
  std::filesystem::remove(path);
}

TEST(Recording, RefusesStatesThatAreNone) {
  const Mechanism m = floating_arm();
  Recording r(m);
  r.add(1.0, m.neutral(), OwnedVector(m.nv()), 0.0, 0.0);
  EXPECT_NE(message_of([&] { r.add(1.0, m.neutral(), OwnedVector(m.nv()), 0.0, 0.0); }).find("1 s is recorded after 1 s"),
            std::string::npos);
  EXPECT_NE(message_of([&] { r.add(2.0, m.neutral(), OwnedVector(3), 0.0, 0.0); }).find("'arm'"), std::string::npos);
  EXPECT_NE(message_of([&] { r.save_csv("/no/such/folder/x.csv"); }).find("/no/such/folder/x.csv"), std::string::npos);
  EXPECT_EQ(r.rows(), 1);
}

TEST(Recording, KeepsTheBooksAsTheyGrew) {
  Recording r(floating_arm());
  EXPECT_TRUE(r.ledger().entries.empty());
  const Ledger first{.initial = 2.0, .final = 2.0, .entries = {{"spring"}}};
  const Ledger later{.initial = 2.0, .final = 1.0, .entries = {{"spring", 0.0, -1.0, 1.0, 0.0}}, .losses = 0.25};
  r.add_ledger(0.0, first, {0.5});
  r.add_ledger(1.0, later, {0.75});
  r.add_ledger(1.0, later, {0.75});  // nothing new
  ASSERT_EQ(r.ledgers().rows(), 2u);
  EXPECT_EQ(r.ledgers().numbers(), (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(r.ledgers().at(0).final, 2.0);
  EXPECT_EQ(r.ledger().entries[0].delivered, -1.0);
  EXPECT_EQ(r.ledger().residual(), later.residual());
  const auto words = [&](double t, const Ledger& ledger, const std::vector<double>& numbers) {
    return message_of([&] { r.add_ledger(t, ledger, numbers); });
  };
  EXPECT_EQ(words(0.5, later, {0.0}), "a ledger at 0.5 s is recorded after one at 1 s");
  EXPECT_EQ(words(2.0, Ledger{.entries = {{"motor"}}}, {0.0}),
            "a ledger with the entries 'motor' is recorded after one with 'spring'");
  EXPECT_EQ(words(2.0, later, {}), "0 states of elements are recorded after 1");
}

TEST(Recording, CutsLongNamesOfEventsBetweenCharacters) {
  Recording r(floating_arm());
  std::string name = "x";
  while (name.size() < 400) name += "ä";  // two bytes
  r.add_event({1.0, name, 0.5});
  r.add_event({1.0, "short", 0.0});
  EXPECT_EQ(r.events()[0].name, name.substr(0, 251) + "...");
  EXPECT_EQ(r.events()[1].name, "short");
}

TEST(Recording, UnitsFollowTheJoints) {
  Builder b("all");
  const Inertia<double> unit = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity());
  std::string parent = "world";
  for (const char* type : {"planar", "cylindrical", "helical", "universal", "spherical"}) {
    const std::string body = std::string("after_") + type;
    b.body({.name = body, .inertia = unit});
    b.joint({.name = type, .type = type, .parent = parent, .child = body, .pitch = 0.1});
    parent = body;
  }
  const Mechanism m = b.build();
  using Words = std::vector<std::string>;
  EXPECT_EQ(q_units(m), (Words{"m", "m", "rad", "m", "rad", "rad", "rad", "rad", "1", "1", "1", "1"}));
  EXPECT_EQ(v_units(m), (Words{"m/s", "m/s", "rad/s", "m/s", "rad/s", "rad/s", "rad/s", "rad/s", "rad/s", "rad/s", "rad/s"}));
}

}  // namespace
}  // namespace amble
