#include "amble/riemann/repeatability.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;

/// (q, length).
class LiftFlow final : public Flow {
 public:
  LiftFlow(TaskInverse& inverse, const TaskCurve& curve, double gain)
      : inverse_(inverse), curve_(curve), gain_(gain), work_(*mechanism()) {}
  const Mechanism* mechanism() const override { return &inverse_.task().mechanism(); }
  int size() const override { return 1; }
  int active() const override { return 0; }

  void rates(double t, const double* q, const double*, double* v, double* xdot) override {
    const Eigen::Map<const Eigen::VectorXd> at(q, mechanism()->nq());
    const MovingTask wanted = curve_(t);
    const Eigen::VectorXd back = inverse_.task().difference(inverse_.task().value(at), wanted.x);
    const Eigen::VectorXd speed = inverse_.value(at) * (wanted.xdot + gain_ * back);
    Eigen::Map<Eigen::VectorXd>(v, speed.size()) = speed;
    xdot[0] = std::sqrt(inner_product(*mechanism(), work_, at, speed, speed));
  }

 private:
  TaskInverse& inverse_;
  const TaskCurve& curve_;
  double gain_;
  Workspace work_;
};

}  // namespace

Integrability integrability(TaskInverse& inverse, const VectorRef& q, double tolerance) {
  const Mechanism& m = inverse.task().mechanism();
  Workspace work(m);
  const OwnedVector at = m.checked_configuration(q);
  const Dense B = inverse.value(at), M = mass_matrix(m, work, at);
  const Dense vertical = Dense::Identity(m.nv(), m.nv()) - B * inverse.task().jacobian(at);
  Christoffel c(m.nv());
  structure_constants(m, at, c);
  std::vector<Dense> rates;  // of B along each of its columns
  for (int a = 0; a < B.cols(); ++a) rates.emplace_back(inverse.rate(at, B.col(a)));
  const auto size = [&](const Eigen::VectorXd& x) { return std::sqrt(x.dot(M * x)); };
  Integrability out;
  out.drift = Eigen::VectorXd::Zero(m.nv());
  for (int a = 0; a < B.cols(); ++a)
    for (int b = a + 1; b < B.cols(); ++b) {
      const Eigen::VectorXd left =
          vertical * (rates[a].col(b) - rates[b].col(a) + contract(c, B.col(a), B.col(b)));
      const double relative = size(left) / (size(B.col(a)) * size(B.col(b)));
      if (relative > out.largest) out = {false, relative, a, b, left};
    }
  out.integrable = out.largest <= tolerance;
  return out;
}

TaskCurve circle_through(TaskMap& task, const VectorRef& x0, const VectorRef& a, const VectorRef& b,
                         double radius) {
  if (a.size() != task.dimension() || b.size() != task.dimension() || !a.allFinite() || !b.allFinite())
    throw Error(
        fmt::format("directions of a loop of the {} have {} finite numbers", task.name(), task.dimension()));
  if (!(radius > 0.0) || !std::isfinite(radius))
    throw Error(fmt::format("the radius of a loop is {}: expected a positive number", radius));
  return [&task, start = OwnedVector(x0), first = OwnedVector(a), second = OwnedVector(b), radius](double t) {
    const double turn = 2.0 * std::numbers::pi, c = std::cos(turn * t), s = std::sin(turn * t);
    const Eigen::VectorXd d = radius * ((c - 1.0) * first + s * second),
                          rate = radius * turn * (c * second - s * first);
    return MovingTask{task.integrate(start, d), task.local_jacobian(start, d) * rate};
  };
}

LiftedCurve lifted_curve(TaskInverse& inverse, const TaskCurve& curve, double duration, const VectorRef& q0,
                         const LiftOptions& options) {
  if (options.samples < 2 || !(duration > 0.0))
    throw Error("a curve to lift has a positive duration and two samples at least");
  LiftFlow flow(inverse, curve, options.gain);
  MuntheKaasIntegrator run(flow, {.tolerance = options.tolerance});
  run.set_state(0.0, inverse.task().mechanism().checked_configuration(q0), OwnedVector(1));
  LiftedCurve out;
  OwnedVector v(inverse.task().mechanism().nv()), rate(1);
  for (int i = 0; i < options.samples; ++i) {
    const double t = duration * i / (options.samples - 1);
    run.run(t);
    flow.rates(t, run.q().data(), run.x().data(), v.data(), rate.data());
    out.curve.t.push_back(t);
    out.curve.q.push_back(run.q());
    out.curve.v.push_back(v);
    out.task_error =
        std::max(out.task_error, inverse.task().difference(inverse.task().value(run.q()), curve(t).x).norm());
  }
  out.length = run.x()[0];
  return out;
}

Holonomy holonomy(TaskInverse& inverse, const TaskCurve& loop, const VectorRef& q0, int loops,
                  const LiftOptions& options) {
  if (loops < 1) throw Error("a loop is gone through once at least");
  TaskMap& task = inverse.task();
  const Mechanism& m = task.mechanism();
  if (task.difference(loop(0.0).x, loop(1.0).x).norm() > 1e-9)
    throw Error("the curve of the workspace is not closed");
  Workspace work(m);
  Holonomy out;
  out.q.push_back(m.checked_configuration(q0));
  for (int i = 0; i < loops; ++i) {
    LiftedCurve lifted = lifted_curve(inverse, loop, 1.0, out.q.back(), options);
    out.q.push_back(lifted.curve.q.back());
    out.drift.push_back(m.difference(out.q[i], out.q[i + 1]));
    out.drift_norm.push_back(std::sqrt(inner_product(m, work, out.q[i], out.drift[i], out.drift[i])));
    out.task_error = std::max(out.task_error, lifted.task_error);
    if (i == 0) out.first = std::move(lifted);
  }
  return out;
}

}  // namespace amble
