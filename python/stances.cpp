#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/control/stance/stance_controller.hpp"
#include "amble/control/stance/stance_search.hpp"
#include "bindings.hpp"
#include "element_handles.hpp"
#include "posture_specs.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

constexpr const char* kPlan = R"(Postures through all stances, one contact let go or placed at a time.

contacts: as of static_posture(), with names. stances: a list of dict(name=, contacts={name: 4x4 place on its support}, targets=, preferred=
(the posture that is liked best, nq), duration= of each way (s), pause= at its end (s)); the first is where the motion starts. q0: a configuration to
start the search from. Bodies that are not in contact keep clearance (m) from each other and from ground, in postures and on the arcs of
limbs, which are lifted by lift to most_lift (m). torque_share, friction_share, limit_margin: room that postures leave to
control. Returns a StancePlan: look at found and message, then follow it with a StanceController.)";

constexpr const char* kFollower = R"(Follows a StancePlan over whole-body control: shifts weight, unloads, lets go, moves a limb, touches, seats, loads.

m, contacts: those of the plan (m may differ in its masses: a model that errs). Run it with sampled(m, controller), or call solve(q, v, t) at
every period. com_weight, posture_weight, limb_weight: of its tasks; unload_time, load_time (s): in which forces fade and come; touch_speed (m/s): of
limbs that look for their support; touch_lag (m): by which they fall behind once it holds them up; seat_load: share of the weight that presses
them flat; patience (s); near (m): of the centre of mass, before a contact is let go; limit_margin (rad, m): of joints; period (s): of ticks.)";

/// A list of dicts; one dict, or a string, is a mistake.
py::list dicts(const py::object& x, const char* what) {
  if (py::isinstance<py::dict>(x) || py::isinstance<py::str>(x) || !py::isinstance<py::iterable>(x))
    throw Error(fmt::format("{} is not a list: expected a list of dicts", what));
  return py::list(x);
}

std::vector<ContactPatch> patches_from(const py::object& contacts) {
  std::vector<ContactPatch> out;
  for (const py::handle& item : dicts(contacts, "contacts")) out.push_back(contact_from(item).patch);
  return out;
}

std::map<std::string, Pose> places_from(const py::object& x) {
  std::map<std::string, Pose> out;
  for (const auto& [name, place] : named_values(x, "contacts of a stance")) out[name] = pose_from(place, fmt::format("the place of '{}'", name));
  return out;
}

Stance stance_from(const Mechanism& m, const py::handle& x) {
  Keys keys(x, "a stance");
  Stance s;
  if_given(keys, "name", [&](const py::object& v) { s.name = v.cast<std::string>(); });
  if_given(keys, "contacts", [&](const py::object& v) { s.contacts = places_from(v); });
  if_given(keys, "targets", [&](const py::object& v) { s.targets = targets_from(v); });
  if_given(keys, "preferred", [&](const py::object& v) { s.preferred = vector(numbers(v, {m.nq()}, "preferred")); });
  if_given(keys, "duration", [&](const py::object& v) { s.duration = number(v, "duration"); });
  if_given(keys, "pause", [&](const py::object& v) { s.pause = number(v, "pause"); });
  keys.finish();
  return s;
}

py::list stages_of(const StancePlan& plan) {
  py::list out;
  for (const StanceStage& s : plan.stages)
    out.append(py::dict("name"_a = s.name, "q"_a = array(s.q), "com"_a = array(s.com), "duration"_a = s.duration, "pause"_a = s.pause,
                        "released"_a = s.released < 0 ? py::none() : py::object(py::int_(s.released)),
                        "placed"_a = s.placed < 0 ? py::none() : py::object(py::int_(s.placed)), "lift"_a = s.arc.lift));
  return out;
}

py::list stances_of(const StanceSearch& search) {
  py::list out;
  for (std::size_t i = 0; i < search.stances.size(); ++i) {
    py::dict places;
    for (const auto& [name, place] : search.stances[i].contacts) places[py::str(name)] = array(Eigen::Matrix4d(place.matrix()));
    out.append(py::dict("name"_a = search.stances[i].name, "contacts"_a = places, "preferred"_a = array(search.postures[i])));
  }
  return out;
}

StancePlan stance_plan(const Mechanism& m, const py::object& contacts, const py::object& stances, const py::object& q0, const py::object& ground,
                       double clearance, double lift, double most_lift, double torque_share, double friction_share, double limit_margin) {
  std::vector<Stance> all;
  for (const py::handle& item : dicts(stances, "stances")) all.push_back(stance_from(m, item));
  const std::vector<ContactPatch> patches = patches_from(contacts);
  const OwnedVector start(vector(numbers(q0, {m.nq()}, "q0")));
  StancePlanSettings settings;
  settings.clearance = clearance, settings.lift = lift, settings.most_lift = most_lift, settings.posture.ground = ground_from(ground);
  settings.posture.torque_share = torque_share, settings.posture.friction_share = friction_share, settings.posture.limit_margin = limit_margin;
  py::gil_scoped_release unlocked;
  return plan_stances(m, patches, all, start, settings);
}

StanceSearch stance_search(const Mechanism& m, const py::object& contacts, const py::object& start, const py::object& goal,
                           const py::object& candidates, const py::object& q0, int postures, double change_cost) {
  const std::vector<ContactPatch> patches = patches_from(contacts);
  std::vector<CandidateContact> all;
  for (const py::handle& item : py::list(candidates)) {
    if (!py::isinstance<py::sequence>(item) || py::len(item) != 2) throw Error("a candidate is not a pair: expected (name of a contact, 4x4)");
    const py::sequence pair = py::cast<py::sequence>(item);
    all.push_back({pair[0].cast<std::string>(), pose_from(pair[1], "a candidate")});
  }
  const Stance from = stance_from(m, start), to = stance_from(m, goal);
  const OwnedVector q(vector(numbers(q0, {m.nq()}, "q0")));
  StanceSearchSettings settings;
  settings.postures = postures, settings.change_cost = change_cost;
  py::gil_scoped_release unlocked;
  return search_stances(m, patches, from, to, all, q, settings);
}

void bind_plans(py::module_& m) {
  py::class_<StancePlan>(m, "StancePlan", "A motion from stance to stance as postures to come to.")
      .def_readonly("found", &StancePlan::found, "Whether every stance has its postures.")
      .def_readonly("message", &StancePlan::message, "One sentence; which posture is missing and why.")
      .def_readonly("notes", &StancePlan::notes, "What was not looked at, as bodies whose collision shapes cannot be read: a sentence each.")
      .def_property_readonly("start", [](const StancePlan& p) { return array(p.start); }, "The posture of the first stance.")
      .def_property_readonly("stages", &stages_of, "Ways one after another: name, q, com, duration, pause, the contacts released and placed.");
  py::class_<StanceSearch>(m, "StanceSearch", "Stances from one to another, or that there is no way.")
      .def_readonly("found", &StanceSearch::found, "Whether there is a way.")
      .def_readonly("message", &StanceSearch::message, "One sentence.")
      .def_property_readonly("stances", &stances_of, "Each one contact more or less than the one before; as plan_stances() takes them.")
      .def_readonly("tried", &StanceSearch::tried, "Postures that were looked for.")
      .def_readonly("refused", &StanceSearch::refused, "Of these, those that are not there.")
      .def_readonly("nodes", &StanceSearch::nodes, "Stances that were looked at from.");
  const StanceSearchSettings d;
  const StancePlanSettings p;
  m.def("plan_stances", &stance_plan, "m"_a, "contacts"_a, "stances"_a, "q0"_a, "ground"_a = py::none(), "clearance"_a = p.clearance, "lift"_a = p.lift,
        "most_lift"_a = p.most_lift, "torque_share"_a = p.posture.torque_share, "friction_share"_a = p.posture.friction_share,
        "limit_margin"_a = p.posture.limit_margin, kPlan);
  m.def("search_stances", &stance_search, "m"_a, "contacts"_a, "start"_a, "goal"_a, "candidates"_a, "q0"_a, "postures"_a = d.postures,
        "change_cost"_a = d.change_cost,
        "Stances from `start` to `goal` over candidates, pairs (name, 4x4): best-first, each with a posture that rests.");
}

// ---- following

std::shared_ptr<StanceController> follower(const Mechanism& m, const py::object& contacts, const StancePlan& plan, double com_weight, double posture_weight,
                                           double limb_weight, double unload_time, double load_time, double touch_speed, double touch_lag,
                                           double seat_load, double patience, double near, double limit_margin, double period,
                                           const std::vector<std::string>& passive_joints) {
  StanceControllerSettings s;
  s.com_weight = com_weight, s.posture_weight = posture_weight, s.limb_weight = limb_weight;
  s.unload_time = unload_time, s.load_time = load_time, s.touch_speed = touch_speed, s.touch_lag = touch_lag, s.seat_load = seat_load;
  s.patience = patience, s.near = near, s.control.limit_margin = limit_margin, s.control.period = period, s.control.passive_joints = passive_joints;
  return std::make_shared<StanceController>(m, patches_from(contacts), plan, s);
}

void bind_follower(py::module_& m) {
  using C = StanceController;
  const StanceControllerSettings d;
  py::class_<C, std::shared_ptr<C>>(m, "StanceController", kFollower)
      .def(py::init(&follower), "m"_a, "contacts"_a, "plan"_a, "com_weight"_a = d.com_weight, "posture_weight"_a = d.posture_weight,
           "limb_weight"_a = d.limb_weight, "unload_time"_a = d.unload_time, "load_time"_a = d.load_time, "touch_speed"_a = d.touch_speed,
           "touch_lag"_a = d.touch_lag, "seat_load"_a = d.seat_load, "patience"_a = d.patience, "near"_a = d.near,
           "limit_margin"_a = d.control.limit_margin, "period"_a = d.control.period, "passive_joints"_a = std::vector<std::string>{})
      .def_property_readonly("finished", &C::finished, "Whether the last stance is reached.")
      .def_property_readonly("gave_up", &C::gave_up, "Whether it met what its plan did not count on; said() has why.")
      .def_property_readonly("stage", &C::stage, "The name of the stage that it is in.")
      .def("said", &C::said, "What happened since this was asked last: let go, placed, reached. In a simulation these become its events.")
      .def_property_readonly("result", [](const C& c) { return c.control().result(); }, "Of the last tick: a WholeBodyResult.")
      .def("report", [](const C& c) { return c.control().report(); }, "In words: what gave way in the last tick.")
      .def("is_held", [](const C& c, const std::string& name) { return c.control().is_held(c.control().contact(name)); }, "contact"_a, "Whether it holds.")
      .def("contact_force", [](const C& c, const std::string& name) { return array(c.control().contact_wrench(c.control().contact(name)).vector()); },
           "contact"_a, "Force and moment that the last tick planned, at the contact frame's origin, contact axes.")
      .def("solve",
           [](C& c, const py::object& q, const py::object& v, double t) {
             const Mechanism& robot = c.control().mechanism();
             const OwnedVector at(vector(numbers(q, {robot.nq()}, "q"))), moving(vector(numbers(v, {robot.nv()}, "v")));
             return c.solve(at, moving, t);
           },
           "q"_a, "v"_a, "t"_a, "One tick, for those who own the loop; a WholeBodyResult.");
  m.def("sampled",
        [](const Mechanism& robot, const std::shared_ptr<C>& controller, double period, double delay, double offset, const std::string& name) {
          return writable(sampled(name, controller, robot, {period, delay, offset}));
        },
        "m"_a, "controller"_a, "period"_a = 1e-3, "delay"_a = 0.0, "offset"_a = 0.0, "name"_a = "controller", py::prepend(),
        "A controller of stances that is asked at start + offset + k period (s).");
}

}  // namespace

void bind_stances(py::module_& m) {
  bind_plans(m);
  bind_follower(m);
}

}  // namespace amble::python
