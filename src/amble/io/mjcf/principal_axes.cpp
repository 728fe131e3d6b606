#include "amble/io/mjcf/principal_axes.hpp"

#include <cmath>

namespace amble {

namespace {

constexpr double kStop = 1e-12;
constexpr int kMostTurns = 500;

/// The plane of the largest entry above the diagonal, which for equal ones is the last.
void largest_entry(const Matrix3<double>& D, int& row, int& col) {
  const double xy = std::abs(D(0, 1)), xz = std::abs(D(0, 2)), yz = std::abs(D(1, 2));
  row = xy > xz && xy > yz ? 0 : xz > yz ? 0 : 1;
  col = xy > xz && xy > yz ? 1 : 2;
}

/// The tangent of the angle in the plane (row, col) after which D has a zero there.
double tangent(const Matrix3<double>& D, int row, int col) {
  const double tau = (D(col, col) - D(row, row)) / (2.0 * D(row, col)), root = std::sqrt(1.0 + tau * tau);
  return tau >= 0.0 ? 1.0 / (tau + root) : -1.0 / (root - tau);
}

Quaternion<double> turn_in_plane(int row, int col, double cosine, double sign) {
  const int about = 3 - row - col;
  Quaternion<double> q;
  q.v[about] = (about == 1 ? sign : -sign) * std::sqrt(0.5 - 0.5 * cosine);
  q.w = std::sqrt(1.0 - q.v[about] * q.v[about]);
  return q;
}

/// Descending, by quarter turns, so that the axes stay right-handed.
void sort(Vector3<double>& moments, Quaternion<double>& q) {
  for (const int i : {0, 1, 0}) {
    if (moments[i] + kStop >= moments[i + 1]) continue;
    std::swap(moments[i], moments[i + 1]);
    Quaternion<double> quarter{Vector3<double>::Zero(), std::sqrt(0.5)};
    quarter.v[(i + 2) % 3] = std::sqrt(0.5);
    q = (q * quarter).normalized();
  }
}

}  // namespace

MjcfMoments mjcf_principal_axes(const Matrix3<double>& symmetric) {
  Quaternion<double> q;
  Matrix3<double> D = symmetric;
  for (int i = 0; i < kMostTurns; ++i) {
    const Matrix3<double> R = q.matrix();
    D = R.transpose() * symmetric * R;
    int row = 0, col = 0;
    largest_entry(D, row, col);
    if (!(std::abs(D(row, col)) >= kStop)) break;
    const double t = tangent(D, row, col), cosine = 1.0 / std::sqrt(1.0 + t * t);
    if (cosine > 1.0 - kStop) break;
    q = (q * turn_in_plane(row, col, cosine, t >= 0.0 ? 1.0 : -1.0)).normalized();
  }
  MjcfMoments out;
  out.moments = D.diagonal();
  sort(out.moments, q);
  out.axes = SO3<double>(q);
  return out;
}

}  // namespace amble
