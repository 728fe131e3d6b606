#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/optimize/quadratic_program.hpp"
#include "bindings.hpp"
#include "convert.hpp"

namespace amble::python {

namespace {

using namespace pybind11::literals;

constexpr const char* kSolve =
    R"(Minimise 1/2 x'H x + g'x  subject to  A x = b,  lower <= C x <= upper,  x_lower <= x <= x_upper.

H: n x n, symmetric, convex wherever A x = b leaves x free. A, b and C, lower, upper come together; of lower and upper one
may be left out, and infinities leave a side open. x_lower, x_upper: n numbers or one for all. tolerance: of
certificate.residual; iterations: constraints added or dropped, at most (0: 50 + 10 per variable, equality and row).
Returns a QpResult: look at its status before its x. Numbers that make no program are an Error.)";

constexpr const char* kSolver =
    R"(Solves programs of one size one after another, in memory of its own.

QpSolver(variables, equalities, rows).solve(H, g, A, b, C, lower, upper, x_lower, x_upper, reuse="active_set") starts from
the constraints that were active last time; reuse="factorisation" in addition keeps what was computed of H, A and C, which
must be the same; reuse="nothing" starts afresh.)";

constexpr const char* kResult = R"(The answer to a quadratic program.

status: "solved", "infeasible", "unbounded", "not convex", "iteration limit" or "inaccurate"; solved: the first of these.
x: the solution; of an unbounded program the direction along which it falls for ever, largest component one.
equalities, rows, bounds: multipliers, positive where an upper bound pushes, negative where a lower one does, so that
H x + g + A'equalities + C'rows + bounds = 0; of an infeasible program Farkas' proof, largest number one.
objective, certificate, iterations (constraints added or dropped), passes (refinements), active (inequalities that hold
with equality). infeasibility: of an infeasible program, else None; descent: of an unbounded one, else None.)";

constexpr const char* kCertificate = R"(How far a solution is from the conditions of Karush, Kuhn and Tucker.

primal: worst violation; dual: worst |H x + g + A'equalities + C'rows + bounds|; gap: sum of |multiplier times distance from
its bound|. scaled_primal, scaled_dual, scaled_gap: relative to max(1, |bound|); max(1, |g|, |H x|); max(1, |g'x|, |x'H x|,
the multipliers' share of the dual objective). residual: the largest of the scaled three.)";

constexpr const char* kInfeasibility =
    R"(Farkas' proof that no x is feasible, judged from the program's numbers.

residual: worst |A'equalities + C'rows + bounds|, zero in exact arithmetic; value: the bounds that these multipliers push
against, summed: negative; radius: no x whose largest component is smaller than this is feasible.)";

constexpr const char* kDescent =
    R"(A direction d along which the objective falls for ever, judged from the program's numbers.

slope: g'd, negative; residual: worst of |H d|, |A d| and what C d and d lose to bounds; both for |d| = 1.)";

using Input = const py::object&;

/// Columns of H, the size of everything else.
struct Given {
  py::object H, g, A, b, C, lower, upper, x_lower, x_upper;
};

py::ssize_t rows_of(Input matrix, const char* what, py::ssize_t columns) {
  if (matrix.is_none()) return 0;
  const Array M = numbers(matrix, what);
  if (M.ndim() != 2 || M.shape(1) != columns)
    throw Error(fmt::format("{} has shape {}: expected (any, {})", what,
                            shape_text(Extents(M.shape(), M.shape() + M.ndim())), columns));
  return M.shape(0);
}

QuadraticProgram sized(const Given& in) {
  const Array g = numbers(in.g, "g");
  if (g.ndim() != 1 || g.size() == 0)
    throw Error(fmt::format("g has shape {}: expected at least one number in a row",
                            shape_text(Extents(g.shape(), g.shape() + g.ndim()))));
  const py::ssize_t n = g.size();
  if (in.A.is_none() != in.b.is_none()) throw Error("A and b come together: one of them is missing");
  if (in.C.is_none() != (in.lower.is_none() && in.upper.is_none()))
    throw Error("C comes with lower or upper or both: " +
                std::string(in.C.is_none() ? "C is missing" : "both are missing"));
  return QuadraticProgram(static_cast<int>(n), static_cast<int>(rows_of(in.A, "A", n)),
                          static_cast<int>(rows_of(in.C, "C", n)));
}

void fill_matrix(Input from, const char* what, OwnedRowMatrix& to) {
  if (from.is_none()) return;
  const Array M = numbers(from, {to.rows(), to.cols()}, what);
  std::copy_n(M.data(), to.size(), to.data());
}

/// `one`: a lone number stands for all.
void fill_vector(Input from, const char* what, Range range, bool one, OwnedVector& to) {
  if (from.is_none()) return;
  const Array v = numbers(from, what, range);
  if (one && v.ndim() == 0) return to.setConstant(*v.data()), void();
  const Array exact = numbers(from, {to.size()}, what, range);
  std::copy_n(exact.data(), to.size(), to.data());
}

void fill(const Given& in, QuadraticProgram& p) {
  fill_matrix(in.H, "H", p.H);
  fill_vector(in.g, "g", Range::finite, false, p.g);
  fill_matrix(in.A, "A", p.A);
  fill_vector(in.b, "b", Range::finite, false, p.b);
  fill_matrix(in.C, "C", p.C);
  fill_vector(in.lower, "lower", Range::infinite, true, p.lower);
  fill_vector(in.upper, "upper", Range::infinite, true, p.upper);
  fill_vector(in.x_lower, "x_lower", Range::infinite, true, p.x_lower);
  fill_vector(in.x_upper, "x_upper", Range::infinite, true, p.x_upper);
  p.check();
}

QuadraticProgram program_from(const Given& in) {
  QuadraticProgram p = sized(in);
  fill(in, p);
  return p;
}

QpReuse reuse_from(const std::string& name) {
  if (name == "nothing") return QpReuse::nothing;
  if (name == "active_set") return QpReuse::active_set;
  if (name == "factorisation") return QpReuse::factorisation;
  throw Error(fmt::format("reuse is '{}', expected 'nothing', 'active_set' or 'factorisation'", name));
}

QpResult solve_once(Input H, Input g, Input A, Input b, Input C, Input lower, Input upper, Input x_lower,
                    Input x_upper, double tolerance, int iterations) {
  const QpSettings settings{.tolerance = tolerance, .iterations = iterations};
  settings.validate();
  const QuadraticProgram p = program_from({H, g, A, b, C, lower, upper, x_lower, x_upper});
  py::gil_scoped_release released;
  return solve(p, settings);
}

QpResult solve_again(QpSolver& solver, Input H, Input g, Input A, Input b, Input C, Input lower, Input upper,
                     Input x_lower, Input x_upper, const std::string& reuse) {
  const QpReuse kept = reuse_from(reuse);
  return solver.solve(program_from({H, g, A, b, C, lower, upper, x_lower, x_upper}), kept);
}

template <class T>
py::object when(bool there, const T& value) {
  return there ? py::cast(value) : py::object(py::none());
}

void bind_proofs(py::module_& m) {
  py::class_<QpCertificate>(m, "QpCertificate", kCertificate)
      .def_readonly("primal", &QpCertificate::primal, "worst violation of a constraint, in its own unit")
      .def_readonly("dual", &QpCertificate::dual, "worst number of the gradient of the Lagrangian")
      .def_readonly("gap", &QpCertificate::gap, "between the primal and the dual objective")
      .def_readonly("scaled_primal", &QpCertificate::scaled_primal, "relative to the bounds")
      .def_readonly("scaled_dual", &QpCertificate::scaled_dual, "relative to g and H x")
      .def_readonly("scaled_gap", &QpCertificate::scaled_gap, "relative to the parts of the objective")
      .def_property_readonly("residual", &QpCertificate::residual, "the largest of the scaled three");
  py::class_<QpInfeasibility>(m, "QpInfeasibility", kInfeasibility)
      .def_readonly("residual", &QpInfeasibility::residual,
                    "worst number of A'y + C'rows + bounds, which is zero in an exact proof")
      .def_readonly("value", &QpInfeasibility::value,
                    "what the bounds that the multipliers push against sum to: below zero")
      .def_readonly("radius", &QpInfeasibility::radius, "no x of smaller numbers is feasible");
  py::class_<QpDescent>(m, "QpDescent", kDescent)
      .def_readonly("slope", &QpDescent::slope, "of the objective along x, for each unit of it: below zero")
      .def_readonly("residual", &QpDescent::residual, "how far x is from a direction that nothing bounds");
}

void bind_result(py::module_& m) {
  py::class_<QpResult>(m, "QpResult", kResult)
      .def_property_readonly(
          "status", [](const QpResult& r) { return name_of(r.status); },
          "'solved', 'infeasible', 'unbounded', or why it ended otherwise")
      .def_property_readonly("solved", &QpResult::solved, "whether it is")
      .def_property_readonly(
          "x", [](const QpResult& r) { return array(r.x); },
          "the solution, or the direction in which the objective falls without end")
      .def_property_readonly(
          "equalities", [](const QpResult& r) { return array(r.multipliers.equalities); },
          "multipliers of A x = b")
      .def_property_readonly(
          "rows", [](const QpResult& r) { return array(r.multipliers.rows); },
          "multipliers of C x, above zero at upper bounds")
      .def_property_readonly(
          "bounds", [](const QpResult& r) { return array(r.multipliers.bounds); },
          "multipliers of the bounds of x, above zero at upper ones")
      .def_readonly("objective", &QpResult::objective, "at x")
      .def_readonly("certificate", &QpResult::certificate,
                    "how well the conditions of an optimum hold, from the numbers of the program alone")
      .def_property_readonly(
          "infeasibility",
          [](const QpResult& r) { return when(r.status == QpStatus::infeasible, r.infeasibility); },
          "the proof that there is no solution; None where there may be one")
      .def_property_readonly(
          "descent", [](const QpResult& r) { return when(r.status == QpStatus::unbounded, r.descent); },
          "the proof that the objective falls without end; None where it does not")
      .def_readonly("iterations", &QpResult::iterations, "constraints that were added or dropped")
      .def_readonly("passes", &QpResult::passes, "refinements")
      .def_readonly("active", &QpResult::active, "inequalities that hold with equality")
      .def("__repr__", [](const QpResult& r) {
        return fmt::format("<amble.QpResult: {}, objective {:.6g}, residual {:.1e}, {} iterations>",
                           name_of(r.status), r.objective, r.certificate.residual(), r.iterations);
      });
}

}  // namespace

void bind_quadratic_programs(py::module_& m) {
  bind_proofs(m);
  bind_result(m);
  const py::none none;
  m.def("solve_qp", &solve_once, "H"_a, "g"_a, "A"_a = none, "b"_a = none, "C"_a = none, "lower"_a = none,
        "upper"_a = none, "x_lower"_a = none, "x_upper"_a = none, "tolerance"_a = QpSettings{}.tolerance,
        "iterations"_a = QpSettings{}.iterations, kSolve);
  py::class_<QpSolver>(m, "QpSolver", kSolver)
      .def(py::init([](int variables, int equalities, int rows, double tolerance, int iterations) {
             return QpSolver(variables, equalities, rows, {.tolerance = tolerance, .iterations = iterations});
           }),
           "variables"_a, "equalities"_a = 0, "rows"_a = 0, "tolerance"_a = QpSettings{}.tolerance,
           "iterations"_a = QpSettings{}.iterations)
      .def("solve", &solve_again, "H"_a, "g"_a, "A"_a = none, "b"_a = none, "C"_a = none, "lower"_a = none,
           "upper"_a = none, "x_lower"_a = none, "x_upper"_a = none, "reuse"_a = "active_set", kSolve);
}

}  // namespace amble::python
