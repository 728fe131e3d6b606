#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "amble/constraints/assembly.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/constraints/constraint_connection.hpp"
#include "amble/constraints/coordinate_constraints.hpp"
#include "amble/constraints/momentum_constraint.hpp"
#include "amble/constraints/surface_constraints.hpp"
#include "bindings.hpp"
#include "constraint_handles.hpp"
#include "records.hpp"

namespace amble::python {

namespace {

// ---- constraints

using Handle = ConstraintHandle;

Handle pair(const Mechanism& m, const std::string& name, const std::string& type, const std::string& a, const std::string& b,
            const py::object& pose_a, const py::object& pose_b, double pitch, double angle) {
  return writable(pair_constraint(m, name, type, frame_from(m, a, pose_a, "pose_a"), frame_from(m, b, pose_b, "pose_b"),
                                  {.pitch = pitch, .angle = angle}));
}

Handle distance(const Mechanism& m, const std::string& name, const std::string& a, const std::string& b, double length,
                const py::object& point_a, const py::object& point_b) {
  const auto at = [&](const std::string& body, const py::object& point, const char* what) {
    return link_frame(m, body, point.is_none() ? Pose() : Pose(vector3(point, what)));
  };
  return writable(distance_constraint(m, name, at(a, point_a, "point_a"), at(b, point_b, "point_b"), length));
}

/// What a callback of Python's gives, as numbers of this shape.
auto values_from(const py::function& f, const Extents& shape, const std::string& what) {
  return [own = kept(f), shape, what](const VectorRef& q) {
    py::gil_scoped_acquire locked;
    return numbers((*own)(array(q)), shape, what);
  };
}

Handle configuration(const Mechanism& m, const std::string& name, int rows, const py::function& phi) {
  const auto f = values_from(phi, {rows}, fmt::format("phi of constraint '{}'", name));
  return writable(configuration_constraint(m, name, rows, [f](const VectorRef& q) {
    py::gil_scoped_acquire locked;
    return OwnedVector(vector(f(q)));
  }));
}

Handle velocity(const Mechanism& m, const std::string& name, int rows, const py::function& A, const std::optional<py::function>& b) {
  const auto matrix = values_from(A, {rows, m.nv()}, fmt::format("A of constraint '{}'", name));
  ConfigurationFunction target;
  if (b) {
    const auto f = values_from(*b, {rows}, fmt::format("b of constraint '{}'", name));
    target = [f](const VectorRef& q) {
      py::gil_scoped_acquire locked;
      return OwnedVector(vector(f(q)));
    };
  }
  const int nv = m.nv();
  return writable(velocity_constraint(m, name, rows, [matrix, rows, nv](const VectorRef& q) {
    py::gil_scoped_acquire locked;
    return OwnedMatrix(Eigen::Map<const RowMatrix>(matrix(q).data(), rows, nv));
  }, target));
}

// ---- dynamics

ConstraintMethod method_from(const std::string& name) {
  if (name == "multipliers") return ConstraintMethod::multipliers;
  if (name == "pseudo_velocities") return ConstraintMethod::pseudo_velocities;
  if (name == "reduced_momenta") return ConstraintMethod::reduced_momenta;
  throw Error(fmt::format("method is '{}': expected multipliers, pseudo_velocities or reduced_momenta", name));
}

using X = ConstrainedDynamics;

void set_state(X& x, const py::object& q, const py::object& v) {
  x.set_state(vector(numbers(q, {x.mechanism().nq()}, "q")), vector(numbers(v, {x.mechanism().nv()}, "v")));
}

Array accelerations(X& x, const py::object& tau, const py::object& external, const std::string& method) {
  const std::vector<ExternalWrench> F = wrenches(x.mechanism(), external, "external");
  return array(x.accelerations(vector(numbers(tau, {x.mechanism().nv()}, "tau")), F, method_from(method)));
}

py::tuple project_state(X& x, const py::object& q, const py::object& v) {
  OwnedVector q_out(vector(numbers(q, {x.mechanism().nq()}, "q"))), v_out(vector(numbers(v, {x.mechanism().nv()}, "v")));
  x.project_state(q_out, v_out);
  return py::make_tuple(array(q_out), array(v_out));
}

std::vector<std::string> row_names(const X& x, const std::vector<int>& rows) {
  std::vector<std::string> out;
  for (int row : rows) out.push_back(x.row_name(row));
  return out;
}

std::vector<std::string> all_row_names(const X& x) {
  std::vector<int> rows(x.rows());
  for (int i = 0; i < x.rows(); ++i) rows[i] = i;
  return row_names(x, rows);
}

Assembly put_together(const Mechanism& m, const py::object& guess, const std::optional<ConstraintHandles>& constraints,
                      const std::vector<std::string>& held, double tolerance, int attempts, std::uint64_t seed) {
  return assemble(m, constraints_from(m, constraints), vector(numbers(guess, {m.nq()}, "guess")),
                  {.tolerance = tolerance, .attempts = attempts, .seed = seed, .held = held});
}

/// One for each thread that works on a stack.
py::tuple solve(const Mechanism& m, const py::object& q, const py::object& v, const py::object& tau,
                const py::object& external, const std::optional<ConstraintHandles>& constraints,
                const std::string& method) {
  const Input qs(q, m.nq(), "q"), vs(v, m.nv(), "v"), taus(tau, m.nv(), "tau");
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const ConstraintMethod by = method_from(method);
  const std::vector<ConstraintPtr> held = constraints_from(m, constraints);
  const int rows = ConstrainedDynamics(m, held).rows();
  const Extents leading = shared_leading({&qs, &vs, &taus});
  Array a = new_array(leading, {m.nv()}), lambda = new_array(leading, {rows});
  double *to_a = a.mutable_data(), *to_lambda = lambda.mutable_data();
  {
    py::gil_scoped_release unlocked;
    for_each_row(leading, [&]() -> Worker {
      return [&, d = std::make_shared<ConstrainedDynamics>(m, held)](std::ptrdiff_t i) {
        d->set_state(qs[i], vs[i]);
        put(d->accelerations(taus[i], F, by), to_a + i * m.nv());
        put(d->multipliers(), to_lambda + i * rows);
      };
    });
  }
  return py::make_tuple(a, lambda);
}

/// f(dynamics, q) for every row, in each thread with constrained dynamics of its own.
template <class F>
auto with_dynamics(const Mechanism& m, const std::vector<ConstraintPtr>& held, F f) {
  return [&m, &held, f] {
    return [d = std::make_shared<ConstrainedDynamics>(m, held), f](const OwnedVector& q) { return f(*d, q); };
  };
}

py::object true_mobility(const Mechanism& m, const py::object& q, const std::optional<ConstraintHandles>& constraints) {
  const std::vector<ConstraintPtr> held = constraints_from(m, constraints);
  const auto all = [&] { return [&](const OwnedVector&) { return m.nv(); }; };
  if (held.empty()) return stacked(map_records(all, Input(q, m.nq(), "q")), std::identity());
  const auto freedoms = [&](X& d, const OwnedVector& q) {
    d.set_state(q, Eigen::VectorXd::Zero(m.nv()));
    return m.nv() - d.rank();
  };
  return stacked(map_records(with_dynamics(m, held, freedoms), Input(q, m.nq(), "q")), std::identity());
}

Array connection(const Mechanism& m, const py::object& q, const std::optional<ConstraintHandles>& constraints) {
  const std::vector<ConstraintPtr> held = constraints_from(m, constraints);
  const auto coefficients = [&](X& d, const OwnedVector& q) {
    Christoffel gamma(m.nv());
    constraint_connection(d, q, gamma);
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(gamma.data(), m.nv() * m.nv() * m.nv()));
  };
  return map_arrays({m.nv(), m.nv(), m.nv()}, with_dynamics(m, held, coefficients), Input(q, m.nq(), "q"));
}

constexpr const char* kConnection = R"(The constraint connection at q (nv x nv x nv), ZB (26).

out[i, j, k] is component i of the derivative of e_j along e_k: of the Levi-Civita connection, bent so that motions
which the constraints allow stay allowed. Without forces these have the accelerations -out[i, j, k] v[j] v[k]. For
constraints A v = 0, holonomic or not; those that the mechanism carries when None. Takes stacks.)";

constexpr const char* kSolve = R"((a, multipliers) of a mechanism under the constraints that it carries.

M a + bias = tau + sum J^T F + A^T multipliers with A a + gamma = 0: loops stay closed and wheels roll. a (nv);
multipliers (one for each row of A: loops first, then rolling wheels), named by ConstrainedDynamics(m).row_names.
Rows that repeat others share their force. external: as in inverse_dynamics(). constraints: others than the
mechanism's own. method: multipliers, pseudo_velocities or reduced_momenta. Joint springs, dampers and spring_forces()
are not in it: add them to tau. Takes stacks.)";

constexpr const char* kMobility = R"(How many independent ways to move there are at q: nv minus the rank of constraints.

m.mobility counts instead (Gruebler, Kutzbach); where constraints repeat each other the count is too small. q should
fulfil them, see assemble(). At a singular configuration there are more ways to begin to move than ways to go on. Takes stacks.)";

constexpr const char* kPair = R"(Frame B moves on frame A as a joint of this type lets it.

type: "fixed" (or "weld"), "revolute", "prismatic", "helical" (pitch in m/rad), "cylindrical", "universal" (angle between its
axes), "planar", "spherical" (or "point"); also "parallel", "point_on_axis", "point_on_plane". The axis is z of both frames.
a, b: bodies or frames by name, "world" for the world; pose_a, pose_b (4 x 4): the frames on them.)";

constexpr const char* kDynamics = R"(A mechanism under constraints: M a + bias = tau + A^T lambda, A v = b.

constraints: a list of them; those that the mechanism carries, loops and rolling wheels, when None. damping (1/s):
brings back what an integrator lets slip.
redundancy: rows whose share not explained by others is smaller count as redundant.)";

constexpr const char* kRolling = R"( rolls without slip on the plane z = 0 of the ground, or on a surface.

body, ground: bodies or frames by name; pose (4 x 4): the frame on the body. surface: one in the axes of the ground,
see implicit_surface() and height_surface(). holds_contact False leaves out the row along the normal.)";

/// `make` has the one function for a plane and the one for a surface.
template <class Make>
auto rolling(Make make) {
  return [make](const Mechanism& m, const std::string& name, const std::string& body, double radius, const py::object& pose,
                const std::string& ground, bool holds_contact, const Surface* surface) {
    const LinkFrame on = link_frame(m, ground), rim = frame_from(m, body, pose, "pose");
    const RollingOptions options{holds_contact};
    return writable(surface == nullptr ? make(m, name, on, rim, radius, options)
                                       : make(m, name, on, *surface, rim, radius, options));
  };
}

void bind_rolling(py::module_& m) {
  const auto bind = [&](const char* name, auto make, const std::string& doc) {
    m.def(name, rolling(make), py::arg("m"), py::arg("name"), py::arg("body"), py::arg("radius"),
          py::arg("pose") = py::none(), py::arg("ground") = "world", py::arg("holds_contact") = true,
          py::arg("surface") = static_cast<Surface*>(nullptr), doc.c_str());
  };
  bind("rolling_disc_constraint", [](auto&&... x) { return rolling_disc_constraint(x...); },
       std::string("A disc or wheel about the frame's z axis") + kRolling);
  bind("rolling_ball_constraint", [](auto&&... x) { return rolling_ball_constraint(x...); },
       std::string("A ball about the frame's origin") + kRolling);
}

void bind_kinds(py::module_& m) {
  py::class_<Constraint, Handle>(m, "Constraint", "A condition on the motion of a mechanism, A(q) v = b.")
      .def_property_readonly("name", &Constraint::name, "Its name.")
      .def_property_readonly("rows", &Constraint::rows, "How many rows of A it has.")
      .def("holonomic", &Constraint::holonomic, py::arg("row"), "Whether a row is the derivative of a phi(q).")
      .def("meaning", &Constraint::meaning, py::arg("row"), "What the multiplier of a row is.")
      .def("__repr__", [](const Constraint& c) { return fmt::format("<amble.Constraint '{}': {} rows>", c.name(), c.rows()); });
  const py::object none = py::none();
  m.def("pair_constraint", &pair, py::arg("m"), py::arg("name"), py::arg("type"), py::arg("a"), py::arg("b"),
        py::arg("pose_a") = none, py::arg("pose_b") = none, py::arg("pitch") = 0.0, py::arg("angle") = 0.5 * std::numbers::pi,
        kPair);
  m.def("distance_constraint", &distance, py::arg("m"), py::arg("name"), py::arg("a"), py::arg("b"), py::arg("distance"),
        py::arg("point_a") = none, py::arg("point_b") = none, "Two points of bodies keep their distance (m).");
  m.def("coupling_constraint",
        [](const Mechanism& m, const std::string& name, const std::map<std::string, double>& coefficients, double offset) {
          return writable(coupling_constraint(m, name, coefficients, offset));
        },
        py::arg("m"), py::arg("name"), py::arg("coefficients"), py::arg("offset") = 0.0,
        "sum of coefficient * q(joint) = offset over one-axis joints {joint: coefficient}: gears, belts, racks.");
  m.def("configuration_constraint", &configuration, py::arg("m"), py::arg("name"), py::arg("rows"), py::arg("phi"),
        "phi(q) = 0 for a function of your own that gives `rows` numbers.");
  m.def("velocity_constraint", &velocity, py::arg("m"), py::arg("name"), py::arg("rows"), py::arg("A"),
        py::arg("b") = std::optional<py::function>(), "A(q) v = b(q) for functions of your own; b is zero when None.");
  m.def("momentum_constraint",
        [](const Mechanism& m, const std::string& name, const py::object& value) {
          return writable(momentum_constraint(m, name, value.is_none() ? Vector6<double>::Zero() : vector6(value, "value")));
        },
        py::arg("m"), py::arg("name"), py::arg("value") = py::none(),
        "Six rows: the momentum about the centre of mass stays `value` (world axes, linear first; zero when None), as that of "
        "a robot adrift in space does.");
  m.def("knife_edge_constraint",
        [](const Mechanism& m, const std::string& name, const std::string& body, const py::object& pose, const std::string& ground) {
          return writable(knife_edge_constraint(m, name, link_frame(m, ground), frame_from(m, body, pose, "pose")));
        },
        py::arg("m"), py::arg("name"), py::arg("body"), py::arg("pose") = none, py::arg("ground") = "world",
        "A blade or narrow wheel: the frame's origin moves along its x axis but not along its y axis.");
  bind_rolling(m);
  m.def("loop_constraints", [](const Mechanism& m) { return all_writable(loop_constraints(m)); }, py::arg("m"),
        "The constraints that the loops of a mechanism are.");
  m.def("constraints_of", [](const Mechanism& m) { return all_writable(constraints_of(m)); }, py::arg("m"),
        "All constraints that a mechanism carries: its loops, then its rolling wheels.");
}

}  // namespace

void bind_constraints_of_mechanisms(py::module_& m) {
  bind_surfaces(m);
  bind_kinds(m);
  bind_surface_constraints(m);
  py::class_<X>(m, "ConstrainedDynamics", kDynamics)
      .def(py::init([](const Mechanism& m, const std::optional<ConstraintHandles>& constraints, double damping, double redundancy) {
             return X(m, constraints_from(m, constraints), {.damping = damping, .redundancy = redundancy});
           }),
           py::arg("m"), py::arg("constraints") = std::optional<ConstraintHandles>(), py::arg("damping") = 0.0,
           py::arg("redundancy") = ConstrainedOptions().redundancy)
      .def("set_state", &set_state, py::arg("q"), py::arg("v"), "The state that everything else is about.")
      .def_property_readonly("rows", &X::rows, "How many rows A has.")
      .def_property_readonly("row_names", &all_row_names, "What each row is: 'closure: force along x (N)'.")
      .def_property_readonly("A", [](const X& x) { return array(x.A()); }, "A (rows x nv).")
      .def_property_readonly("gamma", [](const X& x) { return array(x.gamma()); }, "A a + gamma is d/dt (A v - b) (rows).")
      .def_property_readonly("violation", [](const X& x) { return array(x.violation()); }, "phi(q), zero for rows without (rows).")
      .def_property_readonly("velocity_error", [](const X& x) { return array(x.velocity_error()); }, "A v - b (rows).")
      .def_property_readonly("rank", &X::rank, "How many rows are independent here.")
      .def_property_readonly("redundant", [](const X& x) { return row_names(x, x.redundant_rows()); }, "Rows that repeat others.")
      .def("accelerations", &accelerations, py::arg("tau"), py::arg("external") = py::none(), py::arg("method") = "multipliers",
           "a (nv) under tau and wrenches from outside; method: multipliers, pseudo_velocities or reduced_momenta.")
      .def_property_readonly("multipliers", [](const X& x) { return array(x.multipliers()); },
                             "lambda of the last accelerations() (rows): the force along each row.")
      .def("project_velocity",
           [](X& x, const py::object& v) { return array(x.project_velocity(vector(numbers(v, {x.mechanism().nv()}, "v")))); },
           py::arg("v"), "The velocity nearest to v in the metric M that the constraints allow (nv).")
      .def("project_state", &project_state, py::arg("q"), py::arg("v"),
           "(q, v) nearby that fulfil the constraints; they become the state.")
      .def_property_readonly("projector", [](X& x) { return array(x.projector()); },
                             "The M-orthogonal projector onto the velocities that A allows (nv x nv).")
      .def_property_readonly("basis", [](const X& x) { return array(x.basis()); },
                             "A basis of those velocities (nv x (nv - rank)), orthonormal.");
  py::class_<Assembly>(m, "Assembly", "A configuration that fulfils all holonomic constraints; made by assemble().")
      .def_property_readonly("q", [](const Assembly& a) { return array(a.q); }, "The configuration (nq).")
      .def_readonly("residual", &Assembly::residual, "The largest |phi(q)|.")
      .def_readonly("iterations", &Assembly::iterations, "Steps taken, over all attempts.")
      .def_readonly("attempts", &Assembly::attempts, "Starts tried.")
      .def_readonly("rank", &Assembly::rank, "Of all constraints there.")
      .def_readonly("mobility", &Assembly::mobility, "True freedoms of motion, nv - rank.")
      .def_readonly("counted_mobility", &Assembly::counted_mobility, "By counting (Gruebler, Kutzbach): nv - rows.")
      .def_readonly("redundant", &Assembly::redundant, "Rows that repeat others.");
  const AssemblyOptions standard;
  m.def("assemble", &put_together, py::arg("m"), py::arg("guess"), py::arg("constraints") = std::optional<ConstraintHandles>(),
        py::arg("held") = std::vector<std::string>(), py::arg("tolerance") = standard.tolerance,
        py::arg("attempts") = standard.attempts, py::arg("seed") = standard.seed,
        "A configuration near the guess that closes all loops and puts all rolling wheels on the ground (or fulfils "
        "the constraints given), as an Assembly; joints in `held` stay. An Error with the smallest residual when "
        "there is none.");
  const std::optional<ConstraintHandles> own;
  m.def("constrained_dynamics", &solve, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("tau"),
        py::arg("external") = py::none(), py::arg("constraints") = own, py::arg("method") = "multipliers", kSolve);
  m.def("constraint_connection", &connection, py::arg("m"), py::arg("q"), py::arg("constraints") = own, kConnection);
  m.def("mobility", &true_mobility, py::arg("m"), py::arg("q"), py::arg("constraints") = own, kMobility);
}

}  // namespace amble::python
