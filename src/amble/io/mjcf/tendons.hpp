#pragma once

#include <map>

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

/// All tendons in order. Rest lengths of -1 are worked out. Throws an Error at the element for what cannot
/// be; a tendon over what is not read is left out with a warning.
std::vector<CompiledTendon> compile_tendons(const MjcfSources& sources, const CompiledModel& model,
                                            Problems& findings);

/// Finds them by name.
class TendonNames {
 public:
  explicit TendonNames(const std::vector<CompiledTendon>& tendons);
  /// -1 when there is none.
  int find(const std::string& name) const;
  /// Throws an Error at the element when there is none.
  int find(const MjcfElement& element, const std::string& name) const;

 private:
  std::map<std::string, int> places_;
};

/// The length of a tendon where pose(body) are the poses of bodies and joint(j) the coordinates;
/// piece(TendonPiece) is called for the straight pieces.
template <class PoseOf, class F, class Piece>
double compiled_length(const CompiledTendon& t, PoseOf pose, F joint, Piece piece) {
  double length = 0.0;
  for (const CompiledTendon::Term& term : t.terms) length += term.coefficient * joint(*term.joint);
  const auto stop = [&](std::size_t i) {
    const CompiledTendon::Point& p = t.path[i];
    TendonStop out{p.kind, p.body, pose(p.body) * p.X_BP, p.radius, p.divisor, {}};
    if (p.side_body >= 0) out.side = pose(p.side_body) * p.side;
    return out;
  };
  return length + tendon_path_length(t.path.size(), stop, piece);
}

/// The same at qpos0, where the model stands as drawn.
template <class Piece>
double drawn_length(const CompiledTendon& t, const CompiledModel& model, Piece piece) {
  const auto pose = [&](int body) -> const Pose& {
    return model.bodies[static_cast<std::size_t>(body)].X_WB;
  };
  return compiled_length(
      t, pose, [](const CompiledJoint& j) { return j.ref; }, piece);
}

void describe_tendons(MjcfDescriber& d, const std::vector<CompiledTendon>& tendons);

/// Loops, joints that follow others unless `mimic` is false, and couplings.
void describe_equalities(MjcfDescriber& d, const std::vector<CompiledTendon>& tendons, bool mimic);

}  // namespace amble
