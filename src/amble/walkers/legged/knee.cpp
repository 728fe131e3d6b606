#include "amble/walkers/legged/knee.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

constexpr double kLeastBend = 0.04;  // share of the leg by which the knee must shorten it within 0.6 rad
constexpr double kProbe = 0.6;       // rad
constexpr double kFarWiderRange =
    4.0;  // of one side over the other, to tell the sense by limits whatever else says
constexpr double kWiderRange = 1.5;    // and where nothing else says it
constexpr double kStandingBend = 0.2;  // rad, in a keyframe
constexpr double kWholeTurn = 6.5;     // rad: ranges that are wider say nothing
constexpr double kDrawnBend = 0.03;    // rad: less is straight
constexpr double kParallel = 0.94;     // cosine of 20 degrees

bool turns(const Mechanism& m, int link) { return m.links()[link].kind == kJointKind<Revolute>; }

/// D^2 = A + B cos(angle - straight), of a point that the joint carries, from a point that it does not.
struct Distance {
  double A = 0.0, B = 0.0, straight = 0.0;
  double at(double angle) const { return std::sqrt(std::max(0.0, A + B * std::cos(angle - straight))); }
};

Distance distance(const PosedLinks& at, int link, const Vector3<double>& from, const Vector3<double>& p) {
  const Vector3<double> o = at.origin(link), a = at.axis(link), r = p - o;
  const Vector3<double> along = a.dot(r) * a, across = r - along, aside = cross<double>(a, r);
  const Vector3<double> base = o + along - from;
  Distance out;
  out.A = base.squaredNorm() + across.squaredNorm();
  out.B = 2.0 * std::hypot(base.dot(across), base.dot(aside));
  out.straight = std::atan2(base.dot(aside), base.dot(across));
  return out;
}

/// Which side of straight the limits leave more room on; 0: neither by this factor.
double wider_side(double lower, double upper, double straight, double factor) {
  const double up = upper - straight, down = straight - lower;
  if (!(upper - lower < kWholeTurn) || std::max(up, down) < 0.2) return 0.0;
  if (std::max(up, down) < factor * std::max(0.0, std::min(up, down))) return 0.0;
  return up > down ? 1.0 : -1.0;
}

void tell_sense(const PosedLinks& at, Knee& knee, double drawn, const OwnedVector* stands) {
  const Mechanism& m = at.mechanism;
  const int q = m.links()[knee.link].q.start;
  const double lower = m.lower()[q], upper = m.upper()[q];
  const double straight = std::abs(knee.straight) < 5e-3 ? 0.0 : knee.straight;
  const double bent = stands ? (*stands)[q] - knee.straight : 0.0;
  const auto by_limits = [&](double factor) {
    knee.sense = wider_side(lower, upper, knee.straight, factor);
    if (knee.sense != 0.0)
      knee.evidence = fmt::format("limits [{:.2f}, {:.2f}] rad, straight at {:.2f}", lower, upper, straight);
    return knee.sense != 0.0;
  };
  if (by_limits(kFarWiderRange)) return;
  if (std::abs(bent) > kStandingBend) {
    knee.sense = bent > 0.0 ? 1.0 : -1.0;
    knee.evidence = fmt::format("{:.2f} rad from straight in the keyframe", std::abs(bent));
    return;
  }
  if (by_limits(kWiderRange) || std::abs(drawn) <= kDrawnBend) return;
  knee.sense = drawn > 0.0 ? 1.0 : -1.0;
  knee.evidence = fmt::format("drawn {:.2f} rad from straight", std::abs(drawn));
}

}  // namespace

Vector3<double> hip_center(const PosedLinks& at, const std::vector<int>& leg, int knee_link) {
  Matrix3<double> A =
      1e-3 * Matrix3<double>::Identity();  // along axes that are all parallel: next to the origins
  Vector3<double> b = Vector3<double>::Zero(), mean = Vector3<double>::Zero();
  std::vector<int> above;
  for (const int i : leg) {
    if (i == knee_link || above.size() == 3) break;
    above.push_back(i);
  }
  if (above.empty()) return at.origin(leg[0]);
  for (const int i : above) mean += at.origin(i) / static_cast<double>(above.size());
  b = 1e-3 * mean;
  for (const int i : above) {
    const Vector3<double> a = at.axis(i);
    const Matrix3<double> P = Matrix3<double>::Identity() - a * a.transpose();
    A += P, b += P * at.origin(i);
  }
  return A.ldlt().solve(b);
}

Knee find_knee(const PosedLinks& at, const std::vector<int>& leg, const Vector3<double>& foot,
               const OwnedVector* stands) {
  const Mechanism& m = at.mechanism;
  Knee out;
  double most = kLeastBend, drawn = 0.0;
  for (std::size_t k = 1; k < leg.size(); ++k) {
    if (!turns(m, leg[k])) continue;
    const Vector3<double> hip = hip_center(at, leg, leg[k]);
    const Distance d = distance(at, leg[k], hip, foot);
    const double length = d.at(d.straight);
    if (!(length > 0.0)) continue;
    if (const double bend = 1.0 - d.at(d.straight + kProbe) / length; bend > most) {
      most = bend;
      out.link = leg[k];
      const double ratio =
          m.links()[leg[k]].ratio;  // of a joint that follows another: its leader has the coordinate
      out.straight = at.q[m.links()[leg[k]].q.start] + d.straight / ratio;
      drawn = -d.straight / ratio;
    }
  }
  if (out.link >= 0) tell_sense(at, out, drawn, stands);
  return out;
}

Vector3<double> hip_point(const PosedLinks& at, const std::vector<int>& leg, int knee_link) {
  const Vector3<double> center = hip_center(at, leg, knee_link);
  if (knee_link < 0) return center;
  Vector3<double> out = center;
  for (const int i : leg) {
    if (i == knee_link) break;
    const Vector3<double> a = at.axis(i);
    if (turns(at.mechanism, i) && std::abs(a.dot(at.axis(knee_link))) > kParallel)
      out = at.origin(i) + a.dot(center - at.origin(i)) * a;
  }
  return out;
}

double stretched_length(const PosedLinks& at, const std::vector<int>& leg, int knee_link,
                        const FootSupport& foot) {
  const Pose& X_WF = at.X_WL[leg.back()];
  const Vector3<double> sole = X_WF * foot.center();
  Vector3<double> last = hip_point(at, leg, knee_link);
  if (knee_link < 0) return (sole - last).norm();
  const Vector3<double> axis = at.axis(knee_link);
  const auto flat = [&](const Vector3<double>& v) { return Vector3<double>(v - axis.dot(v) * axis); };
  double out = 0.0;
  bool below = false;
  for (const int i : leg) {
    below = below || i == knee_link;
    if (!below || !turns(at.mechanism, i) || std::abs(at.axis(i).dot(axis)) < kParallel) continue;
    out += flat(at.origin(i) - last).norm();
    last = at.origin(i);
  }
  if (foot.shape == Foot::Shape::ball) return out + flat(X_WF * foot.corners[0] - last).norm() + foot.radius;
  if (foot.shape == Foot::Shape::point) return out + flat(sole - last).norm();
  return out + std::abs((X_WF.rotation() * foot.up).dot(sole - last));
}

Vector3<double> knee_direction(const PosedLinks& at, const Knee& knee, const Vector3<double>& foot,
                               const Vector3<double>& up) {
  if (knee.link < 0) return Vector3<double>::Zero();
  // The foot moves this way about a knee at rest, so the knee moves the other way over a foot at rest.
  const double sense = at.mechanism.links()[knee.link].ratio < 0.0 ? -knee.sense : knee.sense;
  const Vector3<double> d = -sense * cross<double>(at.axis(knee.link), foot - at.origin(knee.link));
  return d - up.dot(d) * up;
}

}  // namespace amble
