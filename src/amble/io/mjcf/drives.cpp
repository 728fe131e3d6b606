#include "amble/io/mjcf/drives.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/names.hpp"
#include "amble/io/mjcf/joints.hpp"
#include "amble/io/mjcf/mass_matrix.hpp"

namespace amble {

namespace {

using Law = CompiledDrive::Law;

Law law_of(const std::string& word) {
  if (word == "fixed" || word == "none") return Law::constant;
  return word == "affine" ? Law::affine : Law::other;
}

void apply_general(const MjcfValues& e, CompiledDrive& out) {
  if (e.has("gaintype")) out.gain_law = law_of(e.text("gaintype"));
  if (e.has("biastype")) out.bias_law = law_of(e.text("biastype"));
  if (e.has("dyntype")) out.has_dynamics = e.text("dyntype") != "none";
  out.gain = e.numbers<10>("gainprm", out.gain);
  out.bias = e.numbers<10>("biasprm", out.bias);
}

void apply_servo(const MjcfValues& e, CompiledDrive& out) {
  const double kp = e.number("kp", out.gain[0]);
  if (e.has("kv") && e.has("dampratio")) refuse(e.element(), "has both kv and dampratio; expected one");
  out.gain[0] = kp, out.bias[1] = -kp;
  if (e.has("kv")) out.bias[2] = -e.number("kv", 0.0);
  if (e.has("dampratio"))
    out.bias[2] = e.number("dampratio", 0.0);  // positive: until it is turned into damping
  out.inherit_range = e.number("inheritrange", out.inherit_range);
  out.gain_law = Law::constant, out.bias_law = Law::affine;
  out.has_dynamics = e.number("timeconst", 0.0) > 0.0;
}

void apply_velocity(const MjcfValues& e, CompiledDrive& out) {
  const double kv = e.number("kv", out.gain[0]);
  out.gain[0] = kv, out.bias = {0.0, 0.0, -kv};
  out.gain_law = Law::constant, out.bias_law = Law::affine, out.has_dynamics = false;
}

void apply_damper(const MjcfValues& e, CompiledDrive& out) {
  out.gain = {0.0, 0.0, -e.number("kv", 0.0)}, out.bias = {};
  out.gain_law = Law::affine, out.bias_law = Law::constant, out.has_dynamics = false,
  out.always_limited = true;
}

void apply_motor(CompiledDrive& out) {
  out.gain = {1.0}, out.bias = {};
  out.gain_law = Law::constant, out.bias_law = Law::constant, out.has_dynamics = false;
}

/// What one element says about gain, bias and dynamics, over what is there.
void apply(const MjcfElement& element, CompiledDrive& out) {
  const MjcfValues e(element, nullptr);
  out.gear = e.numbers<6>("gear", out.gear);
  out.armature = e.number("armature", out.armature);
  out.damping = e.numbers<3>("damping", {out.damping})[0];
  switch (element.tag) {
    case MjcfTag::general:
      return apply_general(e, out);
    case MjcfTag::motor:
      return apply_motor(out);
    case MjcfTag::position:
      return apply_servo(e, out);
    case MjcfTag::velocity:
      return apply_velocity(e, out);
    case MjcfTag::damper:
      return apply_damper(e, out);
    case MjcfTag::intvelocity:
      return apply_servo(e, out), (void)(out.has_dynamics = true);
    default:
      out.gain_law = Law::other;
      return;
  }
}

class DriveCompiler {
 public:
  DriveCompiler(const MjcfSources& sources, CompiledModel& model)
      : sources_(sources), model_(model), names_(model) {}

  std::vector<CompiledDrive> run() {
    for (const MjcfElement& section : sources_[0]->root.children)
      if (section.name == "actuator")
        for (const MjcfElement& e : section.children)
          if (is_drive(e.tag)) add(e);
    add_armatures();
    for (CompiledDrive& drive : drives_) damp(drive);
    return std::move(drives_);
  }

 private:
  const MjcfSource& source_of(const MjcfElement& e) const {
    return *sources_[static_cast<std::size_t>(e.model)];
  }

  void add(const MjcfElement& e) {
    const OfClass& base = of_class(e);
    CompiledDrive drive = base.drive;
    drive.element = &e;
    drive.name = e.get("name");
    MjcfElement merged = e;  // attributes that all drives share, from the class where the drive is silent
    for (const auto& [key, value] : base.shared)
      if (e.find(key) == nullptr) merged.set(key, value);
    apply(e, drive);
    drive.joint = joint_of(e);
    drive.tendon = e.get("tendon");
    read_ranges({merged, nullptr}, source_of(e).settings, drive);
    drives_.push_back(std::move(drive));
  }

  /// What the actuator elements of a class say together, each over the ones before it.
  struct OfClass {
    CompiledDrive drive;
    std::map<std::string, std::string> shared;
  };

  const OfClass& of_class(const MjcfElement& e) {
    constexpr std::string_view kShared[] = {"ctrllimited", "ctrlrange", "forcelimited", "forcerange"};
    const std::vector<MjcfElement>& elements = source_of(e).classes->drives(e);
    const auto [at, is_new] = classes_.try_emplace(&elements);
    if (!is_new) return at->second;
    for (const MjcfElement& d : elements) {
      apply(d, at->second.drive);
      for (const auto& [key, value] : d.attributes)
        if (std::find(std::begin(kShared), std::end(kShared), key) != std::end(kShared))
          at->second.shared[key] = value;
    }
    return at->second;
  }

  const CompiledJoint* joint_of(const MjcfElement& e) const {
    for (const char* attribute : {"joint", "jointinparent"}) {
      const std::string* name = e.find(attribute);
      if (name == nullptr) continue;
      if (const CompiledJoint* joint = names_.joint(*name)) return joint;
      if (!model_.has_unread_bodies)
        refuse(e, fmt::format("there is no joint '{}'{}", *name, suggestion(*name, names_.joint_names())));
    }
    return nullptr;
  }

  void read_ranges(const MjcfValues& e, const MjcfSettings& settings, CompiledDrive& drive) const {
    drive.force = mjcf_range(e, settings, "forcelimited", "forcerange");
    if (drive.always_limited) drive.control = e.numbers<2>("ctrlrange");
    if (!drive.always_limited) drive.control = mjcf_range(e, settings, "ctrllimited", "ctrlrange");
    if (!(drive.inherit_range > 0.0) || drive.joint == nullptr || drive.has_dynamics) return;
    const auto& [lower, upper] = drive.joint->raw_range;
    if (!(lower < upper)) refuse(*drive.element, "inheritrange: its joint has no range");
    const double middle = 0.5 * (lower + upper), half = 0.5 * (upper - lower) * drive.inherit_range;
    drive.control = std::array{middle - half, middle + half};
  }

  /// As the joint sees it: times gear squared.
  void add_armatures() {
    std::map<const CompiledJoint*, std::array<double, 2>> more;
    for (const CompiledDrive& drive : drives_) {
      if (drive.joint == nullptr) continue;
      const double square = drive.gear[0] * drive.gear[0];
      more[drive.joint][0] += square * drive.armature, more[drive.joint][1] += square * drive.damping;
    }
    for (CompiledBody& body : model_.bodies)
      for (CompiledJoint& joint : body.joints)
        if (const auto found = more.find(&joint); found != more.end())
          joint.armature += found->second[0], joint.damping[0] += found->second[1];
  }

  /// kv = 2 ratio sqrt(kp m), where m is the inertia that the drive sees at qpos0.
  void damp(CompiledDrive& drive) {
    const bool ratio = drive.gain_law == Law::constant && drive.bias_law == Law::affine &&
                       drive.bias[2] > 0.0 && drive.gain[0] == -drive.bias[1];
    if (!ratio || drive.joint == nullptr || drive.gear[0] == 0.0) return;
    if (!matrix_) matrix_.emplace(model_);
    const double mass =
        matrix_->diagonal()[static_cast<std::size_t>(drive.joint->v)] / (drive.gear[0] * drive.gear[0]);
    drive.bias[2] *= -2.0 * std::sqrt(std::max(0.0, drive.gain[0] * mass));
  }

  const MjcfSources& sources_;
  CompiledModel& model_;
  const CompiledNames names_;
  std::vector<CompiledDrive> drives_;
  std::map<const std::vector<MjcfElement>*, OfClass> classes_;
  std::optional<CompiledMassMatrix> matrix_;
};

}  // namespace

bool CompiledDrive::is_described() const {
  const bool one_axis = joint != nullptr && joint->freedoms() == 1;
  return one_axis && !has_dynamics && gain_law != Law::other && bias_law != Law::other;
}

std::vector<CompiledDrive> compile_drives(const MjcfSources& sources, CompiledModel& model) {
  return DriveCompiler(sources, model).run();
}

}  // namespace amble
