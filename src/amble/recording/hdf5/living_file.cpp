#include "amble/recording/hdf5/living_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>

#include "amble/recording/hdf5/lookup3.hpp"

namespace amble::hdf5 {

namespace {

constexpr haddr_t kPage = 4096;
constexpr haddr_t kReserve = 64 * kPage;  // how far ahead the file is made longer

// The head of a file of version 2 or 3 (HDF5 File Format Specification, II.A): where its numbers stand.
constexpr std::size_t kHeadSize = 48, kMarkAt = 11, kLengthAt = 28, kChecksumAt = 44;

struct LivingFile {
  H5FD_t shared = {};  // HDF5's own part: first
  int descriptor = -1;
  haddr_t allocated = 0;
  haddr_t length = 0;  // of the file, and what its head tells
  int error = 0;
  bool has_head = false;
  std::array<unsigned char, kHeadSize> head = {};  // as HDF5 would have it
  std::map<haddr_t, std::array<char, kPage>> lost;  // pages that did not arrive, for HDF5 to read

  bool read(haddr_t at, std::size_t size, char* bytes) const;
  bool read_with_lost(haddr_t at, std::size_t size, char* bytes) const;
  bool write(haddr_t at, std::size_t size, const void* bytes);
  void keep(haddr_t at, std::size_t size, const char* bytes);
  bool write_head();
  bool grow(haddr_t end);
  void trim();
};

LivingFile& of(H5FD_t* file) { return *reinterpret_cast<LivingFile*>(file); }
const LivingFile& of(const H5FD_t* file) { return *reinterpret_cast<const LivingFile*>(file); }

void put(unsigned char* to, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(number >> 8 * i);
}

bool LivingFile::write(haddr_t at, std::size_t size, const void* bytes) {
  const char* from = static_cast<const char*>(bytes);
  while (error == 0 && size > 0) {
    const ssize_t done = pwrite(descriptor, from, size, static_cast<off_t>(at));
    if (done > 0)
      from += done, at += done, size -= done;
    else if (done == 0 || errno != EINTR)
      error = done == 0 ? ENOSPC : errno;
  }
  if (error != 0) keep(at, size, from);
  return error == 0;
}

/// Calls visit(page, start within it, start within the range, how many bytes) for the pages of a range.
template <class Visit>
void each_page(haddr_t at, std::size_t size, Visit&& visit) {
  for (std::size_t done = 0; done < size;) {
    const haddr_t page = (at + done) / kPage * kPage, start = at + done - page;
    const std::size_t count = std::min<std::size_t>(size - done, kPage - start);
    visit(page, start, done, count);
    done += count;
  }
}

void LivingFile::keep(haddr_t at, std::size_t size, const char* bytes) {
  each_page(at, size, [&](haddr_t page, haddr_t start, std::size_t done, std::size_t count) {
    const auto [place, is_new] = lost.try_emplace(page);
    if (is_new) read(page, kPage, place->second.data());
    std::copy_n(bytes + done, count, place->second.begin() + static_cast<std::ptrdiff_t>(start));
  });
}

/// Zeros behind the end.
bool LivingFile::read(haddr_t at, std::size_t size, char* bytes) const {
  while (size > 0) {
    const ssize_t done = pread(descriptor, bytes, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    if (done == 0) return std::memset(bytes, 0, size), true;
    bytes += done, at += done, size -= done;
  }
  return true;
}

bool LivingFile::read_with_lost(haddr_t at, std::size_t size, char* bytes) const {
  if (!read(at, size, bytes)) return false;
  if (lost.empty()) return true;
  each_page(at, size, [&](haddr_t page, haddr_t start, std::size_t done, std::size_t count) {
    const auto place = lost.find(page);
    if (place != lost.end()) std::copy_n(place->second.begin() + static_cast<std::ptrdiff_t>(start), count, bytes + done);
  });
  return true;
}

bool LivingFile::write_head() {
  std::array<unsigned char, kHeadSize> out = head;
  out[kMarkAt] = 0;
  put(&out[kLengthAt], length, 8);
  put(&out[kChecksumAt], lookup3(out.data(), kChecksumAt), 4);
  return write(0, out.size(), out.data());
}

/// The file first, then its head: a file shorter than its head says counts as cut off.
bool LivingFile::grow(haddr_t end) {
  if (end <= length || error != 0) return error == 0;
  const haddr_t longer = (end + kReserve - 1) / kReserve * kReserve;
  if (ftruncate(descriptor, static_cast<off_t>(longer)) != 0) {
    error = errno;
    return false;
  }
  length = longer;
  return !has_head || write_head();
}

void LivingFile::trim() {
  if (error != 0 || !has_head || allocated >= length) return;
  length = allocated;
  if (write_head() && ftruncate(descriptor, static_cast<off_t>(length)) != 0) error = errno;
}

// ---- what HDF5 calls

struct flock whole_file() {
  struct flock lock = {};
  lock.l_type = F_WRLCK, lock.l_whence = SEEK_SET;
  return lock;
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  const int mode = O_RDWR | O_CLOEXEC | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
                   (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0);
  const int descriptor = ::open(name, mode, 0666);
  if (descriptor < 0) return nullptr;
  struct flock lock = whole_file();
  fcntl(descriptor, F_OFD_SETLK, &lock);  // for is_being_written(); where locks are not supported, nobody is warned
  auto* file = new LivingFile;
  file->descriptor = descriptor;
  return &file->shared;
}

herr_t close_file(H5FD_t* file) {
  of(file).trim();
  ::close(of(file).descriptor);
  delete &of(file);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* features) {
  // None that joins pieces of metadata to one write or one allocation.
  *features = H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocate(H5FD_t* file, H5FD_mem_t kind, hid_t, hsize_t size) {
  LivingFile& f = of(file);
  haddr_t at = f.allocated;
  if (kind != H5FD_MEM_DRAW && at / kPage != (at + size - 1) / kPage) at = (at + kPage - 1) / kPage * kPage;
  f.allocated = at + size;
  return at;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; }
herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).allocated = end;
  return 0;
}
haddr_t length(const H5FD_t* file, H5FD_mem_t) { return of(file).length; }
herr_t handle(H5FD_t* file, hid_t, void** out) {
  *out = &of(file).error;
  return 0;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* bytes) {
  return of(file).read_with_lost(at, size, static_cast<char*>(bytes)) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* bytes) {
  LivingFile& f = of(file);
  const auto* from = static_cast<const unsigned char*>(bytes);
  f.grow(at + size);
  if (at == 0 && size >= kHeadSize) {
    std::copy_n(from, kHeadSize, f.head.begin());
    f.has_head = true;
    f.write_head();
    at += kHeadSize, from += kHeadSize, size -= kHeadSize;
  }
  f.write(at, size, from);
  return 0;
}

herr_t leave_length(H5FD_t*, hid_t, hbool_t) { return 0; }

H5FD_class_t driver() {
  H5FD_class_t out = {};
#if H5_VERSION_GE(1, 13, 0)
  out.version = H5FD_CLASS_VERSION;
  out.value = static_cast<H5FD_class_value_t>(600);
#endif
  out.name = "amble";
  out.maxaddr = ~haddr_t{0} >> 2;
  out.fc_degree = H5F_CLOSE_STRONG;
  out.open = open_file, out.close = close_file, out.query = query;
  out.alloc = allocate, out.get_eoa = allocated, out.set_eoa = set_allocated, out.get_eof = length;
  out.get_handle = handle, out.read = read, out.write = write, out.truncate = leave_length;
  constexpr H5FD_mem_t kMap[] = H5FD_FLMAP_SINGLE;
  std::copy(std::begin(kMap), std::end(kMap), out.fl_map);
  return out;
}

}  // namespace

void use_living_file(hid_t access) {
  static const H5FD_class_t kDriver = driver();
  const hid_t id = H5FDregister(&kDriver);
  H5Pset_driver(access, id, nullptr);
  H5FDunregister(id);  // the list and the files keep it
}

int write_error(hid_t file) {
  void* error = nullptr;
  return H5Fget_vfd_handle(file, H5P_DEFAULT, &error) < 0 ? EIO : *static_cast<int*>(error);
}

bool is_being_written(const char* path) {
  const int descriptor = ::open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock lock = whole_file();
  const bool locked = fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(descriptor);
  return locked;
}

}  // namespace amble::hdf5
