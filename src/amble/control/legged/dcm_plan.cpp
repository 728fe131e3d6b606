#include "amble/control/legged/dcm_plan.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

double DcmTiming::growth() const { return std::exp(omega * single_support); }
double DcmTiming::decay() const { return std::exp(-omega * double_support); }
double DcmTiming::share() const { return -std::expm1(-omega * double_support) / (omega * double_support); }

DcmReference DcmPiece::at(double omega, double t) const {
  const double on = std::min(t, duration);
  const Vector2<double> rate = (zmp_end - zmp_start) / duration, ahead = rate / omega;
  DcmReference out;
  if (t <= duration) {
    out.zmp = zmp_start + on * rate;
    out.dcm = out.zmp + ahead + std::exp(omega * (t - duration)) * (dcm_end - zmp_end - ahead);
  } else {
    out.zmp = zmp_end;
    out.dcm = zmp_end + std::exp(omega * (t - duration)) * (dcm_end - zmp_end);
  }
  return out;
}

/// With T the duration of a piece, k = 1/(omega T), e = exp(-omega T): a piece's DCM at its start is linear
/// in its ends,
///     xi0 = p0 (1 - k + e k) + p1 (k - e - e k) + e xi1,
/// and likewise xi1 = p1 (1 + k - k/e) + p0 (k/e - k - 1/e) + xi0 / e. Equal where the pieces meet.
std::array<DcmPiece, 2> dcm_transition(double omega, double duration, const Vector2<double>& dcm,
                                       const Vector2<double>& zmp_start, const Vector2<double>& zmp_end,
                                       const Vector2<double>& dcm_end) {
  const double T = 0.5 * duration, k = 1.0 / (omega * T), e = std::exp(-omega * T), grown = 1.0 / e;
  const double first = 1.0 + k - grown * k, second = 1.0 - k + e * k;
  const Vector2<double> of_first = (grown * k - k - grown) * zmp_start + grown * dcm;
  const Vector2<double> of_second = (k - e - e * k) * zmp_end + e * dcm_end;
  const Vector2<double> turn = (of_first - of_second) / (second - first);
  return {DcmPiece{zmp_start, turn, first * turn + of_first, T}, DcmPiece{turn, zmp_end, dcm_end, T}};
}

Vector2<double> periodic_dcm_offset(const DcmTiming& timing, const Vector2<double>& step, double width,
                                    double side) {
  const double E = timing.growth(), D = timing.decay(), k = timing.share();
  return {k * step.x() / (E - D), k * step.y() / (E - D) - side * k * width / (E + D)};
}

void dcm_offsets(const DcmTiming& timing, std::span<const Vector2<double>> places,
                 const Vector2<double>& last, std::span<Vector2<double>> offsets) {
  const double E = timing.growth(), D = timing.decay(), k = timing.share();
  offsets[places.size() - 1] = last;
  for (std::size_t n = places.size() - 1; n-- > 0;)
    offsets[n] = (k * (places[n + 1] - places[n]) + D * offsets[n + 1]) / E;
}

Vector2<double> dcm_at_touchdown(const DcmTiming& timing, const Vector2<double>& stance,
                                 const Vector2<double>& place, const Vector2<double>& next) {
  const double k = timing.share();
  return (1.0 - k) * stance + k * place + timing.decay() * next;
}

}  // namespace amble
