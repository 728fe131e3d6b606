#include "amble/report/geometry_figures.hpp"
#include "amble/riemann/submersion.hpp"
#include "amble/riemann/workspace_dynamics.hpp"
#include "riemann.hpp"

namespace amble::python {

namespace {

/// None is the kinetic metric; "identity"; a matrix; a function of q that gives one.
MetricPtr metric_from(const Mechanism& m, const py::object& metric) {
  if (metric.is_none()) return kinetic_metric(m);
  if (py::isinstance<py::str>(metric)) {
    if (metric.cast<std::string>() == "identity") return identity_metric(m);
    throw Error("a metric by name is 'identity'; None is the kinetic one");
  }
  if (PyCallable_Check(metric.ptr()))
    return configuration_metric(m, configuration_function(metric, m.nv(), m.nv(), "the metric"));
  return constant_metric(m, owned(metric, m.nv(), m.nv(), "metric"));
}

SubmersionOptions target_from(const TaskMap& t, const py::object& target) {
  SubmersionOptions options;
  if (!target.is_none()) options.target = owned(target, t.dimension(), t.dimension(), "target");
  return options;
}

OwnedVector q_of(const TaskMap& t, const py::object& q) { return owned(q, t.mechanism().nq(), "q"); }

constexpr const char* kSubmersion =
    R"(A task at q as a submersion between the metric of the joints and that of the workspace.

metric: None for the kinetic one, "identity", a matrix (nv x nv), or a function of q that gives one. target: of the
workspace (dimension x dimension), None for the identity.)";

constexpr const char* kDamped = R"(A lift that stays bounded near singularities, and what it costs.

Singular values below threshold are damped by lambda^2 = damping^2 (1 - (s / threshold)^2). Has .v .speed
.undamped_speed .task_error .worst_error .lambda_.)";

constexpr const char* kHolonomy =
    R"(Where the joints are each time the task has gone round a circle through where it is at q.

a, b: two velocities of the task that span the circle, of this radius. Instead of them, curve: a function of t in [0, 1]
that gives (x, xdot) of a closed curve. Has .q .drift .drift_norms .task_error .curve .length.)";

constexpr const char* kFeedback =
    R"(Forces of the joints (nv) with which the task has the acceleration xddot exactly.

tau_rest (nv) moves what is left and not the task. A feedback that gives xddot from the task's own error then has on the
mechanism the error dynamics that it has in the workspace.)";

void bind_submersion(py::module_& m) {
  using S = Submersion;
  py::class_<S> s(m, "Submersion", "A task at a configuration; made by submersion().");
  def_array(s, "J", &S::J, "The Jacobian.");
  def_array(s, "lift", &S::lift, "The horizontal lift, nv x dimension.");
  def_array(s, "pseudoinverse", &S::pseudoinverse, "Of Moore and Penrose, nv x dimension.");
  def_array(s, "horizontal", &S::horizontal, "The projector lift J.");
  def_array(s, "vertical", &S::vertical, "The projector 1 - lift J.");
  def_array(s, "singular_values", &S::singular_values, "Of J between the metrics, largest first.");
  s.def_readonly("rank", &S::rank, "Of J.")
      .def_readonly("manipulability", &S::manipulability, "The product of the singular values.")
      .def_readonly("isometry_defect", &S::isometry_defect, "How far it is from a Riemannian submersion.")
      .def_readonly(
          "kernel_defect", &S::kernel_defect,
          "The sine of the angle by which the metric turns ker J: zero where lift and pseudoinverse agree.")
      .def_readonly("lift_difference", &S::lift_difference, "|lift - pseudoinverse| / |pseudoinverse|.");
  m.def(
      "submersion",
      [](TaskMap& t, const py::object& q, const py::object& metric, const py::object& target) {
        return submersion(t, *metric_from(t.mechanism(), metric), q_of(t, q), target_from(t, target));
      },
      py::arg("task"), py::arg("q"), py::arg("metric") = py::none(), py::arg("target") = py::none(),
      kSubmersion);
  m.def(
      "penrose_residuals",
      [](const py::object& J, const py::object& B) {
        const Array j = numbers(J, "J");
        if (j.ndim() != 2) throw Error("J is a matrix");
        const int rows = static_cast<int>(j.shape(0)), cols = static_cast<int>(j.shape(1));
        return penrose_residuals(owned(J, rows, cols, "J"), owned(B, cols, rows, "B"));
      },
      py::arg("J"), py::arg("B"),
      "By how much B fails Penrose's conditions I to IV: JBJ = J, BJB = B, JB and BJ symmetric.");
}

void bind_singularities(py::module_& m) {
  py::class_<Singularity> s(m, "Singularity", "What singularity() found.");
  s.def_property_readonly(
       "kind", [](const Singularity& x) { return name_of(x.kind); }, "none, kinematic or algorithmic.")
      .def_readonly("least", &Singularity::least, "The least singular value of the matrix that decides.")
      .def_readonly("largest", &Singularity::largest, "The largest.");
  def_array(s, "lost", &Singularity::lost, "Directions that cannot be moved along, columns.");
  m.def(
      "singularity",
      [](TaskMap& t, const py::object& q, TaskMap* second, const py::object& metric) {
        return singularity(t, second, *metric_from(t.mechanism(), metric), q_of(t, q));
      },
      py::arg("task"), py::arg("q"), py::arg("second") = static_cast<TaskMap*>(nullptr),
      py::arg("metric") = py::none(),
      "Whether q is a singularity of a task (kinematic) or of the task and a second one together "
      "(algorithmic).");
  using D = DampedLift;
  py::class_<D> d(m, "DampedLift", "A damped lift and its price; made by damped_lift().");
  def_array(d, "v", &D::v, "The velocity (nv).");
  d.def_readonly("speed", &D::speed, "Its length.")
      .def_readonly("undamped_speed", &D::undamped_speed,
                    "That of the lift without damping; infinite where there is none.")
      .def_readonly("task_error", &D::task_error, "|xdot - J v|.")
      .def_readonly("worst_error", &D::worst_error, "The same for the worst xdot of unit length.")
      .def_readonly("lambda_", &D::lambda, "The damping of the least singular value.");
  m.def(
      "damped_lift",
      [](TaskMap& t, const py::object& q, const py::object& xdot, double threshold, double damping,
         const py::object& metric, const py::object& target) {
        return damped_lift(
            t, *metric_from(t.mechanism(), metric), q_of(t, q), owned(xdot, t.dimension(), "xdot"),
            {.threshold = threshold, .damping = damping, .submersion = target_from(t, target)});
      },
      py::arg("task"), py::arg("q"), py::arg("xdot"), py::arg("threshold") = 0.05, py::arg("damping") = 0.05,
      py::arg("metric") = py::none(), py::arg("target") = py::none(), kDamped);
}

void bind_inverses(py::module_& m) {
  using I = TaskInverse;
  py::class_<I, InversePtr>(m, "TaskInverse", "A way to move joints as a task asks, v = B(q) xdot.")
      .def_property_readonly("name", &I::name, "Of the inverse.")
      .def(
          "value", [](I& i, const py::object& q) { return array(i.value(q_of(i.task(), q))); }, py::arg("q"),
          "B (nv x dimension).")
      .def(
          "rate",
          [](I& i, const py::object& q, const py::object& v) {
            return array(i.rate(q_of(i.task(), q), owned(v, i.task().mechanism().nv(), "v")));
          },
          py::arg("q"), py::arg("v"), "The rate of B along v.");
  m.def("kinetic_lift", &kinetic_lift, py::arg("task"), "The horizontal lift in the metric of M.");
  m.def("pseudoinverse", &pseudoinverse, py::arg("task"), "The inverse of Moore and Penrose.");
  m.def(
      "weighted_inverse",
      [](const TaskMapPtr& t, const py::object& metric) {
        return weighted_inverse("weighted inverse", t, metric_from(t->mechanism(), metric));
      },
      py::arg("task"), py::arg("metric"), "The horizontal lift in a metric as submersion() takes it.");
  m.def("extended_inverse", &extended_inverse, py::arg("task"), py::arg("further"),
        "The inverse that keeps a further task still; repeatable.");
  m.def(
      "user_inverse",
      [](const std::string& name, const TaskMapPtr& t, const py::function& B) {
        return user_inverse(
            name, t,
            configuration_function(B, t->mechanism().nv(), t->dimension(), "the inverse '" + name + "'"));
      },
      py::arg("name"), py::arg("task"), py::arg("B"),
      "An inverse of your own: a function of q that gives B (nv x dimension).");
}

TaskCurve curve_from(const TaskMap& t, const py::function& curve) {
  const py::ssize_t size = const_cast<TaskMap&>(t).value(t.mechanism().neutral()).size();
  return [own = kept(curve), size, n = t.dimension()](double s) {
    const py::tuple at = (*own)(s);
    return MovingTask{owned(at[0], static_cast<int>(size), "x of the curve"),
                      owned(at[1], n, "xdot of the curve")};
  };
}

Holonomy round_trips(TaskInverse& inverse, const py::object& q, const py::object& a, const py::object& b,
                     double radius, int loops, const std::optional<py::function>& curve, double tolerance,
                     int samples) {
  TaskMap& t = inverse.task();
  const OwnedVector start = q_of(t, q);
  if (curve && !(a.is_none() && b.is_none()))
    throw Error("a loop is given by a and b or by curve, not by both");
  if (!curve && (a.is_none() || b.is_none())) throw Error("a loop needs two directions a and b, or a curve");
  const TaskCurve loop = curve ? curve_from(t, *curve)
                               : circle_through(t, t.value(start), owned(a, t.dimension(), "a"),
                                                owned(b, t.dimension(), "b"), radius);
  return holonomy(inverse, loop, start, loops, {.tolerance = tolerance, .samples = samples});
}

void bind_repeatability(py::module_& m) {
  py::class_<Integrability> i(m, "Integrability", "What integrability() found.");
  i.def_readonly("integrable", &Integrability::integrable,
                 "Whether loops of the task close in the joints, nearby.")
      .def_readonly("largest", &Integrability::largest, "The largest vertical part of a bracket, relative.")
      .def_property_readonly(
          "directions", [](const Integrability& x) { return std::pair(x.first, x.second); },
          "The pair of directions it belongs to.");
  def_array(i, "drift", &Integrability::drift,
            "What a small loop of that pair leaves, for each unit of its area (nv).");
  m.def(
      "integrability",
      [](TaskInverse& inverse, const py::object& q, double tolerance) {
        return integrability(inverse, q_of(inverse.task(), q), tolerance);
      },
      py::arg("inverse"), py::arg("q"), py::arg("tolerance") = 1e-8,
      "Whether the brackets of the columns of an inverse stay in their span at q.");
  using H = Holonomy;
  py::class_<H>(m, "Holonomy", "How joints drift over closed loops; made by holonomy().")
      .def_property_readonly(
          "q", [](const H& h) { return rows_of(h.q); }, "At the start and after each loop, in rows.")
      .def_property_readonly(
          "drift", [](const H& h) { return rows_of(h.drift); }, "Of each loop, in rows.")
      .def_readonly("drift_norms", &H::drift_norm, "Their lengths in the metric of M.")
      .def_readonly("task_error", &H::task_error, "The largest distance of the task from its curve.")
      .def_property_readonly(
          "curve", [](const H& h) { return h.first.curve; }, "The joints during the first loop.")
      .def_property_readonly(
          "length", [](const H& h) { return h.first.length; }, "Of that curve, in the metric of M.");
  m.def("holonomy", &round_trips, py::arg("inverse"), py::arg("q"), py::arg("a") = py::none(),
        py::arg("b") = py::none(), py::arg("radius") = 0.05, py::arg("loops") = 1,
        py::arg("curve") = py::none(), py::arg("tolerance") = 1e-10, py::arg("samples") = 101, kHolonomy);
  m.def(
      "lifted_curve",
      [](TaskInverse& inverse, const py::function& curve, double duration, const py::object& q0,
         double tolerance, int samples) {
        const LiftedCurve lifted =
            lifted_curve(inverse, curve_from(inverse.task(), curve), duration, q_of(inverse.task(), q0),
                         {.tolerance = tolerance, .samples = samples});
        return py::make_tuple(lifted.curve, lifted.task_error);
      },
      py::arg("inverse"), py::arg("curve"), py::arg("duration"), py::arg("q0"), py::arg("tolerance") = 1e-10,
      py::arg("samples") = 101,
      "(curve of configurations, largest task error) over a curve of the workspace: a function of t that "
      "gives (x, xdot).");
  m.def(
      "drift_figure",
      [](const Mechanism& m, const std::vector<Holonomy>& loops, const std::vector<std::string>& names) {
        if (loops.size() != names.size()) throw Error("as many names as loops are needed");
        return svg(drift_plot(m, loops, names));
      },
      py::arg("m"), py::arg("loops"), py::arg("names"),
      "A picture (SVG) of how joints drift from loop to loop.");
}

void bind_workspace(py::module_& m) {
  using W = WorkspaceDynamics;
  py::class_<W> w(m, "WorkspaceDynamics",
                  "lambda_ xddot + mu + p = F for forces tau = J^T F; made by workspace_dynamics().");
  def_array(w, "lambda_", &W::lambda, "The inertia that the task meets.");
  def_array(w, "mu", &W::mu, "Coriolis and centrifugal forces.");
  def_array(w, "p", &W::p, "Gravity.");
  def_array(w, "lift", &W::lift, "M^-1 J^T lambda_.");
  def_array(w, "drift", &W::drift, "xddot without forces and gravity.");
  m.def(
      "workspace_dynamics",
      [](TaskMap& t, const py::object& q, const py::object& v) {
        return workspace_dynamics(t, q_of(t, q), owned(v, t.mechanism().nv(), "v"));
      },
      py::arg("task"), py::arg("q"), py::arg("v"), "The dynamics that a task sees.");
  m.def(
      "lifted_function",
      [](TaskMap& t, const py::object& q, const py::object& df) {
        const LiftedFunction f = lifted_function(t, q_of(t, q), owned(df, t.dimension(), "df"));
        return py::make_tuple(array(f.differential), array(f.gradient));
      },
      py::arg("task"), py::arg("q"), py::arg("df"),
      "(differential, gradient) in the joints of a function of the workspace with differential df: J^T df "
      "and M^-1 J^T df.");
  m.def(
      "lifted_feedback",
      [](TaskMap& t, const py::object& q, const py::object& v, const py::object& xddot,
         const py::object& tau_rest) {
        const OwnedVector at = q_of(t, q), speed = owned(v, t.mechanism().nv(), "v"),
                          wanted = owned(xddot, t.dimension(), "xddot");
        if (tau_rest.is_none()) return array(lifted_feedback(t, at, speed, wanted));
        const OwnedVector rest = owned(tau_rest, t.mechanism().nv(), "tau_rest");
        const VectorRef rest_ref(rest);
        return array(lifted_feedback(t, at, speed, wanted, &rest_ref));
      },
      py::arg("task"), py::arg("q"), py::arg("v"), py::arg("xddot"), py::arg("tau_rest") = py::none(),
      kFeedback);
}

}  // namespace

void bind_lifts(py::module_& m) {
  bind_submersion(m);
  bind_singularities(m);
  bind_inverses(m);
  bind_repeatability(m);
  bind_workspace(m);
}

}  // namespace amble::python
