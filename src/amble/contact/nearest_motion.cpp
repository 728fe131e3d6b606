#include <fmt/format.h>

#include <Eigen/LU>

#include "amble/base/error.hpp"
#include "amble/contact/shape_meeting.hpp"

// How proven nearest points move with their shapes: the derivative of what makes the gap stationary.
namespace amble::detail {

namespace {

using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::DontAlign, 6, 6>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::DontAlign, 6, 1>;

/// The stationary gap: p_b(n) - p_a(n) - distance n - sum mu_k f_k = 0, n . n = 1, f_k . n = 0. Its matrix, in (n, distance, mu).
Small stationarity(const Meeting& m) {
  Small out = Small::Zero(4 + m.flat.count, 4 + m.flat.count);
  out.topLeftCorner<3, 3>() = -m.a.bend - m.b.bend - m.distance * Matrix3<double>::Identity();
  out.block<3, 1>(0, 3) = -m.n;
  out.block<1, 3>(3, 0) = -m.n.transpose();
  for (int k = 0; k < m.flat.count; ++k) {
    out.block<3, 1>(0, 4 + k) = -m.flat.along[k];
    out.block<1, 3>(4 + k, 0) = -m.flat.along[k].transpose();
  }
  return out;
}

/// Nearest points and their meeting. Throws an Error where they are not there, or not one pair.
Slides met(const std::string& name, const Side& a, const Side& b, const Vector3<double>& normal, Meeting& m) {
  const NearestShapes at = from_direction(a, b, normal, m);
  if (!at.proven)
    throw Error(
        fmt::format("contact '{}' has no nearest points along ({}, {}, {}): expected what nearest() gave",
                    name, normal[0], normal[1], normal[2]));
  if (!at.one_pair)
    throw Error(fmt::format(
        "contact '{}' lies flat: its nearest points are a line or an area, which has no velocity; collide() "
        "gives its corners",
        name));
  return slide(m, m.distance * m.n - (m.b.at - m.a.at));
}

/// With n held: how a piece's own point and its slide move with the body; `along` is n as the body is met.
Vector3<double> carried(const FrameMotion& frame, const SupportPiece& piece, const Vector3<double>& slid,
                        const Vector3<double>& along) {
  return frame.p_dot + cross<double>(frame.omega, piece.at + slid - frame.p) -
         piece.bend * cross<double>(frame.omega, along);
}

/// e . n = 0 stays: e . n_dot = -(omega x e) . n, for each independent edge with the body it is of.
void hold_edges(const Meeting& m, const Vector3<double>& omega_a, const Vector3<double>& omega_b,
                Small& matrix, SmallVector& f) {
  int row = 4;
  Flats seen;
  const auto hold = [&](const SupportPiece& piece, const Vector3<double>& omega) {
    for (int i = 0; i < piece.free; ++i) {
      const int before = seen.count;
      seen.add(piece.edges[i]);
      if (seen.count == before) continue;
      matrix.block<1, 3>(row, 0) = -piece.edges[i].transpose();
      f[row++] = -cross<double>(omega, piece.edges[i]).dot(m.n);
    }
  };
  hold(m.a, omega_a);
  hold(m.b, omega_b);
}

}  // namespace

ContactMotion motion_of_nearest(const std::string& name, const CollisionShape& a, const FrameMotion& frame_a,
                                const CollisionShape& b, const FrameMotion& frame_b,
                                const Vector3<double>& normal) {
  Meeting m;
  const Slides by = met(name, {a, frame_a.R, frame_a.p}, {b, frame_b.R, frame_b.p}, normal, m);
  const Vector3<double> rate_a = carried(frame_a, m.a, by.on_a, m.n),
                        rate_b = carried(frame_b, m.b, by.on_b, -m.n);
  SmallVector f = SmallVector::Zero(4 + m.flat.count);
  f.head<3>() = rate_b - rate_a;
  Small matrix = stationarity(m);
  hold_edges(m, frame_a.omega, frame_b.omega, matrix, f);
  const SmallVector x = matrix.fullPivLu().solve(-f);
  ContactMotion out;
  out.normal_dot = x.head<3>();
  out.distance_rate = x[3];
  const Vector3<double> a0 = rate_a + m.a.bend * out.normal_dot, b0 = rate_b - m.b.bend * out.normal_dot;
  const Slides rates = slide(m, out.distance_rate * m.n + m.distance * out.normal_dot - (b0 - a0));
  out.p_a_dot = a0 + rates.on_a;
  out.p_b_dot = b0 + rates.on_b;
  return out;
}

}  // namespace amble::detail
