#include "amble/walkers/described_walker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/walkers/described_checks.hpp"
#include "amble/walkers/foot_model.hpp"
#include "amble/walkers/sides.hpp"

namespace amble {

namespace {

using Foot = WalkerDescription::Foot;
using Phase = WalkerDescription::Phase;
using Symmetry = WalkerDescription::Symmetry;

Phase other_side(const Phase& phase, const SideNames& sides) {
  Phase other{.name = phase.name + ", other side",
              .stance = sides.foot(phase.stance),
              .swing = sides.foot(phase.swing)};
  const auto exchanged = [&](const std::map<std::string, double>& values) {
    std::map<std::string, double> out;
    for (const auto& [name, value] : values)
      out[sides.coordinate(name).first] = value * sides.coordinate(name).second;
    return out;
  };
  if (phase.stop) {
    const auto [joint, sign] = sides.coordinate(phase.stop->joint);
    other.stop = {joint, sign * phase.stop->at, sign > 0.0 ? phase.stop->rises : !phase.stop->rises};
  }
  other.locked = exchanged(phase.locked), other.rest = exchanged(phase.rest),
  other.passing = exchanged(phase.passing);
  other.passed = phase.passed;
  for (const std::string& joint : phase.holds_joints)
    other.holds_joints.push_back(sides.coordinate(joint).first);
  for (const std::string& foot : phase.holds_feet) other.holds_feet.push_back(sides.foot(foot));
  return other;
}

/// A walker that returns after a stride walks through its phases on both sides.
WalkerDescription with_both_sides(WalkerDescription w) {
  if (!w.symmetry || returns_after_step(w)) return w;
  const SideNames sides(*w.symmetry);
  const std::vector<Phase> one = w.phases;
  for (const Phase& phase : one) w.phases.push_back(other_side(phase, sides));
  return w;
}

/// The phases of a walker, made from its description.
class PhaseMaker {
 public:
  PhaseMaker(const WalkerDescription& w, const std::vector<Mechanism>& full, Scuffing scuffing)
      : w_(w), full_(full), scuffing_(scuffing), sides_(w.symmetry ? SideNames(*w.symmetry) : SideNames()) {
    for (const Phase& phase : w.phases)
      stance_.push_back(held_foot_model(w, foot_named(w, phase.stance), phase));
  }

  MechanismPhaseSpec phase(std::size_t i) const {
    const Phase& p = w_.phases[i];
    MechanismPhaseSpec spec{.name = p.name, .stance = stance_[i]};
    const Mechanism& full = full_of(p);
    embed(i, spec);
    spec.stance_foot = contact(p.stance), spec.swing_foot = contact(p.swing);
    if (p.stop) {
      spec.stop = full.v_slice(p.stop->joint).start;
      spec.stop_at = p.stop->at, spec.stop_rises = p.stop->rises;
    }
    if (!p.passing.empty()) spec.passing = OwnedVector(full.nv());
    for (const auto& [name, factor] : p.passing) spec.passing[full.v_slice(name).start] = factor;
    spec.passed = p.passed;
    spec.detect_scuffing = scuffing_ == Scuffing::detect;
    spec.strike = strike(i);
    relabel(i, spec);
    spec.full = full;
    for (const WalkerDescription::Bound& b : w_.bounds) {
      const auto [coordinate, sign] =
          second_half(i) ? sides_.coordinate(b.coordinate) : std::pair{b.coordinate, 1.0};
      if (!p.locked.contains(coordinate))
        spec.bounds.push_back({full.v_slice(coordinate).start, sign > 0.0 ? b.lower : -b.upper,
                               sign > 0.0 ? b.upper : -b.lower, b.failure});
    }
    return spec;
  }

 private:
  const Mechanism& full_of(const Phase& p) const { return full_[foot_index(w_, p.stance)]; }
  FootContact contact(const std::string& foot) const {
    return {foot_frame(foot), foot_named(w_, foot).radius};
  }
  bool is_last(std::size_t i) const { return i + 1 == w_.phases.size(); }
  const Phase& next(std::size_t i) const { return w_.phases[is_last(i) ? 0 : i + 1]; }
  /// Of a stride that was made of its first half.
  bool second_half(std::size_t i) const {
    return w_.symmetry && !returns_after_step(w_) && 2 * i >= w_.phases.size();
  }
  bool exchanges(std::size_t i) const { return is_last(i) && returns_after_step(w_); }

  void embed(std::size_t i, MechanismPhaseSpec& spec) const {
    const Mechanism& full = full_of(w_.phases[i]);
    spec.embed = OwnedMatrix(full.nv(), stance_[i].nv());
    spec.offset = OwnedVector(full.nv());
    for (const std::string& joint : stance_[i].joint_names())
      spec.embed(full.v_slice(joint).start, stance_[i].v_slice(joint).start) = 1.0;
    for (const auto& [joint, angle] : w_.phases[i].locked) spec.offset[full.v_slice(joint).start] = angle;
    if (w_.planar)
      spec.embed(0, stance_[i].v_slice("pitch").start) = foot_named(w_, w_.phases[i].stance).radius;
  }

  PlasticStrike strike(std::size_t i) const {
    const Phase& p = w_.phases[i];
    std::set<std::string> feet(p.holds_feet.begin(), p.holds_feet.end());
    feet.insert(p.stop ? p.stance : p.swing);
    PlasticStrike out;
    for (const std::string& foot : feet) out.feet.push_back(contact(foot));
    std::set<std::string> joints(p.holds_joints.begin(), p.holds_joints.end());
    for (const auto& [joint, angle] : p.locked) joints.insert(joint);
    for (const auto& [joint, angle] : next(i).locked)
      joints.insert(exchanges(i) ? sides_.coordinate(joint).first : joint);
    for (const std::string& joint : joints) out.held.push_back(full_of(p).v_slice(joint).start);
    return out;
  }

  /// Of the foot that stands next in the plane, its pitch from the coordinates of this phase: every joint
  /// between the two adds its own angle, or takes it away.
  Eigen::RowVectorXd pitch_row(const Phase& p, const std::string& foot) const {
    const Mechanism& full = full_of(p);
    Workspace work(full);
    return jacobian(full, work, full.neutral(), foot_frame(foot), {.frame = JacobianFrame::aligned}).row(4);
  }

  void relabel(std::size_t i, MechanismPhaseSpec& spec) const {
    const Phase& p = w_.phases[i];
    const Mechanism &full = full_of(p), &to = stance_[is_last(i) ? 0 : i + 1];
    const std::vector<std::string> angles = foot_angle_names(w_.planar);
    spec.relabel = OwnedMatrix(to.nv(), full.nv());
    spec.shift = OwnedVector(to.nv());
    for (const std::string& joint : to.joint_names()) {
      const int row = to.v_slice(joint).start;
      const bool angle = std::find(angles.begin(), angles.end(), joint) != angles.end();
      const auto [from, sign] = exchanges(i) && !angle ? sides_.coordinate(joint) : std::pair{joint, 1.0};
      if (!angle || p.stop)
        spec.relabel(row, full.v_slice(from).start) = sign;
      else if (w_.planar)
        spec.relabel.row(row) = pitch_row(p, p.swing);
    }
    if (!w_.planar && !p.stop) spec.next_foot = {foot_frame(p.swing), exchanges(i), w_.slope == 0.0};
  }

  const WalkerDescription& w_;
  const std::vector<Mechanism>& full_;
  Scuffing scuffing_;
  SideNames sides_;
  std::vector<Mechanism> stance_;
};

/// x = lift s + offset, by names.
StepModel::Section section_of(const WalkerDescription& w, const std::vector<std::string>& coordinates) {
  std::vector<std::string> all = coordinates;
  for (const std::string& name : coordinates) all.push_back("d" + name);
  const auto index = [&](const std::string& name, const char* what) {
    const auto at = std::find(all.begin(), all.end(), name);
    if (at == all.end())
      throw Error(fmt::format("walker '{}': its {} names '{}'{}; a step starts with {}", w.name, what, name,
                              suggestion(name, all), fmt::join(all, ", ")));
    return static_cast<int>(at - all.begin());
  };
  std::vector<WalkerDescription::Range> region = w.region;  // in the order of the coordinates
  std::ranges::stable_sort(region, {}, [&](const auto& range) { return index(range.name, "region"); });
  const int size = static_cast<int>(region.size()), n = static_cast<int>(all.size());
  StepModel::Section section{.lift = OwnedMatrix(n, size),
                             .offset = OwnedVector(n),
                             .lower = OwnedVector(size),
                             .upper = OwnedVector(size)};
  for (int i = 0; i < size; ++i) {
    const WalkerDescription::Range& range = region[i];
    section.names.push_back(range.name);
    section.lift(index(range.name, "region"), i) = 1.0;
    section.lower[i] = range.lower, section.upper[i] = range.upper;
  }
  for (const auto& [name, start] : w.start) {
    const int row = index(name, "start");
    if (std::ranges::count(section.names, name) > 0)
      throw Error(fmt::format("walker '{}': '{}' has a start, but its region bounds it", w.name, name));
    section.offset[row] = start.constant;
    for (const auto& [of, factor] : start.multiples) {
      const auto at = std::find(section.names.begin(), section.names.end(), of);
      if (at == section.names.end())
        throw Error(fmt::format(
            "walker '{}': the start of '{}' is a multiple of '{}', which the region does not bound", w.name,
            name, of));
      section.lift(row, static_cast<int>(at - section.names.begin())) = factor;
    }
  }
  return section;
}

/// Of the centre of mass over the foot, where the walker stands upright (m).
double height_of(const WalkerDescription& w, const Mechanism& full) {
  const Mechanism weighed = with_gravity(full, {0.0, 0.0, -1.0});
  Workspace work(weighed);
  const double height = potential_energy(weighed, work, weighed.neutral()) / weighed.mass();
  if (!(height > 0.0))
    throw Error(fmt::format(
        "walker '{}': its centre of mass is {:.6g} m over foot '{}' where all coordinates are zero; "
        "expected above it",
        w.name, height, w.phases.front().stance));
  return height;
}

}  // namespace

// ---- what is shared by copies

struct DescribedWalker::Plan {
  WalkerDescription description;
  Mechanism model;
  std::vector<Mechanism> full;  // by foot
  MechanismWalkerSpec spec;
  std::vector<int> stance;  // foot of each phase
  std::optional<SideNames> sides;
};

struct DescribedWalker::Memory {
  explicit Memory(const Plan& plan) : model(plan.model) {
    for (const Mechanism& m : plan.full) full.emplace_back(m);
  }
  Workspace model;
  std::vector<Workspace> full;
};

std::shared_ptr<const DescribedWalker::Plan> DescribedWalker::plan_of(const WalkerDescription& given,
                                                                      Scuffing scuffing) {
  check_description(given);
  const WalkerDescription w = with_both_sides(given);
  std::vector<Mechanism> full;
  for (const Foot& foot : w.feet) full.push_back(free_foot_model(w, foot));
  check_models(w, full);
  const int first = foot_index(w, w.phases.front().stance);
  const PhaseMaker maker(w, full, scuffing);
  MechanismWalkerSpec spec{.full = full[first], .planar = w.planar, .slope = w.slope};
  for (std::size_t i = 0; i < w.phases.size(); ++i) spec.phases.push_back(maker.phase(i));
  check_strikes(w, spec);
  const auto names = spec.phases.front().stance.joint_names();
  spec.section = section_of(w, {names.begin(), names.end()});
  spec.leg_length = height_of(w, full[first]);
  spec.longest_step = w.longest_step;
  std::vector<int> stance;
  for (const Phase& phase : w.phases) stance.push_back(foot_index(w, phase.stance));
  std::optional<SideNames> sides;
  if (returns_after_step(w)) sides = SideNames(*w.symmetry);
  return std::make_shared<const Plan>(
      Plan{w, model_with_feet(w), std::move(full), std::move(spec), std::move(stance), std::move(sides)});
}

DescribedWalker::DescribedWalker(const WalkerDescription& description, Scuffing scuffing)
    : DescribedWalker(plan_of(description, scuffing)) {}

DescribedWalker::DescribedWalker(std::shared_ptr<const Plan> plan)
    : MechanismWalker(plan->spec), plan_(std::move(plan)), memory_(std::make_shared<Memory>(*plan_)) {}

std::unique_ptr<StepModel> DescribedWalker::clone() const {
  return std::unique_ptr<StepModel>(new DescribedWalker(plan_));
}

const Mechanism& DescribedWalker::model() const { return plan_->model; }

const Foot& DescribedWalker::stance_foot(const FloorPlace& place, int phase) const {
  const WalkerDescription& w = plan_->description;
  const Foot& foot = w.feet[plan_->stance[phase]];
  return place.mirrored ? w.feet[foot_index(w, plan_->sides->foot(foot.name))] : foot;
}

// ---- where it goes

FloorPlace DescribedWalker::next_place(int i, const double* x_before) {
  MechanismPhase& phase = mechanism_phase(i);
  if (phase.spec().stop) return {};
  FloorPlace place = MechanismWalker::next_place(i, x_before);
  place.y = phase.swing_place(x_before).y();
  place.turn = phase.turn(x_before);
  place.mirrored = plan_->sides && i + 1 == phases();
  return place;
}

/// In space along the line that leads on: what goes left in a step comes back in the next of the other side.
double DescribedWalker::length_of(const FloorPlace& place) const {
  if (plan_->description.planar) return place.x;
  return place.mirrored ? 0.5 * place.then(place).distance() : place.distance();
}

int DescribedWalker::footfalls() const {
  return static_cast<int>(std::count_if(plan_->description.phases.begin(), plan_->description.phases.end(),
                                        [](const Phase& p) { return !p.stop; }));
}

std::vector<std::string> DescribedWalker::cyclic() const {
  if (plan_->description.planar || plan_->description.slope != 0.0) return {};
  return {"yaw"};
}

// ---- states of the full model and of the user's own

std::pair<OwnedVector, OwnedVector> DescribedWalker::full_state(int phase, const double* x) {
  return full_state_at({}, phase, x);
}

std::pair<OwnedVector, OwnedVector> DescribedWalker::full_state_at(const FloorPlace& at, int phase,
                                                                   const double* x) {
  const WalkerDescription& w = plan_->description;
  int foot = plan_->stance[phase];
  OwnedVector q = mechanism_phase(phase).full_configuration(x), v = mechanism_phase(phase).full_velocity(x);
  if (at.mirrored) {
    const int other = foot_index(w, plan_->sides->foot(w.feet[foot].name));
    const OwnedMatrix T = plan_->sides->exchange(plan_->full[foot], plan_->full[other]);
    q = OwnedVector(T * q), v = OwnedVector(T * v);
    foot = other;
  }
  const Mechanism& full = plan_->full[foot];
  move_on_floor({.x = at.x, .y = at.y, .turn = at.turn, .z = at.z}, w.planar, q, v);  // mirrored already
  const int first = plan_->stance[0];
  if (foot == first) return {q, v};
  return hung_by(w, w.feet[first], full, memory_->full[foot], q, v, plan_->full[first]);
}

std::pair<OwnedVector, OwnedVector> DescribedWalker::model_state(const VectorRef& q_full,
                                                                 const VectorRef& v_full) {
  const int first = plan_->stance[0];
  const Mechanism &full = plan_->full[first], &m = plan_->model;
  OwnedVector q = m.neutral(), v(m.nv());
  copy_joints(full, q_full, m, q, false), copy_joints(full, v_full, m, v, true);
  const Joint& root = root_joint(m);
  const std::string& body = m.bodies()[root.child].name;
  Workspace& work = memory_->full[first];
  // The user's root may have a frame of its own on its body.
  const Pose X_FM = root.X_PF.inverse() * pose(full, work, q_full, body) * root.X_CM;
  q.segment(root.q.start, 3) = X_FM.translation();
  X_FM.rotation().quaternion().to_xyzw(q.data() + root.q.start + 3);
  const Eigen::VectorXd twist = jacobian(full, work, q_full, body) * v_full;
  const Twist<double> V = root.X_CM.inverse() * Twist<double>(twist.head<3>(), twist.tail<3>());
  v.segment(root.v.start, 6) << V.linear(), V.angular();
  return {q, v};
}

std::pair<OwnedVector, OwnedVector> DescribedWalker::full_of_model_state(const VectorRef& q,
                                                                         const VectorRef& v) {
  const int first = plan_->stance[0];
  return hung_by(plan_->description, plan_->description.feet[first], plan_->model, memory_->model,
                 plan_->model.checked_configuration(q), v, plan_->full[first]);
}

}  // namespace amble
