#include "amble/gait/gait_curve.hpp"

#include <fmt/format.h>

#include <array>

#include "amble/base/error.hpp"

namespace amble {

namespace {

/// Where a state of a phase is on the way, at increasing times.
class PhaseMotion {
 public:
  PhaseMotion(StepPhase& phase, const VectorRef& start)
      : flow_(phase, {}), run_(flow_, IntegratorOptions{.tolerance = 1e-13}), start_(start) {}

  /// q at the nodes of polynomials of this order over the phase, a column each.
  Eigen::MatrixXd samples(double duration, int order) {
    const int m = flow_.numbers() / 2;
    const OwnedVector nodes = interpolation_nodes(order);
    Eigen::MatrixXd out(m, nodes.size());
    flow_.restart();
    run_.set_state(0.0, OwnedVector(), start_);
    for (Eigen::Index i = 0; i < nodes.size(); ++i) {
      run_.run(nodes[i] * duration);
      out.col(i) = run_.x().head(m);
    }
    return out;
  }

 private:
  PhaseFlow flow_;
  MuntheKaasIntegrator run_;
  OwnedVector start_;
};

/// Polynomials whose last coefficients are rounding, through the samples that `samples` gives at the nodes of
/// an order.
template <class Samples>
Trajectory fitted(double duration, Samples&& samples) {
  constexpr double kRounding = 1e-12;
  constexpr std::array kOrders{16, 24, 36, 54};
  for (const int order : kOrders) {
    Trajectory out = interpolate(duration, samples(order));
    const double scale = out.coefficients.cwiseAbs().maxCoeff();
    if (order == kOrders.back() || out.coefficients.rightCols(3).cwiseAbs().maxCoeff() <= kRounding * scale)
      return out;
  }
  return {};
}

/// Of what a phase has at each state on the way: `value` fills a column.
template <class Value>
Trajectory along(const Trajectory& motion, int rows, Value&& value) {
  return fitted(motion.duration, [&](int order) {
    const OwnedVector nodes = interpolation_nodes(order);
    Eigen::MatrixXd out(rows, nodes.size());
    OwnedVector x(2 * motion.coordinates());
    for (Eigen::Index i = 0; i < nodes.size(); ++i) {
      const double t = nodes[i] * motion.duration;
      x << motion.position(t), motion.velocity(t);
      out.col(i) = value(x, t);
    }
    return out;
  });
}

Trajectory energy_along(MechanismPhase& phase, const Trajectory& motion) {
  return along(motion, 1, [&](const OwnedVector& x, double) {
    return Eigen::VectorXd::Constant(1, phase.kinetic_energy(x.data()) + phase.potential_energy(x.data()));
  });
}

/// M (a - a of the walker by itself).
Trajectory torques_along(MechanismPhase& phase, const Trajectory& motion) {
  const int m = phase.freedoms();
  return along(motion, m, [&](const OwnedVector& x, double t) {
    OwnedVector a(m);
    phase.acceleration(x.data(), a.data(), nullptr);
    const Eigen::MatrixXd M = mass_matrix(phase.spec().stance, phase.workspace(), x.head(m));
    return Eigen::VectorXd(M * (motion.acceleration(t) - a));
  });
}

/// Where knees lean on their stops a simulation sees them strike.
void check_stop(MechanismPhase& phase, const Trajectory& motion) {
  constexpr int kSamples = 200;
  constexpr double kRounding = 1e-9;
  if (!phase.spec().stop) return;
  OwnedVector x(2 * motion.coordinates());
  for (int i = 1; i < kSamples; ++i) {
    const double t = motion.duration * i / kSamples;
    x << motion.position(t), motion.velocity(t);
    if (const double left = phase.guard(x.data(), nullptr); left < -kRounding)
      throw Error(
          fmt::format("this gait cannot be followed: in '{}' a knee is {:.2g} rad beyond its stop {:.4g} s "
                      "after the start. "
                      "Search for one whose knee bends (knee_bend)",
                      phase.name(), -left, t));
  }
}

std::unique_ptr<StepModel> mechanism_copy(const StepModel& walker) {
  std::unique_ptr<StepModel> model = walker.clone();
  if (dynamic_cast<MechanismWalker*>(model.get()) == nullptr)
    throw Error("a gait is a curve through configurations of a mechanism: this walker is given by formulas");
  return model;
}

void add_phase(MechanismPhase& phase, const Trajectory& motion, GaitMotion& out) {
  out.mechanisms.push_back(phase.spec().stance);
  out.phases.push_back(motion);
  out.energies.push_back(energy_along(phase, motion));
}

/// Values and derivatives in s of the polynomials of a motion, by their recurrence: asked for often.
class ChebyshevCurve {
 public:
  explicit ChebyshevCurve(const Trajectory& motion)
      : values_(motion.in(Basis::chebyshev).coefficients), slopes_(derivative(values_)) {}
  OwnedVector position(double s) const { return sum(values_, s); }
  OwnedVector slope(double s) const { return sum(slopes_, s); }

 private:
  /// c'_{k-1} = c'_{k+1} + 2 k c_k, the first halved; in s, along which u = 2 s - 1 runs twice as fast.
  static OwnedMatrix derivative(const OwnedMatrix& c) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(c.rows(), c.cols() + 1);
    for (Eigen::Index k = c.cols() - 1; k >= 1; --k)
      out.col(k - 1) = out.col(k + 1) + 2.0 * static_cast<double>(k) * c.col(k);
    out.col(0) *= 0.5;
    return OwnedMatrix(2.0 * out.leftCols(c.cols()));
  }
  static OwnedVector sum(const OwnedMatrix& coefficients, double s) {
    const double twice = 2.0 * (2.0 * s - 1.0);
    const Eigen::Index rows = coefficients.rows();
    const double* c = coefficients.data();
    OwnedVector out(rows);
    double* const to = out.data();
    double t0 = 1.0, t1 = 0.5 * twice;
    for (Eigen::Index j = 0; j < coefficients.cols(); ++j, c += rows) {
      for (Eigen::Index i = 0; i < rows; ++i) to[i] += t0 * c[i];
      const double t2 = twice * t1 - t0;
      t0 = t1, t1 = t2;
    }
    return out;
  }

  OwnedMatrix values_, slopes_;
};

}  // namespace

OwnedVector GaitMotion::start() const {
  OwnedVector x(2 * phases.at(0).coordinates());
  x << phases[0].position(0.0), phases[0].velocity(0.0);
  return x;
}

GaitMotion gait_motion(const StepModel& walker, const Gait& gait) {
  if (gait.steps != 1)
    throw Error(fmt::format("a gait that repeats itself after {} steps is no single curve: expected one step",
                            gait.steps));
  const std::unique_ptr<StepModel> model = mechanism_copy(walker);
  auto& made = dynamic_cast<MechanismWalker&>(*model);
  ReturnMap map(*model);
  std::vector<OwnedVector> starts;
  int last = -1;
  const Step step = map(gait.x, ReturnMap::Want::state, [&](int phase, double, const OwnedVector& x, bool) {
    if (phase != last) starts.push_back(x), last = phase;
  });
  if (!step.completed) throw Error(fmt::format("this is no gait: the walker {}", step.failure));
  GaitMotion out;
  for (int i = 0; i < made.phases(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    PhaseMotion motion(made.phase(i), starts[k]);
    const double T = step.phase_times[k];
    add_phase(made.mechanism_phase(i), fitted(T, [&](int order) { return motion.samples(T, order); }), out);
  }
  return out;
}

GaitMotion gait_motion(const StepModel& walker, const FoundGait& gait) {
  const std::unique_ptr<StepModel> model = mechanism_copy(walker);
  auto& made = dynamic_cast<MechanismWalker&>(*model);
  if (gait.motion.phases.size() != static_cast<std::size_t>(made.phases()))
    throw Error(fmt::format("a gait of {} phases is of another walker: this one has {}",
                            gait.motion.phases.size(), made.phases()));
  GaitMotion out;
  for (int i = 0; i < made.phases(); ++i) {
    const Trajectory& motion = gait.motion.phases[static_cast<std::size_t>(i)];
    check_stop(made.mechanism_phase(i), motion);
    add_phase(made.mechanism_phase(i), motion, out);
    out.torques.push_back(torques_along(made.mechanism_phase(i), motion));
  }
  return out;
}

TrackedCurve curve_of(const Mechanism& mechanism, const Trajectory& motion) {
  const ChebyshevCurve curve(motion);
  return {mechanism, [curve](double s) { return curve.position(s); },
          [curve](double s) { return curve.slope(s); }};
}

std::vector<TrackedCurve> gait_curves(const GaitMotion& motion) {
  std::vector<TrackedCurve> out;
  for (std::size_t i = 0; i < motion.phases.size(); ++i)
    out.push_back(curve_of(motion.mechanisms[i], motion.phases[i]));
  return out;
}

std::vector<CurveDemand> curve_demands(const GaitMotion& motion) {
  std::vector<CurveDemand> out;
  for (std::size_t i = 0; i < motion.phases.size(); ++i) {
    CurveDemand demand{
        .energy = [curve = ChebyshevCurve(motion.energies[i])](double s) { return curve.position(s)[0]; }};
    if (!motion.torques.empty())
      demand.torque = [curve = ChebyshevCurve(motion.torques[i])](double s) { return curve.position(s); };
    out.push_back(std::move(demand));
  }
  return out;
}

std::vector<TimedMotion> timed_motions(const GaitMotion& motion) {
  std::vector<TimedMotion> out;
  for (std::size_t i = 0; i < motion.phases.size(); ++i) {
    const ChebyshevCurve curve(motion.phases[i]);
    const double T = motion.phases[i].duration;
    TimedMotion timed{.position = [curve, T](double t) { return curve.position(t / T); },
                      .velocity = [curve, T](double t) { return OwnedVector(curve.slope(t / T) / T); },
                      .duration = T};
    if (!motion.torques.empty())
      timed.torque = [torque = ChebyshevCurve(motion.torques[i]), T](double t) {
        return torque.position(t / T);
      };
    out.push_back(std::move(timed));
  }
  return out;
}

}  // namespace amble
