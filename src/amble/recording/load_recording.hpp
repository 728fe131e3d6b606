#pragma once

#include "amble/recording/recording.hpp"

namespace amble {

/// The recording of an HDF5 file, to the last bit what was written. One whose writing was broken off, or still goes
/// on, is read up to its last flush and is not complete(). Throws an Error that names the file when it is not there,
/// not HDF5, cut off or damaged, not a recording, or of a newer format.
Recording load_recording(const std::string& path);

/// For a program that closes what it opens, before it does anything with HDF5: HDF5 then does not tidy up when the program
/// ends. After it has read a damaged file it would fail to, and print so.
void skip_hdf5_tidying();

/// Whether a file holds a recording, by its first bytes: those of HDF5. A damaged one is known by its ending .h5.
bool is_recording(const std::string& path);

}  // namespace amble
