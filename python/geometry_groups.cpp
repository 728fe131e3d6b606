#include "amble/geometry/se2.hpp"
#include "amble/geometry/se3.hpp"
#include "bindings.hpp"
#include "rows.hpp"

namespace amble::python {

namespace {

using Kernel = void (*)(const double* in, double* out);

/// A function of one argument on single items and on stacks of them.
void define(py::module_& m, const std::string& name, const char* argument, const Extents& in,
            const Extents& out, Kernel f, const std::string& doc) {
  m.def(
      name.c_str(), [=](const py::object& x) { return map_rows(stack(x, in, argument), out, f); },
      py::arg(argument), (doc + " Takes stacks.").c_str());
}

template <int Rows, int Cols>
Matrix<double, Rows, Cols> matrix_at(const double* in) {
  return Matrix<double, Cols, Rows>(in).transpose();
}

// Of each group: its tangents, and elements from matrices that are checked.
template <class Group>
typename Group::Tangent tangent(const double* in) {
  return typename Group::Tangent(Matrix<double, Group::kDim, 1>(in));
}
template <class T>
Matrix<double, Eigen::Dynamic, 1> numbers_of(const T& tangent) {
  if constexpr (requires { tangent.vector(); })
    return tangent.vector();
  else
    return tangent;
}
template <class Group>
Group element(const double* in);
template <>
SO3<double> element(const double* in) {
  return check_rotation(matrix_at<3, 3>(in), "R");
}
template <>
SE3<double> element(const double* in) {
  return check_pose(matrix_at<4, 4>(in), "X");
}
template <>
SE2<double> element(const double* in) {
  const Matrix3<double> given = matrix_at<3, 3>(in);
  Matrix4<double> lifted = Matrix4<double>::Identity();
  lifted.topLeftCorner<2, 2>() = given.topLeftCorner<2, 2>();
  lifted.topRightCorner<2, 1>() = given.topRightCorner<2, 1>();
  lifted.bottomLeftCorner<1, 2>() = given.bottomLeftCorner<1, 2>();
  lifted(3, 3) = given(2, 2);
  const Matrix4<double> X = check_pose(lifted, "X").matrix();
  return SE2<double>(SO2<double>(std::atan2(X(1, 0), X(0, 0))), X.topRightCorner<2, 1>());
}

template <class Group>
void bind_group(py::module_& m, const std::string& name, const char* tangent_name, const char* element_name,
                int size, const std::string& words) {
  using J = typename Group::Jacobian;
  using V = typename Group::Tangent;
  const int n = Group::kDim;
  const auto jacobian = [&]<J (*f)(const V&)>(const char* prefix, const char* doc) {
    define(
        m, prefix + name, tangent_name, {n}, {n, n},
        [](const double* in, double* out) { put(f(tangent<Group>(in)), out); }, doc);
  };
  define(
      m, "exp_" + name, tangent_name, {n}, {size, size},
      [](const double* in, double* out) { put(Group::exp(tangent<Group>(in)).matrix(), out); },
      "The exponential: " + words);
  define(
      m, "log_" + name, element_name, {size, size}, {n},
      [](const double* in, double* out) { put(numbers_of(element<Group>(in).log()), out); },
      "The inverse of exp_" + name + ", with an angle of at most pi.");
  jacobian.template operator()<&Group::left_jacobian>("left_jacobian_",
                                                      "J with exp(x + dx) = exp(J dx) exp(x).");
  jacobian.template operator()<&Group::left_jacobian_inverse>("left_jacobian_inverse_",
                                                              "The inverse of the left Jacobian.");
  jacobian.template operator()<&Group::right_jacobian>("right_jacobian_",
                                                       "J with exp(x + dx) = exp(x) exp(J dx).");
  jacobian.template operator()<&Group::right_jacobian_inverse>("right_jacobian_inverse_",
                                                               "The inverse of the right Jacobian.");
}

void bind_adjoints(py::module_& m) {
  define(
      m, "adjoint", "X", {4, 4}, {6, 6},
      [](const double* in, double* out) { put(element<SE3<double>>(in).adjoint(), out); },
      "Ad_X (6 x 6) for X = X_AB: a twist in B becomes the same twist in A, linear part first.");
  define(
      m, "coadjoint", "X", {4, 4}, {6, 6},
      [](const double* in, double* out) { put(element<SE3<double>>(in).coadjoint(), out); },
      "The same change of frame for wrenches, adjoint(X)^-T (6 x 6).");
  define(
      m, "ad", "V", {6}, {6, 6},
      [](const double* in, double* out) { put(ad(tangent<SE3<double>>(in)), out); },
      "ad_V (6 x 6): ad(V) @ U is the Lie bracket of twists, linear part first.");
  define(
      m, "coad", "V", {6}, {6, 6},
      [](const double* in, double* out) { put(coad(tangent<SE3<double>>(in)), out); },
      "-ad_V^T (6 x 6): how a wrench fixed in a body moving with V changes.");
}

void bind_rotations(py::module_& m) {
  define(
      m, "skew", "u", {3}, {3, 3},
      [](const double* in, double* out) { put(skew<double>(Vector3<double>(in)), out); },
      "The matrix of the cross product: skew(u) @ w = u x w.");
  define(
      m, "unskew", "M", {3, 3}, {3},
      [](const double* in, double* out) { put(unskew<double>(matrix_at<3, 3>(in)), out); },
      "The vector of the antisymmetric part, the inverse of skew.");
  define(
      m, "rotation_to_quaternion", "R", {3, 3}, {4},
      [](const double* in, double* out) { element<SO3<double>>(in).quaternion().to_xyzw(out); },
      "Unit quaternion (x, y, z, w) with w >= 0, as in a configuration.");
  define(
      m, "quaternion_to_rotation", "quaternion", {4}, {3, 3},
      [](const double* in, double* out) {
        const auto q = Quaternion<double>::from_xyzw(in);
        const double off = std::abs(std::sqrt(q.squared_norm()) - 1.0);
        if (!(off <= 1e-6))
          throw Error("quaternion is not of unit length: expected (x, y, z, w) within 1e-6 of it");
        put(q.normalized().matrix(), out);
      },
      "R (3 x 3) of a unit quaternion (x, y, z, w), as in a configuration.");
}

}  // namespace

void bind_groups(py::module_& m) {
  bind_group<SO3<double>>(m, "so3", "w", "R", 3, "rotation vector (3, rad) to rotation matrix (3 x 3).");
  bind_group<SE3<double>>(m, "se3", "V", "X", 4, "twist (6, linear part first) to pose (4 x 4).");
  bind_group<SE2<double>>(m, "se2", "V", "X", 3,
                          "planar twist (vx, vy, angular velocity) to planar pose (3 x 3).");
  bind_adjoints(m);
  bind_rotations(m);
}

}  // namespace amble::python
