#include <fmt/format.h>

#include "amble/geometry/ground.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "ground_handles.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

GroundHandle height_field(const py::object& heights, double spacing, double x0, double y0) {
  const Array given = numbers(heights, "heights");
  if (given.ndim() != 2) throw Error(fmt::format("heights has {} dimensions, expected 2: x, then y", given.ndim()));
  HeightField field{x0, y0, spacing, {}};
  for (py::ssize_t i = 0; i < given.shape(0); ++i) field.heights.emplace_back(given.data(i, 0), given.data(i, 0) + given.shape(1));
  return writable(height_field_ground(field));
}

py::dict ground_at(const GroundHandle& ground, double x, double y) {
  const GroundPoint at = ground->at(x, y);
  py::dict out;
  out["height"] = at.height, out["gradient"] = array(at.gradient), out["normal"] = array(at.normal());
  return out;
}

}  // namespace

void bind_grounds(py::module_& m) {
  py::class_<Ground, GroundHandle>(m, "Ground", "What a mechanism stands on: a height over x and y.")
      .def("at", &ground_at, "x"_a, "y"_a, "{'height', 'gradient', 'normal'} there.")
      .def("clearance", [](const GroundHandle& g, const py::object& p) { return g->clearance(vector3(p, "point")); }, "point"_a,
           "How far a point is above it, straight down (m).");
  m.def("plane_ground", [](double slope, double height) { return writable(plane_ground(slope, height)); }, "slope_deg"_a = 0.0,
        "height"_a = 0.0, "Level, or falling by slope_deg along +x.");
  m.def("stairs_ground",
        [](double start, double length, double rise, int count) {
          return writable(stairs_ground({start, length, rise, count}));
        },
        "start"_a = 0.0, "length"_a = 0.3, "rise"_a = 0.1, "count"_a = 1, "Stairs along x from `start` on (m).");
  m.def("sine_ground",
        [](double amplitude, double frequency, double direction) {
          return writable(sine_ground({amplitude, frequency, direction}));
        },
        "amplitude"_a, "frequency"_a, "direction_deg"_a = 0.0, "Waves of that amplitude (m) and frequency (1/m), DS Example 3.5.");
  m.def("height_field_ground", &height_field, "heights"_a, "spacing"_a = 0.1, "x0"_a = 0.0, "y0"_a = 0.0,
        "Heights on a grid (m), rows along x; smooth between.");
}

}  // namespace amble::python
