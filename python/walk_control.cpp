#include <fmt/format.h>
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "amble/gait/guided_walk.hpp"
#include "amble/gait/step_down.hpp"
#include "amble/gait/walk_controllers.hpp"
#include "walkers.hpp"

namespace amble::python {

namespace {

using namespace py::literals;
using Names = std::vector<std::string>;
using Pushes = std::vector<std::pair<int, py::object>>;
using Speeds = std::vector<std::pair<int, double>>;

/// A gait of Walker.cycles(), or one of Walker.search(): the dictionary, or its 'gait'.
struct AnyGait {
  std::optional<Gait> own;
  std::optional<SearchedGait> searched;

  AnyGait(const Walker& w, const py::object& gait) {
    const py::object value =
        py::isinstance<py::dict>(gait) && gait.contains("gait") ? py::object(gait["gait"]) : gait;
    if (py::isinstance<Gait>(value))
      own = value.cast<Gait>();
    else if (py::isinstance<SearchedGait>(value))
      searched = value.cast<SearchedGait>();
    else
      throw py::type_error("gait: expected one of Walker.cycles() or of Walker.search(), not " +
                           std::string(py::str(py::type::of(value).attr("__name__"))));
    if (searched && searched->walker != w.kind.name)
      throw Error("this gait is of walker '" + searched->walker + "', not of '" + w.kind.name + "'");
  }
  const WalkerValues& values(const Walker& w) const { return searched ? searched->values : w.values; }
  GaitMotion motion(const StepModel& walker) const {
    return own ? gait_motion(walker, *own) : gait_motion(walker, searched->gait);
  }
  OwnedVector start() const {
    if (own) return own->x;
    OwnedVector x(searched->gait.q.size() + searched->gait.v.size());
    x << searched->gait.q, searched->gait.v;
    return x;
  }
};

py::tuple searched_state(const SearchedGait& s) {
  const FoundGait& g = s.gait;
  py::list phases;
  for (const Trajectory& motion : g.motion.phases)
    phases.append(py::make_tuple(motion.duration, matrix_array(motion.in(Basis::chebyshev).coefficients)));
  return py::make_tuple(s.walker, std::map<std::string, double>(s.values.begin(), s.values.end()), phases,
                        vector_array(g.motion.parameters), g.objective, g.step_length, g.speed);
}

SearchedGait searched_from(const py::tuple& state) {
  const auto values = state[1].cast<std::map<std::string, double>>();
  SearchedGait out{{}, state[0].cast<std::string>(), WalkerValues(values.begin(), values.end())};
  FoundGait& g = out.gait;
  for (const py::handle& phase : state[2]) {
    const auto pair = phase.cast<py::tuple>();
    const auto rows = pair[1].cast<Array>();
    Eigen::MatrixXd c(rows.shape(0), rows.shape(1));
    for (py::ssize_t i = 0; i < rows.shape(0); ++i)
      for (py::ssize_t j = 0; j < rows.shape(1); ++j) c(i, j) = rows.at(i, j);
    g.motion.phases.push_back({Basis::chebyshev, pair[0].cast<double>(), OwnedMatrix(c)});
  }
  const auto parameters = state[3].cast<Array>();
  g.motion.parameters = OwnedVector(Eigen::Map<const Eigen::VectorXd>(parameters.data(), parameters.size()));
  g.objective = state[4].cast<double>(), g.step_length = state[5].cast<double>(),
  g.speed = state[6].cast<double>();
  g.duration = g.motion.duration();
  g.q = g.motion.phases.at(0).position(0.0), g.v = g.motion.phases[0].velocity(0.0);
  return out;
}

Walker controlled(const Walker& w, const py::object& gait, const std::string& controller, double torque_limit,
                  double friction, const Names& unactuated, const py::kwargs& gains) {
  const AnyGait any(w, gait);
  Walker out = w;
  out.values = any.values(w);
  const std::unique_ptr<StepModel> through = make_walker(w.kind, out.values),
                                   walker = make_walker(w.kind, out.values, scuffing(w.scuffing));
  out.model = controlled_walker(*walker, any.motion(*through), controller, values_of(gains),
                                {torque_limit, unactuated, friction})
                  .clone();
  out.controlled = true;
  return out;
}

std::vector<TrackedCurve> curves(const Walker& w, const py::object& gait) {
  const AnyGait any(w, gait);
  return gait_curves(any.motion(*make_walker(w.kind, any.values(w))));
}

FloorPath path_from(const py::object& points) {
  const Stack rows = stack(points, {2}, "path");
  std::vector<std::pair<double, double>> all;
  for (py::ssize_t i = 0; i < rows.count; ++i) all.emplace_back(rows.item(i)[0], rows.item(i)[1]);
  return FloorPath(all);
}

WalkPlan plan_from(const py::object& path, bool turns, double position_gain, double velocity_gain,
                   double rate_limit, bool look_ahead, const Pushes& pushes, const Speeds& speeds,
                   const py::object& stop) {
  WalkPlan plan{.turns = turns,
                .position_gain = position_gain,
                .velocity_gain = velocity_gain,
                .rate_limit = rate_limit,
                .looks_ahead = look_ahead};
  if (!path.is_none()) plan.path = path_from(path);
  for (const auto& [footfall, impulse] : pushes) {
    const Array p = numbers(impulse, {3}, "impulse of a push");
    plan.pushes.push_back({footfall, {p.at(0), p.at(1), p.at(2)}});
  }
  for (const auto& [footfall, speed] : speeds) plan.speeds.push_back({footfall, speed});
  if (!stop.is_none()) plan.stop = stop.cast<int>();
  return plan;
}

py::dict control_dict(const ControlFigures& f) {
  py::dict peaks, out;
  for (std::size_t i = 0; i < f.coordinates.size(); ++i)
    peaks[py::str(f.coordinates[i])] = f.peak_torque[static_cast<Eigen::Index>(i)];
  out["peak_torque"] = peaks, out["missing"] = f.missing, out["scale"] = f.scale,
  out["normal_force"] = f.normal;
  out["friction_ratio"] = f.friction, out["pressure_offset"] = f.pressure_offset;
  return out;
}

py::dict walk_as_planned(const Walker& w, const py::object& gait, int steps, double step_down, int footfall,
                         const WalkPlan& plan) {
  ReturnMap map(*w.model);
  const OwnedVector start = AnyGait(w, gait).start();
  Walk walked;
  {
    const py::gil_scoped_release release;
    walked = guided_walk(map, start, steps, plan, {{step_down, footfall}});
  }
  py::dict out = walk_dict(walked);
  if (const auto* const model = dynamic_cast<const ControlledWalker*>(&map.model()))
    out["control"] = control_dict(model->figures());
  return out;
}

py::dict law_dict(const StepDownResult& r) {
  py::dict out;
  for (std::size_t i = 0; i < r.laws.size(); ++i) out[py::str(r.laws[i])] = r.law_work[i];
  return out;
}

py::list steps_down(const Walker& w, const py::object& gait, const std::vector<double>& heights, int steps,
                    int footfall, int threads) {
  bool stopped = false;
  const OwnedVector start = AnyGait(w, gait).start();
  std::vector<StepDownResult> results;
  {
    const py::gil_scoped_release release;
    results = sweep_step_down(*w.model, start,
                              {.heights = heights,
                               .footfall = footfall,
                               .steps = steps,
                               .threads = threads,
                               .watch = interrupt_watch(stopped)});
  }
  if (stopped) throw py::error_already_set();
  py::list out;
  for (const StepDownResult& r : results)
    out.append(py::dict(
        "height"_a = r.height, "survived"_a = r.survived, "failure"_a = r.failure, "steps"_a = r.steps,
        "spent"_a = r.spent, "residual"_a = r.residual, "laws"_a = law_dict(r), "gravity"_a = r.gravity,
        "lost"_a = r.lost, "control"_a = r.control ? py::object(control_dict(*r.control)) : py::none(),
        "flat_spent"_a = r.flat_spent, "flat_torque"_a = r.flat ? r.flat->peak_torque.maxCoeff() : 0.0));
  return out;
}

std::vector<std::complex<double>> multipliers_of_line(const Walker& w, const Gait& gait, double position_gain,
                                                      double velocity_gain, double rate_limit) {
  const auto* const placing = dynamic_cast<const PlacingWalker*>(w.model.get());
  if (placing == nullptr)
    throw Error("walker '" + w.kind.name + "' does not place its feet: it follows no line");
  return line_multipliers(
      *placing, gait.x,
      {.position_gain = position_gain, .velocity_gain = velocity_gain, .rate_limit = rate_limit});
}

}  // namespace

void bind_walk_control(py::module_& m, py::class_<Walker>& walker) {
  py::class_<SearchedGait>(m, "SearchedGait",
                           "A gait that Walker.search() found, to be followed by a controller.")
      .def_property_readonly(
          "walker", [](const SearchedGait& g) { return g.walker; }, "Whose it is, by name.")
      .def_property_readonly(
          "period", [](const SearchedGait& g) { return g.gait.duration; }, "Of a step (s).")
      .def_property_readonly(
          "speed", [](const SearchedGait& g) { return g.gait.speed; }, "m/s.")
      .def(py::pickle(&searched_state, &searched_from))
      .def("__repr__", [](const SearchedGait& g) {
        return fmt::format("<amble.SearchedGait of '{}': {:.6g} m/s, {:.6g} m in {:.6g} s>", g.walker,
                           g.gait.speed, g.gait.step_length, g.gait.duration);
      });
  walker
      .def("curves", &curves, "gait"_a,
           "The gait as curves through configurations, one for each phase of a step: what curve_tracking() "
           "follows.")
      .def("controlled", &controlled, "gait"_a, "controller"_a = "port", "torque_limit"_a = kInfinity,
           "friction"_a = kInfinity, "unactuated"_a = Names{},
           "This walker under a controller that follows the gait, one of cycles() or of search(): 'none', "
           "'pd' or 'port', with its "
           "gains by name. The torques that a searched gait takes are a law of their own, 'gait'. Its "
           "stance foot is watched: it falls when that lifts off, or slips where `friction` is given.")
      .def(
          "walk",
          [](const Walker& w, const py::object& gait, int steps, double step_down, int footfall,
             const py::object& path, bool turns, double position_gain, double velocity_gain,
             double rate_limit, const Pushes& pushes, const Speeds& speeds, const py::object& stop,
             bool look_ahead) {
            return walk_as_planned(w, gait, steps, step_down, footfall,
                                   plan_from(path, turns, position_gain, velocity_gain, rate_limit,
                                             look_ahead, pushes, speeds, stop));
          },
          "gait"_a, "steps"_a = 20, "step_down"_a = 0.0, "footfall"_a = 5, "path"_a = py::none(),
          "turns"_a = false, "position_gain"_a = 0.3, "velocity_gain"_a = 0.3, "rate_limit"_a = 0.3,
          "pushes"_a = Pushes{}, "speeds"_a = Speeds{}, "stop"_a = py::none(), "look_ahead"_a = true,
          "Walks a gait: {'steps', 'fell', 'stopped', 'failure', 'laws', 'spent', 'ledger', 'residual', "
          "'exchanged', "
          "'assumptions', 't', 'q', 'v'}, states in the coordinates of the simulation model; 'control' of a "
          "walker under "
          "a controller. The floor lies lower by `step_down` (m) from `footfall` on. Of walkers that place "
          "their feet: "
          "`path`, points (x, y) to follow, as y(x) or, when it `turns`, with its heading along the path, "
          "and, without `look_ahead`, by DS (5.41) as printed; `pushes`, "
          "(footfall, impulse) at the hip; `speeds`, (footfall, m/s) by push-off; `stop`, a footfall.")
      .def("step_down", &steps_down, "gait"_a, "heights"_a, "steps"_a = 20, "footfall"_a = 5, "threads"_a = 0,
           "How the walker takes steps down (m): [{'height', 'survived', 'failure', 'steps', 'spent', "
           "'residual', 'laws', "
           "'gravity', 'lost', 'control', 'flat_spent', 'flat_torque'}], energies in J; flat: before the "
           "step. "
           "Survival is not monotone in the height.")
      .def("line_multipliers", &multipliers_of_line, "gait"_a, "position_gain"_a = 0.3,
           "velocity_gain"_a = 0.3, "rate_limit"_a = 0.3,
           "Multipliers of following a line by foot placement: of the return map with the distance from it.");
}

}  // namespace amble::python
