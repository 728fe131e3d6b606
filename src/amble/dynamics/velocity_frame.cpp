#include "amble/dynamics/velocity_frame.hpp"

#include <algorithm>

#include "amble/base/slope.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

/// c[j](i, k) of [e_j, e_k] = sum_i c[j](i, k) e_i, of one joint.
using JointConstants = std::array<Matrix6<double>, 6>;

/// v = S(d) ddot, so that the fields are the columns of S^-1: [e_j, e_k] = dS_j / dd_k - dS_k / dd_j at d =
/// 0.
JointConstants custom_constants(const CustomJoint& joint, const double* q) {
  const int n = joint.nv();
  std::array<Matrix6<double>, 6> slope;
  for (int k = 0; k < n; ++k)
    slope[k] = slope_at_zero([&](double t) {
      Vector6<double> d = t * Vector6<double>::Unit(k);
      Matrix6<double> S = Matrix6<double>::Zero();
      joint.local_jacobian(q, d.data(), S);
      return S;
    });
  JointConstants c{};
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < n; ++k) c[j].col(k) = slope[k].col(j) - slope[j].col(k);
  return c;
}

/// Of the joints whose fields do not commute: what(first number of v, how many, their constants).
template <class What>
void for_each_group(const Mechanism& m, const OwnedVector& q, What what) {
  static const JointConstants se3 = [] {
    JointConstants c{};
    for (int j = 0; j < 6; ++j) c[j] = ad(Twist<double>(Vector6<double>(Vector6<double>::Unit(j))));
    return c;
  }();
  static const JointConstants so3 = [] {
    JointConstants c{};
    for (int j = 0; j < 3; ++j) c[j].topLeftCorner<3, 3>() = se3[3 + j].bottomRightCorner<3, 3>();
    return c;
  }();
  for (const Joint& joint : m.joints()) {
    if (joint.link < 0 || joint.leader >= 0) continue;
    if (joint.kind == kJointKind<Spherical>) what(joint.v.start, 3, so3);
    if (joint.kind == kJointKind<Free>) what(joint.v.start, 6, se3);
    if (joint.kind == kJointKind<Custom>)
      what(joint.v.start, joint.parameters.custom->nv(),
           custom_constants(*joint.parameters.custom, q.data() + joint.q.start));
  }
}

}  // namespace

void structure_constants(const Mechanism& m, const VectorRef& q, Christoffel& out) {
  std::fill_n(out.data(), static_cast<std::size_t>(m.nv()) * m.nv() * m.nv(), 0.0);
  for_each_group(m, m.checked_configuration(q), [&](int start, int n, const JointConstants& c) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) out(start + i, start + j, start + k) = c[j](i, k);
  });
}

void bracket_matrix(const Mechanism& m, const VectorRef& q, const VectorRef& v, OwnedMatrix& out) {
  if (out.rows() != m.nv() || out.cols() != m.nv()) out = OwnedMatrix(m.nv(), m.nv());
  out.setZero();
  for_each_group(m, m.checked_configuration(q), [&](int start, int n, const JointConstants& c) {
    for (int j = 0; j < n; ++j) out.block(start, start, n, n) += v[start + j] * c[j].topLeftCorner(n, n);
  });
}

bool structure_varies(const Mechanism& m) {
  return std::any_of(m.joints().begin(), m.joints().end(),
                     [](const Joint& j) { return j.kind == kJointKind<Custom>; });
}

OwnedVector contract(const Christoffel& c, const VectorRef& x, const VectorRef& y) {
  const int n = c.nv();
  OwnedVector out(n);
  for (int i = 0; i < n; ++i)
    out[i] = x.dot(Eigen::Map<const RowMatrix>(c.data() + static_cast<std::size_t>(i) * n * n, n, n) * y);
  return out;
}

OwnedVector lie_bracket(const Mechanism& m, const VectorRef& q, const VectorRef& X, const OwnedMatrix& dX,
                        const VectorRef& Y, const OwnedMatrix& dY) {
  Christoffel c(m.nv());
  structure_constants(m, q, c);
  return dY * X - dX * Y + contract(c, X, Y);
}

}  // namespace amble
