#pragma once

#include <string>
#include <vector>

#include "amble/recording/recording.hpp"

// What a recording's file has, for the writer and the reader.
namespace amble::recording_layout {

inline constexpr const char* kFormat = "amble recording";
inline constexpr int kVersion = 2;  // 1 had texts of variable length: it is refused
inline constexpr std::size_t kEventNameBytes = Recording::kLongestEventName + 1;

/// A table of numbers that grows: where it stands, what is in it now. Of tables that belong together the times come
/// last, so that in a file that was broken off no time lacks its numbers.
struct Table {
  std::string name;
  std::size_t columns = 0;  ///< 0: a plain list
  const double* numbers = nullptr;
  std::size_t rows = 0;
  std::vector<std::string> units;  ///< of the columns
  std::string meaning, frame;
};
/// Those with anything in their rows. Events are not among them.
std::vector<Table> tables_of(const Recording& recording);

}  // namespace amble::recording_layout
