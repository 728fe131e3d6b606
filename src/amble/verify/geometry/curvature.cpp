#include <cmath>
#include <numbers>

#include "amble/constraints/carried_constraints.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/riemann/curvature.hpp"
#include "amble/riemann/double_geodesic.hpp"
#include "amble/riemann/flat_coordinates.hpp"
#include "amble/riemann/geodesic_between.hpp"
#include "amble/riemann/jacobi_fields.hpp"
#include "amble/riemann/known_geometry.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/verify/geometry/themes.hpp"

namespace amble {

namespace {

/// A few bodies on joints of every type.
Motion small_motion(std::uint64_t seed) {
  return random_motion(seed, {.bodies = 1 + static_cast<int>(seed % 4), .properties = false});
}

double largest(const CurvatureTensor& R) {
  double most = 0.0;
  for (std::size_t i = 0; i < R.size(); ++i) most = std::max(most, std::abs(R.data()[i]));
  return most;
}

/// The worst failure of R_ijkl = -R_jikl, R_ijkl = R_klij and of the first identity of Bianchi.
double curvature_identities(std::uint64_t seed) {
  const Motion x = small_motion(seed);
  const Curvature curvature(x.m, x.q);
  const CurvatureTensor& R = curvature.riemann();
  const int n = x.m.nv();
  double worst = 0.0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l)
          worst = std::max({worst, std::abs(R(i, j, k, l) + R(j, i, k, l)),
                            std::abs(R(i, j, k, l) - R(k, l, i, j)),
                            std::abs(R(i, j, k, l) + R(i, k, l, j) + R(i, l, j, k))});
  return worst / (1.0 + largest(R));
}

/// nabla^2 X for a field X that is carried along a family of geodesics: Jacobi fields feel R and nothing
/// else. The second covariant derivative of Q_v w at t = 0 vanishes; at small t the field is w t - R(w, v) v
/// t^3 / 6.
double jacobi_equation(std::uint64_t seed) {
  const Motion x = small_motion(seed);
  const Eigen::VectorXd v = 0.3 * x.v / std::max(1.0, x.v.norm()), w = x.a / std::max(1.0, x.a.norm());
  const auto connection = levi_civita(x.m);
  VariationalRun run(x.m, 1e-13);
  const auto remainder = [&](double t) {
    run.start(x.q, v);
    run.advance(t);
    const GeodesicVariation end = run.now();
    const OwnedMatrix field = Eigen::MatrixXd(end.Q_v * w);
    const Eigen::VectorXd back = parallel_transport(*connection, end.q, end.v, -t, field, 1e-13).col(0);
    return Eigen::VectorXd((back - t * w) * 6.0 / (t * t * t));
  };
  const double h = 0.05;  // the next terms are of order t and t^2: Richardson takes both
  const Eigen::VectorXd measured = (8.0 * remainder(h) - 6.0 * remainder(2 * h) + remainder(4 * h)) / 3.0;
  return relative_error(measured, -Curvature(x.m, x.q).apply(w, v, v));
}

double free_motion(std::uint64_t seed) {
  const Motion x = small_motion(seed);
  const Mechanism free = with_gravity(x.m, Vector3<double>::Zero());
  const GeodesicEnd end = geodesic_end(*levi_civita(x.m), x.q, x.v, 0.5);
  Simulator simulator(
      free, {}, {},
      {.integrator = {.tolerance = 1e-13}, .method = "radau"});  // not the integrator of geodesics
  simulator.reset(x.q, x.v);
  simulator.advance(0.5);
  return std::max(free.difference(end.q, simulator.q()).norm(), relative_error(end.v, simulator.v()));
}

double geodesic_energy(std::uint64_t seed) {
  const Motion x = small_motion(seed);
  const GeodesicEnd end = geodesic_end(*levi_civita(x.m), x.q, x.v, 0.5);
  Workspace work(x.m);
  const double before = kinetic_energy(x.m, work, x.q, x.v);
  return std::abs(kinetic_energy(x.m, work, end.q, end.v) / before - 1.0);
}

double transport_keeps_metric(std::uint64_t seed) {
  const Motion x = small_motion(seed);
  const int n = x.m.nv();
  const auto connection = levi_civita(x.m);
  Workspace work(x.m);
  const OwnedMatrix frame = Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd before = mass_matrix(x.m, work, x.q);
  const OwnedMatrix carried = parallel_transport(*connection, x.q, x.v, 0.3, frame);
  const GeodesicEnd end = geodesic_end(*connection, x.q, x.v, 0.3);
  return relative_error(carried.transpose() * (mass_matrix(x.m, work, end.q) * carried), before);
}

double pendulum_curvature(std::uint64_t seed) {
  const double s = 0.1 * static_cast<double>(seed);
  const DoublePendulum pendulum{
      .mass_1 = 1.0 + s, .com_1 = 0.5 - 0.3 * s, .mass_2 = 2.0 - s, .com_2 = 0.3 + s, .length_1 = 0.8 + s};
  const Curvature curvature(pendulum.mechanism(), Eigen::Vector2d(s, 0.3 + 0.5 * static_cast<double>(seed)));
  return std::abs(curvature.sectional(Eigen::Vector2d::UnitX(), Eigen::Vector2d::UnitY()) -
                  pendulum.curvature(curvature.q()[1]));
}

/// Milnor 1976, for the plane normal to axis i.
double milnor_curvature(std::uint64_t seed) {
  Random random(seed);
  const Vector3<double> I(1.0 + 0.3 * random.uniform(), 1.0 + 0.3 * random.uniform(),
                          1.0 + 0.3 * random.uniform());
  const Mechanism m = rigid_body(1.0, I, true);
  const Curvature curvature(m, m.random(random));
  double worst = 0.0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double known =
        (std::pow(I[j] - I[k], 2) + 2.0 * I[i] * (I[j] + I[k]) - 3.0 * I[i] * I[i]) / (4.0 * I.prod());
    worst = std::max(
        worst, std::abs(curvature.sectional(Eigen::Vector3d::Unit(j), Eigen::Vector3d::Unit(k)) - known));
  }
  return worst;
}

double rotation_curvature() {
  const Mechanism m = rigid_body(1.0, {1, 1, 1}, true);
  return Curvature(m, m.random(4)).sectional(Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(-1, 0, 1));
}

double conjugate_time() {
  const Mechanism m = rigid_body(1.0, {1, 1, 1}, true);
  const auto points = conjugate_points(m, m.neutral(), Eigen::Vector3d(0.0, 0.6, 0.8), 7.0, {.samples = 30});
  return points.empty() ? 0.0 : points.front().t;
}

double constant_metric_curvature() { return flatness(drive_chain({1.0, 2.0, 3.0}), {.samples = 4}).largest; }

double flat_length() {
  FlatCoordinates flat(polar_arm(2.0), Eigen::Vector2d(0.0, 1.0));
  return flat.at(Eigen::Vector2d(2.0, 1.5)).x.norm();
}

double between_on_the_plane() {
  return geodesics_between(polar_arm(2.0), Eigen::Vector2d(0.0, 1.0), Eigen::Vector2d(2.0, 1.5))
      .front()
      .length;
}

double refused_curvature() {
  return flatness_at(DoublePendulum().mechanism(), Eigen::Vector2d(0.1, 0.4)).largest;
}

/// The free motions of a body with equal moments of inertia are the double geodesics.
double double_geodesics(std::uint64_t seed) {
  const Mechanism m = rigid_body(1.0, {1, 1, 1});
  const Motion x = in_motion(m, m.random(seed), seed);
  const OwnedVector a = levi_civita(m)->acceleration(x.q, x.v);
  const Twist<double> V{Vector6<double>(x.v)};
  return relative_error(a, DoubleGeodesic::geodesic_rate(V).vector());
}

/// Free motions under loops, by their connection: P nabla, differenced, against the multipliers.
double constraint_geodesics(std::uint64_t seed) {
  const RandomMechanism r = random_mechanism(seed + 1, {.bodies = 4, .loops = 1, .properties = false});
  const auto connection = constrained_connection(r.mechanism, constraints_of(r.mechanism));
  const Motion x = in_motion(r.mechanism, r.q, seed);
  const OwnedVector v = connection->admissible(x.q, x.v);
  Christoffel gamma(r.mechanism.nv());
  connection->coefficients(x.q, gamma);
  return relative_error(-contract(gamma, v, v), connection->acceleration(x.q, v));
}

}  // namespace

std::vector<VerificationEntry> geometry_curvature() {
  constexpr const char* kTwo = "two routes";
  constexpr const char* kClosed = "closed form";
  const double plane = std::sqrt(2.0 * (1.0 + 2.25 - 3.0 * std::cos(2.0)));
  return {
      worst_entry(
          {"geometry.curvature_identities",
           "symmetries of R and Bianchi's first identity; random mechanisms of every joint type", kTwo, 1e-9},
          20, curvature_identities),
      worst_entry({"geometry.jacobi_equation", "Jacobi fields by the variational equations against R(w, v) v",
                   kTwo, 2e-4},
                  6, jacobi_equation),
      worst_entry({"geometry.geodesics_are_free_motions",
                   "ZB (17) with F = 0 against the simulator without gravity (radau), 0.5 s", kTwo, 1e-10},
                  8, free_motion),
      worst_entry(
          {"geometry.geodesic_energy", "ZB 2.4: kinetic energy is constant along a geodesic", kClosed, 1e-10},
          8, geodesic_energy),
      worst_entry({"geometry.transport_keeps_metric", "Levi-Civita: parallel transport is an isometry",
                   kClosed, 1e-9},
                  6, transport_keeps_metric),
      worst_entry({"geometry.constraint_connection", "ZB (26), (27) against multipliers, loops", kTwo, 1e-6},
                  4, constraint_geodesics),
      worst_entry({"geometry.double_pendulum_gauss",
                   "Brioschi: b cos q2 (a d - b^2) / (a d - b^2 cos^2 q2)^2", kClosed, 1e-10},
                  8, pendulum_curvature),
      worst_entry({"geometry.rigid_body_milnor",
                   "Milnor 1976, curvatures of left-invariant metrics: SO(3) with any moments of inertia",
                   kClosed, 1e-11},
                  8, milnor_curvature),
      number_entry(
          {"geometry.rotations_quarter", "SO(3) with unit inertia is a sphere of radius 2", kClosed, 1e-12},
          0.25, rotation_curvature),
      number_entry({"geometry.conjugate_point",
                    "on SO(3) with unit inertia: after pi over the root of 1/4 at unit speed", kClosed, 1e-6},
                   2.0 * std::numbers::pi, conjugate_time),
      number_entry({"geometry.constant_metric_flat", "AL II.A: a chain with constant M has no curvature",
                    kClosed, 1e-12},
                   0.0, constant_metric_curvature),
      number_entry(
          {"geometry.flat_coordinates",
           "AL (9)-(11): a point mass in polar coordinates, straight distance times the root of its mass",
           kClosed, 1e-9},
          plane, flat_length),
      number_entry({"geometry.geodesic_between",
                    "the same distance as the shortest geodesic between the two places", kClosed, 1e-9},
                   plane, between_on_the_plane),
      number_entry(
          {"geometry.curvature_where_refused", "double pendulum at q2 = 0.4, Brioschi", kClosed, 1e-11},
          DoublePendulum().curvature(0.4), refused_curvature),
      worst_entry(
          {"geometry.double_geodesic",
           "AL (18), left side: ad*_V V of the double-geodesic metric against free motions", kClosed, 1e-12},
          6, double_geodesics),
  };
}

}  // namespace amble
