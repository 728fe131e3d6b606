#pragma once

#include <map>
#include <string>

#include "amble/io/mjcf/values.hpp"

namespace amble {

/// The default classes of a model. What a class says about an element is kept as attributes, those of its
/// parent classes included; the actuators of a class, which all write the same numbers, as a list in their
/// order.
class MjcfClasses {
 public:
  /// Throws an Error at the element for a nested class without a name or with one that is taken, and for
  /// an element that a class has twice.
  explicit MjcfClasses(const MjcfElement& root);

  /// The element with what its class says: its own `class`, or else `childclass`, or else the main class.
  /// Throws an Error at the element for a class that is not there.
  MjcfValues values(const MjcfElement& element, const std::string& childclass = {}) const;

  /// The actuator elements of the element's class, those of parent classes first.
  const std::vector<MjcfElement>& drives(const MjcfElement& element) const;

  /// Throws an Error at the element when there is no such class.
  void check(const MjcfElement& element, const std::string& name) const;

 private:
  struct Class {
    std::map<MjcfTag, MjcfAttributes> elements;
    std::vector<MjcfElement> drives;
  };

  void add(const MjcfElement& section, Class inherited, bool is_top);
  void count(const MjcfElement& section, const Class& content);
  const Class& find(const MjcfElement& element, const std::string& childclass) const;

  std::map<std::string, Class> classes_;
  double bytes_ = 0.0;
};

bool is_drive(MjcfTag tag);

}  // namespace amble
