#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "amble/base/error.hpp"

namespace amble {

/// The work was done, but its result did not arrive: a full disk, a closed pipe.
class OutputFailed : public Error {
 public:
  using Error::Error;
};

/// A file that is written whole or not at all. A regular file, new or old, is written aside in its folder and
/// takes its name in finish(): nobody sees half of it, an old one keeps its permissions and owner and stays
/// on failure. Symbolic links are followed. Devices, pipes and /dev/stdout are written through. Every Error
/// names the file as the caller did, and gives the system's reason.
class OutputFile {
 public:
  /// Where the file stands until finish(): without a name where the file system can do that, so that not even
  /// a killed process leaves anything, or under a hidden one.
  enum class Aside { unnamed, named };

  explicit OutputFile(std::string path, Aside aside = Aside::unnamed);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without finish() nothing is left but what a device or pipe was given.
  ~OutputFile();

  /// Throws OutputFailed when not all bytes arrive.
  void write(std::string_view bytes);
  /// Throws OutputFailed.
  void finish();

  /// A name by which others can open the unfinished file. Throws an Error for a device or pipe.
  std::string unfinished_name() const;

 private:
  void open_aside(Aside aside);
  void open_unnamed(const std::string& folder);
  void open_hidden(const std::string& folder);
  void adopt(const struct stat& old);
  void take_name();
  void link_to_hidden(const std::string& from);
  void close();

  std::string path_, target_;
  std::string hidden_;  ///< the name aside, if it has one
  int descriptor_ = -1;
  bool through_ = false;
};

/// Removes what unfinished outputs have under a hidden name. For signal handlers that end the process.
void remove_unfinished_outputs() noexcept;

}  // namespace amble
