#include <fmt/format.h>

#include <iterator>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/mechanism/coordinate_names.hpp"
#include "amble/recording/recording.hpp"
#include "amble/recording/recording_file.hpp"

namespace amble {

void Recording::save(const std::string& path) const {
  if (is_recording_name(path)) return write_recording(path, *this);
  if (path.ends_with(".csv")) return save_csv(path);
  throw Error(fmt::format("{}: a recording is written to a name that ends in .h5, .hdf5 or .csv", path));
}

bool is_recording_name(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

void Recording::save_csv(const std::string& path) const {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "t");
  for (const std::string& name : q_names(mechanism_)) fmt::format_to(out, ",q:{}", name);
  for (const std::string& name : v_names(mechanism_)) fmt::format_to(out, ",v:{}", name);
  fmt::format_to(out, ",kinetic,potential\n");
  for (Eigen::Index i = 0; i < rows(); ++i) {
    fmt::format_to(out, "{}", t_[i]);
    for (const double x : q().row(i)) fmt::format_to(out, ",{}", x);
    for (const double x : v().row(i)) fmt::format_to(out, ",{}", x);
    fmt::format_to(out, ",{},{}\n", kinetic_[i], potential_[i]);
  }
  write_text_file(path, {text.data(), text.size()});
}

}  // namespace amble
