#include "amble/base/error.hpp"
#include "amble/version.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "rows.hpp"

namespace amble::python {

// One function per file of bindings.
void bind_dual(py::module_& geometry);
void bind_groups(py::module_& geometry);
void bind_lines_and_screws(py::module_& geometry);
void bind_inertia(py::module_& geometry);
void bind_charts(py::module_& geometry);
void bind_mechanism(py::module_& m);
void bind_parts(py::module_& m);
void bind_builder(py::module_& m);
void bind_mechanism_functions(py::module_& m);
void bind_io(py::module_& m);
void bind_limits(py::module_& m);
void bind_dynamics(py::module_& m);
void bind_dynamics_derivatives(py::module_& m);
void bind_dynamics_momentum(py::module_& m);
void bind_dynamics_parameters(py::module_& m);
void bind_chart_form(py::module_& m);
void bind_momentum_form(py::module_& m);
void bind_gauss(py::module_& m);
void bind_constraints_of_mechanisms(py::module_& m);
void bind_springs(py::module_& m);
void bind_contact_dynamics(py::module_& m);
void bind_compliant_contact(py::module_& m);
void bind_contact_kinematics(py::module_& m);
void bind_contact(py::module_& m);
void bind_contact_scene(py::module_& m);
void bind_grounds(py::module_& m);
void bind_friction(py::module_& m);
void bind_elements(py::module_& m);
void bind_sensors(py::module_& m);
void bind_simulation(py::module_& m);
void bind_reduced_motion(py::module_& m);
void bind_port_hamiltonian(py::module_& m);
void bind_scenario(py::module_& m);
void bind_bonds(py::module_& m);
void bind_gaits(py::module_& m);
void bind_curvature(py::module_& m);
void bind_geodesics(py::module_& m);
void bind_tasks(py::module_& m);
void bind_lifts(py::module_& m);
void bind_quadratic_programs(py::module_& m);
void bind_drives(py::module_& m);
void bind_identify(py::module_& m);
void bind_report(py::module_& m);
void bind_curve_tracking(py::module_& m);
void bind_postures(py::module_& m);
void bind_stances(py::module_& m);
void bind_legged_robots(py::module_& m);
void bind_whole_body(py::module_& m);

namespace {

/// While it lives, what is defined in the module belongs to the public name: users see `amble.Mechanism`, in
/// help, messages and pickles, not the compiled module behind it.
class PublicName {
 public:
  PublicName(py::module_& m, const char* name) : module_(m), own_(m.attr("__name__")) {
    m.attr("__name__") = name;
  }
  ~PublicName() { module_.attr("__name__") = own_; }
  PublicName(const PublicName&) = delete;
  PublicName& operator=(const PublicName&) = delete;

 private:
  py::module_& module_;
  py::object own_;
};

PyObject* error_type = nullptr;  // lives as long as the interpreter

/// Messages may quote file names, which need not be UTF-8.
void translate(std::exception_ptr p) {
  try {
    std::rethrow_exception(p);
  } catch (const Error& e) {
    PyErr_SetObject(error_type, text(e.what()).ptr());
  }
}

void bind_error(py::module_& m) {
  error_type = PyErr_NewExceptionWithDoc(
      "amble.Error",
      "The caller's mistake or a bad file: the message names the thing, its value and what was expected.",
      PyExc_ValueError, nullptr);
  if (!error_type) throw py::error_already_set();
  m.attr("Error") = py::handle(error_type);
  py::register_exception_translator(&translate);
}

/// Python's own way for protocols 0 and 1 makes an instance of pybind11's base class, which ends the process.
/// This one serves every protocol: an empty instance, then __setstate__, for the classes that have it.
py::tuple reduced(const py::object& self) {
  const py::type type = py::type::of(self);
  if (!py::hasattr(type, "__setstate__"))
    throw py::type_error("cannot pickle '" + py::str(type.attr("__name__")).cast<std::string>() + "' object");
  return py::make_tuple(py::module_::import("copyreg").attr("__newobj__"), py::make_tuple(type),
                        self.attr("__getstate__")());
}

void bind_pickling(py::module_& m) {
  for (const auto& [name, item] : m.attr("__dict__").cast<py::dict>())
    if (py::isinstance<py::type>(item) && item.ptr() != error_type)
      py::setattr(item, "__reduce__", py::cpp_function(&reduced, py::name("__reduce__"), py::is_method(item)));
}

void bind_all_geometry(py::module_& m) {
  const PublicName name(m, "amble.geometry");
  bind_dual(m);
  bind_groups(m);
  bind_lines_and_screws(m);
  bind_inertia(m);
  bind_charts(m);
  bind_pickling(m);
}

void bind_all(py::module_& m) {
  const PublicName name(m, "amble");
  bind_error(m);
  bind_parts(m);
  bind_mechanism(m);
  bind_builder(m);
  bind_mechanism_functions(m);
  bind_io(m);
  bind_limits(m);
  bind_dynamics(m);
  bind_dynamics_derivatives(m);
  bind_dynamics_momentum(m);
  bind_dynamics_parameters(m);
  bind_chart_form(m);
  bind_momentum_form(m);
  bind_gauss(m);
  bind_constraints_of_mechanisms(m);
  bind_springs(m);
  bind_contact_dynamics(m);
  bind_elements(m);
  bind_compliant_contact(m);
  bind_contact(m);
  bind_grounds(m);
  bind_contact_kinematics(m);
  bind_contact_scene(m);
  bind_friction(m);
  bind_sensors(m);
  bind_simulation(m);
  bind_reduced_motion(m);
  bind_port_hamiltonian(m);
  bind_scenario(m);
  bind_bonds(m);
  bind_gaits(m);
  bind_curvature(m);
  bind_geodesics(m);
  bind_tasks(m);
  bind_lifts(m);
  bind_quadratic_programs(m);
  bind_drives(m);
  bind_identify(m);
  bind_report(m);
  bind_curve_tracking(m);
  bind_postures(m);
  bind_whole_body(m);
  bind_stances(m);
  bind_legged_robots(m);
  bind_pickling(m);
  m.def("threads", &threads, "How many threads a call on a stack may use.");
  m.def("set_threads", &set_threads, py::arg("count"),
        "Limit the threads of calls on stacks; 0 means one per core. Results do not depend on it.");
}

}  // namespace

}  // namespace amble::python

PYBIND11_MODULE(_amble, m) {
  m.doc() = "The compiled part of the package amble.";
  m.attr("__version__") = amble::kVersion;
  pybind11::module_ geometry =
      m.def_submodule("geometry", "Geometry on NumPy arrays; use it as amble.geometry.");
  amble::python::bind_all_geometry(geometry);
  amble::python::bind_all(m);
}
