#pragma once

#include <span>
#include <string>
#include <string_view>

namespace amble {

/// Upper bounds on what Amble accepts from outside: files, requests, numbers that users write. They are the
/// policy of the process, as `ulimit` is, so they are not passed from function to function: a program changes
/// them once at its start, `amble --limit NAME=VALUE` and Python's `amble.set_limit()` do the same.
/// docs/limits.md lists them.
enum class Limit {
  file_bytes,
  xml_nesting,
  toml_nesting,
  included_files,
  elements,
  attributes,
  library_elements,
  sdf_elements,
  bodies,
  replicates,
  attach_nesting,
  keyframe_numbers,
  name_bytes,
  number,
  length,
  mass,
  inertia,
  ratio,
  time,
  speed,
  acceleration,
  force,
  stiffness,
  damping,
  mesh_bytes,
  mesh_vertices,
  mesh_seconds,
  mesh_memory,
  expression_nesting,
  expression_bytes,
  bond_elements,
  bond_dimension,
  rows,
  steps,
  stalled_steps,
  state_growth,
  request_bytes,
  request_seconds,
  clients,
  count_,
};

struct LimitInfo {
  std::string_view name;
  double value;           ///< the default
  std::string_view unit;  ///< empty for a plain count
  std::string_view what;
};

/// In the order of the enumeration.
std::span<const LimitInfo> limit_table();

double limit(Limit which);
/// Throws an Error for an unknown name and for a value that is not positive and finite.
void set_limit(std::string_view name, double value);
/// All of them to their defaults.
void reset_limits();

/// "at most 1e+08 m (limit 'length')": the end of every message about a limit.
std::string limit_text(Limit which);
/// `WHAT is VALUE UNIT; at most ...` when |value| is above the limit or NaN; else empty.
std::string limit_breach(Limit which, double value, std::string_view what);
/// Throws an Error with limit_breach() when there is one.
void check_limit(Limit which, double value, std::string_view what);

}  // namespace amble
