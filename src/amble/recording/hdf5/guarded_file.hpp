#pragma once

#include <hdf5.h>

#include <string>

namespace amble::hdf5 {

/// Opens files that nobody vouches for, read-only: HDF5 gets only those parts of a file that recordings have.
/// All of these but numbers and texts themselves have checksums, and none makes HDF5 look for data elsewhere.
/// Refused before HDF5 sees them are heaps of texts of variable length and of virtual datasets, groups in the
/// style before HDF5 1.8, shared messages, cache images, filtered heaps, and trees deeper than any recording
/// has. Raw data is read only while a RawData lives.
void use_guarded_file(hid_t access);

/// What was refused last on this thread, or empty; once.
std::string refused_part();

/// While it lives, this thread reads the numbers or texts of a dataset that was found to have a fixed size.
class RawData {
 public:
  RawData();
  ~RawData();
  RawData(const RawData&) = delete;
  RawData& operator=(const RawData&) = delete;
};

}  // namespace amble::hdf5
