#include "amble/recording/recording.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/builder.hpp"

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

}  // namespace
}  // namespace amble
