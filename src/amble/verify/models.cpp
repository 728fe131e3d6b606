#include <cmath>
#include <numbers>

#include "amble/amble.hpp"
#include "amble/io/writers.hpp"
#include "amble/verify/verify.hpp"

// Models: kinematics and structure against published geometry and counts.
namespace amble {

namespace {

using std::numbers::pi;

JointDescription joint(const std::string& name, const std::string& type, const std::string& parent,
                       const std::string& child, const Pose& X_PF = {}, const Vector3<double>& axis = {0, 0, 1}) {
  return {.name = name, .type = type, .parent = parent, .child = child, .X_PF = X_PF, .axis = axis};
}

Inertia<double> unit_body() { return Inertia<double>::from_com(1.0, {0.1, 0.0, 0.0}, Matrix3<double>::Identity()); }

/// One row of a Denavit-Hartenberg table as printed (Denavit and Hartenberg 1955).
struct DhRow {
  double a, alpha, d;
};

Matrix4<double> dh_matrix(const DhRow& r, double theta) {
  const double c = std::cos(theta), s = std::sin(theta), ca = std::cos(r.alpha), sa = std::sin(r.alpha);
  Matrix4<double> m;
  m << c, -s * ca, s * sa, r.a * c, s, c * ca, -c * sa, r.a * s, 0, sa, ca, r.d, 0, 0, 0, 1;
  return m;
}

/// A chain of revolute joints from the same table: each joint turns about z, then the constant part follows.
Mechanism dh_chain(const std::vector<DhRow>& rows) {
  Builder b("chain");
  std::string parent = kWorld;
  Pose X_PF;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string body = "link" + std::to_string(i + 1);
    b.body({.name = body, .inertia = unit_body()});
    b.joint(joint("joint" + std::to_string(i + 1), "revolute", parent, body, X_PF));
    X_PF = Pose(SO3<double>::about(0, rows[i].alpha), {rows[i].a, 0.0, rows[i].d});
    parent = body;
  }
  b.frame({.name = "flange", .body = parent, .X_BF = X_PF});
  return b.build();
}

Verification dh_arm(const char* id, const char* source, const std::vector<DhRow>& rows) {
  const Mechanism arm = dh_chain(rows);
  Workspace work(arm);
  double worst = 0.0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const OwnedVector q = arm.random(seed);
    Matrix4<double> product = Matrix4<double>::Identity();
    for (std::size_t i = 0; i < rows.size(); ++i) product = product * dh_matrix(rows[i], q[static_cast<int>(i)]);
    worst = std::max(worst, (pose(arm, work, q, "flange").matrix() - product).cwiseAbs().maxCoeff());
  }
  return {id, source, 0.0, worst, 1e-12, "published"};
}

Verification ur5() {
  return dh_arm("models.ur5_flange", "Universal Robots, DH parameters of the UR5",
                {{0.0, pi / 2, 0.089159}, {-0.425, 0.0, 0.0}, {-0.39225, 0.0, 0.0}, {0.0, pi / 2, 0.10915},
                 {0.0, -pi / 2, 0.09465}, {0.0, 0.0, 0.0823}});
}

Verification puma() {
  return dh_arm("models.puma560_flange", "Corke and Armstrong-Helouvry 1994, DH parameters of the Puma 560",
                {{0.0, pi / 2, 0.0}, {0.4318, 0.0, 0.0}, {0.0203, -pi / 2, 0.15005}, {0.0, pi / 2, 0.4318},
                 {0.0, -pi / 2, 0.0}, {0.0, 0.0, 0.0}});
}

/// ZB 1.2: the product of exponentials of a chain with every one-parameter joint equals its kinematics.
Verification exponentials() {
  double worst = 0.0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomMechanism r = random_mechanism(
        seed, {.bodies = 8, .types = {"revolute", "prismatic", "helical", "cylindrical", "universal", "planar"},
               .branching = 0.0});
    const Mechanism& m = r.mechanism;
    const ProductOfExponentials chain = product_of_exponentials(m, "body7");
    Workspace work(m);
    Eigen::VectorXd own(chain.screws.size());
    for (int i = 0; i < own.size(); ++i) own[i] = r.q[chain.coordinates[i]];
    worst = std::max(worst, (chain.pose(own).matrix() - pose(m, work, r.q, "body7").matrix()).cwiseAbs().maxCoeff());
  }
  return {"models.product_of_exponentials", "ZB 1.2 against DS Lemma 2.12", 0.0, worst, 1e-12, "two routes"};
}

Mechanism four_bar_model() {
  Builder b("four_bar");
  for (const char* name : {"crank", "coupler", "rocker"}) b.body({.name = name, .inertia = unit_body()});
  b.joint(joint("a", "revolute", kWorld, "crank"));
  b.joint(joint("b", "revolute", "crank", "coupler", Pose(Vector3<double>(1, 0, 0))));
  b.joint(joint("d", "revolute", kWorld, "rocker", Pose(Vector3<double>(2, 0, 0))));
  b.joint(joint("c", "revolute", "rocker", "coupler", Pose(Vector3<double>(1, 0, 0))));
  return b.build();
}

/// Base and platform joined by six legs of universal, prismatic and spherical joints.
Mechanism stewart_model() {
  Builder b("stewart");
  b.body({.name = "platform", .inertia = unit_body()});
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i + 1);
    const Vector3<double> foot(std::cos(i * pi / 3), std::sin(i * pi / 3), 0.0);
    for (const char* part : {"lower", "upper"}) b.body({.name = part + n, .inertia = unit_body()});
    b.joint(joint("universal" + n, "universal", kWorld, "lower" + n, Pose(foot)));
    b.joint(joint("leg" + n, "prismatic", "lower" + n, "upper" + n));
    b.joint(joint("ball" + n, "spherical", "upper" + n, "platform", Pose(Vector3<double>(0, 0, 1))));
  }
  return b.build();
}

Mechanism six_revolutes() {
  Builder b("closed_6r");
  std::string parent = kWorld;
  for (int i = 1; i <= 5; ++i) {
    const std::string n = std::to_string(i);
    b.body({.name = "link" + n, .inertia = unit_body()});
    b.joint(joint("joint" + n, "revolute", parent, "link" + n, Pose(Vector3<double>(1, 0, 0)), Vector3<double>::Unit(i % 3)));
    parent = "link" + n;
  }
  b.loop({.name = "closure", .type = "revolute", .body_a = kWorld, .body_b = parent});
  return b.build();
}

Verification mobility(const char* id, const char* source, const Mechanism& m, double expected) {
  return {id, source, expected, static_cast<double>(m.counted_mobility()), 0.0, "published"};
}

/// A box by its eight octants, each a box again: closed form against the parallel-axis sum.
Verification box_inertia() {
  const auto box = [](double m, const Vector3<double>& s) {
    const Vector3<double> q = s.cwiseAbs2();
    const Vector3<double> moments(q[1] + q[2], q[0] + q[2], q[0] + q[1]);
    return Matrix3<double>((m / 12.0 * moments).asDiagonal());
  };
  const Vector3<double> size(0.3, 0.5, 0.7);
  Inertia<double> sum;
  for (int i = 0; i < 8; ++i) {
    const Vector3<double> sign(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    const Pose X(Vector3<double>(0.25 * sign.cwiseProduct(size)));
    sum = sum + X * Inertia<double>::from_com(0.25, Vector3<double>::Zero(), box(0.25, 0.5 * size));
  }
  const double error = (sum.about_com() - box(2.0, size)).cwiseAbs().maxCoeff();
  return {"models.box_inertia", "closed form, m (b^2 + c^2) / 12", 0.0, error, 1e-15, "closed form"};
}

/// A mechanism through MJCF and back.
Verification through_mjcf() {
  const Mechanism m = random_mechanism(7, {.bodies = 12, .types = {"revolute", "prismatic", "fixed"},
                                           .roots = 2}).mechanism;
  const Mechanism back = load_text(write_mjcf(m.description()), "written.xml");
  Workspace a(m), b(back);
  double worst = 0.0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const OwnedVector q = m.random(seed);
    for (const std::string& body : m.body_names())
      worst = std::max(worst, (pose(m, a, q, body).matrix() - pose(back, b, q, body).matrix()).cwiseAbs().maxCoeff());
  }
  return {"models.through_mjcf", "itself (MJCF written and read)", 0.0, worst, 1e-12, "two routes"};
}

}  // namespace

VerificationArea verify_models() {
  return {"models",
          {{"models.ur5_flange", ur5},
           {"models.puma560_flange", puma},
           {"models.product_of_exponentials", exponentials},
           {"models.four_bar_mobility",
            [] { return mobility("models.four_bar_mobility", "Kutzbach 1929, in space: 3 - 5", four_bar_model(), -2.0); }},
           {"models.stewart_mobility",
            [] { return mobility("models.stewart_mobility", "Stewart 1965: six freedoms", stewart_model(), 6.0); }},
           {"models.closed_6r_mobility",
            [] { return mobility("models.closed_6r_mobility", "Kutzbach 1929: 6R loop is rigid", six_revolutes(), 0.0); }},
           {"models.box_inertia", box_inertia},
           {"models.through_mjcf", through_mjcf}}};
}

}  // namespace amble
