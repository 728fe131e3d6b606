#include "amble/gait/efficient_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "amble/dynamics/dynamics.hpp"
#include "amble/walkers/mechanism_walker.hpp"

namespace amble {

namespace {

constexpr int kSamples = 40;  // of a phase, for pictures

ActuatorCurve& curve_of(std::vector<ActuatorCurve>& all, const std::string& name) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const ActuatorCurve& c) { return c.name == name; });
  if (at != all.end()) return *at;
  all.push_back({.name = name});
  return all.back();
}

/// The numbers of a phase at a time.
OwnedVector state_at(const Trajectory& motion, double t) {
  OwnedVector x(2 * motion.position(t).size());
  x << motion.position(t), motion.velocity(t);
  return x;
}

/// What is done to the motion in a stretch of time, by Gauss' rule of five points. Actuators give what gravity, springs
/// and dampers leave of the forces that the motion needs.
WorkDone work_between(MechanismPhase& phase, const Trajectory& motion, double from, double to) {
  constexpr std::array kPlaces = {0.0, 0.538469310105683091, 0.906179845938663993};
  constexpr std::array kWeights = {0.568888888888888889, 0.478628670499366468, 0.236926885056189088};
  WorkDone sum;
  const double half = 0.5 * (to - from);
  for (int i = -2; i <= 2; ++i) {
    const double t = from + half * (1.0 + (i < 0 ? -1.0 : 1.0) * kPlaces[std::abs(i)]), weight = half * kWeights[std::abs(i)];
    const OwnedVector x = state_at(motion, t), v = motion.velocity(t);
    const StepPhase::Powers powers = phase.powers(x.data());
    const double all =
        inverse_dynamics(phase.spec().stance, phase.workspace(), motion.position(t), v, motion.acceleration(t)).dot(v);
    sum = sum + WorkDone{.springs = weight * powers.springs,
                         .dampers = weight * powers.dampers,
                         .supplied = weight * (all - powers.springs - powers.dampers)};
  }
  return sum;
}

double kinetic_energy_at(MechanismPhase& phase, const Trajectory& motion, double t) {
  return phase.kinetic_energy(state_at(motion, t).data());
}

}  // namespace

ActuatorCurve::Spring ActuatorCurve::spring() const {
  const auto n = static_cast<Eigen::Index>(q.size());
  const Eigen::Map<const Eigen::VectorXd> angle(q.data(), n), torque(tau.data(), n);
  const double middle = angle.mean(), mean = torque.mean();
  const Eigen::VectorXd a = angle.array() - middle, b = torque.array() - mean;
  const double spread = a.squaredNorm(), all = torque.squaredNorm();
  constexpr double kRounding = 1e-20;  // of an angle that does not move, squared
  if (!(spread > kRounding * angle.squaredNorm()) || !(all > 0.0)) return {};
  Spring out{.stiffness = -a.dot(b) / spread};
  if (out.stiffness != 0.0) out.rest = middle + mean / out.stiffness;
  out.share = 1.0 - (b + out.stiffness * a).squaredNorm() / all;
  return out;
}

std::vector<ActuatorCurve> actuator_curves(const WalkerKind& kind, const WalkerValues& values,
                                           const WalkerSearch& search, const FoundGait& gait, int samples) {
  const SearchProblem problem = search_problem(kind, values, search);
  std::vector<ActuatorCurve> all;
  double start = 0.0;
  for (std::size_t i = 0; i < problem.phases.size(); ++i) {
    const SearchPhase& phase = problem.phases[i];
    const Trajectory& motion = gait.motion.phases[i];
    const int m = static_cast<int>(phase.coordinates.size());
    SearchValues tau(m, m, static_cast<int>(gait.motion.parameters.size()));
    for (int k = 0; k <= samples; ++k) {
      const double t = motion.duration * k / samples;
      const OwnedVector q = motion.position(t), v = motion.velocity(t), a = motion.acceleration(t);
      tau.slopes.setZero();
      phase.torques->evaluate({q, v, a, gait.motion.parameters}, tau);
      for (int j = 0; j < m; ++j) {
        ActuatorCurve& curve = curve_of(all, phase.coordinates[static_cast<std::size_t>(j)]);
        curve.t.push_back(start + t), curve.q.push_back(q[j]), curve.v.push_back(v[j]);
        curve.tau.push_back(tau.value[j]);
      }
    }
    start += motion.duration;
  }
  return all;
}

std::string csv(const std::vector<ActuatorCurve>& curves) {
  std::string out = "coordinate,t,q,v,torque,power\n";
  for (const ActuatorCurve& c : curves)
    for (std::size_t i = 0; i < c.t.size(); ++i)
      out += fmt::format("{},{:.10g},{:.10g},{:.10g},{:.10g},{:.10g}\n", c.name, c.t[i], c.q[i], c.v[i],
                         c.tau[i], c.tau[i] * c.v[i]);
  return out;
}

Walk walk_of(const WalkerKind& kind, const SearchFigures& figures, const FoundGait& gait, int steps) {
  const std::unique_ptr<StepModel> model = make_walker(kind, figures.values);
  auto& walker = dynamic_cast<MechanismWalker&>(*model);
  Walk walk{.asked = steps, .assumptions = figures.assumptions};
  // The end of a step is the start of the next, through the last strike.
  const Trajectory &first = gait.motion.phases.front(), &last = gait.motion.phases.back();
  const int end = walker.phases() - 1;
  OwnedVector before(2 * walker.phase(end).freedoms()), after(2 * walker.phase(0).freedoms());
  before << last.position(last.duration), last.velocity(last.duration);
  walker.phase(end).reset(before.data(), after.data(), nullptr);
  const double change =
      walker.phase(0).kinetic_energy(after.data()) - kinetic_energy_at(walker.mechanism_phase(0), first, 0.0);
  WalkMoment moment;
  WorkDone done;
  for (int step = 0; step < steps; ++step) {
    walk.steps.push_back({gait.duration, gait.step_length, figures.gravity_work, figures.spring_work,
                          -figures.damper_loss, figures.lost - figures.damper_loss, change,
                          figures.actuator_work});
    double start = step * gait.duration;
    for (int i = 0; i <= end; ++i) {
      const Trajectory& motion = gait.motion.phases[static_cast<std::size_t>(i)];
      for (int k = 0; k <= kSamples; ++k) {
        const double t = motion.duration * k / kSamples, last = motion.duration * (k - 1) / kSamples;
        if (k > 0) done = done + work_between(walker.mechanism_phase(i), motion, last, t);
        moment.phase = i, moment.x = state_at(motion, t), moment.a = motion.acceleration(t);
        auto [q, v] = walker.full_state(i, moment.x.data());
        q[0] += step * gait.step_length;
        walk.samples.push_back({start + t, step, i, std::move(q), std::move(v), moment, k == kSamples, done});
      }
      OwnedVector next(2 * walker.phase((i + 1) % walker.phases()).freedoms());
      done.lost += walker.phase(i).reset(moment.x.data(), next.data(), nullptr);
      moment.place = moment.place.then(walker.next_place(i, moment.x.data()));
      if (walker.lands(i)) ++moment.footfalls;
      start += motion.duration;
    }
  }
  walk.x = after;
  return walk;
}

}  // namespace amble
