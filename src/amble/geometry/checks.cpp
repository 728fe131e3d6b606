#include <Eigen/LU>
#include <cmath>

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/geometry/se3.hpp"
#include "amble/geometry/shape.hpp"

namespace amble {

SO3<double> check_rotation(const Matrix3<double>& matrix, const char* what, double tolerance) {
  if (!matrix.allFinite()) throw Error(std::string(what) + " has a number that is not finite");
  const double defect = (matrix.transpose() * matrix - Matrix3<double>::Identity()).cwiseAbs().maxCoeff();
  if (!(defect <= tolerance))
    throw Error(fmt::format("{} is not a rotation: R^T R differs from the identity by {:.6g}, more than {:g}",
                            what, defect, tolerance));
  if (matrix.determinant() < 0.0) throw Error(std::string(what) + " is a reflection: its determinant is -1");
  // A matrix that is orthonormal to rounding already is kept bit for bit.
  if (defect < 4e-16) return SO3<double>(matrix);
  // Newton's iteration for the polar factor squares the defect each time: from 1e-3 three steps are enough.
  Matrix3<double> R = matrix;
  for (int k = 0; k < 3; ++k) R = Matrix3<double>(1.5 * R - 0.5 * R * (R.transpose() * R));
  return SO3<double>(R);
}

Pose check_pose(const Matrix4<double>& matrix, const char* what) {
  if (!matrix.allFinite()) throw Error(std::string(what) + " has a number that is not finite");
  const SO3<double> R = check_rotation(matrix.topLeftCorner<3, 3>(), what);
  const Vector4<double> last = matrix.row(3).transpose();
  if (last != Vector4<double>(0.0, 0.0, 0.0, 1.0))
    throw Error(fmt::format("{} is not a pose: its last row is {} {} {} {}, expected 0 0 0 1", what, last[0],
                            last[1], last[2], last[3]));
  return Pose(R, matrix.topRightCorner<3, 1>());
}

namespace {
constexpr std::string_view kShapeNames[] = {"box",       "sphere", "cylinder", "capsule",
                                            "ellipsoid", "plane",  "mesh"};
constexpr std::string_view kCombineNames[] = {"mean", "larger", "smaller"};
}  // namespace

std::string_view shape_name(Shape::Kind kind) { return kShapeNames[static_cast<int>(kind)]; }

std::optional<Shape::Kind> shape_kind(std::string_view name) {
  for (int i = 0; i < static_cast<int>(std::size(kShapeNames)); ++i)
    if (kShapeNames[i] == name) return static_cast<Shape::Kind>(i);
  return std::nullopt;
}

std::string_view combine_name(ContactSurface::Combine rule) { return kCombineNames[static_cast<int>(rule)]; }

std::optional<ContactSurface::Combine> combine_rule(std::string_view name) {
  for (int i = 0; i < static_cast<int>(std::size(kCombineNames)); ++i)
    if (kCombineNames[i] == name) return static_cast<ContactSurface::Combine>(i);
  return std::nullopt;
}

}  // namespace amble
