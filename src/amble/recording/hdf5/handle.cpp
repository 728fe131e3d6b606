#include "amble/recording/hdf5/handle.hpp"

#include "amble/base/error.hpp"

namespace amble::hdf5 {

namespace {

/// What HDF5 says of the failure nearest to its cause.
std::string complaint() {
  std::string out = "HDF5 gives no reason";
  const auto first = [](unsigned n, const H5E_error2_t* error, void* text) -> herr_t {
    if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &out);
  return out;
}

}  // namespace

Handle::Handle(hid_t id, Closer closer) : id_(id), closer_(closer) { check(id); }

void check(long long status) {
  if (status < 0) throw Error(complaint());
}

}  // namespace amble::hdf5
