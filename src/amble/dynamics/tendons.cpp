#include "amble/dynamics/tendons.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/workspace_memory.hpp"
#include "amble/mechanism/tendon_path.hpp"

namespace amble {

namespace {

Pose pose_of(const Workspace::Memory& x, int link) {
  return link == 0 ? Pose() : x.X_WL[static_cast<std::size_t>(link)];
}

TendonStop stop_of(const Workspace::Memory& x, const Tendon::Point& p) {
  if (p.kind == TendonPoint::Kind::pulley)
    return {.kind = p.kind, .X_WP = {}, .divisor = p.divisor, .side = {}};
  TendonStop out{p.kind, p.link, pose_of(x, p.link) * p.X_LP, p.radius, 1.0, {}};
  if (p.side_link >= 0) out.side = pose_of(x, p.side_link) * p.side;
  return out;
}

void add_slope(const Mechanism& m, Workspace& work, const TendonPiece& piece, double* slope) {
  const Vector3<double> way = piece.b - piece.a;
  const double length = way.norm();
  if (piece.body_a == piece.body_b || length == 0.0) return;
  const Vector3<double> u = way / length;
  const int common = common_link(m, piece.body_a, piece.body_b);
  add_link_force(m, work, {.link = piece.body_b, .force = u, .point = piece.b}, common, piece.share, slope);
  add_link_force(m, work, {.link = piece.body_a, .force = u, .point = piece.b}, common, -piece.share, slope);
}

double measure(const Mechanism& m, Workspace& work, const Tendon& t, double* slope) {
  const Workspace::Memory& x = work.memory();
  if (slope != nullptr) std::fill_n(slope, m.nv(), 0.0);
  double length = t.offset;
  for (const Tendon::Term& term : t.terms) {
    length += term.coefficient * x.q[term.q];
    if (slope != nullptr) slope[term.v] += term.coefficient;
  }
  return length + tendon_path_length(
                      t.path.size(), [&](std::size_t i) { return stop_of(x, t.path[i]); },
                      [&](const TendonPiece& piece) {
                        if (slope != nullptr) add_slope(m, work, piece, slope);
                      });
}

const Tendon& checked_tendon(const Mechanism& m, int tendon) {
  if (tendon < 0 || tendon >= static_cast<int>(m.tendons().size()))
    throw Error(
        fmt::format("'{}' has {} tendons, so none has the number {}", m.name(), m.tendons().size(), tendon));
  return m.tendons()[static_cast<std::size_t>(tendon)];
}

}  // namespace

double tendon_length(const Mechanism& m, Workspace& work, const VectorRef& q, int tendon, double* slope) {
  const Tendon& t = checked_tendon(m, tendon);
  forward_kinematics(m, work, q);
  return measure(m, work, t, slope);
}

double placed_tendon_length(const Mechanism& m, Workspace& work, int tendon, double* slope) {
  return measure(m, work, checked_tendon(m, tendon), slope);
}

OwnedVector tendon_lengths(const Mechanism& m, Workspace& work, const VectorRef& q) {
  forward_kinematics(m, work, q);
  OwnedVector out(static_cast<Eigen::Index>(m.tendons().size()));
  for (Eigen::Index i = 0; i < out.size(); ++i)
    out[i] = measure(m, work, m.tendons()[static_cast<std::size_t>(i)], nullptr);
  return out;
}

OwnedMatrix tendon_jacobian(const Mechanism& m, Workspace& work, const VectorRef& q) {
  forward_kinematics(m, work, q);
  OwnedMatrix out(static_cast<Eigen::Index>(m.tendons().size()), m.nv());
  OwnedVector row(m.nv());
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    measure(m, work, m.tendons()[static_cast<std::size_t>(i)], row.data());
    out.row(i) = row.transpose();
  }
  return out;
}

void add_link_force(const Mechanism& m, Workspace& work, const LinkForce& at, int until, double factor,
                    double* row) {
  const Workspace::Memory& x = work.memory();
  const Wrench<double> F(at.force, Vector3<double>(at.moment + cross<double>(at.point, at.force)));
  std::array<Twist<double>, 6> S;
  for (int i = at.link; i != until; i = m.links()[static_cast<std::size_t>(i)].parent) {
    const Link& link = m.links()[static_cast<std::size_t>(i)];
    joint_subspace(link, x.q.data(), S.data());
    for (int k = 0; k < link.v.size; ++k)
      row[link.v.start + k] +=
          factor * power(x.X_WL[static_cast<std::size_t>(i)] * S[static_cast<std::size_t>(k)], F);
  }
}

int common_link(const Mechanism& m, int a, int b) {
  while (a != b) {
    int& outer = a > b ? a : b;  // parents come before children
    outer = m.links()[static_cast<std::size_t>(outer)].parent;
  }
  return a;
}

}  // namespace amble
