#pragma once

#include <chrono>
#include <memory>

#include "amble/recording/recording.hpp"

namespace amble {

/// When a recording on the disk is brought up to date.
struct FlushSettings {
  int rows = 1000;       ///< after so many rows
  double seconds = 1.0;  ///< and after so long, whatever has come since
};

/// A recording (HDF5) on the disk that grows with the motion. At every instant, and after the writing process was
/// killed, any HDF5 program and load_recording() can read it, up to the last flush; then the attribute `complete` is
/// 0. Until it is ready to be read, an older file of that name stays. docs/recordings.md tells what is in it.
class RecordingFile {
 public:
  /// A file for this recording, with what it has until now; its mechanism, origin and ledger entries are written here
  /// once. Throws an Error that names the file when it cannot be written, or when another run is writing it.
  RecordingFile(const std::string& path, const Recording& recording, const FlushSettings& settings = {});
  RecordingFile(RecordingFile&&) noexcept;
  RecordingFile& operator=(RecordingFile&&) noexcept;
  /// What was not flushed is lost.
  ~RecordingFile();

  const std::string& path() const;
  /// Writes what the recording has gained, if it is time to. An Error names the file and why it cannot be written;
  /// what was flushed before is kept.
  void update(const Recording& recording);
  /// Writes it now.
  void flush(const Recording& recording);
  /// Writes what is left, and whether the recording is complete; nothing may follow.
  void finish(const Recording& recording);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// Writes a whole recording, aside and renamed; in a format that HDF5 1.8 reads, too.
void write_recording(const std::string& path, const Recording& recording);

}  // namespace amble
