#include "bench/charts.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/dynamics/coordinates/chart_dynamics.hpp"

namespace amble::bench {

namespace {

struct ChartState {
  Eigen::VectorXd q, qdot, qddot, tau;
};

/// A robot in charts and all that its functions are called with.
struct ChartBed {
  ChartDynamics dynamics;
  std::vector<ChartState> states;  ///< kStates
};

struct Function {
  const char* what;
  std::vector<std::string> core;
  void (*run)(ChartDynamics& d, const ChartState& s);
};

// Every function, after set_state(), one line each.
const Function kFunctions[] = {
    {"chart_forward", {"forward_dynamics"}, [](ChartDynamics& d, const ChartState& s) { d.forward(s.tau); }},
    {"chart_inverse", {"inverse_dynamics"}, [](ChartDynamics& d, const ChartState& s) { d.inverse(s.qddot); }},
    {"chart_mass_matrix", {"mass_matrix"}, [](ChartDynamics& d, const ChartState&) { d.mass_matrix(); }},
    {"chart_M_and_N", {"mass_matrix", "coriolis_matrix"},
     [](ChartDynamics& d, const ChartState&) { d.mass_matrix(), d.velocity_matrix(); }},
};

constexpr const char* kCharts[] = {"quaternion", "rpy"};

/// Null where no joint takes a chart.
std::shared_ptr<ChartBed> make_bed(const Mechanism& m, const char* name, const std::vector<State>& states) {
  const ChartCoordinates c(m, chart(name));
  if (c.blocks().empty()) return nullptr;
  auto bed = std::make_shared<ChartBed>(ChartBed{ChartDynamics(c), {}});
  for (const State& s : states) {
    const Eigen::VectorXd q = c.from_configuration(s.q), qdot = c.rates(q, s.v);
    bed->dynamics.set_state(q, qdot);
    bed->states.push_back({q, qdot, bed->dynamics.forward(s.tau), s.tau});
  }
  return bed;
}

void add_tasks(const std::shared_ptr<ChartBed>& bed, const char* name, std::vector<Task>& tasks) {
  for (const Function& f : kFunctions) {
    const auto run = [bed, &f](int i) {
      const ChartState& s = bed->states[i];
      bed->dynamics.set_state(s.q, s.qdot);
      f.run(bed->dynamics, s);
    };
    tasks.push_back({fmt::format("{} ({})", f.what, name), "amble", run, 1, f.core});
  }
}

}  // namespace

void add_chart_tasks(const Mechanism& m, const std::vector<State>& states, std::vector<Task>& tasks, Notes& notes) {
  for (const char* name : kCharts) {
    try {
      const std::shared_ptr<ChartBed> bed = make_bed(m, name, states);
      if (bed != nullptr) add_tasks(bed, name, tasks);
    } catch (const Error& e) {  // such as a custom joint without a chart form
      add_note(notes, fmt::format("chart '{}': {}", name, e.what()));
    }
  }
}

}  // namespace amble::bench
