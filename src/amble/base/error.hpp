#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace amble {

/// The caller's mistake or a bad file: the message names the thing, its value and what was expected.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

enum class Severity {
  note,     ///< something the file says that Amble does not use
  warning,  ///< doubtful, kept as it is
  physics,  ///< breaks the laws of physics: files may (a warning), the Builder and --strict refuse
  error,    ///< cannot be used
};

/// One finding in a model: where it stands, which element it is about, and why it matters.
struct Problem {
  Severity severity = Severity::error;
  std::string file;     ///< empty when the model was built in code
  int line = 0;         ///< 1-based; 0 when unknown
  std::string element;  ///< e.g. `joint 'knee'`
  std::string reason;

  /// `robot.urdf:12: joint 'knee': lower limit 1 is above upper limit 0`
  std::string text() const;
  bool operator==(const Problem&) const = default;
};

using Problems = std::vector<Problem>;

/// True when any problem is at least as severe as `least`.
bool any_at_least(const Problems& problems, Severity least);

/// Throws one Error with every problem at least as severe as `least`, one per line; returns when there is none.
void throw_problems(const Problems& problems, Severity least);

}  // namespace amble
