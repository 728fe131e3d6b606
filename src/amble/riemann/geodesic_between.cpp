#include "amble/riemann/geodesic_between.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/riemann/broken_geodesic.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;

/// Places at equal times on the way q0, (middle,) q1, straight along the groups of the joints.
std::vector<OwnedVector> places_on_the_way(const Mechanism& m, const std::vector<OwnedVector>& corners,
                                           int segments) {
  const int legs = static_cast<int>(corners.size()) - 1;
  std::vector<OwnedVector> places;
  for (int i = 0; i < segments; ++i) {
    const double s = static_cast<double>(i * legs) / segments;
    const int leg = static_cast<int>(s);
    places.push_back(m.integrate(corners[leg], (s - leg) * m.difference(corners[leg], corners[leg + 1])));
  }
  places.push_back(corners.back());
  return places;
}

/// Downhill by Newton's method, the second derivative made positive where it is not.
Eigen::VectorXd downhill(const BrokenGeodesic& path, double& shift) {
  const Dense H = 0.5 * (path.second() + path.second().transpose());
  for (;; shift = std::max(4.0 * shift, 1e-3)) {
    const Eigen::LLT<Dense> factor(H + shift * path.metric());
    if (factor.info() == Eigen::Success) return -factor.solve(path.slope());
  }
}

/// Goes down by at most the whole of `x`; false when no part of it does.
bool step_down(BrokenGeodesic& path, const Eigen::VectorXd& x) {
  const double start = path.energy(), gain = -path.slope().dot(x);
  double share = 1.0;
  for (int halvings = 0; halvings < 12; ++halvings, share *= 0.5)
    if (path.move(share * x, start - 1e-4 * share * gain + 1e-13 * start)) return true;
  return false;
}

/// Eigenvalues of the second variation in the metric: the lowest with its direction, and how many are
/// negative.
struct SecondVariation {
  double least = 0.0;
  int negative = 0;
  Eigen::VectorXd direction;
};

SecondVariation second_variation(const BrokenGeodesic& path) {
  const Dense H = 0.5 * (path.second() + path.second().transpose());
  const Eigen::GeneralizedSelfAdjointEigenSolver<Dense> eigen(H, path.metric());
  const auto& values = eigen.eigenvalues();
  return {values[0], static_cast<int>((values.array() < -1e-9).count()), eigen.eigenvectors().col(0)};
}

/// From a saddle, the way down to both sides; the first that leads down.
bool leave_saddle(BrokenGeodesic& path, const Eigen::VectorXd& direction) {
  const double below = path.energy() * (1.0 - 1e-9);
  for (double size : {0.3, -0.3, 0.03, -0.03})
    if (path.move(size * std::sqrt(2.0 * path.energy()) * direction, below)) return true;
  return false;
}

GeodesicBetween report_of(const Mechanism& m, const BrokenGeodesic& path, const BetweenOptions& options) {
  GeodesicBetween out;
  out.q1 = path.places().back();
  out.v0 = path.velocities().front();
  out.energy = path.energy();
  out.length = std::sqrt(2.0 * path.energy());
  out.kink = path.kink();
  const SecondVariation second = second_variation(path);
  out.least_eigenvalue = second.least;
  out.index = second.negative;
  out.segments = path.segments();
  const auto connection = levi_civita(m);
  const GeodesicEnd end = geodesic_end(*connection, path.places().front(), out.v0, 1.0, options.tolerance);
  out.miss = m.difference(end.q, out.q1).norm();
  return out;
}

GeodesicBetween pull_tight(const Mechanism& m, BrokenGeodesic& path, const BetweenOptions& options) {
  double shift = 0.0;
  int iteration = 0;
  for (; iteration < options.most_iterations; ++iteration) {
    if (path.kink() <= 10.0 * options.tolerance) {
      const SecondVariation second = second_variation(path);
      if (second.negative == 0 || !leave_saddle(path, second.direction)) break;
    }
    const Eigen::VectorXd x = downhill(path, shift);
    if (!step_down(path, x)) break;
    shift = shift < 1e-6 ? 0.0 : 0.25 * shift;
  }
  GeodesicBetween out = report_of(m, path, options);
  out.iterations = iteration;
  out.converged = out.kink <= 1e3 * options.tolerance;
  return out;
}

/// A path whose segments close, in as many as that takes.
std::unique_ptr<BrokenGeodesic> closed_path(const Mechanism& m, const std::vector<OwnedVector>& corners,
                                            const BetweenOptions& options) {
  for (int segments = options.segments; segments <= options.most_segments; segments *= 2) {
    auto path =
        std::make_unique<BrokenGeodesic>(m, places_on_the_way(m, corners, segments), options.tolerance);
    if (path->closed()) return path;
  }
  return nullptr;
}

/// Coordinates that come back after a turn: where they stand in q.
std::vector<int> turning_coordinates(const Mechanism& m) {
  std::vector<int> out;
  for (const Joint& joint : m.joints())
    if (joint.link >= 0 && joint.leader < 0 && joint.kind == kJointKind<Revolute> &&
        std::isinf(m.lower()[joint.q.start]) && std::isinf(m.upper()[joint.q.start]))
      out.push_back(joint.q.start);
  return out;
}

std::vector<OwnedVector> wound_ends(const Mechanism& m, const OwnedVector& q1, int windings) {
  constexpr std::size_t kMost = 729;
  std::vector<OwnedVector> ends{q1};
  if (windings == 0) return ends;
  for (int coordinate : turning_coordinates(m)) {
    const std::vector<OwnedVector> before = ends;
    for (int turns = -windings; turns <= windings; ++turns)
      for (OwnedVector end : before) {
        end[coordinate] += 2.0 * std::numbers::pi * turns;
        if (turns != 0) ends.push_back(end);
      }
    if (ends.size() > kMost)
      throw Error(fmt::format("{} windings make more than {} ends: too many to try", windings, kMost));
  }
  return ends;
}

OwnedVector place_beside(const Mechanism& m, const OwnedVector& q0, const OwnedVector& q1, double spread,
                         Random& random) {
  OwnedVector aside(m.nv());
  for (int i = 0; i < m.nv(); ++i) aside[i] = spread * random.normal();
  return m.integrate(m.integrate(q0, 0.5 * m.difference(q0, q1)), aside);
}

void keep_if_new(std::vector<GeodesicBetween>& found, GeodesicBetween&& one) {
  const auto same = [&](const GeodesicBetween& other) {
    return other.converged == one.converged && (other.q1 - one.q1).norm() < 1e-9 &&
           (other.v0 - one.v0).norm() < 1e-5 * (1.0 + one.v0.norm());
  };
  if (std::none_of(found.begin(), found.end(), same)) found.push_back(std::move(one));
}

void check_options(const BetweenOptions& o) {
  if (o.segments < 2 || o.most_segments < o.segments)
    throw Error(fmt::format("segments is {} and most_segments {}: expected 2 <= segments <= most_segments",
                            o.segments, o.most_segments));
  if (o.starts < 1 || o.windings < 0)
    throw Error("a geodesic between configurations needs one start at least, and no negative windings");
  if (!(o.tolerance > 0.0)) throw Error("the tolerance of a geodesic is a positive number");
}

}  // namespace

std::vector<GeodesicBetween> geodesics_between(const Mechanism& m, const VectorRef& q0, const VectorRef& q1,
                                               const BetweenOptions& options) {
  check_options(options);
  const OwnedVector from = m.checked_configuration(q0), to = m.checked_configuration(q1);
  Random random(options.seed);
  std::vector<GeodesicBetween> found;
  for (const OwnedVector& end : wound_ends(m, to, options.windings))
    for (int start = 0; start < options.starts; ++start) {
      std::vector<OwnedVector> corners{from, end};
      if (start > 0) corners.insert(corners.begin() + 1, place_beside(m, from, end, options.spread, random));
      if (const auto path = closed_path(m, corners, options))
        keep_if_new(found, pull_tight(m, *path, options));
    }
  if (found.empty())
    throw Error(fmt::format("no geodesic of '{}' found: the way cannot be cut into {} pieces that close",
                            m.name(), options.most_segments));
  std::sort(found.begin(), found.end(), [](const GeodesicBetween& a, const GeodesicBetween& b) {
    return a.converged != b.converged ? a.converged : a.length < b.length;
  });
  return found;
}

}  // namespace amble
