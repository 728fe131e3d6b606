#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/dynamics/coordinates/chart_dynamics.hpp"
#include "amble/dynamics/coordinates/chart_switching.hpp"
#include "bindings.hpp"
#include "charts.hpp"
#include "parts.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

using CoordinatesPtr = std::shared_ptr<ChartCoordinates>;

/// A chart for all joints, or a mapping {joint: chart} with quaternions for the others.
CoordinatesPtr coordinates_from(const Mechanism& m, const py::object& chart) {
  if (py::isinstance<ChartCoordinates>(chart)) {
    const CoordinatesPtr given = chart.cast<CoordinatesPtr>();
    if (&given->mechanism().description() != &m.description())
      throw Error(fmt::format("the coordinates are of '{}' as it was, not of the '{}' given; make ChartCoordinates for each "
                              "mechanism, also for changed copies",
                              given->mechanism().name(), m.name()));
    return given;
  }
  if (!py::isinstance<py::dict>(chart)) return std::make_shared<ChartCoordinates>(m, chart_from(chart));
  std::map<std::string, ChartPtr> by_joint;
  for (const auto& [joint, own] : named_values(chart, "chart")) by_joint[joint] = chart_from(own);
  return std::make_shared<ChartCoordinates>(m, amble::chart("quaternion"), by_joint);
}

/// f(rows...) for every row of the inputs, on all cores. (A chart of Python's takes the interpreter when it needs it.)
template <class F, class... Inputs>
Array map_coordinates(const Extents& item, F f, const Inputs&... inputs) {
  const Extents leading = shared_leading({&inputs...});
  Array out = new_array(leading, item);
  double* to = out.mutable_data();
  py::gil_scoped_release unlocked;
  for_each_row(leading, [&] { return [&](std::ptrdiff_t i) { put(f(inputs[i]...), to + i * product(item)); }; });
  return out;
}

Array from_configuration(const ChartCoordinates& c, const py::object& q, const py::object& hint) {
  const int nq = c.mechanism().nq();
  if (hint.is_none())
    return map_coordinates({c.size()}, [&](Row q) { return c.from_configuration(q); }, Input(q, nq, "q"));
  return map_coordinates({c.size()}, [&](Row q, Row hint) { return c.from_configuration(q, hint); }, Input(q, nq, "q"),
                         Input(hint, c.size(), "hint"));
}

Array configuration(const ChartCoordinates& c, const py::object& q_chart) {
  return map_coordinates({c.mechanism().nq()}, [&](Row q) { return c.configuration(q); },
                         Input(q_chart, c.size(), "q_chart"));
}

Array velocity(const ChartCoordinates& c, const py::object& q_chart, const py::object& qdot_chart) {
  return map_coordinates({c.mechanism().nv()}, [&](Row q, Row qdot) { return c.velocity(q, qdot); },
                         Input(q_chart, c.size(), "q_chart"), Input(qdot_chart, c.size(), "qdot_chart"));
}

Array rates(const ChartCoordinates& c, const py::object& q_chart, const py::object& v) {
  return map_coordinates({c.size()}, [&](Row q, Row v) { return c.rates(q, v); }, Input(q_chart, c.size(), "q_chart"),
                         Input(v, c.mechanism().nv(), "v"));
}

Array constraints(const ChartCoordinates& c, const py::object& q_chart) {
  return map_coordinates({c.constraint_count()}, [&](Row q) { return c.constraints(q); },
                         Input(q_chart, c.size(), "q_chart"));
}

std::map<std::string, std::shared_ptr<Chart>> charts(const ChartCoordinates& c) {
  std::map<std::string, std::shared_ptr<Chart>> out;
  for (const ChartBlock& b : c.blocks())
    out[c.mechanism().joints()[b.joint].name] = std::const_pointer_cast<Chart>(b.chart);
  return out;
}

/// What acts from outside: forces at points, or wrenches by body.
struct Forces {
  std::vector<PointForce> points;
  std::vector<ExternalWrench> wrenches;
};

PointForce point_force(const Mechanism& m, const py::object& given) {
  const std::map<std::string, py::object> named = named_values(given, "a force");
  for (const auto& [key, value] : named)
    if (key != "body" && key != "point" && key != "force")
      throw Error(fmt::format("a force has '{}': expected body, force and, unless it is the origin, point", key));
  const auto required = [&](const char* key) {
    const auto found = named.find(key);
    if (found == named.end()) throw Error(fmt::format("a force has no '{}'", key));
    return found->second;
  };
  const std::string body = py::cast<std::string>(required("body"));
  const auto point = named.find("point");
  return {m.body_index(body), point == named.end() ? Vector3<double>::Zero() : vector3(point->second, "point of a force"),
          vector3(required("force"), fmt::format("force on '{}'", body))};
}

/// None, a list of dict(body=, point=, force=), or a mapping {body: wrench}.
Forces forces_from(const Mechanism& m, const py::object& given) {
  Forces out;
  if (given.is_none()) return out;
  if (py::isinstance<py::dict>(given) && given.cast<py::dict>().contains("body")) {
    out.points.push_back(point_force(m, given));
    return out;
  }
  if (py::isinstance<py::dict>(given)) {
    out.wrenches = wrenches(m, given, "forces");
    return out;
  }
  if (!py::isinstance<py::sequence>(given) || py::isinstance<py::str>(given))
    throw Error("forces are given as a list of dict(body=, point=, force=) or as {body: wrench}");
  for (const py::handle& force : given) out.points.push_back(point_force(m, py::reinterpret_borrow<py::object>(force)));
  return out;
}

/// The chart form at a state or at a stack of them.
class ChartForm {
 public:
  ChartForm(CoordinatesPtr coordinates, const py::object& q_chart, const py::object& qdot_chart, double tolerance,
            double stabilisation_rate)
      : coordinates_(std::move(coordinates)),
        q_(own(q_chart, "q_chart")),
        qdot_(own(qdot_chart, "qdot_chart")),
        leading_(shared_leading({&q_, &qdot_})),
        tolerance_(tolerance),
        stabilisation_rate_(stabilisation_rate),
        lone_(new_dynamics()) {
    if (leading_.empty())
      lone_->set_state(q_[0], qdot_[0], tolerance_);
    else
      map({0}, [](ChartDynamics&) { return Eigen::VectorXd(0); });  // every state is looked at once, now
  }

  const ChartCoordinates& coordinates() const { return *coordinates_; }
  const CoordinatesPtr& shared_coordinates() const { return coordinates_; }
  int size() const { return coordinates_->size(); }
  int nv() const { return coordinates_->mechanism().nv(); }

  /// f(dynamics) for every state.
  template <class F>
  Array map(const Extents& item, F f) {
    return run(leading_, item, [&](ChartDynamics& d, std::ptrdiff_t) { return f(d); });
  }
  /// f(dynamics, row of `with`) for every state.
  template <class F>
  Array map(const Extents& item, F f, const Input& with) {
    const Extents leading = shared_leading({&q_, &qdot_, &with});
    return run(leading, item, [&](ChartDynamics& d, std::ptrdiff_t i) { return f(d, with[i]); });
  }

 private:
  /// A copy: what the caller does to the array later does not matter.
  Input own(const py::object& x, const char* what) const {
    return Input(py::module_::import("numpy").attr("array")(x), coordinates_->size(), what);
  }
  std::unique_ptr<ChartDynamics> new_dynamics() const {
    auto d = std::make_unique<ChartDynamics>(*coordinates_);
    d->set_stabilisation_rate(stabilisation_rate_);
    return d;
  }

  /// A lone state is set already; with a stack each thread sets its own.
  template <class F>
  Array run(const Extents& leading, const Extents& item, F f) {
    Array out = new_array(leading, item);
    double* to = out.mutable_data();
    if (leading.empty()) {
      put(f(*lone_, 0), to);
      return out;
    }
    py::gil_scoped_release unlocked;
    for_each_row(leading, [&]() -> Worker {
      return [&, d = std::shared_ptr<ChartDynamics>(new_dynamics())](std::ptrdiff_t i) {
        d->set_state(q_[i], qdot_[i], tolerance_);
        put(f(*d, i), to + i * product(item));
      };
    });
    return out;
  }

  CoordinatesPtr coordinates_;
  Input q_, qdot_;
  Extents leading_;
  double tolerance_, stabilisation_rate_;
  std::unique_ptr<ChartDynamics> lone_;
};

/// u may leave out the free joints; see ChartCoordinates::joint_forces().
Input drives(const py::object& u) {
  const Array given = numbers(u, "u");
  const py::ssize_t last = given.ndim() == 0 ? 0 : given.shape(given.ndim() - 1);
  return Input(given, static_cast<int>(last), "u");
}

Array forward(ChartForm& x, const py::object& u, const py::object& forces) {
  const Forces F = forces_from(x.coordinates().mechanism(), forces);
  return x.map({x.size()}, [&](ChartDynamics& d, Row u) { return d.forward(u, F.points, F.wrenches); }, drives(u));
}

Array inverse(ChartForm& x, const py::object& qddot, const py::object& forces) {
  const Forces F = forces_from(x.coordinates().mechanism(), forces);
  return x.map({x.nv()}, [&](ChartDynamics& d, Row qddot) { return d.inverse(qddot, F.points, F.wrenches); },
               Input(qddot, x.size(), "qddot"));
}

Array multiplier(ChartForm& x, const py::object& u, const py::object& forces) {
  const Forces F = forces_from(x.coordinates().mechanism(), forces);
  return x.map({x.coordinates().constraint_count()},
               [&](ChartDynamics& d, Row u) { return d.multiplier(u, F.points, F.wrenches); }, drives(u));
}

using JacobianOf = const ChartJacobian& (ChartDynamics::*)(const ChartBlock&) const;

/// Of the joint named, or of the first that has a chart.
Array j_omega(ChartForm& x, const std::optional<std::string>& joint, JacobianOf f) {
  if (!joint && x.coordinates().blocks().empty()) return x.map({3, 0}, [](ChartDynamics&) { return Eigen::MatrixXd(3, 0); });
  const ChartBlock* block = joint ? &x.coordinates().block(*joint) : &x.coordinates().blocks()[0];
  const std::ptrdiff_t index = block - x.coordinates().blocks().data();
  return x.map({3, block->theta.size},
               [&](ChartDynamics& d) { return (d.*f)(d.coordinates().blocks()[index]); });
}

constexpr const char* kCoordinates = R"(Coordinates that add and that time differentiates, BK (1): (x0, theta0, qhat).

chart: for every free and spherical joint, by name ("rpy", "quaternion", ...), as a Chart, or an object with rho(theta); or
a mapping {joint: chart}, with quaternions for joints that it leaves out. A free joint has its position and then theta, a
spherical joint its theta, every other joint its own coordinates, in the order of the mechanism.)";

constexpr const char* kDynamics = R"(The equation of motion in chart coordinates, BK (24), as a ChartDynamics.

M qddot + N qdot = M (g, 0, 0) + (0, 0, u) + sum J^T f + G^T lambda, with the charts' constraints C = 0.
chart: as ChartCoordinates takes it, or one of those. q_chart, qdot_chart (size each): a quaternion or a matrix that is not
a rotation, and rates that leave the constraint, by more than `tolerance` are Errors; give 0.1 or so in the stages of an
integrator of your own, which are a little off. stabilisation_rate (1/s): forward() asks for C'' = -2 rate C' - rate^2 C
instead of C'' = 0. The weight is M (g, 0, 0) for a floating base whose joint frame is the world's; see .weight. Stacks
(..., size) give stacks.)";

constexpr const char* kForward = R"(qddot (size) that the forces give, with the constraints held.

u: forces of the joints, paired with v: of all joints (nv), or of all but the free ones, which nothing drives (u of BK).
forces: None; a list of dict(body=, point=, force=), points in body coordinates (m), forces in world axes (N); or
{body: wrench (6)} as `external` elsewhere. An Error where a chart is singular. Takes stacks of u.)";

void bind_coordinates(py::module_& m) {
  py::class_<ChartCoordinates, CoordinatesPtr>(m, "ChartCoordinates", kCoordinates)
      .def(py::init(&coordinates_from), py::arg("m"), py::arg("chart"))
      .def_property_readonly("size", &ChartCoordinates::size, "How many numbers q_chart has.")
      .def_property_readonly("constraint_count", &ChartCoordinates::constraint_count, "How many constraints bind them.")
      .def_property_readonly("charts", &charts, "{joint: Chart} of the joints that have one.")
      .def("slice", [](const ChartCoordinates& c, const std::string& joint) { return slice_of(c.slice(joint)); },
           py::arg("joint"), "Where a joint's coordinates stand in q_chart.")
      .def("from_configuration", &from_configuration, py::arg("q"), py::arg("hint") = py::none(),
           "q_chart (size) of a configuration, near the hint (size) where there are several. Takes stacks.")
      .def("configuration", &configuration, py::arg("q_chart"), "q (nq) at q_chart. Takes stacks.")
      .def("velocity", &velocity, py::arg("q_chart"), py::arg("qdot_chart"), "v = T qdot_chart (nv). Takes stacks.")
      .def("rates", &rates, py::arg("q_chart"), py::arg("v"),
           "qdot_chart (size) that gives v and keeps the constraints; an Error where a chart is singular. Takes stacks.")
      .def("constraints", &constraints, py::arg("q_chart"), "C (constraint_count), zero on the manifold. Takes stacks.")
      .def("__repr__", [](const ChartCoordinates& c) {
        return fmt::format("<amble.ChartCoordinates of '{}': {} numbers, {} constraints>", c.mechanism().name(), c.size(),
                           c.constraint_count());
      });
}

constexpr const char* kSwitcher = R"(Charts that are left when they near their singularity.

Three-parameter charts only; those with constraints have no singularity and stay. threshold: a chart is left when its
singularity_measure() falls below it. alternatives: charts to turn to, beside the one that a joint started in.)";

ChartSwitcher switcher(const ChartCoordinates& coordinates, double threshold, const std::vector<py::object>& alternatives) {
  ChartSwitchOptions options{.threshold = threshold};
  options.alternatives.clear();
  for (const py::object& chart : alternatives) options.alternatives.push_back(chart_from(chart));
  return ChartSwitcher(coordinates, options);
}

py::tuple update(ChartSwitcher& s, double t, const py::object& q_chart, const py::object& qdot_chart) {
  const int n = s.coordinates().size();
  const Array q = numbers(q_chart, {n}, "q_chart"), qdot = numbers(qdot_chart, {n}, "qdot_chart");
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(q.data(), n), xdot = Eigen::Map<const Eigen::VectorXd>(qdot.data(), n);
  s.update(t, x, xdot);
  return py::make_tuple(array(x), array(xdot));
}

py::list log_of(const ChartSwitcher& s) {
  py::list out;
  for (const ChartSwitch& x : s.log()) {
    py::dict entry;
    entry["t"] = x.t, entry["joint"] = x.joint, entry["source"] = x.from, entry["target"] = x.to;
    entry["measure_before"] = x.measure_before, entry["measure_after"] = x.measure_after;
    out.append(entry);
  }
  return out;
}

void bind_switcher(py::module_& m) {
  py::class_<ChartSwitcher>(m, "ChartSwitcher", kSwitcher)
      .def(py::init(&switcher), py::arg("coordinates"), py::arg("threshold") = ChartSwitchOptions().threshold,
           py::arg("alternatives") = std::vector<std::string>{"rpy", "zxz"})
      .def_property_readonly("coordinates",
                             [](const ChartSwitcher& s) { return std::make_shared<ChartCoordinates>(s.coordinates()); },
                             "The ChartCoordinates of now.")
      .def_property_readonly("log", &log_of, "What was switched: a dict(t, joint, source, target, measure_before, "
                                             "measure_after) each.")
      .def("update", &update, py::arg("t"), py::arg("q_chart"), py::arg("qdot_chart"),
           "(q_chart, qdot_chart) of the same state in the charts that are good here; call it after every step.");
}

}  // namespace

void bind_chart_form(py::module_& m) {
  bind_coordinates(m);
  bind_switcher(m);
  using X = ChartForm;
  const auto matrix = [](auto f) {
    return [f](X& x) { return x.map({x.size(), x.size()}, [f](ChartDynamics& d) { return f(d); }); };
  };
  py::class_<X>(m, "ChartDynamics", "The chart form at a state; made by chart_dynamics().")
      .def_property_readonly("coordinates", &X::shared_coordinates, "The ChartCoordinates.")
      .def_property_readonly("M", matrix([](ChartDynamics& d) -> auto& { return d.mass_matrix(); }),
                             "BK (25) (size x size), of rank nv.")
      .def_property_readonly("N", matrix([](ChartDynamics& d) -> auto& { return d.velocity_matrix(); }),
                             "BK (26) (size x size); dM/dt = N + N^T.")
      .def_property_readonly("A", matrix([](ChartDynamics& d) { return d.projector(); }),
                             "1 - G^T (G G^T)^-1 G (size x size): takes away what the constraints carry.")
      .def_property_readonly("J_omega", [](X& x) { return j_omega(x, std::nullopt, &ChartDynamics::j_omega); },
                             "BK (10) of the first joint with a chart, the base (3 x d): omega is J_omega thetadot, in the axes of the "
                             "joint's frame on the parent (for a base, the world's unless that frame is turned).")
      .def_property_readonly("J_omega_base",
                             [](X& x) { return j_omega(x, std::nullopt, &ChartDynamics::j_omega_base); },
                             "BK (13) of the first joint with a chart, the base (3 x d): omega in body axes.")
      .def("j_omega", [](X& x, const std::string& joint) { return j_omega(x, joint, &ChartDynamics::j_omega); },
           py::arg("joint"), "J_omega of a joint's chart (3 x d), in the axes of the joint's frame on the parent.")
      .def_property_readonly("constraint",
                             [](X& x) {
                               return x.map({x.coordinates().constraint_count()},
                                            [](ChartDynamics& d) { return d.constraints(); });
                             },
                             "C, BK (27) (constraint_count), zero on the manifold.")
      .def_property_readonly("constraint_jacobian",
                             [](X& x) {
                               return x.map({x.coordinates().constraint_count(), x.size()},
                                            [](ChartDynamics& d) { return d.constraint_jacobian(); });
                             },
                             "G = dC/dq_chart (constraint_count x size).")
      .def_property_readonly("constraint_bias",
                             [](X& x) {
                               return x.map({x.coordinates().constraint_count()},
                                            [](ChartDynamics& d) { return d.constraint_bias(); });
                             },
                             "gamma of d^2C/dt^2 = G qddot + gamma (constraint_count).")
      .def_property_readonly("lambda_",
                             [](X& x) {
                               return x.map({x.coordinates().constraint_count()}, [](ChartDynamics& d) {
                                 return d.multiplier(Eigen::VectorXd::Zero(d.coordinates().mechanism().nv()));
                               });
                             },
                             "The multiplier of BK (32) with nothing driven: zero to rounding, see multiplier().")
      .def_property_readonly("q", [](X& x) {
        return x.map({x.coordinates().mechanism().nq()}, [](ChartDynamics& d) { return d.q(); });
      }, "The configuration in the mechanism's own numbers (nq).")
      .def_property_readonly("v", [](X& x) { return x.map({x.nv()}, [](ChartDynamics& d) { return d.v(); }); },
                             "The velocity in the mechanism's own numbers (nv).")
      .def_property_readonly("weight", [](X& x) { return x.map({x.size()}, [](ChartDynamics& d) { return d.weight(); }); },
                             "The forces of gravity in chart coordinates (size).")
      .def("__repr__", [](const X& x) {
        return fmt::format("<amble.ChartDynamics of '{}': {} numbers>", x.coordinates().mechanism().name(), x.size());
      })
      .def("forward", &forward, py::arg("u"), py::arg("forces") = py::none(), kForward)
      .def("inverse", &inverse, py::arg("qddot"), py::arg("forces") = py::none(),
           "The forces (nv, paired with v) that give qddot (size); forces from outside as forward() takes them. What qddot "
           "has off the constraints is not seen. Takes stacks.")
      .def("multiplier", &multiplier, py::arg("u"), py::arg("forces") = py::none(),
           "lambda of BK (32) (constraint_count) in the motion that u gives: zero to rounding, a chart carries nothing.");
  m.def("chart_dynamics",
        [](const Mechanism& m, const py::object& chart, const py::object& q_chart, const py::object& qdot_chart,
           double tolerance, double stabilisation_rate) {
          return ChartForm(coordinates_from(m, chart), q_chart, qdot_chart, tolerance, stabilisation_rate);
        },
        py::arg("m"), py::arg("chart"), py::arg("q_chart"), py::arg("qdot_chart"),
        py::arg("tolerance") = kConstraintTolerance, py::arg("stabilisation_rate") = 0.0, kDynamics);
}

}  // namespace amble::python
