#include <cmath>

#include "amble/mechanism/builder.hpp"
#include "amble/simulation/integrators.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/simulation/elliptic.hpp"
#include "amble/verify/simulation/themes.hpp"

namespace amble {

namespace {

using Vec3 = Vector3<double>;

/// Euler's top in Jacobi's functions (Landau and Lifshitz, Mechanics, 37). Moments I, either way in order, the third
/// axis the one that it goes round: L^2 lies between 2 E I2 and 2 E I3.
class EulerTop {
 public:
  EulerTop(const Vec3& I, double energy, double L) : I_(I), energy_(energy), L_(L) {
    const double two = 2.0 * energy, L2 = L * L;
    size_ = Vec3(std::sqrt((two * I[2] - L2) / (I[0] * (I[2] - I[0]))),
                 std::sqrt((two * I[2] - L2) / (I[1] * (I[2] - I[1]))),
                 std::sqrt((L2 - two * I[0]) / (I[2] * (I[2] - I[0]))));
    rate_ = std::copysign(std::sqrt((I[2] - I[1]) * (L2 - two * I[0]) / I.prod()), I[2] - I[1]);
    m_ = (I[1] - I[0]) * (two * I[2] - L2) / ((I[2] - I[1]) * (L2 - two * I[0]));
  }

  Vec3 angular_velocity(double t) const {
    const Jacobi e = jacobi(rate_ * t, m_);
    return size_.cwiseProduct(Vec3(e.cn, e.sn, e.dn));
  }
  /// In axes whose z is along the angular momentum, up to where angle zero is.
  Matrix3<double> attitude(double t) const {
    const Vec3 h = I_.cwiseProduct(angular_velocity(t));
    const double nutation = std::acos(h[2] / L_), spin = std::atan2(h[0], h[1]);
    return (SO3<double>::about(2, precession(t)) * SO3<double>::about(0, nutation) * SO3<double>::about(2, spin))
        .matrix();
  }

 private:
  /// L (2E - I3 w3^2) / (L^2 - I3^2 w3^2) integrated, by the elliptic integral of the third kind.
  double precession(double t) const {
    const double c = std::pow(I_[2] * size_[2], 2), rest = L_ * L_ - c, n = -c * m_ / rest;
    const double third = std::ellint_3(std::sqrt(m_), n, jacobi(rate_ * t, m_).am) / rate_;
    return L_ / I_[2] * t + L_ * (2.0 * energy_ - L_ * L_ / I_[2]) / rest * third;
  }

  Vec3 I_, size_;
  double energy_, L_, rate_, m_;
};

Mechanism free_body(const Vec3& I) {
  Builder b("body");
  b.gravity({0, 0, 0});
  b.body({.name = "body", .inertia = Inertia<double>::from_com(1.7, {0, 0, 0}, I.asDiagonal())});
  return b.joint({.name = "flight", .type = "free", .parent = kWorld, .child = "body"}).build();
}

struct Errors {
  double velocity = 0.0, attitude = 0.0;
};

/// Over 20 s, from a phase by the seed; every other body goes round its smallest axis instead of its largest.
Errors errors_of(const std::string& integrator, double tolerance, std::uint64_t seed) {
  constexpr double kEnd = 20.0;
  const Vec3 I = seed % 2 == 0 ? Vec3(0.3, 0.5, 0.7) : Vec3(0.7, 0.5, 0.3);
  const double energy = 2.0, share = 0.15 + 0.1 * static_cast<double>(seed / 2);
  const EulerTop top(I, energy, std::sqrt(2.0 * energy * ((1.0 - share) * I[2] + share * I[1])));
  const double start = 0.7 * static_cast<double>(seed);
  const Mechanism m = free_body(I);
  VelocityFlow flow(m);
  const auto run = make_integrator(integrator, flow, {.tolerance = tolerance});
  Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
  v.tail<3>() = top.angular_velocity(start);
  run->set_state(0.0, m.neutral(), v);
  run->run(kEnd);
  const Matrix3<double> turned = top.attitude(start).transpose() * top.attitude(start + kEnd);
  const Matrix3<double> reached = SO3<double>(Quaternion<double>::from_xyzw(run->q().data() + 3)).matrix();
  return {(run->x().tail<3>() - top.angular_velocity(start + kEnd)).norm(), (reached - turned).norm()};
}

}  // namespace

std::vector<VerificationEntry> simulation_free_body() {
  const std::string source =
      "free rigid body in Jacobi's elliptic functions, 20 s, about the largest and the smallest axis";
  const auto claim = [&](const char* name) {
    return Claim{std::string("simulation.") + name, source, "closed form", 1e-9};
  };
  return {
      worst_entry(claim("free_body_angular_velocity"), 8,
                  [](std::uint64_t seed) { return errors_of("rkmk45", 1e-13, seed).velocity; }),
      worst_entry(claim("free_body_attitude"), 8,
                  [](std::uint64_t seed) { return errors_of("rkmk45", 1e-13, seed).attitude; }),
      worst_entry(claim("free_body_attitude_radau"), 8,
                  [](std::uint64_t seed) { return errors_of("radau", 1e-13, seed).attitude; }),
  };
}

}  // namespace amble
