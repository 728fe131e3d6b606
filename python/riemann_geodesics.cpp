#include <functional>

#include "amble/base/slope.hpp"
#include "amble/report/geometry_figures.hpp"
#include "amble/riemann/double_geodesic.hpp"
#include "amble/riemann/geodesic_between.hpp"
#include "amble/riemann/jacobi_fields.hpp"
#include "riemann.hpp"

namespace amble::python {

namespace {

using Constraints = std::optional<ConstraintHandles>;

std::unique_ptr<Connection> connection_of(const Mechanism& m, const Constraints& constraints) {
  if (!constraints) return levi_civita(m);
  return constrained_connection(m, {constraints->begin(), constraints->end()});
}

constexpr const char* kNabla =
    R"(nabla_X Y at q (nv), of the Levi-Civita connection or, with constraints, of theirs.

Y: its components at q with dY (nv x nv, column k the rate along e_k), or a function of q that gives its components, then
differenced to order eight. Takes stacks.)";

/// Rates of the components of a field along the frame, by differences of order eight.
OwnedMatrix slopes_of(const Mechanism& m, const OwnedVector& q, const std::function<OwnedVector(const VectorRef&)>& field) {
  OwnedMatrix slopes(m.nv(), m.nv());
  for (int k = 0; k < m.nv(); ++k)
    slopes.col(k) = slope_at_zero([&](double t) {
      return Eigen::VectorXd(field(m.integrate(q, t * Eigen::VectorXd::Unit(m.nv(), k))));
    });
  return slopes;
}

Array nabla(const Mechanism& m, const py::object& q, const py::object& X, const py::object& Y,
            const py::object& dY, const Constraints& constraints) {
  const int n = m.nv();
  const Input at(q, m.nq(), "q"), x(X, n, "X");
  const auto connection = [&] { return std::shared_ptr<Connection>(connection_of(m, constraints)); };
  if (!dY.is_none()) {
    const auto worker = [&] {
      return [n, own = connection()](Row q, Row X, Row Y, const OwnedVector& dY) {
        return covariant_derivative(*own, q, X, Y, matrix_of(dY, n));
      };
    };
    return map_arrays({n}, worker, at, x, Input(Y, n, "Y"), matrix_input(dY, n, n, "dY"));
  }
  if (!PyCallable_Check(Y.ptr())) throw Error("Y needs its derivative dY, unless it is a function of q");
  const auto field = vector_function(Y, n, "Y");
  const auto worker = [&] {
    return [&m, &field, own = connection()](Row q, Row X) {
      const OwnedVector here = m.checked_configuration(q);
      return covariant_derivative(*own, here, X, field(here), slopes_of(m, here, field));
    };
  };
  return map_arrays({n}, worker, at, x);
}

constexpr const char* kGeodesic =
    R"(The geodesic from q with velocity v: the motion without any force, of .t .q .v.

A negative duration runs it backwards. constraints: of those given, instead of the tree of joints alone; parts of v that
they forbid are an Error. Takes stacks, whose shape then stands in front of .t .q .v.)";

constexpr const char* kBetween = R"(Geodesics from q0 to q1 in unit time, the shortest first.

starts: the straight way and random others, spread (rad, m) beside it; windings: turns more or less by which unlimited
angles may end. Each has .v0 .length .energy .locally_shortest .index .least_eigenvalue .kink .miss .converged. Stacks give an array of such lists.)";

constexpr const char* kTransport =
    R"(Vectors (nv, or nv x count as columns) carried along the geodesic from q with velocity v.

Takes stacks of q and v; vectors (..., nv, count) then go with them row by row, those without leading axes with all.)";

constexpr const char* kAlong =
    R"(Vectors carried from t0 to t1 along a curve: a function of t that gives (q, v).)";

/// Vectors as columns; one alone comes back without the axis of columns.
class Carried {
 public:
  Carried(const Mechanism& m, const py::object& vectors)
      : given_(numbers(vectors, "vectors")),
        lone_(given_.ndim() == 1),
        item_{m.nv(), lone_ || given_.ndim() == 0 ? 1 : given_.shape(given_.ndim() - 1)},
        rows_(matrix_input(lone_ ? py::object(given_.attr("reshape")(-1, 1)) : py::object(given_), m.nv(),
                           static_cast<int>(item_[1]), "vectors")) {}
  const Input& rows() const { return rows_; }
  OwnedMatrix columns(const OwnedVector& row) const { return matrix_of(row, static_cast<int>(item_[1])); }
  Extents item() const { return lone_ ? Extents{item_[0]} : item_; }

 private:
  Array given_;
  bool lone_;
  Extents item_;
  Input rows_;
};

Array transported(const Mechanism& m, const py::object& q, const py::object& v, double duration, const py::object& vectors,
                  double tolerance) {
  const Carried carried(m, vectors);
  const auto worker = [&] {
    return [&, own = std::shared_ptr<Connection>(levi_civita(m))](Row q, Row v, const OwnedVector& x) {
      return parallel_transport(*own, q, v, duration, carried.columns(x), tolerance);
    };
  };
  return map_arrays(carried.item(), worker, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"), carried.rows());
}

Array transported_along(const Mechanism& m, const py::function& curve, double t0, double t1, const py::object& vectors,
                        double tolerance) {
  const ConfigurationCurve way = [&](double t) {
    const py::tuple at = curve(t);
    return MovingConfiguration{owned(at[0], m.nq(), "q of the curve"), owned(at[1], m.nv(), "v of the curve")};
  };
  const Carried carried(m, vectors);
  if (!carried.rows().rows.leading.empty()) throw Error("vectors along a curve are (nv) or (nv, count)");
  Array out = new_array({}, carried.item());
  put(parallel_transport(*levi_civita(m), way, t0, t1, carried.columns(row_of(carried.rows(), 0)), tolerance),
      out.mutable_data());
  return out;
}

Array gradients(const Mechanism& m, const py::object& q, const py::object& differential) {
  const auto f = [&](Workspace& work, const VectorRef& q, const VectorRef& d) { return gradient(m, work, q, d); };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(differential, m.nv(), "differential"));
}

Array hessians(const Mechanism& m, const py::object& q, const py::object& differential, const py::object& second) {
  const int n = m.nv();
  const auto f = [&](Workspace& work, const VectorRef& q, const VectorRef& d, const VectorRef& second) {
    return hessian(m, work, q, d, matrix_of(second, n));
  };
  return map_states(m, {n, n}, f, Input(q, m.nq(), "q"), Input(differential, n, "differential"),
                    matrix_input(second, n, n, "second"));
}

using Curves = Records<CurveOnMechanism>;

Curves free_motions(const Mechanism& m, const py::object& q, const py::object& v, double duration, int samples,
                    double tolerance, const Constraints& constraints) {
  const auto worker = [&] {
    return [&, own = std::shared_ptr<Connection>(connection_of(m, constraints))](Row q, Row v) {
      return geodesic(*own, q, v, duration, {.tolerance = tolerance, .samples = samples});
    };
  };
  return map_records(worker, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

py::object conjugate(const Mechanism& m, const py::object& q, const py::object& v, double duration, int samples) {
  const auto worker = [&] {
    return [&](Row q, Row v) {
      std::vector<std::pair<double, int>> out;
      for (const ConjugatePoint& p : conjugate_points(m, q, v, duration, {.samples = samples}))
        out.emplace_back(p.t, p.multiplicity);
      return out;
    };
  };
  return objects(map_records(worker, Input(q, m.nq(), "q"), Input(v, m.nv(), "v")), std::identity());
}

void bind_covariant(py::module_& m) {
  m.def("covariant_derivative", &nabla, py::arg("m"), py::arg("q"), py::arg("X"), py::arg("Y"),
        py::arg("dY") = py::none(), py::arg("constraints") = py::none(), kNabla);
  m.def("gradient", &gradients, py::arg("m"), py::arg("q"), py::arg("differential"),
        "grad f = M^-1 df (nv), from the differential of f in the velocity frame. Takes stacks.");
  m.def("hessian", &hessians, py::arg("m"), py::arg("q"), py::arg("differential"), py::arg("second"),
        "The second covariant derivative of f (nv x nv), from df and second[j, k] = d^2 f(integrate(q, d)) / "
        "dd_j dd_k at d = 0. Takes stacks.");
}

void bind_curves(py::module_& m) {
  using C = CurveOnMechanism;
  py::class_<Curves> c(m, "CurveOnMechanism", "A curve of configurations, as states along it.");
  const auto times = [](const C& c) {
    return OwnedVector(Eigen::Map<const Eigen::VectorXd>(c.t.data(), static_cast<Eigen::Index>(c.t.size())));
  };
  def_stacked(c, "t", times, "Times.");
  def_stacked(c, "q", [](const C& c) { return rows_of(c.q); }, "Configurations, one in each row.");
  def_stacked(c, "v", [](const C& c) { return rows_of(c.v); }, "Velocities, one in each row.");
  m.def("geodesic", &free_motions, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("duration") = 1.0,
        py::arg("samples") = 101, py::arg("tolerance") = 1e-12, py::arg("constraints") = py::none(), kGeodesic);
  m.def("parallel_transport", &transported, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("duration"),
        py::arg("vectors"), py::arg("tolerance") = 1e-12, kTransport);
  m.def("parallel_transport_along", &transported_along, py::arg("m"), py::arg("curve"), py::arg("t0"), py::arg("t1"),
        py::arg("vectors"), py::arg("tolerance") = 1e-10, kAlong);
  m.def("conjugate_points", &conjugate, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("duration"),
        py::arg("samples") = 200,
        "[(t, multiplicity), ...] along the geodesic from q with velocity v: beyond the first it is not the "
        "shortest way. Stacks give an array of such lists.");
  m.def(
      "geodesic_figure",
      [](const Mechanism& m, const std::vector<Curves>& curves, const std::vector<std::string>& names,
         std::pair<int, int> coordinates) {
        return svg(geodesic_plot(m, in_one_list(curves), names, {coordinates.first, coordinates.second}), 640.0, 560.0);
      },
      py::arg("m"), py::arg("curves"), py::arg("names") = std::vector<std::string>(),
      py::arg("coordinates") = std::pair(0, 1),
      "A picture (SVG) of curves on two of their coordinates; a stack of curves is as many of them.");
}

void bind_between(py::module_& m) {
  using G = GeodesicBetween;
  py::class_<G> g(m, "GeodesicBetween",
                  "A geodesic between two configurations, in unit time; made by geodesics_between().");
  g.def_property_readonly(
       "q1", [](const G& g) { return array(g.q1); }, "Where it ends, turns of angles included.")
      .def_property_readonly(
          "v0", [](const G& g) { return array(g.v0); }, "Its velocity at the start.")
      .def_readonly("length", &G::length, "In the metric of M.")
      .def_readonly("energy", &G::energy, "length^2 / 2.")
      .def_readonly("index", &G::index, "Negative eigenvalues of the second variation.")
      .def_readonly("least_eigenvalue", &G::least_eigenvalue,
                    "Of the second variation, relative to flat space.")
      .def_readonly("kink", &G::kink, "The largest jump of velocity that is left, relative to it.")
      .def_readonly("miss", &G::miss, "From q1, of one run from q0.")
      .def_readonly("segments", &G::segments, "Pieces it was found in.")
      .def_readonly("iterations", &G::iterations, "Steps taken.")
      .def_readonly("converged", &G::converged, "Whether it is a geodesic to the tolerance.")
      .def_property_readonly("locally_shortest", &G::locally_shortest, "Whether every way nearby is longer.");
  m.def(
      "geodesics_between",
      [](const Mechanism& m, const py::object& q0, const py::object& q1, int starts, int windings,
         double spread, int segments, double tolerance, unsigned long seed) {
        const BetweenOptions options{.tolerance = tolerance,
                                     .segments = segments,
                                     .most_segments = std::max(128, segments),
                                     .starts = starts,
                                     .spread = spread,
                                     .windings = windings,
                                     .seed = seed};
        const auto worker = [&] { return [&](Row q0, Row q1) { return geodesics_between(m, q0, q1, options); }; };
        return objects(map_records(worker, Input(q0, m.nq(), "q0"), Input(q1, m.nq(), "q1")), std::identity());
      },
      py::arg("m"), py::arg("q0"), py::arg("q1"), py::arg("starts") = 1, py::arg("windings") = 0,
      py::arg("spread") = 1.0, py::arg("segments") = 8, py::arg("tolerance") = 1e-11, py::arg("seed") = 1,
      kBetween);
}

void bind_double_geodesic(py::module_& m) {
  using D = DoubleGeodesic;
  const auto twist = [](const py::object& x, const char* what) { return Twist<double>(vector6(x, what)); };
  py::class_<D>(m, "DoubleGeodesic",
                "The metric of poses whose geodesics go straight and turn about one axis: translation |v|^2 "
                "+ rotation |omega|^2.")
      .def(py::init([](double translation, double rotation) {
             const D metric{translation, rotation};
             metric.validate();
             return metric;
           }),
           py::arg("translation") = 1.0, py::arg("rotation") = 1.0)
      .def_property_readonly(
          "matrix", [](const D& d) { return array(d.matrix()); }, "6 x 6, linear part first.")
      .def(
          "connection",
          [twist](const D&, const py::object& X, const py::object& Y) {
            return array(D::connection(twist(X, "X"), twist(Y, "Y")).vector());
          },
          py::arg("X"), py::arg("Y"), "nabla_X Y of body twists with constant components.")
      .def(
          "curvature",
          [twist](const D&, const py::object& X, const py::object& Y, const py::object& Z) {
            return array(D::curvature(twist(X, "X"), twist(Y, "Y"), twist(Z, "Z")).vector());
          },
          py::arg("X"), py::arg("Y"), py::arg("Z"), "R(X, Y) Z of body twists.")
      .def(
          "geodesic",
          [twist](const D&, const py::object& X, const py::object& V, double t) {
            return array(D::geodesic(pose_from(X, "X"), twist(V, "V"), t));
          },
          py::arg("X"), py::arg("V"), py::arg("t"), "From pose X with body twist V, after time t (4 x 4).")
      .def(
          "between",
          [](const D&, const py::object& A, const py::object& B) {
            return array(D::between(pose_from(A, "A"), pose_from(B, "B")).vector());
          },
          py::arg("A"), py::arg("B"), "The body twist at A of the shortest geodesic to B in unit time.")
      .def(
          "distance",
          [](const D& d, const py::object& A, const py::object& B) {
            return d.distance(pose_from(A, "A"), pose_from(B, "B"));
          },
          py::arg("A"), py::arg("B"), "Its length.");
}

}  // namespace

void bind_geodesics(py::module_& m) {
  bind_covariant(m);
  bind_curves(m);
  bind_between(m);
  bind_double_geodesic(m);
}

}  // namespace amble::python
