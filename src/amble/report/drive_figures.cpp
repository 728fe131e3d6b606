#include "amble/report/drive_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/gait/driven_stage.hpp"
#include "amble/base/palette.hpp"

namespace amble {

namespace {

constexpr double kPanel = 250.0, kGap = 78.0, kLeft = 62.0, kTop = 48.0, kBottom = 92.0;

/// A colour between light and dark, `share` from 0 to 1.
std::string shade(double share) {
  constexpr std::array<std::array<double, 3>, 3> kStops{{{226, 238, 248}, {86, 180, 233}, {0, 58, 112}}};
  const double at = 2.0 * std::clamp(share, 0.0, 1.0);
  const int i = at < 1.0 ? 0 : 1;
  std::array<int, 3> c{};
  for (int k = 0; k < 3; ++k)
    c[k] = static_cast<int>(std::lround(kStops[i][k] + (at - i) * (kStops[i + 1][k] - kStops[i][k])));
  return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
}

/// The numbers of one map: a plane of the sweep in its last two axes, not a number where the walker fell.
struct Plane {
  const SweepAxis &across, &up;
  std::vector<double> values;  // row by row, from the bottom
  double low, high;
};

Plane plane_of(const DriveSweep& sweep, const DrivenFigure& figure, std::vector<int> at) {
  const std::size_t n = sweep.axes.size();
  Plane out{sweep.axes[n - 2], sweep.axes[n - 1], {}, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (int row = 0; row < out.up.count; ++row)
    for (int column = 0; column < out.across.count; ++column) {
      at[n - 2] = column, at[n - 1] = row;
      const auto& walk = sweep.walks[sweep.index(at)];
      const double value = walk && !walk->fell ? figure.value(*walk) : std::numeric_limits<double>::quiet_NaN();
      out.values.push_back(value);
      if (std::isfinite(value)) out.low = std::min(out.low, value), out.high = std::max(out.high, value);
    }
  return out;
}

void draw_axes(Svg& out, const Plane& p, double x0, double y0) {
  const auto steps = [](const SweepAxis& axis) { return std::max(1, (axis.count + 5) / 6); };
  const double w = kPanel / p.across.count, h = kPanel / p.up.count;
  for (int i = 0; i < p.across.count; i += steps(p.across))
    out.text(x0 + (i + 0.5) * w, y0 + kPanel + 15.0, fmt::format("{:.3g}", p.across.value(i)), 11.0, Svg::Anchor::middle);
  for (int i = 0; i < p.up.count; i += steps(p.up))
    out.text(x0 - 6.0, y0 + kPanel - (i + 0.5) * h + 4.0, fmt::format("{:.3g}", p.up.value(i)), 11.0, Svg::Anchor::end);
  out.text(x0 + 0.5 * kPanel, y0 + kPanel + 31.0, p.across.parameter, 12.0, Svg::Anchor::middle);
  out.text(x0 - 40.0, y0 + 0.5 * kPanel, p.up.parameter, 12.0, Svg::Anchor::middle, true);
}

void draw_scale(Svg& out, const Plane& p, double x0, double y) {
  if (!(p.low <= p.high)) return out.text(x0, y + 9.0, "no walk lasts", 11.0);
  constexpr int kSteps = 40;
  for (int i = 0; i < kSteps; ++i)
    out.rectangle(x0 + 45.0 + i * 160.0 / kSteps, y, 160.0 / kSteps + 0.5, 10.0, shade((i + 0.5) / kSteps));
  out.text(x0 + 40.0, y + 9.0, fmt::format("{:.3g}", p.low), 11.0, Svg::Anchor::end);
  out.text(x0 + 211.0, y + 9.0, fmt::format("{:.3g}", p.high), 11.0);
}

void draw_panel(Svg& out, const Plane& p, const std::string& title, double x0, double y0) {
  const double w = kPanel / p.across.count, h = kPanel / p.up.count;
  out.text(x0 + 0.5 * kPanel, y0 - 10.0, title, 12.5, Svg::Anchor::middle);
  for (int row = 0; row < p.up.count; ++row)
    for (int column = 0; column < p.across.count; ++column) {
      const double value = p.values[static_cast<std::size_t>(row * p.across.count + column)];
      const double share = p.high > p.low ? (value - p.low) / (p.high - p.low) : 0.5;
      out.rectangle(x0 + column * w, y0 + kPanel - (row + 1) * h, w, h, std::isfinite(value) ? shade(share) : palette::kGrid);
    }
  draw_axes(out, p, x0, y0);
  draw_scale(out, p, x0, y0 + kPanel + 42.0);
}

std::string title_of(const DrivenFigure& figure) {
  return figure.unit == "1" ? figure.name : fmt::format("{} ({})", figure.name, figure.unit);
}

std::string curves(const DriveSweep& sweep, const std::vector<std::string>& figures) {
  Plot plot{"Walks by a drive", sweep.axes[0].parameter, "", {}};
  for (std::size_t k = 0; k < figures.size(); ++k) {
    const DrivenFigure& figure = driven_figure(figures[k]);
    Curve curve{title_of(figure), {}, {}, palette::kCurves[k % palette::kCurves.size()], Curve::Style::dots};
    for (std::size_t i = 0; i < sweep.walks.size(); ++i)
      if (sweep.walks[i] && !sweep.walks[i]->fell)
        curve.x.push_back(sweep.values(i)[0]), curve.y.push_back(figure.value(*sweep.walks[i]));
    plot.curves.push_back(std::move(curve));
  }
  return svg(plot);
}

}  // namespace

std::string drive_maps(const DriveSweep& sweep, const std::vector<std::string>& figures) {
  if (sweep.axes.size() == 1) return curves(sweep, figures);
  if (sweep.axes.size() > 3)
    throw Error(fmt::format("a picture shows a sweep over one to three parameters, not {}", sweep.axes.size()));
  const int rows = sweep.axes.size() == 3 ? sweep.axes[0].count : 1;
  const double height = kPanel + kTop + kBottom, width = kLeft + static_cast<double>(figures.size()) * (kPanel + kGap);
  Svg out(width, rows * height, "Walks by a drive; grey: the walker falls");
  for (int row = 0; row < rows; ++row)
    for (std::size_t k = 0; k < figures.size(); ++k) {
      const DrivenFigure& figure = driven_figure(figures[k]);
      std::vector<int> at(sweep.axes.size(), 0);
      std::string title = title_of(figure);
      if (sweep.axes.size() == 3) {
        at[0] = row;
        title += fmt::format(", {} {:.3g}", sweep.axes[0].parameter, sweep.axes[0].value(row));
      }
      draw_panel(out, plane_of(sweep, figure, at), title, kLeft + static_cast<double>(k) * (kPanel + kGap), row * height + kTop);
    }
  return out.finish();
}

std::string driven_angles(const DrivenWalker& walker, const DrivenWalk& walk, double seconds) {
  Plot plot{"Joint angles and current", "time (s)", "angle (rad), current (10 A)", {}};
  if (walk.samples.empty()) return svg(plot);
  const DrivenStage stage = driven_stage(walker);
  const double from = walk.samples.back().t - seconds;
  const std::vector<std::string> names(stage.mechanism.joint_names().begin(), stage.mechanism.joint_names().end());
  for (const std::string& name : names) {
    if (name == "x" || name == "z" || name == "pitch") continue;
    Curve curve{name, {}, {}, palette::kCurves[plot.curves.size() % palette::kCurves.size()]};
    const int place = stage.mechanism.q_slice(name).start;
    for (const DrivenSample& s : walk.samples)
      if (s.t >= from) curve.x.push_back(s.t), curve.y.push_back(s.q[place]);
    plot.curves.push_back(std::move(curve));
  }
  Curve current{"current", {}, {}, palette::kActuators};
  for (const DrivenSample& s : walk.samples)
    if (s.t >= from) current.x.push_back(s.t), current.y.push_back(0.1 * s.current);
  plot.curves.push_back(std::move(current));
  return svg(plot, 820.0, 420.0);
}

std::string driven_section(const DrivenWalker& walker, const DrivenWalk& walk) {
  std::string out = "<h2>With its motor and controller</h2>\n<p>";
  out += walk.fell ? fmt::format("After {} steps, at {:.4g} s, the walker {}.", walk.steps, walk.walked, escaped(walk.failure))
                   : fmt::format("Simulated on contacts for {:.4g} s, {} steps.", walk.walked, walk.steps);
  out += "</p>\n";
  if (!walk.samples.empty()) out += driven_angles(walker, walk);
  out += "<table><tr><th>figure</th><th class=n>value</th><th>unit</th><th></th></tr>\n";
  for (const DrivenFigure& figure : driven_figures())
    out += fmt::format("<tr><td><code>{}</code></td><td class=n>{:.5g}</td><td>{}</td><td>{}</td></tr>\n", figure.name,
                       figure.value(walk), figure.unit == "1" ? "" : figure.unit, figure.meaning);
  return out + fmt::format("</table>\n<p>Residual of the books: {:.2e} J of {:.6g} J exchanged.</p>\n", walk.ledger.residual(),
                           walk.ledger.exchanged);
}

}  // namespace amble
