#include "amble/riemann/curvature.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/mechanism/edit.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;

/// d(i, j, k) along e_l for every l, of Christoffel symbols of the first kind.
using ChristoffelSlopes = std::vector<Christoffel>;

/// First the part symmetric in j and k: half the second derivative in v of dtau/dq, exactly, since tau is
/// quadratic in v.
void add_symmetric_slopes(const Mechanism& m, Workspace& work, const VectorRef& q, ChristoffelSlopes& out) {
  const int n = m.nv();
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(n);
  const auto slopes = [&](const Eigen::VectorXd& v) -> Dense {
    return inverse_dynamics_derivatives(m, work, q, v, still).dq;
  };
  std::vector<Dense> own(n);
  for (int j = 0; j < n; ++j) own[j] = slopes(Eigen::VectorXd::Unit(n, j));
  for (int j = 0; j < n; ++j)
    for (int k = 0; k <= j; ++k) {
      const Dense both =
          j == k ? own[j]
                 : Dense(0.5 * (slopes(Eigen::VectorXd::Unit(n, j) + Eigen::VectorXd::Unit(n, k)) - own[j] -
                                own[k]));
      for (int l = 0; l < n; ++l)
        for (int i = 0; i < n; ++i) out[l](i, j, k) = out[l](i, k, j) = both(i, l);
    }
}

/// Then the rest, half of <e_i, [e_k, e_j]> since there is no torsion: M changes by its own Christoffel
/// symbols.
void add_bracket_slopes(const Christoffel& gamma, const Christoffel& c, ChristoffelSlopes& out) {
  const int n = gamma.nv();
  for (int h = 0; h < n; ++h)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        if (c(h, k, j) == 0.0) continue;
        for (int l = 0; l < n; ++l)
          for (int i = 0; i < n; ++i) out[l](i, j, k) += 0.5 * (gamma(i, h, l) + gamma(h, i, l)) * c(h, k, j);
      }
}

/// Structure constants that vary, those of custom joints whose coordinates do not add.
void add_varying_brackets(const Mechanism& m, const VectorRef& q, const OwnedMatrix& M,
                          ChristoffelSlopes& out) {
  const int n = m.nv();
  for (int l = 0; l < n; ++l) {
    const Eigen::VectorXd change = slope_at_zero([&](double t) {
      Christoffel c(n);
      structure_constants(m, m.integrate(q, t * Eigen::VectorXd::Unit(n, l)), c);
      return Eigen::VectorXd(
          Eigen::Map<const Eigen::VectorXd>(c.data(), static_cast<Eigen::Index>(n) * n * n));
    });
    for (int h = 0; h < n; ++h)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          const double rate = change[(static_cast<Eigen::Index>(h) * n + k) * n + j];
          for (int i = 0; i < n; ++i) out[l](i, j, k) += 0.5 * M(i, h) * rate;
        }
  }
}

/// Gamma with its three indices as a matrix, the last two as one.
Eigen::Map<const RowMatrix> rows_of(const Christoffel& gamma) {
  return {gamma.data(), gamma.nv(), static_cast<Eigen::Index>(gamma.nv()) * gamma.nv()};
}

/// R_ijkl = e_k Gamma_ijl - e_l Gamma_ijk - Gamma_pik Gamma^p_jl + Gamma_pil Gamma^p_jk - c^p_kl Gamma_ijp:
/// with all indices down, the derivative of M that raising one would bring has taken two terms with it.
void assemble_riemann(const Christoffel& gamma, const ChristoffelSlopes& slopes, const Christoffel& c,
                      const OwnedMatrix& inverse, CurvatureTensor& R) {
  const int n = gamma.nv();
  const Dense products = rows_of(gamma).transpose() * (inverse * rows_of(gamma));  // (i k), (j l)
  const auto pair = [n](int a, int b) { return a * n + b; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < k; ++l) {
          double sum = slopes[k](i, j, l) - slopes[l](i, j, k) - products(pair(i, k), pair(j, l)) +
                       products(pair(i, l), pair(j, k));
          for (int p = 0; p < n; ++p)
            if (c(p, k, l) != 0.0) sum -= c(p, k, l) * gamma(i, j, p);
          R(i, j, k, l) = sum;
          R(i, j, l, k) = -sum;
        }
}

/// The largest of the terms that make sectional curvatures of the planes of an orthonormal frame E, were none
/// to cancel; at least a small part of M itself, whose rounding they all inherit.
double size_of_terms(const Christoffel& gamma, const ChristoffelSlopes& slopes, const Christoffel& c,
                     const OwnedMatrix& M, const Dense& E) {
  constexpr double kPart = 1e-5;
  if (gamma.nv() < 2) return 0.0;
  double slope = 0.0;
  for (const Christoffel& s : slopes) slope = std::max(slope, rows_of(s).cwiseAbs().maxCoeff());
  const double own = (E.transpose() * rows_of(gamma)).cwiseAbs().maxCoeff();
  const double bracket = rows_of(c).cwiseAbs().maxCoeff() * rows_of(gamma).cwiseAbs().maxCoeff();
  return std::pow(E.cwiseAbs().maxCoeff(), 4) *
         (slope + own * own + bracket + kPart * M.cwiseAbs().maxCoeff());
}

/// K(x, y) = y^T A_x y for y normal to x, both unit: A_x(j, l) = R(i, j, k, l) x_i x_k, in the frame of R.
Dense directional_curvature(const CurvatureTensor& R, const Eigen::VectorXd& x) {
  const int n = R.nv();
  Dense A = Dense::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l) A(j, l) += R(i, j, k, l) * x[i] * x[k];
  return 0.5 * (A + A.transpose());
}

/// R with every index in the frame of the columns of E.
CurvatureTensor in_frame(const CurvatureTensor& R, const Dense& E) {
  const int n = R.nv();
  CurvatureTensor turned = R, next(n);
  for (int pass = 0; pass < 4; ++pass) {  // turns the first index and moves it to the end
    const Eigen::Index rest = static_cast<Eigen::Index>(n) * n * n;
    Eigen::Map<RowMatrix>(next.data(), rest, n) =
        Eigen::Map<const RowMatrix>(turned.data(), n, rest).transpose() * E;
    std::swap(turned, next);
  }
  return turned;
}

/// The best plane through x, its second vector in `y`: the extreme eigenvector of A_x normal to x.
double best_partner(const CurvatureTensor& R, double sign, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  const int n = R.nv();
  const Dense A = sign * directional_curvature(R, x);
  const double far = 2.0 * A.norm() + 1.0;  // takes x itself, for which A is zero, out of the contest
  const Eigen::SelfAdjointEigenSolver<Dense> eigen(A - far * x * x.transpose());
  y = eigen.eigenvectors().col(n - 1);
  return sign * eigen.eigenvalues()[n - 1];
}

Curvature::Plane best_plane(const CurvatureTensor& R, const Dense& E, double sign) {
  constexpr int kTurns = 200;
  const int n = R.nv();
  Curvature::Plane best;
  for (int start = 0; start < n; ++start) {
    Eigen::VectorXd x = Eigen::VectorXd::Unit(n, start), y(n), z(n);
    double value = best_partner(R, sign, x, y), before = value - sign;
    for (int turn = 0; turn < kTurns && sign * (value - before) > 1e-14 * std::abs(value); ++turn) {
      before = value;
      value = best_partner(R, sign, y, z);
      x = y, y = z;
    }
    if (start == 0 || sign * value > sign * best.curvature) best = {value, E * x, E * y};
  }
  return best;
}

/// Columns orthonormal in the metric.
Dense orthonormal_frame(const OwnedMatrix& M) {
  const Dense L = M.llt().matrixL();
  return L.transpose().triangularView<Eigen::Upper>().solve(Dense::Identity(M.rows(), M.cols()));
}

}  // namespace

Curvature::Curvature(const Mechanism& mechanism, const VectorRef& q)
    : q_(mechanism.checked_configuration(q)), riemann_(mechanism.nv()) {
  const Mechanism m = with_gravity(mechanism, Vector3<double>::Zero());
  Workspace work(m);
  metric_ = mass_matrix(m, work, q_);
  inverse_ = inverse_mass_matrix(m, work, q_);
  Christoffel gamma(m.nv()), c(m.nv());
  christoffel(m, work, q_, gamma);
  structure_constants(m, q_, c);
  ChristoffelSlopes slopes(m.nv(), Christoffel(m.nv()));
  add_symmetric_slopes(m, work, q_, slopes);
  add_bracket_slopes(gamma, c, slopes);
  if (structure_varies(m)) add_varying_brackets(m, q_, metric_, slopes);
  assemble_riemann(gamma, slopes, c, inverse_, riemann_);
  terms_ = size_of_terms(gamma, slopes, c, metric_, orthonormal_frame(metric_));
}

OwnedMatrix Curvature::ricci() const {
  const int n = riemann_.nv();
  OwnedMatrix out(n, n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int l = 0; l < n; ++l) out(j, l) += inverse_(i, k) * riemann_(i, j, k, l);
  return out;
}

double Curvature::scalar() const { return inverse_.cwiseProduct(ricci()).sum(); }

OwnedVector Curvature::apply(const VectorRef& X, const VectorRef& Y, const VectorRef& Z) const {
  const int n = riemann_.nv();
  for (const VectorRef* x : {&X, &Y, &Z})
    if (x->size() != n || !x->allFinite())
      throw Error(fmt::format("curvature takes vectors of nv = {} finite numbers, not of {}", n, x->size()));
  Eigen::VectorXd lowered = Eigen::VectorXd::Zero(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l) lowered[i] += riemann_(i, j, k, l) * Z[j] * X[k] * Y[l];
  return inverse_ * lowered;
}

double Curvature::sectional(const VectorRef& x, const VectorRef& y) const {
  const OwnedVector turned = apply(x, y, y);
  const double xx = x.dot(metric_ * x), yy = y.dot(metric_ * y), xy = x.dot(metric_ * y);
  const double area = xx * yy - xy * xy;
  if (!(area > 1e-14 * xx * yy))
    throw Error("a sectional curvature is that of a plane: the two vectors are parallel");
  return x.dot(metric_ * turned) / area;
}

const Curvature::Plane& Curvature::Range::largest() const {
  return std::abs(least.curvature) > std::abs(most.curvature) ? least : most;
}

Curvature::Range Curvature::range() const {
  if (riemann_.nv() < 2) return {};
  const Dense E = orthonormal_frame(metric_);
  const CurvatureTensor R = in_frame(riemann_, E);
  return {best_plane(R, E, -1.0), best_plane(R, E, 1.0)};
}

Flatness flatness_at(const Mechanism& m, const VectorRef& q, double tolerance) {
  const Curvature curvature(m, q);
  const Curvature::Range range = curvature.range();
  const Curvature::Plane& plane = range.largest();
  const double largest = std::abs(plane.curvature);
  return {
      largest <= tolerance * curvature.terms(), largest, curvature.terms(), curvature.q(), plane.x, plane.y};
}

Flatness flatness(const Mechanism& m, const FlatnessOptions& options) {
  if (options.samples < 1) throw Error("flatness is looked for at one configuration at least");
  Random random(options.seed);
  Flatness worst;
  for (int i = 0; i < options.samples; ++i) {
    Flatness here = flatness_at(m, m.random(random), options.tolerance);
    const bool worse = here.largest * worst.terms > worst.largest * here.terms;
    if (i == 0 || (worst.flat && !here.flat) || (worst.flat == here.flat && worse)) worst = std::move(here);
  }
  return worst;
}

}  // namespace amble
