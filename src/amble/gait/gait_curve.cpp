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

/// Polynomials whose last coefficients are rounding.
Trajectory fitted(StepPhase& phase, const VectorRef& start, double duration) {
  constexpr double kRounding = 1e-12;
  constexpr std::array kOrders{16, 24, 36, 54};
  PhaseMotion motion(phase, start);
  for (const int order : kOrders) {
    Trajectory out = interpolate(duration, motion.samples(duration, order));
    const double scale = out.coefficients.cwiseAbs().maxCoeff();
    if (order == kOrders.back() || out.coefficients.rightCols(3).cwiseAbs().maxCoeff() < kRounding * scale) return out;
  }
  return {};
}

std::unique_ptr<StepModel> mechanism_copy(const StepModel& walker) {
  std::unique_ptr<StepModel> model = walker.clone();
  if (dynamic_cast<MechanismWalker*>(model.get()) == nullptr)
    throw Error("a gait is a curve through configurations of a mechanism: this walker is given by formulas");
  return model;
}

void add_phase(MechanismPhase& phase, const Trajectory& motion, GaitMotion& out) {
  OwnedVector x(2 * phase.freedoms());
  x << motion.position(0.0), motion.velocity(0.0);
  out.mechanisms.push_back(phase.spec().stance);
  out.phases.push_back(motion);
  out.energies.push_back(phase.kinetic_energy(x.data()) + phase.potential_energy(x.data()));
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
    for (Eigen::Index k = c.cols() - 1; k >= 1; --k) out.col(k - 1) = out.col(k + 1) + 2.0 * static_cast<double>(k) * c.col(k);
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

GaitMotion gait_motion(const StepModel& walker, const Gait& gait) {
  if (gait.steps != 1)
    throw Error(fmt::format("a gait that repeats itself after {} steps is no single curve: expected one step", gait.steps));
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
    add_phase(made.mechanism_phase(i), fitted(made.phase(i), starts[k], step.phase_times[k]), out);
  }
  return out;
}

GaitMotion gait_motion(const StepModel& walker, const FoundGait& gait) {
  const std::unique_ptr<StepModel> model = mechanism_copy(walker);
  auto& made = dynamic_cast<MechanismWalker&>(*model);
  GaitMotion out;
  for (int i = 0; i < made.phases(); ++i)
    add_phase(made.mechanism_phase(i), gait.motion.phases[static_cast<std::size_t>(i)], out);
  return out;
}

TrackedCurve curve_of(const Mechanism& mechanism, const Trajectory& motion) {
  const ChebyshevCurve curve(motion);
  return {mechanism, [curve](double s) { return curve.position(s); }, [curve](double s) { return curve.slope(s); }};
}

std::vector<TrackedCurve> gait_curves(const GaitMotion& motion) {
  std::vector<TrackedCurve> out;
  for (std::size_t i = 0; i < motion.phases.size(); ++i)
    out.push_back(curve_of(motion.mechanisms[i], motion.phases[i]));
  return out;
}

std::vector<TimedMotion> timed_motions(const GaitMotion& motion) {
  std::vector<TimedMotion> out;
  for (const Trajectory& phase : motion.phases) {
    const ChebyshevCurve curve(phase);
    const double T = phase.duration;
    out.push_back({[curve, T](double t) { return curve.position(t / T); },
                   [curve, T](double t) { return OwnedVector(curve.slope(t / T) / T); }, T});
  }
  return out;
}

}  // namespace amble
