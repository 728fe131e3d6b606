#pragma once

#include <hdf5.h>

namespace amble::hdf5 {

/// Lets files that are created with this access list be opened by every HDF5 program at every instant of their
/// writing, and after the writer was killed. For HDF5's single-writer mode (H5Fstart_swmr_write), which writes what
/// is pointed to before what points to it. That mode marks a file as being written, and plain readers refuse it; nor
/// does it keep the length that the file's head tells in step with its contents. Here the head on the disk has no
/// mark and tells a length that the file already has. No piece of metadata up to a page long lies across two pages,
/// so that none is half written.
///
/// A write that fails is the last one: the file stays as it was, and write_error() has the reason. HDF5, which ends in
/// an endless loop when it cannot write what it closes, does not learn of it: what it writes then is kept in memory
/// until it closes the file. Not for reopening files; not against loss of power.
void use_living_file(hid_t access);

/// errno of the first write that failed, or 0; for a file created as above.
int write_error(hid_t file);

/// True when such a file is being written, by any process of this machine.
bool is_being_written(const char* path);

}  // namespace amble::hdf5
