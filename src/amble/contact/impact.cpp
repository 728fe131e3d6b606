#include "amble/contact/impact.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Solver = Eigen::CompleteOrthogonalDecomposition<Dense>;

constexpr double kRedundant = 1e-10;

Solver factored(const Dense& K) {
  Solver out;
  out.setThreshold(kRedundant);
  out.compute(K);
  return out;
}

/// An impact of contacts on what bilateral rows leave free.
class Impact {
 public:
  Impact(const Dense& inverse_mass, const ImpactRows& rows, const VectorRef& v)
      : rows_(rows), v_(v), u_before_(rows.contacts * v), C_(rows.held), J_(rows.contacts) {
    R_ = inverse_mass * C_.transpose(), X_ = inverse_mass * J_.transpose();
    if (C_.rows() > 0) held_ = factored(C_ * R_);
    hold();
    reach_ = C_.rows() > 0 ? Dense(X_ - R_ * held_.solve(C_ * X_)) : X_;
    const Dense G = J_ * reach_;
    G_ = 0.5 * (G + G.transpose());
    u_ = J_ * v_held_;
  }

  ImpactSolution solve(ImpactLaw law) const {
    ImpactSolution out = by(law);
    const double slack = 1e-12 * (1.0 + std::abs(energy_scale(out)));
    if (!restitution() || out.energy_lost >= -slack || !rows_.after.isZero(0.0)) return out;
    if (law == ImpactLaw::newton) {
      const double created = -out.energy_lost;
      out = by(ImpactLaw::poisson);
      out.note =
          fmt::format("Newton's law of restitution would create {:.3g} J here: Poisson's is used", created);
    }
    if (out.energy_lost < -slack) out = as_far_as_energy_lasts();
    return out;
  }

 private:
  int count() const { return static_cast<int>(rows_.surfaces.size()); }
  bool restitution() const {
    for (const auto& s : rows_.surfaces)
      if (s.restitution > 0.0) return true;
    return false;
  }
  double energy_scale(const ImpactSolution& s) const { return s.impulses.dot(u_before_); }

  void hold() {
    v_held_ = v_, r_ = Vector::Zero(C_.rows());
    if (C_.rows() == 0) return;
    const Vector change = rows_.after - C_ * v_;
    r_ = held_.solve(change);
    const double off = (C_ * R_ * r_ - change).norm();
    if (!(off <= 1e-8 * (1.0 + change.norm())))
      throw Error(
          fmt::format("the impulses of an event contradict each other: velocities stay off by {:.3g}", off));
    v_held_ += R_ * r_;
  }

  std::vector<FewContactsLaw> laws() const {
    std::vector<FewContactsLaw> out;
    for (const auto& s : rows_.surfaces) out.push_back({.friction = s.friction, .least = 0.0});
    return out;
  }

  bool found(const FewContactsSolution& s, const Vector& w) const {
    const double size = w.size() == 0 ? 0.0 : std::max(w.cwiseAbs().maxCoeff(), u_.cwiseAbs().maxCoeff());
    return s.residual <= 1e-7 * size;
  }

  FewContactsSolution contacts(const Vector& w, const std::vector<FewContactsLaw>& laws) const {
    FewContactsSolution out = solve_few_contacts(G_, w, laws);
    if (!found(out, w))
      throw Error(fmt::format(
          "no impulses of {} contacts were found that meet their laws: velocities stay off by {:.3g} m/s; "
          "contacts squeezed between others have none",
          count(), out.residual));
    return out;
  }

  ImpactSolution by(ImpactLaw law) const { return law == ImpactLaw::newton ? by_newton() : by_poisson(1.0); }

  ImpactSolution by_newton() const {
    Vector w = u_;
    for (int i = 0; i < count(); ++i)
      w[3 * i] += rows_.surfaces[i].restitution * std::min(0.0, u_before_[3 * i]);
    FewContactsSolution s = solve_few_contacts(G_, w, laws());
    if (found(s, w)) return finish(s.p, std::move(s.states), ImpactLaw::newton);
    ImpactSolution out = by_poisson(1.0);
    out.note = "no impulses give the speeds of Newton's law of restitution here: Poisson's is used";
    return out;
  }

  /// Pressed until nothing is approached, then pushed by `share` of what restitution has.
  ImpactSolution by_poisson(double share) const {
    FewContactsSolution pressed = contacts(u_, laws());
    if (!restitution()) return finish(pressed.p, std::move(pressed.states), ImpactLaw::poisson);
    std::vector<FewContactsLaw> pushing = laws();
    for (int i = 0; i < count(); ++i)
      pushing[i].least = rows_.surfaces[i].restitution * std::max(0.0, pressed.p[3 * i]);
    FewContactsSolution pushed = contacts(pressed.u, pushing);
    return finish(pressed.p + share * pushed.p,
                  share == 1.0 ? std::move(pushed.states) : std::move(pressed.states), ImpactLaw::poisson);
  }

  /// Energy is a parabola in the share of the push that is given back.
  ImpactSolution as_far_as_energy_lasts() const {
    double low = 0.0, high = 1.0;
    while (high - low > 1e-15) {
      const double share = 0.5 * (low + high);
      (by_poisson(share).energy_lost >= 0.0 ? low : high) = share;
    }
    ImpactSolution out = by_poisson(low);
    out.note = fmt::format(
        "friction and restitution would create energy here: contacts push back {:.4g} of it", low);
    return out;
  }

  ImpactSolution finish(const Vector& p, std::vector<ContactState> states, ImpactLaw law) const {
    ImpactSolution out;
    out.impulses = p, out.states = std::move(states), out.law = law;
    out.held_impulses = r_;
    if (C_.rows() > 0) out.held_impulses -= held_.solve(C_ * (X_ * p));
    out.v = v_held_ + reach_ * p;
    const Vector mean = 0.5 * (Vector(out.v) + v_);
    out.energy_lost = -p.dot(J_ * mean) - out.held_impulses.dot(C_ * mean);
    return out;
  }

  const ImpactRows& rows_;
  Vector v_, u_before_;
  Dense C_, J_, R_, X_, reach_,
      G_;  // R = M^-1 C^T, X = M^-1 J^T; reach is X less what the held rows give back
  Solver held_;
  Vector v_held_, r_, u_;
};

Dense stacked(const Dense& a, const Dense& b) {
  Dense out(a.rows() + b.rows(), std::max(a.cols(), b.cols()));
  if (a.rows() > 0) out.topRows(a.rows()) = a;
  if (b.rows() > 0) out.bottomRows(b.rows()) = b;
  return out;
}

/// The change of v, least in the metric M, by which rows v becomes zero.
Vector taken_by(const Dense& inverse_mass, const Dense& rows, const Vector& v) {
  if (rows.rows() == 0) return Vector::Zero(v.size());
  const Dense R = inverse_mass * rows.transpose();
  return -R * factored(rows * R).solve(rows * v);
}

Dense rows_of(const std::vector<ConstraintPtr>& constraints, const Mechanism& m, const VectorRef& q,
              const VectorRef& v, Vector* error = nullptr) {
  if (constraints.empty()) {
    if (error != nullptr) *error = Vector::Zero(0);
    return Dense(0, m.nv());
  }
  ConstrainedDynamics held(m, constraints);
  held.set_state(q, v);
  if (error != nullptr) *error = held.velocity_error();
  return held.A();
}

std::vector<ImpactContact> placed(const ConstraintKinematics& at, const std::vector<ContactSpec>& specs) {
  std::vector<ImpactContact> out;
  for (const ContactSpec& spec : specs) out.push_back(impact_contact(at, spec));
  return out;
}

ConstraintKinematics kinematics_at(const Mechanism& m, const VectorRef& q) {
  ConstraintKinematics at(m);
  at.set_state(q, OwnedVector(m.nv()));
  return at;
}

/// Rows that a plastic impact without slip holds.
Dense plastic_rows(const ConstraintKinematics& at, const std::vector<ImpactContact>& contacts) {
  Dense out(0, at.mechanism().nv());
  OwnedRowMatrix rows(3, at.mechanism().nv());
  for (const ImpactContact& c : contacts) {
    if (c.friction > 0.0 && !std::isinf(c.friction))
      throw Error(fmt::format(
          "impact_loss() is about contacts that hold or glide: expected a friction of 0 or infinity, got {}",
          c.friction));
    put_contact_rows(at, c.at, rows.data());
    out = stacked(out, rows.topRows(c.friction > 0.0 ? 3 : 1));
  }
  return out;
}

void check(const Mechanism& m, const VectorRef& v, const std::vector<ImpactContact>& contacts,
           const ImpactOptions& options) {
  m.check_velocity(v, "v");
  for (const ImpactContact& c : contacts) {
    if (!(c.friction >= 0.0))
      throw Error(fmt::format("a contact has a friction of {}: expected 0 or more", c.friction));
    if (!(c.restitution >= 0.0 && c.restitution <= 1.0))
      throw Error(fmt::format("a contact has a restitution of {}: expected 0 to 1", c.restitution));
    if (!c.at.p_b.allFinite() || !(std::abs(c.at.normal.norm() - 1.0) < 1e-9))
      throw Error("a contact has a point or unit normal that is none");
  }
  if (options.play.rows() > 0 && options.play.cols() != m.nv())
    throw Error(fmt::format("rows of play have {} numbers: expected {}", options.play.cols(), m.nv()));
  if (!(options.play_share >= 0.0 && options.play_share <= 1.0))
    throw Error(fmt::format("the share that play takes is {}: expected 0 to 1", options.play_share));
}

/// Takes what play sees of `v`, and returns the energy of that.
double lose_in_play(const Dense& inverse_mass, const ImpactRows& rows, const ImpactSolution& s,
                    const ImpactOptions& options, Vector& v) {
  if (options.play.rows() == 0) return 0.0;
  Dense closed = rows.held;
  for (std::size_t i = 0; i < s.states.size(); ++i)
    if (s.states[i] != ContactState::open)
      closed =
          stacked(closed, rows.contacts.middleRows(3 * i, s.states[i] == ContactState::sticking ? 3 : 1));
  // Within what the closed contacts allow: both rows at once, but those of contacts are at rest already.
  const Vector taken = options.play_share * taken_by(inverse_mass, stacked(closed, options.play), v);
  const Dense M = inverse_mass.inverse();
  const double lost = -taken.dot(M * (v + 0.5 * taken));
  v += taken;
  return lost;
}

}  // namespace

ImpactLaw impact_law(std::string_view name) {
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson})
    if (name == name_of(law)) return law;
  throw Error(fmt::format("the law of restitution is '{}': expected newton or poisson", name));
}
const char* name_of(ImpactLaw law) { return law == ImpactLaw::newton ? "newton" : "poisson"; }

ImpactContact impact_contact(const ConstraintKinematics& at, const ContactSpec& spec) {
  return {.at = contact_point(at, spec), .friction = spec.friction, .restitution = spec.restitution};
}

ImpactSolution solve_impact(const Eigen::Ref<const Dense>& inverse_mass, const ImpactRows& rows,
                            const VectorRef& v, ImpactLaw law) {
  return Impact(inverse_mass, rows, v).solve(law);
}

ImpactResult impact(const Mechanism& m, const VectorRef& q, const VectorRef& v,
                    const std::vector<ImpactContact>& contacts, const ImpactOptions& options) {
  check(m, v, contacts, options);
  ConstraintKinematics at = kinematics_at(m, q);
  ImpactRows rows;
  Vector error;
  rows.held = rows_of(options.constraints, m, q, v, &error);
  rows.after = rows.held * v - error;
  rows.contacts = OwnedRowMatrix(3 * contacts.size(), m.nv());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    put_contact_rows(at, contacts[i].at, rows.contacts.data() + 3 * i * m.nv());
    rows.surfaces.push_back({contacts[i].friction, contacts[i].restitution});
  }
  const Dense inverse_mass = inverse_mass_matrix(m, at.workspace(), q);
  const ImpactSolution s = solve_impact(inverse_mass, rows, v, options.law);
  ImpactResult out{.v = s.v,
                   .impulses = {},
                   .states = s.states,
                   .energy_lost = s.energy_lost,
                   .law = s.law,
                   .note = s.note};
  for (std::size_t i = 0; i < contacts.size(); ++i)
    out.impulses.push_back(contact_axes(contacts[i].at.normal) *
                           Vector3<double>(s.impulses.segment<3>(3 * i)));
  Vector after = s.v;
  out.lost_in_play = lose_in_play(inverse_mass, rows, s, options, after);
  out.v = after;
  return out;
}

ImpactResult impact(const Mechanism& m, const VectorRef& q, const VectorRef& v,
                    const std::vector<ContactSpec>& contacts, const ImpactOptions& options) {
  return impact(m, q, v, placed(kinematics_at(m, q), contacts), options);
}

OwnedVector impact_between(const Eigen::Ref<const Dense>& inverse_mass, const OwnedRowMatrix& at,
                           const OwnedRowMatrix& after, const VectorRef& v, double restitution) {
  if (!(restitution >= 0.0 && restitution <= 1.0))
    throw Error(fmt::format("an impact has a restitution of {}: expected 0 to 1", restitution));
  Vector out = v;
  out += (1.0 + restitution) * taken_by(inverse_mass, at, out);
  out += taken_by(inverse_mass, after, out);
  return OwnedVector(out);
}

ImpactLoss impact_loss(const Mechanism& m, const VectorRef& q, const std::vector<ImpactContact>& contacts,
                       const std::vector<ImpactContact>& before,
                       const std::vector<ConstraintPtr>& constraints) {
  ConstraintKinematics at = kinematics_at(m, q);
  const Dense loops = rows_of(constraints, m, q, OwnedVector(m.nv()));
  const Dense A = stacked(loops, plastic_rows(at, contacts)), B = stacked(loops, plastic_rows(at, before));
  const Dense M = mass_matrix(m, at.workspace(), q);
  const Eigen::LLT<Dense> factor(M);
  if (factor.info() != Eigen::Success) inverse_mass_matrix(m, at.workspace(), q);  // says why
  // With x = G v and M = G^T G, lengths are those of Euclid: the loss is of the part of x in the span of G^-T
  // A^T.
  const auto unit = [&](const Dense& rows) -> Dense { return factor.matrixL().solve(rows.transpose()); };
  const auto span = [&](const Dense& columns, bool complement) -> Dense {
    if (columns.cols() == 0) return complement ? Dense::Identity(m.nv(), m.nv()) : Dense(m.nv(), 0);
    Eigen::ColPivHouseholderQR<Dense> qr;
    qr.setThreshold(kRedundant);
    qr.compute(columns);
    const Dense Q = qr.householderQ() * Dense::Identity(m.nv(), m.nv());
    return complement ? Dense(Q.rightCols(m.nv() - qr.rank())) : Dense(Q.leftCols(qr.rank()));
  };
  const Dense lost = span(unit(A), false), allowed = span(unit(B), true);
  const Eigen::JacobiSVD<Dense> svd(lost.transpose() * allowed, Eigen::ComputeFullV);
  ImpactLoss out;
  out.shares = OwnedVector(allowed.cols());
  out.shares.head(svd.singularValues().size()) = svd.singularValues().cwiseAbs2();
  out.velocities = factor.matrixU().solve(allowed * svd.matrixV());
  out.momenta = M * out.velocities;
  return out;
}

ImpactLoss impact_loss(const Mechanism& m, const VectorRef& q, const std::vector<ContactSpec>& contacts,
                       const std::vector<ContactSpec>& before,
                       const std::vector<ConstraintPtr>& constraints) {
  const ConstraintKinematics at = kinematics_at(m, q);
  return impact_loss(m, q, placed(at, contacts), placed(at, before), constraints);
}

}  // namespace amble
