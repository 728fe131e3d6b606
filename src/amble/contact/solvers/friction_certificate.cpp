#include "amble/contact/solvers/friction_certificate.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

const char* name_of(FrictionStatus status) {
  switch (status) {
    case FrictionStatus::solved:
      return "solved";
    case FrictionStatus::not_reached:
      return "not reached";
    case FrictionStatus::inconsistent:
      return "inconsistent";
  }
  return "";
}

namespace {

struct Row {
  double f, u, speed;  // speed: u + offset
};

/// The mean diagonal of a block in G; 1 where forces change nothing.
double mean_diagonal(const FrictionProblem& p, int i) {
  const FrictionBlock& b = p.block(i);
  double sum = 0.0;
  const double* number = p.numbers(i);
  for (int k = 0; k < b.rows * b.width; ++k) sum += number[k] * number[k];
  for (int r = b.row; r < b.row + b.rows; ++r) sum += p.compliance(r);
  return sum > 0.0 ? sum / b.rows : 1.0;
}

/// |f - max(0, f - speed / g)| g: zero where neither is negative and one is zero.
double signorini(const Row& n, double g) { return std::abs(std::min(n.f * g, n.speed)); }

double length(double x, double y) { return std::sqrt(x * x + y * y); }

void add_contact(const FrictionBlock& b, const Row* row, double g, FrictionCertificate& c, double& natural) {
  const Row &n = row[0], &s = row[1], &t = row[2];
  const double radius = b.coefficient * std::max(0.0, n.f), f_t = length(s.f, t.f), u_t = length(s.u, t.u);
  c.signorini = std::max(c.signorini, signorini(n, g));
  c.cone = std::max(c.cone, f_t - radius);
  c.dissipation = std::max(c.dissipation, length(s.f * u_t + radius * s.u, t.f * u_t + radius * t.u));
  const double z_s = s.f * g - s.u, z_t = t.f * g - t.u, z = length(z_s, z_t);
  const double share = z > radius * g ? radius * g / z : 1.0;
  natural = length(signorini(n, g), length(s.f * g - share * z_s, t.f * g - share * z_t));
}

void add_box(const FrictionBlock& b, const Row& row, double g, FrictionCertificate& c, double& natural) {
  c.cone = std::max(c.cone, std::abs(row.f) - b.coefficient);
  c.box = std::max(c.box, std::abs(row.f * std::abs(row.u) + b.coefficient * row.u));
  const double bound = b.coefficient * g;
  natural = std::abs(row.f * g - std::clamp(row.f * g - row.u, -bound, bound));
}

void add_block(const FrictionBlock& b, const Row* row, double g, FrictionCertificate& c, double& natural) {
  switch (b.kind) {
    case FrictionKind::contact:
      return add_contact(b, row, g, c, natural);
    case FrictionKind::box:
      return add_box(b, row[0], g, c, natural);
    case FrictionKind::unilateral:
      natural = signorini(row[0], g);
      c.signorini = std::max(c.signorini, natural);
      return;
    case FrictionKind::bilateral:
      for (int r = 0; r < b.rows; ++r) natural = std::max(natural, std::abs(row[r].speed));
      c.bilateral = std::max(c.bilateral, natural);
  }
}

}  // namespace

FrictionCertificate certify(const FrictionProblem& p, std::span<const double> forces,
                            std::span<double> velocities, std::span<double> y) {
  FrictionCertificate c;
  double scale = p.least_speed();
  std::fill(y.begin(), y.end(), 0.0);
  for (int i = 0; i < p.blocks(); ++i) p.add_forces(p.block(i), forces.data() + p.block(i).row, y.data());
  for (int i = 0; i < p.blocks(); ++i) {
    const FrictionBlock& b = p.block(i);
    const double g = mean_diagonal(p, i);
    double* u = velocities.data() + b.row;
    p.velocities(b, y.data(), u);
    double natural = 0.0;
    for (int r = 0; r < b.rows; ++r) {
      const int k = b.row + r;
      const bool pushed = b.kind != FrictionKind::box && (b.kind != FrictionKind::contact || r == 0);
      u[r] += p.compliance(k) * forces[k] + p.w(k);
      c.work += forces[k] * u[r];
      scale = std::max(scale, std::abs(p.w(k) + (pushed ? p.offset(k) : 0.0)));
    }
    // Bilateral blocks have any number of rows: one at a time, they are independent of each other here.
    const int together = b.kind == FrictionKind::bilateral ? 1 : b.rows;
    for (int r = 0; r < b.rows; r += together) {
      Row row[3];
      for (int k = 0; k < together; ++k)
        row[k] = {forces[b.row + r + k], u[r + k], u[r + k] + (k == 0 ? p.offset(b.row + r) : 0.0)};
      FrictionBlock part = b;
      part.rows = together;
      double here = 0.0;
      add_block(part, row, g, c, here);
      natural = std::max(natural, here);
    }
    if (c.worst_block < 0 || natural > c.natural) c.worst_block = i, c.natural = natural;
  }
  c.residual = scale > 0.0 ? c.natural / scale : c.natural;
  return c;
}

FrictionCertificate certify(const FrictionProblem& p, std::span<const double> forces) {
  std::vector<double> velocities(p.rows()), y(p.dimension());
  return certify(p, forces, velocities, y);
}

}  // namespace amble
