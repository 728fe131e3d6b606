#include "amble/riemann/broken_geodesic.hpp"

#include <Eigen/LU>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/mechanism/edit.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;

/// The matrix x -> nabla_x of a field that is v there and constant in the frame.
Dense frame_turning(const Christoffel& gamma, const VectorRef& v) {
  const int n = gamma.nv();
  Dense out = Dense::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) out(i, k) += gamma(i, j, k) * v[j];
  return out;
}

}  // namespace

BrokenGeodesic::BrokenGeodesic(const Mechanism& m, std::vector<OwnedVector> places, double tolerance)
    : mechanism_(with_gravity(m, Vector3<double>::Zero())),
      work_(mechanism_),
      run_(mechanism_, tolerance),
      tolerance_(tolerance),
      places_(std::move(places)) {
  for (int i = 0; i < segments(); ++i)
    velocities_.emplace_back(segments() * m.difference(places_[i], places_[i + 1]));
  closed_ = close(places_, velocities_, ends_);
  if (closed_) differentiate();
}

bool BrokenGeodesic::close_segment(const OwnedVector& from, const OwnedVector& to, OwnedVector& v,
                                   GeodesicVariation& end) {
  constexpr int kMostSteps = 12;
  double before = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMostSteps; ++step) {
    run_.start(from, v);
    run_.advance(1.0 / segments());
    end = run_.now();
    const Eigen::VectorXd miss = mechanism_.difference(end.q, to);
    const double size = miss.norm();
    if (size <= 10.0 * tolerance_) return true;
    if (!(size < 0.9 * before) && size <= 1e3 * tolerance_) return true;  // as far as rounding goes
    if (!(size < 2.0 * before)) return false;
    before = size;
    v = v + Eigen::PartialPivLU<Dense>(end.Q_v).solve(miss);
    if (!v.allFinite()) return false;
  }
  return false;
}

bool BrokenGeodesic::close(const std::vector<OwnedVector>& places, std::vector<OwnedVector>& velocities,
                           std::vector<GeodesicVariation>& ends) {
  ends.resize(segments());
  for (int i = 0; i < segments(); ++i) {
    try {
      if (!close_segment(places[i], places[i + 1], velocities[i], ends[i])) return false;
    } catch (const Error&) {  // the integrator left what is finite
      return false;
    }
  }
  return true;
}

double BrokenGeodesic::energy_of(const std::vector<OwnedVector>& places,
                                 const std::vector<OwnedVector>& velocities) {
  double sum = 0.0;
  for (int i = 0; i < segments(); ++i)
    sum += inner_product(mechanism_, work_, places[i], velocities[i], velocities[i]) / (2.0 * segments());
  return sum;
}

bool BrokenGeodesic::move(const VectorRef& x, double most) {
  const int n = mechanism_.nv();
  std::vector<OwnedVector> places = places_, velocities = velocities_;
  std::vector<GeodesicVariation> ends;
  for (int i = 1; i < segments(); ++i)
    places[i] = mechanism_.integrate(places_[i], x.segment((i - 1) * n, n));
  for (int i = 0; i < segments();
       ++i) {  // as the start of each segment changes, so does its velocity, to first order
    const Eigen::VectorXd head =
        i == 0 ? Eigen::VectorXd::Zero(n) : Eigen::VectorXd(x.segment((i - 1) * n, n));
    const Eigen::VectorXd tail =
        i + 1 == segments() ? Eigen::VectorXd::Zero(n) : Eigen::VectorXd(x.segment(i * n, n));
    velocities[i] =
        velocities_[i] + Eigen::PartialPivLU<Dense>(ends_[i].Q_v).solve(tail - ends_[i].Q_q * head);
  }
  if (!close(places, velocities, ends) || !(energy_of(places, velocities) <= most)) return false;
  places_ = std::move(places), velocities_ = std::move(velocities), ends_ = std::move(ends);
  differentiate();
  return true;
}

void BrokenGeodesic::differentiate() {
  const int n = mechanism_.nv(), inner = segments() - 1;
  Christoffel gamma(n);
  slope_.setZero(n * inner);
  second_.setZero(n * inner, n * inner);
  metric_.setZero(n * inner, n * inner);
  energy_ = energy_of(places_, velocities_);
  std::vector<Dense> back;  // dv at the start of each segment for a change of its end
  for (const GeodesicVariation& end : ends_) back.emplace_back(end.Q_v.inverse());
  for (int i = 1; i < segments(); ++i) {
    const Dense M = mass_matrix(mechanism_, work_, places_[i]);
    christoffel(mechanism_, work_, places_[i], gamma, ChristoffelKind::second);
    const GeodesicVariation& before = ends_[i - 1];
    const Eigen::VectorXd jump = before.v - velocities_[i];
    const int at = (i - 1) * n;
    slope_.segment(at, n) = M * jump;
    metric_.block(at, at, n, n) = 2.0 * segments() * M;
    second_.block(at, at, n, n) =
        M * (before.V_v * back[i - 1] + back[i] * ends_[i].Q_q + frame_turning(gamma, jump));
    if (i > 1) second_.block(at, at - n, n, n) = M * (before.V_q - before.V_v * back[i - 1] * before.Q_q);
    if (i < inner) second_.block(at, at + n, n, n) = -M * back[i];
  }
}

double BrokenGeodesic::kink() const {
  const int n = mechanism_.nv();
  double worst = 0.0;
  for (int i = 1; i < segments(); ++i) {
    const Eigen::VectorXd jump = ends_[i - 1].v - velocities_[i];
    const Eigen::VectorXd momentum = slope_.segment((i - 1) * n, n);
    worst = std::max(worst, std::sqrt(std::max(0.0, momentum.dot(jump)) / std::max(2.0 * energy_, 1e-300)));
  }
  return worst;
}

}  // namespace amble
