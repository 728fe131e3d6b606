#include "amble/gait/return_map.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/control/walking/controlled_walker.hpp"

namespace amble {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int kVisits = 4;  // states seen in a step of the integrator
constexpr double kRank =
    1e-12;  // singular values of an event below this, relative to the largest, are rounding

void check_state(const VectorRef& x, int size) {
  if (x.size() != size)
    throw Error(fmt::format("the state of a step has {} numbers, expected {}", x.size(), size));
  if (!x.allFinite()) throw Error("the state of a step is not finite");
}

}  // namespace

OwnedMatrix range_of(const Eigen::MatrixXd& m) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(m, Eigen::ComputeThinU);
  const Eigen::VectorXd& sigma = svd.singularValues();
  return svd.matrixU().leftCols((sigma.array() > kRank * sigma[0]).count());
}

ReturnMap::ReturnMap(const StepModel& model, const Options& options) : model_(model.clone()), options_(options) {
  // Laws of controllers are found by differences: beyond this an integrator follows their rounding, unless it is told to.
  constexpr double kOfLaws = 1e-9;
  if (options_.tolerance == Options{}.tolerance && dynamic_cast<const ControlledWalker*>(&model) != nullptr)
    options_.tolerance = kOfLaws;
}

std::vector<ReturnMap::Leg>& ReturnMap::legs(Want want) {
  std::vector<Leg>& legs = want == Want::state ? plain_ : want == Want::books ? booked_ : varied_;
  if (legs.empty())
    for (int i = 0; i < model_->phases(); ++i) {
      StepPhase& phase = model_->phase(i);
      Leg leg;
      leg.flow = std::make_unique<PhaseFlow>(
          phase, PhaseFlow::Extras{want == Want::derivative ? 2 * phase.freedoms() : 0, want == Want::books});
      leg.run = std::make_unique<MuntheKaasIntegrator>(*leg.flow,
                                                       IntegratorOptions{.tolerance = options_.tolerance});
      legs.push_back(std::move(leg));
    }
  return legs;
}

/// Until the phase ends; false, with the reason, when it does not.
bool ReturnMap::travel(Leg& leg, int phase, double start, const Visitor& visit, Step& step) {
  const double end = model_->longest_step() - start;
  MuntheKaasIntegrator& run = *leg.run;
  OwnedVector q, x(leg.flow->size());
  try {
    while (!leg.flow->ended()) {
      if (run.t() >= end) {
        step.failure = "stands still";
        return false;
      }
      const double before = run.t();
      run.step(end);
      if (visit)
        for (int i = 1; i <= kVisits; ++i) {
          const double t = before + (run.t() - before) * i / kVisits;
          run.interpolate(t, q, x);
          leg.flow->phase().set_clock(t);
          visit(phase, start + t, x, i == kVisits && leg.flow->ended());
        }
      if (!leg.flow->ended()) leg.flow->look_for_failure(run.x().data());
      if (leg.flow->failed()) {
        step.failure = leg.flow->failure();
        return false;
      }
    }
  } catch (const Error& e) {
    step.failure = e.what();
    return false;
  }
  return true;
}

void ReturnMap::book(const Leg& leg, Step& step) {
  const double* books = leg.run->x().data() + leg.flow->books_start();
  step.gravity_work += books[0], step.spring_work += books[1], step.damper_work += books[2];
  step.law_work.resize(static_cast<std::size_t>(leg.flow->laws()) + 1);
  for (std::size_t k = 0; k < step.law_work.size(); ++k) step.law_work[k] += books[3 + k];
}

/// Through the event: the next state, and `chain`, the derivative of the state in that at the start of the
/// step.
void ReturnMap::land(Leg& leg, OwnedVector& x, OwnedMatrix& chain, Want want, Step& step) {
  StepPhase& phase = leg.flow->phase();
  const int n = leg.flow->numbers(), m = n / 2;
  const OwnedVector& end = leg.run->x();
  step.x_before = end.head(n);
  step.supplied += phase.energy_supplied(end.data());
  const int ended = static_cast<int>(step.phase_times.size()) - 1,
            next_phase = (ended + 1) % model_->phases();
  step.place = step.place.then(model_->next_place(ended, end.data()));
  OwnedVector next(2 * model_->phase(next_phase).freedoms());
  if (want != Want::derivative) {
    step.lost += phase.reset(end.data(), next.data(), nullptr);
  } else {
    RowMatrix dnext(next.size(), n);
    step.lost += phase.reset(end.data(), next.data(), dnext.data());
    Eigen::VectorXd f(n);
    f.head(m) = end.segment(m, m);
    phase.set_clock(leg.run->t());
    phase.acceleration(end.data(), f.data() + m, nullptr);
    Eigen::RowVectorXd gradient(n);
    phase.guard(end.data(), gradient.data());
    const double closing = gradient.dot(f);
    const Eigen::MatrixXd landing = dnext - (dnext * f / closing) * gradient;
    const Eigen::Map<const RowMatrix> variation(end.data() + n, n, n);
    step.image = step.image.size() == 0 ? range_of(landing) : range_of(landing * variation * step.image);
    chain = OwnedMatrix(landing * variation * chain);
  }
  x = next;
}

Step ReturnMap::operator()(const VectorRef& x0, Want want, const Visitor& visit) {
  check_state(x0, size());
  std::vector<Leg>& all = legs(want);
  Step step;
  OwnedVector x = x0;
  OwnedMatrix chain;
  if (want == Want::derivative) chain = OwnedMatrix(Eigen::MatrixXd::Identity(size(), size()));
  step.kinetic_before = model_->phase(0).kinetic_energy(x.data());
  for (int i = 0; i < model_->phases(); ++i) {
    Leg& leg = all[i];
    const int n = leg.flow->numbers();
    OwnedVector start(leg.flow->size());
    start.head(n) = x;
    if (want == Want::derivative) Eigen::Map<RowMatrix>(start.data() + n, n, n).setIdentity();
    leg.flow->restart();
    leg.run->set_state(0.0, OwnedVector(), start);
    leg.flow->phase().set_clock(0.0);
    if (visit) visit(i, step.period, start, false);
    const bool ended = travel(leg, i, step.period, visit, step);
    step.period += leg.run->t();
    if (want == Want::books) book(leg, step);
    if (!ended) {
      step.x_before = leg.run->x().head(n);
      step.kinetic_after = leg.flow->phase().kinetic_energy(step.x_before.data());
      return step;
    }
    step.phase_times.push_back(leg.run->t());
    land(leg, x, chain, want, step);
    if (!x.allFinite()) {
      step.failure = fmt::format("the event that ends phase '{}' has no single outcome", leg.flow->phase().name());
      return step;
    }
  }
  step.length = model_->length_of(step.place);
  step.kinetic_after = model_->phase(0).kinetic_energy(x.data());
  step.x = x;
  step.derivative = chain;
  step.completed = true;
  return step;
}

Step ReturnMap::repeat(const VectorRef& x, int steps, Want want) {
  Step all = (*this)(x, want);
  for (int i = 1; i < steps && all.completed; ++i) {
    Step next = (*this)(all.x, want);
    next.period += all.period, next.length += all.length, next.lost += all.lost,
        next.supplied += all.supplied;
    next.place = all.place.then(next.place);
    next.gravity_work += all.gravity_work, next.spring_work += all.spring_work,
        next.damper_work += all.damper_work;
    for (std::size_t k = 0; k < next.law_work.size(); ++k) next.law_work[k] += all.law_work[k];
    next.kinetic_before = all.kinetic_before;
    next.phase_times.insert(next.phase_times.begin(), all.phase_times.begin(), all.phase_times.end());
    if (want == Want::derivative && next.completed)
      next.derivative = OwnedMatrix(next.derivative * all.derivative);
    all = std::move(next);
  }
  return all;
}

}  // namespace amble
