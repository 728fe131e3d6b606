#include "amble/control/whole_body_controller.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "amble/base/error.hpp"
#include "amble/control/chart_formulation.hpp"
#include "amble/control/holding_motion.hpp"

namespace amble {

namespace {

/// CPU time of this thread (s): what else the machine does meanwhile does not count.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void check_positive(const char* what, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw Error(fmt::format("whole-body control: {} is {}, expected above 0", what, value));
}

void check_mechanism(const Mechanism& m) {
  if (m.nv() == 0) throw Error(fmt::format("whole-body control: '{}' cannot move", m.name()));
  if (!m.loops().empty() || !m.rollings().empty())
    throw Error(
        fmt::format("whole-body control: '{}' has closed loops or rolling wheels, which are not supported: "
                    "hold bodies together by contacts instead",
                    m.name()));
}

void check_names(const std::vector<TaskPtr>& tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i] == nullptr) throw Error(fmt::format("whole-body control: task {} is none", i));
    for (std::size_t k = 0; k < i; ++k)
      if (tasks[k]->name() == tasks[i]->name())
        throw Error(fmt::format("whole-body control: two tasks are called '{}'", tasks[i]->name()));
  }
}

}  // namespace

const char* name_of(WholeBodyStatus status) {
  switch (status) {
    case WholeBodyStatus::solved:
      return "solved";
    case WholeBodyStatus::degraded:
      return "degraded";
    case WholeBodyStatus::failed:
      return "failed";
  }
  return "?";
}

void WholeBodySettings::validate(const Mechanism& m) const {
  check_positive("acceleration_weight", acceleration_weight);
  check_positive("force_weight", force_weight);
  check_positive("limit_time", limit_time);
  check_positive("braking", braking);
  check_positive("relaxed_weight", relaxed_weight);
  check_positive("tolerance", tolerance);
  if (!(limit_margin >= 0.0) || !std::isfinite(limit_margin))
    throw Error(
        fmt::format("whole-body control: limit_margin is {}, expected a number of 0 or more", limit_margin));
  contact_gains.validate("contacts");
  for (const std::string& name : passive_joints) (void)m.joint_index(name);
  if (torque_limit.size() != 0 && torque_limit.size() != m.nv())
    throw Error(fmt::format("whole-body control: torque_limit has {} numbers, but '{}' needs {}",
                            torque_limit.size(), m.name(), m.nv()));
  for (const double limit : torque_limit)
    if (!(limit >= 0.0))
      throw Error(fmt::format("whole-body control: a torque limit is {}, expected 0 or more", limit));
}

struct WholeBodyController::Memory {
  Memory(const Mechanism& m, std::vector<TaskPtr> given, std::vector<ContactPatch> patches,
         const WholeBodySettings& s)
      : settings(s),
        tasks(given),
        contacts(std::move(patches)),
        state(m),
        program(m, std::move(given), contacts, s),
        rows(program.most_variables(), program.capacity()),
        solver(s.formulation == Formulation::lie_algebra
                   ? std::make_unique<detail::WholeBodySolver>(program, s)
                   : std::make_unique<detail::ChartFormulation>(program, m, s)),
        holding(program) {
    result.a = result.tau = torques = OwnedVector(m.nv());
    result.forces = OwnedVector(program.forces());
    result.task_residuals.resize(tasks.size());
    result.relaxed.reserve(m.nv() + tasks.size() + contacts.size());
  }

  void tick(const VectorRef& q, const VectorRef& v, double t, WholeBodyController& owner);
  void take_answer();
  void hold_posture();
  bool take(const OwnedVector& x);
  void check_contact(int contact) const {
    if (contact < 0 || contact >= static_cast<int>(contacts.size()))
      throw Error(
          fmt::format("whole-body control: there is no contact {}, there are {}", contact, contacts.size()));
  }
  const Mechanism& mechanism() const { return state.mechanism(); }
  detail::HeldContact& held(int contact) { return check_contact(contact), program.contacts()[contact]; }
  std::string text_of(const Relaxed& r) const;

  WholeBodySettings settings;
  std::vector<TaskPtr> tasks;
  std::vector<ContactPatch> contacts;
  MotionState state;
  detail::WholeBodyProgram program;
  RowProgram rows;
  std::unique_ptr<detail::WholeBodySolver> solver;
  detail::HoldingMotion holding;
  bool assembled = false;  // at a valid state, so that there is one to hold
  WholeBodyResult result;
  OwnedVector torques;  // before they are known to be finite
  WholeBodyTimes times;
  bool measured = false;
};

WholeBodyController::WholeBodyController(const Mechanism& m, std::vector<TaskPtr> tasks,
                                         std::vector<ContactPatch> contacts,
                                         const WholeBodySettings& settings) {
  check_mechanism(m);
  settings.validate(m);
  check_names(tasks);
  memory_ = std::make_unique<Memory>(m, std::move(tasks), std::move(contacts), settings);
}
WholeBodyController::~WholeBodyController() = default;

const Mechanism& WholeBodyController::mechanism() const { return memory_->state.mechanism(); }
const WholeBodySettings& WholeBodyController::settings() const { return memory_->settings; }
std::span<const TaskPtr> WholeBodyController::tasks() const { return memory_->tasks; }
std::span<const ContactPatch> WholeBodyController::contacts() const { return memory_->contacts; }
const WholeBodyResult& WholeBodyController::result() const { return memory_->result; }
const MotionState& WholeBodyController::motion() const { return memory_->state; }
const WholeBodyTimes& WholeBodyController::times() const { return memory_->times; }
void WholeBodyController::measure(bool times) { memory_->measured = times; }

TaskPtr WholeBodyController::task(std::string_view name) const {
  for (const TaskPtr& task : memory_->tasks)
    if (task->name() == name) return task;
  throw Error(fmt::format("whole-body control: there is no task '{}'", name));
}

int WholeBodyController::contact(std::string_view name) const {
  for (std::size_t i = 0; i < memory_->contacts.size(); ++i)
    if (memory_->contacts[i].name == name) return static_cast<int>(i);
  throw Error(fmt::format("whole-body control: there is no contact '{}'", name));
}

void WholeBodyController::hold(int contact) {
  detail::HeldContact& c = memory_->held(contact);
  c.held = true, c.placed = false;
}

void WholeBodyController::hold_at(int contact, const Pose& X_SC) {
  detail::HeldContact& c = memory_->held(contact);
  if (!X_SC.matrix().allFinite())
    throw Error(fmt::format("whole-body control: the pose of contact '{}' is not finite", c.patch.name));
  c.held = c.placed = true, c.X_SC = X_SC * Pose(c.middle);
}

void WholeBodyController::release(int contact) { memory_->held(contact).held = false; }
bool WholeBodyController::is_held(int contact) const { return memory_->held(contact).held; }
Pose WholeBodyController::held_pose(int contact) const {
  const detail::HeldContact& c = memory_->held(contact);
  return c.X_SC * Pose(Vector3<double>(-c.middle));
}

void WholeBodyController::set_force_limits(int contact, double least, double largest) {
  detail::HeldContact& c = memory_->held(contact);
  if (!(least >= 0.0) || !(least <= largest))
    throw Error(fmt::format("contact '{}': forces are {} to {} N, expected 0 <= least <= largest",
                            c.patch.name, least, largest));
  c.patch.least_force = least, c.patch.largest_force = largest;
}

void WholeBodyController::set_friction(int contact, double friction) {
  detail::HeldContact& c = memory_->held(contact);
  if (!(friction >= 0.0) || !std::isfinite(friction))
    throw Error(fmt::format("contact '{}': friction is {}, expected 0 or more", c.patch.name, friction));
  c.patch.friction = friction;
}

void WholeBodyController::Memory::tick(const VectorRef& q, const VectorRef& v, double t,
                                       WholeBodyController& owner) {
  if (q.size() == mechanism().nq() && v.size() == mechanism().nv() && !(q.allFinite() && v.allFinite())) {
    result.status = WholeBodyStatus::failed, result.certificate = {};
    result.iterations = result.levels = result.fallbacks = 0;
    hold_posture();
    if (owner.after_tick) owner.after_tick(state, result);
    return;
  }
  const double begin = measured ? now() : 0.0;
  state.set(q, v, t);
  if (owner.before_tick) owner.before_tick(state);
  if (measured) (void)state.mass_matrix(), (void)state.bias_forces(), (void)state.centroidal();
  const double dynamics = measured ? now() : 0.0;
  program.begin(state);
  program.assemble(state, rows);
  assembled = true;
  const double assembly = measured ? now() : 0.0;
  solver->set_state(state);
  solver->solve(rows, result);
  take_answer();
  if (measured) times = {dynamics - begin, assembly - dynamics, now() - assembly};
  if (owner.after_tick) owner.after_tick(state, result);
}

void WholeBodyController::Memory::take_answer() {
  const OwnedVector& x = solver->x();
  if (result.status != WholeBodyStatus::failed && !take(x)) result.status = WholeBodyStatus::failed;
  if (result.status == WholeBodyStatus::failed) return hold_posture();
  for (std::size_t i = 0; i < tasks.size(); ++i)
    result.task_residuals[i] = program.residual(program.tasks()[i], x);
}

void WholeBodyController::Memory::hold_posture() {
  result.relaxed.clear();
  if (assembled && take(holding.find(state, program))) return;
  result.tau.setZero(), result.a.setZero(), result.forces.setZero();
}

/// False, and nothing written, if the torques of (a, f) are not finite.
bool WholeBodyController::Memory::take(const OwnedVector& x) {
  program.torques(state, x, torques);
  if (!torques.allFinite()) return false;
  result.tau = torques, result.a = x.head(program.nv());
  result.forces.setZero();
  for (const detail::HeldContact& c : program.contacts())
    if (c.acts()) result.forces.segment(c.force, c.forces()) = x.segment(c.column, c.forces());
  return true;
}

const WholeBodyResult& WholeBodyController::solve(const VectorRef& q, const VectorRef& v, double t) {
  memory_->tick(q, v, t, *this);
  return memory_->result;
}

Wrench<double> WholeBodyController::contact_wrench(int contact) const {
  const detail::HeldContact& c = memory_->held(contact);
  Vector3<double> force = Vector3<double>::Zero(), moment = Vector3<double>::Zero();
  for (std::size_t p = 0; p < c.points.size(); ++p) {
    const Vector3<double> f = memory_->result.forces.segment<3>(c.force + 3 * p);
    const Vector3<double> lowest(0.0, 0.0, -c.patch.radius);
    force += f, moment += cross<double>(Vector3<double>(c.turn * (c.points[p] + c.middle) + lowest), f);
  }
  return {force, moment};
}

std::string WholeBodyController::Memory::text_of(const Relaxed& r) const {
  const Mechanism& m = state.mechanism();
  switch (r.kind) {
    case Relaxed::Kind::joint_limit:
      for (const Joint& joint : m.joints())
        if (joint.leader < 0 && r.index >= joint.v.start && r.index < joint.v.start + joint.v.size)
          return fmt::format("the limits of joint '{}' by {:.3g}", joint.name, r.amount);
      break;
    case Relaxed::Kind::constraint_task:
      return fmt::format("task '{}' of level 0 by {:.3g}", tasks[r.index]->name(), r.amount);
    case Relaxed::Kind::contact:
      return fmt::format("contact '{}' by {:.3g}", contacts[r.index].name, r.amount);
  }
  return {};
}

std::string WholeBodyController::report() const {
  const WholeBodyResult& r = memory_->result;
  if (r.status == WholeBodyStatus::failed) return "failed: the joints are brought to rest where they are";
  std::string text = name_of(r.status);
  for (std::size_t i = 0; i < r.relaxed.size(); ++i)
    text += (i == 0 ? ": gave way: " : ", ") + memory_->text_of(r.relaxed[i]);
  const double residual = r.certificate.residual(), tolerance = memory_->settings.tolerance;
  if (residual > tolerance)
    text += fmt::format("; the answer is met to {:.2g} instead of {:.2g}", residual, tolerance);
  return text;
}

void WholeBodyController::reset(const ControllerState&, double) {}

void WholeBodyController::update(const ControllerState& state, double t, OwnedVector& tau) {
  tau = solve(state.q, state.v, t).tau;
}

}  // namespace amble
