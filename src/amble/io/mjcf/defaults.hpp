#pragma once

#include <map>
#include <string>

#include "amble/io/mjcf/source.hpp"

namespace amble {

/// What the <compiler> and <default> sections say for elements that are silent themselves.
class MjcfDefaults {
 public:
  explicit MjcfDefaults(const MjcfElement& root);

  /// Of the compiler sections together; the last one that says it wins.
  std::string compiler(const std::string& attribute, const std::string& fallback) const;

  /// An attribute of `element`: its own, or that of its class, which is `childclass` unless it names one.
  std::string value(const MjcfElement& element, const std::string& childclass, const std::string& attribute,
                    const std::string& fallback = {}) const;

 private:
  using Attributes = std::map<std::string, std::string>;
  using ByElement = std::map<std::string, Attributes>;

  void add_class(const MjcfElement& section, ByElement inherited);

  Attributes compiler_;
  std::map<std::string, ByElement> classes_;
};

}  // namespace amble
