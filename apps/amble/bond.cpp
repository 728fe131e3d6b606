#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/ports/bonds/behaviour.hpp"
#include "amble/ports/bonds/block_diagram.hpp"
#include "amble/ports/bonds/bond_equations.hpp"
#include "amble/ports/bonds/drawing.hpp"
#include "amble/ports/bonds/port_hamiltonian_form.hpp"
#include "amble/scenario/bond_file.hpp"
#include "bench/interrupt.hpp"
#include "command.hpp"
#include "ledger_report.hpp"
#include "picture_files.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  std::string file, record, as;
  PictureFiles picture;
  double simulate = 0.0;
  bool simulate_given = false, equations = false, json = false;
};

std::vector<std::string> names(const BondGraph& graph, const std::vector<int>& elements) {
  std::vector<std::string> out;
  for (const int e : elements) out.push_back(graph.elements()[e].name);
  return out;
}

Json causality_json(const BondGraph& graph, const BondSystem& system) {
  Json dependent = Json::array(), loops = Json::array(), bonds = Json::array();
  for (const DependentStorage& d : system.causality.dependent)
    dependent.push_back({{"element", graph.elements()[d.element].name}, {"on", names(graph, d.on)}});
  for (const std::vector<int>& loop : system.loops) loops.push_back(names(graph, loop));
  for (std::size_t b = 0; b < graph.bonds().size(); ++b) {
    const Bond& bond = graph.bonds()[b];
    const bool head = system.causality.strokes[b] == BondCausality::Stroke::head;
    bonds.push_back({{"from", graph.elements()[bond.from].name},
                     {"to", graph.elements()[bond.to].name},
                     {"dimension", bond.dimension},
                     {"domain", bond.domain},
                     {"stroke", head ? "to" : "from"}});
  }
  return {{"dependent", dependent}, {"loops", loops}, {"notes", system.causality.notes}, {"bonds", bonds}};
}

Json rows(const OwnedMatrix& m) {
  Json out = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    out.push_back(Json::array());
    for (Eigen::Index j = 0; j < m.cols(); ++j) out.back().push_back(m(i, j));
  }
  return out;
}

Json json_of(const PortHamiltonianMatrices& m) {
  return {{"states", m.states},
          {"sources", m.sources},
          {"J", rows(m.interconnection)},
          {"R", rows(m.dissipation)},
          {"g", rows(m.input)}};
}

/// null for a graph that has none.
Json matrices_json(const BondGraph& graph) {
  try {
    return json_of(port_hamiltonian_matrices(graph));
  } catch (const Error&) {
    return nullptr;
  }
}

Json graph_json(const BondEquations& equations) {
  const BondSystem& s = equations.system();
  Json states = Json::array(), algebraic = Json::array();
  for (std::size_t i = 0; i < s.states.size(); ++i)
    states.push_back(
        {{"name", s.states[i].name},
         {"element",
          s.states[i].element < 0 ? Json() : Json(equations.graph().elements()[s.states[i].element].name)},
         {"unit", s.states[i].unit},
         {"initial", s.states[i].initial},
         {"rate", s.rates[i].text()}});
  for (const BondSolution& x : s.solved) algebraic.push_back({{"name", x.name}, {"value", x.value.text()}});
  for (const BondUnknown& u : s.unknowns)
    algebraic.push_back({{"name", u.name}, {"residual", u.residual.text()}});
  return {{"name", equations.graph().name()},
          {"causality", causality_json(equations.graph(), s)},
          {"states", states},
          {"algebraic", algebraic},
          {"matrices", matrices_json(equations.graph())}};
}

Json run_json(BondFileRun& run) {
  const BondRecord r = run.record();
  Json final = Json::object(), values = Json::object();
  for (std::size_t j = 0; j < r.names.size(); ++j) {
    const auto column = r.values.col(static_cast<Eigen::Index>(j));
    values[r.names[j]] = std::vector<double>(column.begin(), column.end());
    final[r.names[j]] = column[column.size() - 1];
  }
  Json out = {{"duration", r.t.back()}, {"final", final}, {"t", r.t}, {"values", values}};
  for (const BondLowest& l : run.lowest()) out["lowest"][l.name] = {{"value", l.value}, {"t", l.t}};
  out["ledger"] = run.simulator().has_books() ? ledger_json(run.simulator().ledger()) : Json();
  return out;
}

void print_books(BondFileRun& run) {
  const Ledger books = run.simulator().ledger();
  print_entries(books);
  if (run.simulator().graph().mechanism() != nullptr)
    fmt::print("mechanism: {:.9g} J at first, {:.9g} J at last\n", books.initial, books.final);
  else if (run.representation() == BondRepresentation::port_hamiltonian)
    fmt::print("H: {:.9g} J at first, {:.9g} J at last\n", books.initial, books.final);
  fmt::print("residual {:.3g} J of {:.6g} J exchanged; largest gap of an element {:.3g} J\n",
             books.residual(), books.exchanged, run.simulator().largest_gap());
}

void print_run(BondFileRun& run) {
  const BondRecord r = run.record();
  fmt::print("simulated {:.6g} s in {} steps; at the end\n", r.t.back(), run.simulator().report().steps);
  for (std::size_t j = 0; j < r.names.size(); ++j)
    fmt::print("  {:<26} {:>14.9g}\n", r.names[j],
               r.values(r.values.rows() - 1, static_cast<Eigen::Index>(j)));
  for (const BondLowest& l : run.lowest())
    fmt::print("lowest {}: {:.9g} at {:.9g} s\n", l.name, l.value, l.t);
  if (run.simulator().has_books())
    print_books(run);
  else
    fmt::print(
        "no ledger: a resistor lies between a source and storage, so the matrices do not tell the power "
        "supplied\n");
}

std::string csv(const BondRecord& r) {
  std::string out = "t";
  for (const std::string& name : r.names) out += "," + name;
  for (std::size_t i = 0; i < r.t.size(); ++i) {
    out += fmt::format("\n{}", r.t[i]);
    for (Eigen::Index j = 0; j < r.values.cols(); ++j)
      out += fmt::format(",{}", r.values(static_cast<Eigen::Index>(i), j));
  }
  return out + "\n";
}

/// Runs to the end, to Ctrl-C or to trouble, and reports what there is.
int simulate(BondFileRun& run, const Settings& s, Json& report) {
  std::string trouble;
  bool finished = false;
  try {
    const bench::InterruptGuard guard;
    finished = run.run([](double) { return !bench::interrupted(); });
  } catch (const Error& e) {
    trouble = e.what();
  }
  if (!s.record.empty()) write_text_file(s.record, csv(run.record()));
  if (s.json)
    report["simulation"] = run_json(run);
  else
    print_run(run);
  if (const std::string note = stiffness_note(run.simulator().report()); !note.empty())
    fmt::print(stderr, "amble: note: {}\n", note);
  if (trouble.empty()) return finished ? 0 : kInterrupted;
  fmt::print(stderr, "amble: error: {}\n", trouble);
  return 1;
}

Json blocks_json(const BondGraph& graph) {
  const BlockDiagram diagram = block_diagram(graph);
  Json blocks = Json::array(), integrators = Json::array();
  for (const SignalBlock& b : diagram.blocks)
    blocks.push_back({{"output", b.output}, {"of", b.title}, {"text", b.text()}});
  for (const IntegratorBlock& i : diagram.integrators)
    integrators.push_back({{"state", i.state}, {"initial", i.initial}});
  return {{"blocks", blocks}, {"integrators", integrators}, {"loops", diagram.loops}};
}

Json behaviour_json(const BondGraph& graph) {
  const BondRelations all = bond_relations(graph);
  Json components = Json::array();
  for (const BondComponent& c : all.components) {
    Json lines = Json::array();
    for (const BondRelation& r : c.relations) lines.push_back(r.text());
    components.push_back({{"name", c.title}, {"relations", lines}});
  }
  return {{"unknowns", all.unknowns}, {"components", components}};
}

Json port_hamiltonian_json(const BondGraph& graph) {
  const BondPortHamiltonian form = port_hamiltonian(graph);
  Json out = json_of(form.matrices);
  out["Q"] = rows(form.matrices.energy_hessian);
  out["feedthrough"] = rows(form.feedthrough);
  out["collocated"] = form.collocated;
  return out;
}

Json representation_json(const BondGraph& graph, BondRepresentation which) {
  if (which == BondRepresentation::behaviour) return behaviour_json(graph);
  return which == BondRepresentation::block ? blocks_json(graph) : port_hamiltonian_json(graph);
}

/// One representation, and the run by it. The behaviour needs no causality: a graph with a conflict has one
/// too.
Json explain(const BondGraph& graph, const Settings& s) {
  if (!s.as.empty()) {
    const BondRepresentation which = bond_representation(s.as);
    if (!s.json) fmt::print("{}", representation_text(graph, which));
    return {{"name", graph.name()}, {"representation", s.as}, {s.as, representation_json(graph, which)}};
  }
  const BondEquations equations(graph);
  if (!s.json) fmt::print("{}{}", causality_report(graph), equations_text(equations));
  return graph_json(equations);
}

int bond(const Settings& s) {
  const BondFile file = load_bond_file(s.file);
  const bool simulated = !s.equations && (file.simulation || s.simulate_given);
  if (!s.record.empty() && !simulated)
    throw Error(fmt::format(
        "{}: --record is asked for, but the file has no [simulation] part: --simulate SECONDS gives one",
        s.file));
  if (s.picture.wanted()) s.picture.write(bond_graph_svg(file.graph));  // with a conflict too: it shows where
  BondRunSettings how = file.simulation.value_or(BondRunSettings{});
  if (!s.as.empty()) how.representation = bond_representation(s.as);
  if (s.simulate_given) how.duration = s.simulate;
  std::optional<BondFileRun> run;
  Json report;
  try {
    if (simulated) run.emplace(file, how);  // what it refuses is told before anything is printed
    report = explain(file.graph, s);
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", s.file, e.what()));
  }
  const int code = run ? simulate(*run, s, report) : 0;
  if (s.json) fmt::print("{}", json_text(report));
  return code;
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  auto settings = std::make_shared<Settings>();
  command.add_option("FILE", settings->file, "A bond graph file (TOML), as those in scenarios/bonds")
      ->required()
      ->type_name("")
      ->check(file_name());
  add_picture_options(command, settings->picture, "the graph, which needs Graphviz,");
  command
      .add_option("--as", settings->as,
                  "Print this representation and simulate by it: block (assignments by causality), behaviour "
                  "(relations without direction), port-hamiltonian (matrices)")
      ->type_name("REPRESENTATION")
      ->check(CLI::IsMember(bond_representation_names()).description(""));
  CLI::Option* equations = command.add_flag("--equations", settings->equations,
                                            "Stop after the equations, or after the representation");
  CLI::Option* seconds =
      command
          .add_option("--simulate", settings->simulate, "Simulate for this time (s), whatever the file says")
          ->type_name("SECONDS")
          ->excludes(equations);
  command.add_option("--record", settings->record, "Write what the file records to this table (CSV)")
      ->type_name("FILE")
      ->check(file_name())
      ->excludes(equations);
  command.add_flag("--json", settings->json, "One JSON object on stdout");
  command.footer("Without --simulate the graph is simulated when the file has a [simulation] part.");
  command.callback([settings, seconds, &run] {
    settings->simulate_given = seconds->count() > 0;
    run = [settings] { return bond(*settings); };
  });
}

}  // namespace amble::app
