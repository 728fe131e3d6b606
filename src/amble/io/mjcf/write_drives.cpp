#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/io/mjcf/write_parts.hpp"

namespace amble {

namespace {

double largest(const std::vector<double>& range) { return std::max(std::abs(range[0]), std::abs(range[1])); }

bool has_bias(const DriveDescription& drive) {
  return std::any_of(drive.bias.begin(), drive.bias.end(), [](double x) { return x != 0.0; });
}

/// MJCF takes a positive damping beside a constant gain that its bias takes back for a damping ratio.
bool looks_like_damping_ratio(const DriveDescription& drive) {
  return drive.bias[2] > 0.0 && drive.gain[0] == -drive.bias[1];
}

bool has_affine_gain(const DriveDescription& drive) {
  return drive.gain[1] != 0.0 || drive.gain[2] != 0.0 || looks_like_damping_ratio(drive);
}

/// As the reader finds it from the file.
double effort_of(const DriveDescription& drive) {
  double force = drive.force.empty() ? kUnlimited : largest(drive.force);
  if (!drive.control.empty() && !has_affine_gain(drive) && !has_bias(drive))
    force = std::min(force, std::abs(drive.gain[0]) * largest(drive.control));
  return force == kUnlimited ? force : std::abs(drive.gear[0]) * force;
}

/// What all drives of a joint can do to it together; unlimited when one is, or when there is none.
double effort_of_drives(const ModelDescription& d, const std::string& joint) {
  double sum = 0.0;
  bool any = false;
  for (const DriveDescription& drive : d.drives)
    if (drive.joint == joint) sum += effort_of(drive), any = true;
  return any ? sum : kUnlimited;
}

void put_range(MjcfPrinter& out, const char* limited, const char* range, const std::vector<double>& values) {
  out.put(limited, values.empty() ? "false" : "true");
  if (!values.empty()) out.put(range, format_numbers(values));
}

void write_drive(const DriveDescription& drive, MjcfPrinter& out) {
  out.put("name", drive.name);
  out.put("joint", drive.joint);
  if (drive.gear[0] != 1.0) out.put("gear", drive.gear[0]);
  put_range(out, "ctrllimited", "ctrlrange", drive.control);
  put_range(out, "forcelimited", "forcerange", drive.force);
  out.put("gaintype", has_affine_gain(drive) ? "affine" : "fixed");
  out.put("gainprm", format_numbers(drive.gain));
  out.put("biastype", has_bias(drive) ? "affine" : "none");
  if (has_bias(drive)) out.put("biasprm", format_numbers(drive.bias));
}

/// Of a joint with one coordinate, by a gain and a bias alone.
bool is_joint_drive(const ModelDescription& d, const DriveDescription& drive) {
  const auto found = std::find_if(d.joints.begin(), d.joints.end(), [&](const JointDescription& j) { return j.name == drive.joint; });
  const bool one = found != d.joints.end() && found->type != "free" && found->type != "spherical";
  return one && !drive.muscle_gain && !drive.muscle_bias && drive.dynamics == DriveDynamics::none;
}

std::string quoted(const char* kind, const std::string& name) { return fmt::format("{} '{}'", kind, name); }

/// The reader takes the least of both for the effort limit.
void note_efforts(const ModelDescription& d, const LeftOut& left_out) {
  for (const JointDescription& j : d.joints) {
    const auto& effort = j.properties.effort;
    const double of_drives = effort_of_drives(d, j.name), own = effort.size() == 1 ? effort[0] : kUnlimited;
    if (of_drives < own)
      left_out.add(
          quoted("joint", j.name),
          fmt::format("its effort limit reads back as {}, what its drives can do at most", of_drives));
  }
}

}  // namespace

std::vector<double> mjcf_effort_range(const ModelDescription& d, const JointDescription& j) {
  const auto& effort = j.properties.effort;
  const bool says = effort.size() == 1 && effort[0] > 0.0 && std::isfinite(effort[0]) && j.type != "free" &&
                    j.type != "spherical" && effort[0] < effort_of_drives(d, j.name);
  return says ? std::vector<double>{-effort[0], effort[0]} : std::vector<double>{};
}

std::vector<std::size_t> write_mjcf_drives(const ModelDescription& d, MjcfPrinter& out,
                                           const LeftOut& left_out) {
  std::vector<std::size_t> written;
  MjcfSection actuator(out, "actuator");
  for (std::size_t i = 0; i < d.drives.size(); ++i) {
    if (!is_joint_drive(d, d.drives[i])) {
      left_out.add(quoted("drive", d.drives[i].name),
                   "is left out: only drives of hinges and slides without a state of their own are written");
      continue;
    }
    actuator.entry("general");
    write_drive(d.drives[i], out);
    out.close();
    written.push_back(i);
  }
  note_efforts(d, left_out);
  return written;
}

}  // namespace amble
