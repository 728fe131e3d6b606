#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "amble/base/test/source_dir.hpp"

namespace amble {

/// Robots that others made, when there are any: the folder named by AMBLE_ROBOTS, or shared/robots beside the
/// sources.
inline std::filesystem::path robots_folder() {
  const char* named = std::getenv("AMBLE_ROBOTS");
  return named != nullptr ? std::filesystem::path(named)
                          : std::filesystem::path(source_dir()).parent_path() / "shared" / "robots";
}

inline std::vector<std::string> real_robots() {
  const std::filesystem::path folder = robots_folder();
  std::vector<std::string> files;
  if (std::error_code status; std::filesystem::is_directory(folder, status))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".urdf") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// Our own models.
inline std::vector<std::string> own_models() {
  std::vector<std::string> files;
  for (const char* name : {"double_pendulum", "quadruped", "arm7"})
    files.push_back(source_dir() + "/models/" + name + ".urdf");
  return files;
}

inline std::vector<std::string> all_models() {
  std::vector<std::string> files = own_models();
  for (const std::string& file : real_robots()) files.push_back(file);
  return files;
}

}  // namespace amble

/// Ends a test on all_models(): it passes, but not as all that it could be.
#define AMBLE_SAY_IF_WITHOUT_ROBOTS() \
  if (amble::real_robots().empty())   \
  GTEST_SKIP() << "no real robots are here (AMBLE_ROBOTS); our own models were read"
