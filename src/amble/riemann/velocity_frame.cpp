#include "amble/riemann/velocity_frame.hpp"

#include <algorithm>

#include "amble/base/slope.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

void put_bracket(Christoffel& out, int start, int j, int k, const Vector6<double>& bracket, int offset,
                 int size) {
  for (int i = 0; i < size; ++i) out(start + i, start + j, start + k) = bracket[offset + i];
}

/// ad of the unit twists: all of se(3), or its rotations alone.
void put_group(Christoffel& out, int start, int offset, int size) {
  for (int j = 0; j < size; ++j) {
    const Matrix6<double> ad_j = ad(Twist<double>(Vector6<double>(Vector6<double>::Unit(offset + j))));
    for (int k = 0; k < size; ++k) put_bracket(out, start, j, k, ad_j.col(offset + k), offset, size);
  }
}

/// v = S(d) ddot, so that the fields are the columns of S^-1: [e_j, e_k] = dS_j / dd_k - dS_k / dd_j at d =
/// 0.
void put_custom(const CustomJoint& joint, const double* q, int start, Christoffel& out) {
  const int n = joint.nv();
  std::array<Matrix6<double>, 6> slope;
  for (int k = 0; k < n; ++k)
    slope[k] = slope_at_zero([&](double t) {
      Vector6<double> d = t * Vector6<double>::Unit(k);
      Matrix6<double> S = Matrix6<double>::Zero();
      joint.local_jacobian(q, d.data(), S);
      return S;
    });
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) out(start + i, start + j, start + k) = slope[k](i, j) - slope[j](i, k);
}

}  // namespace

void structure_constants(const Mechanism& m, const VectorRef& q, Christoffel& out) {
  const OwnedVector at = m.checked_configuration(q);
  std::fill_n(out.data(), static_cast<std::size_t>(m.nv()) * m.nv() * m.nv(), 0.0);
  for (const Joint& joint : m.joints()) {
    if (joint.link < 0 || joint.leader >= 0) continue;
    if (joint.kind == kJointKind<Spherical>) put_group(out, joint.v.start, 3, 3);
    if (joint.kind == kJointKind<Free>) put_group(out, joint.v.start, 0, 6);
    if (joint.kind == kJointKind<Custom>)
      put_custom(*joint.parameters.custom, at.data() + joint.q.start, joint.v.start, out);
  }
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
