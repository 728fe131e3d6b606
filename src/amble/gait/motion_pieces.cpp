#include "amble/gait/motion_pieces.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/ports/drive.hpp"
#include "amble/simulation/motion_flows.hpp"

namespace amble {

namespace {

void check_rows(const OwnedRowMatrix& x, std::size_t times, int size, const char* name) {
  if (x.rows() != static_cast<Eigen::Index>(times) || x.cols() != size)
    throw Error(fmt::format("{} of the motion is {} x {}: expected {} x {}, a row for each time", name,
                            x.rows(), x.cols(), times, size));
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    if (!x.row(i).allFinite()) throw Error(fmt::format("{} of the motion is not finite in row {}", name, i));
}

/// Orthonormal columns, of what the rows leave.
OwnedMatrix null_space(const Eigen::MatrixXd& rows) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeFullV);
  const Eigen::VectorXd& sigma = svd.singularValues();
  return svd.matrixV().rightCols(rows.cols() - (sigma.array() > 1e-9 * sigma[0]).count());
}

}  // namespace

MeasuredMotion motion_of(const Recording& recording) {
  return {recording.t(), OwnedRowMatrix(recording.q()), OwnedRowMatrix(recording.v())};
}

void MeasuredMotion::check(const Mechanism& mechanism) const {
  if (t.size() < 3) throw Error(fmt::format("a motion has {} times: expected 3 at least", t.size()));
  for (std::size_t i = 0; i < t.size(); ++i)
    if (!std::isfinite(t[i]) || (i > 0 && !(t[i] > t[i - 1])))
      throw Error(fmt::format("times of a motion do not increase at row {}", i));
  check_rows(q, t.size(), mechanism.nq(), "q");
  if (v.size() > 0) check_rows(v, t.size(), mechanism.nv(), "v");
  if (tau.size() > 0) check_rows(tau, t.size(), mechanism.nv(), "tau");
}

MotionPieces::MotionPieces(const Mechanism& mechanism, const MeasuredMotion& motion, double length,
                           double tolerance)
    : mechanism_(mechanism), motion_(motion), tolerance_(tolerance), nv_(mechanism.nv()) {
  motion_.check(mechanism);
  const std::vector<double>& t = motion_.t;
  const int all = static_cast<int>(t.size()), fewest = std::max(3, motion_.v.size() > 0 ? 3 : 4);
  first_.push_back(0);
  for (int i = 1; length > 0.0 && i + fewest <= all; ++i)
    if (t[i] - t[first_.back()] >= length && i - first_.back() >= fewest) first_.push_back(i);
  first_.push_back(all);
}

int MotionPieces::rows() const {
  int sum = 0;
  for (int i = 0; i < count(); ++i) sum += rows(i);
  return sum;
}

std::vector<MotionPieces::Start> MotionPieces::measured_starts() const {
  std::vector<Start> starts;
  for (int i = 0; i < count(); ++i) {
    const int at = first_[i];
    OwnedVector v(nv_);
    if (motion_.v.size() > 0) {
      v = motion_.v.row(at).transpose();
    } else {
      // A parabola through three times.
      const double h1 = motion_.t[at + 1] - motion_.t[at], h2 = motion_.t[at + 2] - motion_.t[at];
      const auto d1 = mechanism_.difference(motion_.q.row(at).transpose(), motion_.q.row(at + 1).transpose());
      const auto d2 = mechanism_.difference(motion_.q.row(at).transpose(), motion_.q.row(at + 2).transpose());
      v = (h2 * h2 * d1 - h1 * h1 * d2) / (h1 * h2 * (h2 - h1));
    }
    starts.push_back({motion_.q.row(at).transpose(), v});
  }
  return starts;
}

MotionPieces::Directions MotionPieces::directions(Simulator& simulator, const Start& start) const {
  const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(nv_, nv_);
  if (simulator.constrained() == nullptr) return {all, all};
  ConstrainedDynamics& dynamics = simulator.constrained()->dynamics();
  OwnedVector q = start.q, v = start.v;
  dynamics.project_state(q, v);
  std::vector<int> holonomic;
  for (int row = 0; row < dynamics.rows(); ++row)
    if (dynamics.holonomic(row)) holonomic.push_back(row);
  if (static_cast<int>(holonomic.size()) == dynamics.rows()) return {dynamics.basis(), dynamics.basis()};
  if (holonomic.empty()) return {all, dynamics.basis()};
  return {null_space(dynamics.A()(holonomic, Eigen::all)), dynamics.basis()};
}

MotionPieces::Start MotionPieces::moved(const Start& start, const Directions& directions, const VectorRef& by) const {
  return {mechanism_.integrate(start.q, directions.q * by.head(directions.q.cols())),
          start.v + directions.v * by.tail(directions.v.cols())};
}

OwnedVector MotionPieces::tau_at(double t) const {
  const std::vector<double>& times = motion_.t;
  const auto after =
      std::clamp<std::ptrdiff_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin(), 1,
                                 static_cast<std::ptrdiff_t>(times.size()) - 1);
  const double share = (t - times[after - 1]) / (times[after] - times[after - 1]);
  return ((1.0 - share) * motion_.tau.row(after - 1) + share * motion_.tau.row(after)).transpose();
}

Simulator MotionPieces::simulator(const Mechanism& mechanism) const {
  std::vector<ElementPtr> elements;
  if (motion_.tau.size() > 0)
    elements.push_back(drive("tau", [this](double t, const OwnedVector&, const OwnedVector&,
                                           OwnedVector& tau) { tau = tau_at(t); }));
  return Simulator(mechanism, std::move(elements), {}, {.integrator = {.tolerance = tolerance_}});
}

MotionPieces::Course MotionPieces::simulate(Simulator& simulator, int piece, const Start& start) const {
  OwnedVector q = start.q, v = start.v;
  if (simulator.constrained() != nullptr) simulator.constrained()->dynamics().project_state(q, v);
  simulator.reset(q, v, motion_.t[first_[piece]]);
  Course course{OwnedRowMatrix(times(piece), mechanism_.nq()), OwnedRowMatrix(times(piece), nv_)};
  for (int i = 0; i < times(piece); ++i) {
    if (i > 0) simulator.advance(motion_.t[first_[piece] + i]);
    course.q.row(i) = simulator.q().transpose(), course.v.row(i) = simulator.v().transpose();
  }
  return course;
}

MotionPieces::Course MotionPieces::measured(int piece) const {
  const bool has_v = motion_.v.size() > 0;
  return {OwnedRowMatrix(motion_.q.middleRows(first_[piece], times(piece))),
          has_v ? OwnedRowMatrix(motion_.v.middleRows(first_[piece], times(piece)))
                : OwnedRowMatrix(times(piece), nv_)};
}

OwnedVector MotionPieces::difference(int piece, const Course& a, const Course& b) const {
  OwnedVector out(rows(piece));
  for (int i = 0; i < times(piece); ++i) {
    out.segment(i * nv_, nv_) = mechanism_.difference(a.q.row(i).transpose(), b.q.row(i).transpose());
    if (motion_.v.size() > 0)
      out.segment(q_rows(piece) + i * nv_, nv_) = (b.v.row(i) - a.v.row(i)).transpose();
  }
  return out;
}

}  // namespace amble
