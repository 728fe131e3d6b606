#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

#include "amble/io/readers.hpp"

// What the tests of the SDFormat reader share: texts to read, and what is expected of them.
namespace amble::sdf_test {

// SDFormat's pose by the book, through Eigen and not through our own geometry: x y z, then Rz(yaw) Ry(pitch)
// Rx(roll).
inline Eigen::Isometry3d sdf_pose(double x, double y, double z, double roll, double pitch, double yaw) {
  using Eigen::AngleAxisd, Eigen::Vector3d;
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translate(Vector3d(x, y, z));
  X.rotate(AngleAxisd(yaw, Vector3d::UnitZ()) * AngleAxisd(pitch, Vector3d::UnitY()) *
           AngleAxisd(roll, Vector3d::UnitX()));
  return X;
}

template <class X>
void expect_pose(const X& ours, const Eigen::Isometry3d& expected) {
  EXPECT_LT((ours.matrix() - expected.matrix()).cwiseAbs().maxCoeff(), 1e-14)
      << ours.matrix() << "\nexpected\n"
      << expected.matrix();
}

inline void expect_vector(const Vector3<double>& ours, const Eigen::Vector3d& expected) {
  EXPECT_LT((ours - expected).cwiseAbs().maxCoeff(), 1e-14)
      << ours.transpose() << " expected " << expected.transpose();
}

inline ModelDescription read(const std::string& text, const LoadOptions& options = {}) {
  return read_sdf(text, "test.sdf", options);
}

inline std::string in_model(const std::string& content) {
  return "<sdf version='1.9'>\n<model name='m'>\n" + content + "\n</model>\n</sdf>\n";
}

inline const std::string kInertial =
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

inline std::string link(const std::string& name, const std::string& pose = "") {
  return fmt::format("<link name='{}'>{}{}</link>\n", name, pose.empty() ? "" : "<pose>" + pose + "</pose>",
                     kInertial);
}

/// Two links and a joint between them, in lines 3, 4 and 5 of the file.
inline std::string two_links(const std::string& type, const std::string& inside) {
  return in_model(
      link("a") + link("b") +
      fmt::format("<joint name='j' type='{}'><parent>a</parent><child>b</child>{}</joint>", type, inside));
}

inline const JointDescription& joint(const ModelDescription& d, const std::string& name) {
  for (const auto& j : d.joints)
    if (j.name == name) return j;
  throw Error("no joint " + name);
}
inline const BodyDescription& body(const ModelDescription& d, const std::string& name) {
  for (const auto& b : d.bodies)
    if (b.name == name) return b;
  throw Error("no body " + name);
}
inline bool has_joint(const ModelDescription& d, const std::string& name) {
  return std::any_of(d.joints.begin(), d.joints.end(), [&](const auto& j) { return j.name == name; });
}

inline std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}
inline std::string refusal(const std::string& text) {
  return message([&] { read(text); });
}
inline std::string findings(const ModelDescription& d) {
  std::string out;
  for (const Problem& p : d.findings) out += p.text() + "\n";
  return out;
}

/// Where the notes say that a free body starts: the pose of the q that they name, by Eigen.
inline Eigen::Isometry3d start(const ModelDescription& d, const std::string& link) {
  for (const Problem& p : d.findings) {
    const auto at = p.reason.find("q = (");
    double q[7];
    if (p.element != fmt::format("link '{}'", link) || at == std::string::npos) continue;
    EXPECT_EQ(std::sscanf(p.reason.c_str() + at, "q = (%lf, %lf, %lf, %lf, %lf, %lf, %lf)", q, q + 1, q + 2, q + 3,
                          q + 4, q + 5, q + 6),
              7);
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.translate(Eigen::Vector3d(q[0], q[1], q[2]));
    X.rotate(Eigen::Quaterniond(q[6], q[3], q[4], q[5]));
    return X;
  }
  throw Error("no note on where link " + link + " starts");
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

}  // namespace amble::sdf_test
