#include "amble/mechanism/builder.hpp"

#include <fmt/format.h>

#include "amble/mechanism/problems.hpp"

namespace amble {

Builder::Builder(ModelDescription description) : description_(std::move(description)) {
  for (const BodyDescription& b : description_.bodies) standing_.insert(b.name);
  for (const JointDescription& j : description_.joints) standing_.erase(j.child);
}

Builder& Builder::gravity(const Vector3<double>& gravity) {
  description_.gravity = gravity;
  return *this;
}
Builder& Builder::body(BodyDescription body) {
  description_.bodies.push_back(std::move(body));
  return *this;
}
Builder& Builder::joint(JointDescription joint) {
  description_.joints.push_back(std::move(joint));
  return *this;
}
Builder& Builder::loop(LoopDescription loop) {
  description_.loops.push_back(std::move(loop));
  return *this;
}
Builder& Builder::spring(SpringDescription spring) {
  description_.springs.push_back(std::move(spring));
  return *this;
}
Builder& Builder::tendon(TendonDescription tendon) {
  description_.tendons.push_back(std::move(tendon));
  return *this;
}
Builder& Builder::coupling(CouplingDescription coupling) {
  description_.couplings.push_back(std::move(coupling));
  return *this;
}
Builder& Builder::drive(DriveDescription drive) {
  description_.drives.push_back(std::move(drive));
  return *this;
}
Builder& Builder::rolling(RollingDescription rolling) {
  description_.rollings.push_back(std::move(rolling));
  return *this;
}
Builder& Builder::frame(FrameDescription frame) {
  description_.frames.push_back(std::move(frame));
  return *this;
}

Mechanism Builder::build() const {
  // A file's root may stand fixed without saying so; in code a body without a joint is a forgotten joint.
  std::set<std::string> held = standing_;
  for (const JointDescription& j : description_.joints) held.insert(j.child);
  Problems problems = find_problems(description_);
  for (const BodyDescription& b : description_.bodies)
    if (!held.contains(b.name))
      problems.push_back({Severity::error, {}, 0, fmt::format("body '{}'", b.name),
                          "no joint holds it; join it to 'world' with a fixed or free joint"});
  throw_problems(problems, Severity::physics);
  return compile(description_, Physics::refuse);
}

}  // namespace amble
