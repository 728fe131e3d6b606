// The input is a whole recording, or changes to one of the recordings in corpus/recording: HDF5 refuses a changed block
// of metadata by its checksum, so changes that should arrive are followed by the checksum that then is right.
// longest: 32768
// leaks: 0 (those of HDF5 are not ours)
// options: -rss_limit_mb=6000
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "amble/recording/load_recording.hpp"
#include "recording_changes.hpp"

namespace {

/// A file in memory, under a name by which it can be opened.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  std::string name() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// Every row that a recording says it has can be read.
void look_at(const amble::Recording& r) {
  double sum = 0.0;
  for (std::size_t i = 0; i < r.ledgers().rows(); ++i) sum += r.ledgers().at(i).final;
  for (std::size_t i = 0; i < r.contacts().rows(); ++i) sum += r.contacts().row(i)[0];
  if (r.rows() > 0) sum += r.q().sum() + r.v().sum() + r.t().back() + r.kinetic().back() + r.potential().back();
  volatile double kept = sum;
  static_cast<void>(kept);
}

}  // namespace

/// HDF5 asks for as much memory as a file says, takes no for an answer, and loses some when it gives up.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1:detect_leaks=0"; }

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  amble::skip_hdf5_tidying();
  amble::whole_recordings();  // found once, not on the time of the first input
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(amble::recording_of({reinterpret_cast<const char*>(data), size}));
  try {
    look_at(amble::load_recording(file.name()));
  } catch (const amble::Error&) {
  }
  return 0;
}
