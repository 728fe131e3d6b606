#include "amble/base/limits.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"

namespace amble {

namespace {

constexpr std::size_t kCount = static_cast<std::size_t>(Limit::count_);

// One line each: the readers, the command line, Python and docs/limits.md take them from here.
constexpr std::array<LimitInfo, kCount> kTable{{
    {"file_bytes", 64 << 20, "bytes",
     "size of a model, scenario, table or JSON file, with all that it includes"},
    {"xml_nesting", 95, "", "depth of nested elements in a model file; the parser itself ends at 100"},
    {"toml_nesting", 64, "", "depth of nested tables, arrays and dotted keys in a TOML file"},
    {"included_files", 1000, "", "files that a model file includes, directly or not"},
    {"elements", 1e6, "",
     "XML elements, or keys and values of TOML or JSON, in a file with all that it includes and copies"},
    {"attributes", 1000, "", "attributes of one XML element"},
    {"library_elements", 2e5, "",
     "elements of a SDFormat file with its includes that a library of others reads"},
    {"sdf_elements", 2e4, "",
     "links, joints, frames and the like in a SDFormat file with its includes; the library needs up to 0.1 "
     "MB for each"},
    {"bodies", 1e5, "", "bodies, and joints, loops, frames or shapes, of one model"},
    {"replicates", 1e4, "", "copies that one replicate element of a MJCF file asks for"},
    {"attach_nesting", 16, "", "depth of MJCF models that attach others"},
    {"keyframe_numbers", 2e6, "", "coordinates, velocities and controls in all keyframes of a MJCF file"},
    {"name_bytes", 1000, "bytes", "length of the name of a body, joint or frame, with the models around it"},
    {"number", 1e18, "", "any number in a scenario, walker or bond graph file that has no limit of its own"},
    {"length", 1e8, "m or rad", "any length, position, size or coordinate in a file"},
    {"mass", 1e12, "kg", "mass of one body"},
    {"inertia", 1e20, "kg m^2", "any moment or product of inertia of one body, armature of one joint"},
    {"ratio", 1e9, "",
     "ratio of a joint that follows another, through all joints between them; scale of a mesh"},
    {"time", 1e10, "s", "any time or period in a file"},
    {"speed", 1e8, "m/s or rad/s", "any initial velocity in a file"},
    {"acceleration", 1e6, "m/s^2", "gravity, per axis"},
    {"force", 1e15, "N or N m",
     "any force, torque or dry friction in a file; limits of joints may be larger"},
    {"stiffness", 1e18, "N/m or N m/rad", "any stiffness in a file"},
    {"damping", 1e18, "N s/m or N m s/rad", "any damping coefficient in a file"},
    {"mesh_bytes", 256e6, "bytes", "size of a mesh file"},
    {"mesh_vertices", 1e7, "", "vertices, and triangles, of one mesh"},
    {"mesh_seconds", 20, "s", "time that the helper program may take for one mesh file"},
    {"mesh_memory", 2e9, "bytes", "memory that the helper program may take for one mesh file"},
    {"expression_nesting", 200, "",
     "depth of an expression in a bond graph; ten times that for one made of others by substitution"},
    {"expression_bytes", 10000, "bytes", "length of the text of one expression in a bond graph"},
    {"bond_elements", 1000, "",
     "elements, bonds counted by their dimension, signals, or parameters of a bond graph"},
    {"bond_dimension", 100, "", "dimension of one bond"},
    {"rows", 1e7, "", "rows that one run or recording may have"},
    {"steps", 1e9, "", "steps that a run may take"},
    {"stalled_steps", 1000, "", "steps in a row that do not advance time noticeably"},
    {"state_growth", 1e6, "m/s or rad/s",
     "velocity of a joint at which a run counts as diverged; coordinates end at 'length'"},
    {"request_bytes", 8192, "bytes", "head of a request to the viewer's server"},
    {"request_seconds", 5, "s", "time that a client of the viewer may take to send a request"},
    {"clients", 128, "", "connections that the viewer's server keeps at the same time"},
}};

/// The values in force. Written at the start of a program, read by any thread.
struct Values {
  Values() { reset(); }
  void reset() {
    for (std::size_t i = 0; i < kCount; ++i) value[i] = kTable[i].value;
  }
  std::array<std::atomic<double>, kCount> value;
};

Values& values() {
  static Values all;
  return all;
}

std::string with_unit(double value, std::string_view unit) {
  return unit.empty() ? fmt::format("{:g}", value) : fmt::format("{:g} {}", value, unit);
}

}  // namespace

std::span<const LimitInfo> limit_table() { return kTable; }

double limit(Limit which) {
  return values().value[static_cast<std::size_t>(which)].load(std::memory_order_relaxed);
}

void set_limit(std::string_view name, double value) {
  if (!(value > 0.0 && std::isfinite(value)))
    throw Error(fmt::format("limit '{}': {} is not a positive number", name, value));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (kTable[i].name == name) return values().value[i].store(value);
    names.emplace_back(kTable[i].name);
  }
  throw Error(fmt::format("there is no limit '{}'{}; expected one of {}", name,
                          suggestion(std::string(name), names), fmt::join(names, ", ")));
}

void reset_limits() { values().reset(); }

std::string limit_text(Limit which) {
  const LimitInfo& info = kTable[static_cast<std::size_t>(which)];
  return fmt::format("at most {} (limit '{}')", with_unit(limit(which), info.unit), info.name);
}

std::string limit_breach(Limit which, double value, std::string_view what) {
  if (std::abs(value) <= limit(which)) return {};
  return fmt::format("{} is {}; {}", what, with_unit(value, kTable[static_cast<std::size_t>(which)].unit),
                     limit_text(which));
}

void check_limit(Limit which, double value, std::string_view what) {
  if (const std::string breach = limit_breach(which, value, what); !breach.empty()) throw Error(breach);
}

}  // namespace amble
