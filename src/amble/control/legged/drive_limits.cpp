#include "amble/control/legged/drive_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/control/legged/nominal_posture.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/walkers/legged/limbs.hpp"

namespace amble {

namespace {

constexpr double kPlaceholder = 10.0;       // times the largest static torque
constexpr double kTooSmall = 0.3;           // times it: no robot stands with that
constexpr double kPlaceholderSpeed = 99.0;  // rad/s
constexpr double kWholeTurn = 6.5;          // rad: wider ranges of leg joints are none
constexpr double kDefault = 3.0;            // times the static torque: in legs the largest of all
constexpr double kLeastShare =
    0.02;  // of the largest static torque of legs, for joints that gravity does not load
constexpr double kNearLimit = 0.7;  // of an effort limit, standing on one leg

class Limits {
 public:
  explicit Limits(Anatomy& anatomy) : anatomy_(anatomy), robot_(anatomy.robot), m_(anatomy.robot.mechanism) {}

  void run() {
    for (const Leg& leg : robot_.legs)
      for (const int j : leg.joints)
        for (int k = 0; k < m_.joints()[j].v.size; ++k) legs_.push_back(m_.joints()[j].v.start + k);
    if (legs_.empty()) return;
    static_torques();
    efforts();
    speeds();
    ranges();
    say_use();
  }

 private:
  void hold(const VectorRef& q, const std::vector<double>& share, const std::string& how) {
    const OwnedVector tau = holding_torques(robot_, q, share);
    for (const int k : legs_)
      if (std::abs(tau[k]) > need_[k]) need_[k] = std::abs(tau[k]), how_[k] = how;
  }
  /// Of leg joints standing on all feet, on one (two legs) or on half of them; of others the weight of what
  /// they carry at its lever.
  void static_torques() {
    const std::size_t n = robot_.legs.size();
    need_ = OwnedVector(m_.nv()), how_.assign(m_.nv(), "");
    hold(robot_.nominal, std::vector<double>(n, 1.0 / static_cast<double>(n)), "standing");
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> share(n, 0.0);
      if (n == 2) {
        share[i] = 1.0;
        const std::optional<OwnedVector> q = posture_over_foot(anatomy_, static_cast<int>(i));
        if (q)
          hold(*q, share, fmt::format("standing on the {} leg", robot_.legs[i].name));
        else
          robot_.warnings.push_back(
              fmt::format("no posture has the center of mass over the {} foot", robot_.legs[i].name));
      } else {  // its own rows only: the others would have to balance it
        share[i] = 2.0 / static_cast<double>(n);
        const OwnedVector tau = holding_torques(robot_, robot_.nominal, share);
        for (const int j : robot_.legs[i].joints)
          if (const int k = m_.joints()[j].v.start; std::abs(tau[k]) > need_[k])
            need_[k] = std::abs(tau[k]), how_[k] = "on half of the legs";
      }
    }
    const PosedLinks at(m_, robot_.nominal);
    for (int i = 1; i < static_cast<int>(m_.links().size()); ++i) {
      const Link& l = m_.links()[i];
      if (l.v.size != 1 || std::find(legs_.begin(), legs_.end(), l.v.start) != legs_.end()) continue;
      double moment = 0.0;
      for (const int c : carried_links(m_, i))
        moment += m_.links()[c].inertia.mass() * (at.center(c) - at.origin(i)).norm();
      if (robot_.mechanism.joints()[l.joint].leader < 0)
        need_[l.v.start] = std::max(need_[l.v.start], moment * m_.gravity().norm());
    }
    largest_ = 0.0;
    for (const int k : legs_) largest_ = std::max(largest_, need_[k]);
  }
  bool missing(double limit) const { return !std::isfinite(limit) || limit <= 0.0; }
  /// All leg joints have it, and it is beyond `least`, or so small that none could stand.
  bool placeholder(const OwnedVector& limits, double least, double needed) const {
    const double first = limits[legs_[0]];
    if (missing(first) || (first < least && first > needed)) return false;
    return std::all_of(legs_.begin(), legs_.end(), [&](int k) { return limits[k] == first; });
  }

  void efforts() {
    robot_.effort = m_.effort_limit();
    const bool none = placeholder(robot_.effort, kPlaceholder * largest_, kTooSmall * largest_);
    const double same = robot_.effort[legs_[0]];
    int count = 0, at_legs = 0;
    for (const Link& l : m_.links()) {
      for (int k = l.v.start; l.parent >= 0 && l.kind != kJointKind<Free> && k < l.v.start + l.v.size; ++k) {
        if (!missing(robot_.effort[k]) && !(none && robot_.effort[k] == same)) continue;
        const bool in_leg = std::find(legs_.begin(), legs_.end(), k) != legs_.end();
        robot_.effort[k] = kDefault * (in_leg ? largest_ : std::max(need_[k], kLeastShare * largest_));
        ++count, at_legs += in_leg;
      }
    }
    for (int k = 0; k < 6; ++k) robot_.effort[base_start() + k] = kUnlimited;
    if (count > 0)
      robot_.warnings.push_back(
          fmt::format("{} of {} joints, {} of them in legs: 3 times the largest static torque is assumed",
                      none ? fmt::format("effort limit {:.6g} is a placeholder", same) : "no effort limit",
                      count, at_legs));
  }
  int base_start() const { return m_.joints()[m_.bodies()[m_.body_index(robot_.base)].joint].v.start; }

  void speeds() {
    robot_.speed = m_.velocity_limit();
    const bool none = placeholder(robot_.speed, kPlaceholderSpeed, 0.0);
    const double same = robot_.speed[legs_[0]];
    int absent = 0;
    for (const int k : legs_) absent += missing(robot_.speed[k]);
    for (int k = 0; k < m_.nv(); ++k)
      if (missing(robot_.speed[k]) || (none && robot_.speed[k] == same)) robot_.speed[k] = kUnlimited;
    if (none)
      robot_.warnings.push_back(
          fmt::format("speed limit {:.6g} rad/s of all leg joints is a placeholder: none is assumed", same));
    if (absent > 0)
      robot_.warnings.push_back(
          fmt::format("{} joints of legs have no speed limit: none is assumed", absent));
  }

  void ranges() {
    int wide = 0;
    std::string first;
    for (const Leg& leg : robot_.legs)
      for (const int j : leg.joints) {
        const Joint& joint = m_.joints()[j];
        if (joint.kind != kJointKind<Revolute>) continue;
        const double lower = m_.lower()[joint.q.start], upper = m_.upper()[joint.q.start];
        if (upper - lower < kWholeTurn) continue;
        if (wide++ == 0) first = fmt::format("{} [{:.3g}, {:.3g}]", joint.name, lower, upper);
      }
    if (wide > 0)
      robot_.warnings.push_back(fmt::format("ranges of {} joints of legs are a whole turn or more: {}{}",
                                            wide, first, wide > 1 ? ", ..." : ""));
  }

  void say_use() {
    int worst = -1;
    double most = 0.0;
    for (const int k : legs_)
      if (const double use = need_[k] / robot_.effort[k]; use > most) most = use, worst = k;
    if (worst < 0) return;
    std::string name;
    for (const Joint& j : m_.joints())
      if (j.link >= 0 && j.leader < 0 && worst >= j.v.start && worst < j.v.start + j.v.size) name = j.name;
    const std::string text = fmt::format("{} takes {:.3g} of {:.3g} N m at '{}' ({:.0f} %)", how_[worst],
                                         need_[worst], robot_.effort[worst], name, 100.0 * most);
    (most > kNearLimit ? robot_.warnings : robot_.evidence).push_back(text);
  }

  Anatomy& anatomy_;
  LeggedRobot& robot_;
  const Mechanism& m_;
  std::vector<int> legs_;  // velocity indices
  OwnedVector need_;       // largest static torque
  std::vector<std::string> how_;
  double largest_ = 0.0;
};

}  // namespace

void limit_drives(Anatomy& anatomy) { Limits(anatomy).run(); }

}  // namespace amble
