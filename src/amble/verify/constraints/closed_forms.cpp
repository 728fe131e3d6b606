#include <cmath>
#include <numbers>

#include "amble/constraints/assembly.hpp"
#include "amble/verify/constraints/runs.hpp"
#include "amble/verify/constraints/themes.hpp"

namespace amble {

namespace {

using std::cos, std::sin;

constexpr double kG = 9.81;

/// Crank angles all the way round, for seeds 0 to 11.
double crank_angle(std::uint64_t seed) { return 0.1 + 0.5 * static_cast<double>(seed); }

/// The configuration with the crank at `angle`, from where the mechanism starts.
OwnedVector with_crank_at(const ConstrainedMechanism& x, double angle, double coupler) {
  OwnedVector guess = x.q;
  guess[0] = angle, guess[1] = coupler - angle;
  return assemble(x.mechanism, guess, {.held = {"crank"}}).q;
}

/// Freudenstein's equation between crank and rocker.
double four_bar_position(std::uint64_t seed) {
  const FourBarLengths l;
  const double crank = crank_angle(seed), rocker = with_crank_at(four_bar(l), crank, 0.5)[2];
  const double k1 = l.ground / l.crank, k2 = l.ground / l.rocker;
  const double squares = l.ground * l.ground + l.crank * l.crank + l.rocker * l.rocker - l.coupler * l.coupler;
  return std::abs(k1 * cos(rocker) - k2 * cos(crank) + squares / (2 * l.crank * l.rocker) - cos(crank - rocker));
}

/// The rocker turns at (crank / rocker) sin(coupler - crank) / sin(coupler - rocker) of the crank.
double four_bar_velocity(std::uint64_t seed) {
  const FourBarLengths l;
  const ConstrainedMechanism x = four_bar(l);
  const OwnedVector q = with_crank_at(x, crank_angle(seed), 0.5);
  const Eigen::VectorXd way = constrained(x.mechanism, q, Eigen::Vector3d::Zero()).basis().col(0);
  const double crank = q[0], coupler = q[0] + q[1], rocker = q[2];
  return std::abs(way[2] / way[0] - l.crank / l.rocker * sin(coupler - crank) / sin(coupler - rocker));
}

/// x = r cos + sqrt(l^2 - r^2 sin^2), its slope and its curvature: a = slope a_crank + curvature speed^2.
double slider_crank_motion(std::uint64_t seed) {
  const double crank = 0.3, rod = 0.8, speed = 3.0;
  const ConstrainedMechanism linkage = slider_crank(crank, rod);
  const double angle = crank_angle(seed), s = crank * sin(angle), c = crank * cos(angle);
  const double root = std::sqrt(rod * rod - s * s), slope = -s - s * c / root;
  const double curvature = -c - (c * c - s * s) / root - s * s * c * c / (root * root * root);
  const OwnedVector q = with_crank_at(linkage, angle, 0.0);
  const Eigen::VectorXd way = constrained(linkage.mechanism, q, Eigen::Vector3d::Zero()).basis().col(0);
  const Eigen::VectorXd v = way / way[0] * speed;
  ConstrainedDynamics d = constrained(linkage.mechanism, q, v);
  const OwnedVector a = d.accelerations(Eigen::Vector3d::Zero());
  return std::abs(q[2] - c - root) + std::abs(v[2] - slope * speed) +
         std::abs(a[2] - slope * a[0] - curvature * speed * speed);
}

/// (torque / r) / (masses + spin inertias / r^2).
double driven_cart() {
  const Mechanism m = verified_cart();
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(m.nv());
  tau[m.v_slice("wheel2").start] = 5.0;
  return constrained(m, m.neutral(), Eigen::VectorXd::Zero(m.nv())).accelerations(tau)[0];
}

double weight_on_wheels() {
  const Mechanism m = verified_cart();
  ConstrainedDynamics d = constrained(m, m.neutral(), Eigen::VectorXd::Zero(m.nv()));
  d.accelerations(Eigen::VectorXd::Zero(m.nv()));
  double sum = 0.0;
  for (int wheel = 0; wheel < 4; ++wheel) sum += d.multipliers()[3 * wheel + 2];
  return sum;
}

/// Left to itself at 2 m/s it goes in a circle of radius wheelbase / tan(steering) at that speed: how far off after
/// 10 s.
double coasting_tricycle() {
  const Mechanism m = verified_tricycle();
  Motion s{m, m.neutral(), Eigen::VectorXd::Zero(m.nv()), Eigen::VectorXd::Zero(m.nv())};
  const Eigen::VectorXd way = constrained(m, s.q, s.v).basis().col(0);
  s.v = way / way[0] * 2.0;
  ConstrainedRun run(s);
  run.to(10.0);
  const double radius = kWheelbase / std::tan(kSteering), turn = 2.0 * 10.0 / radius;
  return (run.q().head<3>() - Vector3<double>(radius * sin(turn), radius * (1 - cos(turn)), 0.0)).norm();
}

/// The disc with its plane at `slope` to the ground.
Motion leaning_disc(double slope) {
  const Mechanism m = verified_rolling_disc();
  Motion s{m, m.neutral(), Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6)};
  SO3<double>::about(0, slope).quaternion().to_xyzw(s.q.data() + 3);
  s.q[2] = kDiscRadius * sin(slope);
  return s;
}

/// With precession W and spin n about its axis a thin disc rolls steadily when r W^2 s c / 4 - 3 r n W s / 2 = g c, s
/// and c those of its slope: moments about its centre. The centre goes in a circle of radius r n / W.
double steady_precession() {
  const double slope = 1.1, W = 2.0, r = kDiscRadius, s = sin(slope), c = cos(slope), t = 2.5;
  const double n = (r * W * W * s * c / 4 - kG * c) / (1.5 * r * W * s), radius = -r * n / W;
  Motion disc = leaning_disc(slope);
  disc.v << -r * n, 0, 0, 0, W * s, n;
  ConstrainedRun run(disc);
  run.to(t);
  return (run.q().head<3>() - Vector3<double>(radius * sin(W * t), radius * (1 - cos(W * t)), r * s)).norm();
}

/// A disc that wobbles for 5 s: change of energy, and how fast its lowest point slides or leaves the ground.
double wobbling_disc(bool slip) {
  Motion disc = leaning_disc(1.2);
  disc.v << 0, 0, 0, 0, 0.8, 6.0;
  disc.v = constrained(disc.m, disc.q, disc.v).project_velocity(disc.v);
  ConstrainedRun run(disc);
  const double before = run.energy();
  run.to(5.0);
  run.dynamics().set_state(run.q(), run.v());
  if (slip) return run.dynamics().velocity_error().norm() + run.dynamics().violation().norm();
  return (run.energy() - before) / std::abs(before);
}

}  // namespace

std::vector<VerificationEntry> constraints_closed_forms() {
  const auto claim = [](const std::string& name, const std::string& source, double tolerance) {
    return Claim{"constraints." + name, source, "closed form", tolerance};
  };
  const double mass = verified_cart().mass(), spin = 4 * kWheelSpin / (kWheelRadius * kWheelRadius);
  const std::string kDisc = "rolling disc that wobbles, 5 s";
  return {
      worst_entry(claim("four_bar_position", "Freudenstein's equation, crank all the way round", 1e-10), 12,
                  four_bar_position),
      worst_entry(claim("four_bar_velocity", "ratio of rocker to crank by the sines of their angles", 1e-9), 12,
                  four_bar_velocity),
      worst_entry(claim("slider_crank", "x = r cos + sqrt(l^2 - r^2 sin^2), with velocity and acceleration", 1e-9),
                  12, slider_crank_motion),
      number_entry(claim("cart_acceleration",
                         "torque / r / (masses + spin inertias / r^2), 12 rows of which 3 redundant", 1e-10),
                   5.0 / kWheelRadius / (mass + spin), driven_cart),
      number_entry(claim("cart_weight", "the ground carries the weight", 1e-9), mass * kG, weight_on_wheels),
      number_entry(
          claim("tricycle_circle", "coasting at 2 m/s for 10 s on a circle of wheelbase / tan(steering)", 1e-9), 0.0,
          coasting_tricycle),
      number_entry(claim("disc_precession", "steady precession of a rolling disc, place after 2.5 s", 1e-9), 0.0,
                   steady_precession),
      number_entry(claim("disc_energy", kDisc + ": relative change of energy", 1e-10), 0.0,
                   [] { return wobbling_disc(false); }),
      number_entry(claim("disc_no_slip", kDisc + ": velocity and height of its lowest point", 1e-10), 0.0,
                   [] { return wobbling_disc(true); }),
  };
}

}  // namespace amble
