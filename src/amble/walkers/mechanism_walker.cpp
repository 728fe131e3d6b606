#include "amble/walkers/mechanism_walker.hpp"

#include <cmath>
#include <limits>

#include "amble/dynamics/kinematics.hpp"
#include "amble/walkers/legged_figure.hpp"

namespace amble {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kPatience = 30.0;  // of a step, in times that a pendulum of a leg has
/// The smaller one, where a NaN is nothing yet.
void lower(double& worst, double value) { worst = std::fmin(worst, value); }

}  // namespace

MechanismWalker::MechanismWalker(MechanismWalkerSpec spec) : spec_(std::move(spec)), work_(spec_.full) {
  const auto joints = spec_.phases.front().stance.joint_names();
  spec_.coordinates.assign(joints.begin(), joints.end());
  if (spec_.longest_step == 0.0)
    spec_.longest_step = kPatience * std::sqrt(spec_.leg_length / spec_.full.gravity().norm());
  phases_.reserve(spec_.phases.size());
  for (const MechanismPhaseSpec& phase : spec_.phases)
    phases_.emplace_back(phase.full.value_or(spec_.full), phase, spec_.planar);
  begin_assumptions();
}

/// The swing foot is where the stance foot of the next phase is; a foot that rolls is not where it is held,
/// but as far off as its first coordinate says.
double MechanismWalker::advance(int i, const double* x_before) {
  MechanismPhase& phase = phases_[i];
  const MechanismPhaseSpec& next = spec_.phases[(i + 1) % spec_.phases.size()];
  if (phase.spec().stop) return 0.0;
  const Eigen::VectorXd q = phase.spec().relabel * phase.full_configuration(x_before) + phase.spec().shift;
  return phase.swing_place(x_before).x() - next.embed.row(0).dot(q) - next.offset[0];
}

FloorPlace MechanismWalker::next_place(int i, const double* x_before) {
  if (phases_[i].spec().stop) return {.x = advance(i, x_before)};
  const double z = -phases_[i].drop();
  if (spec_.planar) return {.x = advance(i, x_before), .z = z};
  return {.x = advance(i, x_before), .y = phases_[i].swing_place(x_before).y(), .mirrored = true, .z = z};
}

std::pair<OwnedVector, OwnedVector> MechanismWalker::full_state_at(const FloorPlace& place, int phase,
                                                                   const double* x) {
  auto state = full_state(phase, x);
  state.first[0] += place.x, state.first[spec_.planar ? 1 : 2] += place.z;
  return state;
}

std::unique_ptr<WalkerFigure> MechanismWalker::figure() const {
  const auto own = std::make_shared<MechanismWalker>(spec_);
  const auto motion = [own](const WalkMoment& m) {
    MechanismPhase& phase = own->mechanism_phase(m.phase);
    const double* const x = m.x.data();
    return LeggedFigure::Motion{phase.full_configuration(x), phase.full_velocity(x), phase.spec().embed * m.a,
                                phase.potential_energy(x)};
  };
  const double radius = spec_.phases.front().stance_foot.radius;
  return std::make_unique<LeggedFigure>(spec_.full, spec_.planar, radius, motion);
}

std::pair<OwnedVector, OwnedVector> MechanismWalker::full_state(int phase, const double* x) {
  return {phases_[phase].full_configuration(x), phases_[phase].full_velocity(x)};
}

std::vector<std::string> MechanismWalker::full_coordinates() const {
  const auto names = spec_.full.joint_names();
  return {names.begin(), names.end()};
}

/// From every joint to those that hang on it, and to the frames of feet and head.
std::vector<StepModel::Stick> MechanismWalker::sticks(const VectorRef& q_full) {
  const Mechanism& m = spec_.full;
  const LinkPoses poses = forward_kinematics(m, work_, q_full);
  const auto point = [&](const Vector3<double>& p) { return std::pair{p.x(), p.z()}; };
  const auto part = [](const std::string& name) {
    return name.starts_with("stance")  ? Stick::Part::stance
           : name.starts_with("swing") ? Stick::Part::swing
                                       : Stick::Part::body;
  };
  std::vector<Stick> all;
  const int places = spec_.planar ? 2 : 3;
  for (std::size_t i = 1; i < m.links().size(); ++i) {
    const int parent = m.links()[i].parent;
    if (parent <= places) continue;  // the first links only place the foot
    const std::string& body = m.bodies()[m.joints()[m.links()[parent].joint].child].name;
    all.push_back({point(poses[parent].translation()), point(poses[i].translation()), part(body)});
  }
  for (const Frame& frame : m.frames())
    all.push_back({point(poses[frame.link].translation()),
                   point(poses[frame.link] * frame.X_LF.translation()), part(frame.name)});
  return all;
}

// ---- what is assumed

void MechanismWalker::begin_assumptions() {
  worst_ = {kNothing, kNothing, kNothing, kNothing, kNothing, kNothing, {}};
}

void MechanismWalker::visit_event(MechanismPhase& phase, const double* x) {
  const bool touchdown = !phase.spec().stop;
  const MechanismPhase::StrikeReport strike = phase.strike_report(x);
  for (const Vector3<double>& impulse : strike.impulses)
    lower(touchdown ? worst_.strike : worst_.knee, impulse.z());
  const std::vector<int>& held = phase.spec().strike.held;
  for (std::size_t i = 0; i < held.size() && !touchdown; ++i)
    if (held[i] != phase.spec().stop) lower(worst_.lock, strike.held[static_cast<Eigen::Index>(i)]);
  if (!touchdown) return;
  lower(worst_.lift, strike.stance_velocity.z());
  worst_.swing.land();
}

void MechanismWalker::visit(int i, const double* x, bool event) {
  OwnedVector a(phases_[i].freedoms());
  phases_[i].acceleration(x, a.data(), nullptr);
  visit(i, x, a.data(), event);
}

void MechanismWalker::visit(int i, const double* x, const double* a, bool event) {
  MechanismPhase& phase = phases_[i];
  const Vector3<double> force = phase.ground_force(x, a);
  lower(worst_.push, force.z());
  lower(worst_.slip, force.z() > 0.0 ? kFloorFriction - force.head<2>().norm() / force.z() : -kFloorFriction);
  if (event)
    visit_event(phase, x);
  else
    worst_.swing.visit(phase.clearance(x));
}

std::vector<Assumption> MechanismWalker::assumptions() const {
  std::vector<Assumption> all{{"stance foot stays down", "N", worst_.push},
                              {"stance foot does not slip (friction 0.8)", "1", worst_.slip},
                              {"no scuffing", "m", worst_.swing.margin()},
                              {"floor pushes at the strike", "N s", worst_.strike},
                              {"rear foot lifts off at the strike", "m/s", worst_.lift},
                              {"stance foot stays down at the knee's strike", "N s", worst_.knee},
                              // DS 4.3.3: a stop does not keep the knee from buckling; the lock has to give the rest.
                              {"stance knee needs no lock at the knee's strike", "N m s", worst_.lock}};
  std::erase_if(all, [](const Assumption& a) { return std::isnan(a.margin); });
  return all;
}

}  // namespace amble
