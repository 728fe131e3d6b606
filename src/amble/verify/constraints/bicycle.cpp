#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "amble/base/slope.hpp"
#include "amble/constraints/assembly.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/verify/constraints/themes.hpp"
#include "amble/verify/evidence.hpp"

// The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007): four rigid bodies, two
// wheels that roll without slip. Here it is built, not written down as two linear equations: the motions that its
// wheels allow are differentiated about riding straight ahead, and have to have the eigenvalues of the paper's Table 2.
namespace amble {

namespace {

using Vec3 = Vector3<double>;
using Eigen::MatrixXd, Eigen::VectorXd;

constexpr double kRearRadius = 0.3, kFrontRadius = 0.35, kBase = 1.02, kTrail = 0.08, kTilt = std::numbers::pi / 10.0;

/// Table 1, whose axes are x forward, y right and z down: here z is up, so moments xz change their sign.
Inertia<double> inertia(double mass, const Vec3& com, double xx, double yy, double zz, double xz_down) {
  Matrix3<double> I = Vec3(xx, yy, zz).asDiagonal();
  I(0, 2) = I(2, 0) = -xz_down;
  return Inertia<double>::from_com(mass, com, I);
}

/// Bodies have axes of the world when it stands upright; the rear frame's origin is where its wheel touches.
Mechanism bicycle() {
  Builder b("bicycle");
  // On the steering axis, over the point where it meets the ground.
  const Vec3 head = Vec3(kBase + kTrail, 0, 0) + 0.9 * Vec3(-std::sin(kTilt), 0, std::cos(kTilt));
  const Vec3 rear(0, 0, kRearRadius), front(kBase, 0, kFrontRadius);
  b.body({.name = "rear_frame", .inertia = inertia(85.0, {0.3, 0, 0.9}, 9.2, 11.0, 2.8, 2.4)});
  b.body({.name = "fork", .inertia = inertia(4.0, Vec3(0.9, 0, 0.7) - head, 0.05892, 0.06, 0.00708, -0.00756)});
  b.body({.name = "rear_wheel", .inertia = inertia(2.0, Vec3::Zero(), 0.0603, 0.12, 0.0603, 0.0)});
  b.body({.name = "front_wheel", .inertia = inertia(3.0, Vec3::Zero(), 0.1405, 0.28, 0.1405, 0.0)});
  const auto pin = [](const char* name, const char* parent, const char* child, const Vec3& place, const Vec3& axis) {
    return JointDescription{
        .name = name, .type = "revolute", .parent = parent, .child = child, .X_PF = Pose(place), .axis = axis};
  };
  b.joint({.name = "base", .type = "free", .parent = kWorld, .child = "rear_frame"});
  b.joint(pin("rear_hub", "rear_frame", "rear_wheel", rear, {0, 1, 0}));
  b.joint(pin("steer", "rear_frame", "fork", head, {std::sin(kTilt), 0, -std::cos(kTilt)}));
  b.joint(pin("front_hub", "fork", "front_wheel", front - head, {0, 1, 0}));
  b.rolling({.name = "rear", .body = "rear_wheel", .radius = kRearRadius, .axis = {0, 1, 0}});
  b.rolling({.name = "front", .body = "front_wheel", .radius = kFrontRadius, .axis = {0, 1, 0}});
  return b.build();
}

/// Lean to the right, steer to the right, and their rates.
using State = Vector4<double>;

class Ride {
 public:
  explicit Ride(double speed)
      : speed_(speed), mechanism_(bicycle()), dynamics_(mechanism_, constraints_of(mechanism_)) {}

  /// d state / dt.
  State rates(const State& x) {
    OwnedVector q = mechanism_.neutral();
    q[3] = std::sin(0.5 * x[0]), q[6] = std::cos(0.5 * x[0]);
    q[steer_q()] = x[1];
    q = assemble(mechanism_, q, {.held = {"steer"}}).q;
    const VectorXd zero = VectorXd::Zero(mechanism_.nv());
    dynamics_.set_state(q, zero);
    dynamics_.set_state(q, velocity(x));
    const OwnedVector a = dynamics_.accelerations(zero);
    return {x[2], x[3], a[kLean], a[steer_v()]};
  }

  MatrixXd linear() {
    MatrixXd A(4, 4);
    for (int k = 0; k < 4; ++k)
      A.col(k) = slope_at_zero([&](double t) { return VectorXd(rates(t * State::Unit(k))); });
    return A;
  }

 private:
  static constexpr int kLean = 3;  // the angular velocity about x in the twist of the rear frame
  int steer_q() const { return mechanism_.q_slice("steer").start; }
  int steer_v() const { return mechanism_.v_slice("steer").start; }

  /// What the wheels allow with these rates and the rear wheel turning as at the speed.
  VectorXd velocity(const State& x) const {
    const MatrixXd ways = dynamics_.basis();
    Matrix3<double> chosen;
    chosen << ways.row(kLean), ways.row(steer_v()), ways.row(mechanism_.v_slice("rear_hub").start);
    return ways * chosen.partialPivLu().solve(Vec3(x[2], x[3], speed_ / kRearRadius));
  }

  double speed_;
  Mechanism mechanism_;
  ConstrainedDynamics dynamics_;
};

/// By their real parts, imaginary parts above zero first where these are the same.
std::vector<std::complex<double>> eigenvalues(double speed) {
  const Eigen::VectorXcd all = Eigen::EigenSolver<MatrixXd>(Ride(speed).linear()).eigenvalues();
  std::vector<std::complex<double>> sorted(all.begin(), all.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::abs(a.real() - b.real()) > 1e-6 ? a.real() < b.real() : a.imag() > b.imag();
  });
  return sorted;
}

struct Root {
  const char* name;
  double speed;
  int place;  // among eigenvalues()
  bool imaginary;
  double value;
};

}  // namespace

std::vector<VerificationEntry> constraints_bicycle() {
  std::vector<VerificationEntry> entries;
  for (const Root& r : {Root{"falls", 0.0, 3, false, 5.53094371765393},
                        {"falls_slowly", 0.0, 2, false, 3.13164324790656},
                        {"castering", 5.0, 0, false, -14.07838969279822},
                        {"weave", 5.0, 1, false, -0.77534188219585},
                        {"weave_frequency", 5.0, 1, true, 4.46486771378823},
                        {"capsize", 5.0, 3, false, -0.32286642900409},
                        {"weave_speed", 4.29238253634111, 3, false, 0.0},
                        {"weave_speed_frequency", 4.29238253634111, 2, true, 3.43503384866144},
                        {"capsize_speed", 6.02426201538837, 3, false, 0.0},
                        {"castering_fast", 10.0, 0, false, -24.62459635017404},
                        {"weave_fast", 10.0, 1, false, -3.72016840437287},
                        {"capsize_fast", 10.0, 3, false, 0.16105338653172}})
    entries.push_back(number_entry(
        {std::string("constraints.bicycle_") + r.name,
         fmt::format("Meijaard et al. 2007, Table 2: benchmark bicycle, eigenvalue at {:.6g} m/s (1/s)", r.speed),
         "published", 1e-8},
        r.value, [r] {
          const std::complex<double> root = eigenvalues(r.speed)[r.place];
          return r.imaginary ? root.imag() : root.real();
        }));
  return entries;
}

}  // namespace amble
