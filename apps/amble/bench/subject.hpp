#pragma once

#include <string>
#include <vector>

#include "amble/io/options.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble::bench {

/// A robot to measure.
struct Subject {
  std::string name;
  Mechanism robot;
  std::vector<std::string> feet = {};  ///< what it stands on, see feet_of()
  OwnedVector closed = {};  ///< of those built in for their loops: where these are closed; only loops are measured
  OwnedVector stands = {};  ///< of those built in for their contacts: how they stand; only contact is measured
  std::string walker = {};  ///< of those built in for their gaits; only these are measured
  bool growth = false;  ///< one of a family: only what is linear in bodies is measured, and no peers
};

/// Files or names of built-in robots, closed mechanisms, scenes and walkers; none means all that are built in.
std::vector<Subject> robots(const std::vector<std::string>& wanted, const LoadOptions& options);

/// Talos, on which other controllers are measured, where its file is (in the folder that AMBLE_ROBOTS names); else none.
std::vector<Subject> reference_robots();

/// Chains and random trees of bodies on revolute joints, kGrowthSizes of each.
inline constexpr int kGrowthSizes[] = {10, 100, 1000};
inline constexpr const char* kGrowthShapes[] = {"chain", "tree"};
std::vector<Subject> growing_robots();
std::string growth_name(const std::string& shape, int bodies);

}  // namespace amble::bench
