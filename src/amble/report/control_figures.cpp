#include "amble/report/control_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/palette.hpp"
#include "amble/scenario/walker_file.hpp"

namespace amble {

namespace {

std::string color(std::size_t i) { return palette::kCurves[i % palette::kCurves.size()]; }

template <class Value>
Curve over_time(const std::string& name, const std::vector<WalkEnergies>& energies, const char* color,
                const Value& value) {
  Curve curve{.name = name, .color = color};
  for (const WalkEnergies& e : energies) curve.x.push_back(e.t), curve.y.push_back(value(e));
  return curve;
}

}  // namespace

Plot energies_over_time(const WalkResult& r) {
  const auto& e = r.energies;
  return {"Energies of the walk", "t (s)", "J",
          {over_time("all", e, palette::kInk, [](const auto& at) { return at.potential + at.along + at.across; }),
           over_time("potential", e, palette::kPotential, [](const auto& at) { return at.potential; }),
           over_time("kinetic, along", e, palette::kKinetic, [](const auto& at) { return at.along; }),
           over_time("kinetic, across", e, palette::kImpacts, [](const auto& at) { return at.across; })}};
}

Plot laws_over_time(const WalkResult& r, int coordinate) {
  Plot plot{fmt::format("Laws at {}", r.control->coordinates[static_cast<std::size_t>(coordinate)]), "t (s)", "N m", {}};
  for (std::size_t law = 0; law <= r.walk.laws.size(); ++law) {
    const bool all = law == r.walk.laws.size();
    Curve curve{.name = all ? "all" : r.walk.laws[law], .color = all ? palette::kInk : color(law)};
    for (std::size_t i = 0; i < r.trace.size(); ++i) {
      const auto row = r.trace[i].forces.row(coordinate);
      curve.x.push_back(r.walk.samples[i].t);
      curve.y.push_back(all ? row.sum() : row[static_cast<Eigen::Index>(law)]);
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

Plot path_from_above(const PlacingWalker& walker, const Walk& walk, const std::optional<FloorPath>& path) {
  Curve hip{.name = "hip", .color = palette::kSwingLeg}, feet{.name = "feet", .color = palette::kFootprint, .style = Curve::Style::dots};
  int last = -1;
  for (const WalkSample& s : walk.samples) {
    const Vector3<double> at = hip_place(walker, s);
    hip.x.push_back(at.x()), hip.y.push_back(at.y());
    if (s.step != last) feet.x.push_back(s.q[0]), feet.y.push_back(s.q[1]), last = s.step;
  }
  Plot plot{"From above", "x (m)", "y (m)", {hip, feet}};
  if (!path) return plot;
  const auto [low_x, high_x] = std::minmax_element(hip.x.begin(), hip.x.end());
  const auto [low_y, high_y] = std::minmax_element(hip.y.begin(), hip.y.end());
  Curve reference{.name = "reference", .color = palette::kFaint};
  for (const FloorPath::Point& p : path->points()) {
    const double x = std::clamp(p.x, *low_x, *high_x);
    const double y = p.x == x ? p.y : path->beside(x, p.y).y;
    if (y < *low_y - 1.0 || y > *high_y + 1.0) continue;
    reference.x.push_back(x), reference.y.push_back(y);
  }
  plot.curves.insert(plot.curves.begin(), reference);
  return plot;
}

std::vector<std::pair<std::string, std::string>> pictures_of(const WalkScenario& s, const WalkResult& r) {
  std::vector<std::pair<std::string, std::string>> out;
  const std::unique_ptr<StepModel> model = make_walker(find_walker(s.walker), s.parameters);
  if (const auto* const placing = dynamic_cast<const PlacingWalker*>(model.get()))
    out.emplace_back("path", svg(path_from_above(*placing, r.walk, s.plan.path), 800.0, 360.0));
  if (!r.control) return out;
  out.emplace_back("energies", svg(energies_over_time(r), 800.0, 420.0));
  for (std::size_t i = 0; i < r.control->coordinates.size() && !r.walk.laws.empty(); ++i)
    if (static_cast<Eigen::Index>(i) < r.trace.front().forces.rows())
      out.emplace_back("torques_" + r.control->coordinates[i], svg(laws_over_time(r, static_cast<int>(i)), 800.0, 420.0));
  return out;
}

}  // namespace amble
