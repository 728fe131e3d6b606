#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "amble/mechanism/builder.hpp"
#include "amble/ports/drive.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/simulation/themes.hpp"

// Andrews' squeezing mechanism: seven bodies in the plane, three loops through one pin, a motor and a spring. A03 of the
// multibody benchmark library; data and solution after 0.03 s from Mazzia and Magherini, Test Set for Initial Value
// Problem Solvers, problem ANDREWS (Hairer and Wanner, Solving ODEs II, VII.7).
namespace amble {

namespace {

using Vec3 = Vector3<double>;

constexpr double kEnd = 0.03, kTorque = 0.033;  // s, N m
const Vec3 kA(-0.06934, -0.00227, 0.0), kB(-0.03635, 0.03273, 0.0), kC(0.014, 0.072, 0.0);

/// A body with the pin it turns about, on its parent, and its centre of mass.
struct Link {
  const char *joint, *parent, *body;
  Vec3 pin;
  double mass, inertia;
  Vec3 com;
};

Mechanism squeezer() {
  const std::array<Link, 7> links{{
      {"beta", kWorld, "K1", Vec3::Zero(), 0.04325, 2.194e-6, {0.00092, 0, 0}},
      {"theta", "K1", "K2", {0.007, 0, 0}, 0.00365, 4.410e-7, {-0.0115, 0, 0}},
      {"gamma", kWorld, "K3", kB, 0.02373, 5.255e-6, {0.01043, -0.01874, 0}},
      {"delta", kWorld, "K5", kA, 0.07050, 1.169e-5, {0.02308, 0.00916, 0}},
      {"phi", "K5", "K4", {0.04, 0, 0}, 0.00706, 5.667e-7, {0, 0.01421 - 0.02, 0}},
      {"epsilon", kWorld, "K7", kA, 0.05498, 1.912e-5, {0.00449, -0.01228, 0}},
      {"omega", "K7", "K6", {0, -0.04, 0}, 0.00706, 5.667e-7, {0.02 - 0.01421, 0, 0}},
  }};
  Builder b("squeezer");
  b.gravity(Vec3::Zero());
  for (const Link& l : links) {
    // Moments across the plane do not move anything; they are those of a flat body.
    const Matrix3<double> I = Vec3(0.5 * l.inertia, 0.5 * l.inertia, l.inertia).asDiagonal();
    b.body({.name = l.body, .inertia = Inertia<double>::from_com(l.mass, l.com, I)});
    b.joint({.name = l.joint, .type = "revolute", .parent = l.parent, .child = l.body, .X_PF = Pose(l.pin)});
  }
  const Pose pin(Vec3(-0.028, 0, 0));  // of K2, which all loops close on
  for (const auto& [body, place] :
       {std::pair{"K3", Vec3(0, -0.035, 0)}, {"K4", Vec3(0, -0.02, 0)}, {"K6", Vec3(0.02, 0, 0)}})
    b.loop({.name = body, .type = "revolute", .body_a = "K2", .body_b = body, .X_AF = pin, .X_BM = Pose(place)});
  b.spring({.name = "spring", .body_a = "K3", .body_b = kWorld, .point_a = {0.02, -0.018, 0}, .point_b = kC,
            .stiffness = 4530.0, .length = 0.07785});
  return b.build();
}

struct Angle {
  const char* name;
  double start, end, end_rate;
};
constexpr std::array<Angle, 7> kAngles{{{"beta", -0.0617138900142764496, 15.81077119629904, 1139.920302151208},
                                        {"theta", 0.0, -15.75637105984298, -1424.379294994111},
                                        {"gamma", 0.455279819163070380, 0.04082224013073101, 11.03291221937134},
                                        {"phi", 0.222668390165885885, -0.5347301163226948, 19.29337464421385},
                                        {"delta", 0.487364979543842550, 0.5244099658805304, 0.5735699284790808},
                                        {"omega", -0.222668390165885885, 0.5347301163226948, -19.29337464421385},
                                        {"epsilon", 1.230547444549821192, 1.048080741042263, 0.3231791658026955}}};

/// From rest, the motor pushing all the time.
Simulator::State squeezed() {
  const Mechanism m = squeezer();
  Simulator run(m, {drive("motor", [i = m.v_slice("beta").start](double, const OwnedVector&, const OwnedVector&,
                                                                 OwnedVector& tau) { tau[i] = kTorque; })},
                {}, {.integrator = {.tolerance = 1e-13}});
  OwnedVector q = m.neutral();
  for (const Angle& a : kAngles) q[m.q_slice(a.name).start] = a.start;
  run.reset(q, Eigen::VectorXd::Zero(m.nv()));
  run.advance(kEnd);
  return run.state();
}

}  // namespace

std::vector<VerificationEntry> simulation_squeezer() {
  std::vector<VerificationEntry> entries;
  const std::string source = "Test Set for IVP Solvers, problem ANDREWS (IFToMM A03): ";
  const auto end = std::make_shared<std::optional<Simulator::State>>();  // of one run, for all entries
  for (const Angle& a : kAngles) {
    const auto number = [end, name = a.name](bool rate) {
      if (!*end) *end = squeezed();
      const int i = squeezer().v_slice(name).start;
      return rate ? (**end).v[i] : (**end).q[i];
    };
    const std::string name = std::string("simulation.squeezer_") + a.name;
    entries.push_back(number_entry({name, source + a.name + " after 0.03 s (rad)", "published", 1e-8}, a.end,
                                   [number] { return number(false); }));
    entries.push_back(number_entry({name + "_rate", source + "rate of " + a.name + " (rad/s)", "published",
                                    1e-7 * std::max(1.0, std::abs(a.end_rate))},
                                   a.end_rate, [number] { return number(true); }));
  }
  return entries;
}

}  // namespace amble
