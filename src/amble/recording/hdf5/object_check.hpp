#pragma once

#include "amble/recording/hdf5/file_bytes.hpp"

namespace amble::hdf5 {

/// Throws a Flaw unless the object (group or dataset) whose header is at this place is put together as those of
/// recordings are, with all parts of its header, its links and its attributes: before HDF5 reads them.
void check_object(const FileBytes& file, std::uint64_t at);

/// Throws a Flaw unless the header of a heap, or of a tree of names, has the numbers that those of recordings have. HDF5
/// divides and shifts by them, and does not compare counts with the room that there is.
void check_heap(std::string_view header);
void check_tree(std::string_view header);

}  // namespace amble::hdf5
