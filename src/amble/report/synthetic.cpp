#include "amble/report/synthetic.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"

namespace amble {

namespace {

constexpr double kLongest = 24.0 * 3600.0;  // s

Mechanism two_links() {
  Builder b("synthetic");
  const Inertia<double> rod =
      Inertia<double>::from_com(1.0, {0.0, 0.0, -0.25}, Matrix3<double>::Identity() * 0.02);
  b.body({.name = "upper", .inertia = rod});
  b.body({.name = "lower", .inertia = rod});
  const Pose up(Vector3<double>(0.0, 0.0, 1.2)), down(Vector3<double>(0.0, 0.0, -0.5));
  b.joint({.name = "shoulder",
           .type = "revolute",
           .parent = kWorld,
           .child = "upper",
           .X_PF = up,
           .axis = {0, 1, 0}});
  b.joint({.name = "elbow",
           .type = "revolute",
           .parent = "upper",
           .child = "lower",
           .X_PF = down,
           .axis = {0, 1, 0}});
  return b.build();
}

/// Angles and rates at a time: two sines each, slow and fast.
struct Swing {
  OwnedVector q, v;
  explicit Swing(double t) : q(2), v(2) {
    constexpr double kSlow = 0.9, kFast = 7.3;
    q[0] = std::sin(kSlow * t) + 0.05 * std::sin(kFast * t), q[1] = 1.3 * std::cos(1.7 * kSlow * t);
    v[0] = kSlow * std::cos(kSlow * t) + 0.05 * kFast * std::cos(kFast * t);
    v[1] = -1.3 * 1.7 * kSlow * std::sin(1.7 * kSlow * t);
  }
};

}  // namespace

Recording synthetic_recording(double seconds, double rate) {
  if (!(seconds > 0.0 && seconds <= kLongest))
    throw Error(
        fmt::format("a synthetic recording of {} s: expected more than 0 and at most {}", seconds, kLongest));
  if (!(rate > 0.0 && rate <= 1e5))
    throw Error(fmt::format("{} states a second: expected more than 0 and at most 1e5", rate));
  const Mechanism m = two_links();
  Workspace work(m);
  Recording out(m);
  const auto rows = static_cast<std::int64_t>(std::llround(seconds * rate));
  const std::int64_t book_every = std::max<std::int64_t>(1, std::llround(rate / 50.0));
  double initial = 0.0, speed = 1.0;
  for (std::int64_t i = 0; i <= rows; ++i) {
    const double t = static_cast<double>(i) / rate;
    const Swing at(t);
    const double kinetic = kinetic_energy(m, work, at.q, at.v), potential = potential_energy(m, work, at.q);
    if (i == 0) initial = kinetic + potential;
    out.add(t, at.q, at.v, kinetic, potential);
    if (at.v[0] * speed < 0.0) out.add_event({t, "turn", 0.0});
    speed = at.v[0];
    const double work_done = kinetic + potential - initial;
    if (i % book_every == 0)
      out.add_ledger(t, {.initial = initial,
                         .final = kinetic + potential,
                         .entries = {{"motor", work_done, work_done, 0.0, 0.0}}});
  }
  out.set_complete(true);
  return out;
}

}  // namespace amble
