#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/base/error.hpp"
#include "amble/control/posture/inverse_kinematics.hpp"
#include "amble/control/posture/static_posture.hpp"
#include "bindings.hpp"
#include "constraint_handles.hpp"
#include "posture_specs.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

using namespace py::literals;
using Names = std::vector<std::string>;

constexpr const char* kInverseKinematics = R"(A configuration that puts parts of m where they are wanted, within the joint limits.

targets: a list of dicts, each with body (a body or frame) and one of pose (4x4), position (with point, in body coordinates)
and orientation (3x3), on the world or on reference (a body or frame), or with center_of_mass; weights: one number, or one for each row (3, of a pose 6: position along
the target's axes, then orientation); zero drops a row. q0: where to start, one or a stack. held: joints that stay.
apart: pairs of bodies that keep clearance (m) from each other, "world" being the scenery and ground; what is missing of it
counts by apart_weight. attempts: starts, all but the first drawn within the limits from seed.
Returns an IkResult; of a stack its members are stacked.)";

constexpr const char* kIkResult = R"(What inverse_kinematics found.

q; status: "solved", "unreachable" (the best there is nearby) or "iteration_limit"; solved. error: the largest error that
counts (m, rad); residuals: a row for each target, distance (m) and angle (rad). nearest: the least distance of bodies that
keep apart (m). iterations, attempts. Of a stack of starts: arrays, statuses as a list.)";

constexpr const char* kBodyDistances = R"(How far bodies are from each other, by their collision shapes.

pairs: a list of pairs of names, "world" being the scenery and ground; None: all that may meet. Returns a list of dicts with
bodies, distance (negative: they penetrate), p_a, p_b and normal (world axes, from the first to the second), and gradient
(nv): the rate of the distance is gradient . v.)";

constexpr const char* kStaticPosture = R"(A configuration in which m rests on contacts, with its torques and forces.

contacts: a list of dicts: body (a body or frame), name, frame (4x4, the contact frame on the body, z the way the support
pushes), points (rows in that frame, its origin unless given), support ("world", or a body or frame: a hand on a box), pose
(4x4: where the contact frame rests on the support, z the normal), hold ("pose", "position", "plane": flat but free to slide and
turn, "height"), friction (0.7), least_force, largest_force (N, along the normal, all points together).
q0: where to start, and the posture that is liked best. targets: as of inverse_kinematics, met exactly. unactuated: joints
without drive, beside free ones. torque_share, friction_share: of what limits and cones may be used; limit_margin (rad, m).
posture_weight, torque_weight, force_weight: what is minimised. Returns a StaticPosture: look at found before q.)";

constexpr const char* kPosture = R"(A posture at rest, or the nearest that was found.

found; status and message of the search; q; torques (nv); forces: of each contact an array, a row for each point (N, world
axes). From the mechanism's functions alone: imbalance (N, N m), misplacement (m, rad), torque_use and friction_use (shares of
limits and cones), limit_margin (rad, m), nearest (m). iterations.)";

// ---- targets

void put_weights(KinematicTarget& t, const py::object& given) {
  if (given.is_none()) return;
  const std::vector<double> w = number_list(given, "weights");
  std::size_t next = 0;
  const auto present = static_cast<std::size_t>((t.weights.array() > 0.0).count());
  if (w.size() != 1 && w.size() != present)
    throw Error(fmt::format("weights of '{}' are {} numbers: expected 1 or {}", t.name(), w.size(), present));
  for (int k = 0; k < 6; ++k)
    if (t.weights[k] > 0.0) t.weights[k] = w[w.size() == 1 ? 0 : next++];
}

KinematicTarget target_from(const py::handle& x) {
  Keys keys(x, "a target");
  KinematicTarget t;
  const py::object body = keys.take("body"), point = keys.take("point"), reference = keys.take("reference");
  const std::string place = body.is_none() ? "" : body.cast<std::string>();
  const Vector3<double> at = point.is_none() ? Vector3<double>(Vector3<double>::Zero()) : vector3(point, "point");
  if (keys.has("center_of_mass")) {
    t = center_of_mass_target(vector3(keys.take("center_of_mass"), "center_of_mass"));
  } else if (place.empty()) {
    throw Error("a target has no body: expected 'body', or 'center_of_mass'");
  } else if (keys.has("pose")) {
    t = pose_target(place, pose_from(keys.take("pose"), "pose")), t.X_PF = Pose(at);
  } else if (keys.has("position")) {
    t = position_target(place, vector3(keys.take("position"), "position"), at);
  } else if (keys.has("orientation")) {
    t = orientation_target(place, SO3<double>(matrix3(keys.take("orientation"), "orientation")));
  } else {
    throw Error(fmt::format("the target of '{}' says not where: expected 'pose', 'position' or 'orientation'", place));
  }
  if (!reference.is_none()) t.reference = reference.cast<std::string>();
  put_weights(t, keys.take("weights"));
  keys.finish();
  return t;
}

}  // namespace

std::vector<KinematicTarget> targets_from(const py::object& x) {
  std::vector<KinematicTarget> out;
  if (x.is_none()) return out;
  for (const py::handle& item : py::cast<py::list>(x)) out.push_back(target_from(item));
  return out;
}

GroundPtr ground_from(const py::object& x) { return x.is_none() ? nullptr : x.cast<GroundHandle>(); }

namespace {

// ---- inverse kinematics

struct IkAnswer {
  py::object q, solved, status, error, residuals, nearest, iterations, attempts;
};

IkAnswer answer(const IkResult& r) {
  Array residuals = new_array({}, {static_cast<py::ssize_t>(r.residuals.size()), 2});
  double* to = residuals.mutable_data();
  for (const KinematicRows::Residual& x : r.residuals) *to++ = x.position, *to++ = x.orientation;
  return {array(r.q), py::bool_(r.solved()), py::str(name_of(r.status)), py::float_(r.error), residuals,
          py::float_(r.nearest), py::int_(r.iterations), py::int_(r.attempts)};
}

/// A row of a stack for each, statuses as a list.
IkAnswer stacked(const std::vector<IkResult>& rows, const Extents& leading) {
  const auto targets = static_cast<py::ssize_t>(rows[0].residuals.size());
  Array q = new_array(leading, {rows[0].q.size()}), error = new_array(leading, {}), nearest = new_array(leading, {}),
        residuals = new_array(leading, {targets, 2});
  py::array_t<bool> solved(leading);
  py::array_t<int> iterations(leading), attempts(leading);
  py::list status;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const IkResult& r = rows[i];
    put(r.q, q.mutable_data() + i * r.q.size());
    for (py::ssize_t k = 0; k < targets; ++k) {
      double* to = residuals.mutable_data() + 2 * (i * targets + k);
      to[0] = r.residuals[k].position, to[1] = r.residuals[k].orientation;
    }
    error.mutable_data()[i] = r.error, nearest.mutable_data()[i] = r.nearest, solved.mutable_data()[i] = r.solved();
    iterations.mutable_data()[i] = r.iterations, attempts.mutable_data()[i] = r.attempts;
    status.append(name_of(r.status));
  }
  return {q, solved, status, error, residuals, nearest, iterations, attempts};
}

IkAnswer solve_kinematics(const Mechanism& m, const py::object& targets, const py::object& q0, double tolerance, int iterations,
                          int attempts, const py::object& seed, const Names& held, const std::vector<BodyPair>& apart,
                          double clearance, double apart_weight, const py::object& ground) {
  const IkSettings settings{tolerance, iterations, attempts, seed_from(seed), held, apart, clearance, apart_weight, ground_from(ground)};
  const std::vector<KinematicTarget> wanted = targets_from(targets);
  const Input start(q0, m.nq(), "q0");
  std::vector<IkResult> found(start.rows.count);
  {
    py::gil_scoped_release unlocked;
    for_each_row(start.rows.leading, [&]() -> Worker {
      return [&](std::ptrdiff_t i) { found[i] = inverse_kinematics(m, wanted, start[i], settings); };
    });
  }
  return start.rows.leading.empty() ? answer(found[0]) : stacked(found, start.rows.leading);
}

void bind_kinematics(py::module_& m) {
  py::class_<IkAnswer>(m, "IkResult", kIkResult)
      .def_readonly("q", &IkAnswer::q, "The configuration.")
      .def_readonly("solved", &IkAnswer::solved, "Whether every target is met.")
      .def_readonly("status", &IkAnswer::status, "\"solved\", \"unreachable\" or \"iteration_limit\".")
      .def_readonly("error", &IkAnswer::error, "The largest error that counts (m, rad).")
      .def_readonly("residuals", &IkAnswer::residuals, "Distance (m) and angle (rad) of each target.")
      .def_readonly("nearest", &IkAnswer::nearest, "The least distance of bodies that keep apart (m).")
      .def_readonly("iterations", &IkAnswer::iterations, "Of the attempt that is returned.")
      .def_readonly("attempts", &IkAnswer::attempts, "Starts that were tried.");
  const IkSettings d;
  m.def("inverse_kinematics", &solve_kinematics, "m"_a, "targets"_a, "q0"_a, "tolerance"_a = d.tolerance,
        "iterations"_a = d.iterations, "attempts"_a = d.attempts, "seed"_a = 1, "held"_a = Names{},
        "apart"_a = std::vector<BodyPair>{}, "clearance"_a = d.clearance, "apart_weight"_a = d.apart_weight,
        "ground"_a = py::none(), kInverseKinematics);
}

// ---- distances

py::list distances_at(const Mechanism& m, const py::object& q, const std::optional<std::vector<BodyPair>>& pairs,
                      const py::object& ground) {
  BodyDistances distances(m, {pairs.value_or(std::vector<BodyPair>{}), ground_from(ground)});
  py::list out;
  std::size_t i = 0;
  OwnedVector slope(m.nv());
  for (const BodyDistance& d : distances.evaluate(vector(numbers(q, {m.nq()}, "q")))) {
    distances.gradient(i++, slope.data());
    out.append(py::dict("bodies"_a = py::make_tuple(d.bodies.first, d.bodies.second), "distance"_a = d.at.distance,
                        "p_a"_a = array(d.at.p_a), "p_b"_a = array(d.at.p_b), "normal"_a = array(d.at.normal),
                        "gradient"_a = array(slope)));
  }
  return out;
}

// ---- postures

ContactHold hold_from(const std::string& name) {
  Names known;
  for (const ContactHold hold : {ContactHold::pose, ContactHold::position, ContactHold::plane, ContactHold::height}) {
    known.push_back(name_of(hold));
    if (name == known.back()) return hold;
  }
  throw Error(fmt::format("hold is '{}': expected one of {}", name, fmt::join(known, ", ")));
}

std::vector<Vector3<double>> points_from(const py::object& x) {
  const Stack rows = stack(x, {3}, "points");
  std::vector<Vector3<double>> out;
  for (py::ssize_t i = 0; i < rows.count; ++i) out.emplace_back(rows.item(i));
  return out;
}

}  // namespace

PostureContact contact_from(const py::handle& x) {
  Keys keys(x, "a contact");
  PostureContact c;
  const auto given = [&](const char* key, auto take) {
    const py::object value = keys.take(key);
    if (!value.is_none()) take(value);
  };
  given("body", [&](const py::object& v) { c.patch.name = c.patch.place = v.cast<std::string>(); });
  given("name", [&](const py::object& v) { c.patch.name = v.cast<std::string>(); });
  given("frame", [&](const py::object& v) { c.patch.X_PC = pose_from(v, "frame"); });
  given("points", [&](const py::object& v) { c.patch.points = points_from(v); });
  given("support", [&](const py::object& v) { c.patch.support = v.cast<std::string>(); });
  given("pose", [&](const py::object& v) { c.X_ST = pose_from(v, "pose"); });
  given("hold", [&](const py::object& v) { c.hold = hold_from(v.cast<std::string>()); });
  given("friction", [&](const py::object& v) { c.patch.friction = number(v, "friction"); });
  given("least_force", [&](const py::object& v) { c.patch.least_force = number(v, "least_force"); });
  given("largest_force", [&](const py::object& v) { c.patch.largest_force = number(v, "largest_force"); });
  keys.finish();
  return c;
}

namespace {

py::list forces_of(const StaticPosture& p) {
  py::list out;
  for (const auto& contact : p.forces) {
    Array rows = new_array({}, {static_cast<py::ssize_t>(contact.size()), 3});
    double* to = rows.mutable_data();
    for (const Vector3<double>& f : contact) put(f, to), to += 3;
    out.append(rows);
  }
  return out;
}

StaticPosture posture_of(const Mechanism& m, const py::object& contacts, const py::object& q0, const py::object& targets,
                         const std::vector<BodyPair>& apart, double clearance, const py::object& ground, const Names& unactuated,
                         const Names& held, double torque_share, double friction_share, double limit_margin,
                         double posture_weight, double torque_weight, double force_weight) {
  std::vector<PostureContact> on;
  for (const py::handle& item : py::cast<py::list>(contacts)) on.push_back(contact_from(item));
  const PostureSettings settings{targets_from(targets), apart, clearance, ground_from(ground), unactuated, held, torque_share,
                                 friction_share, limit_margin, posture_weight, torque_weight, force_weight};
  const OwnedVector start(vector(numbers(q0, {m.nq()}, "q0")));
  py::gil_scoped_release unlocked;
  return static_posture(m, on, start, settings);
}

void bind_static_posture(py::module_& m) {
  py::class_<StaticPosture>(m, "StaticPosture", kPosture)
      .def_property_readonly("found", &StaticPosture::found, "Whether it rests.")
      .def_property_readonly("q", [](const StaticPosture& p) { return array(p.q); }, "The configuration.")
      .def_property_readonly("status", [](const StaticPosture& p) { return name_of(p.status); }, "Of the search.")
      .def_readonly("message", &StaticPosture::message, "One sentence; without a posture what stands in the way most.")
      .def_property_readonly("torques", [](const StaticPosture& p) { return array(p.torques); }, "Of the drives (nv).")
      .def_property_readonly("forces", &forces_of, "Of each contact, a row for each point (N, world axes).")
      .def_readonly("imbalance", &StaticPosture::imbalance, "The largest force that nothing bears (N, N m).")
      .def_readonly("misplacement", &StaticPosture::misplacement, "Of contacts and targets, the largest (m, rad).")
      .def_readonly("torque_use", &StaticPosture::torque_use, "The largest |torque| / effort limit.")
      .def_readonly("friction_use", &StaticPosture::friction_use, "The largest |tangential| / (friction x normal force).")
      .def_readonly("limit_margin", &StaticPosture::limit_margin, "The least distance from a joint limit (rad, m).")
      .def_readonly("nearest", &StaticPosture::nearest, "The least distance of bodies that keep apart (m).")
      .def_readonly("iterations", &StaticPosture::iterations, "Of the search.");
  const PostureSettings d;
  m.def("static_posture", &posture_of, "m"_a, "contacts"_a, "q0"_a, "targets"_a = py::none(),
        "apart"_a = std::vector<BodyPair>{}, "clearance"_a = d.clearance, "ground"_a = py::none(), "unactuated"_a = Names{},
        "held"_a = Names{}, "torque_share"_a = d.torque_share, "friction_share"_a = d.friction_share,
        "limit_margin"_a = d.limit_margin, "posture_weight"_a = d.posture_weight, "torque_weight"_a = d.torque_weight,
        "force_weight"_a = d.force_weight, kStaticPosture);
}

}  // namespace

void bind_postures(py::module_& m) {
  bind_kinematics(m);
  m.def("body_distances", &distances_at, "m"_a, "q"_a, "pairs"_a = py::none(), "ground"_a = py::none(), kBodyDistances);
  bind_static_posture(m);
}

}  // namespace amble::python
