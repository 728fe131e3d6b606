#include "amble/report/geometry_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/base/palette.hpp"
#include "amble/riemann/curvature.hpp"

namespace amble {

namespace {

/// A coordinate that adds, with the velocity that belongs to it.
struct Drawn {
  int q = 0, v = 0;
  bool angle = false;
  std::string name;
};

Drawn drawn_coordinate(const Mechanism& m, int place) {
  for (const Joint& joint : m.joints()) {
    const int at = place - joint.q.start;
    if (joint.link < 0 || joint.leader >= 0 || at < 0 || at >= joint.q.size) continue;
    if (joint.q.size != joint.v.size)
      throw Error(fmt::format("joint '{}' has no plain coordinates to draw", joint.name));
    const bool angle = joint.kind == kJointKind<Revolute> || joint.kind == kJointKind<Universal> ||
                       (joint.kind == kJointKind<Cylindrical> && at == 1) ||
                       (joint.kind == kJointKind<Planar> && at == 2);
    const std::string name = joint.q.size == 1 ? joint.name : fmt::format("{}[{}]", joint.name, at);
    return {place, joint.v.start + at, angle, fmt::format("{} ({})", name, angle ? "rad" : "m")};
  }
  throw Error(fmt::format("'{}' has no coordinate {}: expected 0 to {}", m.name(), place, m.nq() - 1));
}

/// Between two colours by way of white: t from -1 to 1.
std::string shade(double t) {
  const int cold[] = {0, 114, 178}, warm[] = {213, 94, 0};
  const int* end = t < 0.0 ? cold : warm;
  const double part = std::sqrt(std::min(1.0, std::abs(t)));
  const auto mixed = [&](int i) { return static_cast<int>(std::lround(255.0 + part * (end[i] - 255.0))); };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2));
}

}  // namespace

CellMap curvature_map(const Mechanism& m, const VectorRef& q, DrawnPair drawn, int cells) {
  if (cells < 2 || cells > 400) throw Error(fmt::format("a map has 2 to 400 cells each way, not {}", cells));
  const Drawn a = drawn_coordinate(m, drawn.across), b = drawn_coordinate(m, drawn.up);
  if (a.v == b.v) throw Error("a map is over two different coordinates");
  const OwnedVector centre = m.checked_configuration(q);
  const auto half = [](const Drawn& d) { return d.angle ? std::numbers::pi : 1.0; };
  CellMap map{.title = fmt::format("sectional curvature of {}", m.name()),
              .x_label = a.name,
              .y_label = b.name,
              .x_low = centre[a.q] - half(a),
              .x_high = centre[a.q] + half(a),
              .y_low = centre[b.q] - half(b),
              .y_high = centre[b.q] + half(b),
              .columns = cells,
              .rows = cells};
  std::vector<double> values;
  for (int row = 0; row < cells; ++row)
    for (int column = 0; column < cells; ++column) {
      OwnedVector at = centre;
      at[a.q] = map.x_low + (column + 0.5) / cells * (map.x_high - map.x_low);
      at[b.q] = map.y_low + (row + 0.5) / cells * (map.y_high - map.y_low);
      values.push_back(
          Curvature(m, at).sectional(Eigen::VectorXd::Unit(m.nv(), a.v), Eigen::VectorXd::Unit(m.nv(), b.v)));
    }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double scale = std::max({std::abs(*least), std::abs(*most), 1e-300});
  for (double value : values) map.color.push_back(shade(value / scale));
  map.legend = {{shade(*most / scale), fmt::format("most {:.4g}", *most)},
                {shade(*least / scale), fmt::format("least {:.4g}", *least)}};
  return map;
}

Plot geodesic_plot(const Mechanism& m, std::span<const CurveOnMechanism> curves,
                   std::span<const std::string> names, DrawnPair drawn) {
  const Drawn a = drawn_coordinate(m, drawn.across), b = drawn_coordinate(m, drawn.up);
  Plot plot{
      .title = fmt::format("geodesics of {}", m.name()),
      .x_label = a.name,
      .y_label = b.name,
  };
  for (std::size_t i = 0; i < curves.size(); ++i) {
    Curve curve{.name = i < names.size() ? names[i] : "",
                .color = palette::kCurves[i % palette::kCurves.size()]};
    for (const OwnedVector& q : curves[i].q) curve.x.push_back(q[a.q]), curve.y.push_back(q[b.q]);
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

Plot drift_plot(const Mechanism& m, std::span<const Holonomy> loops, std::span<const std::string> names) {
  Plot plot{.title = fmt::format("drift of {} over closed loops", m.name()),
            .x_label = "loops",
            .y_label = "distance from the start, root of kg m^2"};
  Workspace work(m);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    Curve curve{.name = names[i], .color = palette::kCurves[i % palette::kCurves.size()]};
    for (std::size_t k = 0; k < loops[i].q.size(); ++k) {
      const OwnedVector d = m.difference(loops[i].q[0], loops[i].q[k]);
      curve.x.push_back(static_cast<double>(k));
      curve.y.push_back(std::sqrt(inner_product(m, work, loops[i].q[0], d, d)));
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

}  // namespace amble
