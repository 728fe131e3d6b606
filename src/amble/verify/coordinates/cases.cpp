#include "amble/verify/coordinates/cases.hpp"

#include "amble/dynamics/kinematics.hpp"
#include "amble/geometry/user_chart.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/joints/custom.hpp"

namespace amble {

namespace {

constexpr int kMostBodies = 12;
constexpr double kNearSingularity = 0.05;  // rad per unit of theta

/// R = 1 + (8 [s]x^2 + 4 (1 - s.s) [s]x) / (1 + s.s)^2, s = tan(angle / 4) along the axis.
Matrix3<SecondOrder> modified_rodrigues(const SecondOrder* theta) {
  const Vector3<SecondOrder> s(theta[0], theta[1], theta[2]);
  const SecondOrder n = s.dot(s), under = (SecondOrder(1.0) + n) * (SecondOrder(1.0) + n);
  const Matrix3<SecondOrder> K = skew<SecondOrder>(s);
  return Matrix3<SecondOrder>::Identity() + (SecondOrder(8.0) / under) * (K * K) +
         (SecondOrder(4.0) * (SecondOrder(1.0) - n) / under) * K;
}

/// A user's joint: it climbs as it turns, and leans out as it tilts.
struct Climbing : CustomJointOf<Climbing, 2> {
  std::string name() const override { return "climbing"; }
  template <class T>
  SE3<T> motion(const T* q) const {
    using std::sin;
    return SE3<T>(SO3<T>::about(2, q[0]) * SO3<T>::about(1, q[1]), Vector3<T>(T(0.2) * sin(q[1]), q[0] * q[1], q[0]));
  }
};

Motion custom_motion(std::uint64_t seed) {
  Builder b("climber");
  Random random(seed);
  std::string parent = kWorld;
  for (const std::string type : {"free", "custom", "spherical", "revolute"}) {
    b.body({.name = type + " body", .inertia = random_inertia(random)});
    JointDescription j{.name = type, .type = type, .parent = parent, .child = type + " body",
                       .X_PF = random_pose(random), .X_CM = random_pose(random)};
    if (type == "custom") j.custom = std::make_shared<Climbing>();
    b.joint(j);
    parent = type + " body";
  }
  const Mechanism m = b.build();
  return in_motion(m, m.random(seed), seed);
}

Motion turning_motion(std::uint64_t seed) {
  if (seed % 5 == 4) return custom_motion(seed);
  if (seed % 3 == 0) return random_motion(seed, kMostBodies);
  return rooted_motion(seed, seed % 3 == 1 ? "free" : "spherical", kMostBodies);
}

bool near_singularity(const ChartCoordinates& c, const Eigen::VectorXd& q) {
  for (const ChartBlock& b : c.blocks())
    if (b.chart->singularity_measure(q.segment(b.theta.start, b.theta.size)) < kNearSingularity) return true;
  return false;
}

ChartCase case_of(Motion s, std::uint64_t seed, const ChartCoordinates& c) {
  Eigen::VectorXd q = c.from_configuration(s.q);
  for (std::uint64_t again = 1; near_singularity(c, q); ++again) {
    s.q = s.m.random(seed + 1000 * again);
    q = c.from_configuration(s.q);
  }
  const Load load = random_load(s, seed);
  const Eigen::VectorXd qdot = c.rates(q, s.v);
  ChartCase x{std::move(s), load, q, qdot, ChartDynamics(c)};
  x.dynamics.set_state(q, qdot);
  return x;
}

}  // namespace

const std::vector<ChartPtr>& verified_charts() {
  static const std::vector<ChartPtr> charts = [] {
    std::vector<ChartPtr> out;
    for (const char* name : {"rpy", "xyz", "zyz", "quaternion", "matrix", "exponential"}) out.push_back(chart(name));
    out.push_back(user_chart({.name = "mrp", .size = 3, .rho = modified_rodrigues}));
    return out;
  }();
  return charts;
}

Motion any_motion(std::uint64_t seed, int most_bodies) {
  return seed % 5 == 4 ? custom_motion(seed) : random_motion(seed, most_bodies);
}

Load random_load(const Motion& s, std::uint64_t seed) {
  Load out;
  Random random(seed + 77);
  out.tau = Eigen::VectorXd::NullaryExpr(s.m.nv(), [&](Eigen::Index) { return random.uniform(-3.0, 3.0); });
  const auto vector = [&] { return Vector3<double>(random.normal(), random.normal(), random.normal()); };
  Workspace work(s.m);
  const int last = static_cast<int>(s.m.bodies().size()) - 1;
  for (const int body : {0, last, last}) {
    const PointForce f{body, vector(), vector()};
    const Matrix3<double> R_WB = pose(s.m, work, s.q, s.m.bodies()[body].name).rotation().matrix();
    const Vector3<double> f_B = R_WB.transpose() * f.force;
    out.forces.push_back(f);
    out.wrenches.push_back({body, Wrench<double>(f_B, cross<double>(f.point, f_B))});
  }
  return out;
}

ChartCase chart_case(std::uint64_t seed, const ChartPtr& chart) {
  const Motion s = turning_motion(seed);
  return case_of(s, seed, ChartCoordinates(s.m, chart));
}

ChartCase floating_chart_case(std::uint64_t seed, const ChartPtr& chart) {
  const Motion s = floating_motion(seed, kMostBodies);
  return case_of(s, seed, ChartCoordinates(s.m, chart));
}

ChartCase mixed_chart_case(std::uint64_t seed) {
  const std::vector<ChartPtr>& charts = verified_charts();
  const Motion s = turning_motion(seed);
  std::map<std::string, ChartPtr> by_joint;
  for (const Joint& joint : s.m.joints())
    if (joint.type == "free" || joint.type == "spherical")
      by_joint[joint.name] = charts[(seed + by_joint.size()) % charts.size()];
  return case_of(s, seed, ChartCoordinates(s.m, chart("quaternion"), by_joint));
}

}  // namespace amble
