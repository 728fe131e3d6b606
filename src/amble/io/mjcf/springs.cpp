#include "amble/io/mjcf/springs.hpp"

#include "amble/io/mjcf/mass_matrix.hpp"

namespace amble {

namespace {

struct Asked {
  CompiledJoint* joint;
  double time_constant, ratio;
};

/// k = m/(t r)^2 and d = 2 m/t, with m = n / sum of (M^-1)_ii over the n freedoms.
void set(const Asked& asked, const std::vector<double>& inverse) {
  double sum = 0.0;
  const int n = asked.joint->freedoms();
  for (int i = 0; i < n; ++i) sum += inverse[static_cast<std::size_t>(asked.joint->v + i)];
  const double mass = sum > 0.0 ? n / sum : 0.0, t = asked.time_constant, r = asked.ratio;
  asked.joint->stiffness = {mass / (t * t * r * r), 0.0, 0.0};
  asked.joint->damping = {2.0 * mass / t, 0.0, 0.0};
}

}  // namespace

void set_spring_dampers(const MjcfSources& sources, CompiledModel& model, Problems& findings) {
  std::vector<Asked> all;
  for (CompiledBody& body : model.bodies)
    for (CompiledJoint& joint : body.joints) {
      if (joint.element->tag == MjcfTag::freejoint) continue;
      const MjcfSource& source = *sources[static_cast<std::size_t>(joint.element->model)];
      const auto x = source.classes->values(*joint.element, joint.childclass).numbers<2>("springdamper");
      if (x[0] > 0.0 && x[1] > 0.0) all.push_back({&joint, x[0], x[1]});
    }
  if (all.empty()) return;
  const std::vector<double> inverse = CompiledMassMatrix(model).inverse_diagonal();
  for (const Asked& asked : all) {
    if (!inverse.empty()) set(asked, inverse);
    if (inverse.empty())
      findings.push_back(asked.joint->element->problem(
          Severity::warning, "springdamper is not used: the mass matrix cannot be inverted"));
  }
}

}  // namespace amble
