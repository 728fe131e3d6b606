#include "amble/ports/bonds/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/ports/bonds/layout.hpp"

namespace amble {

namespace {

constexpr double kGap = 5.0, kBarb = 13.0, kBarbSide = 7.0, kStroke = 8.0, kDouble = 2.0;

struct Point {
  double x = 0.0, y = 0.0;
  Point operator+(const Point& o) const { return {x + o.x, y + o.y}; }
  Point operator-(const Point& o) const { return {x - o.x, y - o.y}; }
  Point operator*(double s) const { return {x * s, y * s}; }
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

/// One colour for each domain; black where none is known.
std::string colour(const std::string& domain) {
  static const std::map<std::string, std::string> kColours{
      {"translation", "#1b6e3a"}, {"rotation", "#2c5f9e"},  {"spatial", "#16707a"}, {"electrical", "#b8860b"},
      {"magnetic", "#7a3fa0"},    {"hydraulic", "#0a7fb0"}, {"thermal", "#c0392b"}};
  const auto found = kColours.find(domain);
  return found == kColours.end() ? "#222" : found->second;
}

std::string line(Point a, Point b, const std::string& attributes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", a.x, a.y, b.x, b.y,
                     attributes);
}

/// Where the line from a node towards another leaves its box.
Point border(const DrawnNode& from, const DrawnNode& to) {
  const Point d = Point{to.x, to.y} - Point{from.x, from.y};
  const double half_width = from.width / 2 + kGap, half_height = from.height / 2 + kGap;
  const double across = std::abs(d.x) > 0 ? half_width / std::abs(d.x) : 1e9,
               up = std::abs(d.y) > 0 ? half_height / std::abs(d.y) : 1e9;
  return Point{from.x, from.y} + d * std::min({across, up, 1.0});
}

/// A line, half an arrow head at its end, a stroke across where the effort goes.
std::string bond_svg(const Bond& b, BondCausality::Stroke stroke, const BondLayout& layout) {
  const DrawnNode &from = layout.nodes[b.from], &to = layout.nodes[b.to];
  const Point a = border(from, to), e = border(to, from), d = e - a;
  const double length = std::hypot(d.x, d.y);
  const Point along = d * (1.0 / length), side{-along.y, along.x};
  const std::string pen =
      fmt::format("stroke=\"{}\" stroke-width=\"1.8\" stroke-linecap=\"round\"", colour(b.domain));
  std::string out = fmt::format("<g><title>{}{}{}</title>\n", escaped(b.name), b.domain.empty() ? "" : " " + b.domain,
                                b.dimension > 1 ? fmt::format(", {} dimensions", b.dimension) : "");
  if (b.dimension == 1) out += line(a, e, pen);
  for (const double s : {-kDouble, kDouble})
    if (b.dimension > 1) out += line(a + side * s, e + side * s, pen);
  const double shift = b.dimension > 1 ? kDouble : 0.0;
  out += line(e + side * shift, e - along * kBarb + side * (kBarbSide + shift), pen);
  if (stroke == BondCausality::Stroke::none) return out + "</g>\n";
  const Point at = stroke == BondCausality::Stroke::head ? e : a;
  return out + line(at - side * kStroke, at + side * kStroke, pen) + "</g>\n";
}

/// Along the curve that dot found around the nodes.
std::string signal_svg(const DrawnSignal& s) {
  std::string path;
  for (std::size_t i = 0; i + 1 < s.path.size(); i += 2)
    path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : i == 2 ? " C" : " ", s.path[i], s.path[i + 1]);
  return fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke=\"#888\" stroke-width=\"1.2\" stroke-dasharray=\"4 3\" "
      "marker-end=\"url(#arrow)\"/>\n",
      path);
}

std::string text_svg(double x, double y, const char* kind, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, kind, text);
}

std::string box(const DrawnNode& n, const char* attributes) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n", n.x - n.width / 2,
                     n.y - n.height / 2, n.width, n.height, attributes);
}

std::string node_svg(const DrawnNode& n, bool boxed) {
  std::string out;
  if (n.element < 0) {
    out += box(n, "rx=\"7\" fill=\"#f6f6f6\" stroke=\"#bbb\"");
    return out + text_svg(n.x, n.y - 2, "value", escaped(n.symbol)) +
           text_svg(n.x, n.y + 13, "name", escaped(n.value));
  }
  if (boxed) out += box(n, "rx=\"4\" fill=\"#eef3f9\" stroke=\"#2c5f9e\"");
  const double top = n.y - n.height / 2 + (boxed ? 7.0 : 0.0);
  const std::string value = n.beside ? fmt::format("<tspan class=\"value\">{}</tspan>", escaped(n.value)) : "";
  out += text_svg(n.x, top + 18, "symbol", escaped(n.symbol) + value);
  if (!n.beside && !n.value.empty()) out += text_svg(n.x, top + 33, "value", escaped(n.value));
  return out + text_svg(n.x, top + (n.beside || n.value.empty() ? 32 : 47), "name", escaped(n.name));
}

std::string legend_svg(const BondGraph& graph, const BondLayout& layout) {
  std::set<std::string> domains;
  for (const Bond& b : graph.bonds())
    if (!b.domain.empty()) domains.insert(b.domain);
  std::string out;
  double x = 28.0;
  const double y = layout.height - 14.0;
  for (const std::string& name : domains) {
    out += line({x, y - 4}, {x + 22, y - 4}, fmt::format("stroke=\"{}\" stroke-width=\"2.5\"", colour(name)));
    out += text_svg(x + 28, y, "legend", name);
    x += 44.0 + 6.6 * static_cast<double>(name.size());
  }
  return out;
}

constexpr const char* kStyle =
    "text{font-family:'DejaVu Sans','Helvetica',sans-serif;text-anchor:middle;fill:#222}"
    ".symbol{font-size:17px;font-weight:bold}.value{font-size:14px;font-weight:normal;font-style:italic}"
    ".name{font-size:11px;fill:#777}.legend{font-size:11px;text-anchor:start;fill:#555}"
    ".title{font-size:14px;font-weight:bold;text-anchor:start}";

}  // namespace

std::string bond_graph_svg(const BondGraph& graph) {
  const BondLayout layout = lay_out(graph);
  const BondCausality causality = assign_causality(graph);
  const double width = std::max(layout.width, 60.0 + 9.0 * static_cast<double>(graph.name().size()));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\"><style>{2}</style>\n",
      width, layout.height, kStyle);
  out +=
      "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" "
      "orient=\"auto\">"
      "<path d=\"M0 1 L9 5 L0 9\" fill=\"none\" stroke=\"#888\" stroke-width=\"1.5\"/></marker></defs>\n";
  out += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + text_svg(28, 24, "title", escaped(graph.name()));
  for (const DrawnSignal& s : layout.signals) out += signal_svg(s);
  for (std::size_t b = 0; b < graph.bonds().size(); ++b)
    out += bond_svg(graph.bonds()[b], causality.strokes[b], layout);
  for (const DrawnNode& n : layout.nodes)
    out += node_svg(n, n.element >= 0 && graph.elements()[n.element].type == BondElementType::mechanism);
  return out + legend_svg(graph, layout) + "</svg>\n";
}

}  // namespace amble
