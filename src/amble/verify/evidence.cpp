#include "amble/verify/evidence.hpp"

#include <cmath>

namespace amble {

double relative_error(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& reference) {
  return (ours - reference).norm() / (1.0 + reference.norm());
}

double worst_error(int seeds, const std::function<double(std::uint64_t)>& error) {
  double worst = 0.0;
  for (int seed = 0; seed < seeds && !std::isnan(worst); ++seed)
    if (const double e = error(static_cast<std::uint64_t>(seed)); !(e <= worst)) worst = e;
  return worst;
}

VerificationEntry number_entry(const Claim& c, double reference, const std::function<double()>& ours) {
  return {c.id, [=] { return Verification{c.id, c.source, reference, ours(), c.tolerance, c.kind}; }};
}

VerificationEntry worst_entry(const Claim& c, int seeds, const std::function<double(std::uint64_t)>& error) {
  return number_entry(c, 0.0, [=] { return worst_error(seeds, error); });
}

Motion in_motion(const Mechanism& m, const OwnedVector& q, std::uint64_t seed) {
  Motion s{m, q, Eigen::VectorXd(m.nv()), Eigen::VectorXd(m.nv())};
  Random random(seed + 1000);
  for (double& x : s.v) x = random.uniform(-2.0, 2.0);
  for (double& x : s.a) x = random.uniform(-5.0, 5.0);
  return s;
}

Motion random_motion(std::uint64_t seed, const RandomMechanismOptions& options) {
  const RandomMechanism r = random_mechanism(seed, options);
  return in_motion(r.mechanism, r.q, seed);
}

Motion random_motion(std::uint64_t seed, int most_bodies) {
  const int bodies = 1 + static_cast<int>(seed) % most_bodies;
  return random_motion(seed, {.bodies = bodies, .roots = bodies > 5 ? 2 : 1, .mimic = seed % 3 == 0 ? 0.3 : 0.0});
}

Motion rooted_motion(std::uint64_t seed, const std::string& root, int most_bodies) {
  const int bodies = 1 + static_cast<int>(seed) % most_bodies;
  ModelDescription d = random_mechanism(seed, {.bodies = bodies}).mechanism.description();
  d.joints.front().type = root;
  d.joints.front().properties = {};
  const Mechanism m = compile(d);
  return in_motion(m, m.random(seed), seed);
}

Motion floating_motion(std::uint64_t seed, int most_bodies) { return rooted_motion(seed, "free", most_bodies); }

}  // namespace amble
