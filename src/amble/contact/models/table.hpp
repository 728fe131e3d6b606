#pragma once

#include <span>
#include <string_view>

#include "amble/contact/models/normal_law.hpp"
#include "amble/contact/models/sliding_law.hpp"

// All laws by name, for files and Python. A new law is its file and its line here.
namespace amble {

struct NormalLawKind {
  const char* name;
  const char* law;  ///< in a few words
  NormalLawPtr (*make)(const NormalNumbers&);
};
struct SlidingLawKind {
  const char* name;
  const char* law;
  SlidingLawPtr (*make)(const SlidingNumbers&);  ///< null: nothing resists sliding
};

std::span<const NormalLawKind> normal_laws();
std::span<const SlidingLawKind> sliding_laws();

/// By name; an Error names the nearest when there is none.
NormalLawPtr normal_law(std::string_view name, const NormalNumbers& numbers);
SlidingLawPtr sliding_law(std::string_view name, const SlidingNumbers& numbers);

}  // namespace amble
