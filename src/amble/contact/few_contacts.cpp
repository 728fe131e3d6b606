#include "amble/contact/few_contacts.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/contact/release.hpp"
#include "amble/contact/solvers/friction_solver.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kSolved = 1e-11;  // of the largest |w|

/// One contact while the others keep their forces: u = G p + w of its three rows.
class OneContact {
 public:
  OneContact(const Eigen::Matrix3d& G, const FewContactsLaw& law)
      : G_(G), law_(law), tiny_(1e-15 * std::max(G.trace(), std::numeric_limits<double>::min())) {}

  Eigen::Vector3d solve(const Eigen::Vector3d& w) const {
    if (law_.slides()) return sliding(w);
    const Eigen::Vector3d open = pressed(w);
    const double rounding = law_.least > 0.0 ? 1e-13 * (w.norm() + law_.least * G_.trace()) : 0.0;
    if ((G_ * open + w)[0] >= -rounding || !(G_(0, 0) > tiny_)) return open;
    if (std::isinf(law_.friction)) return closed(w, 0.0);
    // Velocities that no force can stop together do not stick.
    const Eigen::Vector3d still = closed(w, 0.0);
    const bool stops = (G_ * still + w).norm() <= 1e-10 * w.norm();
    return stops && excess(still) <= 0.0 ? still : slipping([&](double s) { return closed(w, s); });
  }

 private:
  Eigen::Vector3d sliding(const Eigen::Vector3d& w) const {
    const double answer = sliding_mobility(G_, law_),
                 n = answer > tiny_ ? std::max(0.0, -w[0] / answer) : 0.0;
    return {n, -law_.friction * n * law_.slip[0], -law_.friction * n * law_.slip[1]};
  }
  /// p_n = least: tangents alone.
  Eigen::Vector3d pressed(const Eigen::Vector3d& w) const {
    Eigen::Vector3d p(law_.least, 0.0, 0.0);
    if (law_.least == 0.0 || law_.friction == 0.0) return p;
    const auto at = [&](double s) -> Eigen::Vector3d {
      const Eigen::Matrix2d K = G_.bottomRightCorner<2, 2>() + s * Eigen::Matrix2d::Identity();
      p.tail<2>() = least_solution(K, Eigen::Vector2d(-w.tail<2>() - law_.least * G_.block<2, 1>(1, 0)), s);
      return p;
    };
    const Eigen::Vector3d still = at(0.0);
    return std::isinf(law_.friction) || excess(still) <= 0.0 ? still : slipping(at);
  }
  /// u_n = 0 and u_t = -s p_t.
  Eigen::Vector3d closed(const Eigen::Vector3d& w, double s) const {
    const Eigen::Matrix3d K = G_ + Eigen::Vector3d(0.0, s, s).asDiagonal().toDenseMatrix();
    return least_solution(K, Eigen::Vector3d(-w), s);
  }
  /// Of K x = right; K is regular for s > 0.
  template <class Square, class Right>
  static Right least_solution(const Square& K, const Right& right, double s) {
    if (s > 0.0) return K.ldlt().solve(right);
    Eigen::CompleteOrthogonalDecomposition<Square> solver;
    solver.setThreshold(1e-12);
    return solver.compute(K).solve(right);
  }
  double excess(const Eigen::Vector3d& p) const { return p.tail<2>().norm() - law_.friction * p[0]; }

  /// The least s at which p(s) is in the cone; it is when friction vanishes, s to infinity.
  template <class At>
  Eigen::Vector3d slipping(const At& at) const {
    double low = tiny_, high = G_.trace();
    for (int i = 0; i < 200 && excess(at(high)) > 0.0; ++i) low = high, high *= 16.0;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
      const double s = low > 0.1 * high ? 0.5 * (low + high) : std::sqrt(low * high);
      (excess(at(s)) > 0.0 ? low : high) = s;
    }
    Eigen::Vector3d p = at(high);
    if (law_.friction == 0.0) p.tail<2>().setZero(), p[0] = std::max(law_.least, p[0]);
    return p;
  }

  Eigen::Matrix3d G_;
  FewContactsLaw law_;
  double tiny_;
};

class FewContacts {
 public:
  FewContacts(const Dense& G, const Vector& w, std::span<const FewContactsLaw> laws)
      : G_(G),
        w_(w),
        laws_(laws),
        scale_(w.size() == 0 ? 0.0 : w.cwiseAbs().maxCoeff()),
        p_(Vector::Zero(w.size())) {
    for (std::size_t i = 0; i < laws.size(); ++i) {
      scale_ = std::max(scale_, G(3 * i, 3 * i) * laws[i].least);
      contacts_.emplace_back(G.block<3, 3>(3 * i, 3 * i), laws[i]);
      p_[3 * i] = laws[i].least;
    }
  }

  FewContactsSolution solve() {
    constexpr int kRounds = 60, kSweeps = 20, kPatience = 3;  // rounds, before the solver of many contacts is asked
    FewContactsSolution best{
        .p = OwnedVector(p_), .u = {}, .states = {}, .residual = residual(p_), .solved = false};
    const auto keep = [&](const Vector& p) {
      const double r = residual(p);
      if (r < best.residual) best.p = p, best.residual = r;
    };
    for (int round = 0; round < kRounds && best.residual > kSolved * scale_; ++round) {
      for (int i = 0; i < kSweeps; ++i) sweep();
      keep(p_);
      keep(polished());
      if (round + 1 == kPatience && best.residual > kSolved * scale_ && plain()) keep(found_by_newton());
    }
    best.u = G_ * best.p + w_;
    best.solved = best.residual <= kSolved * scale_;
    best.states = states(best.p);
    return best;
  }

 private:
  int count() const { return static_cast<int>(laws_.size()); }
  double mean_mobility(int i) const { return G_.block<3, 3>(3 * i, 3 * i).trace() / 3.0; }

  /// Whether all laws are those of FrictionLaw::contact().
  bool plain() const {
    return std::all_of(laws_.begin(), laws_.end(), [](const FewContactsLaw& law) {
      return law.least == 0.0 && !law.slides() && law.friction <= kLargestFriction;
    });
  }

  /// Near the edge of what friction can hold, redundant contacts pass their load round for very long.
  Vector found_by_newton() const {
    std::vector<FrictionLaw> laws;
    for (const FewContactsLaw& law : laws_) laws.push_back(FrictionLaw::contact(law.friction));
    const FrictionProblem problem(0.5 * (G_ + G_.transpose()), w_, laws);
    const auto newton = make_friction_solver("newton", {.tolerance = 0.1 * kSolved});
    const std::vector<double>& forces = newton->solve(problem).forces;
    return Eigen::Map<const Vector>(forces.data(), w_.size());
  }

  void sweep() {
    for (int i = 0; i < count(); ++i) {
      const Eigen::Vector3d others = w_.segment<3>(3 * i) + G_.middleRows<3>(3 * i) * p_ -
                                     G_.block<3, 3>(3 * i, 3 * i) * p_.segment<3>(3 * i);
      p_.segment<3>(3 * i) = contacts_[i].solve(others);
    }
  }

  /// |p - projection of (p - u / g)| g, worst of all contacts: zero where all laws hold (Alart and Curnier
  /// 1991).
  double residual(const Vector& p) const {
    const Vector u = G_ * p + w_;
    double worst = 0.0;
    for (int i = 0; i < count(); ++i) {
      const double g = mean_mobility(i), mu = laws_[i].friction;
      if (!(g > 0.0)) continue;
      const Eigen::Vector3d f = p.segment<3>(3 * i), slip = u.segment<3>(3 * i);
      Eigen::Vector3d wanted = f - slip / g;
      if (laws_[i].slides()) {
        const double n = std::max(0.0, wanted[0]);
        const Eigen::Vector3d friction(0.0, -mu * f[0] * laws_[i].slip[0], -mu * f[0] * laws_[i].slip[1]);
        worst = std::max(worst, (f - friction - Eigen::Vector3d(n, 0.0, 0.0)).norm() * g);
        continue;
      }
      if (!std::isinf(mu) || wanted[0] <= laws_[i].least) {
        const bool open = wanted[0] <= laws_[i].least;
        // Held without slip, a contact may pull.
        if (std::isinf(mu) && open && std::abs(slip[0]) <= kSolved * scale_ && f.norm() > 0.0) continue;
        wanted[0] = std::max(laws_[i].least, wanted[0]);
        const double most =
            std::isinf(mu) ? (laws_[i].least > 0.0 ? mu : 0.0) : mu * std::max(laws_[i].least, f[0]);
        const double size = wanted.tail<2>().norm();
        if (size > most) wanted.tail<2>() *= most / size;
      }
      worst = std::max(worst, (f - wanted).norm() * g);
    }
    return worst;
  }

  std::vector<ContactState> states(const Vector& p) const {
    const Vector u = G_ * p + w_;
    const double still = 1e-10 * scale_;
    std::vector<ContactState> out;
    for (int i = 0; i < count(); ++i) {
      const Eigen::Vector3d f = p.segment<3>(3 * i), slip = u.segment<3>(3 * i);
      const bool loaded = f.norm() * mean_mobility(i) > still && f[0] != laws_[i].least;
      out.push_back(slip[0] > still && !loaded                             ? ContactState::open
                    : slip.tail<2>().norm() <= still && !laws_[i].slides() ? ContactState::sticking
                                                                           : ContactState::sliding);
    }
    return out;
  }

  /// Newton's method on the equations of the states that p is in.
  Vector polished() const {
    Vector p = p_;
    const std::vector<ContactState> in = states(p);
    Vector r(p.size());
    Dense K(p.size(), p.size());
    for (int step = 0; step < 12; ++step) {
      const Vector u = G_ * p + w_;
      for (int i = 0; i < count(); ++i) equations(i, in[i], p, u, r, K);
      Eigen::CompleteOrthogonalDecomposition<Dense> solver;
      solver.setThreshold(1e-11);
      const Vector change = solver.compute(K).solve(r);
      if (!change.allFinite()) return p_;
      p -= change;
      if (r.norm() <= 1e-15 * scale_) break;
    }
    for (int i = 0; i < count(); ++i)
      if (in[i] == ContactState::open && laws_[i].least == 0.0) p.segment<3>(3 * i).setZero();
    return p;
  }

  void equations(int i, ContactState state, const Vector& p, const Vector& u, Vector& r, Dense& K) const {
    const int n = 3 * i;
    const double g = std::max(mean_mobility(i), std::numeric_limits<double>::min());
    const bool pressed = state == ContactState::open;
    if (pressed) {  // p_n = least
      r[n] = g * (p[n] - laws_[i].least), K.row(n).setZero(), K(n, n) = g;
    } else {
      r[n] = u[n], K.row(n) = G_.row(n);
    }
    const Eigen::Vector2d slip = u.segment<2>(n + 1), f = p.segment<2>(n + 1);
    if (laws_[i].slides()) {
      const Eigen::Vector2d d(laws_[i].slip[0], laws_[i].slip[1]);
      r.segment<2>(n + 1) = g * (f + laws_[i].friction * p[n] * d);
      K.middleRows<2>(n + 1).setZero();
      K.block<2, 2>(n + 1, n + 1) = g * Eigen::Matrix2d::Identity();
      K.block<2, 1>(n + 1, n) = g * laws_[i].friction * d;
      return;
    }
    const bool holds =
        state == ContactState::sticking || (pressed && laws_[i].least > 0.0 && slip.norm() <= 1e-9 * scale_);
    if (holds && laws_[i].friction > 0.0) {
      r.segment<2>(n + 1) = slip, K.middleRows<2>(n + 1) = G_.middleRows<2>(n + 1);
      return;
    }
    // p_t + mu p_n u_t / |u_t| = 0, times g
    const double size = slip.norm(), mu = std::isinf(laws_[i].friction) ? 0.0 : laws_[i].friction;
    K.middleRows<2>(n + 1).setZero();
    K.block<2, 2>(n + 1, n + 1) = g * Eigen::Matrix2d::Identity();
    r.segment<2>(n + 1) = g * f;
    if (!(size > 0.0)) return;
    const Eigen::Vector2d d = slip / size;
    r.segment<2>(n + 1) += g * mu * p[n] * d;
    K.block<2, 1>(n + 1, n) += g * mu * d;
    K.middleRows<2>(n + 1) +=
        g * mu * p[n] / size * (Eigen::Matrix2d::Identity() - d * d.transpose()) * G_.middleRows<2>(n + 1);
  }

  Dense G_;
  Vector w_;
  std::span<const FewContactsLaw> laws_;
  double scale_;
  Vector p_;
  std::vector<OneContact> contacts_;
};

/// No contact slips: which of them are held is all there is to know.
FewContactsSolution solve_held(const Dense& G, const Vector& w, int count) {
  const std::vector<char> held = decide_held(G, w, 3);
  FewContactsSolution out{
      .p = OwnedVector(held_forces(G, w, 3, held)), .u = {}, .states = {}, .residual = 0.0, .solved = true};
  out.u = G * out.p + w;
  for (int i = 0; i < count; ++i) {
    out.states.push_back(held[i] ? ContactState::sticking : ContactState::open);
    const double off = held[i] ? out.u.segment<3>(3 * i).norm() : std::max(0.0, -out.u[3 * i]);
    out.residual = std::max(out.residual, off);
  }
  out.solved = out.residual <= 1e-9 * (w.size() == 0 ? 0.0 : w.cwiseAbs().maxCoeff());
  return out;
}

}  // namespace

double sliding_mobility(const Eigen::Ref<const Eigen::Matrix3d>& G, const FewContactsLaw& law) {
  return G(0, 0) - law.friction * (G(0, 1) * law.slip[0] + G(0, 2) * law.slip[1]);
}

FewContactsSolution solve_few_contacts(const Eigen::Ref<const Dense>& G, const VectorRef& w,
                                       std::span<const FewContactsLaw> laws) {
  bool none_slips = true;
  for (const FewContactsLaw& law : laws)
    none_slips &= std::isinf(law.friction) && law.least == 0.0 && !law.slides();
  if (none_slips) return solve_held(G, w, static_cast<int>(laws.size()));
  return FewContacts(G, w, laws).solve();
}

}  // namespace amble
