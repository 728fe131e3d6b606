#include <fmt/format.h>

#include <charconv>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/gait/expansion.hpp"
#include "amble/report/gait_figures.hpp"
#include "found_gait.hpp"
#include "picture_files.hpp"

// `amble gait search` and `codesign`: DS Definition 4.2.
namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  WalkerChoice walker;
  WalkerSearch search;
  GaitSearchSettings solver;
  std::optional<double> speed;
  std::string nodes = "both";
  std::vector<std::string> free, ties, limits, torque_weights;
  std::string from, curves;
  PictureFiles picture;
  bool json = false, codesign = false;
};

double number(const std::string& text, const std::string& whole) {
  double value = 0.0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || stop != text.data() + text.size())
    throw Error(fmt::format("{}: '{}' is no number", whole, text));
  return value;
}

/// `leg_mass=0.1:3`
struct Bounds {
  std::string name;
  double lower, upper;
};
Bounds bounds_of(const std::string& option, const std::string& text) {
  const std::string whole = option + " " + text;
  const std::size_t equals = text.find('='), colon = text.find(':');
  if (equals == std::string::npos || colon == std::string::npos || colon < equals)
    throw Error(fmt::format("{}: expected name=lower:upper", whole));
  const Bounds b{text.substr(0, equals), number(text.substr(equals + 1, colon - equals - 1), whole),
                 number(text.substr(colon + 1), whole)};
  if (!(b.lower <= b.upper)) throw Error(fmt::format("{}: expected lower <= upper", whole));
  return b;
}

/// Free between bounds, from the walker's own value on, or the bound that is nearest to it.
SearchParameter free_parameter(const std::string& text, const WalkerValues& values) {
  const Bounds b = bounds_of("--free", text);
  SearchParameter p{.name = b.name, .lower = b.lower, .upper = b.upper};
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

/// `q4=2`
std::pair<std::string, double> weight_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw Error(fmt::format("--torque-weight {}: expected name=weight", text));
  return {text.substr(0, equals), number(text.substr(equals + 1), "--torque-weight " + text)};
}

NodeRule node_rule(const std::string& name) {
  return name == "both" ? NodeRule::both_ends : name == "printed" ? NodeRule::as_printed : NodeRule::gauss;
}

void add_options(CLI::App& command, Settings& s) {
  add_walker_options(command, s.walker, true);
  command.add_option("--speed", s.speed, "To walk at (m/s); else any")->type_name("MPS");
  add_swing_options(command, s.search);
  command.add_option("--unactuated", s.search.unactuated, "Coordinates without an actuator, as q3")
      ->type_name("NAME")
      ->delimiter(',');
  command.add_option("--torque-limit", s.search.torque_limit, "Of every coordinate (N m)")->type_name("NM");
  command
      .add_option(
          "--friction", s.search.friction,
          "The floor holds the stance foot with this coefficient of friction at most; 0: is not looked at")
      ->type_name("MU");
  command
      .add_option("--limit", s.limits,
                  "Bounds of a coordinate along the motion, as q6=-1.5:0; again for more")
      ->type_name("NAME=LOW:HIGH")
      ->allow_extra_args(false);
  command
      .add_option("--torque-cost", s.search.cost.torque,
                  "What the integral of squared torques counts in the cost")
      ->type_name("W")
      ->capture_default_str();
  command
      .add_option("--torque-weight", s.torque_weights,
                  "What the squared torque of a coordinate counts in it, as q4=2; again for more")
      ->type_name("NAME=W")
      ->allow_extra_args(false);
  command
      .add_option("--work-cost", s.search.cost.work,
                  "What the work that actuators deliver counts in the cost")
      ->type_name("W")
      ->capture_default_str();
  command
      .add_option("--regained", s.search.cost.regained,
                  "Share that is got back of the work that actuators take")
      ->type_name("SHARE")
      ->capture_default_str();
  command.add_option("--from", s.from, "Start from the gaits of a simpler walker, as compass for dribbel")
      ->type_name("WALKER");
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
  command.add_option("--curves", s.curves, "Write torque and power of the best gait to this file (CSV)")
      ->type_name("FILE")
      ->check(file_name());
  add_picture_options(command, s.picture, "the torques of the best gait against the angles");
  command.add_flag("--json", s.json, "One JSON object on stdout");
}

/// What the best gait's actuators do, as data and as a drawing.
void write_curves(const Settings& s, const FoundGait& gait) {
  if (s.curves.empty() && !s.picture.wanted()) return;
  const std::vector<ActuatorCurve> curves =
      actuator_curves(s.walker.kind(), s.walker.values(), s.search, gait);
  if (!s.curves.empty()) write_text_file(s.curves, csv(curves));
  if (s.picture.wanted()) s.picture.write(svg(torque_over_angle(curves)));
}

std::string cost_text(const SearchCost& cost) {
  if (cost.work == 0.0 && cost.torque == 1.0) return "costs are integrals of the square of torques";
  return fmt::format("costs are {} x integral of the square of torques + {} x work delivered{}", cost.torque,
                     cost.work,
                     cost.regained > 0.0 ? fmt::format(" less {} of what is taken back", cost.regained) : "");
}

/// How much of each torque a spring would give.
void print_springs(const Settings& s, const FoundGait& gait) {
  fmt::print("\nsprings nearest to the torques of the best gait:\n");
  for (const ActuatorCurve& c : actuator_curves(s.walker.kind(), s.walker.values(), s.search, gait)) {
    const ActuatorCurve::Spring spring = c.spring();
    fmt::print("  {}: {:.5g} N m/rad, at rest at {:.5g} rad, {:.3g} % of the square of the torque\n", c.name,
               spring.stiffness, spring.rest, 100.0 * spring.share);
  }
}

int run_search(Settings s) {
  const WalkerValues values = s.walker.values();
  for (const std::string& text : s.free) s.search.design.push_back(free_parameter(text, values));
  for (const std::string& text : s.ties) s.search.ties.push_back(tie_of(text, s.search.design));
  for (const std::string& text : s.limits) {
    const Bounds b = bounds_of("--limit", text);
    s.search.limits[b.name] = {b.lower, b.upper};
  }
  for (const std::string& text : s.torque_weights) s.search.torque_weights.insert(weight_of(text));
  s.solver.program.speed = s.speed;
  s.solver.program.rule = node_rule(s.nodes);
  const SearchProblem problem = search_problem(s.walker.kind(), values, s.search);
  WorkWatch watch("searching for efficient gaits");
  int starts = 0;
  s.solver.solver.watch = [&](const NlpProgress&) {
    return watch(static_cast<double>(starts) / std::max(1, s.solver.starts));
  };
  const GaitSearchResult found =
      s.from.empty() ? search_gaits(problem, s.solver)
                     : search_gaits_expanding(s.walker.kind(), values, s.search, s.from, s.solver);
  const bool stopped = watch.interrupted();
  if (stopped && !found.found()) return kInterrupted;
  if (found.found()) write_curves(s, found.gaits[0]);
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
             {"complete", !stopped},
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
    fmt::print("{} starts in {:.2f} s; {}, the best gait first\n", found.attempts.size(), found.seconds,
               cost_text(s.search.cost));
    if (stopped) fmt::print("interrupted: {} starts were asked for\n", s.solver.starts);
    print_springs(s, found.gaits[0]);
    print_assumptions(figures_of(s.walker.kind(), values, s.search, found.gaits[0]).assumptions);
  }
  if (found.found()) return stopped ? kInterrupted : 0;
  fmt::print(stderr, "amble: error: {}\n", no_search_text(s.speed, found));
  return kFailed;
}

}  // namespace

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
