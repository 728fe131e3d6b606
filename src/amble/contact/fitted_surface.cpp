#include "amble/contact/fitted_surface.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <memory>

#include "amble/base/error.hpp"
#include "amble/base/owned.hpp"

namespace amble {

namespace {

using Points = std::vector<Vector3<double>>;

void check_points(const Points& points, std::size_t least, const char* fit) {
  if (points.size() < least)
    throw Error(fmt::format("a {} fit to {} points: expected {} or more", fit, points.size(), least));
  for (const Vector3<double>& p : points)
    if (!p.allFinite())
      throw Error(
          fmt::format("a {} fit has the point ({}, {}, {}): expected numbers", fit, p[0], p[1], p[2]));
}

double plain(double x) { return x; }
template <class T, int N>
double plain(const Dual<T, N>& x) {
  return plain(x.value);
}

/// Weights of the four cubic B-splines over a cell, at a fraction of the way through it.
template <class T>
std::array<T, 4> spline_weights(const T& s) {
  const T r = T(1.0) - s, sixth(1.0 / 6.0);
  return {sixth * r * r * r, sixth * (T(4.0) + s * s * (T(3.0) * s - T(6.0))),
          sixth * (T(4.0) + r * r * (T(3.0) * r - T(6.0))), sixth * s * s * s};
}

/// A height by cubic B-splines on a grid of cells.
struct SplineHeight {
  double x0, y0, dx, dy;
  int cells_x, cells_y;
  OwnedVector weights;  // (cells_x + 3) x (cells_y + 3)

  int index(int i, int j) const { return i * (cells_y + 3) + j; }
  /// Calls use(index, weight) for the sixteen splines that are not zero at x, y. The outer cells go on beyond
  /// the grid.
  template <class T, class Use>
  void each(const T& x, const T& y, Use use) const {
    const T a = (x - T(x0)) * T(1.0 / dx), b = (y - T(y0)) * T(1.0 / dy);
    const int i = std::clamp(static_cast<int>(std::floor(plain(a))), 0, cells_x - 1);
    const int j = std::clamp(static_cast<int>(std::floor(plain(b))), 0, cells_y - 1);
    const auto wa = spline_weights<T>(a - T(i)), wb = spline_weights<T>(b - T(j));
    for (int k = 0; k < 4; ++k)
      for (int l = 0; l < 4; ++l) use(index(i + k, j + l), wa[k] * wb[l]);
  }
  template <class T>
  T at(const T& x, const T& y) const {
    T sum(0.0);
    each(x, y, [&](int k, const T& w) { sum += T(weights[k]) * w; });
    return sum;
  }
};

SplineHeight grid_over(const Points& local, const HeightFit& fit) {
  Vector3<double> lower = local[0], upper = local[0];
  for (const Vector3<double>& p : local) lower = lower.cwiseMin(p), upper = upper.cwiseMax(p);
  const Vector3<double> size = upper - lower;
  if (!(size.x() > 0.0) || !(size.y() > 0.0))
    throw Error("a height fit to points in one line: expected points all over a plane");
  return {lower.x(),
          lower.y(),
          size.x() / fit.cells_x,
          size.y() / fit.cells_y,
          fit.cells_x,
          fit.cells_y,
          OwnedVector((fit.cells_x + 3) * (fit.cells_y + 3))};
}

/// Normal equations: mean of squared misses, and second differences of the weights along both axes.
void solve_height(const Points& local, double smoothing, SplineHeight& h) {
  const int n = static_cast<int>(h.weights.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  for (const Vector3<double>& p : local) {
    std::array<std::pair<int, double>, 16> row;
    int count = 0;
    h.each(p.x(), p.y(), [&](int k, double w) { row[count++] = {k, w}; });
    for (const auto& [k, wk] : row) {
      b[k] += wk * p.z() / local.size();
      for (const auto& [l, wl] : row) A(k, l) += wk * wl / local.size();
    }
  }
  const auto bend = [&](int first, int second, int third) {
    const std::array<std::pair<int, double>, 3> d{{{first, 1.0}, {second, -2.0}, {third, 1.0}}};
    for (const auto& [k, wk] : d)
      for (const auto& [l, wl] : d) A(k, l) += smoothing * wk * wl / n;
  };
  for (int i = 0; i < h.cells_x + 3; ++i)
    for (int j = 0; j < h.cells_y + 3; ++j) {
      if (i + 2 < h.cells_x + 3) bend(h.index(i, j), h.index(i + 1, j), h.index(i + 2, j));
      if (j + 2 < h.cells_y + 3) bend(h.index(i, j), h.index(i, j + 1), h.index(i, j + 2));
    }
  h.weights = A.ldlt().solve(b);
}

/// Squares summed, and the largest.
struct Misses {
  double sum = 0.0, largest = 0.0;
  void add(double miss) { sum += miss * miss, largest = std::max(largest, std::abs(miss)); }
  double rms(std::size_t count) const { return std::sqrt(sum / count); }
};

/// All products x^i y^j z^k with i + j + k = degree or degree - 1: on the sphere they span all polynomials up
/// to that degree.
template <class T, class Use>
void each_monomial(const Vector3<T>& d, int degree, Use use) {
  int index = 0;
  for (const int total : {degree, degree - 1})
    for (int i = 0; i <= total; ++i)
      for (int j = 0; i + j <= total; ++j) {
        T product(1.0);
        for (int k = 0; k < total; ++k) product *= d[k < i ? 0 : k < i + j ? 1 : 2];
        use(index++, product);
      }
}

}  // namespace

Pose plane_through(const Points& points) {
  check_points(points, 3, "plane");
  Vector3<double> middle = Vector3<double>::Zero();
  for (const Vector3<double>& p : points) middle += p / points.size();
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const Vector3<double>& p : points) spread += (p - middle) * (p - middle).transpose();
  const Eigen::Matrix3d axes =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors();  // the least spread first
  const Vector3<double> z = (axes(2, 0) < 0.0 ? -1.0 : 1.0) * axes.col(0), x = axes.col(2);
  Matrix3<double> R;
  R << x, cross<double>(z, x), z;
  return Pose(SO3<double>(R), middle);
}

FittedSurface fit_height(const Points& points, const HeightFit& fit) {
  check_points(points, 16, "height");
  if (fit.cells_x < 1 || fit.cells_y < 1)
    throw Error(
        fmt::format("a height fit over {} x {} cells: expected one or more", fit.cells_x, fit.cells_y));
  if (!(fit.smoothing > 0.0))
    throw Error(fmt::format("a height fit with smoothing {}: expected more than 0", fit.smoothing));
  Points local;
  for (const Vector3<double>& p : points) local.push_back(fit.frame.inverse() * p);
  auto height = std::make_shared<SplineHeight>(grid_over(local, fit));
  solve_height(local, fit.smoothing, *height);
  Misses misses;
  for (const Vector3<double>& p : local) misses.add(p.z() - height->at(p.x(), p.y()));
  const auto f = [height, frame = fit.frame](const auto& u) {
    using T = typename std::decay_t<decltype(u)>::Scalar;
    const Vector3<T> local(u[0], u[1], height->at(u[0], u[1]));
    return Vector3<T>(frame.template cast<T>() * local);
  };
  const Vector2<double> lower(height->x0, height->y0),
      upper(height->x0 + height->cells_x * height->dx, height->y0 + height->cells_y * height->dy);
  return {parametric_surface(f, lower, upper), misses.rms(points.size()), misses.largest};
}

FittedSurface fit_star(const Points& points, const StarFit& fit) {
  if (fit.degree < 1 || fit.degree > 16)
    throw Error(fmt::format("a star fit of degree {}: expected 1 to 16", fit.degree));
  const int n = (fit.degree + 1) * (fit.degree + 1), count = static_cast<int>(points.size());
  check_points(points, n, "star");
  Eigen::MatrixXd A(count, n);
  Eigen::VectorXd radii(count);
  for (int i = 0; i < count; ++i) {
    const Vector3<double> ray = points[i] - fit.centre;
    radii[i] = ray.norm();
    if (!(radii[i] > 0.0)) throw Error("a star fit has a point in its centre: expected points around it");
    each_monomial<double>(ray / radii[i], fit.degree, [&](int k, double w) { A(i, k) = w; });
  }
  const auto weights = std::make_shared<OwnedVector>(Eigen::VectorXd(A.colPivHouseholderQr().solve(radii)));
  Misses misses;
  for (int i = 0; i < count; ++i) misses.add(radii[i] - A.row(i).dot(*weights));
  const auto from_pole = [weights, fit](double pole) {
    return [weights, fit, pole](const auto& u) {
      using T = typename std::decay_t<decltype(u)>::Scalar;
      const T square = u[0] * u[0] + u[1] * u[1], over = T(1.0) / (T(1.0) + square);
      const Vector3<T> d(T(2.0) * u[0] * over, T(2.0) * u[1] * over, T(pole) * (square - T(1.0)) * over);
      T radius(0.0);
      each_monomial<T>(d, fit.degree, [&](int k, const T& w) { radius += T((*weights)[k]) * w; });
      return Vector3<T>(T(fit.centre[0]) + radius * d[0], T(fit.centre[1]) + radius * d[1],
                        T(fit.centre[2]) + radius * d[2]);
    };
  };
  return {two_pole_surface(from_pole(1.0), from_pole(-1.0)), misses.rms(points.size()), misses.largest};
}

}  // namespace amble
