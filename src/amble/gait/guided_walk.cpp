#include "amble/gait/guided_walk.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/gait/cycles.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

constexpr double kRound = 2.0 * std::numbers::pi;

/// What acts along y of the world acts along this of the step.
double side_of(const FloorPlace& place) { return place.mirrored ? -1.0 : 1.0; }

FloorPath::Point reference(const WalkPlan& plan, double x, double y) {
  return plan.turns ? plan.path->nearest(x, y) : plan.path->beside(x, y);
}

/// Leads the walker step by step.
class Guide {
 public:
  explicit Guide(const WalkPlan& plan) : plan_(plan) {}

  void operator()(WalkStart& start) {
    auto& walker = dynamic_cast<PlacingWalker&>(start.model);
    PlacementCommand command{.rate_limit = plan_.rate_limit};
    for (const HipPush& push : plan_.pushes)
      if (push.footfall == start.step) this->push(push.impulse, start, walker);
    if (plan_.path) follow(start, walker, command);
    for (const SpeedChange& change : plan_.speeds)
      if (start.step >= change.footfall) command.energy = walker.energy_at(change.speed);
    if (plan_.stop && start.step >= *plan_.stop) command.energy = 0.0;
    walker.command(command);
  }

 private:
  static void push(const Vector3<double>& impulse, WalkStart& start, PlacingWalker& walker) {
    const double c = std::cos(start.place.turn), s = std::sin(start.place.turn);
    walker.push({c * impulse.x() + s * impulse.y(),
                 side_of(start.place) * (c * impulse.y() - s * impulse.x()), impulse.z()},
                start.x.data());
  }

  void follow(WalkStart& start, PlacingWalker& walker, PlacementCommand& command) const {
    const PlacingWalker::Hip hip = walker.hip(start.x.data());
    const FloorPlace over = start.place.then({.x = hip.place.x(), .y = hip.place.y()});
    const FloorPath::Point at = reference(plan_, over.x, over.y);
    const double heading = plan_.turns ? at.heading : 0.0;
    const double turn = std::clamp(std::remainder(heading - start.place.turn, kRound), -plan_.turn_limit, plan_.turn_limit);
    if (turn != 0.0) {
      walker.turn(side_of(start.place) * turn, start.x.data());
      start.place.turn += turn;
    }
    command.position_gain = plan_.position_gain, command.velocity_gain = plan_.velocity_gain;
    if (plan_.looks_ahead) return lead(start, walker, command);
    command.offset = side_of(start.place) * left_of(at, heading, start.place);
  }

  /// The path where the stance leg will be upright, which is over its foot.
  void lead(const WalkStart& start, PlacingWalker& walker, PlacementCommand& command) const {
    const FloorPlace& foot = start.place;
    const PlacingWalker::Hip hip = walker.hip(start.x.data());
    const FloorPath::Point at = reference(plan_, foot.x, foot.y);
    const double side = side_of(foot), slope = std::tan(slant(at.heading, foot)), speed = hip.velocity.x();
    command.offset = side * left_of(at, foot.turn, foot);
    command.line_speed = side * slope * speed;
    // A bend counts as it is over a step, the time for which a foot stays where it is.
    const double reach = std::max(std::abs(hip.place.x()), 1e-3), dx = reach * std::cos(at.heading), dy = reach * std::sin(at.heading);
    const double bend = std::remainder(plan_.path->nearest(at.x + dx, at.y + dy).heading -
                                           plan_.path->nearest(at.x - dx, at.y - dy).heading,
                                       kRound) / (2.0 * reach);
    command.lead = walker.lead_for(side * speed * speed * bend * std::pow(1.0 + slope * slope, 1.5));
  }

  /// How far a place is to the left of a line through a point (m).
  static double left_of(const FloorPath::Point& at, double heading, const FloorPlace& place) {
    return std::cos(heading) * (place.y - at.y) - std::sin(heading) * (place.x - at.x);
  }
  /// Between a path and the axes of a step, short of across them.
  double slant(double heading, const FloorPlace& place) const {
    constexpr double kMost = 1.0;
    return std::clamp(std::remainder(heading - place.turn, kRound), -kMost, kMost);
  }

  const WalkPlan& plan_;
};

PlacingWalker& placing(StepModel& model) {
  auto* const walker = dynamic_cast<PlacingWalker*>(&model);
  if (walker == nullptr)
    throw Error("paths, pushes and speeds are for walkers that place their feet: pointmass3d, legs3d");
  return *walker;
}

}  // namespace

void WalkPlan::validate() const {
  check_strength("foot placement", "position_gain", position_gain);
  check_strength("foot placement", "velocity_gain", velocity_gain);
  check_strength("foot placement", "rate_limit", rate_limit);
  check_strength("foot placement", "turn_limit", turn_limit);
  for (const HipPush& push : pushes)
    if (!push.impulse.allFinite() || push.footfall < 0)
      throw Error(fmt::format("a push after footfall {}: expected finite numbers and a footfall of 0 or more", push.footfall));
  for (const SpeedChange& change : speeds) check_above_zero("foot placement", "speed", change.speed);
}

Walk guided_walk(ReturnMap& map, const VectorRef& x, int steps, const WalkPlan& plan,
                 const std::vector<StepDown>& floor) {
  plan.validate();
  WalkOptions options{.floor = floor};
  if (plan.asks_for_anything()) {
    placing(map.model());
    options.before = Guide(plan);
  }
  Walk out = walk(map, x, steps, options);
  if (plan.asks_for_anything()) placing(map.model()).command({});
  if (plan.stop && static_cast<int>(out.steps.size()) >= *plan.stop && out.fell && out.failure == kStopsBeforeUpright) out.fell = false, out.stopped = true;
  return out;
}

namespace {

/// The return map with the distance of the stance foot from a line as its last number; left and right change places.
class LineMap {
 public:
  LineMap(const PlacingWalker& walker, const WalkPlan& plan) : map_(walker), plan_(plan) {}

  Eigen::VectorXd operator()(const Eigen::VectorXd& from) {
    const Eigen::Index n = from.size() - 1;
    dynamic_cast<PlacingWalker&>(map_.model())
        .command({.offset = from[n],
                  .position_gain = plan_.position_gain,
                  .velocity_gain = plan_.velocity_gain,
                  .rate_limit = plan_.rate_limit});
    const Step step = map_(from.head(n));
    if (!step.completed) throw Error(fmt::format("this is no gait: the walker {}", step.failure));
    Eigen::VectorXd to(n + 1);
    to << step.x, -(from[n] + step.place.y);
    return to;
  }
  Eigen::MatrixXd derivative(const Eigen::VectorXd& at) {
    constexpr double kStep = 1e-4, kWeights[] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(at.size(), at.size());
    for (Eigen::Index k = 0; k < at.size(); ++k)
      for (int i = 1; i <= 3; ++i)
        for (const int side : {1, -1})
          out.col(k) += side * kWeights[i - 1] / kStep *
                        (*this)(at + side * i * kStep * Eigen::VectorXd::Unit(at.size(), k));
    return out;
  }

 private:
  ReturnMap map_;
  const WalkPlan& plan_;
};

/// What a matrix that was found by differences leaves possible: smaller singular values are their error.
Eigen::MatrixXd image_of(const Eigen::MatrixXd& m) {
  constexpr double kError = 1e-6;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(m, Eigen::ComputeThinU);
  return svd.matrixU().leftCols((svd.singularValues().array() > kError * svd.singularValues()[0]).count());
}

}  // namespace

std::vector<std::complex<double>> line_multipliers(const PlacingWalker& walker, const VectorRef& x,
                                                   const WalkPlan& plan) {
  LineMap map(walker, plan);
  Eigen::VectorXd cycle(x.size() + 1);
  cycle << x, 0.0;
  cycle[x.size()] = 0.5 * map(cycle)[x.size()];  // as far to one side as to the other
  // Hips sway about the line, so the cycle is a little another one than that which follows none.
  for (int i = 0; i < 8; ++i) {
    const Eigen::VectorXd miss = map(cycle) - cycle;
    if (miss.norm() < 1e-10) break;
    cycle -= newton_change(map.derivative(cycle) - Eigen::MatrixXd::Identity(cycle.size(), cycle.size()), miss);
  }
  const Eigen::MatrixXd slope = map.derivative(cycle);
  Eigen::MatrixXd basis = image_of(slope);
  for (Eigen::Index before = 0; basis.cols() != before;) {
    before = basis.cols();
    basis = image_of(slope * basis);
  }
  const Eigen::VectorXcd values = (basis.transpose() * slope * basis).eigenvalues();
  std::vector<std::complex<double>> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  return sorted;
}

Vector3<double> hip_place(const PlacingWalker& walker, const WalkSample& sample) {
  const LegDirection<double> stance(sample.q[3], sample.q[4]);
  const double r = walker.leg_length();
  return {sample.q[0] + r * stance.along[0], sample.q[1] + r * stance.along[1], sample.q[2] + r * stance.along[2]};
}

std::vector<double> path_errors(const PlacingWalker& walker, const Walk& walk, const FloorPath& path, bool turns) {
  std::vector<double> out;
  int last = -1;
  for (const WalkSample& sample : walk.samples) {
    if (sample.step == last) continue;
    last = sample.step;
    const Vector3<double> hip = hip_place(walker, sample);
    const FloorPath::Point at = turns ? path.nearest(hip.x(), hip.y()) : path.beside(hip.x(), hip.y());
    out.push_back(turns ? std::cos(at.heading) * (hip.y() - at.y) - std::sin(at.heading) * (hip.x() - at.x)
                        : hip.y() - at.y);
  }
  return out;
}

}  // namespace amble
