#include "amble/simulation/integrators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/mechanism/builder.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/simulation/themes.hpp"

namespace amble {

namespace {

const Drive kDrive = [](double t, const OwnedVector&, const OwnedVector& speed, OwnedVector& tau) {
  tau = std::sin(5.0 * t) * Eigen::VectorXd::Ones(tau.size()) - 0.2 * speed;
};

constexpr double kEnd = 0.4;

/// Takes every step for exact, so that those that choose their step take the one that they may.
struct Forgiving : VelocityFlow {
  using VelocityFlow::VelocityFlow;
  void forgive(double, const double*, const double*, double* q_error, double* x_error) override {
    std::fill_n(q_error, size(), 0.0), std::fill_n(x_error, size(), 0.0);
  }
};

template <class SomeFlow>
OwnedVector end_of(const std::string& name, const Motion& s, const IntegratorOptions& options) {
  SomeFlow flow(s.m, kDrive);
  const auto run = make_integrator(name, flow, options);
  run->set_state(0.0, s.q, s.v);
  run->run(kEnd);
  OwnedVector out(s.m.nq() + s.m.nv());
  out.head(s.m.nq()) = run->q(), out.tail(s.m.nv()) = run->x();
  return out;
}

double distance(const Mechanism& m, const OwnedVector& a, const OwnedVector& b) {
  return m.difference(a.head(m.nq()), b.head(m.nq())).norm() + (a - b).tail(m.nv()).norm();
}

struct Scheme {
  const char* name;
  int order, steps;
};

/// log2 of what the error falls to at half the step, the mean over random mechanisms.
double order_of(const Scheme& scheme) {
  double sum = 0.0;
  int counted = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const Motion s = random_motion(seed, {.bodies = 1 + static_cast<int>(seed % 5)});
    const OwnedVector exact = end_of<VelocityFlow>("rkmk45", s, {.tolerance = 1e-14});
    const auto error = [&](int steps) {
      const double h = kEnd / steps;
      const IntegratorOptions options{.tolerance = 1e-12, .first_step = h, .longest_step = h, .step = h};
      return distance(s.m, end_of<Forgiving>(scheme.name, s, options), exact);
    };
    const double coarse = error(scheme.steps);
    if (coarse > 1e-10) sum += std::log2(coarse / error(2 * scheme.steps)), ++counted;  // above that of the reference
  }
  return sum / counted;
}

VerificationEntry order_entry(const Scheme& scheme) {
  return number_entry(
      {fmt::format("simulation.order_of_{}", scheme.name),
       "log2 of the error's fall at half the step, random mechanisms of every joint type", "two routes", 0.3},
      scheme.order, [scheme] { return order_of(scheme); });
}

/// Van der Pol's equation, eps = 1e-6.
struct VanDerPol : Flow {
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 2; }
  void rates(double, const double*, const double* x, double*, double* xdot) override {
    xdot[0] = x[1], xdot[1] = ((1.0 - x[0] * x[0]) * x[1] - x[0]) / 1e-6;
  }
};

double van_der_pol() {
  VanDerPol flow;
  const auto run = make_integrator("radau", flow, {.tolerance = 1e-9, .first_step = 1e-6});
  run->set_state(0.0, Eigen::VectorXd(), Eigen::Vector2d(2.0, 0.0));
  run->run(2.0);
  return run->x()[0];
}

/// Two rods held in line by a spring of 1e8 N m/rad and its damper, beside one rigid rod of twice the length.
double stiff_rods() {
  Builder b("rods");
  const Inertia<double> rod = Inertia<double>::from_com(1.0, {0, 0, -0.5}, Matrix3<double>::Identity() / 12.0);
  b.body({.name = "upper", .inertia = rod}).body({.name = "lower", .inertia = rod});
  b.joint({.name = "pin", .type = "revolute", .parent = kWorld, .child = "upper", .axis = {0, 1, 0}});
  b.joint({.name = "stiff",
           .type = "revolute",
           .parent = "upper",
           .child = "lower",
           .X_PF = Pose(Vector3<double>(0, 0, -1)),
           .axis = {0, 1, 0}});
  const Mechanism m = b.build();
  Simulator run(m,
                {joint_springs("spring", m, Eigen::Vector2d(0.0, 1e8), Eigen::Vector2d::Zero()),
                 joint_dampers("damper", Eigen::Vector2d(0.0, 1e5))},
                {}, {.integrator = {.tolerance = 1e-9}, .method = "radau"});
  run.reset(Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d::Zero());
  run.advance(2.0);
  Builder one("rod");
  const double I = 2.0 / 12.0 + 0.25 + 2.25;
  one.body({.name = "rod",
            .inertia = Inertia<double>::from_com(2.0, {0, 0, -1.0}, (I - 2.0) * Matrix3<double>::Identity())});
  one.joint({.name = "pin", .type = "revolute", .parent = kWorld, .child = "rod", .axis = {0, 1, 0}});
  Simulator rigid(one.build(), {}, {}, {.integrator = {.tolerance = 1e-12}});
  rigid.reset(Eigen::VectorXd::Ones(1), Eigen::VectorXd::Zero(1));
  rigid.advance(2.0);
  return run.q()[0] - rigid.q()[0];
}

constexpr Scheme kSchemes[] = {
    {"rkmk45", 5, 20}, {"rkmk4", 4, 80}, {"radau", 5, 20}, {"semi_implicit", 1, 2000}, {"variational", 2, 200}};

}  // namespace

std::vector<VerificationEntry> simulation_integrators() {
  std::vector<VerificationEntry> out;
  for (const Scheme& scheme : kSchemes) out.push_back(order_entry(scheme));
  out.push_back(
      number_entry({"simulation.van_der_pol",
                    "Test Set for IVP Solvers, problem VDPOL: van der Pol, eps = 1e-6, x(2)", "published", 1e-7},
                   1.706167732170483, van_der_pol));
  out.push_back(
      number_entry({"simulation.stiff_rods", "two rods in line by a spring of 1e8 N m/rad, beside a rigid one, 2 s",
                    "two routes", 1e-5},
                   0.0, stiff_rods));
  return out;
}

}  // namespace amble
