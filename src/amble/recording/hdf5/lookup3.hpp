#pragma once

#include <cstddef>
#include <cstdint>

namespace amble::hdf5 {

/// Bob Jenkins' hash lookup3 of some bytes, started from zero: the checksum of HDF5's metadata.
std::uint32_t lookup3(const unsigned char* bytes, std::size_t size);

}  // namespace amble::hdf5
