#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <optional>

#include "amble/constraints/builtin_mechanisms.hpp"
#include "amble/gait/basin.hpp"
#include "amble/gait/continuation.hpp"
#include "amble/gait/efficient_walk.hpp"
#include "amble/gait/expansion.hpp"
#include "amble/gait/walk.hpp"
#include "amble/gait/walker_search.hpp"
#include "amble/report/gait_figures.hpp"
#include "amble/gait/walk_recording.hpp"
#include "amble/scenario/walker_file.hpp"
#include "amble/walkers/mechanism_walker.hpp"
#include "amble/walkers/walkers.hpp"
#include "walkers.hpp"

namespace amble::python {

namespace {

std::vector<Gait> cycles(const Walker& w, const py::object& bounds, int steps, int starts, std::uint64_t seed,
                         int threads) {
  const Region region = w.region(bounds);
  bool stopped = false;
  CyclesFound found;
  {
    const py::gil_scoped_release release;
    found = find_cycles(*w.model, region,
                        {.newton = {.steps = steps},
                         .starts = starts,
                         .seed = seed,
                         .threads = threads,
                         .watch = interrupt_watch(stopped)});
  }
  if (stopped) throw py::error_already_set();
  return found.cycles;
}

py::object step(const Walker& w, py::handle q, py::handle v, bool derivative) {
  const OwnedVector x = w.state(q, v);
  ReturnMap map(*w.model);
  const Step s = map(x, derivative ? ReturnMap::Want::derivative : ReturnMap::Want::books);
  if (!s.completed) throw Error("the walker " + s.failure);
  py::dict out;
  out["q"] = half(s.x, false), out["v"] = half(s.x, true);
  out["period"] = s.period, out["length"] = s.length, out["lost"] = s.lost,
  out["phase_times"] = s.phase_times;
  if (derivative) out["derivative"] = matrix_array(s.derivative);
  return out;
}

Gait refine(const Walker& w, py::handle q, py::handle v, int steps) {
  ReturnMap map(*w.model);
  const NewtonResult found = find_cycle(map, w.state(q, v), {.steps = steps});
  if (!found.converged)
    throw Error(found.failure.empty() ? "no cycle was found from there" : "the walker " + found.failure);
  return gait_at(map, found.x, steps);
}

py::list ledger_list(const Walk& walk) {
  py::list out;
  for (const StepLedger& s : walk.steps) {
    py::dict row;
    row["period"] = s.period, row["length"] = s.length, row["gravity"] = s.gravity,
    row["springs"] = s.springs;
    row["dampers"] = s.dampers, row["supplied"] = s.supplied, row["laws"] = s.laws, row["spent"] = s.spent,
    row["pushed"] = s.pushed, row["lost"] = s.lost,
    row["kinetic"] = s.kinetic, row["residual"] = s.residual();
    out.append(row);
  }
  return out;
}

py::list assumption_list(const std::vector<Assumption>& all) {
  py::list out;
  for (const Assumption& a : all) {
    py::dict row;
    row["name"] = a.name, row["holds"] = a.holds(), row["margin"] = a.margin, row["unit"] = a.unit;
    out.append(row);
  }
  return out;
}

}  // namespace

py::dict walk_dict(const Walk& walked) {
  py::dict out;
  out["steps"] = walked.steps.size(), out["fell"] = walked.fell, out["failure"] = walked.failure;
  out["laws"] = walked.laws, out["spent"] = walked.spent() + walked.last.spent, out["stopped"] = walked.stopped;
  out["ledger"] = ledger_list(walked), out["residual"] = walked.residual(),
  out["exchanged"] = walked.exchanged();
  out["assumptions"] = assumption_list(walked.assumptions);
  Array t = new_array({static_cast<py::ssize_t>(walked.samples.size())}, {});
  const py::ssize_t n = walked.samples.empty() ? 0 : walked.samples.front().q.size();
  Array q = new_array({t.shape(0)}, {n}), v = new_array({t.shape(0)}, {n});
  for (std::size_t i = 0; i < walked.samples.size(); ++i) {
    const WalkSample& s = walked.samples[i];
    t.mutable_data()[i] = s.t;
    std::copy_n(s.q.data(), n, q.mutable_data() + static_cast<py::ssize_t>(i) * n);
    std::copy_n(s.v.data(), n, v.mutable_data() + static_cast<py::ssize_t>(i) * n);
  }
  out["t"] = t, out["q"] = q, out["v"] = v;
  return out;
}

namespace {

Recording record_walk(const Walker& w, const Gait& gait, int steps) {
  ReturnMap map(*w.model);
  const Walk walked = walk(map, gait.x, steps);
  Recording out = walk_recording(map.model(), walked);
  RecordingOrigin origin = out.origin();
  origin.notes = {stability_note(gait)};
  out.set_origin(std::move(origin));
  return out;
}

std::string strip(const Walker& w, const Gait& gait, int figures, int steps) {
  ReturnMap map(*w.model);
  const Walk walked = walk(map, gait.x, steps);
  return stick_figures(map.model(), walked, figures, steps);
}

WalkerFamily family_of(const Walker& w, const std::string& parameter) {
  if (w.controlled) throw Error("a walker under a controller cannot be followed in a parameter");
  if (!w.values.contains(parameter)) walker_values(w.kind, {{parameter, 0.0}});  // throws
  return {parameter, [&w, parameter](double value) {
            WalkerValues values = w.values;
            values[parameter] = value;
            return make_walker(w.kind, values, amble::scuffing(w.scuffing));
          }};
}

std::vector<Branch> branches_of(const WalkerFamily& family, const py::object& cycle,
                                ContinuationOptions options) {
  bool stopped = false;
  options.watch = interrupt_watch(stopped);
  std::optional<Gait> gait;
  if (!cycle.is_none()) gait = py::cast<Gait>(cycle);
  std::vector<Branch> branches;
  {
    const py::gil_scoped_release release;
    branches = gait ? continue_cycle(family, *gait, options) : continue_cycles(family, options);
  }
  if (stopped) throw py::error_already_set();
  return branches;
}

py::list continued(const Walker& w, const std::string& parameter, double start, double stop,
                   const py::object& cycle, int doublings, double longest, int points, int starts,
                   std::uint64_t seed) {
  const std::vector<Branch> branches = branches_of(family_of(w, parameter), cycle,
                                                   {.from = start,
                                                    .to = stop,
                                                    .step = longest,
                                                    .most_points = points,
                                                    .doublings = doublings,
                                                    .starts = starts,
                                                    .seed = seed});
  py::list out;
  for (const Branch& branch : branches) {
    py::dict one;
    py::list values, gaits, bifurcations;
    for (const BranchPoint& p : branch.points) values.append(p.value), gaits.append(p.gait);
    for (const Bifurcation& b : branch.bifurcations)
      bifurcations.append(py::make_tuple(name_of(b.kind), b.value));
    one["values"] = values, one["gaits"] = gaits, one["bifurcations"] = bifurcations;
    one["steps"] = branch.steps, one["end"] = branch.end;
    one["parent"] = branch.parent < 0 ? py::object(py::none()) : py::object(py::int_(branch.parent));
    out.append(one);
  }
  return out;
}

std::string diagram(const Walker& w, const std::string& parameter, double start, double stop,
                    const py::object& cycle, int doublings, double longest) {
  const WalkerFamily family = family_of(w, parameter);
  return svg(bifurcation_diagram(
      family,
      branches_of(family, cycle, {.from = start, .to = stop, .step = longest, .doublings = doublings})));
}

using Ties = std::vector<std::pair<std::map<std::string, double>, double>>;

void add_design(const Walker& w, const py::object& free, const Ties& ties, WalkerSearch& search) {
  if (!free.is_none())
    for (const auto& [name, value] : named_values(free, "free")) {
      const Array ends = numbers(value, {2}, "bounds of '" + name + "'");
      SearchParameter p{.name = name, .lower = ends.at(0), .upper = ends.at(1)};
      const auto own = w.values.find(name);
      p.start =
          std::clamp(own == w.values.end() ? p.lower : own->second, p.lower, std::max(p.lower, p.upper));
      search.design.push_back(p);
    }
  for (const auto& [factors, sum] : ties) {
    SearchTie tie{.name = "tie", .sum = sum};
    for (const auto& [name, factor] : factors) {
      const auto at = std::find_if(search.design.begin(), search.design.end(),
                                   [&name = name](const SearchParameter& p) { return p.name == name; });
      if (at == search.design.end()) throw Error("'" + name + "' is tied but not free");
      tie.parameters.push_back(static_cast<int>(at - search.design.begin()));
      tie.factors.push_back(factor);
    }
    search.ties.push_back(tie);
  }
}

/// What a found gait is and does.
py::dict found_dict(const Walker& w, const WalkerSearch& search, const FoundGait& gait) {
  const SearchFigures f = figures_of(w.kind, w.values, search, gait);
  py::dict one;
  one["q"] = vector_array(gait.q), one["v"] = vector_array(gait.v), one["period"] = gait.duration,
  one["step_length"] = gait.step_length;
  one["speed"] = gait.speed, one["objective"] = gait.objective, one["effort"] = f.effort,
  one["energy_lost"] = f.lost;
  one["actuator_work"] = f.actuator_work, one["positive_work"] = f.positive_work;
  one["residual"] = gait.certificate.residual(), one["energy_residual"] = f.residual();
  one["cost_of_transport"] = f.lost / (f.weight * gait.step_length);
  one["parameters"] = std::map<std::string, double>(f.values.begin(), f.values.end());
  one["assumptions"] = assumption_list(f.assumptions);
  py::list phases;
  for (const Trajectory& motion : gait.motion.phases)
    phases.append(py::make_tuple(motion.duration, matrix_array(motion.powers_of_time())));
  one["phases"] = phases;
  py::dict actuators;
  for (const ActuatorCurve& c : actuator_curves(w.kind, w.values, search, gait)) {
    const ActuatorCurve::Spring spring = c.spring();
    py::dict curve;
    const auto array = [](const std::vector<double>& x) {
      return Array(static_cast<py::ssize_t>(x.size()), x.data());
    };
    curve["t"] = array(c.t), curve["q"] = array(c.q), curve["v"] = array(c.v), curve["tau"] = array(c.tau);
    curve["spring"] = py::make_tuple(spring.stiffness, spring.rest, spring.share);
    actuators[py::str(c.name)] = curve;
  }
  one["actuators"] = actuators;
  one["gait"] = SearchedGait{gait, w.kind.name, f.values};
  return one;
}

py::list efficient(const Walker& w, const py::object& speed, double foot_speed, double clearance, double knee_bend,
                   const std::vector<std::string>& unactuated, const py::object& free, const Ties& ties,
                   int starts, int order, double torque_limit, double friction,
                   const std::map<std::string, std::pair<double, double>>& limits,
                   const std::map<std::string, double>& torque_weights, double torque_cost, double work_cost,
                   double regained, const std::string& simpler) {
  WalkerSearch search{.foot_speed = foot_speed,
                      .clearance = clearance,
                      .knee_bend = knee_bend,
                      .unactuated = unactuated,
                      .torque_limit = torque_limit,
                      .friction = friction,
                      .limits = {limits.begin(), limits.end()},
                      .cost = {torque_cost, work_cost, regained},
                      .torque_weights = {torque_weights.begin(), torque_weights.end()}};
  add_design(w, free, ties, search);
  bool stopped = false;
  GaitSearchSettings settings{.starts = starts};
  settings.program.order = order;
  if (!speed.is_none()) settings.program.speed = number(speed, "speed");
  const auto watch = interrupt_watch(stopped);
  settings.solver.watch = [&](const NlpProgress&) { return watch(0.0); };
  GaitSearchResult found;
  {
    const py::gil_scoped_release release;
    found = simpler.empty() ? search_gaits(search_problem(w.kind, w.values, search), settings)
                            : search_gaits_expanding(w.kind, w.values, search, simpler, settings);
  }
  if (stopped) throw py::error_already_set();
  py::list out;
  for (const FoundGait& gait : found.gaits) out.append(found_dict(w, search, gait));
  return out;
}

py::dict basin(const Walker& w, const std::vector<Gait>& gaits, const py::object& bounds,
               const std::vector<int>& cells, int total, int most_steps, int threads) {
  const Region region = w.region(bounds);
  bool stopped = false;
  Basin found;
  {
    const py::gil_scoped_release release;
    found = find_basin(*w.model, gaits, region,
                       {.cells = cells,
                        .total = total,
                        .most_steps = most_steps,
                        .threads = threads,
                        .watch = interrupt_watch(stopped)});
  }
  if (stopped) throw py::error_already_set();
  py::dict out;
  py::array_t<int> fate(std::vector<py::ssize_t>(found.cells.begin(), found.cells.end()));
  std::copy(found.fate.begin(), found.fate.end(), fate.mutable_data());
  out["fate"] = fate, out["converged"] = found.converged, out["fraction"] = found.fraction,
  out["volume"] = found.volume;
  return out;
}

py::dict walker_table() {
  py::dict out;
  for (const WalkerKind& kind : walker_kinds()) {
    py::dict parameters;
    for (const WalkerParameter& p : kind.parameters) parameters[py::str(p.name)] = p.value;
    out[py::str(kind.name)] = parameters;
  }
  return out;
}

Mechanism mechanism_of(const Walker& w) {
  if (const auto* walker = dynamic_cast<const MechanismWalker*>(w.model.get())) return walker->spec().full;
  throw Error("walker '" + w.kind.name + "' is no mechanism: parts of it have no mass");
}

/// A state of a user's own model for one of the walker's full model, or the other way round.
py::tuple other_state(const Walker& w, py::handle q, py::handle v, bool to_model) {
  const std::unique_ptr<StepModel> own = w.model->clone();
  auto* const walker = dynamic_cast<DescribedWalker*>(own.get());
  if (walker == nullptr) throw Error("walker '" + w.kind.name + "' has no model of a file");
  const Mechanism& from = to_model ? walker->spec().full : walker->model();
  const Array from_q = numbers(q, {from.nq()}, "q"), from_v = numbers(v, {from.nv()}, "v");
  const Eigen::Map<const Eigen::VectorXd> at(from_q.data(), from.nq()), rate(from_v.data(), from.nv());
  const auto [to_q, to_v] = to_model ? walker->model_state(at, rate) : walker->full_of_model_state(at, rate);
  return py::make_tuple(vector_array(to_q), vector_array(to_v));
}

Mechanism builtin(const std::string& name, const py::kwargs& parameters) {
  for (const WalkerKind& kind : walker_kinds()) {
    if (kind.name != name) continue;
    const std::unique_ptr<StepModel> model = make_walker(name, values_of(parameters));
    if (const auto* walker = dynamic_cast<const MechanismWalker*>(model.get())) return walker->spec().full;
    throw Error("walker '" + name +
                "' is no mechanism: parts of it have no mass; amble.Walker has its gaits");
  }
  std::map<std::string, double> values;
  for (const auto& [key, value] : values_of(parameters)) values[key] = value;
  return builtin_mechanism(name, values).mechanism;
}

void bind_gait(py::module_& m) {
  py::class_<Gait>(m, "Gait", "A periodic walk: a cycle of a walker's return map.")
      .def_readonly("steps", &Gait::steps, "After how many returns of the map it repeats: steps, or full strides.")
      .def_readonly("footfalls", &Gait::footfalls, "Steps until then.")
      .def_property_readonly(
          "q", [](const Gait& g) { return half(g.x, false); },
          "Coordinates right after impact and relabelling.")
      .def_property_readonly(
          "v", [](const Gait& g) { return half(g.x, true); }, "Velocities there.")
      .def_readonly("period", &Gait::period, "Of a step (s).")
      .def_readonly("step_length", &Gait::step_length, "Along the floor (m).")
      .def_readonly("speed", &Gait::speed, "m/s.")
      .def_readonly("multipliers", &Gait::multipliers,
                    "Of the return map on its section, by decreasing modulus.")
      .def_property_readonly("stable", &Gait::stable,
                             "Whether all multipliers but the neutral ones are below one in modulus.")
      .def_readonly("energy_lost", &Gait::energy_lost, "In impacts and dampers, of a step (J).")
      .def_readonly("energy_supplied", &Gait::energy_supplied,
                    "By actuators of its own, as push-offs, of a step (J).")
      .def_readonly("neutral", &Gait::neutral,
                    "How many multipliers are one because a step conserves something, as energy.")
      .def_readonly("cost_of_transport", &Gait::cost_of_transport, "Energy lost / (weight x step length).")
      .def_readonly("residual", &Gait::residual, "|P(x) - x|, the certificate.")
      .def_readonly("turn", &Gait::turn,
                    "Of its heading until it repeats (rad): not zero in a gait that walks in a circle.")
      .def("__repr__", [](const Gait& g) {
        return "<amble.Gait " + std::to_string(g.speed) + " m/s, " + (g.stable() ? "stable" : "not stable") +
               ">";
      });
}

}  // namespace

void bind_gaits(py::module_& m) {
  using namespace py::literals;
  bind_gait(m);
  py::class_<Walker> walker(m, "Walker",
                     "A walker by its name, see walkers(), or by the path of a walker file (.toml), with "
                     "parameters by their names; "
                     "scuffing is \"ignore\" or \"detect\".");
  walker.def(py::init([](const std::string& name, std::string scuffing, const py::kwargs& parameters) {
             return Walker(find_walker(name), std::move(scuffing), parameters);
           }),
           "name"_a, "scuffing"_a = "ignore")
      .def_property_readonly(
          "name", [](const Walker& w) { return w.kind.name; }, "Of the kind of walker.")
      .def_property_readonly(
          "parameters",
          [](const Walker& w) { return std::map<std::string, double>(w.values.begin(), w.values.end()); },
          "All of them.")
      .def_property_readonly(
          "coordinates", [](const Walker& w) { return w.model->coordinates(); },
          "Names of q at the start of a step.")
      .def_property_readonly(
          "cyclic", [](const Walker& w) { return w.model->cyclic(); },
          "Coordinates that nothing depends on, as the heading on a level floor: counted from the start of "
          "each step, "
          "without a multiplier.")
      .def_property_readonly(
          "footfalls", [](const Walker& w) { return w.model->footfalls(); },
          "Steps in one return of its map: 2 where that takes a full stride.")
      .def_property_readonly(
          "mechanism", [](const Walker& w) { return mechanism_of(w); },
          "The simulation model: a mechanism whose foot may be anywhere.")
      .def("step", &step, "q"_a, "v"_a, "derivative"_a = false,
           "One step: {'q', 'v', 'period', 'length', 'lost', 'phase_times'} and, when asked for, the exact "
           "'derivative' of (q, v). "
           "An Error when the walker falls.")
      .def("cycles", &cycles, "region"_a = py::none(), "steps"_a = 1, "starts"_a = 400, "seed"_a = 1,
           "threads"_a = 0,
           "All passive cycles that are found from cold starts in a region {name: (lower, upper)}, the "
           "fastest first.")
      .def("find_cycle", &refine, "q"_a, "v"_a, "steps"_a = 1,
           "The cycle that Newton's method comes to from a guess.")
      .def(
          "model_state",
          [](const Walker& w, py::handle q, py::handle v) { return other_state(w, q, v, true); }, "q"_a,
          "v"_a,
          "A state of `mechanism`, as walk() gives it, as one of the model that the walker file names: (q, "
          "v).")
      .def(
          "full_state",
          [](const Walker& w, py::handle q, py::handle v) { return other_state(w, q, v, false); }, "q"_a,
          "v"_a, "The inverse of model_state().")
      .def("record", &record_walk, "gait"_a, "steps"_a = 20,
           "The walk as a Recording: the walker on its sloping floor, z up, legs that keep their names, forces under "
           "feet, events, the ledger. For amble.view(), plots and files.")
      .def("stick_figures", &strip, "gait"_a, "figures"_a = 33, "steps"_a = 4,
           "A row of stick figures as SVG, the leg that stands and the one that swings told apart (DS Fig 4.7).")
      .def("continue_cycles", &continued, "parameter"_a, "start"_a, "stop"_a, "cycle"_a = py::none(),
           "doublings"_a = 3, "step"_a = 0.02, "points"_a = 400, "starts"_a = 400, "seed"_a = 1,
           "Follows every cycle at `start` (or the one given) in a parameter: a list of branches {'values', "
           "'gaits', "
           "'bifurcations', 'steps', 'parent', 'end'}.")
      .def("bifurcation_diagram", &diagram, "parameter"_a, "start"_a, "stop"_a, "cycle"_a = py::none(),
           "doublings"_a = 3, "step"_a = 0.02,
           "The cycles of continue_cycles() as a drawing (SVG): where steps start against the parameter.")
      .def("search", &efficient, "speed"_a = py::none(), "foot_speed"_a = 0.0, "clearance"_a = 0.0, "knee_bend"_a = 0.0,
           "unactuated"_a = std::vector<std::string>(), "free"_a = py::none(), "ties"_a = Ties(),
           "starts"_a = 6, "order"_a = 10, "torque_limit"_a = kInfinity, "friction"_a = 0.0,
           "limits"_a = std::map<std::string, std::pair<double, double>>(),
           "torque_weights"_a = std::map<std::string, double>(), "torque_cost"_a = 1.0, "work_cost"_a = 0.0,
           "regained"_a = 0.0, "simpler"_a = "",
           "The most efficient gaits from cold starts, best first: dicts with 'q', 'v', 'period', 'speed', "
           "'objective', 'effort', 'parameters', 'assumptions', 'actuators' ('t', 'q', 'v', 'tau' and the "
           "nearest "
           "'spring' as stiffness, rest and share, by coordinate) and 'phases' (duration and coefficients of "
           "powers of time, a row per coordinate), and 'gait', which controlled() and curves() follow. `foot_speed` "
           "(m/s): the swing foot comes down at least so fast; `clearance` (m): it is so high on its way; `knee_bend` "
           "(rad): a knee with a stop is bent so far in mid-swing. The cost is torque_cost times the integral of squared "
           "torques, "
           "each times its weight in `torque_weights`, + work_cost times what actuators deliver, less the "
           "share "
           "`regained` of what they take. `friction`: of the floor under the stance foot; `limits`: "
           "{coordinate: "
           "(lower, upper)}; `free`: {parameter: (lower, upper)} that are searched for as well; `ties`: "
           "[({parameter: factor}, sum)]; `simpler`: a walker whose gaits the search starts from.")
      .def("basin", &basin, "cycles"_a, "region"_a = py::none(), "cells"_a = std::vector<int>(),
           "total"_a = 10000, "most_steps"_a = 100, "threads"_a = 0,
           "Which starts come to which stable cycle: {'fate', 'converged', 'fraction', 'volume'}; fate is -1 "
           "where the walker falls, "
           "-2 where it walks on without a cycle.");
  bind_walk_control(m, walker);
  m.def("walkers", &walker_table, "The walkers that come with Amble: {name: {parameter: default}}.");
  m.def("builtin", &builtin, "name"_a,
        "A mechanism that comes with Amble, by its name with parameters by theirs: the simulation model of a "
        "walker, or one of "
        "closed_mechanism_names().");
}

}  // namespace amble::python
