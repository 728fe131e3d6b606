#include "amble/dynamics/kinematics.hpp"

#include <fmt/format.h>

#include "amble/dynamics/place_reader.hpp"
#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

void run_kinematics(Workspace& work, const double* v) {
  Workspace::Memory& x = work.memory();
  kernels::kernels().kinematics.single(x.tree.tree(), x.scratch.data(), x.q.data(), v, x.custom.numbers(),
                                       x.poses.numbers(), x.columns.numbers(), x.column_rates.numbers());
}

namespace {

/// Loads the state, null v being none, and runs the kernel.
KinematicsNumbers evaluate(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef* v = nullptr) {
  load_state(m, work, q, v, v == nullptr ? CustomNumbers::motion : CustomNumbers::changes);
  run_kinematics(work, v == nullptr ? nullptr : v->data());
  Workspace::Memory& x = work.memory();
  return {x.poses.numbers(), x.columns.numbers(), x.column_rates.numbers(), 1};
}

MatrixView written(Workspace& work, ResultSlot& slot) {
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
  const KinematicsNumbers numbers = evaluate(m, work, q);
  Workspace::Memory& x = work.memory();
  for (int i = 1; i < static_cast<int>(x.X_WL.size()); ++i)
    x.X_WL[i] = node_pose(numbers, x.tree.node_of_link(i)).in_world() * Pose(x.tree.turn_of_link(i));
  ++x.poses.writes;
  return {x.X_WL, x.watch(x.poses)};
}

Pose pose(const Mechanism& m, Workspace& work, const VectorRef& q, std::string_view place) {
  const PlaceReader at(m, work, place);
  return at.pose(evaluate(m, work, q));
}

MatrixView jacobian(const Mechanism& m, Workspace& work, const VectorRef& q, std::string_view place,
                    const JacobianOptions& options) {
  const PlaceReader at(m, work, place, options);
  ResultSlot& J = work.memory().jacobian;
  at.jacobian(evaluate(m, work, q), J.numbers());
  return written(work, J);
}

MatrixView jacobian_dot(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                        std::string_view place, const JacobianOptions& options) {
  const PlaceReader at(m, work, place, options);
  ResultSlot& J_dot = work.memory().jacobian_dot;
  at.jacobian_dot(evaluate(m, work, q, &v), v.data(), J_dot.numbers());
  return written(work, J_dot);
}

}  // namespace amble
