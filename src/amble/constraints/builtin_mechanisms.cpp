#include "amble/constraints/builtin_mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/mechanism/box_scenes.hpp"
#include "amble/mechanism/bungee.hpp"

namespace amble {

namespace {

/// Values of all parameters, by name.
class Parameters {
 public:
  explicit Parameters(std::map<std::string, double> values) : values_(std::move(values)) {}
  double operator[](const char* name) const { return values_.at(name); }

 private:
  std::map<std::string, double> values_;
};

struct Builtin {
  const char* name;
  std::vector<std::pair<std::string, double>> parameters;
  ConstrainedMechanism (*make)(const Parameters&);
};

int whole(double value, const char* what) {
  if (value != std::floor(value) || !(value >= 1.0) || value > 1000.0)
    throw Error(fmt::format("'{}' is {}: expected a whole number from 1 to 1000", what, value));
  return static_cast<int>(value);
}

// Every one, a line or a few each; the defaults are those of closed_mechanisms.hpp.
const std::vector<Builtin>& builtins() {
  static const FourBarLengths bars;
  static const SnakeboardParameters board;
  static const CarParameters wheels;
  static const BungeeParameters jump;
  static const BoxStack boxes;
  static const Dominoes tiles;
  static const std::vector<Builtin> all = {
      {"four_bar",
       {{"ground", bars.ground}, {"crank", bars.crank}, {"coupler", bars.coupler}, {"rocker", bars.rocker}},
       [](const Parameters& p) { return four_bar({p["ground"], p["crank"], p["coupler"], p["rocker"]}); }},
      {"slider_crank",
       {{"crank", 0.3}, {"rod", 0.8}, {"slider_mass", 1.0}},
       [](const Parameters& p) { return slider_crank(p["crank"], p["rod"], p["slider_mass"]); }},
      {"n_four_bar", {{"n", 2}}, [](const Parameters& p) { return n_four_bar(whole(p["n"], "n")); }},
      {"bricard", {}, [](const Parameters&) { return bricard(); }},
      {"stewart_platform", {}, [](const Parameters&) { return stewart_platform(); }},
      {"differential_gear", {{"ratio", 1.5}}, [](const Parameters& p) { return differential_gear(p["ratio"]); }},
      {"snakeboard",
       {{"board_mass", board.board_mass},
        {"torso_mass", board.torso_mass},
        {"wheel_mass", board.wheel_mass},
        {"radius", board.radius},
        {"torso_inertia", board.torso_inertia},
        {"wheel_inertia", board.wheel_inertia}},
       [](const Parameters& p) {
         return snakeboard({p["board_mass"], p["torso_mass"], p["wheel_mass"], p["radius"], p["torso_inertia"],
                            p["wheel_inertia"]});
       }},
      {"rolling_disc",
       {{"mass", 1.0}, {"radius", 0.5}},
       [](const Parameters& p) { return rolling_disc(p["mass"], p["radius"]); }},
      {"car",
       {{"wheelbase", wheels.wheelbase},
        {"track", wheels.track},
        {"wheel_radius", wheels.wheel_radius},
        {"body_mass", wheels.body_mass},
        {"wheel_mass", wheels.wheel_mass},
        {"axle_mass", wheels.axle_mass}},
       [](const Parameters& p) {
         return car({p["wheelbase"], p["track"], p["wheel_radius"], p["body_mass"], p["wheel_mass"], p["axle_mass"]});
       }},
      {"bungee",
       {{"person_mass", jump.person_mass},
        {"rope_mass", jump.rope_mass},
        {"stiffness", jump.stiffness},
        {"damping", jump.damping},
        {"height", jump.height},
        {"segments", jump.segments}},
       [](const Parameters& p) {
         const Mechanism m = bungee({p["person_mass"], p["rope_mass"], p["stiffness"], p["damping"], p["height"],
                                     whole(p["segments"], "segments")});
         return ConstrainedMechanism{m, {}, m.neutral()};
       }},
      {"box_stack",
       {{"along_x", boxes.along_x}, {"along_y", boxes.along_y}, {"high", boxes.high}, {"edge", boxes.edge}, {"mass", boxes.mass},
        {"gap", boxes.gap}},
       [](const Parameters& p) {
         const BoxScene made = box_stack({whole(p["along_x"], "along_x"), whole(p["along_y"], "along_y"),
                                          whole(p["high"], "high"), p["edge"], p["mass"], p["gap"]});
         return ConstrainedMechanism{made.mechanism, {}, made.q};
       }},
      {"dominoes",
       {{"count", tiles.count},
        {"thickness", tiles.thickness},
        {"width", tiles.width},
        {"height", tiles.height},
        {"spacing", tiles.spacing},
        {"mass", tiles.mass},
        {"lean", tiles.lean}},
       [](const Parameters& p) {
         const BoxScene made = dominoes({whole(p["count"], "count"), p["thickness"], p["width"], p["height"], p["spacing"],
                                         p["mass"], p["lean"]});
         return ConstrainedMechanism{made.mechanism, {}, made.q};
       }},
  };
  return all;
}

const Builtin& find(std::string_view name) {
  for (const Builtin& b : builtins())
    if (b.name == name) return b;
  throw Error(fmt::format("there is no built-in mechanism '{}'{}; there are {}", name,
                          suggestion(std::string(name), builtin_mechanism_names()),
                          fmt::join(builtin_mechanism_names(), ", ")));
}

}  // namespace

std::vector<std::string> builtin_mechanism_names() {
  std::vector<std::string> out;
  for (const Builtin& b : builtins()) out.emplace_back(b.name);
  return out;
}

std::vector<std::pair<std::string, double>> builtin_mechanism_parameters(std::string_view name) {
  return find(name).parameters;
}

ConstrainedMechanism builtin_mechanism(std::string_view name, const std::map<std::string, double>& given) {
  const Builtin& b = find(name);
  std::map<std::string, double> values(b.parameters.begin(), b.parameters.end());
  for (const auto& [parameter, value] : given) {
    const auto place = values.find(parameter);
    if (place == values.end()) {
      std::vector<std::string> known;
      for (const auto& [other, unused] : b.parameters) known.push_back(other);
      throw Error(fmt::format("'{}' has no parameter '{}'{}", name, parameter, suggestion(parameter, known)));
    }
    if (!std::isfinite(value)) throw Error(fmt::format("parameter '{}' of '{}' is {}", parameter, name, value));
    place->second = value;
  }
  return b.make(Parameters(std::move(values)));
}

}  // namespace amble
