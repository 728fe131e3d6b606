#include "amble/gait/expansion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/walkers/mechanism_walker.hpp"

namespace amble {

namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

/// A known pair: which limbs of the complex walker are a leg of the simple one.
struct Pair {
  const char *complex, *simple;
  MatrixXd lift;  // positions of the complex walker's first phase from the simple one's
  std::vector<const char*> swing_leg,
      trunk;             // bodies; the trunk's are at the hip for a simple walker without one
  const char* hip_body;  // at whose origin the hip is
  double first_share;
};

MatrixXd matrix(int rows, int columns, std::initializer_list<double> numbers) {
  MatrixXd m(rows, columns);
  auto number = numbers.begin();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) m(i, j) = *number++;
  return m;
}

constexpr double kKneeStrike = 0.7;  // of a step: when a knee gets straight

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all{
      {"dribbel",
       "compass",
       matrix(3, 2, {1, 0, 0, 1, 0, 0}),
       {"swing_upper_legs", "swing_lower_legs"},
       {},
       "swing_upper_legs",
       kKneeStrike},
      // The trunk stays upright: its lean is q3 + q4 = 0.
      {"torso", "compass", matrix(3, 2, {1, 0, -1, 0, 1, 1}), {"swing_leg"}, {"trunk"}, "swing_leg", 1.0},
      {"torso", "bisecting", matrix(3, 2, {1, 0, 0, 1, 0, 1}), {"swing_leg"}, {"trunk"}, "swing_leg", 1.0},
      // Angles the other way round; a leg's is its own.
      {"trunk",
       "compass",
       matrix(6, 2, {-1, 0, 0, 0, -1, -1, 0, 0, 0, 0, 0, 0}),
       {"swing_leg"},
       {"trunk"},
       "swing_leg",
       1.0},
      {"human",
       "bisecting",
       matrix(3, 2, {1, 0, 0, 1, 0, 0}),
       {"swing_thigh", "swing_shank"},
       {"trunk", "stance_arm", "swing_arm"},
       "swing_thigh",
       kKneeStrike},
      {"human",
       "compass",
       matrix(3, 2, {1, 0, 0, 0.5, 0, 0}),
       {"swing_thigh", "swing_shank"},
       {"trunk", "stance_arm", "swing_arm"},
       "swing_thigh",
       kKneeStrike},
  };
  return all;
}

/// Mass, height over a point, and moment of inertia across, of bodies of a walker that stands upright.
struct Lump {
  double mass = 0.0, first = 0.0, second = 0.0;
  double com() const { return mass > 0.0 ? first / mass : 0.0; }
  double moment() const { return std::max(0.0, second - mass * com() * com()); }
};

class Upright {
 public:
  explicit Upright(MechanismWalker& walker) : m_(walker.spec().full), work_(m_), q_(m_.nq()) {}

  double height(const char* body) { return pose(body).translation().z(); }
  Lump lump(const std::vector<const char*>& bodies, double origin) {
    Lump out;
    for (const char* name : bodies) {
      const Inertia<double>& I = m_.bodies()[m_.body_index(name)].inertia;
      const double z = (pose(name) * I.com()).z() - origin;
      out.mass += I.mass(), out.first += I.mass() * z;
      out.second += I.mass() * z * z + I.about_com()(1, 1);
    }
    return out;
  }

 private:
  Pose pose(const char* body) {
    const Place place = m_.place(body);
    return forward_kinematics(m_, work_, q_)[place.link] * place.X_LP;
  }
  const Mechanism& m_;
  Workspace work_;
  OwnedVector q_;
};

/// Masses and lengths of the simple walker.
WalkerValues values_of(const Pair& pair, const WalkerValues& given, MechanismWalker& walker) {
  Upright upright(walker);
  const double hip = upright.height(pair.hip_body);
  const Lump leg = upright.lump(pair.swing_leg, hip), trunk = upright.lump(pair.trunk, hip);
  const double all = walker.spec().full.mass();
  WalkerValues values{{"slope_deg", given.at("slope_deg")},
                      {"gravity", given.at("gravity")},
                      {"leg_length", walker.leg_length()},
                      {"leg_mass", leg.mass},
                      {"leg_com", -leg.com()},
                      {"leg_inertia", leg.moment()},
                      {"foot_radius", walker.mechanism_phase(0).spec().stance_foot.radius}};
  const bool has_trunk = std::string_view(pair.simple) == "bisecting";
  // What is left, beside the legs, is at the hip.
  values["hip_mass"] = std::max(0.0, all - 2.0 * leg.mass - (has_trunk ? trunk.mass : 0.0));
  if (has_trunk)
    values["trunk_mass"] = trunk.mass, values["trunk_com"] = trunk.com(),
    values["trunk_inertia"] = trunk.moment();
  return values;
}

/// What can be asked of the simple walker.
WalkerSearch simple_search(const WalkerSearch& search) {
  return {.foot_speed = search.foot_speed,
          .torque_limit = search.torque_limit,
          .friction = search.friction,
          .cost = search.cost};
}

}  // namespace

std::vector<std::string> simpler_walkers(std::string_view kind) {
  std::vector<std::string> names;
  for (const Pair& pair : pairs())
    if (pair.complex == kind) names.emplace_back(pair.simple);
  return names;
}

SimplerWalker simpler_walker(const WalkerKind& kind, const WalkerValues& given, std::string_view simpler) {
  const auto pair = std::find_if(pairs().begin(), pairs().end(), [&](const Pair& p) {
    return p.complex == kind.name && p.simple == simpler;
  });
  if (pair == pairs().end()) {
    const std::vector<std::string> names = simpler_walkers(kind.name);
    throw Error(fmt::format("gaits of walker '{}' cannot start from those of '{}'; they can from {}",
                            kind.name, simpler,
                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
  const WalkerValues values = walker_values(kind, given);
  const std::unique_ptr<StepModel> model = make_walker(kind, values);
  auto& walker = dynamic_cast<MechanismWalker&>(*model);
  SimplerWalker out{.kind = &walker_kind(simpler), .lift = pair->lift, .first_share = pair->first_share};
  out.values = values_of(*pair, values, walker);
  out.offset = walker.spec().rest.size() ? walker.spec().rest : OwnedVector(pair->lift.rows());
  return out;
}

StepMotion expanded(const SearchProblem& problem, const SimplerWalker& simple, const StepMotion& motion,
                    int order) {
  const Trajectory& from = motion.phases.front();
  const OwnedVector s = interpolation_nodes(order);
  StepMotion out{.parameters = OwnedVector(Eigen::Index(problem.parameters.size()))};
  for (Eigen::Index i = 0; i < out.parameters.size(); ++i)
    out.parameters[i] = problem.parameters[static_cast<std::size_t>(i)].start;
  const std::vector<std::string>& first = problem.phases[0].coordinates;
  double begin = 0.0;
  for (std::size_t i = 0; i < problem.phases.size(); ++i) {
    const bool last = i + 1 == problem.phases.size();
    const double share = last ? 1.0 - begin : simple.first_share;
    const std::vector<std::string>& names = problem.phases[i].coordinates;
    MatrixXd samples = MatrixXd::Zero(Eigen::Index(names.size()), order + 1);
    for (int j = 0; j <= order; ++j) {
      VectorXd posture = simple.lift * from.position(from.duration * (begin + share * s[j])) + simple.offset;
      if (i == 0 && problem.bend.size() > 0)
        posture += std::pow(std::sin(std::numbers::pi * s[j]), 2) * problem.bend;
      for (std::size_t k = 0; k < names.size(); ++k) {
        const auto at = std::find(first.begin(), first.end(), names[k]);
        if (at != first.end()) samples(Eigen::Index(k), j) = posture[at - first.begin()];
      }
    }
    out.phases.push_back(interpolate(from.duration * share, samples));
    begin += share;
  }
  return out;
}

GaitSearchResult search_gaits_expanding(const WalkerKind& kind, const WalkerValues& values,
                                        const WalkerSearch& search, std::string_view simpler,
                                        const GaitSearchSettings& settings) {
  const SimplerWalker simple = simpler_walker(kind, values, simpler);
  const SearchProblem problem = search_problem(kind, values, search);
  const GaitSearchResult seeds =
      search_gaits(search_problem(*simple.kind, simple.values, simple_search(search)), settings);
  GaitSearchResult all{.attempts = seeds.attempts, .seconds = seeds.seconds};
  all.closest.certificate.primal = kInfinity;
  for (const FoundGait& seed : seeds.gaits) {
    const StepMotion start = expanded(problem, simple, seed.motion, settings.program.order);
    merge(all, search_gaits_from(problem, start, settings), settings);
  }
  return all;
}

}  // namespace amble
