#include <algorithm>
#include <cmath>

#include "amble/base/random.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/optimize/quadratic_program.hpp"
#include "bench/area.hpp"
#include "bench/pushed_robot.hpp"
#include "bench/state.hpp"

// Whole-body control, BK (36): a robot that stands on its feet, with tasks for its centre of mass and its posture; and the
// dense quadratic programs of the same kind. No other library here has a controller or a solver for them.
namespace amble::bench {

namespace {

constexpr int kFloating = 6, kCorners = 4, kFacets = 4;
/// Ticks of the long run for each second that a number may take: ten minutes at 1 kHz for the default of 0.15.
constexpr double kTicks = 600'000 / 0.15;

/// A robot on soles of four points each. Variables: accelerations, then the forces at the points; torques are
/// eliminated: rows of the floating base are equalities, those of joints bound the torques.
class Standing {
 public:
  explicit Standing(const Subject& subject) : robot_(subject.robot), work_(robot_), feet_(subject.feet) {}

  int points() const { return kCorners * static_cast<int>(feet_.size()); }
  QuadraticProgram empty() const {
    const int nv = robot_.nv();
    return QuadraticProgram(nv + 3 * points(), kFloating + 6 * static_cast<int>(feet_.size()),
                            nv - kFloating + kFacets * points() + static_cast<int>(feet_.size()));
  }

  /// At rest in q, asked for these accelerations of the centre of mass and of the joints.
  QuadraticProgram program(const OwnedVector& q, const Eigen::Vector3d& com, const Eigen::VectorXd& posture) {
    QuadraticProgram p = empty();
    const int nv = robot_.nv(), nf = 3 * points(), joints = nv - kFloating;
    const Eigen::MatrixXd M = mass_matrix(robot_, work_, q), J = point_jacobian(q);
    const Eigen::VectorXd h = bias_forces(robot_, work_, q, Eigen::VectorXd::Zero(nv));
    add_tasks(q, com, posture, p);
    p.A.topRows(kFloating) << M.topRows(kFloating), -J.transpose().topRows(kFloating);
    p.b.head(kFloating) = -h.head(kFloating);
    for (std::size_t i = 0; i < feet_.size(); ++i)
      p.A.block(kFloating + 6 * i, 0, 6, nv) =
          jacobian(robot_, work_, q, feet_[i], {.frame = JacobianFrame::aligned});
    p.C.topRows(joints) << M.bottomRows(joints), -J.transpose().bottomRows(joints);
    for (int i = 0; i < joints; ++i) {
      const double effort = std::min(robot_.effort_limit()[kFloating + i], 200.0);
      p.lower[i] = -effort - h[kFloating + i], p.upper[i] = effort - h[kFloating + i];
    }
    add_friction(p.C.bottomRightCorner(p.rows() - joints, nf), p.lower.tail(p.rows() - joints),
                 p.upper.tail(p.rows() - joints));
    return p;
  }

 private:
  /// Of all points, three rows each, world axes.
  Eigen::MatrixXd point_jacobian(const OwnedVector& q) {
    Eigen::MatrixXd J(3 * points(), robot_.nv());
    int row = 0;
    for (const std::string& foot : feet_)
      for (const double x : {-0.1, 0.1})
        for (const double y : {-0.05, 0.05}) {
          const JacobianOptions at{.point = {x, y, 0.0}, .frame = JacobianFrame::aligned};
          J.middleRows(row, 3) = jacobian(robot_, work_, q, foot, at).topRows(3);
          row += 3;
        }
    return J;
  }

  void add_tasks(const OwnedVector& q, const Eigen::Vector3d& com, const Eigen::VectorXd& posture,
                 QuadraticProgram& p) {
    constexpr double kCom = 1.0, kPosture = 1e-2, kRest = 1e-5;
    const int nv = robot_.nv(), joints = nv - kFloating;
    const Eigen::MatrixXd J = Eigen::MatrixXd(momentum_matrix(robot_, work_, q)).topRows(3) / robot_.mass();
    p.H.topLeftCorner(nv, nv) = kCom * J.transpose() * J;
    p.g.head(nv) = -kCom * J.transpose() * com;
    p.H.diagonal().segment(kFloating, joints).array() += kPosture;
    p.g.segment(kFloating, joints) -= kPosture * posture;
    p.H.diagonal().array() += kRest;
  }

  /// Facets inside the cone of friction, |f_t| <= mu f_n / sqrt(2) along two axes; each foot bears 10 to 2000
  /// N.
  template <class Rows, class Bounds>
  void add_friction(Rows&& C, Bounds&& lower, Bounds&& upper) const {
    constexpr double kFriction = 0.6 / 1.4142135623730951, kLeast = 10.0, kMost = 2000.0;
    int row = 0;
    for (int k = 0; k < points(); ++k)
      for (const int axis : {0, 1})
        for (const double sign : {-1.0, 1.0}) {
          C(row, 3 * k + axis) = sign, C(row, 3 * k + 2) = -kFriction;
          upper[row++] = 0.0;
        }
    for (std::size_t i = 0; i < feet_.size(); ++i, ++row) {
      for (int k = 0; k < kCorners; ++k) C(row, 3 * (kCorners * i + k) + 2) = 1.0;
      lower[row] = kLeast, upper[row] = kMost;
    }
  }

  const Mechanism& robot_;
  Workspace work_;
  std::vector<std::string> feet_;
};

/// Neighbours are alike, as ticks of a controller are.
struct Programs {
  std::vector<QuadraticProgram> list;  ///< kStates
  QpSolver solver;
};

std::shared_ptr<Programs> programs_of(const Subject& subject) {
  Standing standing(subject);
  const QuadraticProgram empty = standing.empty();
  auto out =
      std::make_shared<Programs>(Programs{{}, QpSolver(empty.variables(), empty.equalities(), empty.rows())});
  Random random(1);
  const int nv = subject.robot.nv();
  Eigen::VectorXd away(nv), direction(nv);
  for (int j = 0; j < nv; ++j)
    away[j] = j < kFloating ? 0.0 : random.uniform(0.05, 0.15), direction[j] = random.normal();
  for (int i = 0; i < kStates; ++i) {
    const double t = 2.0 * 3.141592653589793 * i / kStates;
    const OwnedVector q = subject.robot.integrate(subject.robot.neutral(), std::cos(t) * away);
    const Eigen::Vector3d com(3.0 * std::sin(t), 1.5 * std::cos(2.0 * t), 2.0 * std::sin(3.0 * t));
    out->list.push_back(standing.program(q, com, 10.0 * std::sin(t) * direction.tail(nv - kFloating)));
  }
  return out;
}

Figures figures_of(Programs& programs, QpReuse reuse) {
  double iterations = 0.0, active = 0.0, solved = 0.0, residual = 0.0;
  for (const QuadraticProgram& p : programs.list) {
    const QpResult& result = programs.solver.solve(p, reuse);
    iterations += result.iterations, active += result.active, solved += result.solved();
    residual = std::max(residual, result.certificate.residual());
  }
  const QuadraticProgram& p = programs.list.front();
  return {{"variables", p.variables()}, {"equalities", p.equalities()},
          {"inequalities", p.rows()},   {"iterations", iterations / kStates},
          {"active", active / kStates}, {"solved", solved / kStates},
          {"residual", residual}};
}

}  // namespace

std::vector<Task> control_tasks(const Subject& subject, Notes& notes) {
  const bool floats = subject.robot.nv() > kFloating && !subject.robot.joints().empty() &&
                      subject.robot.joints().front().type == "free";
  if (subject.growth || subject.feet.empty() || !floats) return {};
  const auto programs = programs_of(subject);
  std::vector<Task> tasks;
  const auto pushed = std::make_shared<PushedRobot>(subject);
  tasks.push_back({.what = "whole-body tick",
                   .library = "amble",
                   .run = [pushed](int i) { pushed->tick(i); },
                   .long_run = [&subject](double seconds) {
                     return PushedRobot(subject).long_run(std::lround(kTicks * seconds));
                   }});
  for (const auto& [what, reuse] :
       {std::pair{"whole-body qp, cold", QpReuse::nothing}, {"whole-body qp, warm", QpReuse::active_set}})
    tasks.push_back(
        {.what = what,
         .library = "amble",
         .run = [programs, reuse = reuse](int i) { programs->solver.solve(programs->list[i], reuse); },
         .figures = figures_of(*programs, reuse)});
  const QuadraticProgram& p = programs->list.front();
  add_note(notes, "whole-body qp: " + std::to_string(p.variables()) + " variables, " +
                      std::to_string(p.equalities()) + " equalities, " + std::to_string(p.rows()) +
                      " two-sided inequalities");
  return tasks;
}

}  // namespace amble::bench
