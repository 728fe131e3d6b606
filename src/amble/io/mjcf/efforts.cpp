#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/io/mjcf/describe.hpp"

// Drives: what they do to joints, and how large their effort may be.
namespace amble {

namespace {

double largest(const std::array<double, 2>& range) {
  return std::max(std::abs(range[0]), std::abs(range[1]));
}

/// The largest force or torque the drive puts on its joint.
double effort_of(const CompiledDrive& drive) {
  const bool motor =
      drive.gain_law == CompiledDrive::Law::constant && drive.bias_law == CompiledDrive::Law::constant;
  double force = drive.force ? largest(*drive.force) : kUnlimited;
  if (drive.control && motor && !drive.has_dynamics)
    force = std::min(force, std::abs(drive.gain[0]) * largest(*drive.control));
  return force == kUnlimited ? force : std::abs(drive.gear[0]) * force;
}

std::vector<double> bounds(const MjcfRange& range) {
  return range ? std::vector<double>{(*range)[0], (*range)[1]} : std::vector<double>{};
}

DriveDescription described(const CompiledDrive& drive, const MjcfDescriber& d, const std::string& name) {
  DriveDescription out;
  out.name = name;
  out.line = d.line(*drive.element);
  if (!drive.is_described()) return out;
  const bool affine_gain = drive.gain_law == CompiledDrive::Law::affine;
  out.joint = d.names.joint(drive.joint);
  out.gear = drive.gear[0];
  out.gain = {drive.gain[0], affine_gain ? drive.gain[1] : 0.0, affine_gain ? drive.gain[2] : 0.0};
  if (drive.bias_law == CompiledDrive::Law::affine) out.bias = {drive.bias[0], drive.bias[1], drive.bias[2]};
  out.control = bounds(drive.control), out.force = bounds(drive.force);
  return out;
}

/// MuJoCo refuses a name that repeats; those without one get one.
std::string unique_name(const CompiledDrive& drive, MjcfNaming::Names& taken, std::size_t number) {
  if (!drive.name.empty() && taken.all.contains(drive.name))
    refuse(*drive.element,
           fmt::format("repeated name '{}': there is a drive of that name already", drive.name));
  std::string name = drive.name.empty() ? fmt::format("drive_{}", number) : drive.name;
  while (!taken.all.insert(name).second) name += "_";
  return name;
}

/// Of all drives of a joint together, where each is limited; and what the joint itself allows.
std::map<const CompiledJoint*, double> efforts(const CompiledModel& model,
                                               const std::vector<CompiledDrive>& drives) {
  std::map<const CompiledJoint*, double> out;
  for (const CompiledDrive& drive : drives)
    if (drive.joint != nullptr && drive.joint->freedoms() == 1) out[drive.joint] += effort_of(drive);
  for (const CompiledBody& body : model.bodies)
    for (const CompiledJoint& joint : body.joints)
      if (joint.force && joint.freedoms() == 1) {
        const auto at = out.try_emplace(&joint, kUnlimited).first;
        at->second = std::min(at->second, largest(*joint.force));
      }
  return out;
}

}  // namespace

void describe_drives(MjcfDescriber& d, const std::vector<CompiledDrive>& drives) {
  MjcfNaming::Names taken;
  for (const CompiledDrive& drive : drives)
    d.out.drives.push_back(described(drive, d, unique_name(drive, taken, d.out.drives.size())));
  std::map<std::string, JointDescription*> joints;
  for (JointDescription& j : d.out.joints) joints.emplace(j.name, &j);
  for (const auto& [joint, effort] : efforts(d.model, drives))
    if (effort < kUnlimited) joints.at(d.names.joint(joint))->properties.effort = {effort};

  const auto is_left = [](const CompiledDrive& drive) { return !drive.is_described(); };
  const auto first = std::find_if(drives.begin(), drives.end(), is_left);
  if (first == drives.end()) return;
  Problem note = first->element->problem(Severity::note, "");
  note.element = "actuator";
  note.reason =
      fmt::format("{} not used: only drives of hinge and slide joints without dynamics of their own are",
                  std::count_if(drives.begin(), drives.end(), is_left));
  d.out.findings.push_back(note);
}

}  // namespace amble
