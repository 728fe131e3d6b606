#include "amble/base/library_part.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace amble::detail {

std::string library_part(const std::string& name) {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&library_part), &info) == 0 || info.dli_fname == nullptr)
    return name;
  std::error_code ignored;
  return (std::filesystem::absolute(info.dli_fname, ignored).parent_path() / "amble" / name).string();
}

}  // namespace amble::detail
