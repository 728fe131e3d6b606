#include "amble/io/mjcf/drawn_moments.hpp"

#include "amble/mechanism/transmission.hpp"

namespace amble {

namespace {

Wrench<double> wrench(const UnitForce& F) {
  return {F.force, Vector3<double>(F.moment + cross<double>(F.point, F.force))};
}

int common_body(const CompiledModel& model, int a, int b) {
  while (a != b) {
    int& outer = a > b ? a : b;
    outer = model.bodies[static_cast<std::size_t>(outer)].parent;
  }
  return a;
}

void add_joint(const CompiledDrive& drive, const CompiledModel& model, std::vector<double>& out) {
  const CompiledJoint& j = *drive.joint;
  const auto put = [&](int at, double x) { out[static_cast<std::size_t>(j.v + at)] = x; };
  if (j.freedoms() == 1) return put(0, drive.gear[0]);
  const std::size_t first = j.type == CompiledJoint::Type::free ? 3 : 0;
  Vector3<double> torque(drive.gear[first], drive.gear[first + 1], drive.gear[first + 2]);
  if (drive.in_parent && j.type == CompiledJoint::Type::free)
    for (const CompiledBody& body : model.bodies)
      if (!body.joints.empty() && &body.joints[0] == &j) torque = body.X_WB.rotation().inverse() * torque;
  for (int k = 0; k < 3; ++k) put(static_cast<int>(first) + k, torque[k]);
  if (first == 3)
    for (int k = 0; k < 3; ++k) put(k, drive.gear[static_cast<std::size_t>(k)]);
}

void add_tendon(const CompiledTendon& t, double gear, const CompiledModel& model,
                const CompiledMassMatrix& matrix, std::vector<double>& out) {
  drawn_length(t, model, [&](const TendonPiece& piece) {
    const Vector3<double> way = piece.b - piece.a;
    const double length = way.norm();
    if (piece.body_a == piece.body_b || length == 0.0) return;
    const Wrench<double> F = wrench({Vector3<double>(way / length), Vector3<double>::Zero(), piece.b});
    const int common = common_body(model, piece.body_a, piece.body_b);
    matrix.add_force(piece.body_b, common, F, gear * piece.share, out);
    matrix.add_force(piece.body_a, common, F, -gear * piece.share, out);
  });
  for (const CompiledTendon::Term& term : t.terms)
    out[static_cast<std::size_t>(term.joint->v)] += gear * term.coefficient;
}

Pose place(const CompiledPlace& at, const CompiledModel& model) {
  return model.bodies[static_cast<std::size_t>(at.body)].X_WB * at.site->X_BS;
}

void add_site(const CompiledDrive& drive, const CompiledModel& model, const CompiledMassMatrix& matrix,
              std::vector<double>& out) {
  const CompiledPlace& other = drive.slider.site != nullptr ? drive.slider : drive.reference;
  const Pose X_WF = place(drive.site, model);
  if (other.site == nullptr)
    return matrix.add_force(drive.site.body, 0, wrench(frame_transmission(drive.gear, X_WF).on_frame), 1.0,
                            out);
  const Pose X_WR = place(other, model);
  const Transmission t = drive.slider.site != nullptr
                             ? slider_transmission(drive.gear[0], drive.rod, X_WF, X_WR)
                             : relative_transmission(drive.gear, {X_WF, drive.site.site->X_BS.rotation()},
                                                     {X_WR, other.site->X_BS.rotation()});
  const int common = common_body(model, drive.site.body, other.body);
  matrix.add_force(drive.site.body, common, wrench(t.on_frame), 1.0, out);
  matrix.add_force(other.body, common, wrench(t.on_reference), 1.0, out);
}

}  // namespace

std::vector<double> drawn_moment(const CompiledDrive& drive, const CompiledModel& model,
                                 const std::vector<CompiledTendon>& tendons,
                                 const CompiledMassMatrix& matrix) {
  std::vector<double> out(static_cast<std::size_t>(model.nv), 0.0);
  if (drive.joint != nullptr) add_joint(drive, model, out);
  if (drive.tendon >= 0)
    add_tendon(tendons[static_cast<std::size_t>(drive.tendon)], drive.gear[0], model, matrix, out);
  if (drive.site.site != nullptr) add_site(drive, model, matrix, out);
  return out;
}

}  // namespace amble
