#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "amble/base/error.hpp"

namespace amble {

/// Findings that repeat: a big robot says the same unused thing a hundred times, its reader says so once.
class Tally {
 public:
  /// `element` as in Problem. Findings with the same severity, reason and group become one, at the first
  /// one's line.
  void add(Severity severity, const std::string& reason, int line, const std::string& element,
           const std::string& group = "");

  /// In the order of first appearance. The reason is followed by what else it holds for:
  /// `(also joint 'b', joint 'c' and 25 more)`, or the plain count when all elements have the same name.
  Problems problems(const std::string& file) const;

 private:
  struct Entry {
    Severity severity;
    std::string reason;
    int line;
    int count = 0;
    std::vector<std::string> elements;  ///< the first few
  };
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace amble
