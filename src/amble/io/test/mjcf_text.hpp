#pragma once

#include <stdexcept>
#include <string>

#include "amble/io/readers.hpp"

// What the tests of the MJCF reader share.
namespace amble {

inline const JointDescription& joint(const ModelDescription& d, const std::string& name) {
  for (const JointDescription& j : d.joints)
    if (j.name == name) return j;
  throw std::runtime_error("no joint " + name);
}

inline const BodyDescription& body(const ModelDescription& d, const std::string& name) {
  for (const BodyDescription& b : d.bodies)
    if (b.name == name) return b;
  throw std::runtime_error("no body " + name);
}

inline std::string findings(const ModelDescription& d) {
  std::string out;
  for (const Problem& p : d.findings) out += p.text() + "\n";
  return out;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string error_of(const std::string& text, const std::string& file = "model.xml") {
  try {
    read_mjcf(text, file);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

inline std::string in_world(const std::string& inner) {
  return "<mujoco><compiler angle=\"radian\" autolimits=\"true\"/><worldbody>" + inner +
         "</worldbody></mujoco>";
}

}  // namespace amble
