#pragma once

#include <memory>

#include "amble/control/posture/static_posture.hpp"

namespace amble {

/// Static postures in which bodies that are not in contact keep apart: from each other, from the scenery and from settings.ground. Pairs that
/// come too near join the program (`apart`) and the search goes on: most postures need none. Bodies two joints
/// apart, parts of one hip or shoulder, are left to the joints' limits.
class ClearPostures {
 public:
  /// What is not kept clear although it might touch, in a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// `clearance` in m; 0: none is looked at.
  ClearPostures(const Mechanism& mechanism, const GroundPtr& ground, double clearance);

  /// `touching`: contacts that are in their place and bear nothing; they are met as targets.
  StaticPosture find(const std::vector<PostureContact>& contacts, const std::vector<PostureContact>& touching, const VectorRef& start,
                     PostureSettings settings);

 private:
  bool may_touch(const BodyPair& pair, const std::vector<PostureContact>& contacts) const;
  int link_of(const std::string& place) const;

  std::vector<BodyPair> pairs() const;

  const Mechanism& mechanism_;
  GroundPtr ground_;
  double clearance_;
  std::vector<std::string> left_out_, notes_;
  std::unique_ptr<BodyDistances> distances_;  // null: nothing may meet
};

}  // namespace amble
