#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/mechanism/compare.hpp"
#include "amble/mechanism/product_of_exponentials.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "bindings.hpp"
#include "rows.hpp"

namespace amble::python {

namespace {

using Chain = ProductOfExponentials;

Chain chain_from(const py::object& reference, const py::object& screws,
                 const std::vector<std::string>& joints) {
  const Array rows = numbers(screws, "screws");
  if (rows.ndim() != 2 || rows.shape(1) != 6)
    throw Error(fmt::format("screws has shape {}: expected (n, 6)",
                            shape_text({rows.shape(), rows.shape() + rows.ndim()})));
  const auto n = static_cast<std::size_t>(rows.shape(0));
  if (!joints.empty() && joints.size() != n)
    throw Error(fmt::format("joints has {} names: expected one per screw, {}", joints.size(), n));
  Chain chain{.reference = pose_from(reference, "reference"), .joints = joints};
  chain.ratios.assign(n, 1.0);
  chain.offsets.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    chain.screws.emplace_back(Vector6<double>(rows.data() + 6 * i));
    chain.coordinates.push_back(static_cast<int>(i));
  }
  return chain;
}

Array screws_of(const Chain& chain) {
  Array out = new_array({static_cast<py::ssize_t>(chain.screws.size())}, {6});
  for (std::size_t i = 0; i < chain.screws.size(); ++i)
    put(chain.screws[i].vector(), out.mutable_data() + 6 * i);
  return out;
}

Array chain_pose(const Chain& chain, const py::object& q) {
  const auto n = static_cast<py::ssize_t>(chain.screws.size());
  return map_rows(stack(q, {n}, "q"), {4, 4}, [&](const double* in, double* out) {
    put(chain.pose(Eigen::Map<const Eigen::VectorXd>(in, n)).matrix(), out);
  });
}

void bind_product_of_exponentials(py::module_& m) {
  py::class_<Chain>(m, "ProductOfExponentials",
                    "A serial chain: exp(screws[0] q[0]) ... exp(screws[n-1] q[n-1]) reference, unit twists "
                    "in the base's axes.")
      .def(py::init(&chain_from), py::arg("reference"), py::arg("screws"),
           py::arg("joints") = std::vector<std::string>(),
           "From the tool's pose at q = 0 (4 x 4), unit screws (n x 6, linear first) and, if wanted, names "
           "of joints.")
      .def_property_readonly(
          "reference", [](const Chain& c) { return array(c.reference); }, "Pose at q = 0 (4 x 4).")
      .def_property_readonly("screws", &screws_of,
                             "Unit twists in the base frame's axes (n x 6, linear first).")
      .def_readonly("joints", &Chain::joints, "Name of each screw's joint.")
      .def_readonly("coordinates", &Chain::coordinates,
                    "Where each screw's coordinate stands in the mechanism's q.")
      .def_readonly("ratios", &Chain::ratios, "A screw's q is ratio * coordinate + offset.")
      .def_readonly("offsets", &Chain::offsets, "A screw's q is ratio * coordinate + offset.")
      .def("pose", &chain_pose, py::arg("q"), "The pose (4 x 4) for one number per screw (n). Takes stacks.");
  m.def(
      "product_of_exponentials",
      [](const Mechanism& mechanism, const std::string& body) {
        return product_of_exponentials(mechanism, body);
      },
      py::arg("m"), py::arg("body"), "The chain from the world to a body or frame.");
  m.def("mechanism_of", &mechanism_of, py::arg("chain"), py::arg("inertias") = std::vector<Inertia<double>>(),
        py::arg("name") = "chain",
        "A mechanism with one joint per screw and a frame 'tool' at the reference pose; inertias in the base "
        "frame's axes "
        "at q = 0.");
}

py::tuple draw(const py::object& seed, int bodies, const std::vector<std::string>& types, int roots,
               double branching, int loops, double mimic, double fixed, bool properties) {
  const RandomMechanismOptions options{bodies, types, roots, branching, loops, mimic, fixed, properties};
  auto made = [&options, number = seed_from(seed)] {
    py::gil_scoped_release unlocked;
    return random_mechanism(number, options);
  }();
  const Array q = array(made.q);
  return py::make_tuple(std::move(made.mechanism), q);
}

std::vector<std::string> compare(const Mechanism& a, const Mechanism& b, double tolerance) {
  if (!(tolerance >= 0.0)) throw Error(fmt::format("tolerance is {}: expected a number from 0 up", tolerance));
  return differences(a, b, tolerance);
}

constexpr const char* kRandom =
    R"((mechanism, q) drawn from the seed: physically sound, the same on every machine.

bodies, roots (bodies joined to the world), loops (closed at the q returned): how many.
types: joint types to draw from, every type when empty.
branching: 0 makes chains, 1 joins every body to a random earlier one.
mimic, fixed: share of joints that follow another or are fixed.
properties: limits, damping, friction and armature on some joints.)";

}  // namespace

void bind_mechanism_functions(py::module_& m) {
  const RandomMechanismOptions standard;
  m.def("differences", &compare, py::arg("a"), py::arg("b"), py::arg("tolerance") = 1e-9,
        py::call_guard<py::gil_scoped_release>(),
        "What differs between two mechanisms, one line each; empty when they are the same. `tolerance` is "
        "relative.");
  m.def("random_mechanism", &draw, py::arg("seed"), py::arg("bodies") = standard.bodies,
        py::arg("types") = standard.types, py::arg("roots") = standard.roots,
        py::arg("branching") = standard.branching, py::arg("loops") = standard.loops,
        py::arg("mimic") = standard.mimic, py::arg("fixed") = standard.fixed,
        py::arg("properties") = standard.properties, kRandom);
  bind_product_of_exponentials(m);
}

}  // namespace amble::python
