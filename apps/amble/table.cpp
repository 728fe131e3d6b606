#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "found_gait.hpp"

// `amble table`: tables of DS, regenerated from cold starts, beside what the book prints.
namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<double>;
using Stop = std::function<bool(const NlpProgress&)>;

struct Table {
  std::vector<std::string> columns;
  std::vector<Row> rows, book;
  std::vector<std::string> notes;
};

const std::vector<double> kSpeeds{0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3};
const WalkerValues kCompass{{"gravity", 9.8}};
constexpr double kFootSpeed = 0.5;  // DS (4.23)

/// What may change in a column of Tables 5.1 and 5.2.
struct Column {
  const char* name;
  bool springs, masses;
};
constexpr Column kColumns[] = {{"nominal", false, false},
                               {"spring-damper", true, false},
                               {"mass", false, true},
                               {"mass-spring-damper", true, true}};

WalkerSearch column_search(const Column& column) {
  WalkerSearch search{.foot_speed = kFootSpeed};
  if (column.springs) search.design = {{"hip_stiffness", 1.0, 0.0, 100.0}, {"hip_damping", 0.1, 0.0, 10.0}};
  if (column.masses) {
    const int first = static_cast<int>(search.design.size());
    search.design.push_back({"leg_mass", 1.0, 0.01, 3.49});
    search.design.push_back({"hip_mass", 5.0, 0.02, 6.98});
    search.ties = {{"total mass", {first, first + 1}, {2.0, 1.0}, 7.0}};
  }
  return search;
}

std::vector<GaitSearchResult> column_results(const Column& column, const Stop& watch) {
  // Masses alone run to their bound from everywhere: neighbours have nothing to add.
  GaitSearchSettings settings{.starts = column.springs || column.masses ? 1 : 2,
                              .rounds = column.masses && !column.springs ? 0 : 1};
  settings.solver.watch = watch;
  return search_speeds(search_problem("compass", kCompass, column_search(column)), kSpeeds, settings);
}

/// The cost of the same motion, summed at some nodes.
double cost_of(const SearchProblem& problem, const GaitSearchResult& result, NodeRule rule) {
  if (!result.found()) return std::nan("");
  GaitProgram program(problem, {.rule = rule});
  return program.objective(program.point_of(result.gaits[0].motion));
}

Table table_5_1(const Stop& watch) {
  Table table{{"speed (m/s)"}, {}, {}, {}};
  for (const double speed : kSpeeds) table.rows.push_back({speed});
  for (const Column& column : kColumns) {
    const SearchProblem problem = search_problem("compass", kCompass, column_search(column));
    const std::vector<GaitSearchResult> results = column_results(column, watch);
    for (const auto& [rule, suffix] :
         {std::pair{NodeRule::both_ends, ""}, {NodeRule::as_printed, ", nodes 1..20"}}) {
      table.columns.push_back(std::string(column.name) + suffix);
      for (std::size_t i = 0; i < kSpeeds.size(); ++i)
        table.rows[i].push_back(cost_of(problem, results[i], rule));
    }
  }
  const double nan = std::nan("");
  for (const Row& r : std::initializer_list<Row>{{0.5, 1.4, 1.4, 0.062, 0.037},
                                                 {0.6, 0.44, 0.44, 0.011, 0.0029},
                                                 {0.7, 0.032, 0.032, 0.0023, 0.0017},
                                                 {0.8, 0.0059, 0.0038, 0.0032, 0.0014},
                                                 {0.9, 0.025, 0.0030, 0.0071, 0.0016},
                                                 {1.0, 0.28, 0.0065, 0.012, 0.0027},
                                                 {1.1, 0.82, 0.015, 0.016, 0.0042},
                                                 {1.2, 1.7, 0.032, 0.011, 0.0054},
                                                 {1.3, 2.8, 0.061, 0.011, 0.0099}})
    table.book.push_back({r[0], r[1], nan, r[2], nan, r[3], nan, r[4], nan});
  table.notes = {
      "costs by DS (4.3) with k = 10, Q = 1, g = 9.8, foot speed 0.5 m/s; summed over nodes 0..20, and for "
      "the same motion over 1..20 as printed"};
  return table;
}

Table table_5_2(const Stop& watch) {
  Table table{{"speed (m/s)", "k (N m/rad)", "d (N m s/rad)", "m (kg)", "m (kg), all", "k (N m/rad), all",
               "d (N m s/rad), all"},
              {},
              {},
              {}};
  for (const double speed : kSpeeds) table.rows.push_back({speed});
  for (const auto& [column, places] :
       {std::pair{kColumns[1], std::vector<int>{0, 1}}, {kColumns[2], {0}}, {kColumns[3], {2, 0, 1}}}) {
    const std::vector<GaitSearchResult> results = column_results(column, watch);
    for (std::size_t i = 0; i < kSpeeds.size(); ++i)
      for (const int place : places)
        table.rows[i].push_back(results[i].found() ? results[i].gaits[0].motion.parameters[place]
                                                   : std::nan(""));
  }
  table.book = {{0.5, 0.0, 0.0, 2.5, 3.5, 0.0, 0.78},         {0.6, 0.0, 0.0, 1.8, 2.6, 0.0, 0.14},
                {0.7, 0.0, 0.0, 1.3, 1.7, 0.0, 0.048},        {0.8, 0.012, 0.047, 0.85, 0.99, 0.0051, 0.047},
                {0.9, 0.63, 0.038, 0.86, 0.86, 0.0083, 0.49}, {1.0, 2.9, 0.034, 0.57, 0.56, 0.023, 0.064},
                {1.1, 6.0, 0.030, 0.38, 0.37, 0.0, 0.070},    {1.2, 10.0, 0.026, 0.19, 0.25, 0.0, 0.071},
                {1.3, 16.0, 0.022, 0.13, 0.17, 0.0, 0.080}};
  return table;
}

Table table_4_2(const Stop& watch) {
  Table table{{"mH (kg)", "mT (kg)", "T (s)", "xstep (m)", "ystep (m)", "J", "Pmech (W)"}, {}, {}, {}};
  for (const double hip : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    const WalkerValues values{{"hip_mass", hip}, {"trunk_mass", 6.0 - hip}};
    const WalkerSearch search{.clearance = 0.01};
    GaitSearchSettings settings{.starts = 3};
    settings.program.speed = 0.5;
    settings.solver.watch = watch;
    const GaitSearchResult found = search_gaits(search_problem("trunk", values, search), settings);
    if (!found.found()) {
      table.rows.push_back(
          {hip, 6.0 - hip, std::nan(""), std::nan(""), std::nan(""), std::nan(""), std::nan("")});
      continue;
    }
    const FoundGait& gait = found.gaits[0];
    const SearchFigures f = figures_of("trunk", values, search, gait);
    table.rows.push_back({hip, 6.0 - hip, gait.duration, gait.step_length, f.step_width, gait.objective,
                          f.actuator_work / gait.duration});
    table.notes.push_back(fmt::format("mH = {}: impacts take {:.9g} J a step, actuators give {:.9g} J", hip,
                                      f.lost, f.actuator_work));
  }
  table.book = {{1, 5, 0.52, 0.26, 0.20, 4.18, 1.82},
                {2, 4, 0.63, 0.31, 0.18, 3.12, 1.35},
                {3, 3, 0.68, 0.34, 0.15, 2.56, 1.11},
                {4, 2, 0.73, 0.37, 0.15, 2.18, 0.99},
                {5, 1, 0.77, 0.39, 0.14, 1.91, 0.90}};
  return table;
}

void print_rows(const std::vector<std::string>& columns, const std::vector<Row>& rows) {
  for (const std::string& column : columns)
    fmt::print("{:>{}}  ", column, std::max<std::size_t>(10, column.size()));
  fmt::print("\n");
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      fmt::print("{:>{}}  ", std::isnan(row[i]) ? "-" : fmt::format("{:.6g}", row[i]),
                 std::max<std::size_t>(10, columns[i].size()));
    fmt::print("\n");
  }
}

int run_table(const std::string& which, bool json) {
  WorkWatch watch("searching for gaits");
  const Stop stop = [&](const NlpProgress&) { return watch(0.0); };
  const Table table = which == "5.1" ? table_5_1(stop) : which == "5.2" ? table_5_2(stop) : table_4_2(stop);
  if (watch.interrupted()) return kInterrupted;
  if (json) {
    fmt::print("{}", json_text({{"columns", table.columns},
                                {"rows", table.rows},
                                {"book", table.book},
                                {"notes", table.notes}}));
    return 0;
  }
  fmt::print("DS Table {}, from cold starts\n", which);
  print_rows(table.columns, table.rows);
  fmt::print("\nas the book prints it\n");
  print_rows(table.columns, table.book);
  for (const std::string& note : table.notes) fmt::print("{}\n", note);
  return 0;
}

}  // namespace

void amble_command(CLI::App& command, Run& run) {
  struct Settings {
    std::string which;
    bool json = false;
  };
  auto settings = std::make_shared<Settings>();
  command
      .add_option("TABLE", settings->which,
                  "4.2 (walker with a trunk), 5.1 (costs of the compass) or 5.2 (its best parameters)")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"4.2", "5.1", "5.2"}).description(""));
  command.add_flag("--json", settings->json, "One JSON object on stdout");
  command.callback(
      [settings, &run] { run = [settings] { return run_table(settings->which, settings->json); }; });
}

}  // namespace amble::app
