#include "amble/simulation/time_stepping.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "amble/base/error.hpp"
#include "amble/contact/rigid_contact.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/mechanism/joints/straight_steps.hpp"

namespace amble {

namespace {

constexpr double kRecovery = 0.5;   // m/s, rad/s: how fast what overlaps is pushed apart at most
constexpr double kLeastAcceleration = 1.0;  // m/s^2, rad/s^2: that residuals are measured by where nothing moves
constexpr double kStuck = 1e-7;     // m/s: what slips more slowly sticks
constexpr double kSamePoint = 1e-6;  // m: farther than this a contact has rolled on to other points of both links
constexpr double kNoStep = 1e-9;    // of a step: what is shorter is rounding between two clocks
constexpr double kNothing = 1e-13;  // m: of rounding in what has moved
constexpr double kNoWay = 1e-10;    // of the easiest: ways that are harder to push things along are closed
constexpr double kUnmet = 1e-8;     // residuals that are no matter of rounding
constexpr double kFar = 1e-6;       // residuals of forces that may contradict each other
constexpr double kLittle = 1e-8;    // m/s: to go back at this speed is to go nowhere, but things that are stuck cannot
constexpr int kMostSystems = 600;   // linear systems of a solution
constexpr double kWedged = 1e-3;    // of the largest impulse: what has more is wedged with it
constexpr double kRestSteps = 4.0;  // steps of falling: what meets more slowly does not bounce

PortFlow& ports_of(Flow& flow) {
  auto* const ports = dynamic_cast<PortFlow*>(&flow);
  if (ports == nullptr) throw Error("integrator \"time_stepping\" takes a mechanism with what is attached to it alone");
  for (const ElementPtr& element : ports->elements())  // rigid contacts slide by forces at an instant, too
    if (element->guards_want_forces() || dynamic_cast<const RigidContact*>(element.get()) != nullptr)
      throw Error(fmt::format("'{}' asks for forces at an instant, which \"time_stepping\" does not have: expected contacts and "
                              "limits that are solved for in steps",
                              element->name()));
  return *ports;
}

bool met(const FrictionSolution& s) { return s.status != FrictionStatus::inconsistent && s.certificate.residual < kUnmet; }

/// The normal, and two directions across it that change little when it does.
ContactSpace::Axes axes_of(const Vector3<double>& n) {
  const Vector3<double> aside = std::abs(n.x()) < 0.8 ? Vector3<double>::UnitX() : Vector3<double>::UnitY();
  const Vector3<double> t1 = (aside - aside.dot(n) * n).normalized();
  return {n, t1, n.cross(t1)};
}

}  // namespace

TimeSteppingIntegrator::TimeSteppingIntegrator(Flow& flow, const IntegratorOptions& options)
    : Integrator(flow, options),
      ports_(ports_of(flow)),
      space_(*mechanism_),
      held_(*mechanism_),
      solver_(make_friction_solver("newton", {.tolerance = std::max(options.tolerance, 1e-14), .loose_tolerance = kUnmet,
                                              .iterations = kMostSystems})),
      tau_(nv_),
      tau_end_(nv_),
      rates_(flow.size()),
      end_rates_(flow.size()),
      v_(nv_),
      v_end_(nv_),
      y_(nv_),
      d_(nv_),
      v_free_(nv_),
      q_end_(q_.size()),
      x_end_(flow.size()),
      given_(nv_),
      held_impulses_(nv_),
      inside_(nv_),
      root_of_link_(mechanism_->links().size()),
      root_of_velocity_(nv_),
      above_(mechanism_->links().size()) {
  sliver_ = kNoStep * options.step;
  for (std::size_t i = 1; i < root_of_link_.size(); ++i) {
    const Link& link = mechanism_->links()[i];
    root_of_link_[i] = link.parent == 0 ? static_cast<int>(i) : root_of_link_[link.parent];
    for (int k = link.v.start; k < link.v.start + link.v.size; ++k) root_of_velocity_[k] = root_of_link_[i];
  }
  for (const PortFlow::Solved& s : ports_.solved())
    if (const OwnedVector* damping = s.element->damping()) {
      if (damping->size() != nv_)
        throw Error(fmt::format("'{}' has {} numbers of damping, but there are {} velocities", s.element->name(),
                                damping->size(), nv_));
      damping_ = OwnedVector(nv_);
    }
}

void TimeSteppingIntegrator::find_start_forces() {
  if (end_rates_known_)
    tau_ = tau_end_, rates_ = end_rates_;
  else if (!start_rates_known_)
    ++report_.evaluations, ports_.element_forces(t_, q_.data(), x_.data(), tau_.data(), rates_.data());
  start_rates_known_ = true, end_rates_known_ = false;
}

void TimeSteppingIntegrator::find_blocks(double h) {
  v_ = x_.head(nv_);
  space_.set_state(q_, v_);
  contacts_.clear();
  const StepStart start{t_, h, q_, v_, space_.poses(), space_.origin_speeds(), space_.turn_speeds(), *mechanism_};
  for (const PortFlow::Solved& s : ports_.solved()) {
    blocks_.clear();
    s.element->add_blocks(start, blocks_);
    for (const StepBlock& block : blocks_) contacts_.push_back({block, s.index});
  }
}

/// Joints that are taken to stay still; constraints may move them.
void TimeSteppingIntegrator::find_held() {
  if (ports_.constrained() != nullptr) held_.forget();
  held_.meet(contacts_);
  space_.hold(held_.flags());
}

void TimeSteppingIntegrator::find_damping(double h) {
  if (damping_.size() == 0) return;
  damping_.setZero();
  for (const PortFlow::Solved& s : ports_.solved())
    if (const OwnedVector* damping = s.element->damping()) damping_ += h * *damping;
}

/// y_ = U^-1 h (tau - bias - damping v): what changes the velocity without contacts.
void TimeSteppingIntegrator::find_free_motion(double h) {
  space_.factor(damping_.size() > 0 ? damping_.data() : nullptr);
  given_ = h * (tau_ - Eigen::Map<const Eigen::VectorXd>(space_.bias(), nv_));
  y_ = given_;
  if (damping_.size() > 0) y_ -= damping_.cwiseProduct(v_);
  space_.add_stopping(v_.data(), y_.data());
  space_.solve_inward(y_.data());
  if (!y_.allFinite()) refuse_motion();
  v_free_ = v_;
  add_turning(*mechanism_, h, v_.data(), v_free_.data());
  for (int k = 0; k < nv_; ++k)
    if (held_.flags()[k]) v_free_[k] = 0.0;
  space_.set_velocity(v_free_);
}

/// A mass matrix that is singular, or what else keeps the motion without contacts from being finite.
void TimeSteppingIntegrator::refuse_motion() const {
  Workspace work(*mechanism_);
  (void)forward_dynamics(*mechanism_, work, q_, v_, tau_);
  throw Error(not_finite(y_, x_));
}

// ---- islands: what contacts tie together is solved for together

int TimeSteppingIntegrator::top(int root) {
  while (above_[root] != root) root = above_[root] = above_[above_[root]];
  return root;
}

/// Puts the contacts of an island side by side, in the order that they came in; those that held joints meet are left out.
void TimeSteppingIntegrator::find_islands() {
  std::iota(above_.begin(), above_.end(), 0);
  const auto roots = [&](const StepBlock& b) {
    if (b.kind != StepBlock::Kind::contact) return std::pair(root_of_velocity_[b.v], 0);
    return std::pair(root_of_link_[b.at.link_b], root_of_link_[b.at.link_a]);
  };
  for (const SteppedContact& c : contacts_)
    if (const auto [a, b] = roots(c.block); a > 0 && b > 0) above_[top(a)] = top(b);
  island_.clear();
  for (const SteppedContact& c : contacts_) {
    const auto [a, b] = roots(c.block);
    island_.push_back(top(a > 0 ? a : b));
  }
  order_.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    if (!held_.meets(contacts_[i].block)) order_.push_back(static_cast<int>(i));
  std::sort(order_.begin(), order_.end(),
            [&](int i, int j) { return island_[i] != island_[j] ? island_[i] < island_[j] : i < j; });
  works_.assign(contacts_.size(), 0.0);
  axes_.resize(contacts_.size()), points_.resize(contacts_.size());
  grips_.assign(contacts_.size(), {}), taken_back_.assign(contacts_.size(), {}), earlier_.assign(contacts_.size(), -1);
  eased_.assign(contacts_.size(), Ease::none);
}

void TimeSteppingIntegrator::solve_islands(double h) {
  find_islands();
  if (ports_.constrained() != nullptr) return solve_island(h, 0, order_.size(), true);
  for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
    while (end < order_.size() && island_[order_[end]] == island_[order_[begin]]) ++end;
    solve_island(h, begin, end, false);
  }
}

// ---- the problem

/// Where the normal velocity must not fall below: what closes the distance, or Newton's restitution.
void TimeSteppingIntegrator::set_target(double h, const SteppedContact& contact, int row, double before) {
  const StepBlock& b = contact.block;
  const double distance = b.kind == StepBlock::Kind::contact ? b.at.distance : b.distance;
  const double beyond = std::copysign(std::max(std::abs(distance) - kNothing, 0.0), distance);
  const double rest = kRestSteps * h * mechanism_->gravity().norm();
  const bool bounces = b.restitution > 0.0 && -before > rest && distance + h * before <= 0.0;
  problem_.offset(row) = bounces ? b.restitution * before : std::max(beyond / h, -kRecovery);
  contact_report_.deepest = std::max(contact_report_.deepest, -distance);
}

/// Where a contact acts, between its two points. All that touch one plane act in one plane: points of a body that turns
/// while it sinks onto the ground could not all stick otherwise.
Vector3<double> TimeSteppingIntegrator::point_of(std::size_t i) const {
  const ContactPoint& at = contacts_[i].block.at;
  if (at.link_a == 0) return at.p_a;
  const Vector3<double> middle = 0.5 * (at.p_a + at.p_b);
  return i > 0 && level(i, i - 1) ? Vector3<double>(middle + at.normal.dot(points_[i - 1] - middle) * at.normal) : middle;
}

void TimeSteppingIntegrator::add_block(double h, std::size_t i) {
  const StepBlock& b = contacts_[i].block;
  const int first = static_cast<int>(before_.size());
  if (b.kind == StepBlock::Kind::contact) {
    axes_[i] = axes_of(b.at.normal);
    before_.resize(first + 3);
    points_[i] = point_of(i);
    space_.add_point(problem_, FrictionLaw::contact(b.friction), b.at.link_a, b.at.link_b, points_[i], axes_[i],
                     &before_[first]);
    return set_target(h, contacts_[i], first, before_[first]);
  }
  const bool bound = b.kind == StepBlock::Kind::bound;
  before_.resize(first + 1);
  space_.add_velocity(problem_, bound ? FrictionLaw::unilateral() : FrictionLaw::box(h * b.force), b.v, b.sign,
                      &before_[first]);
  if (bound) set_target(h, contacts_[i], first, before_[first]);
}

/// A v1 = b, less what has drifted.
void TimeSteppingIntegrator::add_constraints(double h) {
  ConstrainedDynamics& dynamics = ports_.constrained()->dynamics();
  dynamics.set_time(t_ + h);
  dynamics.set_state(q_, v_);
  const int first = problem_.block(space_.add_rows(problem_, dynamics.rows(), dynamics.A().data())).row;
  const OwnedVector error = dynamics.velocity_error();
  for (int r = 0; r < dynamics.rows(); ++r) {
    before_.push_back(error[r]);
    problem_.offset(first + r) = std::clamp(dynamics.violation()[r] / h, -kRecovery, kRecovery);
  }
}

/// Whether two contacts are of the same links in the same direction.
bool TimeSteppingIntegrator::level(std::size_t i, std::size_t j) const {
  const StepBlock &x = contacts_[i].block, &y = contacts_[j].block;
  return x.kind == StepBlock::Kind::contact && y.kind == StepBlock::Kind::contact && x.at.link_a == y.at.link_a &&
         x.at.link_b == y.at.link_b && x.at.normal == y.at.normal;
}

/// How far a contact that was to stick in the last step moved there all the same: links move along curves, and it by the square
/// of how far they turned. False where it did not stick, or has rolled on since.
bool TimeSteppingIntegrator::strayed(std::size_t i, Vector3<double>& by) const {
  if (earlier_[i] < 0 || !last_grips_[earlier_[i]].sticks) return false;
  const Grip& grip = last_grips_[earlier_[i]];
  const ContactPoint& at = contacts_[i].block.at;
  const Pose &X_a = space_.poses()[at.link_a], &X_b = space_.poses()[at.link_b];
  by = X_b * grip.on_b - X_a * grip.on_a - grip.moved;
  return std::min((X_a * grip.surface_a - at.p_a).norm(), (X_b * grip.surface_b - at.p_b).norm()) < kSamePoint;
}

/// What strayed in the last step comes back in this one, as a distance does along the normal: it would add up otherwise. All
/// level contacts of two links move back as one body does, shifted and turned, or they could not all stick.
void TimeSteppingIntegrator::take_back(double h, std::size_t begin, std::size_t end) {
  for (std::size_t first = begin, last = begin; first < end; first = last) {
    while (last < end && (last == first || level(order_[last], order_[first]))) ++last;
    find_return(h, first, last);
  }
  for (std::size_t k = begin; k < end; ++k)
    for (int r = 0; r < 2; ++r)
      if (const double back = taken_back_[order_[k]][r]; back != 0.0)
        problem_.w(problem_.block(static_cast<int>(k - begin)).row + 1 + r) += back;
}

/// Of level contacts: how one of them has to move, and how they turn about it to get another that is far from it back.
void TimeSteppingIntegrator::find_return(double h, std::size_t first, std::size_t last) {
  Vector3<double> shift, other, centre;
  std::size_t k = first;
  while (k < last && !strayed(order_[k], shift)) ++k;
  if (k == last) return;
  centre = points_[order_[k]];
  const Vector3<double>& n = contacts_[order_[k]].block.at.normal;
  double turn = 0.0, farthest = 0.0, most = shift.norm();
  for (++k; k < last; ++k) {
    const Vector3<double> arm = n.cross(points_[order_[k]] - centre);
    if (arm.squaredNorm() <= farthest || !strayed(order_[k], other)) continue;
    farthest = arm.squaredNorm();
    turn = arm.dot(other - shift) / farthest;
    most = std::max(most, other.norm());
  }
  if (most < kNothing) return;
  for (k = first; k < last; ++k) {
    const std::size_t i = order_[k];
    const Vector3<double> back = (1.0 - kNothing / most) / h * (shift + turn * n.cross(points_[i] - centre));
    for (int r = 0; r < 2; ++r) taken_back_[i][r] = std::clamp(back.dot(axes_[i][r + 1]), -kRecovery, kRecovery);
  }
}

TimeSteppingIntegrator::Grip TimeSteppingIntegrator::grip_of(double h, std::size_t i, const FrictionBlock& b,
                                                             const FrictionSolution& solution) const {
  const double* u = solution.velocities.data() + b.row;
  if (b.rows != 3 || std::hypot(u[1], u[2]) > kStuck) return {};
  const ContactPoint& at = contacts_[i].block.at;
  const Pose X_a = space_.poses()[at.link_a].inverse(), X_b = space_.poses()[at.link_b].inverse();
  const auto& back = taken_back_[i];
  return {true, X_a * points_[i], X_b * points_[i], X_a * at.p_a, X_b * at.p_b,
          h * ((u[1] - back[0]) * axes_[i][1] + (u[2] - back[1]) * axes_[i][2])};
}

/// The impulse that the same contact had in the last step.
void TimeSteppingIntegrator::add_guess(std::size_t i, int row) {
  const SteppedContact& c = contacts_[i];
  const auto same = [&](const SteppedContact& other) { return other.element == c.element && other.block.key == c.block.key; };
  const auto count = static_cast<std::ptrdiff_t>(last_.size());
  for (std::ptrdiff_t tried = 0; tried < count; ++tried) {
    const std::ptrdiff_t at = ((static_cast<std::ptrdiff_t>(i) + shift_ + tried) % count + count) % count;
    if (!same(last_[at])) continue;
    shift_ = at - static_cast<std::ptrdiff_t>(i);
    const Vector3<double> impulse = last_step_ * last_[at].force;
    earlier_[i] = static_cast<int>(at);
    if (c.block.kind != StepBlock::Kind::contact) return void(guess_[row] = impulse[0]);
    for (int k = 0; k < 3; ++k) guess_[row + k] = impulse.dot(axes_[i][k]);
    return;
  }
}

// ---- what is wedged

/// Whether there may be fewer than three ways in which two links can move against each other.
bool TimeSteppingIntegrator::few_ways(const ContactPoint& at) const {
  const int a = root_of_link_[at.link_a], b = root_of_link_[at.link_b];
  return a == b || mechanism_->links()[std::max(a, b)].v.size < 3;
}

/// Links that few joints connect may not be able to move apart along the normal alone. Forces that push nothing and are
/// inside of the cone hold them whatever pushes: then they go back only as far as the joints let them, or no forces would do.
void TimeSteppingIntegrator::keep_to_open_ways(std::size_t i, int block) {
  const FrictionBlock& b = problem_.block(block);
  if (b.kind != FrictionKind::contact || !few_ways(contacts_[i].block.at)) return;
  Vector3<double> target(problem_.offset(b.row), taken_back_[i][0], taken_back_[i][1]);
  if (target[0] >= 0.0 && target[1] == 0.0 && target[2] == 0.0) return;
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3>> Y(problem_.numbers(block), b.width, 3);
  const Eigen::SelfAdjointEigenSolver<Matrix3<double>> ways(Matrix3<double>(Y.transpose() * Y));
  Matrix3<double> closed = Matrix3<double>::Zero();
  for (int k = 0; k < 3; ++k)
    if (ways.eigenvalues()[k] <= kNoWay * ways.eigenvalues()[2])
      closed += ways.eigenvectors().col(k) * ways.eigenvectors().col(k).transpose();
  const Vector3<double> push = closed.col(0);
  if (push.tail<2>().norm() > b.coefficient * push[0] || push.dot(target) >= 0.0) return;
  target -= closed * target;
  problem_.offset(b.row) = target[0];
  for (int r = 0; r < 2; ++r) {
    problem_.w(b.row + 1 + r) += target[1 + r] - taken_back_[i][r];
    taken_back_[i][r] = target[1 + r];
  }
}

/// Whether it was in the last step, and has not slipped since.
bool TimeSteppingIntegrator::stays_eased(std::size_t i, const FrictionBlock& b) const {
  const int at = earlier_[i];
  if (at < 0 || last_eased_[at] == Ease::none) return false;
  const bool holds = b.kind == FrictionKind::contact ? last_grips_[at].sticks : last_[at].force[0] > 0.0;
  return holds && (last_eased_[at] == Ease::wedged || little_to_do(i, b));
}

/// Whether a contact is where it was to be, but for what is left of motions before.
bool TimeSteppingIntegrator::little_to_do(std::size_t i, const FrictionBlock& b) const {
  const auto& back = taken_back_[i];
  return std::max({std::abs(problem_.offset(b.row)), std::abs(back[0]), std::abs(back[1])}) < kLittle;
}

/// What friction holds fast, whatever pushes it, cannot be pushed out of what it overlaps: it need not go back where it came
/// from, only go no deeper. False where there is nothing to be eased.
bool TimeSteppingIntegrator::ease(std::size_t i, const FrictionBlock& b, Ease how) {
  if (b.kind == FrictionKind::box) return false;
  double &offset = problem_.offset(b.row), before = offset;
  if (offset < kLittle) offset = 0.0;
  bool any = offset != before;
  for (int r = 0; r < 2 && b.rows == 3; ++r) {
    const double back = std::exchange(taken_back_[i][r], 0.0);
    problem_.w(b.row + 1 + r) -= back;
    any = any || back != 0.0;
  }
  if (any) eased_[i] = how;
  return any;
}

/// Eases contacts begin to end of order_: those that have little to do, and those that carry at least `share` of the largest
/// impulse as wedged ones.
void TimeSteppingIntegrator::ease_those(std::size_t begin, std::size_t end, const FrictionSolution& solution, double share) {
  double largest = 0.0;
  for (const double impulse : solution.forces) largest = std::max(largest, std::abs(impulse));
  for (std::size_t k = begin; k < end; ++k) {
    const FrictionBlock& b = problem_.block(static_cast<int>(k - begin));
    const bool presses = std::abs(solution.forces[b.row]) >= share * largest;
    if (presses || little_to_do(order_[k], b))
      eased_step_ |= ease(order_[k], b, presses ? Ease::wedged : Ease::little) && presses;
  }
}

/// Forces for which nothing that is wedged has to move. Where they could not all be met, but nearly, what has little to do anyway
/// is eased, and the search goes on where it ended. Where they are far from being met, what looks wedged is eased as well;
/// all, if that does not help.
const FrictionSolution& TimeSteppingIntegrator::solve_eased(std::size_t begin, std::size_t end) {
  const FrictionSolution& solution = solver_->solve(problem_, guess_);
  if (met(solution)) return solution;
  const bool nearly = solution.status != FrictionStatus::inconsistent && solution.certificate.residual < kFar;
  ease_those(begin, end, solution, nearly ? HUGE_VAL : kWedged);
  if (nearly) guess_ = solution.forces;
  solver_->solve(problem_, guess_);
  if (solution.status != FrictionStatus::inconsistent && solution.certificate.residual < kFar) return solution;
  ease_those(begin, end, solution, 0.0);
  return solver_->solve(problem_);
}

/// What impulses do on the mean of the velocities before and after is what they change of the energy, M being that of the
/// start.
void TimeSteppingIntegrator::take_forces(double h, std::size_t i, const FrictionBlock& b, const FrictionSolution& solution) {
  Vector3<double> force = Vector3<double>::Zero();
  for (int r = 0; r < b.rows; ++r) {
    const double impulse = solution.forces[b.row + r];
    const double back = r > 0 ? taken_back_[i][r - 1] : 0.0;
    works_[i] += 0.5 * impulse * (before_[b.row + r] + solution.velocities[b.row + r] - back);
    force += impulse / h * (b.rows == 3 ? axes_[i][r] : Vector3<double>::UnitX());
  }
  contacts_[i].force = force;
  grips_[i] = grip_of(h, i, b, solution);
}

/// Contacts begin to end of order_: their impulses go to d_, as what they change in U^T v.
void TimeSteppingIntegrator::solve_island(double h, std::size_t begin, std::size_t end, bool constrained) {
  problem_.clear(nv_);
  problem_.set_least_speed(h * kLeastAcceleration);
  before_.clear();
  for (std::size_t k = begin; k < end; ++k) add_block(h, order_[k]);
  if (constrained) add_constraints(h);
  guess_.assign(problem_.rows(), 0.0);
  for (int i = 0; i < problem_.blocks(); ++i) {
    const FrictionBlock& b = problem_.block(i);
    double* const w = &problem_.w(b.row);
    problem_.velocities(b, y_.data(), w);
    for (int r = 0; r < b.rows; ++r) w[r] += before_[b.row + r];
    if (begin + i < end) add_guess(order_[begin + i], b.row);
  }
  take_back(h, begin, end);
  for (std::size_t k = begin; k < end; ++k) keep_to_open_ways(order_[k], static_cast<int>(k - begin));
  for (std::size_t k = begin; k < end; ++k)
    if (const FrictionBlock& b = problem_.block(static_cast<int>(k - begin)); stays_eased(order_[k], b))
      eased_step_ |= ease(order_[k], b, last_eased_[earlier_[order_[k]]]) && eased_[order_[k]] == Ease::wedged;
  const FrictionSolution& solution = solve_eased(begin, end);
  d_ += solution.y;
  if (solution.certificate.residual >= certificate_.residual) certificate_ = solution.certificate;
  unsolved_ |= solution.status != FrictionStatus::solved;
  for (std::size_t k = begin; k < end; ++k)
    take_forces(h, order_[k], problem_.block(static_cast<int>(k - begin)), solution);
  if (!constrained) return;
  const FrictionBlock& b = problem_.block(problem_.blocks() - 1);
  impulses_ = Eigen::Map<const Eigen::VectorXd>(solution.forces.data() + b.row, b.rows);
}

// ---- the step

void TimeSteppingIntegrator::solve(double h) {
  d_.setZero();
  certificate_ = {};
  unsolved_ = eased_step_ = false;
  solve_islands(h);
  y_ += d_;
  space_.solve_outward(y_.data());
  v_end_ = v_free_ + y_;
}

/// Whether friction can hold the joints that are taken to be held; releases them all where it cannot, so that the forces of
/// contacts are found together with what holds them.
bool TimeSteppingIntegrator::holds(double h) {
  if (!held_.any()) return true;
  if (unsolved_) return held_.give_up(), space_.hold(held_.flags()), false;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const SteppedContact& c = contacts_[i];
    if (c.block.kind != StepBlock::Kind::contact || held_.meets(c.block)) continue;
    const ContactPoint& at = c.block.at;
    const Vector3<double>& point = points_[i];
    space_.add_impulse(at.link_b, point, h * c.force);
    space_.add_impulse(at.link_a, point, -h * c.force);
  }
  for (int k = 0; k < nv_; ++k) d_[k] = held_.flags()[k] ? -v_[k] : y_[k];
  space_.held_impulses(given_.data(), d_.data(), held_impulses_.data());
  bool all = true;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const StepBlock& b = contacts_[i].block;
    if (b.kind != StepBlock::Kind::friction || !held_.meets(b)) continue;
    const double impulse = held_impulses_[b.v] / b.sign;
    contacts_[i].force[0] = impulse / h;
    works_[i] = 0.5 * impulse * b.sign * v_[b.v];
    all = all && std::abs(impulse) <= h * b.force;
  }
  if (!all) held_.forget(), space_.hold(held_.flags());
  return all;
}

void TimeSteppingIntegrator::move(double h) {
  contact_report_.certificate = certificate_;
  contact_report_.worst_residual = std::max(contact_report_.worst_residual, certificate_.residual);
  contact_report_.unsolved_steps += unsolved_;
  contact_report_.eased_steps += eased_step_;
  held_.learn(contacts_);
  d_ = h * v_end_;
  x_end_ = x_ + h * rates_;
  x_end_.head(nv_) = v_end_;
  if (!d_.allFinite() || !x_end_.allFinite()) throw Error(not_finite(d_, x_end_));
  integrate_straight(*mechanism_, q_.data(), d_.data(), q_end_.data());
  turn_along(*mechanism_, d_.data(), x_end_.data());
}

void TimeSteppingIntegrator::book(double h) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) ports_.book(contacts_[i].element, works_[i], -works_[i], x_end_.data());
  for (const PortFlow::Solved& s : ports_.solved())
    if (const OwnedVector* damping = s.element->damping()) {
      const double work = -0.5 * h * damping->cwiseProduct(v_end_).dot(v_ + v_end_);
      ports_.book(s.index, work, -work, x_end_.data());
    }
  if (ports_.constrained() != nullptr)
    ports_.book_constraint_impulses(impulses_, 0.5 * (v_ + v_end_), x_end_.data());
}

void TimeSteppingIntegrator::take(double end, bool exactly) {
  const double h = exactly ? end - t_ : fixed_step(end), t = h == end - t_ ? end : t_ + h;
  if (h < kNoStep * options_.step) return accept(t, q_, x_);
  std::swap(contacts_, last_), std::swap(grips_, last_grips_), std::swap(eased_, last_eased_);
  try {
    find_start_forces();
    find_blocks(h);
    find_held();
    find_damping(h);
    do find_free_motion(h), solve(h);
    while (!holds(h));
    move(h);
    book(h);
    ports_.element_forces(t, q_end_.data(), x_end_.data(), tau_end_.data(), end_rates_.data());
    ++report_.evaluations;
  } catch (const Error& refused) {
    give_up(h, refused.what());
  }
  const Eigen::Index integrals = x_end_.size() - flow_.active();
  x_end_.tail(integrals) += 0.5 * h * (end_rates_.tail(integrals) - rates_.tail(integrals));
  accept(t, q_end_, x_end_);
  end_rates_known_ = true, last_step_ = h;
  ports_.stepped_forces().clear();
  append_contact_forces(contacts_, ports_.stepped_forces());
}

/// The velocity is that of the end: what happens in a step happens at its start.
void TimeSteppingIntegrator::interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const {
  const double s = (t - t_start_) / (t_ - t_start_);
  x = x_start_ + s * (x_ - x_start_);
  x.head(nv_) = v_end_;
  inside_ = s * d_;
  integrate_straight(*mechanism_, q_start_.data(), inside_.data(), q.data());
  turn_along(*mechanism_, inside_.data(), x.data());
}

}  // namespace amble
