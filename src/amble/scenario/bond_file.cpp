#include "amble/scenario/bond_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/limits.hpp"
#include "amble/io/source.hpp"
#include "amble/ports/bonds/element_types.hpp"
#include "amble/scenario/run_length.hpp"
#include "amble/scenario/stage.hpp"
#include "amble/scenario/toml_table.hpp"

namespace amble {

namespace {

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
    if (const std::string breach =
            limit_breach(Limit::bond_elements, static_cast<double>(waiting.size()), "the number of them");
        !breach.empty())
      return root_.problem("parameters", breach);
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
    if (const std::vector<double> g = table.numbers("gravity", 3, Limit::acceleration); g.size() == 3)
      s.gravity = {g[0], g[1], g[2]};
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
    if (const std::string breach = limit_breach(Limit::bond_dimension, dimension, "it"); !breach.empty())
      table.problem("dimension", breach);
    else if (!(dimension >= 1.0 && std::nearbyint(dimension) == dimension))
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
    s.duration = table.number("duration", s.duration, Limit::time),
    s.tolerance = table.number("tolerance", s.tolerance);
    s.interval = table.number("interval", s.interval, Limit::time), s.record = table.texts("record");
    s.lowest = table.texts("lowest");
    s.integrator = table.choice("integrator", integrator_names(), s.integrator),
    s.step = table.number("step", s.step, Limit::time);
    if (!(s.duration > 0.0)) table.problem("duration", fmt::format("is {} s, expected more than 0", s.duration));
    if (!(s.tolerance >= 1e-15 && s.tolerance < 1.0))
      table.problem("tolerance", fmt::format("is {}, expected 1e-15 to 1", s.tolerance));
    if (!(s.interval >= 0.0)) table.problem("interval", fmt::format("is {} s, expected 0 or more", s.interval));
    if (!(s.step > 0.0)) table.problem("step", fmt::format("is {} s, expected more than 0", s.step));
    if (const auto flaw = run_length_flaw({s.duration, s.row_interval(), s.step, s.integrator}))
      table.problem(flaw->key, flaw->reason);
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

}  // namespace amble
