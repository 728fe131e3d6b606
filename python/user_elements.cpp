#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "amble/ports/controller.hpp"
#include "bindings.hpp"
#include "element_handles.hpp"

// Elements and controllers that users write in Python.
namespace amble::python {

namespace {

/// What a user's element sees.
struct ElementState {
  double t;
  py::object mechanism;
  Array q, v, x;
};

/// The C++ half of a class in Python that derives from amble.Element.
class UserElement : public Element {
 public:
  UserElement(std::string name, int size, int guards) : Element(std::move(name)), size_(size), guards_(guards) {
    if (size < 0 || guards < 0)
      throw Error(
          fmt::format("element '{}' has a size of {} and {} guards: expected 0 or more", this->name(), size, guards));
  }
  int size() const override { return size_; }
  int guards() const override { return guards_; }

  void start(const PortState& at, double* x, double*) const override {
    py::gil_scoped_acquire locked;
    if (const py::function f = written("start")) take(f(seen(at, x)), size_, "the start", x);
  }
  void evaluate(const PortState& at, const double* x, PortFlows& out, double* xdot) const override {
    py::gil_scoped_acquire locked;
    const py::function f = written("evaluate");
    if (!f) throw Error(fmt::format("element '{}' has no evaluate(state)", name()));
    const py::object said = f(seen(at, x));
    if (!py::isinstance<py::dict>(said)) {
      if (size_ > 0)
        throw Error(fmt::format("element '{}' has a state of its own: its evaluate(state) gives a dict with 'rates'",
                                name()));
      take(said, at.mechanism.nv(), "tau", out.tau.data());
      out.supplied = out.tau.dot(at.v);
      return;
    }
    take_flows(said, at, out, xdot);
  }
  void guard_values(const PortState& at, const double* x, double* values) const override {
    py::gil_scoped_acquire locked;
    const py::function f = written("guard_values");
    if (!f) throw Error(fmt::format("element '{}' has {} guards, but no guard_values(state)", name(), guards_));
    take(f(seen(at, x)), guards_, "guard_values", values);
  }
  /// Asked when one of its own guards is crossed; may give its own state anew.
  void happen(const PortState& at, PortEvent& event) const override {
    if (std::all_of(event.crossed.begin(), event.crossed.end(), [](signed char c) { return c == 0; })) return;
    py::gil_scoped_acquire locked;
    const py::function f = written("happen");
    if (!f) return;
    const std::vector<int> crossed(event.crossed.begin(), event.crossed.end());
    const py::object said = f(seen(at, event.x), crossed);
    if (!said.is_none()) take(said, size_, "what happen(state, crossed) gives", event.x);
    event.log.push_back(fmt::format("{}: happens", name()));
  }

 private:
  py::function written(const char* what) const { return py::get_override(static_cast<const Element*>(this), what); }
  ElementState seen(const PortState& at, const double* x) const {
    return {at.t, py::cast(at.mechanism), array(at.q), array(at.v), Array(size_, x)};
  }
  void take(const py::object& said, py::ssize_t count, const char* what, double* to) const {
    const Array given = numbers(said, {count}, fmt::format("{} of element '{}'", what, name()));
    std::copy_n(given.data(), count, to);
  }
  void take_flows(const py::dict& said, const PortState& at, PortFlows& out, double* xdot) const {
    for (const auto& [key, value] : said) {
      const std::string word = py::cast<std::string>(key);
      const auto number_of = [&, v = value] { return number(v, fmt::format("{} of element '{}'", word, name())); };
      if (word == "tau")
        take(py::reinterpret_borrow<py::object>(value), at.mechanism.nv(), "tau", out.tau.data());
      else if (word == "rates")
        take(py::reinterpret_borrow<py::object>(value), size_, "rates", xdot);
      else if (word == "supplied")
        out.supplied = number_of();
      else if (word == "dissipated")
        out.dissipated = number_of();
      else if (word == "stored")
        out.stored = number_of();
      else
        throw Error(fmt::format("element '{}' gives '{}': expected tau, supplied, dissipated, stored or rates",
                                name(), word));
    }
    if (size_ > 0 && !said.contains("rates"))
      throw Error(fmt::format("element '{}' gives no 'rates' of its own state", name()));
  }

  int size_, guards_;
};

/// To derive from; sampled() takes anything with an update().
struct ControllerBase {};

/// What a controller sees.
struct SeenState {
  py::object mechanism;
  Array q, v;
};

class UserController : public Controller {
 public:
  UserController(const py::object& self, std::string name) : self_(kept(self)), name_(std::move(name)) {}
  void reset(const ControllerState& at, double t) override {
    py::gil_scoped_acquire locked;
    if (py::hasattr(*self_, "reset")) self_->attr("reset")(seen(at), t);
  }
  void update(const ControllerState& at, double t, OwnedVector& tau) override {
    py::gil_scoped_acquire locked;
    const std::string what = fmt::format("what update(state, t) of controller '{}' gives at {} s", name_, t);
    tau = vector(numbers(self_->attr("update")(seen(at), t), {tau.size()}, what));
  }

 private:
  static SeenState seen(const ControllerState& at) { return {py::cast(at.mechanism), array(at.q), array(at.v)}; }
  std::shared_ptr<py::object> self_;
  std::string name_;
};

constexpr const char* kElement = R"(Something that exchanges energy with a mechanism through a power port.

Derive a class of your own: call super().__init__(name, size, guards), with how many numbers its own state and its
guards have, and write evaluate(state), which sees state.t, state.q, state.v, state.x (its own) and state.mechanism
and gives a dict with tau (nv), supplied, dissipated (W), stored (J) and rates (of x), each zero unless given; or tau
alone, which is then supplied as it is delivered. Optional: start(state) gives x at the start, guard_values(state)
numbers where something happens when they change their sign, happen(state, crossed) x anew.)";

constexpr const char* kSampled = R"(A controller that is asked at start + offset + k period (s).

What its update(state, t) gives (tau, nv numbers) acts from `delay` later, which may be longer than the period, until
the next such instant. state.q, state.v, state.mechanism.)";

}  // namespace

ElementPtr lasting(const ElementHandle& element) {
  if (dynamic_cast<const UserElement*>(element.get()) == nullptr) return element;
  return {element.get(), [python = kept(py::cast(element))](const Element*) {}};
}

void bind_user_elements(py::module_& m) {
  using namespace py::literals;
  py::class_<ElementState>(m, "ElementState", "What a user's element sees.")
      .def_readonly("t", &ElementState::t, "s")
      .def_readonly("mechanism", &ElementState::mechanism, "What it is attached to.")
      .def_readonly("q", &ElementState::q, "nq")
      .def_readonly("v", &ElementState::v, "nv")
      .def_readonly("x", &ElementState::x, "The element's own state.");
  py::class_<SeenState>(m, "ControllerState", "What a controller sees.")
      .def_readonly("mechanism", &SeenState::mechanism, "What it controls.")
      .def_readonly("q", &SeenState::q, "nq")
      .def_readonly("v", &SeenState::v, "nv");
  py::class_<Element, UserElement, ElementHandle>(m, "Element", kElement)
      .def(py::init_alias<std::string, int, int>(), "name"_a, "size"_a = 0, "guards"_a = 0)
      .def_property_readonly("name", &Element::name, "As the ledger has it.")
      .def("__repr__", [](const Element& e) { return fmt::format("<amble.Element '{}'>", e.name()); });
  py::class_<ControllerBase>(m, "Controller", "A program that is asked for forces at its instants; see sampled().")
      .def(py::init<>())
      .def(
          "reset", [](ControllerBase&, const SeenState&, double) {}, "state"_a, "t"_a, "A motion starts.")
      .def(
          "update",
          [](ControllerBase&, const SeenState&, double) -> py::object {
            throw Error("a controller has no update(state, t) of its own");
          },
          "state"_a, "t"_a, "The forces on the joints (nv) from now on.");
  m.def(
      "sampled",
      [](const Mechanism& robot, const py::object& controller, double period, double delay, double offset,
         const std::string& name) {
        if (!py::hasattr(controller, "update"))
          throw Error(fmt::format("controller '{}' has no update(state, t)", name));
        return writable(
            sampled(name, std::make_shared<UserController>(controller, name), robot, {period, delay, offset}));
      },
      "m"_a, "controller"_a, "period"_a = 1e-3, "delay"_a = 0.0, "offset"_a = 0.0, "name"_a = "controller", kSampled);
}

}  // namespace amble::python
