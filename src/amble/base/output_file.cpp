#include "amble/base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <utility>

namespace amble {

namespace {

std::string failure(const std::string& path, int error) {
  return fmt::format("{}: cannot be written: {}", path, std::strerror(error));
}

/// The number in /dev/fd/N and /proc/self/fd/N.
std::optional<int> descriptor_in(const std::string& path) {
  for (const std::string_view start : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(start)) continue;
    int out = 0;
    const char* const end = path.data() + path.size();
    const auto [stop, problem] = std::from_chars(path.data() + start.size(), end, out);
    if (problem == std::errc() && stop == end) return out;
  }
  return {};
}

/// The file that symbolic links lead to, whether it is there or not; descriptors of this process end the
/// search.
std::string target_of(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux
  std::filesystem::path at = path;
  for (int i = 0; i < kMostLinks && !descriptor_in(at); ++i) {
    std::error_code is_no_link;
    const std::filesystem::path to = std::filesystem::read_symlink(at, is_no_link);
    if (is_no_link) return at;
    at = at.parent_path() / to;  // an absolute one replaces all
  }
  if (descriptor_in(at)) return at;
  throw Error(failure(path, ELOOP));
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

std::string hidden_name(const std::string& folder) {
  std::random_device random;
  return fmt::format("{}/.amble-{:08x}{:08x}", folder, random(), random());
}

std::string descriptor_name(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/// Names of unfinished files, where a signal handler can find them.
std::array<std::atomic<const char*>, 16> hidden_names{};

/// Where all places are taken a signal leaves the file behind.
void note_hidden(const char* name) {
  for (std::atomic<const char*>& place : hidden_names) {
    const char* free = nullptr;
    if (place.compare_exchange_strong(free, name)) return;
  }
}

void forget_hidden(const char* name) {
  for (std::atomic<const char*>& place : hidden_names) {
    const char* mine = name;
    if (place.compare_exchange_strong(mine, nullptr)) return;
  }
}

}  // namespace

OutputFile::OutputFile(std::string path, Aside aside) : path_(std::move(path)), target_(target_of(path_)) {
  struct stat old = {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (!exists && (errno != ENOENT || target_.empty())) throw Error(failure(path_, errno));
  if (const std::optional<int> own = descriptor_in(target_)) {
    through_ = true;
    std::fflush(stdout);  // what was printed before comes before
    descriptor_ = fcntl(*own, F_DUPFD_CLOEXEC, 0);
  } else if (exists && !S_ISREG(old.st_mode)) {
    through_ = true;
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
    if (exists && faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0)
      throw Error(failure(path_, errno));
    open_aside(aside);
    if (exists && descriptor_ >= 0) adopt(old);
  }
  if (descriptor_ < 0) throw Error(failure(path_, errno));
}

OutputFile::~OutputFile() { close(); }

void OutputFile::open_aside(Aside aside) {
  const std::string folder = folder_of(target_);
  if (aside == Aside::unnamed) open_unnamed(folder);
  if (aside == Aside::named ||
      (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)))
    open_hidden(folder);
}

/// Only where it can be given a name later.
void OutputFile::open_unnamed(const std::string& folder) {
  if (access("/proc/self/fd", X_OK) == 0)
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  else
    errno = EOPNOTSUPP;
}

void OutputFile::open_hidden(const std::string& folder) {
  hidden_ = hidden_name(folder);
  descriptor_ = ::open(hidden_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
  descriptor_ < 0 ? hidden_.clear() : note_hidden(hidden_.c_str());
}

/// Owner and permissions of the file that is replaced, as far as this user may give them.
void OutputFile::adopt(const struct stat& old) {
  if (fchown(descriptor_, old.st_uid, old.st_gid) != 0 && fchown(descriptor_, -1, old.st_gid) != 0) return;
  fchmod(descriptor_, old.st_mode & 0777);
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done > 0)
      bytes.remove_prefix(static_cast<std::size_t>(done));
    else if (done == 0 || errno != EINTR)
      throw OutputFailed(failure(path_, done == 0 ? ENOSPC : errno));
  }
}

void OutputFile::finish() {
  if (!through_ && hidden_.empty()) take_name();
  // Some file systems report a full disk only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) throw OutputFailed(failure(path_, errno));
  if (hidden_.empty()) return;
  if (std::rename(hidden_.c_str(), target_.c_str()) != 0) throw OutputFailed(failure(path_, errno));
  forget_hidden(hidden_.c_str());
  hidden_.clear();
}

/// That of the target; a hidden one when there is such a file.
void OutputFile::take_name() {
  const std::string from = descriptor_name(descriptor_);
  if (linkat(AT_FDCWD, from.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  if (errno == EEXIST) return link_to_hidden(from);
  throw OutputFailed(failure(path_, errno));
}

/// A link cannot replace a file, a renamed file can.
void OutputFile::link_to_hidden(const std::string& from) {
  hidden_ = hidden_name(folder_of(target_));
  note_hidden(hidden_.c_str());
  if (linkat(AT_FDCWD, from.c_str(), AT_FDCWD, hidden_.c_str(), AT_SYMLINK_FOLLOW) != 0)
    throw OutputFailed(failure(path_, errno));
}

void OutputFile::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (hidden_.empty()) return;
  unlink(hidden_.c_str());
  forget_hidden(hidden_.c_str());
}

std::string OutputFile::unfinished_name() const {
  if (through_) throw Error(fmt::format("{}: cannot be written: is not a regular file", path_));
  return hidden_.empty() ? descriptor_name(descriptor_) : hidden_;
}

void remove_unfinished_outputs() noexcept {
  for (std::atomic<const char*>& place : hidden_names)
    if (const char* const name = place.load()) unlink(name);
}

}  // namespace amble
