#pragma once

#include <memory>

#include "amble/mechanism/mechanism.hpp"

namespace amble::python {

using MechanismPtr = std::shared_ptr<const Mechanism>;

/// A part of a mechanism, which it keeps alive: what Python's Body, Joint, Loop, Spring, Rolling, Frame and Keyframe are.
template <class Record>
struct Part {
  MechanismPtr mechanism;
  const Record* record;
};
using BodyPart = Part<Body>;
using JointPart = Part<Joint>;
using LoopPart = Part<Loop>;
using SpringPart = Part<Spring>;
using RollingPart = Part<RollingWheel>;
using FramePart = Part<Frame>;
using KeyframePart = Part<Keyframe>;

/// By name; an Error with the nearest name when there is none.
BodyPart body_part(const MechanismPtr& m, const std::string& name);
JointPart joint_part(const MechanismPtr& m, const std::string& name);
LoopPart loop_part(const MechanismPtr& m, const std::string& name);
SpringPart spring_part(const MechanismPtr& m, const std::string& name);
RollingPart rolling_part(const MechanismPtr& m, const std::string& name);
FramePart frame_part(const MechanismPtr& m, const std::string& name);
KeyframePart keyframe_part(const MechanismPtr& m, const std::string& name);

template <class Records>
std::vector<std::string> names_of(const Records& records) {
  std::vector<std::string> names;
  for (const auto& r : records) names.push_back(r.name);
  return names;
}

}  // namespace amble::python
