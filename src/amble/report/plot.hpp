#pragma once

#include <optional>
#include <string>
#include <vector>

// Figures as data, and as SVG.
namespace amble {

/// Text made safe inside SVG and HTML: names come from users.
std::string escaped(const std::string& text);

/// A drawing in pixels, y down.
class Svg {
 public:
  Svg(double width, double height, std::string title);
  void line(double x1, double y1, double x2, double y2, const std::string& color, double width = 1.0);
  void polyline(const std::vector<std::pair<double, double>>& points, const std::string& color,
                double width = 1.5, double opacity = 1.0);
  /// Filled.
  void area(const std::vector<std::pair<double, double>>& corners, const std::string& color, double opacity);
  void rectangle(double x, double y, double width, double height, const std::string& color);
  void circle(double x, double y, double radius, const std::string& color);
  enum class Anchor { start, middle, end };
  void text(double x, double y, const std::string& words, double size = 12.0, Anchor anchor = Anchor::start,
            bool upright = false);
  std::string finish() const;

 private:
  double width_, height_;
  std::string title_, body_;
};

struct Curve {
  enum class Style { line, dots, area };
  std::string name;  ///< in the legend; empty: not there
  std::vector<double> x, y;
  std::string color;
  Style style = Style::line;
  std::vector<double> base = {};  ///< where an area begins, for each x
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
  bool equal_axes = false;  ///< a unit is as long along both
};

std::string svg(const Plot& plot, double width = 640.0, double height = 420.0);

/// Cells in colours over two axes; `color` is row by row, from the bottom left.
struct CellMap {
  std::string title, x_label, y_label;
  double x_low = 0.0, x_high = 1.0, y_low = 0.0, y_high = 1.0;
  int columns = 0, rows = 0;
  std::vector<std::string> color;
  std::vector<std::pair<std::string, std::string>> legend = {};  ///< colour and what it means
  std::vector<std::pair<double, double>> marks = {};
};
std::string svg(const CellMap& map, double width = 560.0, double height = 480.0);

/// Round numbers that cover a range: about `count` of them.
std::vector<double> ticks(double low, double high, int count = 6);

}  // namespace amble
