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
  void clear();

 private:
  bool terminal_;
  std::string last_;
};

}  // namespace amble::bench
