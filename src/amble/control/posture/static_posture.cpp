#include "amble/control/posture/static_posture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/control/posture/inverse_kinematics.hpp"
#include "amble/control/posture/joint_bounds.hpp"
#include "amble/control/posture/posture_program.hpp"

namespace amble {

const char* name_of(ContactHold hold) {
  constexpr const char* names[] = {"pose", "position", "plane", "height"};
  return names[static_cast<int>(hold)];
}

NlpSettings posture_solver() {
  NlpSettings out;
  out.tolerance = 1e-8, out.iterations = 200;
  return out;
}

void PostureSettings::validate() const {
  const auto share = [](const char* name, double x) {
    if (!(x > 0.0 && x <= 1.0)) throw Error(fmt::format("{} is {}: expected above 0, at most 1", name, x));
  };
  const auto some = [](const char* name, double x) {
    if (!(x >= 0.0) || !std::isfinite(x)) throw Error(fmt::format("{} is {}: expected 0 or more", name, x));
  };
  share("torque_share", torque_share), share("friction_share", friction_share);
  some("limit_margin", limit_margin), some("clearance", clearance), some("posture_weight", posture_weight);
  some("torque_weight", torque_weight), some("force_weight", force_weight);
  solver.validate();
}

namespace {

void check(const Mechanism& m, const PostureContact& c) {
  c.patch.validate(m);
  if (!c.X_ST.matrix().allFinite()) throw Error(fmt::format("contact '{}' rests at a place that is not finite", c.patch.name));
  if (!(c.patch.friction > 0.0))
    throw Error(fmt::format("contact '{}' has friction {}: expected a number above 0", c.patch.name, c.patch.friction));
}

constexpr double kInPlace = 1e-6;  // m, rad: where a search for balance starts
constexpr double kFarOff = 1e-3;   // m, rad: what it does not mend

/// Contacts and targets in place as well as can be, from the start or, if that leads nowhere, from others.
IkResult placed(const Mechanism& m, const std::vector<KinematicTarget>& targets, const OwnedVector& start,
                const PostureSettings& settings) {
  if (targets.empty()) return {.q = start, .status = IkStatus::solved};
  return inverse_kinematics(m, targets, start, {.tolerance = kInPlace, .iterations = 60, .attempts = 5, .held = settings.held});
}

std::vector<KinematicTarget> places_of(const std::vector<PostureContact>& contacts, const PostureSettings& settings) {
  std::vector<KinematicTarget> out;
  for (const PostureContact& c : contacts) out.push_back(target_of(c));
  out.insert(out.end(), settings.targets.begin(), settings.targets.end());
  return out;
}

/// Contacts that no configuration brings into place need no search for forces.
StaticPosture out_of_reach(const Mechanism& m, const std::vector<KinematicTarget>& targets, const IkResult& nearest) {
  const auto size = [](const KinematicRows::Residual& r) { return std::max(r.position, r.orientation); };
  const auto worst = std::max_element(nearest.residuals.begin(), nearest.residuals.end(),
                                      [&](const auto& a, const auto& b) { return size(a) < size(b); });
  StaticPosture out;
  out.q = nearest.q, out.status = NlpStatus::infeasible, out.torques = OwnedVector(m.nv());
  out.misplacement = size(*worst), out.limit_margin = amble::limit_margin(m, nearest.q), out.iterations = nearest.iterations;
  out.message = fmt::format("no posture found (out of reach): '{}' is off by {:.3g} m and {:.3g} rad where all is nearest",
                            targets[worst - nearest.residuals.begin()].name(), worst->position, worst->orientation);
  return out;
}

/// The largest share of friction used; forces too small to matter are left out.
double friction_used(const std::vector<PostureContact>& contacts, const PostureProgram& program, const VectorRef& x) {
  double most = 0.0;
  for (std::size_t i = 0; i < program.points().size(); ++i) {
    const Vector3<double> f = program.force(x, i);
    if (f.norm() < 1e-6) continue;
    const double friction = contacts[program.points()[i].contact].patch.friction;
    most = std::max(most, f[2] > 0.0 ? f.head<2>().norm() / (friction * f[2]) : kInfinity);
  }
  return most;
}

void judge_loads(const Mechanism& m, PostureProgram& program, const VectorRef& x, StaticPosture& out) {
  out.torques = program.loads(x);
  for (int k = 0; k < m.nv(); ++k) {
    if (program.driven()[k]) {
      if (out.torques[k] != 0.0) out.torque_use = std::max(out.torque_use, std::abs(out.torques[k]) / m.effort_limit()[k]);
    } else {
      out.imbalance = std::max(out.imbalance, std::abs(out.torques[k])), out.torques[k] = 0.0;
    }
  }
}

StaticPosture judged(const Mechanism& m, const std::vector<PostureContact>& contacts, PostureProgram& program, const VectorRef& x) {
  StaticPosture out;
  out.q = program.configuration(x);
  judge_loads(m, program, x, out);
  const std::vector<Vector3<double>> forces = program.world_forces(x);
  out.forces.resize(contacts.size());
  for (std::size_t i = 0; i < forces.size(); ++i) out.forces[program.points()[i].contact].push_back(forces[i]);
  out.friction_use = friction_used(contacts, program, x);
  const OwnedVector& errors = program.places().evaluate(out.q);
  if (errors.size() > 0) out.misplacement = errors.cwiseAbs().maxCoeff();
  out.limit_margin = amble::limit_margin(m, out.q);
  if (program.distances())
    for (const BodyDistance& d : program.distances()->evaluate(out.q)) out.nearest = std::min(out.nearest, d.at.distance);
  return out;
}

/// As asked; where that leads nowhere, with the barrier lowered in the other way, which gets past other obstacles.
NlpResult solved(PostureProgram& program, NlpSettings settings) {
  NlpResult first = solve(program, settings);
  if (first.solved() || first.status == NlpStatus::infeasible || first.status == NlpStatus::interrupted) return first;
  settings.barrier = settings.barrier == NlpBarrier::adaptive ? NlpBarrier::monotone : NlpBarrier::adaptive;
  NlpResult second = solve(program, settings);
  second.iterations += first.iterations;
  return second.solved() || second.certificate.primal < first.certificate.primal ? second : first;
}

std::string verdict(const NlpResult& result) {
  if (result.solved()) return "the mechanism rests";
  return fmt::format("no posture found ({}): {} is off by {:.3g} where all is nearest to hold", name_of(result.status),
                     result.certificate.worst_constraint, result.certificate.primal);
}

}  // namespace

StaticPosture static_posture(const Mechanism& m, const std::vector<PostureContact>& contacts, const VectorRef& start,
                             const PostureSettings& settings) {
  settings.validate();
  for (const PostureContact& c : contacts) check(m, c);
  OwnedVector preferred = m.checked_configuration(start);
  bring_within_limits(m, preferred);
  const std::vector<KinematicTarget> targets = places_of(contacts, settings);
  const IkResult from = placed(m, targets, preferred, settings);
  if (from.error > kFarOff) return out_of_reach(m, targets, from);
  PostureProgram program(m, contacts, from.q, preferred, settings);
  const NlpResult result = solved(program, settings.solver);
  StaticPosture out = judged(m, contacts, program, result.x);
  out.status = result.status, out.message = verdict(result), out.iterations = result.iterations;
  return out;
}

}  // namespace amble
