#include "amble/dynamics/kinematics.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

void run_kinematics(Workspace& work, const double* v) {
  Workspace::Memory& x = work.memory();
  kernels::kernels().kinematics.single(x.tree.tree(), x.scratch.data(), x.q.data(), v, x.custom.numbers(),
                                       x.poses.numbers(), x.columns.numbers(), x.column_rates.numbers());
}

namespace {

/// A node's pose as the kernels give it: places are from the origin of its root, which is exact far from the world's.
struct NodePose {
  explicit NodePose(const double* numbers)
      : R(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(numbers)), p(numbers + 9), root(numbers + 12) {}
  Matrix3<double> R;
  Vector3<double> p, root;
};

Pose pose_of_link(Workspace& work, int link) {
  Workspace::Memory& x = work.memory();
  const int node = x.tree.node_of_link(link);
  if (node == 0) return Pose();
  const NodePose at(x.poses.numbers() + kernels::kPose * node);
  return Pose(SO3<double>(at.R), at.root + at.p) * Pose(x.tree.turn_of_link(link));
}

/// A place on a node, in world axes from the root's origin.
struct Point {
  int node = 0;
  Matrix3<double> R = Matrix3<double>::Identity();
  Vector3<double> p = Vector3<double>::Zero(), root = Vector3<double>::Zero();
};

Point point_of(Workspace& work, const Place& at, const Vector3<double>& point) {
  Workspace::Memory& x = work.memory();
  const Pose X_LP = at.X_LP * Pose(point);
  const int node = x.tree.node_of_link(at.link);
  if (node == 0) return {0, X_LP.rotation().matrix(), X_LP.translation(), Vector3<double>::Zero()};
  const NodePose n(x.poses.numbers() + kernels::kPose * node);
  const Pose X_NP = Pose(x.tree.turn_of_link(at.link)) * X_LP;
  return {node, n.R * X_NP.rotation().matrix(), n.p + n.R * X_NP.translation(), n.root};
}

/// The twists of columns about the root's origin and how they are read elsewhere, for one point.
class Reader {
 public:
  Reader(Workspace& work, const Point& point, JacobianFrame frame) : x_(work.memory()), at_(point), frame_(frame) {}

  Vector6<double> column(int c) const { return read(numbers(x_.columns, c)); }

  /// d/dt of column(), for a point that moves with the twist V about the root's origin.
  Vector6<double> rate(int c, const Vector6<double>& V) const {
    const Vector6<double> S = numbers(x_.columns, c);
    Vector6<double> rate = read(numbers(x_.column_rates, c));
    if (frame_ == JacobianFrame::world) return rate;
    const Vector3<double> W = V.tail<3>(), velocity = V.head<3>() + W.cross(at_.p), w = S.tail<3>();
    const Vector3<double> moved = w.cross(velocity);
    if (frame_ == JacobianFrame::aligned) {
      rate.head<3>() += moved;
      return rate;
    }
    const Vector3<double> l = S.head<3>() + w.cross(at_.p);
    rate.head<3>() += at_.R.transpose() * (moved - W.cross(l));
    rate.tail<3>() -= at_.R.transpose() * W.cross(w);
    return rate;
  }

  /// The twist of the point's node about the root's origin.
  Vector6<double> twist(const kernels::Tree& t, const double* v) const {
    Vector6<double> V = Vector6<double>::Zero();
    for_columns(t, [&](int c) { V += v[t.column_v[c]] * numbers(x_.columns, c); });
    return V;
  }

  template <class F>
  void for_columns(const kernels::Tree& t, const F& f) const {
    for (int i = at_.node; i > 0; i = t.nodes[i].parent)
      for (int c = t.nodes[i].column; c < t.nodes[i].end_own(); ++c) f(c);
  }

 private:
  Vector6<double> numbers(ResultSlot& slot, int c) const {
    Vector6<double> S;
    for (int k = 0; k < 6; ++k) S[k] = slot.numbers()[k * slot.cols + c];
    return S;
  }
  Vector6<double> read(const Vector6<double>& S) const {
    const Vector3<double> l = S.head<3>(), w = S.tail<3>();
    Vector6<double> out;
    switch (frame_) {
      case JacobianFrame::world: out << l + at_.root.cross(w), w; break;
      case JacobianFrame::aligned: out << l + w.cross(at_.p), w; break;
      case JacobianFrame::local: out << at_.R.transpose() * (l + w.cross(at_.p)), at_.R.transpose() * w; break;
    }
    return out;
  }

  Workspace::Memory& x_;
  const Point& at_;
  JacobianFrame frame_;
};

void check_point(const JacobianOptions& options) {
  if (!options.point.allFinite()) throw Error("the point of a Jacobian is not finite");
}

/// Several nodes of a chain may share a velocity, so columns add.
template <class F>
MatrixView fill(Workspace& work, const Reader& reader, ResultSlot& slot, const F& column) {
  const kernels::Tree& t = work.memory().tree.tree();
  Eigen::Map<RowMatrix> J(slot.numbers(), 6, t.nv);
  J.setZero();
  reader.for_columns(t, [&](int c) { J.col(t.column_v[c]) += column(c); });
  ++slot.writes;
  return work.memory().matrix(slot);
}

}  // namespace

JacobianFrame jacobian_frame(std::string_view name) {
  if (name == "local") return JacobianFrame::local;
  if (name == "world") return JacobianFrame::world;
  if (name == "aligned") return JacobianFrame::aligned;
  throw Error(fmt::format("unknown frame '{}', expected 'local', 'world' or 'aligned'", name));
}

LinkPoses forward_kinematics(const Mechanism& m, Workspace& work, const VectorRef& q) {
  load_state(m, work, q, nullptr);
  run_kinematics(work, nullptr);
  Workspace::Memory& x = work.memory();
  for (std::size_t i = 1; i < x.X_WL.size(); ++i) x.X_WL[i] = pose_of_link(work, static_cast<int>(i));
  ++x.poses.writes;
  return {x.X_WL, x.watch(x.poses)};
}

Pose pose(const Mechanism& m, Workspace& work, const VectorRef& q, std::string_view place) {
  const Place at = m.place(place);
  load_state(m, work, q, nullptr);
  run_kinematics(work, nullptr);
  return pose_of_link(work, at.link) * at.X_LP;
}

MatrixView jacobian(const Mechanism& m, Workspace& work, const VectorRef& q, std::string_view place,
                    const JacobianOptions& options) {
  const Place at = m.place(place);
  check_point(options);
  load_state(m, work, q, nullptr);
  run_kinematics(work, nullptr);
  const Point point = point_of(work, at, options.point);
  const Reader reader(work, point, options.frame);
  return fill(work, reader, work.memory().jacobian, [&](int c) { return reader.column(c); });
}

MatrixView jacobian_dot(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                        std::string_view place, const JacobianOptions& options) {
  const Place at = m.place(place);
  check_point(options);
  load_state(m, work, q, &v, CustomNumbers::changes);
  run_kinematics(work, v.data());
  const Point point = point_of(work, at, options.point);
  const Reader reader(work, point, options.frame);
  const Vector6<double> V = reader.twist(work.memory().tree.tree(), v.data());
  return fill(work, reader, work.memory().jacobian_dot, [&](int c) { return reader.rate(c, V); });
}

}  // namespace amble
