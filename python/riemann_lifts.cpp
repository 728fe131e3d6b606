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

SubmersionOptions target_from(const TaskMapPtr& task, const py::object& target) {
  SubmersionOptions options;
  if (!target.is_none()) options.target = owned(target, task->dimension(), task->dimension(), "target");
  return options;
}

Input q_of(const TaskMapPtr& t, const py::object& q) { return Input(q, t->mechanism().nq(), "q"); }
Input v_of(const TaskMapPtr& t, const py::object& v) { return Input(v, t->mechanism().nv(), "v"); }
Input d_of(const TaskMapPtr& t, const py::object& d, const char* what) { return Input(d, t->dimension(), what); }

/// f(task, rows...) or f(inverse, rows...), in each thread with one of its own.
template <class Tool, class F>
auto with_own(const std::shared_ptr<Tool>& tool, F f) {
  return [&tool, f] { return [f, own = cloned(tool)](const auto&... rows) { return f(*own, rows...); }; };
}

constexpr const char* kSubmersion =
    R"(A task at q as a submersion between the metric of the joints and that of the workspace.

metric: None for the kinetic one, "identity", a matrix (nv x nv), or a function of q that gives one. target: of the
workspace (dimension x dimension), None for the identity. Takes stacks of q, whose shape then stands in front of all
that it gives.)";

constexpr const char* kDamped = R"(A lift that stays bounded near singularities, and what it costs.

Singular values below threshold are damped by lambda^2 = damping^2 (1 - (s / threshold)^2). Has .v .speed
.undamped_speed .task_error .worst_error .lambda_. Takes stacks.)";

constexpr const char* kHolonomy =
    R"(Where the joints are each time the task has gone round a circle through where it is at q.

a, b: two velocities of the task that span the circle, of this radius. Instead of them, curve: a function of t in [0, 1]
that gives (x, xdot) of a closed curve. Has .q .drift .drift_norms .task_error .curve .length. Takes stacks of q, a
and b; the circle goes through where the task is at each.)";

constexpr const char* kFeedback =
    R"(Forces of the joints (nv) with which the task has the acceleration xddot exactly.

tau_rest (nv) moves what is left and not the task. A feedback that gives xddot from the task's own error then has on the
mechanism the error dynamics that it has in the workspace. Takes stacks.)";

void bind_submersion(py::module_& m) {
  using S = Submersion;
  py::class_<Records<S>> s(m, "Submersion", "A task at a configuration; made by submersion().");
  def_stacked(s, "J", &S::J, "The Jacobian.");
  def_stacked(s, "lift", &S::lift, "The horizontal lift, nv x dimension.");
  def_stacked(s, "pseudoinverse", &S::pseudoinverse, "Of Moore and Penrose, nv x dimension.");
  def_stacked(s, "horizontal", &S::horizontal, "The projector lift J.");
  def_stacked(s, "vertical", &S::vertical, "The projector 1 - lift J.");
  def_stacked(s, "singular_values", &S::singular_values, "Of J between the metrics, largest first.");
  def_stacked(s, "rank", &S::rank, "Of J.");
  def_stacked(s, "manipulability", &S::manipulability, "The product of the singular values.");
  def_stacked(s, "isometry_defect", &S::isometry_defect, "How far it is from a Riemannian submersion.");
  def_stacked(s, "kernel_defect", &S::kernel_defect,
              "The sine of the angle by which the metric turns ker J: zero where lift and pseudoinverse agree.");
  def_stacked(s, "lift_difference", &S::lift_difference, "|lift - pseudoinverse| / |pseudoinverse|.");
  m.def(
      "submersion",
      [](const TaskMapPtr& t, const py::object& q, const py::object& metric, const py::object& target) {
        const MetricPtr W = metric_from(t->mechanism(), metric);
        const SubmersionOptions options = target_from(t, target);
        const auto worker = [&] {
          return [&options, t = cloned(t), W = cloned(W)](Row q) { return submersion(*t, *W, q, options); };
        };
        return map_records(worker, q_of(t, q));
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
  using X = Singularity;
  py::class_<Records<X>> s(m, "Singularity", "What singularity() found.");
  s.def_property_readonly(
       "kind", [](const Records<X>& r) { return objects(r, [](const X& x) { return name_of(x.kind); }); },
       "none, kinematic or algorithmic.")
      .def_property_readonly(
          "lost", [](const Records<X>& r) { return objects(r, [](const X& x) { return array(x.lost); }); },
          "Directions that cannot be moved along, columns; of a stack, an array of such arrays.");
  def_stacked(s, "least", &X::least, "The least singular value of the matrix that decides.");
  def_stacked(s, "largest", &X::largest, "The largest.");
  m.def(
      "singularity",
      [](const TaskMapPtr& t, const py::object& q, const TaskMapPtr& second, const py::object& metric) {
        const MetricPtr W = metric_from(t->mechanism(), metric);
        const auto worker = [&] {
          return [t = cloned(t), second = cloned(second), W = cloned(W)](Row q) {
            return singularity(*t, second.get(), *W, q);
          };
        };
        return map_records(worker, q_of(t, q));
      },
      py::arg("task"), py::arg("q"), py::arg("second") = TaskMapPtr(), py::arg("metric") = py::none(),
      "Whether q is a singularity of a task (kinematic) or of the task and a second one together "
      "(algorithmic). Takes stacks.");
  using D = DampedLift;
  py::class_<Records<D>> d(m, "DampedLift", "A damped lift and its price; made by damped_lift().");
  def_stacked(d, "v", &D::v, "The velocity (nv).");
  def_stacked(d, "speed", &D::speed, "Its length.");
  def_stacked(d, "undamped_speed", &D::undamped_speed, "That of the lift without damping; infinite where there is none.");
  def_stacked(d, "task_error", &D::task_error, "|xdot - J v|.");
  def_stacked(d, "worst_error", &D::worst_error, "The same for the worst xdot of unit length.");
  def_stacked(d, "lambda_", &D::lambda, "The damping of the least singular value.");
  m.def(
      "damped_lift",
      [](const TaskMapPtr& t, const py::object& q, const py::object& xdot, double threshold, double damping,
         const py::object& metric, const py::object& target) {
        const MetricPtr W = metric_from(t->mechanism(), metric);
        const DampingOptions options{.threshold = threshold, .damping = damping, .submersion = target_from(t, target)};
        const auto worker = [&] {
          return [&options, t = cloned(t), W = cloned(W)](Row q, Row xdot) { return damped_lift(*t, *W, q, xdot, options); };
        };
        return map_records(worker, q_of(t, q), d_of(t, xdot, "xdot"));
      },
      py::arg("task"), py::arg("q"), py::arg("xdot"), py::arg("threshold") = 0.05, py::arg("damping") = 0.05,
      py::arg("metric") = py::none(), py::arg("target") = py::none(), kDamped);
}

/// What an inverse needs to know of its task, which Python holds through it.
TaskMapPtr task_of(const InversePtr& i) { return {i, &i->task()}; }

Extents inverse_shape(const TaskMapPtr& t) { return {t->mechanism().nv(), t->dimension()}; }

void bind_inverses(py::module_& m) {
  using I = TaskInverse;
  py::class_<I, InversePtr>(m, "TaskInverse", "A way to move joints as a task asks, v = B(q) xdot.")
      .def_property_readonly("name", &I::name, "Of the inverse.")
      .def(
          "value",
          [](const InversePtr& i, const py::object& q) {
            const TaskMapPtr t = task_of(i);
            return map_arrays(inverse_shape(t), with_own(i, [](I& i, Row q) { return i.value(q); }), q_of(t, q));
          },
          py::arg("q"), "B (nv x dimension). Takes stacks.")
      .def(
          "rate",
          [](const InversePtr& i, const py::object& q, const py::object& v) {
            const TaskMapPtr t = task_of(i);
            return map_arrays(inverse_shape(t), with_own(i, [](I& i, Row q, Row v) { return i.rate(q, v); }), q_of(t, q),
                              v_of(t, v));
          },
          py::arg("q"), py::arg("v"), "The rate of B along v. Takes stacks.");
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

TaskCurve curve_from(TaskMap& t, const py::function& curve) {
  const int size = static_cast<int>(t.value(t.mechanism().neutral()).size());
  return [own = kept(curve), size, n = t.dimension()](double s) {
    py::gil_scoped_acquire locked;
    const py::tuple at = (*own)(s);
    return MovingTask{owned(at[0], size, "x of the curve"), owned(at[1], n, "xdot of the curve")};
  };
}

Records<Holonomy> round_trips(const InversePtr& inverse, const py::object& q, const py::object& a, const py::object& b,
                              double radius, int loops, const std::optional<py::function>& curve, double tolerance,
                              int samples) {
  const TaskMapPtr t = task_of(inverse);
  const LiftOptions options{.tolerance = tolerance, .samples = samples};
  if (curve && !(a.is_none() && b.is_none()))
    throw Error("a loop is given by a and b or by curve, not by both");
  if (!curve && (a.is_none() || b.is_none())) throw Error("a loop needs two directions a and b, or a curve");
  if (curve) {
    const TaskCurve loop = curve_from(*t, *curve);
    const auto along = [&, loop](TaskInverse& i, Row q) { return holonomy(i, loop, q, loops, options); };
    return map_records(with_own(inverse, along), q_of(t, q));
  }
  const auto round = [&](TaskInverse& i, Row q, Row a, Row b) {
    return holonomy(i, circle_through(i.task(), i.task().value(q), a, b, radius), q, loops, options);
  };
  return map_records(with_own(inverse, round), q_of(t, q), d_of(t, a, "a"), d_of(t, b, "b"));
}

Records<Integrability> integrable(const InversePtr& inverse, const py::object& q, double tolerance) {
  return map_records(with_own(inverse, [=](TaskInverse& i, Row q) { return integrability(i, q, tolerance); }),
                     q_of(task_of(inverse), q));
}

/// The curve that each record has.
template <class Record>
Records<CurveOnMechanism> curves_of(const Records<Record>& records, const CurveOnMechanism& (*curve)(const Record&)) {
  Records<CurveOnMechanism> out{records.leading, {}};
  for (const Record& r : records.rows) out.rows.push_back(curve(r));
  return out;
}

py::tuple lifted(const InversePtr& inverse, const py::function& curve, double duration, const py::object& q0,
                 double tolerance, int samples) {
  const TaskMapPtr t = task_of(inverse);
  const TaskCurve way = curve_from(*t, curve);
  const auto f = [&](TaskInverse& i, Row q0) {
    return lifted_curve(i, way, duration, q0, {.tolerance = tolerance, .samples = samples});
  };
  const auto found = map_records(with_own(inverse, f), Input(q0, t->mechanism().nq(), "q0"));
  return py::make_tuple(curves_of<LiftedCurve>(found, [](const LiftedCurve& l) -> auto& { return l.curve; }),
                        stacked(found, [](const LiftedCurve& l) { return l.task_error; }));
}

void bind_repeatability(py::module_& m) {
  using J = Integrability;
  py::class_<Records<J>> i(m, "Integrability", "What integrability() found.");
  def_stacked(i, "integrable", &J::integrable, "Whether loops of the task close in the joints, nearby.");
  def_stacked(i, "largest", &J::largest, "The largest vertical part of a bracket, relative.");
  def_stacked(i, "drift", &J::drift, "What a small loop of that pair leaves, for each unit of its area (nv).");
  i.def_property_readonly(
      "directions",
      [](const Records<J>& r) {
        return py::make_tuple(stacked(r, [](const J& x) { return x.first; }), stacked(r, [](const J& x) { return x.second; }));
      },
      "The pair of directions it belongs to.");
  m.def("integrability", &integrable, py::arg("inverse"), py::arg("q"), py::arg("tolerance") = 1e-8,
        "Whether the brackets of the columns of an inverse stay in their span at q. Takes stacks.");
  using H = Holonomy;
  py::class_<Records<H>> h(m, "Holonomy", "How joints drift over closed loops; made by holonomy().");
  const auto norms = [](const H& h) {
    return OwnedVector(
        Eigen::Map<const Eigen::VectorXd>(h.drift_norm.data(), static_cast<Eigen::Index>(h.drift_norm.size())));
  };
  def_stacked(h, "q", [](const H& h) { return rows_of(h.q); }, "At the start and after each loop, in rows.");
  def_stacked(h, "drift", [](const H& h) { return rows_of(h.drift); }, "Of each loop, in rows.");
  def_stacked(h, "drift_norms", norms, "Their lengths in the metric of M.");
  def_stacked(h, "task_error", &H::task_error, "The largest distance of the task from its curve.");
  def_stacked(h, "length", [](const H& h) { return h.first.length; }, "Of the first loop, in the metric of M.");
  h.def_property_readonly(
      "curve", [](const Records<H>& r) { return curves_of<H>(r, [](const H& h) -> auto& { return h.first.curve; }); },
      "The joints during the first loop.");
  m.def("holonomy", &round_trips, py::arg("inverse"), py::arg("q"), py::arg("a") = py::none(),
        py::arg("b") = py::none(), py::arg("radius") = 0.05, py::arg("loops") = 1,
        py::arg("curve") = py::none(), py::arg("tolerance") = 1e-10, py::arg("samples") = 101, kHolonomy);
  m.def("lifted_curve", &lifted, py::arg("inverse"), py::arg("curve"), py::arg("duration"), py::arg("q0"),
        py::arg("tolerance") = 1e-10, py::arg("samples") = 101,
        "(curve of configurations, largest task error) over a curve of the workspace: a function of t that "
        "gives (x, xdot). Takes stacks of q0.");
  m.def(
      "drift_figure",
      [](const Mechanism& m, const std::vector<Records<Holonomy>>& loops, const std::vector<std::string>& names) {
        const std::vector<Holonomy> all = in_one_list(loops);
        if (all.size() != names.size()) throw Error("as many names as loops are needed");
        return svg(drift_plot(m, all, names));
      },
      py::arg("m"), py::arg("loops"), py::arg("names"),
      "A picture (SVG) of how joints drift from loop to loop.");
}

void bind_workspace(py::module_& m) {
  using W = WorkspaceDynamics;
  py::class_<Records<W>> w(m, "WorkspaceDynamics",
                           "lambda_ xddot + mu + p = F for forces tau = J^T F; made by workspace_dynamics().");
  def_stacked(w, "lambda_", &W::lambda, "The inertia that the task meets.");
  def_stacked(w, "mu", &W::mu, "Coriolis and centrifugal forces.");
  def_stacked(w, "p", &W::p, "Gravity.");
  def_stacked(w, "lift", &W::lift, "M^-1 J^T lambda_.");
  def_stacked(w, "drift", &W::drift, "xddot without forces and gravity.");
  m.def(
      "workspace_dynamics",
      [](const TaskMapPtr& t, const py::object& q, const py::object& v) {
        const auto f = [](TaskMap& t, Row q, Row v) { return workspace_dynamics(t, q, v); };
        return map_records(with_own(t, f), q_of(t, q), v_of(t, v));
      },
      py::arg("task"), py::arg("q"), py::arg("v"), "The dynamics that a task sees. Takes stacks.");
  m.def(
      "lifted_function",
      [](const TaskMapPtr& t, const py::object& q, const py::object& df) {
        const auto f = [](TaskMap& t, Row q, Row df) { return lifted_function(t, q, df); };
        const auto found = map_records(with_own(t, f), q_of(t, q), d_of(t, df, "df"));
        return py::make_tuple(stacked(found, [](const LiftedFunction& f) -> auto& { return f.differential; }),
                              stacked(found, [](const LiftedFunction& f) -> auto& { return f.gradient; }));
      },
      py::arg("task"), py::arg("q"), py::arg("df"),
      "(differential, gradient) in the joints of a function of the workspace with differential df: J^T df "
      "and M^-1 J^T df. Takes stacks.");
  m.def(
      "lifted_feedback",
      [](const TaskMapPtr& t, const py::object& q, const py::object& v, const py::object& xddot, const py::object& tau_rest) {
        const int nv = t->mechanism().nv();
        const py::object rest = tau_rest.is_none() ? py::object(array(Eigen::VectorXd(Eigen::VectorXd::Zero(nv)))) : tau_rest;
        const auto f = [](TaskMap& t, Row q, Row v, Row xddot, Row rest) { return lifted_feedback(t, q, v, xddot, &rest); };
        return map_arrays({nv}, with_own(t, f), q_of(t, q), v_of(t, v), d_of(t, xddot, "xddot"),
                          Input(rest, nv, "tau_rest"));
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
