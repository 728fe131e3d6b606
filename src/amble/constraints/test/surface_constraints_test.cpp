#include "amble/constraints/surface_constraints.hpp"

#include <numbers>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/test/constrained_state.hpp"

namespace amble {
namespace {

Surface hills() {
  return height_surface([](const auto& x, const auto& y) {
    using std::cos, std::sin;
    return sin(x * 1.2) * cos(y) * 0.05 + x * y * 0.01;
  });
}

TEST(Surface, TheNearestPointIsOnTheSurfaceStraightBelow) {
  const Surface s = hills();
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Vector3<double> p(random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-2, 2));
    const NearestPoint near = s.nearest(p);
    EXPECT_LT(std::abs(s.at(near.point).F), 1e-14);
    EXPECT_LT((near.point + near.distance * near.normal - p).norm(), 1e-13);
    EXPECT_LT(cross<double>(near.normal, s.at(near.point).gradient).norm(), 1e-13);
    for (int k = 0; k < 3; ++k) {
      const Vector3<double> turned = slope_at_zero(
          [&](double t) { return Vector3<double>(s.nearest(p + t * Vector3<double>::Unit(k)).normal); });
      EXPECT_LT((turned - near.turning.col(k)).norm(), 1e-10);
    }
  }
}

TEST(Surface, WhereNothingIsNearestIsRefused) {
  const Surface bowl = implicit_surface([](const auto& p) { return 1.0 - p[0] * p[0] - p[1] * p[1] - p[2] * p[2]; });
  EXPECT_NEAR(bowl.nearest({0.2, 0.1, -0.3}).distance, 1.0 - std::sqrt(0.14), 1e-14);
  EXPECT_NE(message_of([&] { bowl.nearest({0, 0, 0}); }).find("no slope"), std::string::npos);
  const Surface trough =
      height_surface([](const auto& x, const auto&) { return x * x; });  // of radius 1/2 at its bottom
  EXPECT_NE(message_of([&] { trough.nearest({0, 0, 0.8}); }).find("curvature"), std::string::npos);
}

TEST(SurfaceConstraints, HaveTheRatesTheyClaimOnGroundThatMoves) {
  const Surface s = hills();
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const PairState x = pair_state(seed);
    const Mechanism& m = x.s.m;
    SCOPED_TRACE(seed);
    expect_derivatives(m, rolling_ball_constraint(m, "ball", x.a, s, x.b, 0.3), x.s.q, x.s.v);
    expect_derivatives(m, rolling_disc_constraint(m, "disc", x.a, s, x.b, 0.4), x.s.q, x.s.v);
    expect_derivatives(m, point_on_surface_constraint(m, "skate", x.a, s, x.b), x.s.q, x.s.v);
  }
}

TEST(SurfaceConstraints, APlaneIsASurfaceToo) {
  const Surface plane = height_surface([](const auto& x, const auto&) { return x * 0.0; });
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PairState x = pair_state(seed);
    const Mechanism& m = x.s.m;
    const auto expect_same = [&](const ConstraintPtr& one, const ConstraintPtr& other) {
      const Rows a = rows_of(m, one, x.s.q, x.s.v), b = rows_of(m, other, x.s.q, x.s.v);
      EXPECT_LT((a.A - b.A).norm(), 1e-12 * (1.0 + a.A.norm())) << one->name() << ", seed " << seed;
      EXPECT_LT((a.bias - b.bias).norm(), 1e-11 * (1.0 + a.bias.norm())) << one->name() << ", seed " << seed;
      EXPECT_LT((a.violation - b.violation).norm(), 1e-13) << one->name() << ", seed " << seed;
    };
    expect_same(rolling_ball_constraint(m, "ball", x.a, x.b, 0.3),
                rolling_ball_constraint(m, "ball", x.a, plane, x.b, 0.3));
    expect_same(rolling_disc_constraint(m, "disc", x.a, x.b, 0.3),
                rolling_disc_constraint(m, "disc", x.a, plane, x.b, 0.3));
  }
}

/// The two directions along the surface and the normal are orthonormal wherever it faces, also downwards: so are the
/// rows of a ball that only slides, in the metric of its mass.
TEST(SurfaceConstraints, DirectionsAreOrthonormalWhereverTheSurfaceFaces) {
  Builder b("ball");
  b.body({.name = "ball", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "ball"});
  const Mechanism m = b.build();
  const Surface bowl = implicit_surface([](const auto& p) { return 1.0 - p[0] * p[0] - p[1] * p[1] - p[2] * p[2]; });
  const ConstraintPtr c = rolling_ball_constraint(m, "bowl", {}, bowl, {1, Pose()}, 0.2);
  Random random(2);
  for (int i = 0; i < 40; ++i) {
    const Vector3<double> n = Vector3<double>(random.normal(), random.normal(), random.normal()).normalized();
    OwnedVector q = m.neutral();
    q.head<3>() = -0.8 * n;
    const Matrix3<double> t = rows_of(m, c, q, Eigen::VectorXd::Zero(6)).A.leftCols<3>();
    EXPECT_LT((t * t.transpose() - Matrix3<double>::Identity()).norm(), 1e-13);
    EXPECT_LT((t.row(2).transpose() - n).norm(), 1e-13);
  }
  EXPECT_NE(message_of([&] {
              rolling_ball_constraint(m, "c", {}, bowl, {1, Pose()}, -1.0);
            }).find("radius"),
            std::string::npos);
}

}  // namespace
}  // namespace amble
