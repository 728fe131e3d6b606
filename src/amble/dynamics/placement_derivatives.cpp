#include "amble/dynamics/placement_derivatives.hpp"

#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

/// A joint's frame F on the link that carries it, and how that moves.
struct Placement {
  int link = 0;
  Pose X_LF;
  Twist<double> V_F, A_F;

  Placement(const Mechanism& m, std::span<const LinkMotion> links, const Joint& joint) : X_LF(joint.X_PF) {
    if (joint.parent >= 0) {
      const Body& parent = m.bodies()[joint.parent];
      link = parent.link;
      X_LF = parent.X_LB * X_LF;
    }
    V_F = X_LF.inverse() * links[link].V;
    A_F = X_LF.inverse() * links[link].A;
  }
};

bool hangs_on(const Mechanism& m, int body, int joint) {
  while (body >= 0 && m.bodies()[body].joint != joint) body = m.bodies()[body].parent;
  return body >= 0;
}

/// What moves a body, and how that changes with d: both in the body's frame, which moves along.
struct BodyPull {
  Wrench<double> F;
  Matrix6<double> dF;
};

/// cross(V, F) for every column V.
Matrix6<double> cross_columns(const Matrix6<double>& V, const Wrench<double>& F) {
  Matrix6<double> out;
  for (int c = 0; c < 6; ++c) out.col(c) = cross(Twist<double>(Vector6<double>(V.col(c))), F).vector();
  return out;
}

/// Seen from F, its carrier now moves with exp(-d) V_F: dV_F = ad(V_F) d, dA_F = ad(A_F) d. In a body beyond these
/// are dV = Ad dV_F and, as A has the term ad(V) V_FB, dA = Ad (dA_F - ad(dV_F) V_F) + ad(dV) V.
BodyPull body_pull(const Placement& at, const Pose& X_BF, const Inertia<double>& I, const Twist<double>& V,
                   const Twist<double>& A) {
  const Matrix6<double> N = ad(at.V_F), Ad = X_BF.adjoint(), mass = I.matrix();
  const Matrix6<double> dV = Ad * N, dA = Ad * (ad(at.A_F) + N * N) - ad(V) * dV;
  return {I * A + cross(V, I * V), mass * dA + coad(V) * mass * dV + cross_columns(dV, I * V)};
}

/// X_LB for the link L that carries the joint.
Pose pose_on_carrier(const Mechanism& m, std::span<const LinkMotion> links, const Placement& at, const Body& body) {
  Pose X = body.X_LB;
  for (int i = body.link; i != at.link; i = m.links()[i].parent) X = links[i].X_PL * X;
  return X;
}

}  // namespace

MatrixView inverse_dynamics_placement_derivatives(const Mechanism& m, Workspace& work, const VectorRef& q,
                                                  const VectorRef& v, const VectorRef& a, std::string_view joint) {
  const int index = m.joint_index(joint);
  const std::span<const LinkMotion> links = link_accelerations(m, work, q, v, a);
  const Placement at(m, links, m.joints()[index]);
  ResultSlot& slot = work.memory().placement;
  Eigen::Map<RowMatrix> out(slot.numbers(), slot.rows, slot.cols);
  out.setZero();
  Wrench<double> F;  // on the carrier, of all that moves
  Matrix6<double> dF = Matrix6<double>::Zero();
  for (std::size_t b = 0; b < m.bodies().size(); ++b) {
    if (!hangs_on(m, static_cast<int>(b), index)) continue;
    const Body& body = m.bodies()[b];
    const Pose X_BL = body.X_LB.inverse(), X_CB = pose_on_carrier(m, links, at, body);
    const LinkMotion& on = links[body.link];
    const BodyPull pull = body_pull(at, X_CB.inverse() * at.X_LF, body.inertia, X_BL * on.V, X_BL * on.A);
    F += X_CB * pull.F;
    dF += add_pull_back(m, links, body.link, at.link, Matrix6<double>(body.X_LB.coadjoint() * pull.dF), out);
  }
  // The wrench moves with F too: on the carrier it changes by cross(d, F).
  dF += cross_columns(at.X_LF.adjoint(), F);
  add_pull_back(m, links, at.link, 0, dF, out);
  ++slot.writes;
  return work.memory().matrix(slot);
}

}  // namespace amble
