#include "amble/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/base/palette.hpp"

namespace amble {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  return out;
}

// ---- drawing

Svg::Svg(double width, double height, std::string title)
    : width_(width), height_(height), title_(std::move(title)) {}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& color, double width) {
  body_ += fmt::format(
      "<line x1='{:.2f}' y1='{:.2f}' x2='{:.2f}' y2='{:.2f}' stroke='{}' stroke-width='{:.4g}' "
      "stroke-linecap='round'/>\n",
      x1, y1, x2, y2, color, width);
}

namespace {

using Point = std::pair<double, double>;

double distance_to_piece(const Point& p, const Point& a, const Point& b) {
  const double dx = b.first - a.first, dy = b.second - a.second, squared = dx * dx + dy * dy;
  const double along = squared > 0.0 ? ((p.first - a.first) * dx + (p.second - a.second) * dy) / squared : 0.0;
  const double s = std::clamp(along, 0.0, 1.0);
  return std::hypot(p.first - a.first - s * dx, p.second - a.second - s * dy);
}

/// The same line to the eye with fewer points (Douglas and Peucker): none that is left out is farther from it than this.
std::vector<Point> thinned(const std::vector<Point>& points) {
  constexpr double kUnseen = 0.15;  // pixels
  if (points.size() < 3) return points;
  std::vector<char> kept(points.size(), 0);
  kept.front() = kept.back() = 1;
  std::vector<std::pair<std::size_t, std::size_t>> pieces{{0, points.size() - 1}};
  while (!pieces.empty()) {
    const auto [from, to] = pieces.back();
    pieces.pop_back();
    std::size_t farthest = from;
    double most = kUnseen;
    for (std::size_t i = from + 1; i < to; ++i)
      if (const double d = distance_to_piece(points[i], points[from], points[to]); !(d <= most)) most = d, farthest = i;
    if (farthest == from) continue;
    kept[farthest] = 1;
    pieces.emplace_back(from, farthest), pieces.emplace_back(farthest, to);
  }
  std::vector<Point> out;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (kept[i]) out.push_back(points[i]);
  return out;
}

}  // namespace

void Svg::polyline(const std::vector<std::pair<double, double>>& points, const std::string& color,
                   double width, double opacity) {
  std::string path;
  for (const auto& [x, y] : thinned(points)) path += fmt::format("{:.2f},{:.2f} ", x, y);
  body_ += fmt::format(
      "<polyline points='{}' fill='none' stroke='{}' stroke-width='{:.4g}' stroke-opacity='{:.4g}' "
      "stroke-linejoin='round' stroke-linecap='round'/>\n",
      path, color, width, opacity);
}

void Svg::area(const std::vector<std::pair<double, double>>& corners, const std::string& color, double opacity) {
  std::string path;
  for (const auto& [x, y] : corners) path += fmt::format("{:.2f},{:.2f} ", x, y);
  body_ += fmt::format("<polygon points='{}' fill='{}' fill-opacity='{:.4g}'/>\n", path, color, opacity);
}

void Svg::rectangle(double x, double y, double width, double height, const std::string& color) {
  body_ += fmt::format("<rect x='{:.2f}' y='{:.2f}' width='{:.2f}' height='{:.2f}' fill='{}'/>\n", x, y,
                       width, height, color);
}

void Svg::circle(double x, double y, double radius, const std::string& color) {
  body_ += fmt::format("<circle cx='{:.2f}' cy='{:.2f}' r='{:.4g}' fill='{}'/>\n", x, y, radius, color);
}

void Svg::text(double x, double y, const std::string& words, double size, Anchor anchor, bool upright) {
  const char* const where = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
  body_ += fmt::format(
      "<text x='{:.2f}' y='{:.2f}' font-size='{:.4g}' text-anchor='{}'{}>{}</text>\n", x, y, size, where,
      upright ? fmt::format(" transform='rotate(-90 {:.2f} {:.2f})'", x, y) : "", escaped(words));
}

std::string Svg::finish() const {
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.6g} {1:.6g}' width='{0:.6g}' "
      "height='{1:.6g}' role='img' "
      "font-family='system-ui, sans-serif' fill='{3}'>\n<title>{2}</title>\n"
      "<rect width='{0:.6g}' height='{1:.6g}' fill='{4}'/>\n{5}</svg>\n",
      width_, height_, escaped(title_), palette::kInk, palette::kPaper, body_);
}

// ---- axes

std::vector<double> ticks(double low, double high, int count) {
  if (!(high > low)) return {low};
  const double rough = (high - low) / std::max(1, count),
               power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double part : {1.0, 2.0, 5.0})
    if (part * power >= rough) {
      step = part * power;
      break;
    }
  std::vector<double> all;
  const double first = std::ceil(low / step - 1e-9);
  // Counted: in a range as narrow as rounding, adding a step would lead nowhere.
  for (int i = 0; i <= 2 * count + 2 && (first + i) * step <= high + 1e-9 * step; ++i) all.push_back((first + i) * step);
  return all;
}

namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double x) {
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  }
  void widen(double share) {
    if (!(high >= low)) low = 0.0, high = 1.0;
    const double margin = high > low ? share * (high - low) : std::max(1e-9, 0.1 * std::abs(low));
    low -= margin, high += margin;
  }
};

/// The rectangle that data are drawn in.
class Frame {
 public:
  Frame(Range x, Range y, double width, double height) : x_(x), y_(y), width_(width), height_(height) {}

  double px(double x) const { return kLeft + (x - x_.low) / (x_.high - x_.low) * (width_ - kLeft - kRight); }
  double py(double y) const {
    return height_ - kBottom - (y - y_.low) / (y_.high - y_.low) * (height_ - kTop - kBottom);
  }

  void draw(Svg& out, const std::string& title, const std::string& x_label, const std::string& y_label,
            bool grid) const {
    for (const double x : ticks(x_.low, x_.high)) {
      if (grid) out.line(px(x), kTop, px(x), height_ - kBottom, palette::kGrid);
      out.text(px(x), height_ - kBottom + 16.0, fmt::format("{:.6g}", x), 11.0, Svg::Anchor::middle);
    }
    for (const double y : ticks(y_.low, y_.high)) {
      if (grid) out.line(kLeft, py(y), width_ - kRight, py(y), palette::kGrid);
      out.text(kLeft - 6.0, py(y) + 4.0, fmt::format("{:.6g}", y), 11.0, Svg::Anchor::end);
    }
    out.line(kLeft, height_ - kBottom, width_ - kRight, height_ - kBottom, palette::kFaint);
    out.line(kLeft, kTop, kLeft, height_ - kBottom, palette::kFaint);
    out.text(kLeft, 20.0, title, 14.0);
    out.text(0.5 * (kLeft + width_ - kRight), height_ - 8.0, x_label, 12.0, Svg::Anchor::middle);
    out.text(16.0, 0.5 * (kTop + height_ - kBottom), y_label, 12.0, Svg::Anchor::middle, true);
  }

  static constexpr double kLeft = 70.0, kRight = 16.0, kTop = 50.0, kBottom = 46.0;

 private:
  Range x_, y_;
  double width_, height_;
};

void draw_legend(Svg& out, const std::vector<std::pair<std::string, std::string>>& entries) {
  double x = Frame::kLeft;
  for (const auto& [color, name] : entries) {
    out.rectangle(x, 31.0, 10.0, 10.0, color);
    out.text(x + 15.0, 40.0, name, 11.0);
    x += 30.0 + 6.2 * static_cast<double>(name.size());
  }
}

}  // namespace

std::string svg(const Plot& plot, double width, double height) {
  Range x, y;
  for (const Curve& curve : plot.curves) {
    for (const double at : curve.x) x.add(at);
    for (const double at : curve.y) y.add(at);
    for (const double at : curve.base) y.add(at);
  }
  x.widen(0.02), y.widen(0.06);
  if (plot.equal_axes) {
    const double along = (width - Frame::kLeft - Frame::kRight) / (x.high - x.low);
    const double tall = (height - Frame::kTop - Frame::kBottom) / along, middle = 0.5 * (y.low + y.high);
    y.low = middle - 0.5 * tall, y.high = middle + 0.5 * tall;
  }
  Svg out(width, height, plot.title);
  const Frame frame(x, y, width, height);
  frame.draw(out, plot.title, plot.x_label, plot.y_label, true);
  std::vector<std::pair<std::string, std::string>> legend;
  for (const Curve& curve : plot.curves) {
    if (!curve.name.empty()) legend.emplace_back(curve.color, curve.name);
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i)
      if (std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]))
        points.emplace_back(frame.px(curve.x[i]), frame.py(curve.y[i]));
    if (curve.style == Curve::Style::area) {
      std::vector<std::pair<double, double>> corners = points;
      for (std::size_t i = curve.base.size(); i-- > 0;)
        corners.emplace_back(frame.px(curve.x[i]), frame.py(curve.base[i]));
      out.area(corners, curve.color, 0.55);
    }
    if (curve.style != Curve::Style::dots)
      out.polyline(points, curve.color);
    else
      for (const auto& [px, py] : points) out.circle(px, py, 1.6, curve.color);
  }
  draw_legend(out, legend);
  return out.finish();
}

std::string svg(const CellMap& map, double width, double height) {
  Svg out(width, height, map.title);
  const Frame frame({map.x_low, map.x_high}, {map.y_low, map.y_high}, width, height);
  const double dx = (map.x_high - map.x_low) / map.columns, dy = (map.y_high - map.y_low) / map.rows;
  for (int row = 0; row < map.rows; ++row)
    for (int column = 0; column < map.columns;) {
      // Equal neighbours are one rectangle.
      const std::string& color = map.color[static_cast<std::size_t>(row * map.columns + column)];
      int end = column + 1;
      while (end < map.columns && map.color[static_cast<std::size_t>(row * map.columns + end)] == color)
        ++end;
      const double left = frame.px(map.x_low + column * dx), right = frame.px(map.x_low + end * dx);
      const double low = frame.py(map.y_low + row * dy), high = frame.py(map.y_low + (row + 1) * dy);
      if (color != palette::kPaper) out.rectangle(left, high, right - left + 0.3, low - high + 0.3, color);
      column = end;
    }
  frame.draw(out, map.title, map.x_label, map.y_label, false);
  draw_legend(out, map.legend);
  for (const auto& [x, y] : map.marks) out.circle(frame.px(x), frame.py(y), 4.0, palette::kInk);
  return out.finish();
}

}  // namespace amble
