#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/base/error.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/contact/free_acceleration.hpp"
#include "amble/contact/impact.hpp"
#include "amble/contact/rigid_contact.hpp"
#include "bindings.hpp"
#include "contact_specs.hpp"
#include "element_handles.hpp"
#include "rows.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

constexpr const char* kKeys = "body, point, radius, normal, offset, height, friction, restitution, name";

/// Infinite is a number here.
double friction_from(py::handle x) {
  const Array value = numbers(x, {}, "friction of a contact", Range::infinite);
  return value.data()[0];
}

ContactSpec spec_from(const py::handle& given, double restitution) {
  if (!py::isinstance<py::dict>(given))
    throw Error(fmt::format("a contact is not a dict: expected some of {}", kKeys));
  ContactSpec out;
  out.restitution = restitution;
  bool shifted = false;
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given)) {
    const std::string name = py::cast<std::string>(key), what = fmt::format("{} of a contact", name);
    if (name == "body")
      out.body = py::cast<std::string>(value);
    else if (name == "name")
      out.name = py::cast<std::string>(value);
    else if (name == "point")
      out.point = vector3(value, what);
    else if (name == "normal")
      out.normal = vector3(value, what);
    else if (name == "radius")
      out.radius = number(value, what);
    else if (name == "friction")
      out.friction = friction_from(value);
    else if (name == "restitution")
      out.restitution = number(value, what);
    else if (name == "offset" || name == "height") {
      if (shifted) throw Error("a contact has an offset and a height: expected one of them");
      out.offset = number(value, what), shifted = true;
    } else
      throw Error(fmt::format("a contact has '{}': expected {}", name, kKeys));
  }
  if (out.body.empty()) throw Error("a contact has no body");
  return out;
}

// ---- impacts

/// One impact, or a stack of them.
struct ImpactArrays {
  Array v, impulses, energy_lost, lost_in_play;
  std::vector<std::string> laws, notes, states;
  bool stacked = false;

  py::object one(const Array& x) const { return stacked ? py::object(x) : py::float_(x.data()[0]); }
};

constexpr const char* kImpact = R"(Velocities right after an impact on contacts of a mechanism, all at once.

contacts: a list of dicts: body; point in its coordinates (its origin unless given), normal in world axes (0, 0, 1), friction (infinite
unless given: no slip), restitution (that of the call unless given), radius. law: 'newton' or 'poisson'. What the mechanism carries
(loops, wheels) holds. play: rows (n x nv) of velocities of which play takes the share play_share after the impact. q and v may be stacks.
Gives .v, .impulses (world axes, one for each contact), .energy_lost (J), .lost_in_play, .states, .law and .note.)";

constexpr const char* kLoss =
    R"(What share of its kinetic energy a plastic impact without slip can take from a mechanism, DS 4.2.2.

before: contacts that hold until then and open. Gives (shares, velocities, momenta): shares from the largest to the smallest, and in the columns
of the others the velocities before it (v^T M v = 1) and momenta that lose just that.)";

ImpactArrays run_impact(const Mechanism& m, const py::object& q, const py::object& v,
                        const py::object& contacts, double restitution, const std::string& law,
                        const py::object& play, double play_share) {
  const std::vector<ContactSpec> specs = contact_specs_from(contacts, restitution);
  ImpactOptions options{
      .law = impact_law(law), .constraints = constraints_of(m), .play = {}, .play_share = play_share};
  if (!play.is_none()) {
    const Array rows = numbers(play, "play");
    if (rows.ndim() != 2 || rows.shape(1) != m.nv())
      throw Error(fmt::format("play is not a table of rows of {} numbers", m.nv()));
    options.play = OwnedRowMatrix(Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(
        rows.data(), rows.shape(0), rows.shape(1)));
  }
  const Stack qs = stack(q, {m.nq()}, "q"), vs = stack(v, {m.nv()}, "v");
  const Extents leading = common_leading(qs, "q", vs, "v");
  const py::ssize_t count = product(leading), k = static_cast<py::ssize_t>(specs.size());
  ImpactArrays out{new_array(leading, {m.nv()}),
                   new_array(leading, {k, 3}),
                   new_array(leading, {}),
                   new_array(leading, {}),
                   {},
                   {},
                   {},
                   !leading.empty()};
  out.laws.resize(count), out.notes.resize(count), out.states.resize(count * k);
  double *const to_v = out.v.mutable_data(), *const to_p = out.impulses.mutable_data(),
                *const to_lost = out.energy_lost.mutable_data(),
                *const to_play = out.lost_in_play.mutable_data();
  py::gil_scoped_release unlocked;
  for_each_row(leading, [&]() -> Worker {
    return [&](std::ptrdiff_t i) {
      const ImpactResult r = impact(m, Eigen::Map<const Eigen::VectorXd>(qs.item(i), m.nq()),
                                    Eigen::Map<const Eigen::VectorXd>(vs.item(i), m.nv()), specs, options);
      std::copy_n(r.v.data(), m.nv(), to_v + i * m.nv());
      for (py::ssize_t c = 0; c < k; ++c) {
        std::copy_n(r.impulses[c].data(), 3, to_p + (i * k + c) * 3);
        out.states[i * k + c] = r.states[c] == ContactState::open       ? "open"
                                : r.states[c] == ContactState::sticking ? "sticking"
                                                                        : "sliding";
      }
      to_lost[i] = r.energy_lost, to_play[i] = r.lost_in_play;
      out.laws[i] = name_of(r.law), out.notes[i] = r.note;
    };
  });
  return out;
}

template <class T>
py::object texts(const ImpactArrays& x, const T& list) {
  return x.stacked ? py::cast(list) : py::cast(list[0]);
}

py::tuple run_loss(const Mechanism& m, const py::object& q, const py::object& contacts,
                   const py::object& before) {
  const Array at = numbers(q, {m.nq()}, "q");
  const std::vector<ContactSpec> held =
      before.is_none() ? std::vector<ContactSpec>() : contact_specs_from(before);
  const ImpactLoss x = impact_loss(m, vector(at), contact_specs_from(contacts), held, constraints_of(m));
  return py::make_tuple(array(x.shares), array(x.velocities), array(x.momenta));
}

py::tuple run_accelerations(const Mechanism& m, const py::object& q, const py::object& v,
                            const py::object& tau, const py::object& contacts) {
  const Array at_q = numbers(q, {m.nq()}, "q"), at_v = numbers(v, {m.nv()}, "v"),
              at_tau = numbers(tau, {m.nv()}, "tau");
  const ContactAccelerations x = contact_accelerations(m, vector(at_q), vector(at_v), vector(at_tau),
                                                       contact_specs_from(contacts), constraints_of(m));
  return py::make_tuple(array(x.mobility), array(x.free));
}

void bind_impact(py::module_& m) {
  py::class_<ImpactArrays>(m, "ImpactResult", "What impact() gives.")
      .def_property_readonly(
          "v", [](const ImpactArrays& x) { return x.v; }, "Velocities after it (nv).")
      .def_property_readonly(
          "impulses", [](const ImpactArrays& x) { return x.impulses; },
          "On the body of each contact, world axes (contacts x 3, N s).")
      .def_property_readonly(
          "energy_lost", [](const ImpactArrays& x) { return x.one(x.energy_lost); },
          "What the impulses took (J).")
      .def_property_readonly(
          "lost_in_play", [](const ImpactArrays& x) { return x.one(x.lost_in_play); },
          "What play took beyond that (J).")
      .def_property_readonly(
          "states", [](const ImpactArrays& x) { return x.states; },
          "Of each contact after it: 'open', 'sticking' or 'sliding'; of a stack row by row.")
      .def_property_readonly(
          "law", [](const ImpactArrays& x) { return texts(x, x.laws); },
          "The law of restitution that was used.")
      .def_property_readonly(
          "note", [](const ImpactArrays& x) { return texts(x, x.notes); },
          "Why, where it is not the one asked for.");
  m.def("impact", &run_impact, "m"_a, "q"_a, "v"_a, "contacts"_a, "restitution"_a = 0.0, "law"_a = "newton",
        "play"_a = py::none(), "play_share"_a = 1.0, kImpact);
  m.def("impact_loss", &run_loss, "m"_a, "q"_a, "contacts"_a, "before"_a = py::none(), kLoss);
  m.def("contact_accelerations", &run_accelerations, "m"_a, "q"_a, "v"_a, "tau"_a, "contacts"_a,
        "(mobility, free): accelerations of contacts are mobility @ forces + free, three rows (normal, t1, "
        "t2) for each; free is DS (3.55).");
}

}  // namespace

std::vector<ContactSpec> contact_specs_from(const py::object& contacts, double restitution) {
  std::vector<ContactSpec> out;
  if (contacts.is_none()) return out;
  if (py::isinstance<py::dict>(contacts)) throw Error("contacts is one dict: expected a list of them");
  for (const py::handle given : contacts) out.push_back(spec_from(given, restitution));
  return out;
}

void bind_contact(py::module_& m) {
  bind_impact(m);
  const RigidContactOptions standard;
  m.def(
      "rigid_contacts",
      [](const Mechanism& robot, const py::object& contacts, double rest_speed, double clearance) {
        std::vector<ElementHandle> out;
        for (const ElementPtr& e : rigid_contacts(robot, contact_specs_from(contacts),
                                                  {.rest_speed = rest_speed, .clearance = clearance}))
          out.push_back(writable(e));
        return out;
      },
      "m"_a, "contacts"_a, "rest_speed"_a = standard.rest_speed, "clearance"_a = standard.clearance,
      "Elements of contacts that do not give way, one for each dict (as for impact(), and 'offset' or "
      "'height' of the plane): what "
      "`contacts` of simulate() makes.");
  m.def(
      "rigid_contact",
      [](const Mechanism& robot, const py::object& pair, const py::object& friction, double restitution,
         double rest_speed, double clearance, const std::string& name) {
        return writable(rigid_contact(name, robot, pair.cast<std::shared_ptr<ContactPair>>(),
                                      {friction_from(friction), restitution, rest_speed, clearance}));
      },
      "m"_a, "pair"_a, "friction"_a = standard.friction, "restitution"_a = standard.restitution,
      "rest_speed"_a = standard.rest_speed, "clearance"_a = standard.clearance, "name"_a = "contact",
      "The same for any two surfaces.");
}

}  // namespace amble::python
