#include "amble/simulation/contact_events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/contact/release.hpp"
#include "amble/contact/shared_forces.hpp"
#include "amble/optimize/quadratic_program.hpp"

namespace amble {

namespace {

constexpr double kParting = 1e-9;  // m/s: faster than this, surfaces part by their velocity
constexpr double kSlipping =
    1e-7;  // m/s: slower than this, they may hold: what is left is taken as by an impact
constexpr double kAhead =
    1e-8;  // of the accelerations: a decision looks this far ahead, so that an event changes something
constexpr double kParadox =
    1e-6;  // of the mobility along the normal: less than this answers a force with its friction

using Dense = Eigen::MatrixXd;
using Numbers = Eigen::VectorXd;

Dense solved(const Dense& K, const Dense& right) {
  Eigen::CompleteOrthogonalDecomposition<Dense> solver;
  solver.setThreshold(1e-10);
  return solver.compute(K).solve(right);
}

}  // namespace

ContactEvents::ContactEvents(const Mechanism& m, const std::vector<ElementPtr>& elements)
    : mechanism_(m), kinematics_(m) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto* contact = dynamic_cast<const RigidContact*>(elements[i].get());
    if (contact != nullptr) elements_.push_back(i), contacts_.push_back(contact);
  }
}

// ---- an instant

void ContactEvents::set_state(const OwnedVector& q, const OwnedVector& v, std::span<double* const> memories,
                              const ConstrainedDynamics* held) {
  memories_.assign(memories.begin(), memories.end());
  kinematics_.set_state(q, v);
  parts_.clear();
  const int nv = mechanism_.nv();
  rows_.contacts = OwnedRowMatrix(3 * contacts_.size(), nv), bias_ = OwnedVector(3 * contacts_.size());
  rows_.surfaces.clear();
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    const RigidContact& c = *contacts_[i];
    const Mode mode = RigidContact::mode(memories_[i]);
    if (mode == Mode::open) continue;
    const FrameMotion a = kinematics_.frame(c.pair().a()), b = kinematics_.frame(c.pair().b());
    const ContactPoint at = c.pair().nearest(a, b);
    if (mode == Mode::leaving && at.distance > c.options().clearance) continue;
    const ContactMotion moving = c.pair().motion(at, a, b);
    const Vector3<double> turning = cross<double>(at.normal, moving.normal_dot);
    Part part{.contact = i, .mode = mode, .axes = contact_axes(at.normal), .u = {}};
    const int row = 3 * static_cast<int>(parts_.size());
    for (int k = 0; k < 3; ++k) {
      const Vector3<double> axis = part.axes.col(k);
      kinematics_.put_row({.force = axis,
                           .point = at.p_b,
                           .force_rate = cross<double>(turning, axis),
                           .point_rate = moving.p_b_dot},
                          at.link_a, at.link_b, rows_.contacts.data() + (row + k) * nv, bias_[row + k]);
    }
    part.u = rows_.contacts.middleRows(row, 3) * v;
    parts_.push_back(part);
    rows_.surfaces.push_back({c.options().friction, c.options().restitution});
  }
  rows_.contacts = OwnedRowMatrix(rows_.contacts.topRows(3 * parts_.size()));
  reduce(held);
}

void ContactEvents::reduce(const ConstrainedDynamics* held) {
  inverse_mass_ = inverse_mass_matrix(mechanism_, kinematics_.workspace(), kinematics_.q());
  reduced_ = inverse_mass_;
  rows_.held = OwnedRowMatrix(0, mechanism_.nv()), rows_.after = OwnedVector(0);
  if (held == nullptr) return;
  rows_.held = held->A();
  rows_.after = held->A() * kinematics_.v() - held->velocity_error();
  const Dense R = inverse_mass_ * held->A().transpose();
  reduced_ -= R * solved(held->A() * R, R.transpose());
}

bool ContactEvents::struck() const {
  for (const double* memory : memories_)
    if (RigidContact::mode(memory) == Mode::struck) return true;
  return false;
}

// ---- impacts

double ContactEvents::strike(const std::vector<Strike>& strikes, OwnedVector& v,
                             std::vector<std::string>& log) {
  ImpactRows all = rows_;
  const Eigen::Index fixed = rows_.held.rows();
  all.held = OwnedRowMatrix(fixed + strikes.size(), mechanism_.nv()),
  all.after = OwnedVector(all.held.rows());
  all.held.topRows(fixed) = rows_.held, all.after.head(fixed) = rows_.after;
  for (std::size_t i = 0; i < strikes.size(); ++i)
    all.held.row(fixed + i) = strikes[i].row, all.after[fixed + i] = strikes[i].after;
  bool slow = strikes.empty();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const RigidContact& c = contact(parts_[i]);
    const double speed = -parts_[i].u[0];
    if (speed <= c.options().rest_speed) all.surfaces[i].restitution = 0.0;
    slow &= speed <= c.options().rest_speed;
    if (parts_[i].mode == Mode::struck)
      log.push_back(fmt::format("{}: {}", c.name(), all.surfaces[i].restitution == 0.0 ? "lands" : "is hit"));
  }
  ImpactSolution s = solve_impact(inverse_mass_, all, v);
  if (!s.note.empty()) log.push_back(s.note);
  double lost = s.energy_lost;
  v = s.v;
  if (!slow) return lost;
  // Impacts that are too slow to count leave everything that touches together: so rocking comes to rest.
  ImpactRows together{.held = OwnedRowMatrix(fixed + parts_.size(), mechanism_.nv()),
                      .after = {},
                      .contacts = OwnedRowMatrix(0, mechanism_.nv()),
                      .surfaces = {}};
  together.held.topRows(fixed) = rows_.held;
  for (std::size_t i = 0; i < parts_.size(); ++i) together.held.row(fixed + i) = rows_.contacts.row(3 * i);
  together.after = together.held * v;
  bool parting = false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    double& after = together.after[fixed + i];
    if (after <= contact(parts_[i]).options().rest_speed && parts_[i].u[0] <= kParting)
      parting |= after > kParting, after = 0.0;
  }
  if (!parting) return lost;
  s = solve_impact(inverse_mass_, together, v);
  v = s.v;
  return lost + s.energy_lost;
}

// ---- what follows

void ContactEvents::set_mobility(const OwnedVector& a) {
  const Dense J = rows_.contacts;
  G_ = J * reduced_ * J.transpose();
  w_ = J * a + bias_.head(J.rows());
}

void ContactEvents::throw_paradox(const std::string& who) const {
  throw Error(
      fmt::format("{}: no forces meet Coulomb's law, or several do (Painleve): friction drives the surfaces "
                  "into each other; "
                  "the configuration is ({:.6g})",
                  who, fmt::join(kinematics_.q(), ", ")));
}

std::vector<FewContactsLaw> ContactEvents::laws(const std::vector<int>& together) const {
  std::vector<FewContactsLaw> out;
  for (int i : together) {
    const double mu = contact(parts_[i]).options().friction;
    FewContactsLaw law{.friction = mu * (1.0 - kAhead)};
    const Eigen::Vector2d slip = parts_[i].u.tail<2>();
    if (slip.norm() > kSlipping && !std::isinf(mu)) {
      law.friction = mu;
      law.slip[0] = slip[0] / slip.norm(), law.slip[1] = slip[1] / slip.norm();
    }
    out.push_back(law);
  }
  return out;
}

void ContactEvents::check_sliding(const std::vector<int>& together,
                                  const std::vector<FewContactsLaw>& laws) const {
  for (std::size_t k = 0; k < together.size(); ++k) {
    const int i = together[k];
    if (laws[k].slides() &&
        sliding_mobility(G_.block<3, 3>(3 * i, 3 * i), laws[k]) <= 2.0 * kParadox * G_(3 * i, 3 * i))
      throw_paradox(
          fmt::format("'{}' slides with a friction of {}", contact(parts_[i]).name(), laws[k].friction));
  }
}

/// Rows of those that stay closed, (normal, t1, t2) where they stick and the normal where they slide, against their forces,
/// which bring friction along where they slide.
Eigen::MatrixXd ContactEvents::closed_matrix(const std::vector<Decision>& modes, std::vector<int>& rows,
                                             std::vector<int>& normals) const {
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    const bool sticks = modes[i].mode == Mode::sticking;
    if (!sticks && modes[i].mode != Mode::sliding) continue;
    normals.push_back(static_cast<int>(rows.size()));
    for (int k = 0; k < (sticks ? 3 : 1); ++k) rows.push_back(3 * i + k);
  }
  Dense K = G_(rows, rows);
  for (const int n : normals) {
    const int i = rows[n] / 3;
    const Eigen::Vector2d slip = parts_[i].axes.rightCols<2>().transpose() * modes[i].direction;
    if (modes[i].mode == Mode::sliding && slip.norm() > 0.0)
      K.col(n) -= contact(parts_[i]).options().friction * (G_(rows, Eigen::seqN(3 * i + 1, 2)) * slip);
  }
  return K;
}

/// Where contacts slide and forces are not unique, the smallest ones may pull although others do not: those that are
/// left without a force are taken out.
void ContactEvents::lay_down(std::vector<Decision>& out) const {
  std::vector<int> rows, normals;
  const Dense K = closed_matrix(out, rows, normals);
  if (rows.size() == 3 * normals.size()) return;  // all stick: see share()
  const Numbers least = -solved(K, w_(rows));
  const double nothing = kAhead * least.cwiseAbs().maxCoeff();
  if (least(normals).minCoeff() > nothing) return;
  Eigen::FullPivLU<Dense> lu(K);
  lu.setThreshold(1e-10);
  if (lu.rank() == K.rows()) return;
  const Dense Z = lu.kernel();
  QuadraticProgram program(static_cast<int>(Z.cols()), 0, static_cast<int>(normals.size()));
  program.H = Z.transpose() * Z;
  program.C = Z(normals, Eigen::all), program.lower = -least(normals);
  const QpResult shared = solve(program);
  if (!shared.solved()) return;
  const Numbers f = least + Z * shared.x;
  for (const int n : normals)
    if (f[n] <= nothing) out[rows[n] / 3].mode = Mode::leaving;
}

std::vector<ContactEvents::Decision> ContactEvents::decisions() {
  std::vector<Decision> out(parts_.size());
  std::vector<int> together, rows;
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    const bool slow = parts_[i].u[0] <= contact(parts_[i]).options().rest_speed;
    out[i].mode = slow ? Mode::leaving : Mode::open;
    // Those that still approach are yet to touch.
    if (std::abs(parts_[i].u[0]) > kParting && (parts_[i].mode == Mode::leaving || parts_[i].u[0] > 0.0))
      continue;
    together.push_back(i);
    for (int k = 0; k < 3; ++k) rows.push_back(3 * i + k);
  }
  if (together.empty()) return out;
  const std::vector<FewContactsLaw> laws = this->laws(together);
  check_sliding(together, laws);
  Numbers w = w_(rows);
  const double size = w.cwiseAbs().maxCoeff();
  for (std::size_t k = 0; k < together.size(); ++k) w[3 * k] += kAhead * size;
  const FewContactsSolution s = solve_few_contacts(Dense(G_(rows, rows)), w, laws);
  if (!(s.residual <= 1e-7 * size)) {
    std::vector<std::string> names;
    for (int i : together)
      names.push_back(fmt::format("'{}' (friction {})", contact(parts_[i]).name(),
                                  contact(parts_[i]).options().friction));
    throw_paradox(fmt::format("{}", fmt::join(names, ", ")));
  }
  for (std::size_t k = 0; k < together.size(); ++k) {
    const Part& part = parts_[together[k]];
    Decision& decision = out[together[k]];
    const bool holds = s.states[k] == ContactState::sticking && laws[k].friction > 0.0;
    decision.mode = s.states[k] == ContactState::open ? Mode::leaving
                    : holds                           ? Mode::sticking
                                                      : Mode::sliding;
    if (decision.mode != Mode::sliding || laws[k].friction == 0.0) continue;
    const Eigen::Vector2d slip = laws[k].slides() ? Eigen::Vector2d(laws[k].slip[0], laws[k].slip[1])
                                                  : Eigen::Vector2d(s.u.segment<2>(3 * k + 1).normalized());
    decision.direction = part.axes.rightCols<2>() * Vector2<double>(slip);
  }
  lay_down(out);
  return out;
}

void ContactEvents::decide(const OwnedVector& a, std::vector<std::string>& log) {
  set_mobility(a);
  const std::vector<Decision> decided = decisions();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Mode before = parts_[i].mode, mode = decided[i].mode;
    RigidContact::set_mode(memories_[parts_[i].contact], mode, decided[i].direction);
    if (before == mode) continue;
    const bool was = before == Mode::sticking || before == Mode::sliding || before == Mode::struck;
    const char* what = mode == Mode::sticking  ? "holds"
                       : mode == Mode::sliding ? "slides"
                       : was                   ? "parts"
                                               : nullptr;
    if (what != nullptr) log.push_back(fmt::format("{}: {}", contact(parts_[i]).name(), what));
  }
}

/// Above zero where the law of a closed contact is broken by its force.
double ContactEvents::violation(const Part& part, const double* forces, double& paradox) const {
  const double mu = contact(part).options().friction;
  const int i = static_cast<int>(&part - parts_.data());
  if (part.mode == Mode::sliding) {
    FewContactsLaw law{.friction = mu};
    const double speed = part.u.tail<2>().norm();
    if (speed > kSlipping) law.slip[0] = part.u[1] / speed, law.slip[1] = part.u[2] / speed;
    const double answer = sliding_mobility(G_.block<3, 3>(3 * i, 3 * i), law) / G_(3 * i, 3 * i);
    paradox = std::max(paradox, kParadox - answer);
    return -forces[0];
  }
  if (!std::isinf(mu)) return std::hypot(forces[1], forces[2]) - mu * forces[0];
  // By the free acceleration, with the others held.
  std::vector<char> held;
  for (const Part& other : parts_)
    held.push_back(&other != &part && (other.mode == Mode::sticking || other.mode == Mode::sliding));
  const Numbers f = held_forces(G_, w_, 3, held);
  return (G_.row(3 * i) * f + w_.segment<1>(3 * i))[0];
}

bool ContactEvents::share(std::span<const double*> forces) {
  std::vector<int> together, rows;
  std::vector<double> friction;
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    if (parts_[i].mode != Mode::sticking || forces[parts_[i].contact] == nullptr) continue;
    together.push_back(parts_[i].contact), friction.push_back(contact(parts_[i]).options().friction);
    for (int k = 0; k < 3; ++k) rows.push_back(3 * i + k);
  }
  OwnedVector p(rows.size());
  for (std::size_t k = 0; k < together.size(); ++k) std::copy_n(forces[together[k]], 3, p.data() + 3 * k);
  const auto found = shared_forces(Dense(rows_.contacts(rows, Eigen::all)), rows_.held, friction, p);
  if (!found) return false;
  shared_ = *found;
  for (std::size_t k = 0; k < together.size(); ++k) forces[together[k]] = shared_.data() + 3 * k;
  return true;
}

double ContactEvents::guard(const OwnedVector& a, std::span<const double* const> forces) {
  constexpr double kBorne = -1e-12;  // just not above zero
  set_mobility(a);
  double worst = -std::numeric_limits<double>::infinity(), paradox = -1.0, sticking = worst;
  for (const Part& part : parts_) {
    if (forces[part.contact] == nullptr) continue;
    const bool cone = part.mode == Mode::sticking && !std::isinf(contact(part).options().friction);
    double& most = cone ? sticking : worst;
    most = std::max(most, violation(part, forces[part.contact], paradox));
  }
  if (paradox > 0.0) return paradox;
  if (sticking > 0.0) {
    std::vector<const double*> tried(forces.begin(), forces.end());
    if (share(tried)) sticking = kBorne;
  }
  worst = std::max(worst, sticking);
  if (!(worst > 0.0)) return std::isfinite(worst) ? worst : -1.0;
  const std::vector<Decision> decided = decisions();
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (decided[i].mode != parts_[i].mode) return worst;
  return kBorne;
}

}  // namespace amble
