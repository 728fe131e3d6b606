#include "amble/report/gait_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/palette.hpp"

namespace amble {

namespace {

using Figure = std::vector<StepModel::Stick>;

/// A walk at even times.
std::vector<Figure> figures_of(StepModel& model, const std::vector<const WalkSample*>& seen, int count) {
  std::vector<Figure> out;
  const double end = seen.back()->t;
  std::size_t at = 0;
  for (int i = 0; i < count; ++i) {
    const double t = end * i / std::max(1, count - 1);
    while (at + 1 < seen.size() && seen[at + 1]->t <= t) ++at;
    out.push_back(model.sticks(seen[at]->q));
  }
  return out;
}

struct Bounds {
  double low = 0.0, high = 0.0, bottom = 0.0, top = 0.0;
};
Bounds bounds_of(const std::vector<Figure>& figures) {
  Bounds b;
  for (const Figure& figure : figures)
    for (const StepModel::Stick& s : figure)
      for (const auto& [x, z] : {s.from, s.to})
        b.low = std::min(b.low, x), b.high = std::max(b.high, x), b.top = std::max(b.top, z),
        b.bottom = std::min(b.bottom, z);
  return b;
}

const char* color_of(StepModel::Stick::Part part) {
  return part == StepModel::Stick::Part::stance  ? palette::kStanceLeg
         : part == StepModel::Stick::Part::swing ? palette::kSwingLeg
                                                 : palette::kBody;
}

/// From pixels to pixels: the floor, hatched below.
void draw_floor(Svg& out, std::pair<double, double> from, std::pair<double, double> to) {
  constexpr double kHatch = 9.0;
  const double slope = (to.second - from.second) / (to.first - from.first);
  for (double x = from.first + kHatch; x <= to.first; x += kHatch)
    out.line(x, from.second + slope * (x - from.first), x - 6.0, from.second + slope * (x - from.first) + 8.0,
             palette::kGrid, 1.0);
  out.line(from.first, from.second, to.first, to.second, palette::kFaint, 1.8);
}

void draw_legend(Svg& out, double x, double y) {
  for (const auto& [name, color] :
       {std::pair{"stance leg", palette::kStanceLeg}, {"swing leg", palette::kSwingLeg}}) {
    out.line(x, y - 4.0, x + 18.0, y - 4.0, color, 3.0);
    out.text(x + 24.0, y, name, 12.0);
    x += 104.0;
  }
}

}  // namespace

std::string stick_figures(StepModel& model, const Walk& walk, int figures, int steps) {
  std::vector<const WalkSample*> seen;
  for (const WalkSample& s : walk.samples)
    if (s.step < steps) seen.push_back(&s);
  if (seen.empty()) return Svg(640.0, 60.0, "no motion").finish();
  const std::vector<Figure> drawn = figures_of(model, seen, figures);
  const Bounds b = bounds_of(drawn);
  constexpr double kWidest = 760.0, kTallest = 260.0, kMargin = 26.0, kLegend = 22.0;
  const double scale = std::min((kWidest - 2 * kMargin) / std::max(1e-9, b.high - b.low),
                                kTallest / std::max(1e-9, b.top - b.bottom));
  // The floor slopes in the picture as it does in the world.
  const double c = std::cos(model.slope()), s = std::sin(model.slope());
  const auto place = [&](const std::pair<double, double>& p) {
    return std::pair{kMargin + scale * ((p.first - b.low) * c + p.second * s),
                     kMargin + kLegend + scale * (b.top + (p.first - b.low) * s - p.second * c)};
  };
  const auto from = place({b.low, 0.0}), to = place({b.high, 0.0});
  Svg out(to.first + kMargin, place({b.high, b.bottom}).second + kMargin, "stick figures of the walk");
  draw_legend(out, kMargin, kMargin - 4.0);
  draw_floor(out, {from.first - kMargin, from.second - kMargin * s / c},
             {to.first + kMargin, to.second + kMargin * s / c});
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    // Later ones stand out: the eye sees which way it went.
    const double opacity = 0.35 + 0.6 * static_cast<double>(i + 1) / static_cast<double>(drawn.size());
    for (const StepModel::Stick& stick : drawn[i])
      out.polyline({place(stick.from), place(stick.to)}, color_of(stick.part), 2.0, opacity);
  }
  for (const StepModel::Stick& stick : drawn.back())
    for (const auto& end : {stick.from, stick.to})
      out.circle(place(end).first, place(end).second, 3.2, palette::kBody);
  return out.finish();
}

std::string energy_per_step(const Walk& walk) {
  constexpr double kWidth = 760.0, kHeight = 240.0, kLeft = 60.0, kBase = 120.0;
  Svg out(kWidth, kHeight, "energy per step");
  double most = 1e-12;
  for (const StepLedger& s : walk.steps)
    most = std::max(
        {most, std::abs(s.gravity), s.lost, std::abs(s.dampers), std::abs(s.springs), std::abs(s.supplied)});
  const double scale = 85.0 / most,
               wide = (kWidth - kLeft - 20.0) / std::max<std::size_t>(1, walk.steps.size());
  out.text(kLeft, 18.0, "Energy of each step (J): gained above the line, lost below", 13.0);
  for (const double tick : ticks(-most, most, 5)) {
    out.line(kLeft, kBase - scale * tick, kWidth - 20.0, kBase - scale * tick, palette::kGrid);
    out.text(kLeft - 6.0, kBase - scale * tick + 4.0, fmt::format("{:.4g}", tick), 11.0, Svg::Anchor::end);
  }
  for (std::size_t i = 0; i < walk.steps.size(); ++i) {
    const StepLedger& s = walk.steps[i];
    double x = kLeft + wide * static_cast<double>(i) + 0.1 * wide;
    for (const auto& [value, color] : {std::pair{s.gravity, palette::kGravity},
                                       {-s.lost, palette::kImpacts},
                                       {s.supplied, palette::kActuators},
                                       {s.dampers, palette::kDampers},
                                       {s.springs, palette::kSprings}}) {
      const double tall = scale * std::abs(value);
      out.rectangle(x, value > 0.0 ? kBase - tall : kBase, 0.15 * wide, tall, color);
      x += 0.16 * wide;
    }
    if (walk.steps.size() <= 40 || i % 10 == 0)
      out.text(kLeft + wide * (static_cast<double>(i) + 0.5), kHeight - 28.0, fmt::format("{}", i + 1), 10.0,
               Svg::Anchor::middle);
  }
  double x = kLeft;
  for (const auto& [color, name] : {std::pair{palette::kGravity, "gravity"},
                                    {palette::kImpacts, "impacts"},
                                    {palette::kActuators, "actuators"},
                                    {palette::kDampers, "dampers"},
                                    {palette::kSprings, "springs"}}) {
    out.rectangle(x, kHeight - 18.0, 10.0, 10.0, color);
    out.text(x + 15.0, kHeight - 9.0, name, 11.0);
    x += 90.0;
  }
  return out.finish();
}

Plot phase_portrait(const StepModel& model, const Walk& walk) {
  Plot plot{"Phase portrait", "angle (rad)", "rate (rad/s)", {}};
  const std::vector<std::string> names = model.coordinates(), full = model.full_coordinates();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = std::find(full.begin(), full.end(), names[i]) - full.begin();
    Curve curve{names[i], {}, {}, palette::kCurves[i % palette::kCurves.size()]};
    for (const WalkSample& s : walk.samples) curve.x.push_back(s.q[at]), curve.y.push_back(s.v[at]);
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

Plot return_map(StepModel& model, const Gait& gait, int steps) {
  const StepModel::Section& section = model.section();
  const auto first = [&](const OwnedVector& x) {
    return section.lift.col(0).dot(x - section.offset) / section.lift.col(0).squaredNorm();
  };
  Plot plot{"Return map of walks that start off the cycle", section.names[0] + " at the start of a step (rad)",
            "at the start of the next", {}};
  ReturnMap map(model);
  double low = first(gait.x), high = low;
  Curve walks{"", {}, {}, palette::kStanceLeg, Curve::Style::dots};
  for (const double off : {-0.04, -0.02, 0.02, 0.04}) {
    OwnedVector x = gait.x + off * first(gait.x) * section.lift.col(0);
    for (int i = 0; i < steps; ++i) {
      const Step step = map(x);
      if (!step.completed) break;
      walks.x.push_back(first(x)), walks.y.push_back(first(step.x));
      low = std::min({low, walks.x.back(), walks.y.back()}), high = std::max({high, walks.x.back(), walks.y.back()});
      x = step.x;
    }
  }
  plot.curves = {{"the same", {low, high}, {low, high}, palette::kFaint},
                 walks,
                 {"the cycle", {first(gait.x)}, {first(gait.x)}, palette::kSwingLeg, Curve::Style::dots}};
  return plot;
}

namespace {

const char* color_of(std::size_t i) { return palette::kCurves[i % palette::kCurves.size()]; }

}  // namespace

Plot torque_over_time(const std::vector<ActuatorCurve>& curves) {
  Plot plot{"Torque over a step", "time (s)", "torque (N m)", {}};
  for (std::size_t i = 0; i < curves.size(); ++i)
    plot.curves.push_back({curves[i].name, curves[i].t, curves[i].tau, color_of(i)});
  return plot;
}

Plot power_over_time(const std::vector<ActuatorCurve>& curves) {
  Plot plot{"Power over a step", "time (s)", "power (W)", {}};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const ActuatorCurve& c = curves[i];
    Curve power{c.name, c.t, {}, color_of(i)};
    for (std::size_t k = 0; k < c.t.size(); ++k) power.y.push_back(c.tau[k] * c.v[k]);
    plot.curves.push_back(std::move(power));
  }
  return plot;
}

Plot torque_over_angle(const std::vector<ActuatorCurve>& curves) {
  Plot plot{"Torque against angle, and the nearest spring", "angle (rad)", "torque (N m)", {}};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const ActuatorCurve& c = curves[i];
    if (c.q.empty()) continue;
    plot.curves.push_back({c.name, c.q, c.tau, color_of(i)});
    const ActuatorCurve::Spring spring = c.spring();
    const auto [low, high] = std::minmax_element(c.q.begin(), c.q.end());
    const auto torque = [&](double angle) { return -spring.stiffness * (angle - spring.rest); };
    plot.curves.push_back({"", {*low, *high}, {torque(*low), torque(*high)}, palette::kFaint});
  }
  return plot;
}

Plot bifurcation_diagram(const WalkerFamily& family, const std::vector<Branch>& branches) {
  Curve stable{"stable", {}, {}, palette::kStable, Curve::Style::dots};
  Curve unstable{"unstable", {}, {}, palette::kUnstable, Curve::Style::dots};
  std::string coordinate;
  for (const Branch& branch : branches)
    for (const BranchPoint& point : branch.points) {
      const std::unique_ptr<StepModel> model = family.make(point.value);
      coordinate = model->coordinates().front();
      ReturnMap map(*model);
      Curve& curve = point.gait.stable() ? stable : unstable;
      OwnedVector x = point.gait.x;
      for (int i = 0; i < branch.steps; ++i) {
        curve.x.push_back(point.value), curve.y.push_back(x[0]);
        if (i + 1 < branch.steps) x = map(x).x;
      }
    }
  return {"Cycles of the return map",
          family.parameter,
          coordinate + " at the start of a step (rad)",
          {unstable, stable}};
}

CellMap basin_map(const StepModel& model, const Basin& basin, const Region& region,
                  const std::vector<Gait>& cycles, int across, int up) {
  const StepModel::Section& section = model.section();
  CellMap map{.title = "Basin of attraction", .x_label = section.names[across], .y_label = section.names[up]};
  map.x_low = region.lower[across], map.x_high = region.upper[across];
  map.y_low = region.lower[up], map.y_high = region.upper[up];
  map.columns = basin.cells[across], map.rows = basin.cells[up];
  const auto stable = std::find_if(cycles.begin(), cycles.end(), [](const Gait& g) { return g.stable(); });
  const Eigen::VectorXd through = section.lift.transpose() * (stable->x - section.offset);
  // The number of each cell along the directions that are not shown: where the cycle is.
  std::vector<std::size_t> index(basin.cells.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const double scale = section.lift.col(static_cast<Eigen::Index>(i)).squaredNorm(),
                 span = region.upper[i] - region.lower[i];
    const double share = span > 0.0 ? (through[i] / scale - region.lower[i]) / span : 0.0;
    index[i] = static_cast<std::size_t>(std::clamp(share * basin.cells[i], 0.0, basin.cells[i] - 1.0));
  }
  for (int row = 0; row < map.rows; ++row)
    for (int column = 0; column < map.columns; ++column) {
      index[across] = static_cast<std::size_t>(column), index[up] = static_cast<std::size_t>(row);
      std::size_t cell = 0;
      for (std::size_t i = 0; i < index.size(); ++i)
        cell = cell * static_cast<std::size_t>(basin.cells[i]) + index[i];
      const int fate = basin.fate[cell];
      map.color.push_back(fate >= 0
                              ? palette::kCurves[static_cast<std::size_t>(fate) % palette::kCurves.size()]
                          : fate == Basin::kWandered ? palette::kFaint
                                                     : palette::kPaper);
    }
  for (std::size_t i = 0; i < cycles.size(); ++i)
    if (cycles[i].stable()) {
      map.legend.emplace_back(palette::kCurves[i % palette::kCurves.size()],
                              fmt::format("comes to the gait of {:.4g} m/s", cycles[i].speed));
      const Eigen::VectorXd s = section.lift.transpose() * (cycles[i].x - section.offset);
      map.marks.emplace_back(s[across] / section.lift.col(across).squaredNorm(),
                             s[up] / section.lift.col(up).squaredNorm());
    }
  return map;
}

}  // namespace amble
