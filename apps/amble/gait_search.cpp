#include <fmt/format.h>

#include <charconv>

#include "amble/base/error.hpp"
#include "found_gait.hpp"

// `amble gait search` and `codesign`: DS Definition 4.2.
namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFailed = 1, kInterrupted = 130;

struct Settings {
  WalkerChoice walker;
  WalkerSearch search;
  GaitSearchSettings solver;
  std::optional<double> speed;
  std::string nodes = "both";
  std::vector<std::string> free, ties;
  bool json = false, codesign = false;
};

double number(const std::string& text, const std::string& whole) {
  double value = 0.0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || stop != text.data() + text.size())
    throw Error(fmt::format("{}: '{}' is no number", whole, text));
  return value;
}

/// `leg_mass=0.1:3`: free between bounds, from the walker's own value on, or the bound that is nearest to it.
SearchParameter free_parameter(const std::string& text, const WalkerValues& values) {
  const std::size_t equals = text.find('='), colon = text.find(':');
  if (equals == std::string::npos || colon == std::string::npos || colon < equals)
    throw Error(fmt::format("--free {}: expected name=lower:upper", text));
  SearchParameter p{.name = text.substr(0, equals)};
  p.lower = number(text.substr(equals + 1, colon - equals - 1), "--free " + text);
  p.upper = number(text.substr(colon + 1), "--free " + text);
  if (!(p.lower <= p.upper)) throw Error(fmt::format("--free {}: expected lower <= upper", text));
  const auto value = values.find(p.name);
  p.start = std::clamp(value == values.end() ? p.lower : value->second, p.lower, p.upper);
  return p;
}

/// `2*leg_mass+hip_mass=7`
SearchTie tie_of(const std::string& text, const std::vector<SearchParameter>& free) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw Error(fmt::format("--tie {}: expected a sum, '=' and a number, as 2*leg_mass+hip_mass=7", text));
  SearchTie out{.name = text, .sum = number(text.substr(equals + 1), "--tie " + text)};
  std::string rest = text.substr(0, equals);
  for (std::size_t plus = 0; !rest.empty(); rest = plus == std::string::npos ? "" : rest.substr(plus + 1)) {
    plus = rest.find('+');
    const std::string term = rest.substr(0, plus);
    const std::size_t star = term.find('*');
    const std::string name = star == std::string::npos ? term : term.substr(star + 1);
    const auto at =
        std::find_if(free.begin(), free.end(), [&](const SearchParameter& p) { return p.name == name; });
    if (at == free.end())
      throw Error(fmt::format("--tie {}: '{}' is not among the parameters given by --free", text, name));
    out.parameters.push_back(static_cast<int>(at - free.begin()));
    out.factors.push_back(star == std::string::npos ? 1.0 : number(term.substr(0, star), "--tie " + text));
  }
  return out;
}

NodeRule node_rule(const std::string& name) {
  return name == "both" ? NodeRule::both_ends : name == "printed" ? NodeRule::as_printed : NodeRule::gauss;
}

void add_options(CLI::App& command, Settings& s) {
  add_walker_options(command, s.walker, true);
  command.add_option("--speed", s.speed, "To walk at (m/s); else any")->type_name("MPS");
  command
      .add_option("--foot-speed", s.search.foot_speed, "The swing foot comes down at least this fast (m/s)")
      ->type_name("MPS");
  command
      .add_option("--clearance", s.search.clearance, "The swing foot is at least this high on its way (m)")
      ->type_name("M");
  command.add_option("--unactuated", s.search.unactuated, "Coordinates without an actuator, as q3")
      ->type_name("NAME")
      ->delimiter(',');
  command.add_option("--torque-limit", s.search.torque_limit, "Of every coordinate (N m)")->type_name("NM");
  command.add_option("--order", s.solver.program.order, "Of the polynomials")
      ->type_name("K")
      ->capture_default_str();
  command.add_option("--nodes", s.solver.program.nodes, "Where torques are summed")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--rule", s.nodes,
                  "Which nodes: both (ends, 0..N), printed (1..N, as in the book) or gauss")
      ->type_name("RULE")
      ->capture_default_str()
      ->check(CLI::IsMember({"both", "printed", "gauss"}).description(""));
  command.add_option("--starts", s.solver.starts, "Cold starts")->type_name("N")->capture_default_str();
  command.add_flag("--json", s.json, "One JSON object on stdout");
}

int run_search(Settings s) {
  const WalkerValues values = s.walker.values();
  for (const std::string& text : s.free) s.search.design.push_back(free_parameter(text, values));
  for (const std::string& text : s.ties) s.search.ties.push_back(tie_of(text, s.search.design));
  s.solver.program.speed = s.speed;
  s.solver.program.rule = node_rule(s.nodes);
  const SearchProblem problem = search_problem(s.walker.kind(), values, s.search);
  WorkWatch watch("searching for efficient gaits");
  int starts = 0;
  s.solver.solver.watch = [&](const NlpProgress&) {
    return watch(static_cast<double>(starts) / std::max(1, s.solver.starts));
  };
  const GaitSearchResult found = search_gaits(problem, s.solver);
  if (watch.interrupted()) return kInterrupted;
  if (s.json) {
    Json others = Json::array();
    for (std::size_t i = 1; i < found.gaits.size(); ++i) {
      Json other = found_gait_json(s.walker, s.search, found.gaits[i]);
      other["objective"] = found.gaits[i].objective;
      others.push_back(other);
    }
    Json out{{"gait", found.found() ? found_gait_json(s.walker, s.search, found.gaits[0]) : Json()},
             {"objective", found.found() ? Json(found.gaits[0].objective) : Json()},
             {"status", found.found() ? name_of(found.gaits[0].status) : "no gait found"},
             {"others", others},
             {"seconds", found.seconds}};
    if (s.codesign && found.found()) {
      Json parameters = Json::object();
      for (std::size_t i = 0; i < s.search.design.size(); ++i)
        parameters[s.search.design[i].name] = found.gaits[0].motion.parameters[static_cast<Eigen::Index>(i)];
      out["parameters"] = parameters;
    }
    fmt::print("{}", json_text(out));
  } else if (found.found()) {
    print_found_gaits(s.walker, s.search, found.gaits);
    fmt::print("{} starts in {:.2f} s; costs are integrals of the square of torques, the best gait first\n",
               found.attempts.size(), found.seconds);
  }
  if (found.found()) return 0;
  fmt::print(stderr,
             "amble: error: no gait was found from {} starts; the closest motion violates its conditions by "
             "{:.3g}\n",
             found.attempts.size(), found.closest.certificate.primal);
  return kFailed;
}

}  // namespace

Json found_gait_json(const WalkerChoice& walker, const WalkerSearch& search, const FoundGait& gait) {
  const SearchFigures figures = figures_of(walker.kind(), walker.values(), search, gait);
  const auto model = make_walker(walker.kind(), figures.values);
  OwnedVector x(gait.q.size() + gait.v.size());
  x << gait.q, gait.v;
  const auto [q, v] = model->full_state(0, x.data());
  const auto numbers = [](const OwnedVector& row) {
    return Json(std::vector<double>(row.begin(), row.end()));
  };
  const double transport = figures.weight * gait.step_length;
  return {
      {"period", gait.duration},
      {"step_length", gait.step_length},
      {"speed", gait.speed},
      {"initial",
       {{"q", numbers(gait.q)}, {"v", numbers(gait.v)}, {"full", {{"q", numbers(q)}, {"v", numbers(v)}}}}},
      {"multipliers", nullptr},
      {"stable", nullptr},
      {"effort", figures.effort},
      {"cost_of_transport", figures.lost / transport},
      {"actuator_cost_of_transport", figures.positive_work / transport},
      {"energy_lost", figures.lost},
      {"step_width", figures.step_width},
      {"residual", gait.certificate.residual()}};
}

void print_found_gaits(const WalkerChoice& walker, const WalkerSearch& search,
                       const std::vector<FoundGait>& gaits) {
  fmt::print("{:>12} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10}  {}\n", "cost", "effort", "period s", "step m",
             "speed m/s", "lost J", "KKT", search.design.empty() ? "" : "parameters");
  for (const FoundGait& gait : gaits) {
    const SearchFigures f = figures_of(walker.kind(), walker.values(), search, gait);
    std::string design;
    for (const SearchParameter& p : search.design)
      design += fmt::format("{}{} = {:.6g}", design.empty() ? "" : ", ", p.name, f.values.at(p.name));
    fmt::print("{:12.6g} {:12.6g} {:10.6f} {:10.6f} {:10.6f} {:10.6f} {:10.1e}  {}\n", gait.objective,
               f.effort, gait.duration, gait.step_length, gait.speed, f.lost, gait.certificate.residual(),
               design);
  }
}

void add_gait_search(CLI::App& gait, Run& run) {
  auto settings = std::make_shared<Settings>();
  CLI::App* command = gait.add_subcommand(
      "search", "The most efficient gaits by the square of torques, from cold starts (DS Definition 4.2)");
  add_options(*command, *settings);
  command->callback([settings, &run] { run = [settings] { return run_search(*settings); }; });
}

void add_gait_codesign(CLI::App& gait, Run& run) {
  auto settings = std::make_shared<Settings>();
  settings->codesign = true;
  CLI::App* command =
      gait.add_subcommand("codesign", "The same, with parameters of the walker searched for as well");
  add_options(*command, *settings);
  command
      ->add_option("--free", settings->free,
                   "A parameter that may change, as hip_stiffness=0:20; again for more")
      ->type_name("NAME=LOW:HIGH")
      ->allow_extra_args(false)
      ->required();
  command->add_option("--tie", settings->ties, "What stays as it is, as 2*leg_mass+hip_mass=7")
      ->type_name("SUM=VALUE")
      ->allow_extra_args(false);
  command->callback([settings, &run] { run = [settings] { return run_search(*settings); }; });
}

}  // namespace amble::app
