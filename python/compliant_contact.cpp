#include "amble/contact/compliant_contact.hpp"

#include <fmt/format.h>

#include "amble/contact/models/table.hpp"
#include "bindings.hpp"
#include "element_handles.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

/// Numbers of a law by their names, as a dict gives them; each may be left out.
class Numbers {
 public:
  Numbers(const py::object& x, std::string what) : what_(std::move(what)) {
    if (x.is_none()) return;
    if (!py::isinstance<py::dict>(x)) throw Error(fmt::format("{} is not a dict of numbers", what_));
    given_ = x.cast<py::dict>();
  }
  void take(const char* key, double& value) {
    known_ += fmt::format("{}'{}'", known_.empty() ? "" : ", ", key);
    if (!given_.contains(key)) return;
    value = number(given_[key], fmt::format("{} of {}", key, what_));
    ++taken_;
  }
  /// Throws an Error for names that nobody asked for.
  void finish() const {
    if (taken_ != py::len(given_))
      throw Error(fmt::format("{} has a name that is not one of {}", what_, known_));
  }

 private:
  std::string what_, known_;
  py::dict given_;
  std::size_t taken_ = 0;
};

SlidingNumbers sliding_numbers(const py::object& x) {
  SlidingNumbers out;
  Numbers numbers(x, "sliding");
  numbers.take("stiffness", out.stiffness), numbers.take("stiffness_across", out.stiffness_across);
  numbers.take("friction", out.friction), numbers.take("relaxation", out.relaxation);
  numbers.take("exponent", out.exponent), numbers.take("static_friction", out.static_friction);
  numbers.take("stribeck_speed", out.stribeck_speed), numbers.take("damping", out.damping);
  numbers.take("viscosity", out.viscosity);
  numbers.finish();
  return out;
}

TwistNumbers twist_numbers(const py::object& x) {
  TwistNumbers out;
  Numbers numbers(x, "twisting");
  numbers.take("stiffness", out.stiffness), numbers.take("friction", out.friction);
  numbers.take("relaxation", out.relaxation);
  numbers.finish();
  return out;
}

RollNumbers roll_numbers(const py::object& x) {
  RollNumbers out;
  Numbers numbers(x, "rolling");
  numbers.take("arm", out.arm), numbers.take("creep", out.creep), numbers.take("damping", out.damping);
  numbers.take("relief", out.relief);
  numbers.finish();
  return out;
}

SurfaceLawPtr printed_from(const py::object& x) {
  PrintedNumbers out;
  Numbers numbers(x, "printed_map");
  numbers.take("stiffness", out.stiffness), numbers.take("twist_stiffness", out.twist_stiffness);
  numbers.take("damping", out.damping), numbers.take("twist_damping", out.twist_damping);
  numbers.take("most_stretch", out.most_stretch), numbers.take("most_twist", out.most_twist);
  numbers.take("relief", out.relief);
  numbers.finish();
  return printed_map(out);
}

StiffnessFactor factor_from(const py::object& x) {
  if (x.is_none()) return {};
  return {[f = kept(x)](double t) {
    py::gil_scoped_acquire locked;
    return number((*f)(t), "factor(t)");
  }};
}

ElementHandle make_contact(const Mechanism& m, const std::string& body, const py::object& point,
                           double radius, const py::object& normal, double offset,
                           const std::string& normal_law, double stiffness, double damping, double exponent,
                           const std::string& sliding_law, double friction, const py::object& sliding,
                           const py::object& twisting, const py::object& rolling, const py::object& printed,
                           double share_a, const py::object& grain, double fading, const py::object& factor,
                           const py::object& pair, const std::string& name) {
  SlidingNumbers slides = sliding_numbers(sliding);
  if (sliding.is_none() || !sliding.contains("friction")) slides.friction = friction;
  const CompliantOptions options{
      .normal =
          amble::normal_law(normal_law, {.stiffness = stiffness, .damping = damping, .exponent = exponent}),
      .surface = printed.is_none() ? slipping_surface(amble::sliding_law(sliding_law, slides),
                                                      twist_numbers(twisting), roll_numbers(rolling))
                                   : printed_from(printed),
      .share_a = share_a,
      .grain = vector3(grain, "grain"),
      .fading = fading,
      .factor = factor_from(factor)};
  if (pair.is_none() == body.empty())
    throw Error(fmt::format("contact '{}' is {}: expected either", name,
                            body.empty() ? "of no body and no pair" : "of a body and a pair"));
  const OverPlane where{body, vector3(point, "point"), radius, vector3(normal, "normal"), offset};
  const ContactPairPtr surfaces =
      pair.is_none() ? over_plane(name, m, where) : pair.cast<std::shared_ptr<ContactPair>>();
  return writable(compliant_contact(name, m, surfaces, options));
}

constexpr const char* kContact = R"(Two surfaces that give way where they touch, DS 3.2.

body: its `point`, or a ball of `radius` about it, over the plane normal . x = offset of the world; or `pair`, any two
surfaces. normal_law: 'kelvin_voigt', 'kelvin_voigt_pulling', 'hertz', 'hunt_crossley', with stiffness, damping,
exponent. sliding_law: 'stick_slip', 'micro_slip', 'lugre', 'viscous', 'frictionless', with `friction` and further numbers in
the dict `sliding` (stiffness, stiffness_across, relaxation, exponent, static_friction, stribeck_speed, damping,
viscosity). twisting: dict of stiffness, friction (m), relaxation. rolling: dict of arm (m), creep, damping, relief.
printed_map: dict, the map of DS (3.25) as printed instead of these. share_a: what of the deformation the plane takes.
fading: s, of the strain after release; 0 turns it into heat at once. factor: a function of t on all stiffnesses.)";

}  // namespace

void bind_compliant_contact(py::module_& m) {
  m.def("compliant_contact", &make_contact, "m"_a, "body"_a = "", "point"_a = py::make_tuple(0.0, 0.0, 0.0),
        "radius"_a = 0.0, "normal"_a = py::make_tuple(0.0, 0.0, 1.0), "offset"_a = 0.0,
        "normal_law"_a = "hunt_crossley", "stiffness"_a = 1e6, "damping"_a = 0.0, "exponent"_a = 1.5,
        "sliding_law"_a = "stick_slip", "friction"_a = 0.5, "sliding"_a = py::none(),
        "twisting"_a = py::none(), "rolling"_a = py::none(), "printed_map"_a = py::none(), "share_a"_a = 0.5,
        "grain"_a = py::make_tuple(1.0, 0.0, 0.0), "fading"_a = 0.0, "factor"_a = py::none(),
        "pair"_a = py::none(), "name"_a = "contact", kContact);
}

}  // namespace amble::python
