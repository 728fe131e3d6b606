#include "bench/table.hpp"

#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace amble::bench {

namespace {

constexpr int kCell = 16, kRatio = 7;  ///< widths

bool coloured() {
  static const bool yes = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return yes;
}

std::string painted(const std::string& text, const fmt::text_style& style) {
  return coloured() ? fmt::format(style, "{}", text) : text;
}

/// 1234567 as 1 234 567.
std::string grouped(double x) {
  std::string digits = fmt::format("{:.0f}", x);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(at, " ");
  return digits;
}

std::string nanoseconds(double ns) { return ns < 99.95 ? fmt::format("{:.1f}", ns) : grouped(ns); }

/// How many times as much as ours.
std::string ratio_text(double theirs, double ours) {
  const double ratio = theirs / ours;
  if (std::isnan(ratio)) return std::string(kRatio, ' ');
  const std::string text = fmt::format("{:>{}}", fmt::format("{:.{}f}x", ratio, ratio < 9.95 ? 1 : 0), kRatio);
  return painted(text, fmt::fg(ratio >= 1.0 ? fmt::terminal_color::green : fmt::terminal_color::red));
}

struct Columns {
  Libraries libraries;  ///< those with numbers, ours first
  int names = 18;       ///< width of the first column
};

std::string label(const Row& row) {
  return row.states == 1 ? row.what : fmt::format("{} x{}", row.what, row.states);
}

Columns columns_of(std::span<const Row> rows, const Libraries& libraries) {
  Columns out;
  for (const auto& library : libraries)
    if (std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.library == library.first; }))
      out.libraries.push_back(library);
  for (const Row& row : rows)  // a library in another setting
    if (std::none_of(out.libraries.begin(), out.libraries.end(), [&](const auto& l) { return l.first == row.library; }))
      out.libraries.emplace_back(row.library, "");
  for (const Row& row : rows) out.names = std::max(out.names, static_cast<int>(label(row).size()));
  return out;
}

const Row* find(std::span<const Row> rows, const std::string& what, const std::string& library) {
  const auto at = std::find_if(rows.begin(), rows.end(),
                               [&](const Row& row) { return row.what == what && row.library == library; });
  return at == rows.end() ? nullptr : &*at;
}

void print_heading(const Columns& columns, const char* title) {
  std::string line = fmt::format("  {:{}}", title, columns.names);
  for (const auto& [name, version] : columns.libraries) {
    const int width = kCell + (&name == &columns.libraries.front().first ? 0 : kRatio);
    line += fmt::format("{:>{}}", name + " " + version, width);
  }
  fmt::print("{}\n", painted(line, fmt::emphasis::faint));
}

/// Our own number over that of the core's functions, which no library has otherwise: it stands in their place.
template <class Number>
std::string core_text(std::span<const Row> rows, const Row& ours, Number number) {
  double sum = 0.0;
  for (const std::string& what : ours.core) {
    const Row* core = find(rows, what, ours.library);
    sum += core == nullptr ? NAN : number(*core);
  }
  if (!(sum > 0.0)) return "";
  return fmt::format("{:>{}} {}", fmt::format("{:.1f}x", number(ours) / sum), kRatio, fmt::join(ours.core, " + "));
}

/// One line for each of our functions; `cell` gives text, `number` what the ratio is made of.
template <class Cell, class Number>
void print_lines(std::span<const Row> rows, const Columns& columns, Cell cell, Number number) {
  for (const Row& ours : rows) {
    if (ours.library != columns.libraries.front().first) continue;
    std::string line = fmt::format("  {:{}}{:>{}}", label(ours), columns.names, cell(ours), kCell);
    line += core_text(rows, ours, number);
    for (std::size_t i = 1; i < columns.libraries.size() && ours.core.empty(); ++i) {
      const Row* theirs = find(rows, ours.what, columns.libraries[i].first);
      line += theirs == nullptr
                  ? fmt::format("{:>{}}", "-", kCell - 5) + std::string(kRatio + 5, ' ')
                  : fmt::format("{:>{}}", cell(*theirs), kCell) + ratio_text(number(*theirs), number(ours));
    }
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

std::string time_cell(const Row& row) {
  if (!row.timing.failure.empty()) return "failed";
  return fmt::format("{} ±{:>2.0f}%", nanoseconds(row.per_state_ns()), std::min(99.0, 100.0 * row.timing.spread));
}

double instructions(const Row& row) { return row.count ? row.count->instructions / row.states : NAN; }

std::string count_cell(const Row& row) {
  return row.count ? fmt::format("{} /{:>3.0f}", grouped(instructions(row)), row.count->allocations) : "-";
}

/// The long run of a task, all that is a time: parts and percentiles.
void print_long_run(const Row& row) {
  std::string text;
  double ticks = 0.0;
  for (const auto& [name, value] : row.figures) {
    if (name == "ticks") ticks = value;
    if (name.ends_with("_ns"))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name.substr(0, name.size() - 3), nanoseconds(value));
  }
  if (ticks > 0.0) fmt::print("  {} in {} ticks (ns): {}\n", row.what, grouped(ticks), text);
}

/// Moving joints, free ones apart: those are no joints that a robot has.
std::string joints_text(const Mechanism& m) {
  int moving = 0, free = 0;
  for (const Joint& j : m.joints()) j.type == "free" ? ++free : moving += j.link >= 0 ? 1 : 0;
  const std::string text = fmt::format("{} joints", moving);
  return free == 0 ? text : text + (free == 1 ? ", floating base" : fmt::format(", {} free bodies", free));
}

/// Slope of log(ns) over log(bodies) between the two largest sizes.
double exponent(const std::vector<double>& ns) {
  const std::size_t last = ns.size() - 1;
  const double sizes = static_cast<double>(kGrowthSizes[last]) / kGrowthSizes[last - 1];
  return std::log(ns[last] / ns[last - 1]) / std::log(sizes);
}

void print_growth_line(std::span<const Row> rows, const std::string& shape, const std::string& what) {
  std::string line = fmt::format("  {:6}{:20}", shape, what);
  std::vector<double> ns;
  for (const int bodies : kGrowthSizes)
    for (const Row& row : rows)
      if (row.robot == growth_name(shape, bodies) && row.what == what) {
        ns.push_back(row.timing.ns);
        line += fmt::format("{:>12}{:>9.1f}", nanoseconds(row.timing.ns), row.timing.ns / bodies);
      }
  fmt::print("{}{:>10}\n", line, ns.size() == std::size(kGrowthSizes) ? fmt::format("n^{:.2f}", exponent(ns)) : "-");
}

}  // namespace

void print_robot(const Subject& subject, std::span<const Row> rows, const Libraries& libraries) {
  const Columns columns = columns_of(rows, libraries);
  const Mechanism& m = subject.robot;
  fmt::print("\n{}   {}, nv {}, {:.4g} kg\n", painted(subject.name, fmt::emphasis::bold), joints_text(m), m.nv(),
             m.mass());
  if (columns.libraries.empty()) return;
  print_heading(columns, "ns per state");
  print_lines(rows, columns, time_cell, [](const Row& row) { return row.per_state_ns(); });
  for (const Row& row : rows) print_long_run(row);
  if (std::none_of(rows.begin(), rows.end(), [](const Row& row) { return row.count.has_value(); })) return;
  print_heading(columns, "instructions / new");
  print_lines(rows, columns, count_cell, [](const Row& row) { return instructions(row); });
}

void print_growth(std::span<const Row> rows) {
  std::string heading = fmt::format("  {:26}", "ns per call, per body");
  for (const int bodies : kGrowthSizes)
    heading += fmt::format("{:>12}{:>9}", fmt::format("{} bodies", bodies), "each");
  heading += "    growth";
  fmt::print("\n{}\n{}\n", painted("growth", fmt::emphasis::bold), painted(heading, fmt::emphasis::faint));
  for (const std::string shape : kGrowthShapes)
    for (const Row& row : rows)
      if (row.robot == growth_name(shape, kGrowthSizes[0])) print_growth_line(rows, shape, row.what);
}

}  // namespace amble::bench
