#include "amble/base/error.hpp"
#include "amble/constraints/assembly.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/constraints/coordinate_constraints.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "amble/verify/constraints/models.hpp"
#include "amble/verify/constraints/themes.hpp"

namespace amble {

namespace {

/// Whether `f` throws an Error that has all these words.
double refused(const std::function<void()>& f, const std::vector<std::string>& words) {
  try {
    f();
  } catch (const Error& e) {
    const std::string message = e.what();
    return std::all_of(words.begin(), words.end(),
                       [&](const auto& w) { return message.find(w) != std::string::npos; });
  }
  return 0.0;
}

/// The crank's end cannot be 9 m from a pin that it is 0.4 m from: 8.6 m are missing.
void open_loop() {
  const Mechanism m = four_bar().mechanism;
  const LinkFrame tip = link_frame(m, "crank", Pose(Vector3<double>(FourBarLengths().crank, 0, 0)));
  assemble(m, {distance_constraint(m, "far", {}, tip, 9.0)}, m.neutral());
}

/// One joint is to turn at two speeds.
void contradiction() {
  const Mechanism m = four_bar().mechanism;
  const auto drive = [&](const char* name, double speed) {
    const auto A = [](const VectorRef&) { return OwnedMatrix(Eigen::RowVector3d(1, 0, 0)); };
    const auto b = [speed](const VectorRef& q) {
      OwnedVector out(1);
      out[0] = speed * q[0];
      return out;
    };
    return velocity_constraint(m, name, 1, A, b);
  };
  ConstrainedDynamics d(m, {drive("slow", 1.0), drive("fast", 2.0)});
  d.set_state(m.neutral(), Eigen::Vector3d(1, 0, 0));
  d.accelerations(Eigen::Vector3d::Zero());
}

void missing_body() {
  Builder b(four_bar().mechanism.description());
  b.loop({.name = "extra", .type = "revolute", .body_a = "crank", .body_b = "rokker"});
  b.rolling({.name = "wheel", .body = "wheel", .radius = -1.0});
  b.spring({.name = "spring", .body_a = "crank", .body_b = "rocker", .stiffness = -5.0}).build();
}

/// A wheel whose axle is held 0.1 m too high.
void floating_wheel() {
  Builder b("unicycle");
  b.body({.name = "wheel", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "axle",
           .type = "prismatic",
           .parent = kWorld,
           .child = "wheel",
           .X_PF = Pose(Vector3<double>(0, 0, 0.4)),
           .axis = {1, 0, 0}});
  const Mechanism m = b.rolling({.name = "edge", .body = "wheel", .radius = 0.3, .axis = {0, 1, 0}}).build();
  assemble(m, constraints_of(m), m.neutral());
}

}  // namespace

std::vector<VerificationEntry> constraints_refusals() {
  const auto entry = [](const std::string& name, const std::string& source, void (*f)(),
                        const std::vector<std::string>& words) {
    return number_entry({"constraints.refuses_" + name, source, "closed form", 0.0}, 1.0,
                        [=] { return refused(f, words); });
  };
  return {
      entry("open_loop", "what cannot close: the smallest residual is told", open_loop,
            {"cannot be assembled", "smallest residual is 8.6"}),
      entry("contradiction", "two speeds for one joint", contradiction,
            {"contradict each other", "smallest residual"}),
      entry("missing_body", "all that is wrong at once", missing_body,
            {"'rokker' does not exist (did you mean 'rocker'?)", "'wheel' does not exist", "radius -1",
             "stiffness -5"}),
      entry("floating_wheel", "a wheel that cannot reach the ground", floating_wheel,
            {"cannot be assembled", "smallest residual is 0.1"}),
  };
}

}  // namespace amble
