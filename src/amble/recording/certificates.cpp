#include "amble/recording/certificates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/constraints/constrained_dynamics.hpp"

namespace amble {

namespace {

/// The worst value so far; one that is not a number stays.
void worsen(Certificate& c, double value, double t) {
  if (std::isnan(c.value) || value <= c.value) return;
  c.value = value, c.t = t;
}

double largest(const std::vector<double>& energies) {
  double most = 0.0;
  for (const double e : energies) most = std::max(most, std::abs(e));
  return most;
}

Certificate energy(const Recording& r, double bound) {
  const Ledger books = r.ledger();
  const double moving = largest(r.kinetic()), scale = std::max(books.exchanged, moving);
  // Heights are counted from anywhere: what they round to is no fault of the motion.
  const double rounding = 1e-12 * (moving + largest(r.potential()));
  Certificate c{.name = "energy", .unit = "relative", .bound = bound, .t = r.rows() == 0 ? 0.0 : r.t().back()};
  if (!(std::abs(books.residual()) <= rounding)) c.value = std::abs(books.residual()) / scale;
  return c;
}

Certificate manifold(const Recording& r, double bound) {
  Certificate c{.name = "manifold", .unit = "1", .bound = bound};
  for (const Joint& joint : r.mechanism().joints()) {
    if (joint.leader >= 0 || (joint.type != "free" && joint.type != "spherical")) continue;
    const int start = joint.q.start + joint.q.size - 4;
    for (Eigen::Index i = 0; i < r.rows(); ++i)
      worsen(c, std::abs(r.q().row(i).segment(start, 4).norm() - 1.0), r.t()[static_cast<std::size_t>(i)]);
  }
  return c;
}

/// |phi(q)| and |A v - b| at every state.
void add_constraints(const Recording& r, std::vector<ConstraintPtr> held, const CertificateBounds& bounds,
                     std::vector<Certificate>& out) {
  ConstrainedDynamics dynamics(r.mechanism(), std::move(held));
  Certificate places{.name = "constraints", .unit = "m, rad", .bound = bounds.constraints};
  Certificate rates{.name = "constraint rates", .unit = "m/s, rad/s", .bound = bounds.rates};
  for (Eigen::Index i = 0; i < r.rows(); ++i) {
    const double t = r.t()[static_cast<std::size_t>(i)];
    dynamics.set_time(t);
    dynamics.set_state(r.q().row(i).transpose(), r.v().row(i).transpose());
    worsen(places, dynamics.violation().lpNorm<Eigen::Infinity>(), t);
    worsen(rates, dynamics.velocity_error().lpNorm<Eigen::Infinity>(), t);
  }
  out.push_back(places), out.push_back(rates);
}

/// By how much a force pulls, or leaves its cone (N).
double beyond_cone(const double* row) {
  const Eigen::Map<const Eigen::Vector3d> force(row + 6), normal(row + 9);
  const double along = force.dot(normal), friction = row[12];
  const double across = (force - along * normal).norm();
  const double outside = std::isfinite(friction) ? across - friction * std::max(0.0, along) : 0.0;
  return std::max({0.0, -along, outside});
}

/// Nothing when no contact has a friction that is known; 0 stands for one that is not.
void add_cone(const Recording& r, double bound, std::vector<Certificate>& out) {
  Certificate c{.name = "contact forces", .unit = "relative", .bound = bound};
  double largest = 0.0;
  for (std::size_t i = 0; i < r.contacts().rows(); ++i) {
    const double* row = r.contacts().row(i);
    if (row[12] == 0.0) continue;
    largest = std::max(largest, Eigen::Map<const Eigen::Vector3d>(row + 6).norm());
    worsen(c, beyond_cone(row), row[0]);
  }
  if (largest == 0.0) return;
  c.value /= largest;
  out.push_back(c);
}

}  // namespace

void CertificateBounds::validate() const {
  for (const auto& [name, bound] : {std::pair{"energy", energy},
                                    {"manifold", manifold},
                                    {"constraints", constraints},
                                    {"rates", rates},
                                    {"cone", cone}})
    if (!(bound > 0.0)) throw Error(fmt::format("the bound '{}' is {}: expected more than 0", name, bound));
}

std::vector<Certificate> certificates(const Recording& r, const std::vector<ConstraintPtr>& further,
                                      const CertificateBounds& bounds) {
  bounds.validate();
  std::vector<Certificate> out{energy(r, bounds.energy), manifold(r, bounds.manifold)};
  std::vector<ConstraintPtr> held = constraints_of(r.mechanism());
  held.insert(held.end(), further.begin(), further.end());
  if (!held.empty()) add_constraints(r, std::move(held), bounds, out);
  add_cone(r, bounds.cone, out);
  return out;
}

std::vector<std::string> warnings(const std::vector<Certificate>& all) {
  std::vector<std::string> out;
  for (const Certificate& c : all)
    if (!c.holds())
      out.push_back(
          fmt::format("{}: {:.3g} ({}) at {:.6g} s, expected {:.3g} at most", c.name, c.value, c.unit, c.t, c.bound));
  return out;
}

}  // namespace amble
