#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "amble/io/mjcf/compiled.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

/// Names, unique and never empty: those of the file, or made up from the kind and the number. Where Amble
/// wants names to differ and MJCF does not (a site and a body, a loop and a joint), the name is extended.
class MjcfNaming {
 public:
  /// Names that are taken, and by which number to go on for one that is wished for again.
  struct Names {
    std::set<std::string> all;
    std::map<std::string, int> next;
  };

  explicit MjcfNaming(const CompiledModel& model);

  const std::string& body(int index) const { return bodies_[static_cast<std::size_t>(index)]; }
  const std::string& joint(const CompiledJoint* joint) const { return joints_.at(joint); }
  const std::string& site(const CompiledSite* site) const { return sites_.at(site); }
  /// A new name that no body (no joint, no loop) has, starting from `wish`.
  std::string new_body(const std::string& wish);
  std::string new_joint(const std::string& wish);
  std::string loop(const std::string& given);
  /// Of a name of the file, which no other tendon has; made up when it is empty.
  std::string tendon(const std::string& given);

 private:
  Names body_names_, joint_names_, tendon_names_;
  std::vector<std::string> bodies_;
  std::map<const CompiledJoint*, std::string> joints_;
  std::map<const CompiledSite*, std::string> sites_;
  int loops_ = 0, tendons_ = 0;
};

/// What the parts of the reader share.
struct MjcfDescriber {
  const MjcfSources& sources;
  const CompiledModel& model;
  MjcfNaming& names;
  ModelDescription& out;

  /// The line of an element of the main file; 0 when it stands in another one, where it would mislead.
  int line(const MjcfElement& e) const { return *e.file == out.file ? e.line : 0; }
  void say(Severity severity, const MjcfElement& e, const std::string& reason) {
    out.findings.push_back(e.problem(severity, reason));
  }
};

/// The parts of the reader. Each adds to the description and its findings.
void describe_bodies(MjcfDescriber& d);
void describe_contacts(MjcfDescriber& d);
void describe_shapes(MjcfDescriber& d);  ///< after the contacts, whose pairs make shapes of what only looks
void describe_sites(MjcfDescriber& d);
void describe_keyframes(MjcfDescriber& d);

}  // namespace amble
