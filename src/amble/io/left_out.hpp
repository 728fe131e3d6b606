#pragma once

#include <string>

#include "amble/base/error.hpp"

namespace amble {

/// What a writer cannot say. With a list, it is noted there and left out; without one it is an Error.
class LeftOut {
 public:
  explicit LeftOut(Problems* list) : list_(list) {}

  void add(const std::string& element, const std::string& reason) const {
    Problem problem{Severity::warning, "", 0, element, reason};
    if (list_ == nullptr) throw Error(problem.text());
    list_->push_back(std::move(problem));
  }

 private:
  Problems* list_;
};

}  // namespace amble
