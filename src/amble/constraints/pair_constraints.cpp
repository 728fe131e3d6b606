#include "amble/constraints/pair_constraints.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

/// A condition between two frames: its wrench and its violation.
struct Condition {
  WrenchRow wrench;
  double violation = 0.0;
};

/// B's origin keeps its place along axis k of A.
Condition keep_place(const FrameMotion& a, const FrameMotion& b, int k) {
  const Vector3<double> f = a.R.col(k);
  return {{.force = f, .point = b.p, .force_rate = cross<double>(a.omega, f), .point_rate = b.p_dot}, f.dot(b.p - a.p)};
}

/// A direction on A and one on B keep the cosine `c` of the angle between them.
Condition keep_angle(const FrameMotion& a, const Vector3<double>& on_a, const FrameMotion& b, const Vector3<double>& on_b,
                     double c) {
  const Vector3<double> a_rate = cross<double>(a.omega, on_a), b_rate = cross<double>(b.omega, on_b);
  return {{.moment = cross<double>(on_b, on_a), .moment_rate = cross<double>(b_rate, on_a) + cross<double>(on_b, a_rate)},
          on_a.dot(on_b) - c};
}

/// B does not turn about axis k of A: entry k of the antisymmetric part of Q = R_A^T R_B, sin(angle) times the axis.
/// Its rate is row k of (tr(Q) 1 - Q)/2 times the angular velocity of B against A, in A.
Condition keep_turn(const FrameMotion& a, const FrameMotion& b, int k) {
  const Matrix3<double> Q = a.R.transpose() * b.R;
  const Matrix3<double> Q_dot = skew<double>(a.R.transpose() * (b.omega - a.omega)) * Q;
  const Vector3<double> e = Vector3<double>::Unit(k);
  const Vector3<double> row = 0.5 * (Q.trace() * e - Q.transpose() * e);
  const Vector3<double> row_dot = 0.5 * (Q_dot.trace() * e - Q_dot.transpose() * e);
  const Vector3<double> m = a.R * row;
  return {{.moment = m, .moment_rate = cross<double>(a.omega, m) + a.R * row_dot}, unskew<double>(Q)[k]};
}

/// The slide along z is `pitch` times the turn about z, whatever the number of turns.
Condition keep_pitch(const FrameMotion& a, const FrameMotion& b, double pitch) {
  Condition out = keep_place(a, b, 2);
  const Condition c = keep_angle(a, a.R.col(0), b, b.R.col(0), 0.0), s = keep_angle(a, a.R.col(1), b, b.R.col(0), 0.0);
  const double n = c.violation * c.violation + s.violation * s.violation;
  const Vector3<double> w = b.omega - a.omega;
  const double c_dot = w.dot(c.wrench.moment), s_dot = w.dot(s.wrench.moment);
  const double n_dot = 2.0 * (c.violation * c_dot + s.violation * s_dot);
  const Vector3<double> turn = c.violation * s.wrench.moment - s.violation * c.wrench.moment;
  const Vector3<double> turn_dot = c_dot * s.wrench.moment + c.violation * s.wrench.moment_rate -
                                   s_dot * c.wrench.moment - s.violation * c.wrench.moment_rate;
  out.wrench.moment = -pitch / n * turn;
  out.wrench.moment_rate = -pitch / n * (turn_dot - n_dot / n * turn);
  const double angle = std::atan2(s.violation, c.violation), lead = out.violation / pitch;
  out.violation = -pitch * std::remainder(angle - lead, 2.0 * std::numbers::pi);
  return out;
}

/// One row of a pair: how it is computed, and what its multiplier means.
struct RowRule {
  std::function<Condition(const FrameMotion& a, const FrameMotion& b)> condition;
  std::string meaning;
};

RowRule place_row(int k) {
  return {[k](const FrameMotion& a, const FrameMotion& b) { return keep_place(a, b, k); },
          fmt::format("force along {} (N)", "xyz"[k])};
}
RowRule tilt_row(int k) {  // the z axis of B stays normal to axis k of A
  return {[k](const FrameMotion& a, const FrameMotion& b) { return keep_angle(a, a.R.col(k), b, b.R.col(2), 0.0); },
          fmt::format("moment about {} (N m)", k == 0 ? "y" : "-x")};
}
RowRule turn_row(int k) {
  return {[k](const FrameMotion& a, const FrameMotion& b) { return keep_turn(a, b, k); },
          fmt::format("moment about {} (N m)", "xyz"[k])};
}

void add(std::vector<RowRule>& to, std::initializer_list<RowRule> rules) { to.insert(to.end(), rules); }

/// What a type does to B's origin and to its axes.
std::vector<RowRule> rules_of(std::string_view type, const JointParameters& parameters) {
  std::vector<RowRule> rows;
  const auto is = [&](auto... names) { return ((type == names) || ...); };
  if (is("fixed", "weld", "revolute", "spherical", "point", "universal")) add(rows, {place_row(0), place_row(1), place_row(2)});
  if (is("prismatic", "cylindrical", "helical", "point_on_axis")) add(rows, {place_row(0), place_row(1)});
  if (is("planar", "point_on_plane")) add(rows, {place_row(2)});
  if (is("fixed", "weld", "prismatic")) add(rows, {turn_row(0), turn_row(1), turn_row(2)});
  if (is("revolute", "cylindrical", "helical", "planar", "parallel")) add(rows, {tilt_row(0), tilt_row(1)});
  if (is("helical")) {
    const double pitch = parameters.pitch;
    if (!(std::abs(pitch) > 0.0)) throw Error("a helical constraint has pitch 0: use a revolute one");
    rows.push_back({[pitch](const FrameMotion& a, const FrameMotion& b) { return keep_pitch(a, b, pitch); },
                    "force along z (N)"});
  }
  if (is("universal")) {
    std::array<Twist<double>, 6> S;
    const std::array<double, 2> zero{};
    Universal(parameters).subspace(zero.data(), S.data());
    const Vector3<double> second = S[1].angular();  // in B, whatever q is
    const double c = std::cos(parameters.angle);
    rows.push_back({[second, c](const FrameMotion& a, const FrameMotion& b) {
                      return keep_angle(a, a.R.col(2), b, b.R * second, c);
                    },
                    "moment about the normal of both axes (N m)"});
  }
  return rows;
}

const std::vector<std::string> kTypes = {"fixed",     "weld",   "revolute",  "prismatic", "helical",  "cylindrical",
                                         "universal", "planar", "spherical", "point",     "parallel", "point_on_axis",
                                         "point_on_plane"};

class PairConstraint : public Constraint {
 public:
  PairConstraint(std::string name, std::string_view type, const LinkFrame& a, const LinkFrame& b,
                 std::vector<RowRule> rules)
      : Constraint(std::move(name), static_cast<int>(rules.size()), true),
        a_(a),
        b_(b),
        rules_(std::move(rules)),
        axes_(type == "revolute" || type == "cylindrical" || type == "helical" || type == "planar" || type == "parallel"),
        turns_(type == "fixed" || type == "weld" || type == "prismatic") {}

  std::string meaning(int row) const override { return rules_.at(row).meaning; }

  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const FrameMotion a = at.frame(a_), b = at.frame(b_);
    const int nv = at.mechanism().nv();
    for (int i = 0; i < rows(); ++i) {
      const Condition c = rules_[i].condition(a, b);
      at.put_row(c.wrench, a_.link, b_.link, out.A + i * nv, out.bias[i]);
      out.violation[i] = c.violation;
    }
  }

  bool on_branch(const ConstraintKinematics& at) const override {
    const FrameMotion a = at.frame(a_), b = at.frame(b_);
    if (axes_) return a.R.col(2).dot(b.R.col(2)) > 0.0;
    return !turns_ || (a.R.transpose() * b.R).trace() > 1.0;  // less than a quarter turn
  }

 private:
  LinkFrame a_, b_;
  std::vector<RowRule> rules_;
  bool axes_, turns_;
};

void check_frames(const Mechanism& m, const std::string& name, const LinkFrame& a, const LinkFrame& b) {
  const int count = static_cast<int>(m.links().size());
  if (a.link < 0 || a.link >= count || b.link < 0 || b.link >= count)
    throw Error(fmt::format("constraint '{}' is on links {} and {}, but '{}' has {}", name, a.link, b.link, m.name(), count));
  if (a.link == b.link) throw Error(fmt::format("constraint '{}' has both its frames on one rigid part", name));
}

class DistanceConstraint : public Constraint {
 public:
  DistanceConstraint(std::string name, const LinkFrame& a, const LinkFrame& b, double distance)
      : Constraint(std::move(name), 1, true), a_(a), b_(b), distance_(distance) {}
  std::string meaning(int) const override { return "push between the points (N)"; }
  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const FrameMotion a = at.frame(a_), b = at.frame(b_);
    const Vector3<double> d = b.p - a.p, d_dot = b.p_dot - a.p_dot;
    const double length = d.norm();
    if (!(length > 1e-9 * distance_))
      throw Error(fmt::format("constraint '{}': the points coincide, so the direction between them is undefined", name()));
    const Vector3<double> u = d / length;
    const WrenchRow W{.force = u, .point = b.p, .force_rate = (d_dot - u * u.dot(d_dot)) / length, .point_rate = b.p_dot};
    at.put_row(W, a_.link, b_.link, out.A, out.bias[0]);
    out.violation[0] = length - distance_;
  }

 private:
  LinkFrame a_, b_;
  double distance_;
};

ConstraintPtr make_pair(std::string name, std::string_view type, const LinkFrame& a, const LinkFrame& b,
                        const JointParameters& parameters) {
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end())
    throw Error(fmt::format("constraint '{}' has the type '{}'{}; known are {}", name, type, suggestion(type, kTypes),
                            fmt::join(kTypes, ", ")));
  return std::make_shared<PairConstraint>(std::move(name), type, a, b, rules_of(type, parameters));
}

}  // namespace

ConstraintPtr pair_constraint(const Mechanism& m, std::string name, std::string_view type, const LinkFrame& a,
                              const LinkFrame& b, const JointParameters& parameters) {
  check_frames(m, name, a, b);
  return make_pair(std::move(name), type, a, b, parameters);
}

ConstraintPtr loop_constraint(const Mechanism& m, int index) {
  if (index < 0 || index >= static_cast<int>(m.loops().size()))
    throw Error(fmt::format("there is no loop {}: '{}' has {}", index, m.name(), m.loops().size()));
  const Loop& loop = m.loops()[index];
  if (loop.parameters.custom != nullptr)
    throw Error(fmt::format("loop '{}' is closed by a custom joint, whose conditions are not known", loop.name));
  const std::string_view type = visit_joint_type(loop.kind, []<class Type>() { return Type::kName; });
  // Both ends may be on one rigid part: then the loop is closed for good, or never.
  return make_pair(loop.name, type, {loop.link_a, loop.X_AN}, {loop.link_b, loop.X_BN}, loop.parameters);
}

ConstraintPtr distance_constraint(const Mechanism& m, std::string name, const LinkFrame& a, const LinkFrame& b,
                                  double distance) {
  check_frames(m, name, a, b);
  if (!(distance > 0.0) || !std::isfinite(distance))
    throw Error(fmt::format("constraint '{}' keeps a distance of {} m: expected more than 0", name, distance));
  return std::make_shared<DistanceConstraint>(std::move(name), a, b, distance);
}

LinkFrame link_frame(const Mechanism& m, std::string_view place, const Pose& X_BF) {
  const Place at = m.place(place);
  return {at.link, at.X_LP * X_BF};
}

}  // namespace amble
