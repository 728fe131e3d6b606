#pragma once

#include <cmath>
#include <limits>

namespace amble {

/// How low the swing foot gets between lifting off and coming down, from its heights along the way: the least
/// of those that rise again after, or lie below the floor; where there is none, how high it gets.
class SwingClearance {
 public:
  void visit(double height) {
    const bool turned = last_ < before_ && last_ < height;
    if (turned || last_ < -kRounding) lowest_ = std::fmin(lowest_, last_);
    highest_ = std::fmax(highest_, height);
    before_ = last_, last_ = height;
  }
  /// The foot is down: the next swing begins.
  void land() { before_ = last_ = kNothing; }
  /// Not a number where nothing was seen.
  double margin() const { return std::isnan(lowest_) ? highest_ : lowest_; }

 private:
  static constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  static constexpr double kRounding = 1e-9;  // m, of a foot that stands on the floor
  double lowest_ = kNothing, highest_ = kNothing, last_ = kNothing, before_ = kNothing;
};

}  // namespace amble
