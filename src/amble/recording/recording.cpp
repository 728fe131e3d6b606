#include "amble/recording/recording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/mechanism/coordinate_names.hpp"

namespace amble {

namespace {

void append(std::vector<double>& to, const VectorRef& numbers) { to.insert(to.end(), numbers.begin(), numbers.end()); }

}  // namespace

void Recording::add(double t, const VectorRef& q, const VectorRef& v, double kinetic, double potential) {
  if (!std::isfinite(t) || (!t_.empty() && !(t > t_.back())))
    throw Error(fmt::format("a state at {} s is recorded after {} s", t, t_.empty() ? 0.0 : t_.back()));
  if (q.size() != mechanism_.nq() || v.size() != mechanism_.nv() || !q.allFinite() || !v.allFinite())
    throw Error(fmt::format("the state to record at {} s is not one of '{}'", t, mechanism_.name()));
  t_.push_back(t);
  append(q_, q), append(v_, v);
  kinetic_.push_back(kinetic), potential_.push_back(potential);
}

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
