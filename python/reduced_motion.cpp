#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>

#include "amble/dynamics/momentum.hpp"
#include "amble/ports/carried_elements.hpp"
#include "amble/simulation/reduced_momentum_flow.hpp"
#include "amble/simulation/rkmk.hpp"
#include "bindings.hpp"
#include "motions.hpp"

namespace amble::python {

namespace {

/// A motion by reduced momenta as it was, a row for each time.
struct ReducedMotion {
  std::vector<double> t, energy;
  std::vector<OwnedVector> q, v, alpha;
  std::vector<std::pair<double, std::vector<std::string>>> choices;  // since when, and whose momenta alpha are
  long projections = 0;
};

Array stacked(const std::vector<OwnedVector>& rows) {
  Array out = new_array({static_cast<py::ssize_t>(rows.size())}, {rows.front().size()});
  double* to = out.mutable_data();
  for (const OwnedVector& row : rows) to = std::copy_n(row.data(), row.size(), to);
  return out;
}
Array numbers_of(const std::vector<double>& x) { return Array(static_cast<py::ssize_t>(x.size()), x.data()); }

py::list choices_list(const ReducedMotion& x) {
  py::list out;
  for (const auto& [t, coordinates] : x.choices) {
    py::dict choice;
    choice["t"] = t, choice["coordinates"] = coordinates;
    out.append(choice);
  }
  return out;
}

/// All that acts, as one: what a mechanism carries has no state of its own.
Drive together(const Mechanism& m, const std::vector<ElementPtr>& elements) {
  const auto work = std::make_shared<Workspace>(m);
  return [m, work, elements](double t, const OwnedVector& q, const OwnedVector& v, OwnedVector& tau) {
    for (const ElementPtr& element : elements) {
      PortFlows flows(m.nv());
      element->evaluate({t, q, v, m, *work}, nullptr, flows, nullptr);
      tau += flows.tau;
    }
  };
}

template <class T>
std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Follows a flow and keeps what it sees.
class Follower {
 public:
  Follower(const Mechanism& m, ReducedMomentumFlow& flow, double tolerance)
      : m_(m), flow_(flow), integrator_(flow, {.tolerance = tolerance}), work_(m) {}

  void start(const OwnedVector& q, const OwnedVector& v) {
    integrator_.set_state(0.0, q, flow_.state(q, v));
    motion_.choices.emplace_back(0.0, flow_.independent());
    record();
  }
  /// Steps end where a state is recorded: alpha of the middle of a step may belong to other coordinates than its end.
  void run(double duration, double interval) {
    for (long i = 1; integrator_.t() < duration; ++i) {
      const double next = static_cast<double>(i) * interval;
      const double end = interval > 0.0 && next < duration - 1e-9 * interval ? next : duration;
      do step(end);
      while (interval > 0.0 && integrator_.t() < end);
      record();
    }
    motion_.projections = flow_.projections();
  }
  ReducedMotion motion() && { return std::move(motion_); }

 private:
  void step(double end) {
    const long before = flow_.changes();
    integrator_.step(end);
    if (flow_.changes() > before) motion_.choices.emplace_back(integrator_.t(), flow_.independent());
    go_on(integrator_.t());
  }
  void record() {
    const OwnedVector& q = integrator_.q();
    const OwnedVector v = flow_.velocity(q, integrator_.x());
    motion_.t.push_back(integrator_.t());
    motion_.q.push_back(q), motion_.v.push_back(v), motion_.alpha.push_back(integrator_.x());
    motion_.energy.push_back(kinetic_energy(m_, work_, q, v) + potential_energy(m_, work_, q));
  }

  const Mechanism& m_;
  ReducedMomentumFlow& flow_;
  MuntheKaasIntegrator integrator_;
  Workspace work_;
  ReducedMotion motion_;
};

void check_times(double duration, double interval) {
  if (!(duration > 0.0) || !std::isfinite(duration))
    throw Error(fmt::format("duration is {} s: expected more than 0", duration));
  if (!(interval >= 0.0)) throw Error(fmt::format("interval is {} s: expected 0 or more", interval));
}

ReducedMotion reduced_momentum_motion(const Mechanism& m, const py::object& q0, const py::object& v0, double duration,
                                      const py::object& tau, const ConstraintHandles& constraints, double tolerance,
                                      double interval) {
  check_times(duration, interval);
  const std::vector<ConstraintPtr> given(constraints.begin(), constraints.end());
  Simulator at(m, {}, given);  // for its start on the constraints
  reset(at, q0, v0, 0.0);
  if (at.constrained() == nullptr)
    throw Error(fmt::format("nothing constrains '{}': there is nothing to reduce", m.name()));
  ReducedMomentumFlow flow(ConstrainedDynamics(m, joined(constraints_of(m), given)), at.q(),
                           together(m, joined(carried_elements(m), drives_from(m, tau))));
  Follower follower(m, flow, tolerance);
  py::gil_scoped_release unlocked;
  follower.start(at.q(), at.v());
  follower.run(duration, interval);
  return std::move(follower).motion();
}

constexpr const char* kMotion = R"(A constrained motion by reduced momenta, DS Theorem 2.21, as a ReducedMotion.

Another route to what simulate() gives, with no multiplier in it, for constraints A v = 0; no ledger is kept. q0 and
v0 must fulfil the constraints: those that the mechanism carries, and `constraints` on top. What it carries of springs,
damping and friction acts; tau: numbers (nv) or a function of (t, q, v). A state every `interval` seconds
(0: every step).)";

}  // namespace

void bind_reduced_motion(py::module_& m) {
  using namespace py::literals;
  py::class_<ReducedMotion>(m, "ReducedMotion", "A motion by reduced momenta; made by reduced_momentum_motion().")
      .def_property_readonly("t", [](const ReducedMotion& x) { return numbers_of(x.t); }, "Times (s).")
      .def_property_readonly("q", [](const ReducedMotion& x) { return stacked(x.q); }, "A row for each time.")
      .def_property_readonly("v", [](const ReducedMotion& x) { return stacked(x.v); }, "A row for each time.")
      .def_property_readonly("alpha", [](const ReducedMotion& x) { return stacked(x.alpha); },
                             "The momenta, a row of nv - rank numbers for each time.")
      .def_property_readonly("energy", [](const ReducedMotion& x) { return numbers_of(x.energy); },
                             "Of the mechanism: kinetic and in gravity (J).")
      .def_property_readonly("choices", &choices_list,
                             "Which coordinates alpha belongs to, and since when: {'t', 'coordinates'}, the first at "
                             "the start, others where those before became a poor choice.")
      .def_readonly("projections", &ReducedMotion::projections, "How often q was brought back onto the constraints.");
  m.def("reduced_momentum_motion", &reduced_momentum_motion, "m"_a, "q0"_a, "v0"_a, "duration"_a,
        "tau"_a = py::none(), "constraints"_a = ConstraintHandles(), "tolerance"_a = 1e-10, "interval"_a = 0.01,
        kMotion);
}

}  // namespace amble::python
