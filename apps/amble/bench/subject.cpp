#include "bench/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "amble/base/error.hpp"
#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/box_scenes.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/walkers/mechanism_walker.hpp"
#include "amble/walkers/walkers.hpp"
#include "builtin_robots.hpp"

namespace amble::bench {

namespace {

Subject builtin(const BuiltinRobot& robot, LoadOptions options) {
  if (options.base == Base::from_file) options.base = robot.base;
  return {robot.name, load_text(robot.urdf, fmt::format("{}.urdf", robot.name), options)};
}

struct ClosedMechanism {
  const char* name;
  ConstrainedMechanism (*make)();
};

// Every mechanism with loops, one line each; the chains of four-bars show how cost grows with constraints.
constexpr ClosedMechanism kClosed[] = {
    {"four_bar", [] { return four_bar(); }},
    {"n_four_bar_10", [] { return n_four_bar(10); }},
    {"n_four_bar_40", [] { return n_four_bar(40); }},
    {"stewart_platform", stewart_platform},
};

Subject closed(const ClosedMechanism& known) {
  ConstrainedMechanism made = known.make();
  return {.name = known.name, .robot = std::move(made.mechanism), .closed = std::move(made.q)};
}

// Every scene of loose bodies, one line each.
struct LooseBodies {
  const char* name;
  BoxScene (*make)();
};
constexpr LooseBodies kLoose[] = {
    {"stack_5x5x5", [] { return box_stack({.along_x = 5, .along_y = 5, .high = 5}); }},
};

Subject loose(const LooseBodies& known) {
  BoxScene made = known.make();
  return {.name = known.name, .robot = std::move(made.mechanism), .stands = std::move(made.q)};
}

// Every walker, one line each.
constexpr const char* kWalkers[] = {"compass"};

Subject walking(const char* name) {
  const std::unique_ptr<StepModel> model = make_walker(name);
  return {.name = name, .robot = dynamic_cast<const MechanismWalker&>(*model).spec().full, .walker = name};
}

Subject subject(const std::string& name, const LoadOptions& options) {
  const auto* known = std::find_if(std::begin(kBuiltinRobots), std::end(kBuiltinRobots),
                                   [&](const BuiltinRobot& robot) { return robot.name == name; });
  const bool file = std::filesystem::exists(name);
  if (known != std::end(kBuiltinRobots) && !file) return builtin(*known, options);
  for (const ClosedMechanism& mechanism : kClosed)
    if (mechanism.name == name && !file) return closed(mechanism);
  for (const LooseBodies& scene : kLoose)
    if (scene.name == name && !file) return loose(scene);
  for (const char* walker : kWalkers)
    if (walker == name && !file) return walking(walker);
  Subject out{std::filesystem::path(name).stem().string(), load(name, options)};
  if (out.robot.nv() == 0) throw Error(fmt::format("{}: nothing in it can move: nothing to measure", name));
  return out;
}

}  // namespace

std::vector<Subject> robots(const std::vector<std::string>& wanted, const LoadOptions& options) {
  std::vector<Subject> out;
  for (const std::string& name : wanted) out.push_back(subject(name, options));
  if (!wanted.empty()) return out;
  for (const BuiltinRobot& robot : kBuiltinRobots) out.push_back(builtin(robot, options));
  for (const ClosedMechanism& mechanism : kClosed) out.push_back(closed(mechanism));
  for (const LooseBodies& scene : kLoose) out.push_back(loose(scene));
  for (const char* walker : kWalkers) out.push_back(walking(walker));
  return out;
}

std::vector<Subject> reference_robots() {
  const char* folder = std::getenv("AMBLE_ROBOTS");
  const std::filesystem::path file = std::filesystem::path(folder == nullptr ? "" : folder) / "talos_reduced.urdf";
  if (folder == nullptr || !std::filesystem::exists(file)) return {};
  return {subject(file.string(), {.base = Base::floating})};
}

std::string growth_name(const std::string& shape, int bodies) { return fmt::format("{} of {}", shape, bodies); }

std::vector<Subject> growing_robots() {
  std::vector<Subject> out;
  for (const std::string shape : kGrowthShapes)
    for (const int bodies : kGrowthSizes) {
      const RandomMechanismOptions options{.bodies = bodies,
                                           .types = {"revolute"},
                                           .branching = shape == "chain" ? 0.0 : 1.0,
                                           .fixed = 0.0,
                                           .properties = false};
      out.push_back({growth_name(shape, bodies), random_mechanism(1, options).mechanism, {}, {}, {}, {}, true});
    }
  return out;
}

}  // namespace amble::bench
