#include "amble/recording/hdf5/guarded_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include "amble/recording/hdf5/object_check.hpp"

namespace amble::hdf5 {

namespace {

thread_local int raw_data_wanted = 0;
thread_local std::string refused;

struct GuardedFile {
  H5FD_t shared = {};  // HDF5's own part: first
  int descriptor = -1;
  haddr_t size = 0;  // when it was opened
  haddr_t allocated = 0;
  haddr_t read_until = 0;  // where the last read ended
  H5FD_mem_t last_kind = H5FD_MEM_DEFAULT;
  std::uint64_t left = 0;  // bytes that may still be read
};

GuardedFile& of(H5FD_t* file) { return *reinterpret_cast<GuardedFile*>(file); }
const GuardedFile& of(const H5FD_t* file) { return *reinterpret_cast<const GuardedFile*>(file); }

haddr_t size_of(int descriptor) {
  struct stat s = {};
  return fstat(descriptor, &s) == 0 ? static_cast<haddr_t>(s.st_size) : 0;
}

// ---- what may be read (HDF5 File Format Specification, version 3.0)

using Bytes = std::string_view;

bool has_name(Bytes block, std::initializer_list<Bytes> names) {
  return std::any_of(names.begin(), names.end(), [&](Bytes name) { return block.starts_with(name); });
}

/// Of the chunks of a table. HDF5 goes through as many as it says, whether they are there or not.
void check_array(Bytes block, haddr_t file_size) {
  constexpr const char* kOdd = "an array of an unknown kind";
  require(block.size() >= 60, kOdd);
  Cursor in(block.substr(4));
  for (const std::uint64_t value : {0, 0, 8, 32, 4, 16, 4, 10}) require(in.number(1) == value, kOdd);
  in.skip(32);
  const std::uint64_t used = in.number(8), made = in.number(8);
  require(used <= made && made <= file_size / sizeof(haddr_t), "an array with wrong counts");
}

/// Addresses and lengths of eight bytes, counted from the start of the file.
const char* flaw_of_head(const FileBytes& file) try {
  const std::string head = file.read(0, 20);
  Cursor in(Bytes(head).substr(8));
  const std::uint64_t version = in.number(1), address = in.number(1), length = in.number(1);
  in.skip(1);
  require((version == 2 || version == 3) && address == 8 && length == 8 && in.number(8) == 0, "a head of an unknown kind");
  return nullptr;
} catch (const Flaw& flaw) {
  return flaw.what;
}

const char* flaw_of_header(Bytes block, haddr_t at, const FileBytes& file) try {
  if (block.starts_with("OHDR")) return check_object(file, at), nullptr;
  if (block.starts_with("FRHP")) return check_heap(block), nullptr;
  if (block.starts_with("EAHD")) return check_array(block, file.size()), nullptr;
  // Those of other blocks were looked at with the object that leads to them.
  return has_name(block, {"OCHK", "FHIB", "EAIB"}) ? nullptr : "an object of an unknown kind";
} catch (const Flaw& flaw) {
  return flaw.what;
}

const char* flaw_of_index(Bytes block) try {
  if (block.starts_with("BTHD")) return check_tree(block), nullptr;
  return has_name(block, {"BTLF", "BTIN", "EASB"}) ? nullptr : "an index of an unknown kind";
} catch (const Flaw& flaw) {
  return flaw.what;
}

/// Pages of blocks have no names, so what must not be read is what is listed.
const char* flaw_of_block(Bytes block) {
  return has_name(block, {"HEAP", "FSSE"}) ? "a group of an old kind" : nullptr;
}

/// HDF5 reads a long block in two pieces, the second of which begins where the first ended. What has the name of a
/// block there is one of its own.
bool goes_on(H5FD_mem_t kind, haddr_t at, Bytes block, const GuardedFile& file) {
  return at == file.read_until && kind == file.last_kind &&
         !has_name(block, {"OHDR", "OCHK", "FRHP", "FHIB", "EAHD", "EAIB", "BTHD", "BTLF", "BTIN", "EASB"});
}

/// What is wrong with a block of metadata, or nothing.
const char* flaw_of(H5FD_mem_t kind, haddr_t at, Bytes block, const GuardedFile& file) {
  constexpr haddr_t kEndOfHead = 96;
  const FileBytes all(file.descriptor, file.size);
  switch (kind) {
    case H5FD_MEM_SUPER:
      return at + block.size() > kEndOfHead ? "a head of an unknown kind" : flaw_of_head(all);
    case H5FD_MEM_OHDR:
      return goes_on(kind, at, block, file) ? nullptr : flaw_of_header(block, at, all);
    case H5FD_MEM_BTREE:
      return goes_on(kind, at, block, file) ? nullptr : flaw_of_index(block);
    case H5FD_MEM_LHEAP:
      return flaw_of_block(block);
    default:
      return raw_data_wanted > 0 ? nullptr : "data of variable length or of another file";
  }
}

// ---- what HDF5 calls

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  refused.clear();
  if (flags != H5F_ACC_RDONLY) return nullptr;
  const int descriptor = ::open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return nullptr;
  auto* file = new GuardedFile;
  file->descriptor = descriptor;
  // Each part of a recording is read once; a few times leaves room for what HDF5 forgets meanwhile.
  file->size = size_of(descriptor);
  file->left = 16 * file->size + (std::uint64_t{64} << 20);
  return &file->shared;
}

herr_t close_file(H5FD_t* file) {
  ::close(of(file).descriptor);
  delete &of(file);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* features) {
  *features = 0;  // none that joins pieces of metadata to one read
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; }
herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).allocated = end;
  return 0;
}
haddr_t length(const H5FD_t* file, H5FD_mem_t) { return size_of(of(file).descriptor); }

bool read_all(int descriptor, haddr_t at, std::size_t size, char* to) {
  while (size > 0) {
    const ssize_t done = pread(descriptor, to, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    to += done, at += done, size -= done;
  }
  return true;
}

herr_t read(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t at, std::size_t size, void* bytes) {
  GuardedFile& f = of(file);
  if (size > f.left) return refused = "parts that lead to each other without end", -1;
  f.left -= size;
  if (!read_all(f.descriptor, at, size, static_cast<char*>(bytes))) return -1;
  if (const char* const flaw = flaw_of(kind, at, {static_cast<const char*>(bytes), size}, f))
    return refused = flaw, -1;
  f.read_until = at + size, f.last_kind = kind;
  return 0;
}

herr_t write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) { return -1; }

H5FD_class_t driver() {
  H5FD_class_t out = {};
#if H5_VERSION_GE(1, 13, 0)
  out.version = H5FD_CLASS_VERSION;
  out.value = static_cast<H5FD_class_value_t>(601);
#endif
  out.name = "amble_guarded";
  out.maxaddr = ~haddr_t{0} >> 2;
  out.fc_degree = H5F_CLOSE_STRONG;
  out.open = open_file, out.close = close_file, out.query = query;
  out.get_eoa = allocated, out.set_eoa = set_allocated, out.get_eof = length;
  out.read = read, out.write = write;
  constexpr H5FD_mem_t kMap[] = H5FD_FLMAP_SINGLE;
  std::copy(std::begin(kMap), std::end(kMap), out.fl_map);
  return out;
}

}  // namespace

void use_guarded_file(hid_t access) {
  static const H5FD_class_t kDriver = driver();
  const hid_t id = H5FDregister(&kDriver);
  H5Pset_driver(access, id, nullptr);
  H5FDunregister(id);  // the list and the files keep it
}

std::string refused_part() { return std::exchange(refused, {}); }

RawData::RawData() { ++raw_data_wanted; }
RawData::~RawData() { --raw_data_wanted; }

}  // namespace amble::hdf5
