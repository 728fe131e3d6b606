#include "amble/scenario/bond_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/io/source.hpp"
#include "amble/ports/bonds/element_types.hpp"
#include "amble/scenario/stage.hpp"
#include "amble/scenario/toml_table.hpp"

namespace amble {

namespace {

constexpr int kSamples = 4;  // of a step, where its lowest point is looked for
constexpr double kNear = 1e-3;  // part of the way to the next sample, to tell whether it rises or falls at an end

/// Where a function that falls and then rises is least.
template <class F>
double golden_section(const F& f, double a, double b) {
  const double golden = (3.0 - std::sqrt(5.0)) / 2.0;
  double c = a + golden * (b - a), d = b - golden * (b - a), at_c = f(c), at_d = f(d);
  while (b - a > 1e-8) {
    if (at_c < at_d)
      b = d, d = c, at_d = at_c, c = a + golden * (b - a), at_c = f(c);
    else
      a = c, c = d, at_c = at_d, d = b - golden * (b - a), at_d = f(d);
  }
  return (a + b) / 2;
}

class BondFileReader {
 public:
  BondFileReader(const std::string& text, const std::string& file)
      : file_(file), document_(parse_toml(text, file)), root_(&document_, "", file, problems_) {}

  BondFile read() {
    BondGraphBuilder builder(root_.text("name", "bond graph"));
    read_parameters(root_.table("parameters"), builder);
    root_.require("element");
    for (TomlTable& table : root_.tables("element")) read_element(table, builder);
    for (TomlTable& table : root_.tables("bond")) read_bond(table, builder);
    for (TomlTable& table : root_.tables("signal")) read_signal(table, builder);
    TomlTable simulation = root_.table("simulation");
    if (root_.has("simulation")) read_simulation(simulation);
    root_.finish();
    throw_problems(problems_, Severity::error);
    out_.graph = built(builder);
    return std::move(out_);
  }

 private:
  /// A text as an expression; a problem and 0 when it is none.
  Expression expression(TomlTable& table, const std::string& key, const std::string& text) {
    try {
      return Expression(text);
    } catch (const Error& e) {
      table.problem(key, e.what());
      return 0.0;
    }
  }

  /// In any order: a parameter waits for those that it is made of.
  void read_parameters(TomlTable table, BondGraphBuilder& builder) {
    std::map<std::string, Expression> waiting;
    for (const std::string& name : table.keys())
      if (const auto rows = table.formulas(name); !rows.empty()) {
        if (rows.size() > 1 || rows[0].size() > 1) table.problem(name, "has several entries: expected one");
        waiting.emplace(name, expression(table, name, rows[0].empty() ? "0" : rows[0][0]));
      }
    for (bool going = true; going;) {
      const auto ready = std::ranges::find_if(waiting, [&](const auto& p) {
        return std::ranges::none_of(p.second.variables(), [&](const std::string& v) { return waiting.contains(v); });
      });
      going = ready != waiting.end();
      if (!going) break;
      try {
        builder.parameter(ready->first, ready->second);
      } catch (const Error& e) {
        table.problem(ready->first, e.what());
      }
      waiting.erase(ready);
    }
    for (const auto& [name, value] : waiting) table.problem(name, "is made of itself");
  }

  BondValue value(TomlTable& table, const std::string& key) {
    std::vector<std::vector<Expression>> rows;
    for (const auto& row : table.formulas(key)) {
      rows.emplace_back();
      for (const std::string& text : row) rows.back().push_back(expression(table, key, text));
    }
    try {
      return rows.empty() ? BondValue() : BondValue::matrix(rows);
    } catch (const Error& e) {
      table.problem(key, e.what());
      return {};
    }
  }

  /// One text or several.
  static std::vector<std::string> words(TomlTable& table, const std::string& key) {
    std::vector<std::string> out;
    for (const auto& row : table.formulas(key)) out.insert(out.end(), row.begin(), row.end());
    return out;
  }

  void read_element(TomlTable& table, BondGraphBuilder& builder) {
    table.require("name"), table.require("type");
    BondElementDescription d{
        .name = table.text("name", "?"), .type = table.text("type", "1"), .domain = table.text("domain", "")};
    const BondElementKind* kind = bond_element_kind(d.type);
    if (kind != nullptr && kind->type == BondElementType::mechanism) read_mechanism(table, d);
    if (kind != nullptr)
      for (const std::string& law : kind->laws) {
        const BondValue found = value(table, law);  // asked for by name, so that a wrong key has its nearest
        if (found.empty()) continue;
        if (!d.value.empty()) table.problem(law, fmt::format("is given beside '{}': expected one of them", d.law));
        d.law = law, d.value = found;
      }
    const bool storage = kind != nullptr && kind->type <= BondElementType::field;
    if (storage) d.states = words(table, "states"), d.initial = table.numbers("initial");
    if (kind != nullptr && kind->type == BondElementType::field) d.ports = words(table, "ports");
    if (kind != nullptr) table.finish();  // of a type that is not known, no key is either: the builder tells
    builder.element(std::move(d));
  }

  void read_mechanism(TomlTable& table, BondElementDescription& d) {
    Scenario s{.file = file_};
    s.model = table.text("model", ""), s.builtin = table.text("builtin", "");
    if (s.model.empty() == s.builtin.empty()) return table.problem("model", "or 'builtin' is needed, one of them");
    TomlTable parameters = table.table("parameters");
    for (const std::string& name : parameters.keys()) s.parameters[name] = parameters.number(name.c_str(), 0.0);
    const std::string base = table.choice("base", {"from-file", "fixed", "floating"}, "from-file");
    s.load.base = base == "fixed" ? Base::fixed : base == "floating" ? Base::floating : Base::from_file;
    if (const std::vector<double> g = table.numbers("gravity", 3); g.size() == 3) s.gravity = {g[0], g[1], g[2]};
    TomlTable q = table.table("q"), v = table.table("v");
    for (const std::string& joint : q.keys()) s.initial_q[joint] = q.numbers(joint);
    for (const std::string& joint : v.keys()) s.initial_v[joint] = v.numbers(joint);
    try {
      const Stage stage = set_up(s);
      if (!stage.constraints.empty())
        table.problem("builtin", fmt::format("'{}' has constraints: expected a tree of joints", s.builtin));
      d.mechanism = std::make_shared<Mechanism>(stage.mechanism);
      out_.q = stage.q, out_.v = stage.v;
    } catch (const Error& e) {
      table.problem(s.model.empty() ? "builtin" : "model", e.what());
    }
  }

  void read_bond(TomlTable& table, BondGraphBuilder& builder) {
    table.require("from"), table.require("to");
    BondDescription d{.from = table.text("from", "?"), .to = table.text("to", "?"), .name = table.text("name", "")};
    const double dimension = table.number("dimension", 1.0);
    if (!(dimension >= 1.0 && dimension <= 1000.0 && std::nearbyint(dimension) == dimension))
      table.problem("dimension", fmt::format("is {}, expected a whole number of 1 or more", dimension));
    else
      d.dimension = static_cast<int>(dimension);
    d.domain = table.text("domain", "");
    table.finish();
    builder.bond(std::move(d));
  }

  void read_signal(TomlTable& table, BondGraphBuilder& builder) {
    table.require("name");
    BondSignalDescription d{.name = table.text("name", "?"), .integrated = table.has("rate")};
    const BondValue now = value(table, "value"), rate = value(table, "rate");
    if (now.empty() == rate.empty()) table.problem("value", "or 'rate' is needed, one of them");
    const BondValue& given = d.integrated ? rate : now;
    if (given.rows() > 1 || given.cols() > 1)
      table.problem(d.integrated ? "rate" : "value", "has several entries: expected one");
    if (!given.empty()) d.value = given(0);
    if (d.integrated) d.initial = table.number("initial", 0.0);
    table.finish();
    builder.signal(std::move(d));
  }

  void read_simulation(TomlTable& table) {
    BondRunSettings s;
    s.duration = table.number("duration", s.duration), s.tolerance = table.number("tolerance", s.tolerance);
    s.interval = table.number("interval", s.interval), s.record = table.texts("record");
    s.lowest = table.texts("lowest");
    s.integrator = table.choice("integrator", integrator_names(), s.integrator), s.step = table.number("step", s.step);
    if (!(s.duration > 0.0)) table.problem("duration", fmt::format("is {} s, expected more than 0", s.duration));
    if (!(s.tolerance >= 1e-15 && s.tolerance < 1.0))
      table.problem("tolerance", fmt::format("is {}, expected 1e-15 to 1", s.tolerance));
    if (!(s.interval >= 0.0)) table.problem("interval", fmt::format("is {} s, expected 0 or more", s.interval));
    if (!(s.step > 0.0)) table.problem("step", fmt::format("is {} s, expected more than 0", s.step));
    table.finish();
    out_.simulation = s;
  }

  /// The builder's problems, each with the file's name.
  BondGraph built(const BondGraphBuilder& builder) const {
    try {
      return builder.build();
    } catch (const Error& e) {
      std::string lines = file_ + ": ";
      for (const char c : std::string(e.what())) lines += c == '\n' ? "\n" + file_ + ": " : std::string(1, c);
      throw Error(lines);
    }
  }

  std::string file_;
  Problems problems_;
  toml::table document_;
  TomlTable root_;
  BondFile out_;
};

}  // namespace

BondFile read_bond_file(const std::string& text, const std::string& file) {
  return BondFileReader(text, file).read();
}
BondFile load_bond_file(const std::string& path) { return read_bond_file(read_text(path), path); }

BondFileRun::BondFileRun(const BondFile& file, const BondRunSettings& settings)
    : settings_(settings),
      simulator_(file.graph, {.tolerance = settings.tolerance, .step = settings.step}, settings.representation,
                 settings.integrator),
      names_(settings.record) {
  if (!(settings.duration > 0.0) || !std::isfinite(settings.duration))
    throw Error(fmt::format("a run of {} s is asked for: expected more than 0", settings.duration));
  if (file.q.size() > 0) simulator_.reset(file.q, file.v);
  if (names_.empty()) names_ = simulator_.state_names();
  for (const std::string& name : settings.lowest) lowest_.push_back({name, simulator_.value(name), simulator_.t()});
  add_row();
}

void BondFileRun::add_row() {
  t_.push_back(simulator_.t());
  for (const std::string& name : names_) values_.push_back(simulator_.value(name));
}

/// In the last step: the lowest of a few samples, then by golden section between its neighbours, unless the quantity
/// falls or rises all the way. Steps whose samples stay far above are passed over.
void BondFileRun::look_lower(BondLowest& lowest, double from) {
  const double span = simulator_.t() - from;
  const auto at = [&](double part) {
    return simulator_.value_at(std::min(from + part * span, simulator_.t()), lowest.name);
  };
  const auto take = [&](double part) {
    if (const double now = at(part); now < lowest.value) lowest.value = now, lowest.t = from + part * span;
  };
  std::array<double, kSamples + 1> samples;
  for (int k = 0; k <= kSamples; ++k) samples[k] = at(static_cast<double>(k) / kSamples);
  const auto [least, most] = std::ranges::minmax_element(samples);
  if (2 * *least - *most > lowest.value) return;
  const auto best = static_cast<double>(least - samples.begin());
  const double a = std::max(best - 1, 0.0) / kSamples, b = std::min<double>(best + 1, kSamples) / kSamples;
  const double near = kNear * (b - a);
  if ((best == 0 && at(near) >= samples.front()) || (best == kSamples && at(1.0 - near) >= samples.back()))
    return take(best / kSamples);
  take(golden_section(at, a, b));
}

void BondFileRun::advance(double end) {
  while (simulator_.t() < end) {
    const double from = simulator_.t();
    simulator_.step_towards(end);
    for (BondLowest& lowest : lowest_) look_lower(lowest, from);
  }
}

bool BondFileRun::run(const std::function<bool(double t)>& watch) {
  const double interval = settings_.interval > 0.0 ? settings_.interval : settings_.duration / 100;
  for (long k = 1; simulator_.t() < settings_.duration; ++k) {
    const double next = static_cast<double>(k) * interval;
    advance(next < settings_.duration * (1 - 1e-9) ? next : settings_.duration);
    add_row();
    if (watch && !watch(simulator_.t())) return false;
  }
  return true;
}

BondRecord BondFileRun::record() const {
  const auto columns = static_cast<Eigen::Index>(names_.size()), rows = static_cast<Eigen::Index>(t_.size());
  BondRecord out{names_, t_, OwnedRowMatrix(rows, columns)};
  std::copy(values_.begin(), values_.end(), out.values.data());
  return out;
}

}  // namespace amble
