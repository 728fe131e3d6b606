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
differenced to order eight.)";

Array nabla(const Mechanism& m, const py::object& q, const py::object& X, const py::object& Y,
            const py::object& dY, const Constraints& constraints) {
  const OwnedVector at = m.checked_configuration(owned(q, m.nq(), "q")), x = owned(X, m.nv(), "X");
  const auto connection = connection_of(m, constraints);
  if (!dY.is_none())
    return array(
        covariant_derivative(*connection, at, x, owned(Y, m.nv(), "Y"), owned(dY, m.nv(), m.nv(), "dY")));
  if (!PyCallable_Check(Y.ptr())) throw Error("Y needs its derivative dY, unless it is a function of q");
  const auto field = vector_function(Y, m.nv(), "Y");
  OwnedMatrix slopes(m.nv(), m.nv());
  for (int k = 0; k < m.nv(); ++k)
    slopes.col(k) = slope_at_zero([&](double t) {
      return Eigen::VectorXd(field(m.integrate(at, t * Eigen::VectorXd::Unit(m.nv(), k))));
    });
  return array(covariant_derivative(*connection, at, x, field(at), slopes));
}

constexpr const char* kGeodesic =
    R"(The geodesic from q with velocity v: the motion without any force, of .t .q .v.

A negative duration runs it backwards. constraints: of those given, instead of the tree of joints alone; parts of v that
they forbid are an Error.)";

constexpr const char* kBetween = R"(Geodesics from q0 to q1 in unit time, the shortest first.

starts: the straight way and random others, spread (rad, m) beside it; windings: turns more or less by which unlimited
angles may end. Each has .v0 .length .energy .locally_shortest .index .least_eigenvalue .kink .miss .converged.)";

constexpr const char* kTransport =
    R"(Vectors (nv, or nv x count as columns) carried along the geodesic from q with velocity v.)";

constexpr const char* kAlong =
    R"(Vectors carried from t0 to t1 along a curve: a function of t that gives (q, v).)";

template <class F>
Array transported(const Mechanism& m, const py::object& vectors, F f) {
  const Array given = numbers(vectors, "vectors");
  if (given.ndim() == 1) {
    const OwnedMatrix one = Eigen::MatrixXd(vector(numbers(vectors, {m.nv()}, "vectors")));
    return array(Eigen::VectorXd(f(one).col(0)));
  }
  return array(
      f(owned(vectors, m.nv(), given.ndim() == 2 ? static_cast<int>(given.shape(1)) : 1, "vectors")));
}

void bind_covariant(py::module_& m) {
  m.def("covariant_derivative", &nabla, py::arg("m"), py::arg("q"), py::arg("X"), py::arg("Y"),
        py::arg("dY") = py::none(), py::arg("constraints") = py::none(), kNabla);
  m.def(
      "gradient",
      [](const Mechanism& m, const py::object& q, const py::object& differential) {
        return array(gradient(m, thread_workspace(m), owned(q, m.nq(), "q"),
                              owned(differential, m.nv(), "differential")));
      },
      py::arg("m"), py::arg("q"), py::arg("differential"),
      "grad f = M^-1 df (nv), from the differential of f in the velocity frame.");
  m.def(
      "hessian",
      [](const Mechanism& m, const py::object& q, const py::object& differential, const py::object& second) {
        return array(hessian(m, thread_workspace(m), owned(q, m.nq(), "q"),
                             owned(differential, m.nv(), "differential"),
                             owned(second, m.nv(), m.nv(), "second")));
      },
      py::arg("m"), py::arg("q"), py::arg("differential"), py::arg("second"),
      "The second covariant derivative of f (nv x nv), from df and second[j, k] = d^2 f(integrate(q, d)) / "
      "dd_j dd_k at d = 0.");
}

void bind_curves(py::module_& m) {
  using C = CurveOnMechanism;
  py::class_<C>(m, "CurveOnMechanism", "A curve of configurations, as states along it.")
      .def_property_readonly(
          "t",
          [](const C& c) {
            return array(
                Eigen::Map<const Eigen::VectorXd>(c.t.data(), static_cast<Eigen::Index>(c.t.size())));
          },
          "Times.")
      .def_property_readonly(
          "q", [](const C& c) { return rows_of(c.q); }, "Configurations, one in each row.")
      .def_property_readonly(
          "v", [](const C& c) { return rows_of(c.v); }, "Velocities, one in each row.");
  m.def(
      "geodesic",
      [](const Mechanism& m, const py::object& q, const py::object& v, double duration, int samples,
         double tolerance, const Constraints& constraints) {
        return geodesic(*connection_of(m, constraints), owned(q, m.nq(), "q"), owned(v, m.nv(), "v"),
                        duration, {.tolerance = tolerance, .samples = samples});
      },
      py::arg("m"), py::arg("q"), py::arg("v"), py::arg("duration") = 1.0, py::arg("samples") = 101,
      py::arg("tolerance") = 1e-12, py::arg("constraints") = py::none(), kGeodesic);
  m.def(
      "parallel_transport",
      [](const Mechanism& m, const py::object& q, const py::object& v, double duration,
         const py::object& vectors, double tolerance) {
        return transported(m, vectors, [&](const OwnedMatrix& x) {
          return parallel_transport(*levi_civita(m), owned(q, m.nq(), "q"), owned(v, m.nv(), "v"), duration,
                                    x, tolerance);
        });
      },
      py::arg("m"), py::arg("q"), py::arg("v"), py::arg("duration"), py::arg("vectors"),
      py::arg("tolerance") = 1e-12, kTransport);
  m.def(
      "parallel_transport_along",
      [](const Mechanism& m, const py::function& curve, double t0, double t1, const py::object& vectors,
         double tolerance) {
        const ConfigurationCurve way = [&](double t) {
          const py::tuple at = curve(t);
          return MovingConfiguration{owned(at[0], m.nq(), "q of the curve"),
                                     owned(at[1], m.nv(), "v of the curve")};
        };
        return transported(m, vectors, [&](const OwnedMatrix& x) {
          return parallel_transport(*levi_civita(m), way, t0, t1, x, tolerance);
        });
      },
      py::arg("m"), py::arg("curve"), py::arg("t0"), py::arg("t1"), py::arg("vectors"),
      py::arg("tolerance") = 1e-10, kAlong);
  m.def(
      "conjugate_points",
      [](const Mechanism& m, const py::object& q, const py::object& v, double duration, int samples) {
        std::vector<std::pair<double, int>> out;
        for (const ConjugatePoint& p : conjugate_points(m, owned(q, m.nq(), "q"), owned(v, m.nv(), "v"),
                                                        duration, {.samples = samples}))
          out.emplace_back(p.t, p.multiplicity);
        return out;
      },
      py::arg("m"), py::arg("q"), py::arg("v"), py::arg("duration"), py::arg("samples") = 200,
      "[(t, multiplicity), ...] along the geodesic from q with velocity v: beyond the first it is not the "
      "shortest way.");
  m.def(
      "geodesic_figure",
      [](const Mechanism& m, const std::vector<CurveOnMechanism>& curves,
         const std::vector<std::string>& names, std::pair<int, int> coordinates) {
        return svg(geodesic_plot(m, curves, names, {coordinates.first, coordinates.second}), 640.0, 560.0);
      },
      py::arg("m"), py::arg("curves"), py::arg("names") = std::vector<std::string>(),
      py::arg("coordinates") = std::pair(0, 1), "A picture (SVG) of curves on two of their coordinates.");
}

void bind_between(py::module_& m) {
  using G = GeodesicBetween;
  py::class_<G> g(m, "GeodesicBetween",
                  "A geodesic between two configurations, in unit time; made by geodesics_between().");
  def_array(g, "q1", &G::q1, "Where it ends, turns of angles included.");
  def_array(g, "v0", &G::v0, "Its velocity at the start.");
  g.def_readonly("length", &G::length, "In the metric of M.")
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
        return geodesics_between(m, owned(q0, m.nq(), "q0"), owned(q1, m.nq(), "q1"),
                                 {.tolerance = tolerance,
                                  .segments = segments,
                                  .most_segments = std::max(128, segments),
                                  .starts = starts,
                                  .spread = spread,
                                  .windings = windings,
                                  .seed = seed});
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
