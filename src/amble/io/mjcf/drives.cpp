#include "amble/io/mjcf/drives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/base/names.hpp"
#include "amble/io/mjcf/drawn_moments.hpp"
#include "amble/io/mjcf/joints.hpp"

namespace amble {

namespace {

using Law = CompiledDrive::Law;
using Dynamics = CompiledDrive::Dynamics;

Law law_of(const std::string& word) {
  if (word == "fixed" || word == "none") return Law::constant;
  return word == "affine" ? Law::affine : word == "muscle" ? Law::muscle : Law::other;
}

Dynamics dynamics_of(const std::string& word) {
  if (word == "none") return Dynamics::none;
  if (word == "integrator") return Dynamics::integrator;
  if (word == "filter" || word == "filterexact") return Dynamics::filter;
  return word == "muscle" ? Dynamics::muscle : Dynamics::other;
}

void apply_general(const MjcfValues& e, CompiledDrive& out) {
  if (e.has("gaintype")) out.gain_law = law_of(e.text("gaintype"));
  if (e.has("biastype")) out.bias_law = law_of(e.text("biastype"));
  if (e.has("dyntype")) out.dynamics = dynamics_of(e.text("dyntype"));
  out.gain = e.numbers<10>("gainprm", out.gain);
  out.bias = e.numbers<10>("biasprm", out.bias);
  out.time = e.numbers<10>("dynprm", out.time);
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
  if (!e.has("timeconst")) return;
  out.time[0] = e.number("timeconst", 0.0);
  out.dynamics = out.time[0] > 0.0 ? Dynamics::filter : Dynamics::none;
}

void apply_velocity(const MjcfValues& e, CompiledDrive& out) {
  const double kv = e.number("kv", out.gain[0]);
  out.gain[0] = kv, out.bias = {0.0, 0.0, -kv};
  out.gain_law = Law::constant, out.bias_law = Law::affine, out.dynamics = Dynamics::none;
}

void apply_damper(const MjcfValues& e, CompiledDrive& out) {
  out.gain = {0.0, 0.0, -e.number("kv", 0.0)}, out.bias = {};
  out.gain_law = Law::affine, out.bias_law = Law::constant, out.dynamics = Dynamics::none,
  out.always_limited = true;
}

void apply_motor(CompiledDrive& out) {
  out.gain = {1.0}, out.bias = {};
  out.gain_law = Law::constant, out.bias_law = Law::constant, out.dynamics = Dynamics::none;
}

void apply_cylinder(const MjcfValues& e, CompiledDrive& out) {
  out.time[0] = e.number("timeconst", out.time[0]);
  const auto bias = e.numbers<3>("bias", {out.bias[0], out.bias[1], out.bias[2]});
  std::copy(bias.begin(), bias.end(), out.bias.begin());
  out.gain[0] = e.number("area", out.gain[0]);
  if (e.has("diameter")) out.gain[0] = 0.25 * std::numbers::pi * std::pow(e.number("diameter", 0.0), 2);
  out.gain_law = Law::constant, out.bias_law = Law::affine, out.dynamics = Dynamics::filter;
}

/// What was not said by a class has the numbers of a muscle instead of those of other drives.
void apply_muscle(const MjcfValues& e, CompiledDrive& out) {
  constexpr std::array kOther{1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  constexpr std::array kMuscle{0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2};
  constexpr const char* kNames[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
  const auto put = [](double& to, double given) {
    if (given >= 0.0) to = given;
  };
  for (std::size_t i = 0; i < kMuscle.size(); ++i)
    if (out.gain[i] == kOther[i]) out.gain[i] = kMuscle[i];
  if (out.time[0] == 1.0) out.time[0] = 0.01;
  if (out.time[1] == 0.0) out.time[1] = 0.04;
  const auto time = e.numbers<2>("timeconst", {-1.0, -1.0}), range = e.numbers<2>("range", {-1.0, -1.0});
  for (std::size_t i = 0; i < 2; ++i) put(out.time[i], time[i]), put(out.gain[i], range[i]);
  out.time[2] = e.number("tausmooth", out.time[2]);
  for (std::size_t i = 0; i < std::size(kNames); ++i) put(out.gain[i + 2], e.number(kNames[i], -1.0));
  std::copy_n(out.gain.begin(), kMuscle.size(), out.bias.begin());
  out.gain_law = out.bias_law = Law::muscle, out.dynamics = Dynamics::muscle;
}

/// What one element says about gain, bias and dynamics, over what is there.
void apply(const MjcfElement& element, CompiledDrive& out) {
  const MjcfValues e(element, nullptr);
  out.gear = e.numbers<6>("gear", out.gear);
  out.armature = e.number("armature", out.armature);
  out.damping = e.numbers<3>("damping", out.damping);
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
    case MjcfTag::cylinder:
      return apply_cylinder(e, out);
    case MjcfTag::muscle:
      return apply_muscle(e, out);
    case MjcfTag::intvelocity:
      return apply_servo(e, out), (void)(out.dynamics = Dynamics::integrator);
    default:
      out.gain_law = Law::other;
      return;
  }
}

class DriveCompiler {
 public:
  DriveCompiler(const MjcfSources& sources, CompiledModel& model, std::vector<CompiledTendon>& tendons,
                Problems& findings)
      : sources_(sources),
        model_(model),
        tendons_(tendons),
        findings_(findings),
        names_(model),
        tendon_names_(tendons) {}

  std::vector<CompiledDrive> run() {
    for (const MjcfElement& section : sources_[0]->root.children)
      if (section.name == "actuator")
        for (const MjcfElement& e : section.children)
          if (is_drive(e.tag)) add(e);
    add_armatures();
    for (CompiledDrive& drive : drives_) finish(drive);
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
    read_target(e, {merged, nullptr}, drive);
    read_ranges({merged, nullptr}, source_of(e).settings, drive);
    drives_.push_back(std::move(drive));
  }

  /// What the actuator elements of a class say together, each over the ones before it.
  struct OfClass {
    CompiledDrive drive;
    std::map<std::string, std::string> shared;
  };

  const OfClass& of_class(const MjcfElement& e) {
    constexpr std::string_view kShared[] = {"ctrllimited", "ctrlrange", "forcelimited", "forcerange",
                                            "actlimited",  "actrange",  "lengthrange",  "cranklength"};
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

  void read_target(const MjcfElement& e, const MjcfValues& shared, CompiledDrive& drive) const {
    drive.joint = joint_of(e);
    drive.in_parent = e.find("jointinparent") != nullptr;
    drive.tendon = tendon_of(e);
    drive.reference = place(e, "refsite"), drive.slider = place(e, "slidersite");
    drive.site = place(e, e.find("cranksite") != nullptr ? "cranksite" : "site");
    drive.rod = shared.number("cranklength", 0.0);
    drive.length_range = shared.numbers<2>("lengthrange");
    if (e.find("cranksite") == nullptr) return;
    if (e.find("slidersite") == nullptr) refuse(e, "has a cranksite, but no slidersite");
    if (!(drive.rod > 0.0)) refuse(e, fmt::format("cranklength is {}; expected more than 0", drive.rod));
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

  int tendon_of(const MjcfElement& e) const {
    const std::string* name = e.find("tendon");
    if (name == nullptr) return -1;
    return model_.has_unread_bodies ? tendon_names_.find(*name) : tendon_names_.find(e, *name);
  }

  CompiledPlace place(const MjcfElement& e, const char* attribute) const {
    CompiledPlace out;
    const std::string* name = e.find(attribute);
    if (name == nullptr) return out;
    out.site = names_.site(*name, out.body);
    if (out.site == nullptr && !model_.has_unread_bodies)
      refuse(e, fmt::format("there is no site '{}'", *name));
    return out;
  }

  void read_ranges(const MjcfValues& e, const MjcfSettings& settings, CompiledDrive& drive) const {
    drive.force = mjcf_range(e, settings, "forcelimited", "forcerange");
    drive.activation = mjcf_range(e, settings, "actlimited", "actrange");
    if (drive.always_limited) drive.control = e.numbers<2>("ctrlrange");
    if (!drive.always_limited) drive.control = mjcf_range(e, settings, "ctrllimited", "ctrlrange");
    inherit_range(drive);
  }

  void inherit_range(CompiledDrive& drive) const {
    const bool integrates = drive.dynamics == Dynamics::integrator;
    if (!(drive.inherit_range > 0.0) || (drive.joint == nullptr && drive.tendon < 0)) return;
    const auto& [lower, upper] = drive.joint != nullptr
                                     ? drive.joint->raw_range
                                     : tendons_[static_cast<std::size_t>(drive.tendon)].raw_range;
    if (!(lower < upper)) refuse(*drive.element, "inheritrange: its joint or tendon has no range");
    const double middle = 0.5 * (lower + upper), half = 0.5 * (upper - lower) * drive.inherit_range;
    (integrates ? drive.activation : drive.control) = std::array{middle - half, middle + half};
  }

  struct Added {
    double armature = 0.0;
    std::array<double, 3> damping{};
    void add(const CompiledDrive& drive) {
      const double square = drive.gear[0] * drive.gear[0];
      armature += square * drive.armature;
      for (std::size_t k = 0; k < 3; ++k) damping[k] += square * drive.damping[k];
    }
    template <class To>
    void put(To& to) const {
      to.armature += armature;
      for (std::size_t k = 0; k < 3; ++k) to.damping[k] += damping[k];
    }
  };

  /// As the joint or tendon sees it: times gear squared.
  void add_armatures() {
    std::map<const CompiledJoint*, Added> of_joints;
    std::map<int, Added> of_tendons;
    for (const CompiledDrive& drive : drives_) {
      if (drive.joint != nullptr) of_joints[drive.joint].add(drive);
      if (drive.tendon >= 0) of_tendons[drive.tendon].add(drive);
    }
    for (CompiledBody& body : model_.bodies)
      for (CompiledJoint& joint : body.joints)
        if (const auto found = of_joints.find(&joint); found != of_joints.end()) found->second.put(joint);
    for (const auto& [tendon, added] : of_tendons) added.put(tendons_[static_cast<std::size_t>(tendon)]);
  }

  /// What needs the inertia that the drive sees at qpos0.
  void finish(CompiledDrive& drive) {
    if (!drive.has_target()) return;
    if (is_damping_ratio(drive)) damp(drive);
    if (drive.has_muscle()) finish_muscle(drive);
  }

  static bool is_damping_ratio(const CompiledDrive& drive) {
    return drive.gain_law == Law::constant && drive.bias_law == Law::affine && drive.bias[2] > 0.0 &&
           drive.gain[0] == -drive.bias[1];
  }

  const CompiledMassMatrix& matrix() {
    if (!matrix_) matrix_.emplace(model_);
    return *matrix_;
  }

  /// kv = 2 ratio sqrt(kp m), where m adds up the inertias of all freedoms as the drive sees them.
  void damp(CompiledDrive& drive) {
    const std::vector<double> moment = drawn_moment(drive, model_, tendons_, matrix());
    double mass = 0.0;
    for (std::size_t i = 0; i < moment.size(); ++i)
      if (const double square = moment[i] * moment[i]; square > 1e-15)
        mass += matrix().diagonal()[i] / square;
    drive.bias[2] *= -2.0 * std::sqrt(std::max(0.0, drive.gain[0] * mass));
  }

  /// A negative force stands for scale over the acceleration of a unit force; without a length range there is
  /// no muscle.
  void finish_muscle(CompiledDrive& drive) {
    if (!(drive.length_range[0] < drive.length_range[1])) {
      findings_.push_back(drive.element->problem(
          Severity::warning,
          "not used: a muscle without lengthrange, which MuJoCo would find by a simulation"));
      drive.gain_law = Law::other;
      return;
    }
    for (const auto& [law, numbers] :
         {std::pair{drive.gain_law, &drive.gain}, {drive.bias_law, &drive.bias}}) {
      if (law != Law::muscle || (*numbers)[2] >= 0.0) continue;
      if (acceleration_of_ != &drive)
        acceleration_ = matrix().acceleration(drawn_moment(drive, model_, tendons_, matrix())),
        acceleration_of_ = &drive;
      (*numbers)[2] = (*numbers)[3] / std::max(1e-15, acceleration_);
    }
  }

  const MjcfSources& sources_;
  CompiledModel& model_;
  std::vector<CompiledTendon>& tendons_;
  Problems& findings_;
  const CompiledNames names_;
  const TendonNames tendon_names_;
  std::vector<CompiledDrive> drives_;
  std::map<const std::vector<MjcfElement>*, OfClass> classes_;
  std::optional<CompiledMassMatrix> matrix_;
  const CompiledDrive* acceleration_of_ = nullptr;
  double acceleration_ = 0.0;
};

}  // namespace

bool CompiledDrive::is_described() const {
  return has_target() && dynamics != Dynamics::other && gain_law != Law::other && bias_law != Law::other;
}

std::vector<CompiledDrive> compile_drives(const MjcfSources& sources, CompiledModel& model,
                                          std::vector<CompiledTendon>& tendons, Problems& findings) {
  return DriveCompiler(sources, model, tendons, findings).run();
}

}  // namespace amble
