#include "bench/task.hpp"

#include <algorithm>

namespace amble::bench {

void add_note(Notes& notes, const std::string& note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

}  // namespace amble::bench
