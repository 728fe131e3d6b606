#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <new>

#include "amble/io/mesh/pipe_format.hpp"
#include "read_mesh.hpp"

// amble-mesh FILE SECONDS BYTES: reads a mesh file that nobody has checked, and writes its triangles to the
// standard output (amble/io/mesh/pipe_format.hpp). It may crash: libamble, which starts it, makes an error
// message of that.
namespace {

bool bound(int resource, double most) {
  const rlimit both{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  return setrlimit(static_cast<__rlimit_resource_t>(resource), &both) == 0;
}

/// No core dumps, no file written, no other program, and no life after its parent's.
bool bound_everything(double seconds, double bytes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && bound(RLIMIT_CORE, 0) && bound(RLIMIT_FSIZE, 0) &&
         bound(RLIMIT_NPROC, 0) && bound(RLIMIT_NOFILE, 16) && bound(RLIMIT_CPU, std::ceil(seconds) + 1.0) &&
         (!amble::kHelperBoundsMemory || (bound(RLIMIT_AS, bytes) && bound(RLIMIT_DATA, bytes)));
}

int write_out(void*, const void* bytes, std::size_t count) {
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = write(STDOUT_FILENO, at, count);
    if (written < 0 && errno != EINTR) return 1;
    if (written > 0) at += written, count -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  if (!bound_everything(std::atof(argv[2]), std::atof(argv[3]))) return 2;
  std::set_new_handler([] { _exit(amble::kOutOfMemoryExit); });
  amble_read_mesh(argv[1], write_out, nullptr);
  _exit(0);  // nothing that a damaged file left behind is to run
}
