#include <cmath>
#include <numbers>

#include "amble/contact/free_acceleration.hpp"
#include "amble/contact/impact.hpp"
#include "amble/contact/release.hpp"
#include "amble/contact/rigid_contact.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/verify/contact/parts.hpp"
#include "amble/verify/evidence.hpp"

// Rigid contact: the examples of DS 3.3, shares of energy, motions known in closed form.
namespace amble {

namespace {

using Specs = std::vector<ContactSpec>;
constexpr double kG = 9.81, kPi = std::numbers::pi;

/// q = (x, y, angle), gravity along -y.
Mechanism flat_body(double m, double J) {
  Builder b("flat body");
  b.gravity({0.0, -kG, 0.0});
  b.body({.name = "body",
          .inertia =
              Inertia<double>::from_com(m, Vector3<double>::Zero(), Vector3<double>(J, J, J).asDiagonal())});
  b.joint({.name = "plane", .type = "planar", .parent = "world", .child = "body"});
  return b.build();
}

/// A body that floats; gravity as a slope of this angle turns it, downhill +x.
Mechanism free_body(double m, double J, double slope = 0.0) {
  Builder b("free body");
  b.gravity({kG * std::sin(slope), 0.0, -kG * std::cos(slope)});
  b.body({.name = "body",
          .inertia =
              Inertia<double>::from_com(m, Vector3<double>::Zero(), Vector3<double>(J, J, J).asDiagonal())});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "body"});
  return b.build();
}

Simulator simulator(const Mechanism& m, const Specs& contacts, double tolerance = 1e-11) {
  return Simulator(m, rigid_contacts(m, contacts), {}, {.integrator = {.tolerance = tolerance}});
}

ContactSpec foot(double x, double y) {
  return {.body = "body", .point = {x, y, 0.0}, .normal = {0.0, 1.0, 0.0}};
}

// ---- DS Example 3.13

ContactAccelerations two_links() {
  Builder b("two links");
  b.gravity(Vector3<double>::Zero());
  for (const char* name : {"first", "second"})
    b.body(
        {.name = name, .inertia = Inertia<double>::from_com(1.0, {0.0, 0.5, 0.0}, Matrix3<double>::Zero())});
  b.joint({.name = "shoulder", .type = "revolute", .parent = "world", .child = "first"});
  b.joint({.name = "elbow",
           .type = "revolute",
           .parent = "first",
           .child = "second",
           .X_PF = Pose(Vector3<double>(0.0, 1.0, 0.0))});
  const double s = std::sqrt(2.0) / 4.0;
  return contact_accelerations(b.build(), Eigen::Vector2d(kPi / 4.0, kPi / 2.0), Eigen::Vector2d::Zero(),
                               Eigen::Vector2d(-s, s),
                               {{.body = "second", .point = {0.0, 1.0, 0.0}, .normal = {0.0, 1.0, 0.0}}});
}

double example_313() {
  const ContactAccelerations n = two_links();
  const OwnedVector f = held_forces(n.mobility, n.free, 3, {1});
  // Rows are (y, x): a = (7/5, -3/5) and lambda = (-3/4, -1/4) along (x, y), and the contact stays.
  const bool stays = !decide_release(n.free[0]) && decide_held(n.mobility, n.free, 3)[0];
  return relative_error(Eigen::Vector4d(n.free[1], n.free[0], f[1], f[0]),
                        Eigen::Vector4d(1.4, -0.6, -0.75, -0.25)) +
         (stays ? 0.0 : 1.0);
}

// ---- DS Example 3.15

double closet_ratio(double m, double J, double w, double h) {
  const ImpactResult r = impact(flat_body(m, J), Eigen::Vector3d(0.0, h, 0.0), Eigen::Vector3d(h, -w, -1.0),
                                Specs{foot(-w, -h), foot(w, -h)});
  return -r.v[2];
}

double rocking_thresholds(std::uint64_t seed) {
  Random random(seed);
  const double m = random.uniform(0.5, 5.0), w = random.uniform(0.1, 1.5), h = random.uniform(0.1, 1.5);
  const double J = seed % 2 == 0 ? m * (h * h + w * w) / 3.0 : random.uniform(0.01, 2.0);
  const double margin = J + m * (h * h - w * w);
  const bool tall = seed % 2 == 0 ? h > std::sqrt(0.5) * w : margin > 0.0;
  return std::abs(closet_ratio(m, J, w, h) - (tall ? margin / (J + m * (h * h + w * w)) : 0.0));
}

// ---- DS Example 3.16

double bar_case(int k) {
  const double m = 10.0 / kG, at[4][2] = {{-0.9, 0.9}, {-0.9, 0.9}, {-0.8, -0.3}, {-0.8, -0.3}};
  const double push[4] = {0.0, 11.0, 11.0 * 0.0, 11.0}, arm[4] = {0.0, 0.0, 0.0, 0.9};
  const std::vector<char> held[4] = {{1, 1}, {0, 0}, {0, 1}, {1, 0}};
  const Eigen::Vector4d expected[4] = {{5.0, 5.0, 0.0, 0.0},
                                       {0.0, 0.0, 0.981, 0.981},
                                       {0.0, 7.874016, 3.475984, 0.0},
                                       {7.794521, 0.0, 0.0, 5.392140}};
  const ContactAccelerations n = contact_accelerations(
      flat_body(m, m / 3.0), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(),
      Eigen::Vector3d(0.0, push[k], push[k] * arm[k]), {foot(at[k][0], 0.0), foot(at[k][1], 0.0)});
  const std::vector<char> decided = decide_held(n.mobility, n.free, 3);
  const OwnedVector f = held_forces(n.mobility, n.free, 3, decided), a = n.mobility * f + n.free;
  return relative_error(Eigen::Vector4d(f[0], f[3], a[0], a[3]), expected[k]) +
         (decided == held[k] ? 0.0 : 1.0);
}

// ---- DS 4.2.2

OwnedVector compass_shares() {
  Builder b("compass");
  const double com = 5.5 / 6.0, J = 5.25 - 6.0 * com * com;
  b.body(
      {.name = "stance",
       .inertia = Inertia<double>::from_com(6.0, {0.0, com, 0.0}, Vector3<double>(J, 0.0, J).asDiagonal())});
  b.body(
      {.name = "swing", .inertia = Inertia<double>::from_com(1.0, {0.0, 0.5, 0.0}, Matrix3<double>::Zero())});
  b.joint({.name = "float", .type = "planar", .parent = "world", .child = "stance"});
  b.joint({.name = "hip",
           .type = "revolute",
           .parent = "stance",
           .child = "swing",
           .X_PF = Pose(Vector3<double>(0.0, 1.0, 0.0))});
  const ContactSpec tip{.body = "swing", .point = {0.0, 1.0, 0.0}, .normal = {0.0, 1.0, 0.0}},
      stance{.body = "stance", .normal = {0.0, 1.0, 0.0}};
  return impact_loss(b.build(), Eigen::Vector4d(0.0, 0.0, -0.25, kPi + 0.5), Specs{tip}, Specs{stance})
      .shares;
}

// ---- motions

double bounce_height() {
  const double e = 0.8, r = 0.1;
  const Mechanism m = free_body(0.5, 0.002);
  Simulator s = simulator(m, {{.body = "body", .radius = r, .friction = 0.0, .restitution = e}}, 1e-12);
  OwnedVector q = m.neutral();
  q[2] = 1.0 + r;
  s.reset(q, OwnedVector(6));
  double t = std::sqrt(2.0 / kG), height = 1.0;
  for (int k = 0; k < 5; ++k) height *= e * e, t += (k < 4 ? 2.0 : 1.0) * std::sqrt(2.0 * height / kG);
  s.advance(t);
  return s.q()[2] - r;
}

double elastic_drift() {
  const Mechanism m = free_body(0.5, 0.002);
  Simulator s = simulator(m, {{.body = "body", .radius = 0.1, .friction = 0.0, .restitution = 1.0}}, 1e-12);
  OwnedVector q = m.neutral();
  q[2] = 0.3;
  s.reset(q, OwnedVector(6));
  const double before = s.potential_energy();
  s.advance(200.0 * std::sqrt(0.4 / kG));
  return s.kinetic_energy() + s.potential_energy() - before;
}

Specs box(double mu) {
  Specs out;
  for (const double x : {-0.3, 0.3})
    for (const double y : {-0.2, 0.2}) out.push_back({.body = "body", .point = {x, y, -0.1}, .friction = mu});
  return out;
}

/// The box after some time on a slope, in shares of the angle of friction.
Simulator sloped_box(double share, double duration) {
  const double mu = 0.5;
  const Mechanism m = free_body(2.0, 0.05, share * std::atan(mu));
  Simulator s = simulator(m, box(mu), 1e-10);
  OwnedVector q = m.neutral();
  q[2] = 0.1;
  s.reset(q, OwnedVector(6));
  s.advance(duration);
  return s;
}

double roll_error() {
  const double angle = 0.2, r = 0.1, m = 0.5, J = 0.4 * m * r * r;
  const Mechanism ball = free_body(m, J, angle);
  Simulator s = simulator(ball, {{.body = "body", .radius = r, .friction = 0.5}});
  OwnedVector q = ball.neutral();
  q[2] = r;
  s.reset(q, OwnedVector(6));
  s.advance(3.0);
  return std::abs(s.q()[0] - 4.5 * kG * std::sin(angle) * 5.0 / 7.0) + std::abs(s.q()[2] - r);
}

double books_of_a_skidding_ball() {
  const double r = 0.1, m = 0.5, J = 0.4 * m * r * r;
  const Mechanism ball = free_body(m, J);
  Simulator s = simulator(ball, {{.body = "body", .radius = r, .friction = 0.3, .restitution = 0.6}}, 1e-10);
  OwnedVector q = ball.neutral(), v(6);
  q[2] = 0.8, v[0] = 2.0, v[4] = -30.0;
  s.reset(q, v);
  s.advance(4.0);
  const Ledger books = s.ledger();
  return books.residual() / books.exchanged;
}

}  // namespace

std::vector<VerificationEntry> contact_rigid() {
  std::vector<VerificationEntry> out;
  const auto add = [&](const char* id, const char* source, const char* kind, double tolerance,
                       double reference, std::function<double()> ours) {
    out.push_back(number_entry({id, source, kind, tolerance}, reference, std::move(ours)));
  };
  add("contact.example_3_13", "DS (3.53), (3.54)", "published", 1e-12, 0.0, example_313);
  add("contact.closet", "DS Example 3.15, (3.65)", "published", 1e-12, 58.0 / 67.0,
      [] { return closet_ratio(2.0, 0.5, 0.3, 1.0); });
  out.push_back(
      worst_entry({"contact.rocking_thresholds", "DS (3.66)", "closed form", 1e-9}, 200, rocking_thresholds));
  const char* const cases[] = {"contact.example_3_16a", "contact.example_3_16b", "contact.example_3_16c",
                               "contact.example_3_16d"};
  for (int k = 0; k < 4; ++k)
    add(cases[k], "DS Example 3.16, Fig 3.20", "published", 1e-6, 0.0, [k] { return bar_case(k); });
  add("contact.impact_share_largest", "DS 4.2.2 (errata)", "published", 1e-11, 0.997147165570,
      [] { return compass_shares()[0]; });
  add("contact.impact_share_smallest", "DS 4.2.2 (errata)", "published", 1e-11, 0.270431135537,
      [] { return compass_shares()[1]; });
  add("contact.bounce", "closed form", "closed form", 1e-9, std::pow(0.8, 10), bounce_height);
  add("contact.elastic_bounces", "energy over 100 bounces", "closed form", 1e-9, 0.0, elastic_drift);
  add("contact.roll", "5/7 g sin", "closed form", 1e-8, 0.0, roll_error);
  add("contact.box_sticks", "speed after 60 s at 0.99 of the angle of friction", "closed form", 1e-9, 0.0,
      [] { return sloped_box(0.99, 60.0).v().norm(); });
  add("contact.box_slides", "g (sin - mu cos) at 1.01 of the angle of friction", "closed form", 1e-6,
      kG * (std::sin(1.01 * std::atan(0.5)) - 0.5 * std::cos(1.01 * std::atan(0.5))),
      [] { return sloped_box(1.01, 2.0).accelerations()[0]; });
  add("contact.rigid_books", "residual over exchanged, with impacts and friction", "closed form", 1e-8, 0.0,
      books_of_a_skidding_ball);
  return out;
}

}  // namespace amble
