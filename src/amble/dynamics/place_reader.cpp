#include "amble/dynamics/place_reader.hpp"

#include <Eigen/Geometry>

#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

/// A twist, its halves apart: neither is as long as a vector register, so both stay in plain ones.
struct Motion {
  Vector3<double> l, w;
};

/// The twists of columns about the root's origin, in one state, and how they are read at a point.
class ColumnReader {
 public:
  ColumnReader(const kernels::Tree& tree, const KinematicsNumbers& x, const RootedPose& point, JacobianFrame frame)
      : t_(tree), x_(x), at_(point), R_PW_(point.R.transpose()), frame_(frame) {}

  Motion column(int c) const { return read(numbers(x_.columns, c)); }

  /// d/dt of column(), for a point that moves with the twist V, aligned.
  Motion rate(int c, const Motion& V) const {
    const Motion S = numbers(x_.columns, c), S_dot = numbers(x_.column_rates, c);
    if (frame_ == JacobianFrame::world) return read(S_dot);
    const Motion at = at_point(S);
    Motion rate = at_point(S_dot);
    rate.l += S.w.cross(V.l);
    if (frame_ == JacobianFrame::aligned) return rate;
    return turned({rate.l - V.w.cross(at.l), rate.w - V.w.cross(at.w)});
  }

  /// The twist of the point, aligned, on a node.
  Motion twist(int node, const double* v) const {
    Motion V{Vector3<double>::Zero(), Vector3<double>::Zero()};
    for_columns(node, [&](int c) {
      const Motion S = numbers(x_.columns, c);
      V.l += v[t_.column_v[c]] * S.l, V.w += v[t_.column_v[c]] * S.w;
    });
    return at_point(V);
  }

  /// 6 x nv, row by row. Several nodes of a chain may share a velocity, so columns add.
  template <class F>
  void fill(int node, double* J, const F& column) const {
    std::fill_n(J, 6 * t_.nv, 0.0);
    for_columns(node, [&](int c) {
      const Motion S = column(c);
      double* to = J + t_.column_v[c];
      for (int k = 0; k < 3; ++k) to[k * t_.nv] += S.l[k], to[(3 + k) * t_.nv] += S.w[k];
    });
  }

 private:
  template <class F>
  void for_columns(int node, const F& f) const {
    for (int i = node; i > 0; i = t_.nodes[i].parent)
      for (int c = t_.nodes[i].column; c < t_.nodes[i].end_own(); ++c) f(c);
  }
  Motion numbers(const double* from, int c) const {
    const auto at = [&](int k) { return from[(k * t_.columns + c) * x_.stride]; };
    return {{at(0), at(1), at(2)}, {at(3), at(4), at(5)}};
  }
  Motion at_point(const Motion& S) const { return {S.l + S.w.cross(at_.p), S.w}; }
  Motion turned(const Motion& S) const { return {R_PW_ * S.l, R_PW_ * S.w}; }
  Motion read(const Motion& S) const {
    if (frame_ == JacobianFrame::world) return {S.l + at_.root.cross(S.w), S.w};
    return frame_ == JacobianFrame::aligned ? at_point(S) : turned(at_point(S));
  }

  const kernels::Tree& t_;
  const KinematicsNumbers& x_;
  const RootedPose& at_;
  Matrix3<double> R_PW_;
  JacobianFrame frame_;
};

}  // namespace

PlaceReader::PlaceReader(const Mechanism& m, Workspace& work, std::string_view name, const JacobianOptions& options)
    : memory_(work.memory()), frame_(options.frame) {
  const Place at = m.place(name);
  if (!options.point.allFinite()) throw Error("the point of a Jacobian is not finite");
  work.check_owner(m);
  node_ = memory_.tree.node_of_link(at.link);
  X_NP_ = Pose(memory_.tree.turn_of_link(at.link)) * at.X_LP * Pose(options.point);
}

void PlaceReader::jacobian(const KinematicsNumbers& x, double* J) const {
  const RootedPose at = point(x);
  const ColumnReader reader(memory_.tree.tree(), x, at, frame_);
  reader.fill(node_, J, [&](int c) { return reader.column(c); });
}

void PlaceReader::jacobian_dot(const KinematicsNumbers& x, const double* v, double* J_dot) const {
  const RootedPose at = point(x);
  const ColumnReader reader(memory_.tree.tree(), x, at, frame_);
  const Motion V = reader.twist(node_, v);
  reader.fill(node_, J_dot, [&](int c) { return reader.rate(c, V); });
}

}  // namespace amble
