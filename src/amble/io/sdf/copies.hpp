#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace amble {

/// Files that libsdformat includes, as it is to read them: it takes them from paths only. Gone with this
/// object.
class SdfCopies {
 public:
  SdfCopies() = default;
  ~SdfCopies();
  SdfCopies(const SdfCopies&) = delete;
  SdfCopies& operator=(const SdfCopies&) = delete;

  /// The path of a copy with this text. Throws an Error when it cannot be written.
  std::string add(const std::string& file, const std::string& text);
  /// The file that a copy was made of; empty for any other path.
  std::string original(const std::string& copy) const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string> original_;
};

}  // namespace amble
