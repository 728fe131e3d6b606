#include "amble/report/recording_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/base/palette.hpp"

namespace amble {

namespace {

constexpr std::size_t kMostPoints = 4000;  // of a curve: more than a picture shows

const char* curve_color(std::size_t i) { return palette::kCurves[i % palette::kCurves.size()]; }

void check_has_states(const Recording& r) {
  if (r.rows() == 0) throw Error("the recording has no states to draw");
}

std::size_t step_for(std::size_t rows) { return std::max<std::size_t>(1, rows / kMostPoints); }

// ---- stick figures

struct Stick {
  Vector3<double> from, to;
  const char* color;
};

const char* color_of(const std::string& body) {
  if (body.starts_with("outer_") || body.starts_with("right")) return palette::kStanceLeg;
  if (body.starts_with("inner_") || body.starts_with("left")) return palette::kSwingLeg;
  return palette::kBody;
}

/// From every joint to those that hang on it, and to the frames of its bodies; links without mass only place others.
std::vector<Stick> sticks_of(const Mechanism& m, Workspace& work, const VectorRef& q) {
  const LinkPoses poses = forward_kinematics(m, work, q);
  const auto body_on = [&](int link) -> const Body& { return m.bodies()[m.joints()[m.links()[link].joint].child]; };
  std::vector<Stick> out;
  for (std::size_t i = 1; i < m.links().size(); ++i)
    if (const int parent = m.links()[i].parent; parent > 0 && !body_on(parent).auxiliary)
      out.push_back({poses[parent].translation(), poses[i].translation(), color_of(body_on(parent).name)});
  for (const Frame& frame : m.frames())
    if (frame.link > 0)
      out.push_back({poses[frame.link].translation(), poses[frame.link] * frame.X_LF.translation(),
                     color_of(m.bodies()[frame.body].name)});
  return out;
}

/// Pixels from metres, seen from the side.
struct SideView {
  double left, top, scale;
  static constexpr double kMargin = 24.0;
  std::pair<double, double> operator()(const Vector3<double>& p) const {
    return {kMargin + scale * (p.x() - left), kMargin + scale * (top - p.z())};
  }
};

void draw_floor(Svg& out, const GroundDescription& described, const SideView& view, double right) {
  const GroundPtr ground = ground_of(described);
  if (ground == nullptr) return;
  std::vector<std::pair<double, double>> line;
  constexpr int kPoints = 200;
  for (int i = 0; i <= kPoints; ++i) {
    const double x = view.left + (right - view.left) * i / kPoints;
    line.push_back(view({x, 0.0, ground->at(x, 0.0).height}));
  }
  out.polyline(line, palette::kFaint, 1.6);
}

// ---- over time

/// A list of numbers at the times of another.
std::vector<double> at_times(const std::vector<double>& t, const std::vector<double>& of,
                             const std::vector<double>& wanted) {
  std::vector<double> out;
  for (const double time : wanted) {
    const auto after = std::upper_bound(t.begin(), t.end(), time);
    out.push_back(of[static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - t.begin() - 1, 0))]);
  }
  return out;
}

struct Layer {
  std::string name, color;
  std::vector<double> joules;
};

std::vector<Layer> energy_layers(const Recording& r) {
  const LedgerHistory& books = r.ledgers();
  const double lowest = *std::min_element(r.potential().begin(), r.potential().end());
  std::vector<Layer> out{{"height above the lowest", palette::kPotential, at_times(r.t(), r.potential(), books.t())},
                         {"kinetic", palette::kKinetic, at_times(r.t(), r.kinetic(), books.t())}};
  for (double& x : out[0].joules) x -= lowest;
  const std::size_t entries = books.names().size();
  constexpr std::array kOthers = {palette::kActuators, palette::kDampers, palette::kStanceLeg};
  for (std::size_t e = 0; e < entries; ++e) {
    Layer layer{"stored in " + books.names()[e], kOthers[(out.size() - 2) % kOthers.size()], {}};
    for (std::size_t i = 0; i < books.rows(); ++i) layer.joules.push_back(books.part(2)[i * entries + e]);
    if (std::any_of(layer.joules.begin(), layer.joules.end(), [](double x) { return std::abs(x) > 1e-12; }))
      out.push_back(std::move(layer));
  }
  return out;
}

}  // namespace

std::string stick_figures(const Recording& r, int figures) {
  check_has_states(r);
  const Mechanism& m = r.mechanism();
  Workspace work(m);
  std::vector<std::vector<Stick>> all;
  for (int i = 0; i < figures; ++i) {
    const double t = r.t().front() + (r.t().back() - r.t().front()) * i / std::max(1, figures - 1);
    const auto row = std::upper_bound(r.t().begin(), r.t().end(), t) - r.t().begin() - 1;
    all.push_back(sticks_of(m, work, r.q().row(row).transpose()));
  }
  double left = 1e9, right = -1e9, low = 1e9, high = -1e9;
  for (const auto& figure : all)
    for (const Stick& s : figure)
      for (const Vector3<double>& p : {s.from, s.to})
        left = std::min(left, p.x()), right = std::max(right, p.x()), low = std::min(low, p.z()), high = std::max(high, p.z());
  if (!(right >= left)) return Svg(640.0, 60.0, "no limbs to draw").finish();
  const double scale = std::min(860.0 / std::max(1e-9, right - left), 320.0 / std::max(1e-9, high - low));
  const SideView view{left, high, scale};
  Svg out(2 * SideView::kMargin + scale * (right - left), 2 * SideView::kMargin + scale * (high - low),
          "stick figures of " + m.name());
  draw_floor(out, r.ground(), view, right);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const Stick& s : all[i])  // later ones stand out: the eye sees which way it went
      out.polyline({view(s.from), view(s.to)}, s.color, 1.8,
                   0.3 + 0.65 * static_cast<double>(i + 1) / static_cast<double>(all.size()));
  return out.finish();
}

std::string energy_over_time(const Recording& r) {
  check_has_states(r);
  const std::vector<Layer> layers = energy_layers(r);
  const std::vector<double>& t = r.ledgers().t();
  Plot frame{"Where the energy is", "time (s)", "J", {}};
  std::vector<double> below(t.size(), 0.0);
  const std::size_t step = step_for(t.size());
  for (const Layer& layer : layers) {
    Curve curve{layer.name, {}, {}, layer.color, Curve::Style::area};
    std::vector<double> base;
    for (std::size_t i = 0; i < t.size(); i += step) {
      base.push_back(below[i]);
      curve.x.push_back(t[i]), curve.y.push_back(below[i] + layer.joules[i]);
    }
    curve.base = std::move(base);
    for (std::size_t i = 0; i < t.size(); ++i) below[i] += layer.joules[i];
    frame.curves.push_back(std::move(curve));
  }
  return svg(frame, 760.0, 380.0);
}

Plot power_over_time(const Recording& r) {
  const LedgerHistory& books = r.ledgers();
  Plot plot{"Power of each port into the motion", "time (s)", "power (W)", {}};
  const std::size_t entries = books.names().size(), step = step_for(books.rows());
  for (std::size_t e = 0; e < entries; ++e) {
    Curve curve{books.names()[e], {}, {}, curve_color(e)};
    for (std::size_t i = step; i < books.rows(); i += step) {
      const double span = books.t()[i] - books.t()[i - step];
      const double given = books.part(1)[i * entries + e] - books.part(1)[(i - step) * entries + e];
      if (span > 1e-9) curve.x.push_back(books.t()[i]), curve.y.push_back(given / span);
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

Plot phase_portraits(const Recording& r, std::size_t most) {
  struct Moved {
    const Joint* joint;
    double range;
  };
  std::vector<Moved> moved;
  for (const Joint& joint : r.mechanism().joints())
    if (joint.link > 0 && joint.leader < 0 && joint.q.size == 1 && joint.v.size == 1 && r.rows() > 0) {
      const auto column = r.q().col(joint.q.start);
      if (joint.type != "prismatic") moved.push_back({&joint, column.maxCoeff() - column.minCoeff()});
    }
  std::stable_sort(moved.begin(), moved.end(), [](const Moved& a, const Moved& b) { return a.range > b.range; });
  moved.resize(std::min(moved.size(), most));
  Plot plot{"Phase portrait", "angle (rad)", "rate (rad/s)", {}};
  const std::size_t step = step_for(static_cast<std::size_t>(r.rows()));
  for (std::size_t k = 0; k < moved.size(); ++k) {
    Curve curve{moved[k].joint->name, {}, {}, curve_color(k)};
    for (Eigen::Index i = 0; i < r.rows(); i += static_cast<Eigen::Index>(step))
      curve.x.push_back(r.q()(i, moved[k].joint->q.start)), curve.y.push_back(r.v()(i, moved[k].joint->v.start));
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

Plot contact_forces(const Recording& r) {
  Plot plot{"Contact forces", "time (s)", "force (N)", {}};
  const RecordedContacts& all = r.contacts();
  std::vector<Curve> of_body(r.mechanism().bodies().size());
  for (std::size_t i = 0; i < all.rows();) {
    std::vector<Vector3<double>> sums(of_body.size(), Vector3<double>::Zero());
    const double t = all.row(i)[0];
    for (; i < all.rows() && all.row(i)[0] == t; ++i) {
      const double* const c = all.row(i);
      const Eigen::Map<const Eigen::Vector3d> force(c + 6);
      if (c[1] >= 0.0) sums[static_cast<std::size_t>(c[1])] -= force;
      if (c[2] >= 0.0) sums[static_cast<std::size_t>(c[2])] += force;
    }
    for (std::size_t b = 0; b < sums.size(); ++b)
      of_body[b].x.push_back(t), of_body[b].y.push_back(sums[b].norm());
  }
  for (std::size_t b = 0; b < of_body.size(); ++b) {
    Curve& curve = of_body[b];
    if (std::all_of(curve.y.begin(), curve.y.end(), [](double y) { return y == 0.0; })) continue;
    curve.name = r.mechanism().bodies()[b].name, curve.color = curve_color(plot.curves.size());
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

std::vector<std::pair<std::string, std::string>> recording_pictures(const Recording& r) {
  std::vector<std::pair<std::string, std::string>> out{{"stick-figures", stick_figures(r)}};
  if (r.ledgers().rows() > 0) out.emplace_back("energy", energy_over_time(r));
  for (const auto& [name, plot] : {std::pair{"power", power_over_time(r)},
                                   {"phase-portrait", phase_portraits(r)},
                                   {"contact-forces", contact_forces(r)}})
    if (!plot.curves.empty()) out.emplace_back(name, svg(plot));
  return out;
}

}  // namespace amble
