#pragma once

#include "amble/io/mjcf/compiled.hpp"
#include "amble/io/mjcf/describe.hpp"
#include "amble/mechanism/tendon_path.hpp"

namespace amble {

/// A tendon with its class resolved and what it names found.
struct CompiledTendon {
  struct Term {
    const CompiledJoint* joint = nullptr;
    double coefficient = 1.0;
  };
  struct Point {
    TendonPoint::Kind kind = TendonPoint::Kind::point;
    int body = 0;
    Pose X_BP;
    double radius = 0.0, divisor = 1.0;
    int side_body = -1;
    Vector3<double> side{0.0, 0.0, 0.0};
  };

  const MjcfElement* element = nullptr;
  std::string name;
  std::vector<Term> terms;
  std::vector<Point> path;
  std::array<double, 3> stiffness{}, damping{};
  std::array<double, 2> rest{-1.0, -1.0}, raw_range{};
  double friction = 0.0, armature = 0.0;
  MjcfRange range, force;
};

/// All tendons in order. Rest lengths of -1 are worked out. Throws an Error at the element for what cannot be; a tendon over
/// what is not read is left out with a warning.
std::vector<CompiledTendon> compile_tendons(const MjcfSources& sources, const CompiledModel& model, Problems& findings);

/// Poses of the bodies where each hinge and slide is at joint(...), others as drawn.
template <class F>
std::vector<Pose> compiled_poses(const CompiledModel& model, F joint) {
  std::vector<Pose> X_WB{Pose()};
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const CompiledBody& body = model.bodies[i];
    Pose X = X_WB[static_cast<std::size_t>(body.parent)] * body.X_PB;
    for (const CompiledJoint& j : body.joints) {
      if (j.freedoms() != 1) continue;
      const Vector3<double> step = (joint(j) - j.ref) * j.axis;
      const bool turns = j.type == CompiledJoint::Type::hinge;
      X = X * (turns ? Pose(j.anchor) * Pose(SO3<double>::exp(step)) * Pose(Vector3<double>(-j.anchor)) : Pose(step));
    }
    X_WB.push_back(X);
  }
  return X_WB;
}

/// The length of a tendon for these poses and coordinates; piece(TendonPiece) for the straight pieces.
template <class F, class Piece>
double compiled_length(const CompiledTendon& t, const std::vector<Pose>& X_WB, F joint, Piece piece) {
  double length = 0.0;
  for (const CompiledTendon::Term& term : t.terms) length += term.coefficient * joint(*term.joint);
  const auto stop = [&](std::size_t i) {
    const CompiledTendon::Point& p = t.path[i];
    const auto pose = [&](int body) { return X_WB[static_cast<std::size_t>(body)]; };
    TendonStop out{p.kind, p.body, pose(p.body) * p.X_BP, p.radius, p.divisor, {}};
    if (p.side_body >= 0) out.side = pose(p.side_body) * p.side;
    return out;
  };
  return length + tendon_path_length(t.path.size(), stop, piece);
}

/// At qpos0.
double drawn_length(const CompiledTendon& tendon, const CompiledModel& model);

void describe_tendons(MjcfDescriber& d, const std::vector<CompiledTendon>& tendons);

/// Loops, joints that follow others unless `mimic` is false, and couplings.
void describe_equalities(MjcfDescriber& d, const std::vector<CompiledTendon>& tendons, bool mimic);

}  // namespace amble
