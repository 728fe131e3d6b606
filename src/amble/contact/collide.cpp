#include "amble/contact/collide.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/contact/collide_parts.hpp"

namespace amble {

namespace detail {

void turn_over(ContactManifold& out) {
  for (int i = 0; i < out.count; ++i) {
    ContactPoint& point = out.points[i];
    point.p_a.swap(point.p_b);
    point.normal = -point.normal;
  }
}

namespace {

using Kind = CollisionShape::Kind;

bool round(Kind kind) { return kind == Kind::sphere || kind == Kind::capsule; }

/// NaN would pass for "no contact".
void check_finite(const Pose& X, const char* name) {
  if (std::isfinite(X.translation().sum() + X.rotation().matrix().sum())) return;
  const Vector3<double>& p = X.translation();
  throw Error(fmt::format("collide with {} at ({}, {}, {}): expected a pose of finite numbers", name, p[0],
                          p[1], p[2]));
}

/// Planes and grounds come first, then boxes.
int rank(Kind kind) {
  if (kind == Kind::plane || kind == Kind::ground) return 0;
  return kind == Kind::box ? 1 : 2;
}

void meet(const Placed& a, const Placed& b, double margin, const Vector3<double>* near,
          ContactManifold& out) {
  const Kind first = a.shape.kind, second = b.shape.kind;
  if (first == Kind::plane) return plane_and_convex(a, b, margin, near, out);
  if (first == Kind::ground) return ground_and_convex(a, b, margin, out);
  if (first == Kind::box && second == Kind::box) return box_and_box(a, b, margin, out);
  if (first == Kind::box && round(second)) return box_and_capsule(a, b, margin, out);
  if (round(first) && round(second)) return capsule_and_capsule(a, b, margin, out);
  const double reach = a.shape.reach() + b.shape.reach() + margin;
  if ((b.p - a.p).squaredNorm() < reach * reach) convex_and_convex(a, b, margin, near, out);
}

}  // namespace

}  // namespace detail

void collide(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB,
             double margin, ContactManifold& out, const Vector3<double>* near) {
  using namespace detail;
  out.count = 0;
  if (!(margin >= 0.0)) throw Error(fmt::format("collide with a margin of {}: expected 0 or more", margin));
  if (rank(a.kind) == 0 && rank(b.kind) == 0)
    throw Error("collide of two planes or grounds: expected a body on one of them");
  check_finite(X_WA, "a");
  check_finite(X_WB, "b");
  const Placed on_a{a, X_WA.rotation().matrix(), X_WA.translation()},
      on_b{b, X_WB.rotation().matrix(), X_WB.translation()};
  if (rank(a.kind) <= rank(b.kind)) return meet(on_a, on_b, margin, near, out);
  const Vector3<double> back = near != nullptr ? Vector3<double>(-*near) : Vector3<double>::Zero();
  meet(on_b, on_a, margin, near != nullptr ? &back : nullptr, out);
  turn_over(out);
}

void collide_again(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b, const Pose& X_WB,
                   double margin, double moved, PairMemory& memory, ContactManifold& out) {
  using namespace detail;
  out.count = 0;
  check_finite(X_WA, "a");
  check_finite(X_WB, "b");
  const double reach = a.reach() + b.reach() + margin,
               square = (X_WB.translation() - X_WA.translation()).squaredNorm();
  if (square >= reach * reach) {
    memory.known = false, memory.distance = std::sqrt(square) - reach + margin;
    return;
  }
  convex_and_convex_again({a, X_WA.rotation().matrix(), X_WA.translation()},
                          {b, X_WB.rotation().matrix(), X_WB.translation()}, margin, moved, memory, out);
}

}  // namespace amble
