#include "amble/verify/simulation/ledger.hpp"

#include <algorithm>
#include <cmath>

#include "amble/mechanism/random_mechanism.hpp"
#include "amble/ports/end_stops.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/ports/motor.hpp"
#include "amble/ports/spatial_elements.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/simulation/themes.hpp"

namespace amble {

namespace {

OwnedVector random_numbers(Random& random, int count, double lower, double upper) {
  OwnedVector out(count);
  for (double& x : out) x = random.uniform(lower, upper);
  return out;
}

/// Every joint type. Joints with coordinates have springs along them, those that turn freely in space a spring in
/// space: the energy of joint_springs() jumps at half turns of a free joint.
struct Equipped {
  explicit Equipped(std::uint64_t seed)
      : made(random_mechanism(seed, {.bodies = 2 + static_cast<int>(seed % 5), .fixed = 0.0, .properties = false})),
        random(seed + 500) {
    add_springs_and_dampers();
    add_motors_and_stops();
  }
  const Mechanism& m() const { return made.mechanism; }

  void add_springs_and_dampers() {
    OwnedVector stiffness = random_numbers(random, m().nv(), 1.0, 8.0);
    for (const Joint& joint : m().joints()) {
      if (joint.q.size == joint.v.size) continue;
      stiffness.segment(joint.v.start, joint.v.size).setZero();
      hang(joint);
    }
    elements.push_back(joint_springs("springs", m(), stiffness, random_numbers(random, m().nv(), -0.3, 0.3)));
    elements.push_back(joint_dampers("dampers", random_numbers(random, m().nv(), 0.05, 0.3)));
  }

  /// A spring and a damper between the joint's two frames.
  void hang(const Joint& joint) {
    const Matrix3<double> one = Matrix3<double>::Identity();
    const SpatialEnds ends{.body_a = joint.parent < 0 ? kWorld : m().bodies()[joint.parent].name,
                           .body_b = m().bodies()[joint.child].name,
                           .X_Aa = joint.X_PF,
                           .X_Bb = joint.X_CM};
    elements.push_back(
        spatial_spring("hung at " + joint.name, m(), ends, {.translation = 20.0 * one, .rotation = 5.0 * one}));
    elements.push_back(
        spatial_damper("slowed at " + joint.name, m(), ends, {.translation = 0.5 * one, .rotation = 0.1 * one}));
  }

  /// On every second coordinate a motor, on all of them stops.
  void add_motors_and_stops() {
    std::vector<JointLimit> limits;
    for (const std::string& joint : m().joint_names()) {
      if (m().q_slice(joint).size != m().v_slice(joint).size) continue;
      for (int axis = 0; axis < m().q_slice(joint).size; ++axis) {
        for (JointLimit& limit : limits_of_joint(m(), "stops", joint, -0.8, 0.6, axis))
          limits.push_back(std::move(limit));
        if (axis % 2 != 0) continue;
        const double amplitude = random.uniform(5.0, 25.0), rate = random.uniform(0.5, 3.0);
        const MotorOptions options{.joint = joint,
                                   .axis = axis,
                                   .resistance = 1.0,
                                   .inductance = axis == 0 ? 0.05 : 0.0,
                                   .constant = 0.2,
                                   .ratio = 3.0,
                                   .voltage_limit = 12.0,
                                   .current_limit = 8.0};
        elements.push_back(voltage_motor(
            "motor of " + joint, m(), options,
            [amplitude, rate](double t, const auto&, const auto&) { return amplitude * std::sin(rate * t); }));
      }
    }
    elements.push_back(end_stops("stops", limits, {.stiffness = 2000.0, .damping = 0.2}));
  }

  RandomMechanism made;
  Random random;
  std::vector<ElementPtr> elements;
};

}  // namespace

double open_share(std::uint64_t seed, double tolerance, double end) {
  Equipped x(seed);
  Simulator s(x.m(), x.elements, {}, {.integrator = {.tolerance = tolerance}});
  OwnedVector q = x.m().integrate(x.m().neutral(), random_numbers(x.random, x.m().nv(), -0.5, 0.5));
  s.reset(q, random_numbers(x.random, x.m().nv(), -1.0, 1.0));
  s.advance(end);
  const Ledger books = s.ledger();
  double worst = std::abs(books.residual());
  for (const LedgerEntry& e : books.entries) worst = std::max(worst, std::abs(e.gap()));
  return worst / books.exchanged;
}

std::vector<VerificationEntry> simulation_ledger() {
  const std::string source = ": 20 random mechanisms of every joint type with springs, dampers, motors and stops, 10 s; the "
                             "largest of the residual and the elements' gaps, of the energy exchanged";
  return {worst_entry({"simulation.ledger_at_1e-10", "tolerance 1e-10" + source, "conservation", 1e-8}, 20,
                      [](std::uint64_t seed) { return open_share(seed, 1e-10, 10.0); }),
          worst_entry({"simulation.ledger_at_1e-12", "tolerance 1e-12" + source, "conservation", 1e-10}, 20,
                      [](std::uint64_t seed) { return open_share(seed, 1e-12, 10.0); })};
}

}  // namespace amble
