#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "amble/base/random.hpp"
#include "amble/contact/collide.hpp"
#include "amble/contact/contact_tracker.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/contact/shape_pair.hpp"
#include "amble/verify/contact/parts.hpp"
#include "amble/verify/evidence.hpp"

namespace amble {

namespace {

using V = Vector3<double>;
const LinkFrame kFirst{0, Pose()}, kSecond{1, Pose()};
const V kAxes(0.5, 0.3, 0.2);

V draw(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}
V draw_direction(Random& random) { return V(random.normal(), random.normal(), random.normal()).normalized(); }
Pose draw_pose(Random& random, double away) {
  return Pose(SO3<double>::exp(draw(random, 3.0)), draw(random, away));
}

/// A frame that turns and goes at constant speed.
struct Moving {
  Pose start;
  V omega, v;
  FrameMotion at(double t) const {
    return {(SO3<double>::exp(t * omega) * start.rotation()).matrix(), start.translation() + t * v, omega, v};
  }
};
Moving draw_moving(Random& random, const Pose& start) {
  return {start, draw(random, 1.0), draw(random, 1.0)};
}

/// Of order 8.
template <class F>
auto slope_of(F f, double h) {
  const double w[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  std::decay_t<decltype(f(h))> out = w[0] / h * (f(h) - f(-h));
  for (int k = 2; k <= 4; ++k) out += w[k - 1] / h * (f(k * h) - f(-k * h));
  return out;
}

/// All of a ContactMotion in one vector, so that errors are of one kind.
using Rates = Eigen::Matrix<double, 10, 1>;
Rates rates_by_differences(const ContactPair& pair, const Moving& a, const Moving& b, double h) {
  return slope_of(
      [&](double t) -> Rates {
        const ContactPoint at = pair.nearest(a.at(t), b.at(t));
        return (Rates() << at.p_a, at.p_b, at.normal, at.distance).finished();
      },
      h);
}
double motion_error(const ContactPair& pair, const Moving& a, const Moving& b, double h) {
  const ContactMotion m = pair.motion(pair.nearest(a.at(0.0), b.at(0.0)), a.at(0.0), b.at(0.0));
  const Rates exact = (Rates() << m.p_a_dot, m.p_b_dot, m.normal_dot, m.distance_rate).finished();
  return relative_error(exact, rates_by_differences(pair, a, b, h));
}

/// Upright to 45 degrees, so that no rim lies flat.
Pose above(Random& random, const Pose& X_WA) {
  const SO3<double> leaning =
      SO3<double>::exp({0.25 * std::numbers::pi + random.uniform(0.2, 0.9), 0.0, 0.0});
  return X_WA * Pose(SO3<double>::exp({0.0, 0.0, random.uniform(-3.0, 3.0)}) * leaning,
                     V(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(0.1, 0.7)));
}

double tip_error(std::uint64_t seed, bool waves) {
  Random random(seed);
  const Moving a = draw_moving(random, draw_pose(random, 1.0)),
               b = draw_moving(random, above(random, a.start));
  const GroundPtr ground = sine_ground({.amplitude = 0.05, .frequency = 0.4, .direction_deg = 90.0});
  double worst = 0.0;
  for (const Tip& tip :
       {point_tip(), sphere_tip(0.3), disc_tip(0.4), ellipse_tip(0.4, 0.2), ellipsoid_tip(kAxes)}) {
    const ContactPairPtr pair = waves ? tip_on_ground_pair("foot", kFirst, ground, kSecond, tip)
                                      : tip_on_plane_pair("foot", kFirst, kSecond, tip);
    worst = std::max(worst, motion_error(*pair, a, b, 2e-3));
  }
  return worst;
}

/// DS (3.3), (3.7) and the distance h - |S z| of an ellipsoid.
double book_points_error(std::uint64_t seed) {
  Random random(seed);
  const Moving a = draw_moving(random, draw_pose(random, 1.0)),
               b = draw_moving(random, draw_pose(random, 1.0));
  const SO3<double> R = b.start.rotation().inverse() * a.start.rotation();
  const V x = R * V::UnitX(), y = R * V::UnitY(), z = R * V::UnitZ();
  const V disc = -0.4 / std::hypot(z.x(), z.y()) * V(z.x(), z.y(), 0.0);
  const V egg = kAxes.cwiseProduct(y.cwiseQuotient(kAxes).cross(x.cwiseQuotient(kAxes)).normalized());
  const ContactPoint on_disc = disc_on_plane_pair("", kFirst, kSecond, 0.4)->nearest(a.at(0.0), b.at(0.0));
  const ContactPoint on_egg =
      ellipsoid_on_plane_pair("", kFirst, kSecond, kAxes)->nearest(a.at(0.0), b.at(0.0));
  const double height = (a.start.inverse() * b.start).translation().z() - kAxes.cwiseProduct(z).norm();
  return std::max({(on_disc.p_b - b.start * disc).norm(), (on_egg.p_b - b.start * egg).norm(),
                   std::abs(on_egg.distance - height)});
}

/// The printed g* of DS (3.11) against ours: the y entry with its sign turned, the z entry as it is.
double sine_floor_error(std::uint64_t seed) {
  Random random(seed);
  const double A = 0.1, w = 2.0 * std::numbers::pi * 0.7, y = random.uniform(-1.0, 1.0);
  const SurfaceJet at = sine_surface(A, 0.7, 2.0).at({0, {0.4, y}});
  const double root = std::pow(1.0 + std::pow(A * w * std::cos(w * y), 2), 1.5);
  const V printed = A * w * w / root * V(0.0, -std::sin(w * y), 0.5 * w * A * std::sin(2.0 * w * y));
  const V differences = slope_of(
      [&](double t) -> V {
        return sine_surface(A, 0.7, 2.0).at({0, {0.4, y + t}}).g;
      },
      1e-3);
  return std::max({(differences - at.g_u.col(1)).norm(), std::abs(at.g_u(1, 1) + printed.y()),
                   std::abs(at.g_u(2, 1) - printed.z())});
}

/// Coordinates of the nearest points: DS Theorem 3.7 against differences of places that Newton's method
/// seats.
double theorem_error(std::uint64_t seed) {
  Random random(seed);
  const ParametricSurface egg = ellipsoid_surface(kAxes);
  const std::vector<ParametricSurface> below{plane_surface(2.0), sine_surface(0.05, 0.4, 2.0),
                                             torus_surface(0.8, 0.5)};
  const ParametricSurface& base = below[seed % below.size()];
  const Pose X_AB(
      SO3<double>::exp(draw(random, 3.0)),
      seed % 3 == 2 ? V(0.8, 0.1, 1.05) : V(random.uniform(-0.3, 0.3), 0.2, seed % 2 ? 0.6 : 0.15));
  const V omega = draw(random, 1.0), v = draw(random, 1.0);
  const ContactPlaces at = search_contact(base, egg, X_AB);
  const auto seated = [&](double t) {
    ContactPlaces now = at;
    const bool settled = seat_contact(
        base, egg, Pose(SO3<double>::exp(t * omega) * X_AB.rotation(), X_AB.translation() + t * v), now);
    Eigen::Matrix<double, 5, 1> out;
    out << now.a.u, now.b.u, now.distance;
    return settled ? out : Eigen::Matrix<double, 5, 1>(out * std::nan(""));
  };
  const ContactRates rates =
      contact_rates(base.at(at.a), egg.at(at.b),
                    {X_AB, Twist<double>(v - cross<double>(omega, X_AB.translation()), omega)});
  return relative_error((Eigen::Matrix<double, 5, 1>() << rates.u_a, rates.u_b, rates.distance).finished(),
                        slope_of(seated, 1e-3));
}

/// An ellipsoid rolls over waves for `length` seconds: its points followed by Theorem 3.7 alone, against the
/// direct pair.
double rolling_error() {
  const ParametricSurface floor = sine_surface(0.04, 0.35, 4.0), egg = ellipsoid_surface(kAxes);
  const GroundPtr ground = sine_ground({.amplitude = 0.04, .frequency = 0.35, .direction_deg = 90.0});
  const ContactPairPtr direct = tip_on_ground_pair("egg", kFirst, ground, kSecond, ellipsoid_tip(kAxes));
  const auto omega = [](double t) { return V(-1.2 + 0.3 * std::sin(t), 0.4 * std::cos(0.7 * t), 0.2); };
  Pose X(SO3<double>::exp({0.3, -0.2, 0.1}), V(0.0, 0.0, 0.5));
  ContactPlaces at = search_contact(floor, egg, X);
  X = Pose(X.rotation(), X.translation() - at.distance * floor.at(at.a).g);
  double worst = seat_contact(floor, egg, X, at) ? 0.0 : std::nan("");
  const auto step = [&](const Pose& from, const ContactPlaces& places, const Pose& where,
                        const ContactPlaces& there, double t, double h) {
    const V w = omega(t), p = where.translation(), v = cross<double>(w, p - floor.at(there.a).f);
    const ContactRates u =
        contact_rates(floor.at(there.a), egg.at(there.b), {where, Twist<double>(v - cross<double>(w, p), w)});
    ContactPlaces to = places;
    to.a.u += h * u.u_a, to.b.u += h * u.u_b;
    return std::pair(Pose(SO3<double>::exp(h * w) * from.rotation(), from.translation() + h * v), to);
  };
  constexpr double h = 1e-4;
  for (int i = 0; i < 40000; ++i) {
    const auto [X_half, at_half] = step(X, at, X, at, i * h, 0.5 * h);
    const auto [X_next, at_next] = step(X, at, X_half, at_half, (i + 0.5) * h, h);
    X = X_next, at = at_next;
    at.b = egg.better(at.b);
    if (i % 1000 == 0 && !seat_contact(floor, egg, X, at)) return std::nan("");
    if (i % 1000 != 500) continue;
    FrameMotion world, body;
    body.R = X.rotation().matrix(), body.p = X.translation();
    const ContactPoint there = direct->nearest(world, body);
    worst = std::max({worst, (there.p_a - floor.at(at.a).f).norm(), (there.p_b - X * egg.at(at.b).f).norm()});
  }
  return worst;
}

CollisionShape draw_shape(Random& random) {
  const auto size = [&] { return random.uniform(0.3, 1.0); };
  switch (random.integer(0, 5)) {
    case 0:
      return sphere_shape(0.5 * size());
    case 1:
      return capsule_shape(0.4 * size(), size());
    case 2:
      return box_shape({size(), size(), size()});
    case 3:
      return cylinder_shape(0.5 * size(), size());
    case 4:
      return ellipsoid_shape({0.5 * size(), 0.5 * size(), 0.5 * size()});
    default:
      break;
  }
  std::vector<V> points;
  for (int i = 0; i < 12; ++i) points.push_back(draw(random, 0.5));
  return mesh_shape(std::make_shared<ConvexMesh>(points));
}

/// Two ellipsoids: followed by the theorem, and found by FCL and settled.
double ellipsoids_error(std::uint64_t seed) {
  Random random(seed);
  const V other(0.6, 0.5, 0.4);
  const ContactPairPtr library =
      shape_pair("eggs", kFirst, ellipsoid_shape(other), kSecond, ellipsoid_shape(kAxes));
  const Moving a = draw_moving(random, draw_pose(random, 0.1));
  Moving b = draw_moving(random, Pose(SO3<double>::exp(draw(random, 3.0)), V(1.2 * draw_direction(random))));
  b.v = a.v;
  const auto motion = [&](double t) { return relative_motion(a.at(t), b.at(t)); };
  ContactTracker tracker(ellipsoid_surface(other), ellipsoid_surface(kAxes));
  tracker.start(motion(0.0).X_AB);
  tracker.follow(motion, 0.0, 0.5);
  const ContactPoint mine = tracker.point(motion(0.5).X_AB), found = library->nearest(a.at(0.5), b.at(0.5));
  const Pose X_WA(SO3<double>(a.at(0.5).R), a.at(0.5).p);
  return std::max((X_WA * mine.p_a - found.p_a).norm(), (X_WA * mine.p_b - found.p_b).norm());
}

/// Two convex bodies of any kind: velocities of their nearest points. Apart, and where the same corners,
/// edges and faces meet all the while.
double shapes_error(std::uint64_t seed) {
  Random random(seed);
  const ContactPairPtr pair = shape_pair("pair", kFirst, draw_shape(random), kSecond, draw_shape(random));
  const Moving a = draw_moving(random, draw_pose(random, 0.3)),
               b = draw_moving(random,
                               Pose(SO3<double>::exp(draw(random, 3.0)), V(1.8 * draw_direction(random))));
  const double h = 1e-5;
  const auto normal = [&](double t) -> V { return pair->nearest(a.at(t), b.at(t)).normal; };
  if ((normal(4 * h) - 2.0 * normal(0.0) + normal(-4 * h)).norm() > 200.0 * 16 * h * h) return 0.0;
  return motion_error(*pair, a, b, h);
}

/// Time stepping's points against those of the pair: the deepest is as deep.
double manifold_error(std::uint64_t seed) {
  Random random(seed);
  const CollisionShape a = draw_shape(random), b = draw_shape(random);
  const Pose X_WA = draw_pose(random, 0.2),
             X_WB(SO3<double>::exp(draw(random, 3.0)), V(0.9 * draw_direction(random)));
  FrameMotion on_a, on_b;
  on_a.R = X_WA.rotation().matrix(), on_a.p = X_WA.translation();
  on_b.R = X_WB.rotation().matrix(), on_b.p = X_WB.translation();
  const double distance = shape_pair("pair", kFirst, a, kSecond, b)->nearest(on_a, on_b).distance,
               margin = 0.05;
  ContactManifold manifold;
  collide(a, X_WA, b, X_WB, margin, manifold);
  if (distance > 0.99 * margin) return 0.0;
  if (manifold.count == 0) return std::nan("");
  double least = manifold.points[0].distance;
  for (int i = 1; i < manifold.count; ++i) least = std::min(least, manifold.points[i].distance);
  return std::abs(least - distance) / (1e-3 + std::abs(distance));
}

}  // namespace

std::vector<VerificationEntry> contact_kinematics() {
  return {
      worst_entry({"contact.direct_points", "DS (3.3), (3.7) and h - |S z|: disc and ellipsoid over a plane",
                   "closed form", 1e-12},
                  200, book_points_error),
      worst_entry(
          {"contact.direct_velocities",
           "DS Examples 3.1-3.4 over a plane that moves: velocities against differences", "two routes", 1e-8},
          100, [](std::uint64_t seed) { return tip_error(seed, false); }),
      worst_entry(
          {"contact.wave_velocities", "the same over the waves of DS Example 3.5", "two routes", 1e-8}, 50,
          [](std::uint64_t seed) { return tip_error(seed, true); }),
      worst_entry({"contact.sine_floor", "DS (3.10), (3.11) with the sign of its y entry turned",
                   "closed form", 1e-9},
                  50, sine_floor_error),
      worst_entry({"contact.theorem_3_7", "DS Theorem 3.7: coordinates of nearest points against differences",
                   "two routes", 1e-8},
                  30, theorem_error),
      worst_entry(
          {"contact.rolling_ellipsoid",
           "an ellipsoid rolls on waves: DS Theorem 3.7 against the direct pair (m)", "two routes", 1e-8},
          1, [](std::uint64_t) { return rolling_error(); }),
      worst_entry(
          {"contact.tracked_ellipsoids",
           "two ellipsoids: DS Theorem 3.7 against FCL, settled by Newton's method (m)", "two routes", 1e-8},
          10, ellipsoids_error),
      worst_entry({"contact.shape_velocities", "any two convex bodies apart: velocities against differences",
                   "two routes", 1e-8},
                  100, shapes_error),
      worst_entry({"contact.manifolds",
                   "points for time stepping: the deepest against the signed distance (of it, and 1 mm)",
                   "two routes", 3e-3},
                  300, manifold_error),
  };
}

}  // namespace amble
