#include "amble/gait/continuation.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <optional>

#include "amble/base/error.hpp"

namespace amble {

namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr int kCorrections = 12;
constexpr double kConverged = 1e-11;  // |cycle_miss|, relative to 1 + |x|
constexpr double kRounding = 1e-13;   // of the same
constexpr double kShortest = 1e-7;    // step, as a share of the range
constexpr double kDifference = 1e-5;  // for the derivative in the parameter, as a share of the range
constexpr double kFirstBranching = 1e-3;
constexpr double kLocated = 1e-11;  // of a bifurcation, along a step
constexpr int kLocating = 60;

/// Follows one branch. A point is u = (x, s), with s the parameter as a share of the range.
class Follower {
 public:
  Follower(const WalkerFamily& family, const ContinuationOptions& options, int steps)
      : family_(family), options_(options), steps_(steps) {}

  /// A cycle on the curve, with what tells bifurcations.
  struct Point {
    VectorXd u;
    VectorXd tangent;
    Gait gait;
    MatrixXd derivative;           // of P
    double fold, doubling, torus;  // change their signs there
  };

  double value(double s) const { return options_.from + s * (options_.to - options_.from); }

  /// Solves for a cycle with along . (u - guess) = 0; nothing when that does not converge.
  std::optional<Point> correct(VectorXd u, const VectorXd& along) {
    const Eigen::Index n = u.size() - 1;
    const VectorXd guess = u;
    double last = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kCorrections; ++i) {
      const std::optional<Linearized> at = linearize(u);
      if (!at) return {};
      const double size = at->miss.norm();
      // As far as it gets better: then it is rounding.
      if (size < kConverged * (1.0 + u.head(n).norm()) && (size > 0.1 * last || size < kRounding))
        return finish(u, *at);
      if (size > 4.0 * last) return {};
      last = size;
      MatrixXd J(at->miss.size() + 1, n + 1);
      J << at->jacobian, along.transpose();
      VectorXd right(J.rows());
      right << -at->miss, -along.dot(u - guess);
      u += newton_change(J, right);
      if (!u.allFinite()) return {};
    }
    return {};
  }

  /// Along from `point` until the range is left. The first direction is that of `forward`.
  void follow(Point point, const VectorXd& forward, Branch& branch) {
    if (point.tangent.dot(forward) < 0.0) point = turned(point);
    add(point, branch);
    double step = std::min(options_.step, steps_ > 1 ? kFirstBranching : options_.step);
    while (true) {
      if (static_cast<int>(branch.points.size()) >= options_.most_points)
        return end(branch, "as many points as were asked for");
      if (options_.watch && !options_.watch(point.u.tail(1)[0])) return end(branch, "stopped");
      const std::optional<Point> next = advance(point, step);
      if (!next) {
        step *= 0.5;
        if (step < kShortest)
          return end(branch, "the cycle is lost: its motion changes kind, or the walker fails");
        continue;
      }
      note_bifurcations(point, *next, branch);
      const double s = next->u.tail(1)[0];
      if (s < 0.0 || s > 1.0) return close(point, *next, branch);
      add(*next, branch);
      point = *next;
      step = std::min(1.4 * step, options_.step);
    }
  }

 private:
  struct Linearized {
    VectorXd miss;      // cycle_miss()
    MatrixXd jacobian;  // of it in u
    Step step;
  };

  ReturnMap map_at(double s) const { return ReturnMap(*family_.make(value(s))); }

  std::optional<Linearized> linearize(const VectorXd& u) {
    const Eigen::Index n = u.size() - 1;
    const double s = u[n];
    try {
      ReturnMap here = map_at(s), above = map_at(s + kDifference), below = map_at(s - kDifference);
      Linearized at;
      at.step = here.repeat(u.head(n), steps_, ReturnMap::Want::derivative);
      const Step up = above.repeat(u.head(n), steps_), down = below.repeat(u.head(n), steps_);
      if (!at.step.completed || !up.completed || !down.completed) return {};
      at.miss = cycle_miss(here.model(), u.head(n), at.step);
      at.jacobian.resize(at.miss.size(), n + 1);
      at.jacobian << cycle_jacobian(here.model(), u.head(n), at.step),
          (cycle_miss(above.model(), u.head(n), up) - cycle_miss(below.model(), u.head(n), down)) /
              (2.0 * kDifference);
      return at;
    } catch (const Error&) {  // there is no such walker
      return {};
    }
  }

  std::optional<Point> finish(const VectorXd& u, const Linearized& at) {
    const Eigen::Index n = u.size() - 1;
    Point point{.u = u, .derivative = at.step.derivative};
    point.tangent = Eigen::JacobiSVD<MatrixXd>(at.jacobian, Eigen::ComputeFullV).matrixV().col(n);
    ReturnMap map = map_at(u[n]);
    point.gait = gait_at(map, u.head(n), steps_);
    point.fold = point.tangent[n];
    point.doubling = (point.derivative + MatrixXd::Identity(n, n)).determinant();
    // Of the pair with the largest modulus; far from one where there is no pair.
    point.torus = -1.0;
    for (const std::complex<double>& z : point.gait.multipliers)
      if (z.imag() > 0.0) {
        point.torus = std::norm(z) - 1.0;
        break;
      }
    return point;
  }

  static Point turned(Point point) {
    point.tangent = -point.tangent;
    point.fold = -point.fold;
    return point;
  }

  std::optional<Point> advance(const Point& from, double step) {
    std::optional<Point> next = correct(from.u + step * from.tangent, from.tangent);
    if (!next) return {};
    // A step that turns sharply or jumps has left the curve.
    if (next->tangent.dot(from.tangent) < 0.0) next = turned(*next);
    if (next->tangent.dot(from.tangent) < 0.9 || (next->u - from.u).norm() > 2.0 * step) return {};
    return next;
  }

  /// Where a test changes its sign between two points, by false position (Illinois).
  std::optional<Point> locate(const Point& a, const Point& b, double Point::*test) {
    double low = 0.0, high = 1.0, at_low = a.*test, at_high = b.*test;
    std::optional<Point> found;
    for (int i = 0; i < kLocating && high - low > kLocated; ++i) {
      const double share = (low * at_high - high * at_low) / (at_high - at_low);
      std::optional<Point> middle = correct(a.u + share * (b.u - a.u), (b.u - a.u).normalized());
      if (!middle) return found;
      if (middle->tangent.dot(b.u - a.u) < 0.0) middle = turned(*middle);
      const double at = (*middle).*test;
      found = middle;
      if (std::abs(at) < 1e-13) break;
      if ((at > 0.0) == (at_high > 0.0)) {
        high = share, at_high = at, at_low *= 0.5;
      } else {
        low = share, at_low = at, at_high *= 0.5;
      }
    }
    return found;
  }

  void note(const Point& a, const Point& b, double Point::*test, BifurcationKind kind, Branch& branch) {
    if (((a.*test) > 0.0) == ((b.*test) > 0.0)) return;
    const std::optional<Point> at = locate(a, b, test);
    if (!at) return;
    const Eigen::Index n = at->u.size() - 1;
    if (at->u[n] < 0.0 || at->u[n] > 1.0) return;
    Bifurcation b0{.kind = kind, .value = value(at->u[n]), .x = at->u.head(n)};
    if (kind == BifurcationKind::period_doubling)
      b0.direction =
          Eigen::JacobiSVD<MatrixXd>(at->derivative + MatrixXd::Identity(n, n), Eigen::ComputeFullV)
              .matrixV()
              .col(n - 1);
    branch.bifurcations.push_back(b0);
  }

  void note_bifurcations(const Point& a, const Point& b, Branch& branch) {
    note(a, b, &Point::fold, BifurcationKind::fold, branch);
    note(a, b, &Point::doubling, BifurcationKind::period_doubling, branch);
    // A pair that splits on the real axis does not cross the circle.
    if (a.torus > -1.0 && b.torus > -1.0) note(a, b, &Point::torus, BifurcationKind::torus, branch);
  }

  void add(const Point& point, Branch& branch) const {
    branch.points.push_back({value(point.u.tail(1)[0]), point.gait});
  }
  static void end(Branch& branch, std::string why) { branch.end = std::move(why); }

  /// The last point, at the end of the range itself.
  void close(const Point& inside, const Point& outside, Branch& branch) {
    const Eigen::Index n = inside.u.size() - 1;
    const double edge = outside.u[n] > 1.0 ? 1.0 : 0.0;
    const double share = (edge - inside.u[n]) / (outside.u[n] - inside.u[n]);
    VectorXd guess = inside.u + share * (outside.u - inside.u);
    guess[n] = edge;
    if (const std::optional<Point> last = correct(guess, VectorXd::Unit(n + 1, n))) add(*last, branch);
    end(branch, edge == 1.0 ? "end of the range" : "back at the start of the range");
  }

  const WalkerFamily& family_;
  const ContinuationOptions& options_;
  int steps_;
};

VectorXd joined(const OwnedVector& x, double s) {
  VectorXd u(x.size() + 1);
  u << x, s;
  return u;
}

/// The branches that double from one, and from those.
void follow_doublings(const WalkerFamily& family, const ContinuationOptions& options,
                      std::vector<Branch>& all, std::size_t parent, int left) {
  const std::vector<Bifurcation> bifurcations = all[parent].bifurcations;
  for (const Bifurcation& at : bifurcations) {
    if (left == 0 || at.kind != BifurcationKind::period_doubling) continue;
    Branch branch{.steps = 2 * all[parent].steps, .parent = static_cast<int>(parent)};
    Follower follower(family, options, branch.steps);
    const double s = (at.value - options.from) / (options.to - options.from);
    const VectorXd away = joined(at.direction, 0.0).normalized();
    const auto start = follower.correct(joined(at.x, s) + kFirstBranching * away, away);
    if (!start || std::abs((start->u - joined(at.x, s)).dot(away)) < 0.5 * kFirstBranching) continue;
    follower.follow(*start, away, branch);
    all.push_back(std::move(branch));
    follow_doublings(family, options, all, all.size() - 1, left - 1);
  }
}

}  // namespace

const char* name_of(BifurcationKind kind) {
  switch (kind) {
    case BifurcationKind::fold:
      return "fold";
    case BifurcationKind::period_doubling:
      return "period doubling";
    default:
      return "torus";
  }
}

void ContinuationOptions::validate() const {
  if (!std::isfinite(from) || !std::isfinite(to) || from == to)
    throw Error(fmt::format("a continuation from {} to {}: expected two different numbers", from, to));
  if (!(step > 0.0 && step <= 1.0))
    throw Error(fmt::format("the step of a continuation is {}: expected a share of the range", step));
  if (most_points < 2)
    throw Error(fmt::format("a continuation of {} points: expected 2 or more", most_points));
  if (doublings < 0)
    throw Error(fmt::format("a continuation that follows {} doublings: expected 0 or more", doublings));
}

std::vector<Branch> continue_cycle(const WalkerFamily& family, const Gait& start,
                                   const ContinuationOptions& options) {
  options.validate();
  std::vector<Branch> all{{.steps = start.steps}};
  Follower follower(family, options, start.steps);
  const VectorXd forward = VectorXd::Unit(start.x.size() + 1, start.x.size());
  const auto first = follower.correct(joined(start.x, 0.0), forward);
  if (!first) throw Error("the cycle to continue is none at the start of the range");
  follower.follow(*first, forward, all[0]);
  follow_doublings(family, options, all, 0, options.doublings);
  return all;
}

std::vector<Branch> continue_cycles(const WalkerFamily& family, const ContinuationOptions& options) {
  options.validate();
  const std::unique_ptr<StepModel> model = family.make(options.from);
  const CyclesFound found =
      find_cycles(*model, region_of(*model, options.region),
                  {.starts = options.starts, .seed = options.seed, .watch = options.watch});
  std::vector<Branch> all;
  for (const Gait& cycle : found.cycles) {
    std::vector<Branch> branches = continue_cycle(family, cycle, options);
    for (Branch& branch : branches)
      if (branch.parent >= 0) branch.parent += static_cast<int>(all.size());
    std::move(branches.begin(), branches.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace amble
