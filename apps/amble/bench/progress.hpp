#pragma once

#include <string>

namespace amble::bench {

/// A line on stderr: rewritten in place with the share done on a terminal, elsewhere printed once for each new text.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void show(const std::string& text, double share);
  /// How long to wait between texts that change all the time (s): a log wants few of them.
  double pause() const { return terminal_ ? 0.2 : 10.0; }
  void clear();

 private:
  bool terminal_;
  std::string last_;
};

}  // namespace amble::bench
