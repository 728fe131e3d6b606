#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/io/mjcf/drives.hpp"

// Drives: what they do, and how large the effort at joints may be.
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
  if (drive.control && motor && drive.dynamics == CompiledDrive::Dynamics::none)
    force = std::min(force, std::abs(drive.gain[0]) * largest(*drive.control));
  return force == kUnlimited ? force : std::abs(drive.gear[0]) * force;
}

std::vector<double> bounds(const MjcfRange& range) {
  return range ? std::vector<double>{(*range)[0], (*range)[1]} : std::vector<double>{};
}

DriveDynamics dynamics_of(CompiledDrive::Dynamics dynamics) {
  switch (dynamics) {
    case CompiledDrive::Dynamics::integrator:
      return DriveDynamics::integrator;
    case CompiledDrive::Dynamics::filter:
      return DriveDynamics::filter;
    case CompiledDrive::Dynamics::muscle:
      return DriveDynamics::muscle;
    default:
      return DriveDynamics::none;
  }
}

MuscleCurves muscle(const CompiledDrive& drive, const std::array<double, 10>& x) {
  return {drive.length_range, {x[0], x[1]}, x[2], x[4], x[5], x[6], x[7], x[8]};
}

void describe_laws(const CompiledDrive& drive, DriveDescription& out) {
  using Law = CompiledDrive::Law;
  const bool affine_gain = drive.gain_law == Law::affine;
  out.gain = {drive.gain[0], affine_gain ? drive.gain[1] : 0.0, affine_gain ? drive.gain[2] : 0.0};
  if (drive.bias_law == Law::affine) out.bias = {drive.bias[0], drive.bias[1], drive.bias[2]};
  if (drive.gain_law == Law::muscle) out.muscle_gain = muscle(drive, drive.gain);
  if (drive.bias_law == Law::muscle) out.muscle_bias = muscle(drive, drive.bias);
  out.dynamics = dynamics_of(drive.dynamics);
  constexpr double kShortest = 1e-15;  // s; as in MuJoCo, for a filter without a time constant
  out.time_constants = {std::max(kShortest, drive.time[0]), std::max(kShortest, drive.time[1]),
                        std::max(0.0, drive.time[2])};
}

DriveDescription described(const CompiledDrive& drive, const MjcfDescriber& d, const std::string& name) {
  DriveDescription out;
  out.name = name;
  out.line = d.line(*drive.element);
  if (!drive.is_described() || !d.model.options.actuation) return out;
  const auto site = [&](const CompiledPlace& at) {
    return at.site == nullptr ? std::string() : d.names.site(at.site);
  };
  if (drive.joint != nullptr) out.joint = d.names.joint(drive.joint);
  if (drive.tendon >= 0) out.tendon = d.out.tendons[static_cast<std::size_t>(drive.tendon)].name;
  out.frame = site(drive.site), out.slider = site(drive.slider);
  if (out.slider.empty()) out.reference = site(drive.reference);
  out.in_parent = drive.in_parent, out.gear = drive.gear, out.rod = drive.rod;
  describe_laws(drive, out);
  out.control = bounds(drive.control), out.force = bounds(drive.force);
  if (drive.dynamics != CompiledDrive::Dynamics::none) out.activation = bounds(drive.activation);
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

/// One note for all drives that `which` holds for.
template <class Which>
void note(MjcfDescriber& d, const std::vector<CompiledDrive>& drives, Which which, const std::string& what) {
  const auto first = std::find_if(drives.begin(), drives.end(), which);
  if (first == drives.end()) return;
  Problem problem = first->element->problem(Severity::note, "");
  problem.element = "actuator";
  problem.reason = fmt::format("{} {}", std::count_if(drives.begin(), drives.end(), which), what);
  d.out.findings.push_back(problem);
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

  note(
      d, drives, [](const CompiledDrive& drive) { return !drive.is_described(); },
      "not used: adhesion, plugin, pid, dcmotor, orientation, user laws, or muscles without lengthrange");
  note(
      d, drives, [](const CompiledDrive& drive) { return drive.element->find("delay") != nullptr; },
      "with a delay, which is not used");
  if (!d.model.options.actuation)
    note(
        d, drives, [](const CompiledDrive&) { return true; }, "not used: they are switched off");
}

}  // namespace amble
