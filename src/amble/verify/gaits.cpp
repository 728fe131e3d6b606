#include <cmath>
#include <numbers>

#include "amble/contact/impact.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/gait/continuation.hpp"
#include "amble/gait/walk.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/walkers/mechanism_walker.hpp"
#include "amble/walkers/walkers.hpp"

// Gaits: published cycles and their multipliers, where they lose stability, closed forms, the books of a
// step.
namespace amble {

namespace {

using Entries = std::vector<VerificationEntry>;

constexpr double kDegree = std::numbers::pi / 180.0;

/// The cycle of a walker that starts near an angle: the others are found with it, once.
Gait cycle(const char* walker, const WalkerValues& values, double angle) {
  const auto model = make_walker(walker, values);
  const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 300});
  if (found.cycles.empty()) throw Error("no cycle was found");
  return *std::min_element(found.cycles.begin(), found.cycles.end(), [&](const Gait& a, const Gait& b) {
    return std::abs(a.x[0] - angle) < std::abs(b.x[0] - angle);
  });
}

/// What is published of a cycle.
struct Published {
  std::string id, source, kind;
  const char* walker;
  WalkerValues values;
  double angle;
  struct Number {
    const char* name;
    double reference, tolerance;
    std::function<double(const Gait&)> ours;
  };
  std::vector<Number> numbers;
};

Entries entries_of(const Published& p) {
  const auto gait = std::make_shared<std::optional<Gait>>();
  Entries all;
  for (const Published::Number& number : p.numbers)
    all.push_back(number_entry({"gaits." + p.id + "." + number.name, p.source, p.kind, number.tolerance},
                               number.reference, [p, number, gait] {
                                 if (!*gait) *gait = cycle(p.walker, p.values, p.angle);
                                 return number.ours(**gait);
                               }));
  return all;
}

std::function<double(const Gait&)> state(int i) {
  return [i](const Gait& g) { return g.x[i]; };
}
double period(const Gait& g) { return g.period; }
double speed(const Gait& g) { return g.speed; }
std::function<double(const Gait&)> real(int i) {
  return [i](const Gait& g) { return g.multipliers.at(static_cast<std::size_t>(i)).real(); };
}
std::function<double(const Gait&)> imaginary(int i) {
  return [i](const Gait& g) { return g.multipliers.at(static_cast<std::size_t>(i)).imag(); };
}

std::vector<Published> published() {
  const char* const garcia = "Garcia, Chatterjee, Ruina and Coleman 1998, slope 0.009";
  const char* const compass = "DS 4.2.3, m = 1, mH = 5, 3 degrees, g = 9.8";
  const char* const goswami = "Goswami, Thuilot and Espiau 1998, m = 5, mH = 10, 3 degrees";
  const WalkerValues book{{"gravity", 9.8}};
  return {
      {"simplest.long",
       garcia,
       "published",
       "simplest",
       {},
       0.2003,
       {{"angle", 0.2003109005443, 1e-12, state(0)},
        {"rate", -0.1998324730050, 1e-12, state(2)},
        {"period", 3.882463752851, 1e-10, period},
        {"multiplier_re", -0.190099841, 2e-9, real(0)},
        {"multiplier_im", 0.557598777, 2e-9, imaginary(0)}}},
      {"simplest.short",
       garcia,
       "published",
       "simplest",
       {},
       0.1939,
       {{"angle", 0.1939373698102, 1e-12, state(0)},
        {"rate", -0.2038669274420, 1e-12, state(2)},
        {"period", 3.096105868078, 1e-10, period},
        {"multiplier_1", 4.003864359, 2e-9, real(0)},
        {"multiplier_2", 0.459589590, 2e-9, real(1)}}},
      {"compass.short",
       compass,
       "published",
       "compass",
       book,
       0.2796,
       {{"angle", 0.27955433525687, 1e-12, state(0)},
        {"rate", -1.16477090438722, 1e-11, state(2)},
        {"hip_rate", 0.56987364334505, 1e-11, state(3)},
        {"period", 0.60785770390978, 1e-11, period},
        {"speed", 0.90786811069, 1e-10, speed},
        {"multiplier_1", 4.46063992, 2e-8, real(0)},
        {"multiplier_2", 0.43797047, 2e-8, real(1)},
        {"multiplier_3", 0.03028032, 2e-8, real(2)}}},
      {"compass.long",
       compass,
       "published",
       "compass",
       book,
       0.2993,
       {{"angle", 0.29929446431878, 1e-12, state(0)},
        {"rate", -1.07296282191054, 1e-11, state(2)},
        {"hip_rate", 0.70840651133442, 1e-11, state(3)},
        {"period", 0.78279761708788, 1e-11, period},
        {"speed", 0.75331376271, 1e-10, speed},
        {"multiplier_re", -0.29333074, 2e-8, real(0)},
        {"multiplier_im", 0.39259006, 2e-8, imaginary(0)},
        {"multiplier_3", 0.08646620, 2e-8, real(2)}}},
      {"goswami.long",
       goswami,
       "published",
       "compass",
       {{"leg_mass", 5.0}, {"hip_mass", 10.0}, {"gravity", 9.8}},
       0.2710,
       {{"angle", 0.2710286805, 1e-10, state(0)}, {"period", 0.7347209622, 1e-10, period}}},
  };
}

WalkerFamily slopes(const char* walker, WalkerValues values) {
  return {"slope_deg", [=](double degrees) {
            WalkerValues all = values;
            all["slope_deg"] = degrees;
            return make_walker(walker, all);
          }};
}

/// The first period doubling of the cycle that is stable at `from`.
double first_doubling(const WalkerFamily& family, double from, double to) {
  const auto model = family.make(from);
  const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 300});
  for (const Gait& gait : found.cycles) {
    if (!gait.stable()) continue;
    const std::vector<Branch> branches =
        continue_cycle(family, gait, {.from = from, .to = to, .step = 0.1, .doublings = 0});
    for (const Bifurcation& b : branches.front().bifurcations)
      if (b.kind == BifurcationKind::period_doubling) return b.value;
  }
  throw Error("no period doubling was found");
}

Entries doublings() {
  return {
      number_entry(
          {"gaits.simplest.first_doubling", "Garcia et al. 1998: stability lost (slope, rad)", "published",
           5e-8},
          0.0150884,
          [] { return kDegree * first_doubling(slopes("simplest", {}), 0.012 / kDegree, 0.0175 / kDegree); }),
      number_entry(
          {"gaits.goswami.first_doubling", "Goswami et al. 1998 (slope, degrees)", "published", 5e-5}, 4.3909,
          [] {
            return first_doubling(
                slopes("compass", {{"leg_mass", 5.0}, {"hip_mass", 10.0}, {"gravity", 9.8}}), 4.0, 4.7);
          })};
}

Entries rimless() {
  const double half = std::numbers::pi / 8.0, slope = 5.0 * kDegree;
  const char* const source = "McGeer 1990: the wheel without a rim, in closed form";
  const double rate = -std::sqrt(4.0 * 9.81 * std::sin(half) * std::sin(slope)) / std::tan(2.0 * half);
  return {number_entry({"gaits.rimless.rate", source, "closed form", 1e-11}, rate,
                       [] { return cycle("rimless", {}, 0.39).x[1]; }),
          number_entry({"gaits.rimless.multiplier", source, "closed form", 1e-10},
                       std::pow(std::cos(2.0 * half), 2),
                       [] { return cycle("rimless", {}, 0.39).multipliers.at(0).real(); })};
}

/// The share of the energy that the impact of a compass with legs q4 apart takes at least, or at most.
double impact_share(double hip_mass, double q4, bool most) {
  const auto model = make_walker("compass", {{"hip_mass", hip_mass}});
  MechanismWalker& walker = dynamic_cast<MechanismWalker&>(*model);
  const Mechanism& full = walker.spec().full;
  const double x[4] = {-0.5 * q4, q4, 0.0, 0.0};
  const OwnedVector q = walker.mechanism_phase(0).full_configuration(x);
  const auto foot = [](const char* name) { return ContactSpec{.body = name}; };
  ContactSpec swing = foot("swing_leg"), stance = foot("stance_leg");
  swing.point = {0.0, 0.0, -1.0};
  const ImpactLoss loss =
      impact_loss(full, q, std::vector<ContactSpec>{swing}, std::vector<ContactSpec>{stance});
  return most ? loss.shares[0] : loss.shares[1];
}

/// What gravity gives the compass in a step with its legs q4 apart, DS (4.22).
double energy_of_step(double q4) {
  const auto model = make_walker("compass");
  const double before_strike[4] = {-0.5 * q4, q4, 0.0, 0.0};
  return model->weight() * std::sin(model->slope()) * model->step_length(before_strike);
}

Entries impacts() {
  const char* const source = "DS 4.2.2 at q4 = 0.5 (docs/errata.md)";
  return {
      number_entry({"gaits.impact.largest_share", source, "published", 1e-11}, 0.997147165570,
                   [] { return impact_share(5.0, 0.5, true); }),
      number_entry({"gaits.impact.smallest_share", source, "published", 1e-11}, 0.270431135537,
                   [] { return impact_share(5.0, 0.5, false); }),
      number_entry({"gaits.impact.energy_of_step", "DS (4.22): 1.78 J, printed", "published", 5e-3}, 1.78,
                   [] { return energy_of_step(0.5); }),
      number_entry({"gaits.impact.largest_energy", "DS (4.22), with the right share (J)", "published", 1e-6},
                   6.575778, [] { return energy_of_step(0.5) / impact_share(5.0, 0.5, false); }),
      number_entry({"gaits.impact.equal_without_hip",
                    "DS Fig 4.5: both shares are equal without a mass at the hip", "closed form", 1e-11},
                   0.0, [] { return impact_share(0.0, 0.7, true) - impact_share(0.0, 0.7, false); }),
      number_entry({"gaits.impact.equal_at_right_angle",
                    "DS Fig 4.5: both shares are equal with legs at a right angle", "closed form", 1e-11},
                   0.0, [] {
                     return impact_share(5.0, 0.5 * std::numbers::pi, true) -
                            impact_share(5.0, 0.5 * std::numbers::pi, false);
                   })};
}

/// The knee's strike of Dribbel as a matrix on the knee's rate: rate `row` after a strike of unit rate.
double knee_strike(int row, double q5) {
  const auto model = make_walker("dribbel");
  const double x[6] = {0.0, q5, 0.0, 0.0, 0.0, 1.0};
  double next[4];
  model->phase(0).reset(x, next, nullptr);
  return next[2 + row];
}

/// All rates (x, z, q3 .. q6) of Dribbel after its swing knee, at unit rate, was stopped together with the
/// coordinates in `held` and nothing else: the projection DS (4.12) in the full mechanism.
Eigen::VectorXd after_knee(std::initializer_list<int> held, double q3, double q5) {
  const auto model = make_walker("dribbel");
  const Mechanism& full = dynamic_cast<MechanismWalker&>(*model).spec().full;
  Workspace work(full);
  OwnedVector q(6);
  q[2] = q3, q[4] = q5;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(held.size()), 6);
  Eigen::Index row = 0;
  for (const int i : held) A(row++, i) = 1.0;
  const Eigen::VectorXd v = Eigen::VectorXd::Unit(6, 5);
  const Eigen::MatrixXd lift = inverse_mass_matrix(full, work, q) * A.transpose();
  return v - lift * (A * lift).ldlt().solve(A * v);
}

/// DS 4.3.3: the stance foot and the stance knee at the strike of the swing knee, were they free.
Entries knee_strike_assumptions() {
  const double q3 = -0.15, q5 = 0.4, c = std::cos(q5);
  return {number_entry(
              {"gaits.dribbel.foot_after_knee",
               "DS (4.28), with cos(2 q5) (docs/errata.md): vertical rate of a free stance foot", "published",
               5e-5},
              (0.106 * std::sin(q3 - q5) - 0.0378 * std::sin(q3 + q5)) / (9.391 - 0.488 * std::cos(2.0 * q5)),
              [=] {
                return after_knee({3, 5}, q3, q5)[1];
              }),
          number_entry({"gaits.dribbel.stance_knee_after_knee",
                        "DS 4.3.3: rate of a stance knee without a lock, 0.111 cos q5 / (3.071 - cos^2 q5)",
                        "published", 5e-9},
                       0.11068850 * c / (3.07140220 - c * c), [=] {
                         return after_knee({0, 1, 5}, q3, q5)[3];
                       })};
}

/// DS 5.4: legs without mass, foot placement and push-off.
Entries foot_placement() {
  const char* const source = "DS 5.4, nominal angles of the book, mH = 1, p1 = 2";
  const auto at_gain = [](double gain) {
    const auto model = make_walker("pointmass3d", {{"lateral_gain", gain}});
    const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 40});
    if (found.cycles.empty()) throw Error("no cycle was found");
    return found.cycles.front();
  };
  const auto inside = [at_gain](double gain) { return at_gain(gain).stable() ? 1.0 : 0.0; };
  return {number_entry({"gaits.foot_placement.period", source, "published", 1e-11}, 0.321964534416,
                       [=] { return at_gain(0.3).period; }),
          number_entry({"gaits.foot_placement.push_off", source, "published", 1e-9}, 0.6343792496,
                       [=] { return std::sqrt(2.0 * at_gain(0.3).energy_supplied); }),
          number_entry({"gaits.foot_placement.fixed_set_points", "DS Fig 5.19: unstable", "published", 0.0},
                       0.0, [=] { return inside(0.0); }),
          number_entry({"gaits.foot_placement.stable_gains",
                        "DS (5.40): stable for gains between about 0.17 and 0.65, not at 0.15 and 0.68",
                        "published", 0.0},
                       2.0, [=] { return inside(0.18) + inside(0.64) - inside(0.15) - inside(0.68); }),
          number_entry({"gaits.foot_placement.ledger", "20 steps: push-offs give what impacts take (J)",
                        "two routes", 1e-10},
                       0.0, [=] {
                         ReturnMap map(*make_walker("pointmass3d"));
                         return walk(map, at_gain(0.3).x, 20).residual();
                       })};
}

Entries dribbel() {
  const double q5 = 0.4, c = std::cos(q5);
  const char* const source = "DS (4.27), denominators put right (docs/errata.md)";
  const auto body = [](const char* name, const std::function<double(const Inertia<double>&)>& number) {
    return [name, number] {
      const auto model = make_walker("dribbel");
      const Mechanism& full = dynamic_cast<MechanismWalker&>(*model).spec().full;
      return number(full.bodies()[full.body_index(name)].inertia);
    };
  };
  return {
      number_entry({"gaits.dribbel.upper_mass", "DS (4.24)", "published", 1e-12}, 3.0,
                   body("stance_upper_legs", [](const auto& I) { return I.mass(); })),
      number_entry({"gaits.dribbel.upper_inertia", "DS (4.24), from Table 4.1", "published", 1e-10},
                   0.1076813867,
                   body("stance_upper_legs", [](const auto& I) { return I.about_com()(1, 1); })),
      number_entry({"gaits.dribbel.upper_com", "DS (4.26), from Table 4.1", "published", 1e-10}, 0.3509333333,
                   body("stance_upper_legs", [](const auto& I) { return I.com().z(); })),
      number_entry({"gaits.dribbel.lower_mass", "DS (4.25)", "published", 1e-12}, 1.6,
                   body("swing_lower_legs", [](const auto& I) { return I.mass(); })),
      number_entry({"gaits.dribbel.lower_inertia", "DS (4.25), from Table 4.1", "published", 1e-10},
                   0.0591680000, body("swing_lower_legs", [](const auto& I) { return I.about_com()(1, 1); })),
      number_entry({"gaits.dribbel.strike_lean", source, "published", 1e-4}, 0.0516 * c / (3.2535 - c * c),
                   [=] { return knee_strike(0, q5); }),
      number_entry({"gaits.dribbel.strike_hip", source, "published", 2e-4},
                   (-0.9990 + 0.0516 * c + 0.2367 * c * c) / (c * c - 3.2535),
                   [=] { return knee_strike(1, q5); }),
      number_entry({"gaits.dribbel.stable", "a stable passive gait on 3 degrees exists", "two routes", 0.0},
                   1.0, [] {
                     const auto model = make_walker("dribbel", {}, Scuffing::detect);
                     const CyclesFound found = find_cycles(*model, region_of(*model));
                     return std::any_of(found.cycles.begin(), found.cycles.end(),
                                        [](const Gait& g) { return g.stable(); })
                                ? 1.0
                                : 0.0;
                   })};
}

/// The largest difference of a walker's exact multipliers' matrix from central differences of order six.
double derivative_error(const char* walker, const WalkerValues& values, double angle) {
  const Gait gait = cycle(walker, values, angle);
  const auto model = make_walker(walker, values);
  ReturnMap map(*model);
  const Eigen::MatrixXd exact = map(gait.x, ReturnMap::Want::derivative).derivative;
  constexpr double h = 2e-4;
  Eigen::MatrixXd differences(exact.rows(), exact.cols());
  for (Eigen::Index i = 0; i < exact.cols(); ++i) {
    const auto at = [&](double share) -> Eigen::VectorXd {
      OwnedVector x = gait.x;
      x[i] += share * h;
      return map(x).x;
    };
    differences.col(i) = (45.0 * (at(1) - at(-1)) - 9.0 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60.0 * h);
  }
  return relative_error(exact, differences);
}

Entries derivatives() {
  const auto entry = [](const char* id, const char* walker, const WalkerValues& values, double angle) {
    return number_entry({std::string("gaits.derivative.") + id,
                         "variational equations and saltation against differences", "two routes", 1e-7},
                        0.0, [=] { return derivative_error(walker, values, angle); });
  };
  return {entry("simplest", "simplest", {}, 0.2), entry("compass", "compass", {}, 0.3),
          entry("arc_feet", "compass", {{"foot_radius", 0.2}}, 0.37), entry("dribbel", "dribbel", {}, 0.27),
          entry("pointmass3d", "pointmass3d", {}, -0.3)};
}

Entries books() {
  return {
      number_entry(
          {"gaits.compass.ledger", "20 steps: every entry its own integral (J)", "two routes", 1e-10}, 0.0,
          [] {
            const Gait gait = cycle("compass", {}, 0.2993);
            ReturnMap map(*make_walker("compass"));
            return walk(map, gait.x, 20).residual();
          }),
      number_entry({"gaits.compass.cost_of_transport",
                    "DS (4.40): a passive gait costs the sine of the slope", "closed form", 1e-11},
                   std::sin(3.0 * kDegree), [] { return cycle("compass", {}, 0.2993).cost_of_transport; }),
      number_entry(
          {"gaits.compass.step_down",
           "a floor 2 cm lower from the fifth footfall on is survived, 10 cm are not", "published", 0.0},
          1.0, [] {
            const Gait gait = cycle("compass", {{"gravity", 9.8}}, 0.2993);
            ReturnMap map(*make_walker("compass", {{"gravity", 9.8}}));
            return !walk(map, gait.x, 60, {.height = 0.02}).fell &&
                           walk(map, gait.x, 60, {.height = 0.1}).fell
                       ? 1.0
                       : 0.0;
          })};
}

}  // namespace

VerificationArea verify_gaits() {
  VerificationArea area{"gaits", {}};
  const auto add = [&](Entries entries) {
    std::move(entries.begin(), entries.end(), std::back_inserter(area.entries));
  };
  for (const Published& p : published()) add(entries_of(p));
  for (const auto theme :
       {doublings, rimless, impacts, dribbel, knee_strike_assumptions, foot_placement, derivatives, books})
    add(theme());
  return area;
}

}  // namespace amble
