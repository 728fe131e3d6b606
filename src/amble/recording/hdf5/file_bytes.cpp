#include "amble/recording/hdf5/file_bytes.hpp"

#include <unistd.h>

#include <cerrno>

namespace amble::hdf5 {

std::string FileBytes::read(std::uint64_t at, std::uint64_t count) const {
  require(at <= size_ && count <= size_ - at, "a part that lies beyond its end");
  std::string out(count, '\0');
  for (std::size_t done = 0; done < count;) {
    const ssize_t got = pread(descriptor_, &out[done], count - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    require(got > 0, "a part that cannot be read");
    done += static_cast<std::size_t>(got);
  }
  return out;
}

std::string_view Cursor::take(std::uint64_t count) {
  require(count <= bytes_.size(), "a part that ends too early");
  const std::string_view out = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return out;
}

std::uint64_t Cursor::number(std::size_t count) {
  const std::string_view bytes = take(count);
  std::uint64_t out = 0;
  for (std::size_t i = count; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[i]);
  return out;
}

void require(bool fact, const char* what) {
  if (!fact) throw Flaw{what};
}

}  // namespace amble::hdf5
